#ifndef OG_HEURISTICS_FAMILIES_FEATURES_POLICY_H
#define OG_HEURISTICS_FAMILIES_FEATURES_POLICY_H

#include "dp/families/features.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies for instances with features [Chen, Lin and Zhou 2015, section 6.1]. kg and opt-kg go by
 * Laplace's approximation (heuristics/families/laplace.h), label by label, and decide by it;
 * kg-exact takes the largest expected gain of one label by the exact posterior, opt-kg-exact that
 * of the better label. uniform labels all instances alike; no tie rule is asked.
 */

/* Indices that differ by at most so many correct calls tie. */
#define OG_FEATURES_TIE 1e-9

/* OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY; as og_laplace_strategy. Borrows the
 * features. For any number of threads. */
og_status og_features_strategy(const og_policy_name *named, const og_features *features,
                               struct og_strategy *out, og_message *message);

#endif
