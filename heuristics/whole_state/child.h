#ifndef OG_HEURISTICS_WHOLE_STATE_CHILD_H
#define OG_HEURISTICS_WHOLE_STATE_CHILD_H

#include <stddef.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * A child process that answers each line with a line. It is `sh -c
 * COMMAND` in a new process group, with pipes as standard input and output. It inherits the
 * standard error of this process and no other descriptor. One thread at a time.
 */
typedef struct og_child og_child;

typedef struct {
    const char *text;
    size_t length; /* bytes */
} og_child_line;

/* What an answer may take. */
typedef struct {
    double seconds;
    size_t bytes;
    og_stop *stop; /* NULL: none */
} og_answer_limits;

/* OG_FAILED with a message if it cannot be started. If the shell does not find the command, the
 * first question fails instead. */
og_status og_child_start(const char *command, og_child **out, og_message *message);

/*
 * Sends `line`, which ends with its only newline, and waits for one line. *answer is that line
 * without its newline, ended by a 0; valid until the next call. OG_FAILED with a message if the
 * child ends, closes its output, needs more than the limits, answers more than one line, or writes
 * before it was asked. *answer then holds the bytes received so far. OG_STOPPED if `stop` is set
 * during the wait; the child cannot be used afterwards. A child that does not read raises no
 * SIGPIPE here.
 */
og_status og_child_ask(og_child *child, og_child_line line, const og_answer_limits *limits,
                       og_child_line *answer, og_message *message);

/* The message for an answer that is none: the beginnings of the command, the request, which is
 * without its newline, and the answer, which may be empty. Returns OG_FAILED. */
og_status og_child_complain(const char *command, og_child_line request, og_child_line answer,
                            const og_message *why, og_message *message);

/* Closes its input, waits a fifth of a second for it to end, then ends it and its whole process
 * group. NULL is fine. */
void og_child_end(og_child *child);

#endif
