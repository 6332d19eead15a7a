#ifndef OG_HEURISTICS_WHOLE_STATE_PROCESS_COMMAND_H
#define OG_HEURISTICS_WHOLE_STATE_PROCESS_COMMAND_H

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/engine/act.h"

/*
 * Asks a program for its choice among the acts of a process's state (private to heuristics/); the
 * lines are those of heuristics/process_policy.h. One thread at a time. Borrows the stop.
 * OG_BAD_INPUT with a message: not supported by this build.
 */
typedef struct og_process_asker og_process_asker;
og_status og_process_asker_new(const char *command, double answer_seconds, og_stop *stop,
                               og_process_asker **out, og_message *message);
og_status og_process_ask(og_process_asker *asker, const char *state, int32_t count,
                         const char *const *act, double *answer, og_answer *kind,
                         og_message *message);
void og_process_asker_free(og_process_asker *asker); /* NULL is fine */

#endif
