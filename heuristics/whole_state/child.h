#ifndef OG_HEURISTICS_WHOLE_STATE_CHILD_H
#define OG_HEURISTICS_WHOLE_STATE_CHILD_H

#include <stddef.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * A child process that is asked a line and answers a line (private to heuristics/): `sh -c COMMAND`
 * with its standard input and output as pipes, the standard error of this process, no other
 * descriptor of it, and a process group of its own. One thread at a time.
 */
typedef struct og_child og_child;

/* OG_FAILED with a message if it cannot be started; that the shell does not find the command shows
 * when it is asked. */
og_status og_child_start(const char *command, og_child **out, og_message *message);

/*
 * Send `line` (with its newline, no other) and wait for one line back. *answer: without its
 * newline, *length bytes and a 0; until the next call. OG_FAILED with a message, and what had come
 * so far in *answer, if the child ends or closes its output, is not done within `seconds`, answers
 * more than answer_max bytes or more than one line, or speaks unasked; OG_STOPPED if the
 * stop says so while it is waited for: it is of no use then. A child that does not read raises no
 * SIGPIPE here.
 */
og_status og_child_ask(og_child *child, const char *line, size_t line_length, double seconds,
                       size_t answer_max, og_stop *stop, const char **answer, size_t *length,
                       og_message *message);

/* Close its input, give it a fifth of a second to end, then end it and all of its process group.
 * NULL is fine. */
void og_child_end(og_child *child);

#endif
