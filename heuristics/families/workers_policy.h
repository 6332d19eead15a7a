#ifndef OG_HEURISTICS_FAMILIES_WORKERS_POLICY_H
#define OG_HEURISTICS_FAMILIES_WORKERS_POLICY_H

#include "dp/families/workers.h"
#include "heuristics/families/workers_moments.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies for workers of unknown reliability.
 *
 * Every rule of one label (heuristics/rule.h), as in [Chen, Lin and Zhou 2015, section 5], with
 * moment matching (heuristics/families/workers_moments.h): the gains R1, R2 of the instance's h
 * follow from its Betas, and the final call of instance i is positive if a_i >= b_i (their
 * Algorithm 2). They depend on the order of labels. uniform makes its calls in the same way.
 *
 * kg-exact, opt-kg-exact and the like use the exact posterior's h of the labelled instance instead,
 * before and after the label, and make the calls with the exact posterior.
 */
/* OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY. Borrows the posterior; `problem`
 * and `workers` as for og_workers_posterior_init. For any number of threads. */
og_status og_workers_strategy(const og_policy_name *named, const og_workers_posterior *posterior,
                              const og_groups *problem, const og_groups *workers,
                              struct og_strategy *out, og_message *message);

/* Indices within this tie; they are at most 1, computed in doubles without a proved error. */
#define OG_WORKERS_TIE 1e-10

#endif
