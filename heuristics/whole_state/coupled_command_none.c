/* Refuses the policy command:CMD of coupled instances and processes in a build without Jansson. */
#include "heuristics/whole_state/coupled_command.h"

og_status og_coupled_asker_new(const char *command, double answer_seconds, og_stop *stop,
                               og_coupled_asker **out, og_message *message)
{
    (void)command, (void)answer_seconds, (void)stop, (void)out;
    return og_message_set(message, OG_BAD_INPUT, "this build supports no policy 'command:CMD'");
}

og_status og_process_ask(og_coupled_asker *asker, const char *state, int32_t count,
                         const char *const *act, double *answer, og_answer *kind,
                         og_message *message)
{
    (void)asker, (void)state, (void)count, (void)act, (void)answer, (void)kind, (void)message;
    return OG_BAD_INPUT; /* none was made */
}

og_status og_situation_ask(og_coupled_asker *asker, const og_situation *now, double *answer,
                           og_answer *kind, og_message *message)
{
    (void)asker, (void)now, (void)answer, (void)kind, (void)message;
    return OG_BAD_INPUT; /* likewise */
}

void og_coupled_asker_free(og_coupled_asker *asker)
{
    (void)asker;
}
