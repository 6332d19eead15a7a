#ifndef OG_TOOLS_PLOT_CHILD_H
#define OG_TOOLS_PLOT_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "dp/base/status.h"

/*
 * Runs a program to its end, with a text as its standard input. `words` is its command line, ended
 * by NULL. *bytes is its output and *errors its standard error, each with a NUL at the end; the
 * caller frees both, and they are written on success only. *code is the exit status: CHILD_MISSING
 * if there is no such program, -1 if a signal ended it. OG_FAILED with a message: the program
 * cannot be run.
 */
enum { CHILD_MISSING = 127 };
og_status child_run(const char *const *words, const char *input, size_t input_size, char **bytes,
                    size_t *size, char **errors, int *code, og_message *message);

/* The last line of the errors, or other words if there are none; cuts the text. */
const char *child_last_line(char *errors);

#endif
