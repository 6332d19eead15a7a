/* Qs of labels that are followed by a policy, for those that compare them. */
#include "heuristics/whole_state/following.h"

#include <assert.h>
#include <string.h>

#include "heuristics/policy.h"

/* Halves use->memory_bytes if NAME needs the other half. */
static og_status make_ranks(const og_policy_name *policy, const og_arms *arms, og_policy_use *use,
                            og_ranks **out, og_message *message)
{
    og_policy_name followed;
    const char *name = strchr(policy->name, ':');
    assert(name != NULL);
    OG_TRY(og_policy_name_parse(name + 1, &followed, message));
    followed.answer_seconds = policy->answer_seconds;
    followed.tie_relative = policy->tie_relative;
    use->memory_bytes /= og_policy_name_has_solver(&followed) ? 2 : 1;
    return og_policy_name_ranks_for(&followed, arms, use, out, message);
}

og_status og_following_init(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, uint64_t users, og_following *following,
                            og_message *message)
{
    og_policy_use own = *use;
    *following = (og_following){.arms = arms};
    if (policy != NULL) {
        OG_TRY(make_ranks(policy, arms, &own, &following->ranks, message));
    }
    og_settings_default(&following->settings);
    following->settings.threads = 1; /* the calling thread */
    following->settings.memory_bytes = own.memory_bytes / users;
    following->settings = og_stop_settings(&following->settings, use->stop);
    return policy == NULL ? og_solver_new(arms, &following->settings, &following->solver, message)
                          : og_solver_new_policy(arms, following->ranks, OG_TIES_RANDOM,
                                                 &following->settings, &following->solver, message);
}

void og_following_clear(og_following *following)
{
    og_query_cache_free(following->kept);
    og_solver_free(following->solver);
    og_ranks_free(following->ranks);
}

og_status og_following_q(og_following *following, const og_state *state, double *q, double *error,
                         og_message *message)
{
    if (following->ranks != NULL && !following->asked) {
        OG_TRY(og_query_cache_new_policy(following->arms, following->ranks, &following->settings,
                                         following->solver, &following->kept, message));
        following->asked = true;
    }
    return og_query_cache_q_at(following->kept, following->solver, state, q, error, message);
}

og_status og_refuse_prices(const og_policy_name *policy, const og_arms *arms, og_message *message)
{
    bool priced = og_arms_have_actions(arms);
    for (int32_t a = 0; a < arms->arm_count; a++) {
        priced = priced || og_arm_is_standard(arms->arm[a]);
    }
    return priced ? og_message_set(message, OG_BAD_INPUT,
                                   "policy '%.100s' does not support prices of labels; omit it",
                                   policy->name)
                  : OG_OK;
}

og_status og_following_explain(const og_policy_name *policy, og_status status,
                               const og_message *why, og_message *message)
{
    return og_message_set(message, status, "policy '%.100s': %s", policy->name,
                          og_message_words(why, status));
}
