#ifndef OG_DP_PRODUCT_ENVELOPE_H
#define OG_DP_PRODUCT_ENVELOPE_H

#include "dp/base/stop.h"
#include "dp/product/state_view.h"

/*
 * Ties best and worst of dp/product/characteristics.h (private to dp/product/): the value of each
 * state if the rule labels, of the tied instances, the one with the largest (smallest) mean under
 * the actual distribution of the labels, now and at every later label.
 */
typedef struct og_envelope og_envelope;

/*
 * Evaluates all states that any tie rule can reach. It uses the question's states_max; `bytes` and
 * `stop` are its other limits. Borrows all. OG_STOPPED, OG_NO_MEMORY, or an error of a policy or a
 * verdict, perhaps with a message.
 */
og_status og_envelope_new(const og_characteristics_question *question, og_truth_law_arms *actual,
                          uint64_t bytes, og_stop *stop, og_envelope **out, og_message *message);
void og_envelope_free(og_envelope *envelope); /* NULL is fine */

/* Call after the policy was shown the current state of the pass: only the best (worst) of its ties
 * keep a share. Ties among those, in doubles within the errors, are broken at random. */
void og_envelope_settle(og_envelope *envelope, const og_forward *pass, og_shown *shown);

/* The value of the root and its proved relative error; `exact` gives the fraction, for an exact
 * question. */
double og_envelope_value(const og_envelope *envelope, double *error);
mpq_srcptr og_envelope_value_exact(const og_envelope *envelope);

uint64_t og_envelope_states(const og_envelope *envelope);

#endif
