#ifndef OG_HEURISTICS_WHOLE_STATE_PLUGIN_H
#define OG_HEURISTICS_WHOLE_STATE_PLUGIN_H

#include "dp/product/chooser.h"
#include "heuristics/policy.h"
#include "heuristics/user_policy.h"

/*
 * plugin:FILE, a policy in a shared object; its interface is in optgap.h. FILE must contain a
 * slash, so that the system's search path is not used. The object stays open as long as the ranks.
 * OG_BAD_INPUT with a message if FILE has no slash, no entry point or a later version; OG_FAILED if
 * it cannot be opened or its `create` fails; OG_NO_MEMORY. If the policy is a caller's function,
 * that function is used and borrowed; OG_BAD_INPUT if it is not for independent instances.
 */
og_status og_plugin_ranks(const og_policy_name *policy, const og_arms *arms,
                          const og_policy_use *use, og_ranks **out, og_message *message);

#endif
