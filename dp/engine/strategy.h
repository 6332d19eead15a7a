#ifndef OG_DP_ENGINE_STRATEGY_H
#define OG_DP_ENGINE_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/base/ties.h"
#include "dp/engine/act.h"

/*
 * A policy: the one interface for the engine, for simulated runs and for a single question. It
 * answers with an index or a weight for each open act. It may keep a belief along the history, and
 * may use it for the final calls.
 *
 * The same state and belief must always get the same answer. A failure has a message, and the work
 * ends with its status.
 */
struct og_ranks; /* dp/product/policy.h */

/* A label given before the root. */
typedef struct {
    og_act act;
    int32_t answer;
} og_told;

/* What a policy sees when it is called. */
typedef struct {
    void *scratch;           /* scratch_bytes, of the calling thread alone */
    const void *state;       /* what the model shows (og_model.state, described in its header) */
    const void *belief;      /* belief_bytes, aligned for 64-bit words */
    const og_act_open *open; /* [count] for `choose` only */
    int32_t count;
} og_strategy_view;

typedef og_status og_strategy_choose(void *self, const og_strategy_view *view, double *answer,
                                     og_answer *kind, og_message *message);
typedef og_status og_strategy_decide(void *self, const og_strategy_view *view, double *decision,
                                     og_message *message);

typedef struct og_strategy og_strategy;
struct og_strategy {
    void *self;
    const og_told *told; /* [told_count], borrowed: labels that it learns in this order before the
                          * root; only if it draws no coins */
    int32_t told_count;
    const struct og_ranks *ranks; /* product only: the nodes that it distinguishes, in order; NULL
                                   * otherwise */
    bool beyond;     /* may use acts that the optimum may not, and have a larger value */
    bool by_order;   /* depends on the order of labels: a state alone does not determine it */
    bool concurrent; /* may be called by several threads at once; else one at a time */
    bool one_thread; /* only on the thread that asked the question, as the caller was promised */
    double tie, tie_relative; /* answers this near the largest tie and are counted; 0, 0: only equal
                               * ones */
    size_t belief_bytes;      /* all written, no padding and no -0.0; 0: it needs only the state */
    size_t item_bytes[2];     /* it begins with a record for each instance, then for each worker,
                               * which the model moves when it renames equivalent ones; 0, 0:
                               * nothing may be renamed */
    bool forest;              /* beliefs rarely meet again: walk histories without memory */
    int32_t branches_max;     /* largest number of branches of `learn`; 0 or 1: it draws no coins */
    size_t scratch_bytes;

    /* The belief before the labels in `told`; og_strategy_begin goes on to the root. */
    og_status (*begin)(void *self, void *scratch, void *belief, og_message *message);

    /* The belief after an answer; returns the probability of this branch of the policy's own coins:
     * branch 0, 1, ... until they add up to 1. NaN: it failed. */
    double (*learn)(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                    int32_t branch, void *after);

    /* answer[count + 1]: indices (no NaN) or weights (>= 0, finite, sum > 0). The last is -INFINITY
     * at first: a policy that may stop writes its index of stopping, which no tie exceeds, or its
     * weight there. An index of -INFINITY: the act is not done. NULL: the ranks decide. */
    og_strategy_choose *choose;

    /* The policy's own final calls, decision[og_model.decision_count]: a sign, 0 for a coin. NULL:
     * those of the exact posterior. Ties best and worst use the value of these calls. */
    og_strategy_decide *decide;

    og_stop *stop; /* set by the simulation, called before each decision of a run; may be NULL */

    uint64_t (*tolerance_ties)(void *self); /* in addition to those from `tie`; NULL: none */
    void (*free)(void *self);               /* NULL: nothing is owned */
};

void og_strategy_free(og_strategy *strategy); /* a zeroed one is fine */

/* True if nothing may be renamed for it, nor states merged that differ by names: it has a belief
 * without records. And for a policy without a belief that looks at names: give it one that is
 * always the same. */
static inline bool og_strategy_keeps_names(const og_strategy *by)
{
    return by != NULL && by->belief_bytes > 0 && by->item_bytes[0] + by->item_bytes[1] == 0;
}
void og_strategy_keep_names(og_strategy *by);

/* The belief at the root, after the labels before it. OG_FAILED with a message: it cannot learn one
 * of these labels; OG_NO_MEMORY; or as `begin`. Does nothing for a strategy without a belief. */
og_status og_strategy_begin(const og_strategy *by, void *scratch, void *belief,
                            og_message *message);

/*
 * Checks an answer. Weights are multiplied by a power of two that brings the largest to 2^900, so
 * that neither their sum nor their products with values leave the range of doubles. OG_FAILED with
 * a message for numbers that break the rules of `choose`, and for a weight that would lose digits:
 * one some 2^1900 times smaller than the largest. `what` names the subject of an answer in messages
 * ("act").
 */
og_status og_answer_check(og_answer kind, int32_t count, double *answer, const char *what,
                          og_message *message);

/* Checks the number of stopping, which follows an answer: an index, or a weight, where -INFINITY
 * becomes 0. OG_FAILED with a message. */
og_status og_stopping_check(og_answer kind, double *stop, og_message *message);

/* The least answer that ties with the largest: the same rule in evaluation and simulation. */
double og_strategy_least(const og_strategy *by, double largest);

/*
 * Applies the tie rule to an answer[count + 1]: it becomes weights, 0 for acts that are not taken,
 * and the copies for tied acts; only the first of these for OG_TIES_FIRST. The last is the weight
 * of stopping: if no index exceeds that of stopping, 1, and all others are 0. *apart: number of
 * acts that tie by the tolerance alone. OG_FAILED with a message for numbers that break the rules
 * of `choose`.
 */
og_status og_strategy_weigh(const og_strategy *by, og_answer kind, og_ties ties,
                            const og_act_open *open, int32_t count, double *answer, int32_t *apart,
                            og_message *message);

/* Every open act with the same probability. */
og_strategy_choose og_strategy_choose_any;

/* The acts that are open at the root, in a view without scratch and belief, that the policy could
 * take, including all ties; and the indices or weights that it answers (NULL: not wanted). */
og_status og_strategy_picks(const og_strategy *by, og_strategy_view view, bool *pick, double *index,
                            og_message *message);

#endif
