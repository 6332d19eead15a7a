#ifndef OG_HEURISTICS_FAMILIES_WORKERS_POLICY_H
#define OG_HEURISTICS_FAMILIES_WORKERS_POLICY_H

#include "dp/families/workers.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies for workers of unknown reliability.
 *
 * uniform, kg and opt-kg are those of [Chen, Lin and Zhou 2015, section 5]: after each label the
 * posterior of its instance and of its worker are replaced by Betas with the same mean and second
 * moment, as if they were independent; the gains R1, R2 of the instance's h follow from these, and
 * the final call of instance i is positive if a_i >= b_i (their Algorithm 2). They depend on the
 * order of labels.
 *
 * kg-exact and opt-kg-exact use the exact posterior's h of the labelled instance instead, before
 * and after the label, and make the calls with the exact posterior.
 */
/* OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY. Borrows the posterior; `problem`
 * and `workers` as for og_workers_posterior_init. For any number of threads. */
og_status og_workers_strategy(const og_policy_name *named, const og_workers_posterior *posterior,
                              const og_groups *problem, const og_groups *workers,
                              struct og_strategy *out, og_message *message);

/* Indices within this tie; they are at most 1, computed in doubles without a proved error. */
#define OG_WORKERS_TIE 1e-10

/* Applies one label with moment matching: replaces a, b of the instance and c, d of the worker. */
void og_workers_match(double instance[2], double worker[2], bool positive);

/* The expected gain in h, the probability that the instance's call is correct, from a label of this
 * worker; optimistic: the gain of the better of the two labels. */
double og_workers_index(const double instance[2], const double worker[2], bool optimistic);

#endif
