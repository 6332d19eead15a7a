#ifndef OG_DP_PRODUCT_ENVELOPE_H
#define OG_DP_PRODUCT_ENVELOPE_H

#include "dp/base/stop.h"
#include "dp/product/shown.h"

/*
 * Ties best and worst of dp/product/characteristics.h (private to dp/product/): what each state is
 * worth where of those that tie the one is labelled whose mean is the largest, or the least, by the
 * actual law of the labels, the same being done ever after.
 */
typedef struct og_envelope og_envelope;

/*
 * Value all states that any tie rule can lead to. Of the question's settings it looks at
 * states_max; `bytes` and `stop` are its limits. Borrows all. OG_STOPPED, OG_NO_MEMORY, or what a
 * policy or a verdict fails with, perhaps with a message.
 */
og_status og_envelope_new(const og_characteristics_question *question, og_actual_arms *actual,
                          uint64_t bytes, og_stop *stop, og_envelope **out, og_message *message);
void og_envelope_free(og_envelope *envelope); /* NULL is fine */

/* The policy was shown the state that the pass has at hand: of those that tie, the best, or worst,
 * keep a share. Ties among them, in doubles within the errors, are at random. */
void og_envelope_settle(og_envelope *envelope, const og_forward *pass, og_shown *shown);

/* What the root is worth, and its proved relative error; exactly where the question says so. */
double og_envelope_value(const og_envelope *envelope, double *error);
mpq_srcptr og_envelope_value_exact(const og_envelope *envelope);

uint64_t og_envelope_states(const og_envelope *envelope);

#endif
