#ifndef OG_HEURISTICS_WHOLE_STATE_FOLLOWING_H
#define OG_HEURISTICS_WHOLE_STATE_FOLLOWING_H

#include <stdbool.h>

#include "dp/engine/settings.h"
#include "dp/product/optimum/query_cache.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"

/*
 * The Q of labels after which a policy with random ties, or the optimal policy, follows (private to
 * heuristics/). A solver computes Q and lives as long as this, so that later states reuse the
 * stored values.
 */
typedef struct {
    const og_arms *arms;
    og_ranks *ranks;      /* the policy that follows; NULL: the optimal policy */
    og_settings settings; /* of the solver */
    og_solver *solver;
    og_query_cache *kept; /* layers of the policy; NULL: none, or not used yet */
    bool asked;
} og_following;

/* Follows NAME of a policy such as rollout:NAME; NULL: the optimal policy. A solver inside NAME has
 * half of the memory. `users`: the solver has this part of the rest, for a caller with as large
 * tables of its own. The caller clears *following, also after a failure. */
og_status og_following_init(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, uint64_t users, og_following *following,
                            og_message *message);
void og_following_clear(og_following *following);

/* q[state->count] and the proved error[state->count] of each. */
og_status og_following_q(og_following *following, const og_state *state, double *q, double *error,
                         og_message *message);

/* OG_BAD_INPUT with a message if labels have prices, or nodes several actions. */
og_status og_refuse_prices(const og_policy_name *policy, const og_arms *arms, og_message *message);

/* Sets the message of a policy that could not be made: `why`, or the status if that is empty. */
og_status og_following_explain(const og_policy_name *policy, og_status status,
                               const og_message *why, og_message *message);

#endif
