#ifndef OG_BENCH_SIMULATION_PRICED_H
#define OG_BENCH_SIMULATION_PRICED_H

#include "bench/simulation/sources.h"
#include "dp/product/policy.h"

/* Labels that have a price: the instances' arms, and the standard arm as the last
 * (dp/arm/arm.h). */

/*
 * The ranks of a policy whose index is an expected gain, which is compared with the price: if no
 * index is above it, the policy stops; uniform never does. On arms without a standard arm the ranks
 * are the policy's own. OG_BAD_INPUT with a message for others, and as og_policy_name_ranks_for.
 */
og_status og_priced_ranks(const og_policy_name *name, const og_arms *arms, const og_policy_use *use,
                          og_ranks **out, og_message *message);

/* Like og_source_independent, with the prices paid subtracted from both metrics; `price` is the
 * largest price, that of instances without a bonus. Borrows all. */
og_source og_source_priced(const og_groups *problem, const og_truth *truth,
                           const og_fraction *price);

#endif
