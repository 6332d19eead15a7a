#ifndef OG_DP_EXACT_EXACT_H
#define OG_DP_EXACT_EXACT_H

#include <gmp.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/arm/exact_names.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/solution.h"
#include "dp/product/policy.h"
#include "dp/product/solve.h"

/*
 * The optimum, Q-values and policies' values as fractions: the recursion of dp/product/solve.h with
 * rational rewards, probabilities and values. Only rational arms (arm->rational) are supported;
 * others are refused with OG_BAD_INPUT and a message (og_exact_check tests this beforehand).
 * dp/product/solve.h bounds the error of its doubles for any arms.
 *
 * Fractions decide classes, forced labels and the choice of the largest. Doubles decide only if
 * their proved errors cannot matter: with OG_REDUCE_BOUND they show which actions cannot be
 * optimal; without it every action is evaluated in fractions.
 *
 * Settings: one thread, except for the doubles. memory_bytes is a hard limit on all tables; half of
 * the memory that the arms leave goes to the doubles. Fractions are never forgotten: when they do
 * not fit, OG_STOPPED with a message. Checkpoints are not supported: naming one is OG_BAD_INPUT.
 * GMP ends the process when memory is out, which the limit is there to prevent; in addition to the
 * tables it holds a few numbers for every label.
 *
 * The caller initialises every mpq_t below; it may be NULL, and is written on OG_OK only. In
 * *result, value and gain are the fractions rounded to the nearest double, error_bound is their
 * rounding error, and `states` counts the states with a fraction. It is also written on OG_STOPPED,
 * sizes and seconds only.
 */
typedef struct og_exact og_exact;

/* Borrows `arms`, which must outlive it. Threads must not share it. */
og_status og_exact_new(const og_arms *arms, const og_settings *settings, og_exact **out,
                       og_message *message);

/* As og_solver_new_policy: the values are those of a policy under a tie rule. Borrows `ranks`
 * too. */
og_status og_exact_new_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                              const og_settings *settings, og_exact **out, og_message *message);

/* Value and gain at the root. Finished values are kept for later calls, also after a stop. */
og_status og_exact_value(og_exact *exact, mpq_t value, mpq_t gain, og_result *result,
                         og_message *message);

/* As og_solver_q: q[group_count]; budget >= 1. */
og_status og_exact_q(og_exact *exact, mpq_t *q, og_message *message);

/* As og_solver_q_at, with its table of 4 bytes for every posterior and number of labels left:
 * q[state->count]. */
og_status og_exact_q_at(og_exact *exact, const og_state *state, mpq_t *q, og_message *message);

/* As og_solver_q_of_action. */
og_status og_exact_q_of_action(og_exact *exact, const og_state *state, int32_t group,
                               uint32_t action, mpq_t q, og_message *message);

void og_exact_free(og_exact *exact); /* NULL is fine */

/*
 * As og_policy_value, for these ranks. Only their maker can tell whether equal ranks are exactly
 * equal indices (og_ranks' tolerance_ties).
 */
og_status og_exact_policy_value(const og_ranks_play *play, const og_settings *settings, mpq_t value,
                                mpq_t gain, og_result *result, og_message *message);

/* As og_policy_value_of: out->gain without calls, out->value with them, and the result. */
og_status og_exact_policy_value_of(const og_ranks_play *play, const og_play_worth *worth,
                                   const og_settings *settings, og_value_found *out,
                                   og_message *message);

#endif
