#ifndef OG_HEURISTICS_FAMILIES_FEATURES_POLICY_H
#define OG_HEURISTICS_FAMILIES_FEATURES_POLICY_H

#include "dp/families/features.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies for instances with features [Chen, Lin and Zhou 2015, section 6.1]: every rule of one
 * label (heuristics/rule.h). kg, opt-kg and the like use Laplace's approximation
 * (heuristics/families/laplace.h), label by label, also for the calls; kg-exact and the like the
 * exact posterior. uniform labels all instances with equal probability; no tie rule applies.
 */

/* Indices tie if they differ by at most this, in correct calls. */
#define OG_FEATURES_TIE 1e-9

/* OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY; other errors as
 * og_laplace_strategy. Borrows the features. For any number of threads. */
og_status og_features_strategy(const og_policy_name *named, const og_features *features,
                               struct og_strategy *out, og_message *message);

#endif
