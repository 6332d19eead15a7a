#ifndef OG_HEURISTICS_FAMILIES_SOURCES_UNKNOWN_POLICY_H
#define OG_HEURISTICS_FAMILIES_SOURCES_UNKNOWN_POLICY_H

#include "dp/families/sources_unknown.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * The policies of heuristics/families/sources_policy.h for unknown accuracies: the gain of a label
 * is the gain in all instances' calls, under the exact posterior of true labels and accuracies.
 * Gains within their errors of the largest are compared in fractions, so only equal ones tie.
 *
 * OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY. Borrows the problem. For any number
 * of threads; a choice takes one or two sums over the possible true labels for each different
 * answer.
 */
og_status og_crowd_strategy(const og_policy_name *named, const og_crowd_problem *problem,
                            struct og_strategy *out, og_message *message);

#endif
