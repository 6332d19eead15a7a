#ifndef OG_DP_EXACT_FRACTIONS_H
#define OG_DP_EXACT_FRACTIONS_H

#include <gmp.h>

#include "dp/base/status.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/engine/steps.h"

/*
 * Values of the root of any model with exact numbers (model->exact), in fractions: the counterpart
 * of og_solution_by_engine. Both take over the model, also if they fail. OG_STOPPED with a message
 * if the tables exceed the memory limit or the watch stops the work; OG_NO_MEMORY. One thread,
 * except for doubles that rule out acts.
 */

/* The value for the question for which the model was made: the optimum, or a policy without a
 * belief. As og_solution.value; out->value and out->gain are the caller's. */
og_status og_fractions_value(og_model *model, const og_value_asked *question,
                             const og_settings *settings, og_value_found *out, og_message *message);

/* As og_solution.q_exact, of a model made for the optimum; q[count] is written on OG_OK only. */
og_status og_fractions_q(og_model *model, const og_settings *settings, const og_act_open *open,
                         int32_t count, mpq_t *q, og_message *message);

/* Values of any state of such a model, for og_steps_by_engine. */
og_exact_values_new og_fractions_of_states;

/* Makes the model of a problem for a question. */
typedef og_status og_model_open(const void *problem, const og_value_asked *question,
                                const og_settings *settings, og_model *out, og_message *message);

/*
 * Solves a question with the models that `open` makes: one now for the engine, or if the question
 * asks for fractions one for each value, with value and q_exact only. Borrows the problem. Errors
 * of `open` and of og_solution_by_engine.
 */
og_status og_solution_by_model(const void *problem, og_model_open *open,
                               const og_value_asked *question, const og_settings *settings,
                               og_solution *out, og_message *message);

#endif
