#ifndef OG_TOOLS_COMMAND_OPEN_H
#define OG_TOOLS_COMMAND_OPEN_H

#include "bench/family.h"
#include "tools/option/options.h"

/* The problem that a request is about. */
typedef struct {
    const og_family *family;
    void *problem;
    og_sizes sizes;
} opened;

/*
 * Opens it; close it with close_problem, whatever is returned. Where no policies were asked for,
 * the request gets those that the family is known for. Whatever goes wrong has been said on
 * standard error: then returns the exit status, else EXIT_RESULT.
 */
int open_problem(command_request *request, opened *out);
void close_problem(opened *of);

/* The arms, for a command that is for independent instances alone; NULL: it is said on standard
 * error that `what` is not known for this family. */
const og_arms *arms_of(const opened *of, const char *what);

/* The settings with somebody who watches; signals are caught from now on. */
og_settings watched_settings(const command_request *request);

#endif
