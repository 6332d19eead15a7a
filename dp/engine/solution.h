#ifndef OG_DP_ENGINE_SOLUTION_H
#define OG_DP_ENGINE_SOLUTION_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/base/ties.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"

/*
 * Values that are kept, and what they are asked for: the root, Q of its acts, a policy's picks.
 */
struct og_strategy; /* dp/engine/strategy.h */

typedef struct {                  /* what is to be valued */
    const struct og_strategy *by; /* made for this problem; borrowed; NULL: the optimum */
    og_ties ties;                 /* of `by`; best and worst go by its own decisions */
    unsigned reductions;          /* OG_REDUCE_* */
    bool fractions;
    bool labels;   /* also how many are bought, where they have a price */
    og_stop *stop; /* asked while a model's tables are made (OG_STOPPED); borrowed till then; NULL:
                      nobody */
} og_question;

/*
 * Labels that are bought on average where each has a price: by all plays that are worth as much,
 * at least `least` and at most `most`, each within `error`, proved. Of a policy both are the same.
 */
typedef struct {
    bool known;
    double least, most, error;
} og_labels_bought;

typedef struct {
    og_result result; /* as og_solver_value fills it */
    /* Policies that decide by a belief of their own: the value if the exact posterior decides in
     * the end instead, after the same labels; NAN where there is no such difference. */
    double called_value;
    og_labels_bought labels; /* if they were asked for */
    uint64_t tolerance_ties; /* decisions that hang on a tolerance; a state that is expanded twice
                                counts twice */
    mpq_ptr value,
        gain; /* in: the caller's, to be filled where fractions are asked for; else NULL */
} og_found;

typedef struct {
    void *self;

    /* OG_STOPPED with a message where a limit was reached: then sizes and seconds only. */
    og_status (*value)(void *self, og_found *out, og_message *message);

    /*
     * For the optimum: q[count] of these acts at the root, the gain still to come, counted from the
     * value without a label, if this is done first and play is optimal after that; error[count]
     * proved. OG_BAD_INPUT with a message where nothing can be done.
     */
    og_status (*q)(void *self, const og_open *open, int32_t count, double *q, double *error,
                   og_message *message);

    /* The same in a state that is told by its labels, the memory being kept. NULL: not known. */
    og_status (*q_at)(void *self, const og_counts *at, const og_open *open, int32_t count,
                      double *q, double *error, og_message *message);

    /* The same as fractions, [count] of the caller's. NULL: there are none. */
    og_status (*q_exact)(void *self, const og_open *open, int32_t count, mpq_t *q,
                         og_message *message);

    /* For a policy: which of these acts it could take at the root, all that tie. */
    og_status (*picks)(void *self, const og_open *open, int32_t count, bool *pick,
                       og_message *message);

    void (*free)(void *self);
} og_solution;

void og_solution_free(og_solution *solution); /* a zeroed one is fine */

/*
 * By the engine on any model that was made for this question; takes the model over, also when it
 * fails. A strategy of the question that the model does not apply itself is followed by
 * dp/engine/belief.h. There are no checkpoints. OG_NO_MEMORY; OG_STOPPED with a message if states
 * with a belief cannot be remembered.
 */
og_status og_solution_by_engine(og_model *model, const og_question *question,
                                const og_settings *settings, og_solution *out, og_message *message);

#endif
