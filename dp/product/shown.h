#ifndef OG_DP_PRODUCT_SHOWN_H
#define OG_DP_PRODUCT_SHOWN_H

#include "dp/engine/act.h"
#include "dp/product/actual.h"
#include "dp/product/forward.h"

/*
 * What a policy is shown of a state of dp/product/characteristics.h, and what it labels there
 * (private to dp/product/): instances of one posterior together, whatever their actual soft labels,
 * as it cannot tell them apart.
 */

/* Of a group of the state at hand: its instances are `part` of `of` that this weight is for; 0: not
 * labelled. */
typedef struct {
    double weight;
    int64_t part, of;
} og_shown_share;

typedef struct {
    og_arena arena;
    const og_actual_arms *actual;
    const og_ranks *ranks;
    og_ties ties;
    int32_t *order;       /* groups of the state at hand by what is believed of them */
    og_state_group *seen; /* the state as the policy sees it */
    int32_t *seen_as;     /* of a group of the state at hand its group there */
    double *weight;       /* of the groups that are seen */
    int32_t seen_count;
    og_answer kind;        /* ties best and worst: an index, if all that have a weight tie */
    og_shown_share *share; /* of the groups of the state at hand */
} og_shown;

/* Room for states of so many groups. Borrows all; OG_NO_MEMORY. */
og_status og_shown_init(const og_characteristics_question *question, const og_actual_arms *actual,
                        int32_t room, og_shown *out);
void og_shown_clear(og_shown *shown); /* a zeroed one is fine */

/*
 * Show it the state that the pass has at hand. Fills `share`; under OG_TIES_BEST and OG_TIES_WORST
 * each group stands for itself there, and who knows values takes one of those that tie, which are
 * those of one og_shown_contest. What a policy that is asked fails with, with a message.
 */
og_status og_shown_look(og_shown *shown, const og_forward *pass, og_message *message);

/* Groups of the state at hand of which one is labelled have the same number here. */
static inline int32_t og_shown_contest(const og_shown *shown, int32_t group)
{
    return shown->kind == OG_ANSWER_INDEX ? 0 : shown->seen_as[group];
}

/* All weights together; and exactly, with room for one more. */
double og_shown_total(const og_shown *shown);
void og_shown_total_exact(const og_shown *shown, mpq_t out, mpq_t scratch);

#endif
