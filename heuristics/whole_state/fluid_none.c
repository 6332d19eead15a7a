/* Refuses the policies that solve the fluid problem in a build without GLPK. */
#include "heuristics/asking.h"

static og_status refuse(const og_policy_name *policy, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%s' needs GLPK, which this build was made without",
                          policy->name);
}

og_status og_make_dual(const og_policy_name *policy, const og_arms *arms, const og_policy_use *use,
                       og_ranks **out, og_message *message)
{
    (void)arms;
    (void)use;
    (void)out;
    return refuse(policy, message);
}

og_status og_make_midway(const og_policy_name *policy, const og_arms *arms,
                         const og_policy_use *use, og_ranks **out, og_message *message)
{
    (void)arms;
    (void)use;
    (void)out;
    return refuse(policy, message);
}

og_status og_make_lp_update(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, og_ranks **out, og_message *message)
{
    (void)arms;
    (void)use;
    (void)out;
    return refuse(policy, message);
}
