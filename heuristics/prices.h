#ifndef OG_HEURISTICS_PRICES_H
#define OG_HEURISTICS_PRICES_H

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/policy.h"
#include "heuristics/policy.h"

/* Policies of labels that have a price: the instances' arms, and the standard arm as the last
 * (dp/arm/arm.h). */

/*
 * The ranks of a policy whose index is an expected gain, which is compared with the price: if no
 * index is above it, the policy stops; uniform never does. On arms without a standard arm the ranks
 * are the policy's own. OG_BAD_INPUT with a message for others, also those that ignore the price
 * (og_policy_name_ignores_price), and as og_policy_name_ranks_for.
 */
og_status og_priced_ranks(const og_policy_name *name, const og_arms *arms, const og_policy_use *use,
                          og_ranks **out, og_message *message);

/* OG_BAD_INPUT with a message for a policy that neither ignores the price nor has an index that can
 * be compared with it. */
og_status og_priced_check(const og_policy_name *policy, og_message *message);

/*
 * The ranks of any policy for the arms without the standard one: of use->with_standard, which must
 * be set, og_arms_without_standard, which the ranks borrow. A policy that is compared with the
 * price has rank 0 where it stops.
 */
og_status og_priced_ranks_alone(const og_policy_name *name, const og_arms *arms,
                                const og_policy_use *use, og_ranks **out, og_message *message);

#endif
