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
 * A problem that can be solved: its value, Q of acts, a policy's picks. Values are kept between
 * questions.
 */
struct og_strategy; /* dp/engine/strategy.h */

typedef struct {                  /* the value that is asked for */
    const struct og_strategy *by; /* made for this problem; borrowed; NULL: the optimum */
    og_ties ties;                 /* of `by`; best and worst follow its own final calls */
    unsigned reductions;          /* OG_REDUCE_* */
    bool fractions;
    bool labels;   /* also the number of labels that are used, if the family counts them */
    og_stop *stop; /* called while a model's tables are built (OG_STOPPED); borrowed until then; may
                    * be NULL */
} og_value_asked;

/*
 * Labels used on average. Plays of the same value, if labels have a price, buy at least `least` and
 * at most `most`, each within `error`, proved. For a policy both are equal.
 */
typedef struct {
    bool known;
    bool exact; /* og_value_found.labels_exact was filled */
    double least, most, error;
} og_labels_paid;

typedef struct {
    og_result result; /* filled as by og_solver_value */
    /* For policies that make the final calls by their own belief: the value if the exact posterior
     * makes them instead, after the same labels; NAN if there is no difference. */
    double called_value;
    og_labels_paid labels;   /* if requested */
    uint64_t tolerance_ties; /* decisions that depend on a tolerance; a state that is expanded twice
                              * counts twice */
    double *law; /* [budget + 1], the caller's: probabilities of so many labels of a policy; NULL:
                  * not wanted */
    bool law_known;
    mpq_ptr labels_exact; /* owned by the caller, to be filled with those of a policy if fractions
                           * are requested; NULL: not wanted */
    mpq_ptr value,
        gain; /* owned by the caller, to be filled if fractions are requested; else NULL */
} og_value_found;

/* Acts of a state, and room for their Q and its proved error. */
typedef struct {
    const og_act_open *open; /* [count] */
    int32_t count;
    double *q, *error; /* [count] */
} og_act_values;

typedef struct {
    void *self;

    /* OG_STOPPED with a message if a limit was reached: then only sizes and seconds are set. */
    og_status (*value)(void *self, og_value_found *out, og_message *message);

    /*
     * For the optimum in doubles: q[count] of these acts at the root, the gain still to come if the
     * act is done first and play is optimal after that, counted from the value without a label;
     * error[count] is proved. OG_BAD_INPUT with a message if no act is possible.
     */
    og_status (*q)(void *self, const og_act_open *open, int32_t count, double *q, double *error,
                   og_message *message);

    /* The same in a state given by its labels; the memory is kept. NULL: not supported. */
    og_status (*q_at)(void *self, const og_counts *at, const og_act_values *out,
                      og_message *message);

    /* The same as fractions, in an array [count] of the caller, for questions in fractions. NULL:
     * not supported. */
    og_status (*q_exact)(void *self, const og_act_open *open, int32_t count, mpq_t *q,
                         og_message *message);

    /* For a policy, in doubles: the acts that it could take at the root, including all ties. Room
     * for pick[count + 1]: the last becomes true if the policy may stop and no act means that; else
     * it is not written. */
    og_status (*picks)(void *self, const og_act_open *open, int32_t count, bool *pick,
                       double *index, og_message *message);

    void (*free)(void *self);
} og_solution;

void og_solution_free(og_solution *solution); /* a zeroed one is fine */

/*
 * Solves any model made for this question with the engine; takes the model over, also if it fails.
 * If the model does not apply the question's strategy itself, dp/engine/belief.h does. Checkpoints
 * are not supported. OG_NO_MEMORY; OG_STOPPED with a message if states with a belief are too large
 * for keys.
 */
og_status og_solution_by_engine(og_model *model, const og_value_asked *question,
                                const og_settings *settings, og_solution *out, og_message *message);

#endif
