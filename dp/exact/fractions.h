#ifndef OG_DP_EXACT_FRACTIONS_H
#define OG_DP_EXACT_FRACTIONS_H

#include <gmp.h>

#include "dp/base/status.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"

/*
 * Values of the root of any model with exact numbers (model->exact), in fractions: the counterpart
 * of og_solution_by_engine. Both take over the model, also if they fail. OG_STOPPED with a message
 * if the tables exceed the memory limit or the watch stops the work; OG_NO_MEMORY. One thread,
 * except for doubles that rule out acts.
 */

/* The value for the question for which the model was made: the optimum, or a policy without a
 * belief. As og_solution.value; out->value and out->gain are the caller's. */
og_status og_fractions_value(og_model *model, const og_question *question,
                             const og_settings *settings, og_value_found *out, og_message *message);

/* As og_solution.q_exact, of a model made for the optimum; q[count] is written on OG_OK only. */
og_status og_fractions_q(og_model *model, const og_settings *settings, const og_act_open *open,
                         int32_t count, mpq_t *q, og_message *message);

/* As og_solution.q, by q_exact: each rounded to the nearest double. */
og_status og_fractions_q_near(const og_solution *of, const og_act_open *open, int32_t count,
                              double *q, double *error, og_message *message);

#endif
