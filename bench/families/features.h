#ifndef OG_BENCH_FAMILIES_FEATURES_H
#define OG_BENCH_FAMILIES_FEATURES_H

#include "bench/family.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/families/features.h"

/*
 * Instances with features (dp/families/features.h) as a family. Its policies: uniform; kg and
 * opt-kg by Laplace's approximation (heuristics/families/laplace.h), with their own final calls;
 * kg-exact and opt-kg-exact, the same with the exact posterior. There are no bounds. Actions are
 * all instances.
 *
 * With more than OG_FEATURES_EXACT_MAX features there are no values: `call`, `optimum` and `policy`
 * return OG_BAD_INPUT with a message, the Q of actions is NAN, and only the picks of uniform, kg
 * and opt-kg are known. Errors as og_features_new; borrows nothing.
 */
og_status og_family_features(const og_features_problem *problem, int32_t policy_count,
                             const og_settings *settings, og_family *out, og_message *message);

#endif
