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
 * A policy that looks at the whole state: a function that chooses in each state which group to
 * label. A user-defined policy in C looks like this:
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
 * Which instances must be in different groups. A coarser rule gives fewer states; two groups of one
 * state may still look alike to the policy.
 */
typedef enum {
    /* Posteriors with equal values, whatever follows, may share a group, represented by one of
     * them: for policies that depend on values alone. */
    OG_LOOK_VALUE,
    /* Different posteriors (or thresholds) have different groups; the labels that led to them do
     * not matter. */
    OG_LOOK_POSTERIOR,
    /* Different priors, or different labels since the start, have different groups. */
    OG_LOOK_LABELS,
    /* As OG_LOOK_VALUE, but only posteriors that `apart` ranks alike, now and after any labels,
     * share a group: for policies that depend on another policy's value. */
    OG_LOOK_RANKS,
} og_look;

typedef struct og_chooser og_chooser;
struct og_chooser {
    void *self;
    og_look look;
    const og_ranks *apart; /* OG_LOOK_RANKS only; copied */
    /* True if several threads may call `choose` at once; else calls are made one after the
     * other. */
    bool concurrent;
    /* Indices this near the largest tie with it and are counted (og_tie_least; not for
     * OG_ANSWER_EXACT); 0: only equal indices tie. */
    double tie_relative;
    /*
     * answer[state->count + 1]: indices (not NaN), or weights (>= 0, finite, one > 0 and no other
     * some 2^1900 times smaller: dp/engine/strategy.h). An instance of index -INFINITY is done. The
     * last number is -INFINITY at first; a policy that may stop writes its index or weight of
     * stopping there. The same state must always get the same answer. Any other status than OG_OK,
     * with a message, ends the evaluation with that status.
     */
    og_status (*choose)(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message);
    /*
     * Says that these states, all with the same number of labels left, will be asked, [count]; the
     * policy may find their answers together. *more: false if no further state need be foreseen.
     * NULL: not wanted. Errors as those of `choose`.
     */
    og_status (*foresee)(void *self, const og_state *state, int32_t count, bool *more,
                         og_message *message);
    /* Number of answers so far that depend on a tie called by the policy's tolerance, without a
     * proof. NULL means that there are never any. */
    uint64_t (*tolerance_ties)(void *self);
    /* Frees self with the ranks; may be NULL. */
    void (*free)(void *self);
};

/*
 * A policy for og_policy_value and all functions that take og_ranks. Borrows `arms`; copies
 * *chooser. Takes over `self`, which og_ranks_free frees; on error the caller keeps it.
 * OG_NO_MEMORY.
 */
og_status og_ranks_new_chooser(const og_arms *arms, const og_chooser *chooser, og_ranks **out);

/*
 * Asks a policy that has a chooser. Fills answer[state->count + 1] and *kind, checked as above;
 * weights, of which the last is that of stopping, are scaled by a power of two, and indices that
 * tie with the largest are made equal to it. All indices are -INFINITY if the policy stops: none is
 * larger than that of stopping, which a tie does not exceed.
 * OG_FAILED with a message for numbers that break the rules; OG_BAD_INPUT for a state with a group
 * that is none of the arms' (og_state_check_groups). Thread-safe. The first failure is also kept
 * for og_ranks_failure.
 */
og_status og_ranks_ask(const og_ranks *ranks, const og_state *state, double *answer,
                       og_answer *kind);

/* Calls the chooser's `foresee` under its lock; without one, *more is false. A failure is kept as
 * for og_ranks_ask. */
og_status og_ranks_foresee(const og_ranks *ranks, const og_state *state, int32_t count, bool *more);

/* The same with the numbers as the policy gives them: ties are not made equal, and the last index
 * is that of stopping; *kind may be OG_ANSWER_EXACT. For policies that change another's answers. */
og_status og_ranks_ask_plainly(const og_ranks *ranks, const og_state *state, double *answer,
                               og_answer *kind);

/* The chooser of a policy that has one; its functions are not for callers. */
const og_chooser *og_ranks_chooser(const og_ranks *ranks);

/*
 * Ranks made from a chooser's answers about each instance alone (a state of one copy). They are by
 * labels left, for the nodes of levels 0 .. budget - left; equal answers get equal ranks. For
 * models that support only an index. OG_BAD_INPUT with a message if the policy answers with
 * weights; any error of the policy; OG_NO_MEMORY. Asks once for each node and number of labels
 * left; all nodes that may be labelled with so many left tie in the groups of og_tie_least.
 */
og_status og_ranks_alone(const og_ranks *ranks, const og_arms *arms, og_ranks **out,
                         og_message *message);

/* True if the policy may stop before the budget is used: an index policy by its ranks, one with a
 * chooser if it did so in a state that it was asked about. */
bool og_ranks_may_stop(const og_ranks *ranks);

/* Copies the message of the first failure, if there was one. */
void og_ranks_failure(const og_ranks *ranks, og_message *message);

/* Number of pairs called equal by a tolerance, so far. */
uint64_t og_ranks_tolerance_ties(const og_ranks *ranks);

/*
 * The choice of a policy in a state: weight[state->count + 1], the probabilities of the groups and
 * of stopping up to a factor. If groups tie, OG_TIES_RANDOM gives each its number of copies, and
 * OG_TIES_FIRST gives all to the first. OG_TIES_BEST and OG_TIES_WORST, which need values to
 * decide, give each group 1. Weights that a policy answers are kept, but under OG_TIES_FIRST the
 * first of the groups that look alike to it gets their sum. Works for any policy; the state's nodes
 * must belong to the arms for which the ranks were made.
 */
og_status og_ranks_choose(const og_ranks *ranks, const og_state *state, og_ties ties,
                          double *weight);

/* The same; *kind is an index or weights, as the policy answers. */
og_status og_ranks_pick(const og_ranks *ranks, const og_state *state, og_ties ties, double *weight,
                        og_answer *kind);

#endif
