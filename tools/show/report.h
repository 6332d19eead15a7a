#ifndef OG_TOOLS_SHOW_REPORT_H
#define OG_TOOLS_SHOW_REPORT_H

#include <stdbool.h>

#include "bench/document.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"
#include "tools/option/options.h"

/* What the commands share when they talk to a person. */

enum { EXIT_RESULT = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LIMIT = 3, STOP_REASON_BYTES = 80 };

/* The exit status that stands for a library status. */
int exit_status(og_status status);

/* One line on standard error, "optgap: ...": the message, or the status in words if it is empty.
 * Returns the exit status. */
int complain(og_status status, const og_message *message);

/*
 * The same for the optimum: why the work ended early, how far it got, and what can be done.
 * `reason` is what was reached, NULL where the message says it. Whatever is no limit is said as
 * complain says it.
 */
int complain_limit(og_status status, const og_message *message, const char *reason,
                   const command_request *request);

/* Why the watch stopped the work, in words; NULL: it did not. */
const char *stop_reason(const command_request *request, char words[STOP_REASON_BYTES]);

/* That the time limit was reached, whatever the clock says. */
const char *time_reason(const command_request *request, char words[STOP_REASON_BYTES]);

/*
 * Prints what was found, as the request wants it: JSON, CSV, LaTeX, or, as without a request, for
 * people, and frees it: EXIT_RESULT, or EXIT_FAILED with a line on standard error, nothing printed.
 * NULL is a document without memory.
 */
int show(og_document *document, const command_request *request);

/* The same for people, between other things: the program ends here without memory. */
void show_part(og_document *document);

/* What cannot be had with --arithmetic exact. OG_BAD_INPUT with a message. */
og_status check_arithmetic(const command_request *request, og_message *message);

/* One line on standard error. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; an empty message is none. --quiet silences a warning, not what could not be saved. */
void tell(const og_message *message);
void warn(const og_message *message);

#endif
