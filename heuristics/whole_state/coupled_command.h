#ifndef OG_HEURISTICS_WHOLE_STATE_COUPLED_COMMAND_H
#define OG_HEURISTICS_WHOLE_STATE_COUPLED_COMMAND_H

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/engine/act.h"
#include "optgap.h"

/*
 * Asks a program for its choice in a state of a problem that is no product of arms (private to
 * heuristics/). One thread at a time. Borrows the stop. OG_BAD_INPUT with a message: not supported
 * by this build.
 */
typedef struct og_coupled_asker og_coupled_asker;
og_status og_coupled_asker_new(const char *command, double answer_seconds, og_stop *stop,
                               og_coupled_asker **out, og_message *message);
void og_coupled_asker_free(og_coupled_asker *asker); /* NULL is fine */

/* Among the acts of a process's state; the lines are those of heuristics/process_policy.h. */
og_status og_process_ask(og_coupled_asker *asker, const char *state, int32_t count,
                         const char *const *act, double *answer, og_answer *kind,
                         og_message *message);

/*
 * Among the choices of a situation. The line has its members, "instance", "worker" and "counts" of
 * the choices, "positive" and "negative" for each instance and worker, "left", "budget" and
 * "price"; the answer is as that of independent instances (command.h), for each choice.
 * answer[choice_count + 1]: the last of stopping.
 */
og_status og_situation_ask(og_coupled_asker *asker, const og_situation *now, double *answer,
                           og_answer *kind, og_message *message);

#endif
