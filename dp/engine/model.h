#ifndef OG_DP_ENGINE_MODEL_H
#define OG_DP_ENGINE_MODEL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/act.h"

/*
 * The interface of a problem for the engine: a finite acyclic decision process whose states have
 * canonical keys. `expand` lists for one state either the actions, or the probabilities of a chance
 * node; the engine hashes keys, stores values, recurses and combines.
 *
 *   value(state) = combine over actions of
 *                    reward + sum over outcomes of probability * value(successor)
 *
 * where combine is the largest, the least, or the weighted mean. The product of arms
 * (dp/product/product.h) is the first implementation.
 *
 * The first half of og_model evaluates a state. The second half serves questions: the root, Q of
 * its acts, errors, and the states and final calls of a strategy with a belief
 * (dp/engine/solution.h, dp/engine/belief.h). A model whose callers build its roots leaves it 0.
 */
typedef enum {
    OG_COMBINE_MAX,  /* the decision maker's choice, or the best of a policy's ties */
    OG_COMBINE_MIN,  /* the worst of a policy's ties */
    OG_COMBINE_MEAN, /* probabilities, or a policy's draw: weights, which need not sum to 1 */
} og_combine;

typedef struct {
    double reward; /* of either sign if every bound below, and og_model.margin, allow for it */
    double weight; /* OG_COMBINE_MEAN: > 0. Otherwise the number of equivalent acts, if asked */
    double bound;  /* OG_COMBINE_MAX: upper bound of the action's value; INFINITY if unknown */
    int32_t outcome_first;
    int32_t outcome_count;
} og_action;

typedef struct {
    double probability; /* > 0 */
    double bound;       /* upper bound of the successor's value; INFINITY if unknown */
    uint32_t from, to;  /* the model's own: enough to write the successor's key */
} og_outcome;

/*
 * One expanded state. The engine owns one for every depth of the recursion; the model fills it and
 * keeps its working data in `scratch`. Actions come in the order in which they should be tried.
 */
typedef struct {
    og_combine combine;
    int32_t action_count;
    og_action *action;
    og_outcome *outcome;
    void *scratch;
} og_expansion;

enum { OG_KEY_WORDS_MAX = 4096 };

/* Values of an outcome's answer if there is no single one: several in one outcome, so that no
 * belief can follow; or no answer. */
enum { OG_ANSWER_SEVERAL = -1, OG_ANSWER_NONE = -2 };

/* A strategy's belief in a state; dp/engine/strategy.h gives its layout. */
typedef struct {
    void *at;
    size_t bytes;
    size_t item_bytes[2];
} og_belief;

/* A state given by its labels since the root, in any order; the arrays use the model's numbers of
 * instances and workers, [instances * workers]. */
typedef struct {
    int32_t left; /* labels left, at least 1 */
    const int32_t *positive, *negative;
} og_counts;

/* Value of the state: values of the model are `mass` times this one. `prior` is expected without a
 * further label, and `error` is the proved error of a Q counted from it. */
typedef struct {
    double mass, prior, error;
} og_state_value;

/*
 * The numbers of a model as fractions, for dp/exact/recursion.h. A function that returns a number
 * returns `room`, filled, or a fraction that the model keeps: valid until it is called again with
 * the same room. Any pointer may be NULL.
 */
typedef struct {
    /* Of an action of the expansion just filled. NULL: 0. */
    mpq_srcptr (*reward)(const void *self, const og_expansion *expansion, const og_action *action,
                         mpq_t room);
    /* Of an outcome of this action. It, or the function, is NULL: 1. */
    mpq_srcptr (*probability)(const void *self, const og_expansion *expansion,
                              const og_action *action, const og_outcome *outcome, mpq_t room);
    /* The value, >= 0, of the terminal successor just made, or of the root if outcome is NULL.
     * NULL: 0. OG_NO_MEMORY. */
    og_status (*end)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                     mpq_t out);
    /* og_model.prior and og_model.scale; scale NULL: 1. OG_NO_MEMORY. */
    og_status (*prior)(const void *self, mpq_t out);
    og_status (*scale)(const void *self, mpq_t out);
    /* The proved relative error of a state's value in doubles, which then rule out actions that
     * cannot be optimal. NULL: all are evaluated. */
    double (*near)(const void *self);
} og_model_exact;

typedef struct og_model og_model;
struct og_model {
    const void *self;
    int32_t depth_max;     /* most states of any path */
    int32_t outcomes_max;  /* largest number for one action, at least 1 */
    int32_t key_words_max; /* longest key in 64-bit words, at most OG_KEY_WORDS_MAX */
    /* An action is skipped if its bound + margin is not above the best. The margin is more than the
     * rounding of values and bounds together. */
    double margin;

