#ifndef OG_DP_PRODUCT_STATE_VIEW_H
#define OG_DP_PRODUCT_STATE_VIEW_H

#include "dp/engine/act.h"
#include "dp/product/forward.h"
#include "dp/product/truth_law.h"

/*
 * The state that a policy sees in dp/product/characteristics.h, and its choice (private to
 * dp/product/). Instances of one posterior form one group, whatever their actual soft labels,
 * because the policy cannot distinguish them.
 */

/* The share of a group of the current state: `part` of the `whole` instances that have this weight
 * are its own; weight 0: not labelled. */
typedef struct {
    double weight;
    int64_t part, whole;
} og_shown_share;

typedef struct {
    og_arena arena;
    const og_truth_law_arms *actual;
    const og_ranks *ranks;
    og_ties ties;
    int32_t *order;       /* groups of the current state, sorted by their assumed posterior */
    og_state_group *seen; /* the state as the policy sees it */
    int32_t *seen_as;     /* for each group of the current state, its group in `seen` */
    double *weight;       /* [room + 1] of the groups in `seen`, and of stopping */
    double stop;          /* the weight of stopping, counted in the sum of all */
    int32_t seen_count;
    og_answer kind;        /* ties best and worst: an index, if all groups with a weight tie */
    og_shown_share *share; /* of the groups of the current state */
} og_shown;

/* Room for states of so many groups. Borrows all; OG_NO_MEMORY. */
og_status og_shown_init(const og_characteristics_question *question,
                        const og_truth_law_arms *actual, int32_t room, og_shown *out);
void og_shown_clear(og_shown *shown); /* a zeroed one is fine */

/*
 * Shows the policy the current state of the pass and fills `share`. Under OG_TIES_BEST and
 * OG_TIES_WORST each group has its own share there, and a caller with values picks one of the ties,
 * which share an og_shown_contest. Any error of a chooser, with a message.
 */
og_status og_shown_look(og_shown *shown, const og_forward *pass, og_message *message);

/* Groups of the current state have the same number here if one of them is labelled. */
static inline int32_t og_shown_contest(const og_shown *shown, int32_t group)
{
    return shown->kind == OG_ANSWER_INDEX ? 0 : shown->seen_as[group];
}

/* The sum of all weights; the second function is exact and includes one more weight. */
double og_shown_total(const og_shown *shown);
void og_shown_total_exact(const og_shown *shown, mpq_t out, mpq_t scratch);

#endif
