#ifndef OG_TOOLS_FIGURE_CHILD_H
#define OG_TOOLS_FIGURE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "dp/base/status.h"

/* A program that draws: it reads a script from its standard input and writes a picture to its
 * standard output. */
typedef struct {
    const char *const *words; /* its command line, up to NULL; the first is its name */
    const char *draws;        /* "the figures" */
    const char *package;      /* of Debian */
} child_program;

/*
 * Run it. *bytes is what it wrote, with a NUL behind it, and *errors the same of its standard
 * error; both are the caller's to free, written on success only. *failed: it says itself that it
 * failed. OG_FAILED with a message: it is not installed, or the machine does not let it run.
 */
og_status child_run(const child_program *of, const char *script, size_t script_size, char **bytes,
                    size_t *size, char **errors, bool *failed, og_message *message);

/* The last line of its errors: cuts the text, and returns a part of it or words that say that there
 * is none. */
const char *child_last_line(char *errors);

#endif
