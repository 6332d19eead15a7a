#ifndef OG_TOOLS_REPORT_H
#define OG_TOOLS_REPORT_H

#include <stdbool.h>

#include "dp/problem.h"
#include "dp/solve.h"
#include "dp/status.h"
#include "tools/table.h"

/* What the commands share when they talk to a person. */

enum { EXIT_RESULT = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LIMIT = 3 };

/* The exit status that stands for a library status. */
int exit_status(og_status status);

/* One line on standard error, "optgap: ...": the message, or the status in words if it is empty.
 * Returns the exit status. */
int complain(og_status status, const og_message *message);

/*
 * The same for a limit that was reached while solving: where the message is empty, the limit, what
 * was used and how far it got are said instead.
 */
int complain_limit(og_status status, const og_message *message, const og_settings *settings,
                   const og_result *reached);

/* One line on standard error. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What is going on, on standard error if that is a terminal; NULL takes it away again. */
void show_stage(const char *stage);

/* The problem as INSTANCE words, "10x1,1 2,1@0.3"; free it. */
char *problem_text(const og_problem *problem);

/* A table of names and what they stand for; print it with fields_print. */
table *fields_new(void);
void fields_print(table *fields); /* frees it */

/* The rows "Problem" and the number of labels under the name given. */
void fields_problem(table *fields, const og_problem *problem, const char *budget_name);

#endif