    /* Makes and frees an expansion's arrays; expansion_new leaves nothing allocated if it fails. */
    og_status (*expansion_new)(const void *self, og_expansion *expansion);
    void (*expansion_free)(og_expansion *expansion);

    /* Fills the expansion from a key of `words` words. If a user-defined function decides
     * (dp/product/chooser.h), it may fail, which ends the engine's work with that status. */
    og_status (*expand)(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion);

    /*
     * The successor after an outcome of the expansion just filled. Either it is terminal (returns 0
     * and writes *value), or its canonical key is written and the number of words returned. key[0]
     * is never 0.
     */
    int32_t (*successor)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value);

    /* ---- for questions; NULL or 0: this model does not support it ---- */

    double prior, prior_error; /* expected without any label, and its absolute error, proved */
    bool gains;                /* values are gains, to which `prior` is added; else total values */
    double scale;              /* values are this many times too large; 0: once */
    uint64_t bytes;            /* of the model's tables */
    uint64_t expansion_bytes;  /* of one expansion, when histories are walked */
    int32_t acts_max;          /* most actions of a state */
    int32_t decision_count;    /* final decisions */
    bool decided; /* the model itself applies the question's strategy, such as an index that is part
                   * of its classes */

    /* Proved absolute error of a value (without `scale`) at the root, or of a Q, which is counted
     * from `prior`: a constant and a share of the value. */
    double (*error)(const void *self, double value, bool of_q);

    /*
     * Puts the root into the expansion's scratch, in its given order, and writes its canonical key,
     * as successor does; `belief`, NULL or that of the root, is renamed with it. Then `state`
     * works, and expand_root, which lists all acts there, including those that `expand` drops.
     */
    int32_t (*root)(const void *self, const og_expansion *expansion, og_belief *belief,
                    uint64_t *key, double *value);
    og_status (*expand_root)(const void *self, og_expansion *expansion);

    /* As root, for any state that can be reached, without its key: for expand_root. For the optimum
     * only. NULL: states cannot be given by their labels. */
    void (*place)(const void *self, const og_expansion *expansion, const og_counts *at,
                  og_state_value *out);

    /* The act of an action; the answer of an outcome (OG_ANSWER_*), and the act that it answers. */
    og_act (*act)(const void *self, const og_expansion *expansion, const og_action *action);
    int32_t (*answer)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                      og_act *act);

    /* The data that a strategy sees of the expanded state, or of the successor just made. The
     * model's header describes it; valid until the expansion is used again. */
    const void *(*state)(const void *self, const og_expansion *expansion,
                         const og_outcome *outcome);

    /* As successor, with the belief of the successor, whose records are moved too. */
    int32_t (*successor_with)(const void *self, const og_expansion *expansion,
                              const og_outcome *outcome, og_belief *belief, uint64_t *key,
                              double *value);

    /* The value of the terminal successor just made (NULL: the root) under these final calls,
     * decision[decision_count], in a strategy's format. */
    double (*score)(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                    const double *decision);

    /* As expand, from the expansion in which the successor was just made: for walks over
     * histories. */
    og_status (*expand_after)(const void *self, const og_expansion *expansion,
                              const og_outcome *outcome, og_expansion *after);

    /* For callers that follow play through the states (dp/engine/steps.h): the distance to the end,
     * which is smaller in every state that follows, and the labels left. */
    int32_t (*stage)(const void *self, const uint64_t *key, int32_t words, int32_t *left);

    /* Values and their errors are multiplied by a measure > 0 of the expanded state (NULL), or of
     * its successor just made: how often the state occurs if the acts on the way are done. NULL:
     * once. */
    double (*measure)(const void *self, const og_expansion *expansion, const og_outcome *outcome);

    const og_model_exact *exact; /* NULL: there are no fractions, or not for this question */

    void (*free)(void *self); /* with og_model_free; NULL: self is borrowed */
};

void og_model_free(og_model *model); /* a zeroed one is fine */

/*
 * Ends expansion_new if the scratch is an object of og_arena_new (dp/base/arena.h): the arrays of
 * actions and outcomes come from its arena, and the expansion takes it over. OG_NO_MEMORY if any
 * array of the arena could not be allocated; then the scratch is freed. The second function is
 * expansion_free of such a model.
 */
og_status og_expansion_init(void *scratch, size_t actions, size_t outcomes, og_expansion *x);
void og_expansion_free(og_expansion *expansion);

#endif
