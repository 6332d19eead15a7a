#ifndef OG_HEURISTICS_FAMILIES_SOURCES_POLICY_H
#define OG_HEURISTICS_FAMILIES_SOURCES_POLICY_H

#include "dp/families/sources.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies that buy labels from sources:
 *
 *   naive      any label that can be paid, of all instances and sources alike; no tie rule is asked
 *   kg         the largest expected gain of one label for each unit of its price
 *   cheapest   of the labels of the lowest price that can be bought, the largest expected gain
 *   dearest    of those of the highest price
 *
 * Indices are compared as fractions: what ties is equal. Where no label gains anything by itself,
 * those of the policy's prices all tie; nobody looks a second label ahead.
 */
extern const char og_sources_policies[]; /* their names, commas between */

/* How one of them ranks labels. OG_BAD_INPUT with a message for any other name. */
typedef struct {
    bool any;       /* it takes all alike */
    int32_t prices; /* -1: the lowest only, 1: the highest only, 0: all */
} og_sources_rule;
og_status og_sources_rule_named(const og_policy_name *named, og_sources_rule *out,
                                og_message *message);

/* `choose` of an og_strategy that takes any label, copies counted. */
og_status og_sources_choose_any(void *self, void *scratch, const void *state, const void *belief,
                                const og_open *open, int32_t count, double *answer, og_answer *kind,
                                og_message *message);

/* OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY. Borrows the problem. For any number
 * of threads. */
og_status og_sources_strategy(const og_policy_name *named, const og_sources_problem *problem,
                              struct og_strategy *out, og_message *message);

#endif
