#ifndef OG_DP_ENGINE_STEPS_H
#define OG_DP_ENGINE_STEPS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/state_set.h"
#include "dp/base/status.h"
#include "dp/engine/act.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/engine/strategy.h"

/*
 * A problem state by state, and the value of optimal play in each, for callers that follow play
 * through it: pictures, explanations, play by hand. All instances keep their identity here, even if
 * values could not distinguish them.
 *
 * Values are those of the state alone: the gain still to come or, if the model counts so, the total
 * at the end. The caller owns keys, [key_words_max].
 */
typedef struct {
    int32_t stage; /* distance to the end, smaller in every state that follows */
    int32_t words; /* of the key; 0: an end, with no decision and no further gain */
    uint64_t *key;
    double probability; /* of the outcome; 1 for a root */
    double value;       /* of an end; with fractions it is 0, or the current state ends unchanged
                         * and has the value already counted there */
    const void *state;  /* of an end, in the family's format; valid until the next call */
} og_step_state;

typedef struct {
    int32_t left;          /* labels left */
    const void *state;     /* as a strategy sees it, in the family's format */
    const og_expansion *x; /* combine: MAX for a decision, MEAN for chance */
    const void *belief;    /* of the strategy that the steps carry; NULL: none */
} og_step_view;

typedef struct og_steps {
    void *self;
    int32_t key_words_max;
    int32_t acts_max;         /* of a state */
    int32_t budget;           /* labels left at the root */
    bool gains;               /* a state of value 0 need not be followed */
    bool losses;              /* following it may lose something, however */
    bool either_sign;         /* values and Qs may be negative: 0 is a value like others */
    bool carries;             /* places differ also by the strategy's belief */
    double probability_error; /* relative, of the probability of an outcome; 0: computed
                               * probabilities count as exact ones, and then */
    double root_errors; /* additional error of a difference of two values, in errors of the root's
                         * value */

    void (*root)(void *self, og_step_state *out);
    /* Makes the state of this place, which is not an end, the current one until the next call. */
    og_status (*take)(void *self, const og_step_state *place, og_step_view *out,
                      og_message *message);
    og_act (*act)(void *self, const og_action *action);
    /* The reward of an action in the current state, also as a fraction if supported: the part that
     * `counted` does not include. */
    double (*reward)(void *self, const og_action *action, mpq_ptr exact);
    int32_t (*answer)(void *self, const og_outcome *outcome, og_act *act); /* as og_model.answer */
    void (*next)(void *self, const og_outcome *outcome, og_step_state *out);

    /* For the current state, with proved errors. Q of all actions, [action_count], in the units
     * of `value`, or of one. left >= 1. OG_STOPPED with a message if a
     * limit was reached. */
    og_status (*value)(void *self, double *value, double *error, og_message *message);
    og_status (*q)(void *self, double *q, double *error, og_message *message);
    og_status (*q_of)(void *self, int32_t action, double *q, double *error, og_message *message);

    /* The value already counted in the current state, to which gains are added, and the total as a
     * fraction. NULL: nothing is counted. */
    void (*counted)(void *self, double *value, mpq_ptr exact);
    /* As fractions; NULL: there are none. */
    og_status (*q_exact)(void *self, mpq_t *q, og_message *message);
    void (*probability_exact)(void *self, const og_outcome *outcome, mpq_ptr exact);

    void (*free)(void *self);
} og_steps;

void og_steps_free(og_steps *steps); /* a zeroed one is fine */

/* Optimal values of the states of a model in fractions. */
typedef struct {
    void *self;
    og_status (*value)(void *self, const uint64_t *key, int32_t words, mpq_t out,
                       og_message *message);
    void (*free)(void *self);
} og_exact_values;

/* Makes them; borrows the model. Errors as og_valuation_init. */
typedef og_status og_exact_values_new(const og_model *model, const og_settings *settings,
                                      og_exact_values *out, og_message *message);

/*
 * Uses any model of the optimum that has stages; takes the model over, also if it fails. Values are
 * optimal, or those of question->by under its ties; that strategy is borrowed and has no belief,
 * and its errors come from `value` and `q`. memory_bytes is for values. OG_NO_MEMORY, or as
 * og_valuation_init.
 *
 * With `along`, a strategy with a belief that draws no coins: places are states with its belief,
 * which is learnt on the way and changes no value. The model was made for it or renames nothing.
 * Borrowed.
 *
 * With `exact` (dp/exact/fractions.h) also in fractions, for a model of gains that has exact
 * numbers and no measure; NULL: in doubles only.
 */
og_status og_steps_by_engine(og_model *model, const og_value_asked *question,
                             const og_strategy *along, const og_settings *settings,
                             og_exact_values_new *exact, og_steps *out, og_message *message);

/*
 * A forward pass over the places that play can reach, all of one stage before those nearer to the
 * end. The caller decides what is done in each:
 *
 *   for (; pass.stage >= 0; og_forward_pass_next(&pass)) {
 *       for (uint32_t i = 0; i < og_forward_pass_count(&pass); i++) {
 *           og_forward_pass_place(&pass, i, &place);
 *           ... og_forward_pass_put(&pass, &next, &entry) ...
 *       }
 *   }
 *
 * The root is entry 0 of the first stage. Payloads as in og_state_set.
 */
typedef struct {
    og_state_set **set; /* [stage_max + 1]; NULL: empty so far, or finished */
    int32_t stage_max;
    int32_t stage; /* at hand */
    uint32_t payload_bytes;
    uint64_t limit_bytes; /* of each set */
} og_forward_pass;

/* OG_STOPPED, here and below: a set would exceed the limit. A failed pass is cleared as well. A
 * root that is an end leaves an empty pass. */
og_status og_forward_pass_begin(const og_step_state *root, uint32_t payload_bytes,
                                uint64_t limit_bytes, og_forward_pass *pass);
void og_forward_pass_clear(og_forward_pass *pass); /* a zeroed one is fine */

uint32_t og_forward_pass_count(const og_forward_pass *pass);
void og_forward_pass_place(const og_forward_pass *pass, uint32_t entry, og_step_state *out);
void *og_forward_pass_payload(const og_forward_pass *pass, int32_t stage, uint32_t entry);
uint64_t og_forward_pass_bytes(const og_forward_pass *pass);

/* Adds a place, not an end, of a stage below the current one. */
og_status og_forward_pass_put(og_forward_pass *pass, const og_step_state *place, uint32_t *entry);
void og_forward_pass_next(og_forward_pass *pass);

#endif
