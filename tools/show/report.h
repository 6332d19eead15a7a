#ifndef OG_TOOLS_SHOW_REPORT_H
#define OG_TOOLS_SHOW_REPORT_H

#include "bench/document.h"
#include "bench/words.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/prior/problem.h"
#include "tools/option/options.h"

/* Output that all commands share: results, messages and exit statuses. */

enum { EXIT_RESULT = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LIMIT = 3, STOP_REASON_BYTES = 80 };

/* The exit status for a library status. */
int exit_status(og_status status);

/* Prints one line on standard error, "optgap: ...": the message, or the status in words if the
 * message is empty. Returns the exit status. */
int complain(og_status status, const og_message *message);

/*
 * Like complain, for the optimal value: if a limit ended the work, the line also shows the reason,
 * the progress and advice. reason: the limit; NULL if the message names it.
 */
int complain_limit(og_status status, const og_message *message, const char *reason,
                   const command_request *request);

/* The reason why the watch stopped the work, in words; NULL if it did not. */
const char *stop_reason(const command_request *request, char words[STOP_REASON_BYTES]);

/* The words for a reached time limit; does not look at the clock. */
const char *time_reason(const command_request *request, char words[STOP_REASON_BYTES]);

/*
 * Prints a document in the request's format: JSON, CSV, LaTeX, or tables for people (also if
 * request is NULL). Frees it. Returns EXIT_RESULT; or EXIT_FAILED, with a line on standard error
 * and no output, if memory is missing (then the document is NULL or failed).
 */
int show(og_document *document, const command_request *request);

/* The document as JSON, completed with the program's version and the command line; only once for a
 * document. To be freed; NULL without memory. */
char *json_of(og_document *document, const command_request *request);

/* Prints a part of the output for people, and frees it. Without memory the program ends here. */
void show_part(og_document *document);

/* Prints one line on standard error. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a message on standard error, if it is not empty; --quiet hides warnings. tell is for
 * failures to save a file, which --quiet does not hide. */
void tell(const og_message *message);
void warn(const og_message *message);

#endif
