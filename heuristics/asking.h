#ifndef OG_HEURISTICS_ASKING_H
#define OG_HEURISTICS_ASKING_H

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/policy.h"
#include "heuristics/policy.h"

/*
 * Policies that look at the whole state (private to heuristics/). A row of the registry names a
 * function that makes ranks with a chooser (dp/product/chooser.h). `policy` comes from
 * og_policy_name_parse; the ranks copy the parts that they need later. Borrows `arms`.
 */
typedef og_status og_make_ranks(const og_policy_name *policy, const og_arms *arms,
                                const og_policy_use *use, og_ranks **out, og_message *message);

/* One function for each such row of the registry. */
og_make_ranks og_make_dual, og_make_lookahead, og_make_lp_update, og_make_midway, og_make_nlu,
    og_make_rollout, og_make_stopping, og_make_top_two;

#endif
