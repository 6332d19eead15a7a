#ifndef OG_DP_FAMILIES_FRACTIONS_H
#define OG_DP_FAMILIES_FRACTIONS_H

#include <gmp.h>

#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"

/*
 * The recursion of the engine in fractions (private to dp/families/), for a model with exact
 * numbers; each state that is met is stored. For a strategy without a belief, or the optimum. One
 * thread.
 */
typedef struct {
    const og_model *model; /* borrowed */
    const void *context;   /* the first argument of the functions below */
    /* For an action, and for an outcome, of the expansion just filled. reward NULL: 0. */
    void (*reward)(const void *context, const og_expansion *x, const og_action *action, mpq_t out);
    void (*probability)(const void *context, const og_expansion *x, const og_outcome *outcome,
                        mpq_t out);
    /* For the terminal successor just made, or the root if outcome is NULL. >= 0; NULL: 0. */
    og_status (*end)(const void *context, const og_expansion *x, const og_outcome *outcome,
                     mpq_t out);
} og_exact_model;

/*
 * The root's value, in the model's units; the caller owns the fraction, which is written on OG_OK
 * only. *sizes are its states and seconds, also if a limit is reached: OG_STOPPED with a message if
 * the fractions exceed the memory limit, or the watch stops the work. OG_NO_MEMORY.
 */
og_status og_exact_model_value(const og_exact_model *of, const og_question *question,
                               const og_settings *settings, mpq_t value, og_result *sizes,
                               og_message *message);

/* The values of these acts at the root, in the same units: found[count], owned by the caller,
 * unspecified on failure. */
og_status og_exact_model_acts(const og_exact_model *of, const og_question *question,
                              const og_settings *settings, const og_open *open, int32_t count,
                              mpq_t *found, og_message *message);

/* Sets the other fields of an og_found whose `value` and `gain` are set: the nearest doubles, and
 * no dependence on a tolerance or a belief. */
void og_exact_model_round(og_found *found);

#endif
