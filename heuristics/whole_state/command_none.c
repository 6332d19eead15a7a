/* Refuses the policy command:CMD in a build without Jansson, which would parse its answers. */
#include "heuristics/whole_state/command.h"

og_status og_command_ranks(const og_command_use *use, const og_arms *arms, og_ranks **out,
                           og_message *message)
{
    (void)arms;
    (void)out;
    return og_message_set(message, OG_BAD_INPUT,
                          "policy 'command:%.60s' needs Jansson, which this build was made without",
                          use->command);
}
