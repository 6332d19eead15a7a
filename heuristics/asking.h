#ifndef OG_HEURISTICS_ASKING_H
#define OG_HEURISTICS_ASKING_H

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/policy.h"
#include "heuristics/policy.h"

/*
 * Policies that look at the whole state (private to heuristics/): a row of the registry names a
 * function that makes ranks with a chooser (dp/product/chooser.h). `policy` is what
 * og_policy_name_parse read; what it is needed for later is copied. Borrows `arms`.
 */
typedef og_status og_make_ranks(const og_policy_name *policy, const og_arms *arms,
                                const og_policy_use *use, og_ranks **out, og_message *message);

/* One for each such row of the registry. */
og_make_ranks og_make_lookahead, og_make_nlu, og_make_rollout;

#endif
