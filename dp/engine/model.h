#ifndef OG_DP_ENGINE_MODEL_H
#define OG_DP_ENGINE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/act.h"

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
 *
 * That much values a state. The second half of og_model says what a question needs beside it: the
 * root, Q of its acts, errors, and what a strategy with a belief sees and decides
 * (dp/engine/solution.h, dp/engine/belief.h). A model whose roots are made by others leaves it 0.
 */
typedef enum {
    OG_COMBINE_MAX,  /* the decision maker's choice, or the best of a policy's ties */
    OG_COMBINE_MIN,  /* the worst of a policy's ties */
    OG_COMBINE_MEAN, /* chances, or a policy's draw: weights, which need not sum to 1 */
} og_combine;

typedef struct {
    double reward; /* of either sign if every bound below, and og_model.margin, allow for it */
    double weight; /* OG_COMBINE_MEAN: > 0. Elsewhere the acts alike that it stands for, if asked */
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
 * One state expanded. The engine owns one for every depth of the recursion; the model fills it and
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

/* What an outcome's answer is where it is no answer: several in one, so that no belief can follow;
 * nobody answered. */
enum { OG_ANSWER_SEVERAL = -1, OG_ANSWER_NONE = -2 };

/* A strategy's belief beside a state, as its layout is in dp/engine/strategy.h. */
typedef struct {
    void *at;
    size_t bytes;
    size_t item_bytes[2];
} og_belief;

/* A state by its labels since the root, whichever way it was met; arrays as the model numbers
 * instances and workers, [instances * workers]. */
typedef struct {
    int32_t left; /* labels left, at least 1 */
    const int32_t *positive, *negative;
} og_counts;

/* What it is worth: values of the model are `mass` times its own; `prior` is expected without a
 * further label, and `error` that of a Q counted from it, proved. */
typedef struct {
    double mass, prior, error;
} og_placed;

typedef struct og_model og_model;
struct og_model {
    const void *self;
    int32_t depth_max;     /* no path has more states */
    int32_t outcomes_max;  /* most outcomes of one action, at least 1 */
    int32_t key_words_max; /* longest key in 64-bit words, at most OG_KEY_WORDS_MAX */
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
     * The successor by an outcome of the expansion just filled. Either it is terminal (returns 0
     * and writes *value), or its canonical key is written and the number of words returned. key[0]
     * is never 0.
     */
    int32_t (*successor)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value);

    /* ---- what a question needs; NULL or 0: this model has no such thing ---- */

    double prior, prior_error; /* expected without any label, and its absolute error, proved */
    bool gains;                /* values are gains, to which `prior` is added; else the whole */
    double scale;              /* values count so many times; 0: once */
    uint64_t bytes;            /* of the model's tables */
    uint64_t expansion_bytes;  /* of one expansion, where histories are walked */
    int32_t acts_max;          /* most actions of a state */
    int32_t decision_count;    /* final decisions */
    bool decided; /* the question's strategy is applied by the model itself, such as an index that
                     is part of its classes */

    /* Proved absolute error of a value (not `scale`d) at the root, or of a Q, which is counted from
     * `prior`: a constant and a share of the value. */
    double (*error)(const void *self, double value, bool of_q);

    /*
     * Show the root in the expansion's scratch, in the order in which it was given, and write its
     * canonical key, as successor does; `belief`, NULL or that of the root, is renamed with it. For
     * `state` and expand_root, which lists all that can be done there, also what `expand` drops.
     */
    int32_t (*root)(const void *self, const og_expansion *expansion, og_belief *belief,
                    uint64_t *key, double *value);
    og_status (*expand_root)(const void *self, og_expansion *expansion);

    /* As root, for any state that can be reached, without its key: for expand_root. For the optimum
     * only. NULL: states cannot be told by their labels. */
    void (*place)(const void *self, const og_expansion *expansion, const og_counts *at,
                  og_placed *out);

    /* What an action does; what an outcome answers (OG_ANSWER_*), and to which act. */
    og_act (*act)(const void *self, const og_expansion *expansion, const og_action *action);
    int32_t (*answer)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                      og_act *act);

    /* What a strategy is shown of the state that is expanded, or of its successor just made. The
     * model's header says what this is; valid until the expansion is used again. */
    const void *(*state)(const void *self, const og_expansion *expansion,
                         const og_outcome *outcome);

    /* As successor, with the belief of the successor, whose records are moved along. */
    int32_t (*successor_with)(const void *self, const og_expansion *expansion,
                              const og_outcome *outcome, og_belief *belief, uint64_t *key,
                              double *value);

    /* What the terminal successor just made (NULL: the root) is worth under these decisions,
     * decision[decision_count] as a strategy decides. */
    double (*score)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                    const double *decision);

    /* As expand, from the expansion in which the successor was just made: for histories that are
     * walked. */
    og_status (*expand_after)(const void *self, const og_expansion *expansion,
                              const og_outcome *outcome, og_expansion *after);

    /* For whoever follows play through the states (dp/engine/steps.h): how far the end is, less in
     * every state that follows, and the labels left. */
    int32_t (*stage)(const void *self, const uint64_t *key, int32_t words, int32_t *left);

    /* Values count as often as the state that is expanded (NULL), or its successor just made, comes
     * about if the acts on the way there are done, and so do their errors; > 0. NULL: once. */
    double (*measure)(const void *self, const og_expansion *expansion, const og_outcome *outcome);

    void (*free)(void *self); /* with og_model_free; NULL: self is borrowed */
};

void og_model_free(og_model *model); /* a zeroed one is fine */

/*
 * How expansion_new ends where the scratch is an object of og_arena_new (dp/base/arena.h): the
 * arrays of actions and outcomes come from its arena, and the expansion takes it over. OG_NO_MEMORY
 * if any array of the arena could not be had; then the scratch is freed. And expansion_free of such
 * a model.
 */
og_status og_expansion_init(void *scratch, size_t actions, size_t outcomes, og_expansion *x);
void og_expansion_free(og_expansion *expansion);

#endif
