#ifndef OG_DP_ENGINE_MODEL_H
#define OG_DP_ENGINE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * What the engine needs to know of a problem: a finite acyclic decision process whose states have
 * canonical keys. `expand` lists for one state either the actions, or the chances of a node where
 * nothing is decided; the engine hashes keys, remembers values, recurses and combines.
 *
 *   value(state) = combine over actions of  reward + sum over outcomes of probability *
 * value(successor)
 *
 * where combine is the largest, the least, or the mean by weight. The product of arms
 * (dp/product/product.h) is the first implementation.
 */
typedef enum {
    OG_COMBINE_MAX,  /* the decision maker's choice, or the best of a policy's ties */
    OG_COMBINE_MIN,  /* the worst of a policy's ties */
    OG_COMBINE_MEAN, /* chances, or a policy's draw: weights, which need not sum to 1 */
} og_combine;

typedef struct {
    double reward; /* >= 0 */
    double weight; /* OG_COMBINE_MEAN: > 0 */
    double bound;  /* OG_COMBINE_MAX: the action is worth at most this; INFINITY if unknown */
    int32_t outcome_first;
    int32_t outcome_count;
} og_action;

typedef struct {
    double probability; /* > 0 */
    double bound;       /* the successor is worth at most this; INFINITY if unknown */
    uint32_t from, to;  /* the model's own: enough to write the successor's key */
} og_outcome;

/*
 * One state laid open. The engine owns one for every depth of the recursion; the model fills it and
 * keeps its own scratch in `scratch`. Actions come in the order in which they should be tried.
 */
typedef struct {
    og_combine combine;
    int32_t action_count;
    og_action *action;
    og_outcome *outcome;
    void *scratch;
} og_expansion;

enum { OG_KEY_WORDS_MAX = 4096 };

typedef struct og_model og_model;
struct og_model {
    const void *self;
    int32_t depth_max;     /* no path has more states */
    int32_t outcomes_max;  /* most outcomes of one action, at least 1 */
    int32_t key_words_max; /* longest key in 64-bit words, at most OG_KEY_WORDS_MAX */
    /* Who watches the work is told after so many states laid open by one thread; 0: some thousand,
     * a moment where a state takes a microsecond. */
    int32_t watch_states;
    /* An action is skipped when its bound + margin is not above the best; more than the rounding of
     * values and bounds together. */
    double margin;

    /* Make and free an expansion's arrays; expansion_new leaves nothing behind when it fails. */
    og_status (*expansion_new)(const void *self, og_expansion *expansion);
    void (*expansion_free)(og_expansion *expansion);

    /* Fill the expansion from a key of `words` words. Where a decision is asked of somebody else
     * (dp/product/chooser.h) it may fail, which ends the engine's work with that status. */
    og_status (*expand)(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion);

    /*
     * The successor by an outcome of the expansion just filled. Either its value is known at sight
     * (returns 0 and writes *value), or its canonical key is written and the number of words
     * returned. key[0] is never 0.
     */
    int32_t (*successor)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value);
};

#endif
