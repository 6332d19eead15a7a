/* Refuses the policy top-two in a build without GSL's rules of integration. */
#include "heuristics/asking.h"

og_status og_make_top_two(const og_policy_name *policy, const og_arms *arms,
                          const og_policy_use *use, og_ranks **out, og_message *message)
{
    (void)arms;
    (void)use;
    (void)out;
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.60s' is not part of this build; omit it", policy->name);
}
