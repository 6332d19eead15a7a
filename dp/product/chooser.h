#ifndef OG_DP_PRODUCT_CHOOSER_H
#define OG_DP_PRODUCT_CHOOSER_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/act.h"
#include "dp/product/policy.h"
#include "dp/product/state.h"

/*
 * A policy that looks at the whole state: a function that is asked, state by state, what to label.
 * This is how a policy of one's own is written in C:
 *
 *   static og_status least_labelled(void *self, const og_state *state, double *answer,
 *                                   og_answer *kind, og_message *message) { ... }
 *   ...
 *   og_chooser chooser = {.choose = least_labelled, .look = OG_LOOK_POSTERIOR};
 *   og_ranks *ranks;
 *   og_ranks_new_chooser(arms, &chooser, &ranks);
 *   og_policy_value(arms, ranks, OG_TIES_RANDOM, &settings, &result, &message);
 */

/*
 * Which instances must stand in different groups. The coarser, the fewer states; groups of one
 * state may still look alike to the policy.
 */
typedef enum {
    /* Posteriors that are worth the same whatever follows may stand together, one of them for all:
     * for policies that depend on values alone. */
    OG_LOOK_VALUE,
    /* Different posteriors (or thresholds) stand apart; how they came about does not count. */
    OG_LOOK_POSTERIOR,
    /* Different priors and different labels since the start stand apart. */
    OG_LOOK_LABELS,
    /* Those stand together that OG_LOOK_VALUE leaves together and `apart` ranks alike, now and
     * after any labels: for policies that depend on what another policy is worth. */
    OG_LOOK_RANKS,
} og_look;

typedef struct og_chooser og_chooser;
struct og_chooser {
    void *self;
    og_look look;
    const og_ranks *apart; /* OG_LOOK_RANKS only; copied */
    /* `choose` may be called by several threads at once; else calls are made one after the other.
     */
    bool concurrent;
    /* Indices that lie so near the largest tie with it and are counted (og_tie_least, but for
     * OG_ANSWER_EXACT); 0: equal ones only. */
    double tie_relative;
    /*
     * answer[state->count]: indices (not NaN), or weights (>= 0, finite, one > 0 and no other some
     * 2^1900 times smaller: dp/engine/strategy.h). The same
     * state must always get the same answer. Any status but OG_OK, with a message, ends the
     * valuation with it.
     */
    og_status (*choose)(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message);
    /* How many answers so far hang on a tie that was called so by a tolerance of its own, not by a
     * proof; NULL: none ever. */
    uint64_t (*tolerance_ties)(void *self);
    /* Frees self with the ranks; may be NULL. */
    void (*free)(void *self);
};

/*
 * A policy for og_policy_value and all that takes og_ranks. Borrows `arms`; copies *chooser and
 * takes self over, which og_ranks_free frees; on error it stays the caller's. OG_NO_MEMORY.
 */
og_status og_ranks_new_chooser(const og_arms *arms, const og_chooser *chooser, og_ranks **out);

/*
 * Ask a policy that has a chooser: fills answer[state->count] and *kind, checked as above, weights
 * scaled by a power of two, indices that tie with the largest made equal to it:
 * OG_FAILED with a message for numbers that break the rules, OG_BAD_INPUT for a state whose groups
 * are none of the arms' (og_state_check_groups). Safe beside other threads. What went wrong is also
 * kept for og_ranks_failure.
 */
og_status og_ranks_ask(const og_ranks *ranks, const og_state *state, double *answer,
                       og_answer *kind);

/*
 * The ranks of what a policy with a chooser answers about each instance on its own, one copy of it
 * and nothing else: by left, of the nodes of levels 0 .. budget - left, equal answers ranking
 * alike. For models that take an index only. OG_BAD_INPUT with a message if it answers with
 * weights; what it fails with; OG_NO_MEMORY. Asks once for each node and number of labels left;
 * all that may be labelled with so many left tie in the groups of og_tie_least.
 */
og_status og_ranks_alone(const og_ranks *ranks, const og_arms *arms, og_ranks **out,
                         og_message *message);

/* Copies what went wrong first, if anything did. */
void og_ranks_failure(const og_ranks *ranks, og_message *message);

/* Pairs that were called equal by a tolerance, so far. */
uint64_t og_ranks_tolerance_ties(const og_ranks *ranks);

/*
 * What a policy would label in a state: weight[state->count], the groups' probabilities up to a
 * factor. For tied groups under OG_TIES_RANDOM their copies, under OG_TIES_FIRST all to the group
 * that stands first, under OG_TIES_BEST and OG_TIES_WORST, which ask for values to decide, 1 for
 * each. Weights that a policy answers stay, but under OG_TIES_FIRST the first of the
 * groups that look alike to it stands for all. Any policy; the state's nodes must be those of the
 * arms the ranks were made for.
 */
og_status og_ranks_choose(const og_ranks *ranks, const og_state *state, og_ties ties,
                          double *weight);

/* The same, and whether it answers with an index or with weights. */
og_status og_ranks_pick(const og_ranks *ranks, const og_state *state, og_ties ties, double *weight,
                        og_answer *kind);

#endif
