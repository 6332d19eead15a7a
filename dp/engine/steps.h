#ifndef OG_DP_ENGINE_STEPS_H
#define OG_DP_ENGINE_STEPS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/multisets.h"
#include "dp/base/status.h"
#include "dp/engine/act.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"

/*
 * A problem state by state, and what optimal play is worth in each: for whoever follows play
 * through it, in a picture, in an explanation, by hand. All states have names here: instances that
 * a value could not tell apart stay apart.
 *
 * Values are those of the state alone: the gain still to come, or, where the model counts so, all
 * that is counted in the end. Keys are the caller's, [key_words_max].
 */
typedef struct {
    int32_t stage; /* how far the end is, less in every state that follows */
    int32_t words; /* of the key; 0: an end, where nothing is decided and nothing gained any more */
    uint64_t *key;
    double probability; /* of what came about; of a root 1 */
    double value;       /* of an end; where there are fractions it is 0, or the state at hand ends
                           as it is, and is worth what is counted there */
    const void *state;  /* of an end, as the family tells it; until the next call */
} og_place;

typedef struct {
    int32_t left;          /* labels left */
    const void *state;     /* as a strategy sees it, and as the family tells it */
    const og_expansion *x; /* combine: MAX where something is decided, MEAN where chance does */
} og_stand;

typedef struct og_steps {
    void *self;
    int32_t key_words_max;
    int32_t acts_max; /* of a state */
    int32_t budget;   /* labels left at the root */
    bool gains;       /* a state whose value is 0 is not worth going on from */
    bool losses;      /* but going on may lose something */
    /* |a value, or a Q, - the exact one| is at most absolute + relative * it; proved. */
    double relative_error, absolute_error;
    double probability_error; /* relative, of the probability of an outcome; 0: those computed are
                                 taken for the exact ones, and then */
    double root_errors; /* errors of the root's value that a difference of two is off beside */

    void (*root)(void *self, og_place *out);
    /* The state of this place, no end, is at hand until the next is taken. */
    og_status (*take)(void *self, const og_place *place, og_stand *out, og_message *message);
    og_act (*act)(void *self, const og_action *action);
    /* Of an action in the state at hand, and where there are fractions that too: what `counted`
     * does not tell. */
    double (*reward)(void *self, const og_action *action, mpq_ptr exact);
    int32_t (*answer)(void *self, const og_outcome *outcome, og_act *act); /* as og_model.answer */
    void (*next)(void *self, const og_outcome *outcome, og_place *out);

    /* Of the state at hand. Q of all actions, [action_count], as `value` counts, with proved
     * errors; or of one. left >= 1. OG_STOPPED with a message where a limit was reached. */
    og_status (*value)(void *self, double *value, og_message *message);
    og_status (*q)(void *self, double *q, double *error, og_message *message);
    og_status (*q_of)(void *self, int32_t action, double *q, og_message *message);

    /* What is counted already in the state at hand, to which gains are added, and it all as
     * fractions. NULL: nothing is, there are none. */
    void (*counted)(void *self, double *value, mpq_ptr exact);
    og_status (*q_exact)(void *self, mpq_t *q, og_message *message);
    void (*probability_exact)(void *self, const og_outcome *outcome, mpq_ptr exact);

    void (*free)(void *self);
} og_steps;

void og_steps_free(og_steps *steps); /* a zeroed one is fine */

/*
 * On any model of the optimum that has stages; takes the model over, also when it fails. Values are
 * those of question->by under its ties, which has no belief of its own (borrowed; what it fails
 * with comes from value and q), or optimal ones. memory_bytes is for values. OG_NO_MEMORY, or as
 * og_valuation_init.
 */
og_status og_steps_by_engine(og_model *model, const og_question *question,
                             const og_settings *settings, og_steps *out, og_message *message);

/*
 * A forward pass: the places that play can come to, all of one stage before those that are nearer
 * to the end. Whoever makes the pass says what is done in each:
 *
 *   for (; pass.stage >= 0; og_pass_next(&pass)) {
 *       for (uint32_t i = 0; i < og_pass_count(&pass); i++) {
 *           og_pass_place(&pass, i, &place);
 *           ... og_pass_put(&pass, &next, &entry) ...
 *       }
 *   }
 *
 * The root is entry 0 of the first stage. Payloads as in og_multisets.
 */
typedef struct {
    og_multisets **set; /* [stage_max + 1]; NULL: empty so far, or done */
    int32_t stage_max;
    int32_t stage; /* at hand */
    uint32_t payload_bytes;
    uint64_t limit_bytes; /* of each set */
} og_pass;

/* OG_STOPPED, here and below: a set would pass the limit. After a failure it is cleared as well. A
 * root that is an end leaves an empty pass. */
og_status og_pass_begin(const og_place *root, uint32_t payload_bytes, uint64_t limit_bytes,
                        og_pass *pass);
void og_pass_clear(og_pass *pass); /* a zeroed one is fine */

uint32_t og_pass_count(const og_pass *pass);
void og_pass_place(const og_pass *pass, uint32_t entry, og_place *out);
void *og_pass_payload(const og_pass *pass, int32_t stage, uint32_t entry);
uint64_t og_pass_bytes(const og_pass *pass);

/* A place of a stage below the one at hand, no end. */
og_status og_pass_put(og_pass *pass, const og_place *place, uint32_t *entry);
void og_pass_next(og_pass *pass);

#endif
