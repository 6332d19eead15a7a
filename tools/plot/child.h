#ifndef OG_TOOLS_PLOT_CHILD_H
#define OG_TOOLS_PLOT_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "dp/base/status.h"

/*
 * Run a program to its end, with a text on its standard input. `words` is its command line, up to
 * NULL. *bytes is what it wrote, with a NUL behind it, and *errors the same of its standard error;
 * both are the caller's to free, written on success only. *code is its exit status: CHILD_MISSING
 * where there is no such program, -1 where a signal ended it. OG_FAILED with a message: the machine
 * does not let it run.
 */
enum { CHILD_MISSING = 127 };
og_status child_run(const char *const *words, const char *input, size_t input_size, char **bytes,
                    size_t *size, char **errors, int *code, og_message *message);

/* The last line of its errors: cuts the text, and returns a part of it or words that say that there
 * is none. */
const char *child_last_line(char *errors);

#endif
