#ifndef OG_HEURISTICS_FAMILIES_SOURCES_POLICY_H
#define OG_HEURISTICS_FAMILIES_SOURCES_POLICY_H

#include "dp/families/sources.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies that buy labels from sources: every rule of one label (heuristics/rule.h), its index
 * divided by the label's price, and
 *
 *   naive      any affordable label of all instances and sources, with equal probability; no tie
 *              rule applies
 *   cheapest   the largest expected gain among the affordable labels with the lowest price
 *   dearest    the same with the highest price
 *
 * Indices are compared as fractions, so only equal ones tie. If no single label gains anything, all
 * labels with the policy's prices tie; no policy looks two labels ahead.
 */

/* The ranking of labels by one of these policies. OG_BAD_INPUT with a message for any other name.
 */
typedef struct {
    og_rule_use use;
    bool any;       /* chooses any label */
    int32_t prices; /* -1: only the lowest, 1: only the highest, 0: all */
} og_sources_rule;
og_status og_sources_rule_named(const og_policy_name *named, og_sources_rule *out,
                                og_message *message);

/* OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY; OG_STOPPED if the stop (NULL: none)
 * ends the making of ranks. Borrows the problem. For any number of threads. */
og_status og_sources_strategy(const og_policy_name *named, const og_sources_problem *problem,
                              og_stop *stop, struct og_strategy *out, og_message *message);

#endif
