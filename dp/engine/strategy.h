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
 * A policy: the one interface for the engine, for played runs and for a single question. It answers
 * with an index or a weight for each act that is open. It may carry a belief of its own along the
 * history, and may decide by it in the end.
 *
 * `state` is what the model shows (og_model.state; each model's header says what it is), `scratch`
 * scratch_bytes of the calling thread's own, `belief` belief_bytes, aligned for 64-bit words. The
 * same state and belief must always get the same answer. What fails does so with a message, and the
 * work ends with its status.
 */
typedef struct og_random og_random; /* a stream of random numbers, for `draw` */
struct og_ranks;                    /* dp/product/policy.h */

/* A label that came before the root. */
typedef struct {
    og_act act;
    int32_t answer;
} og_told;

typedef struct og_strategy og_strategy;
struct og_strategy {
    void *self;
    const og_told *told; /* [told_count], borrowed: what it learns in this order before the root;
                            only where it draws no coins */
    int32_t told_count;
    const struct og_ranks *ranks; /* product only: which nodes it tells apart, in what order; NULL
                                     elsewhere */
    bool beyond;                  /* it may do what the optimum may not, and be worth more */
    bool by_order;                /* it goes by the order of labels: a state alone does not say what
                                     it does */
    bool concurrent;              /* asked by several threads at once; else one at a time */
    double tie, tie_relative; /* answers so near the largest tie and are counted; 0, 0: equal ones
                                 only */
    size_t belief_bytes;      /* all written, no padding and no -0.0; 0: the state says all */
    size_t item_bytes[2];     /* it begins with a record for each instance, then for each worker,
                                 which the model moves as it renames what is alike; 0, 0: nothing
                                 may be renamed */
    bool forest;              /* beliefs hardly meet again: histories are walked, nothing is
                                 remembered */
    int32_t branches_max;     /* most branches of `learn`; 0 or 1: it draws no coins */
    size_t scratch_bytes;

    /* The belief before the labels that it is `told`: og_strategy_begin goes on to the root. */
    og_status (*begin)(void *self, void *scratch, void *belief, og_message *message);

    /* The belief after an answer, and the chance of this branch of the policy's own coins: branch
     * 0, 1, ... until they add up to 1. NaN: it failed. */
    double (*learn)(void *self, void *scratch, const void *state, const void *before, og_act act,
                    int32_t answer, int32_t branch, void *after);

    /* answer[count]: indices (no NaN) or weights (>= 0, finite, sum > 0). NULL: by ranks alone. */
    og_status (*choose)(void *self, void *scratch, const void *state, const void *belief,
                        const og_open *open, int32_t count, double *answer, og_answer *kind,
                        og_message *message);

    /* One of the acts, where chances are not known: such a policy is only played. */
    og_status (*draw)(void *self, void *scratch, const void *state, const void *belief,
                      const og_open *open, int32_t count, og_random *random, int32_t *which,
                      og_message *message);

    /* Final decisions of its own, decision[og_model.decision_count]: a sign, 0 a coin. NULL: those
     * of the exact posterior. Ties best and worst go by what these are worth. */
    og_status (*decide)(void *self, void *scratch, const void *state, const void *belief,
                        double *decision, og_message *message);

    og_stop *stop; /* of whoever plays it, asked before each decision of a run; NULL: nobody */

    uint64_t (*tolerance_ties)(void *self); /* beside those by `tie`; NULL: none */
    void (*free)(void *self);               /* NULL: nothing is owned */
};

void og_strategy_free(og_strategy *strategy); /* a zeroed one is fine */

/* The belief at the root, labels before it included. OG_FAILED with a message: it cannot learn what
 * it is told; OG_NO_MEMORY; or as `begin`. Nothing is done for a strategy without a belief. */
og_status og_strategy_begin(const og_strategy *by, void *scratch, void *belief,
                            og_message *message);

/*
 * Is this an answer? Weights are multiplied by a power of two that brings the largest to 2^900, so
 * that neither their sum nor their products with values leave the range of doubles. OG_FAILED with
 * a message for numbers that break the rules of `choose`, and for a weight that would lose digits:
 * one some 2^1900 times smaller than the largest. `of` says what an answer is about ("act").
 */
og_status og_answer_check(og_answer kind, int32_t count, double *answer, const char *of,
                          og_message *message);

/* The least answer that ties with the largest: the one rule, valued and played. */
double og_strategy_least(const og_strategy *by, double largest);

/*
 * What an answer comes to under a tie rule: `answer` becomes weights, 0 for what is not taken,
 * copies for what is tied; only the first of these for OG_TIES_FIRST. *apart: how many tie by the
 * tolerance alone. OG_FAILED with a message for numbers that break the rules of `choose`.
 */
og_status og_strategy_weigh(const og_strategy *by, og_answer kind, og_ties ties,
                            const og_open *open, int32_t count, double *answer, int32_t *apart,
                            og_message *message);

/* Which of these acts the policy could take at the root, all that tie. */
og_status og_strategy_picks(const og_strategy *by, const void *state, const og_open *open,
                            int32_t count, bool *pick, og_message *message);

#endif
