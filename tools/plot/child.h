#ifndef OG_TOOLS_PLOT_CHILD_H
#define OG_TOOLS_PLOT_CHILD_H

#include <stddef.h>

#include "dp/base/status.h"

/*
 * Runs a program to its end, with a text as its standard input. `words` is its command line, ended
 * by NULL. *out is written on success only. OG_FAILED with a message: the program cannot be run.
 */
enum { CHILD_MISSING = 127 };
typedef struct {
    char *bytes; /* [size] its output, then a 0; the caller frees it */
    size_t size;
    char *errors; /* its standard error, ended by a 0; the caller frees it */
    int code;     /* exit status; CHILD_MISSING: there is no such program; -1: a signal ended it */
} child_result;
og_status child_run(const char *const *words, const char *input, child_result *out,
                    og_message *message);

/* The last line of the errors, or other words if there are none; cuts the text. */
const char *child_last_line(char *errors);

#endif
