/* Prints results; and errors, warnings, limits and exit statuses. */
#include "tools/show/report.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/describe.h"
#include "dp/base/world.h"
#include "tools/show/blocks.h"
#include "tools/show/columns.h"
#include "tools/show/progress.h"

int exit_status(og_status status)
{
    switch (status) {
    case OG_OK:
        return EXIT_RESULT;
    case OG_BAD_INPUT:
        return EXIT_USAGE;
    case OG_NO_MEMORY:
    case OG_STOPPED:
        return EXIT_LIMIT;
    case OG_FAILED:
        break;
    }
    return EXIT_FAILED;
}

void note(const char *format, ...)
{
    char line[2 * OG_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* Names from the command line may hold line breaks. */
    for (char *letter = line; *letter != '\0'; letter++) {
        *letter = iscntrl((unsigned char)*letter) ? '?' : *letter;
    }
    show_stage(NULL);
    fprintf(stderr, "optgap: %s\n", line);
}

int complain(og_status status, const og_message *message)
{
    note("%s", og_message_words(message, status));
    return exit_status(status);
}

char *json_of(og_document *document, const command_request *request)
{
    og_put_origin(document);
    og_put_text(document, "command", request->command_line);
    return og_document_json(document);
}

int show(og_document *document, const command_request *request)
{
    bool json = request != NULL && request->json;
    og_message message = {""};
    og_status status = og_document_status(document, &message);
    char *text = json && status == OG_OK ? json_of(document, request) : NULL;
    status = status == OG_OK && json ? OG_ALLOCATED(text) : status;
    if (status != OG_OK) {
        complain(status, &message);
    } else if (text != NULL) {
        puts(text);
    } else if (request != NULL && request->csv) {
        csv_print(document);
    } else if (request != NULL && request->latex) {
        latex_print(stdout, document, request->command_line, NULL, 0);
    } else {
        blocks_print(document);
    }
    free(text);
    og_document_free(document);
    return status == OG_OK ? EXIT_RESULT : EXIT_FAILED;
}

void show_part(og_document *document)
{
    if (show(document, NULL) != EXIT_RESULT) {
        __fpurge(stdout); /* discard a partial result */
        _exit(EXIT_FAILED);
    }
}

static const char advice_memory[] = "more memory (--memory SIZE) would help";
static const char advice_time[] = "more time (--time-limit) would help";
static const char advice_continue[] =
    "more time (--time-limit) would help, or --checkpoint FILE, from which the same command would "
    "continue";
static const char advice_exact[] = "more time (--time-limit) would help, or --arithmetic double";
static const char advice_checkpoint[] =
    "with --checkpoint FILE the same command would have continued";

/* Advice after a stop that has a reason; empty if there is none. */
static const char *advice_for(const command_request *request)
{
    bool shared =
        og_world_ranks(request->wish.ask.settings.world) > 1; /* which supports no checkpoint */
    bool saves = request->has_checkpoint && !request->wish.ask.exact && !shared;
    if (progress_interrupted()) {
        return saves ? advice_checkpoint : "";
    }
    return request->wish.ask.exact ? advice_exact : saves ? advice_continue : advice_time;
}

int complain_limit(og_status status, const og_message *message, const char *reason,
                   const command_request *request)
{
    if (status != OG_STOPPED && status != OG_NO_MEMORY) {
        return complain(status, message);
    }
    const char *file = request->wish.ask.settings.checkpoint,
               *folder = request->wish.ask.settings.scratch;
    const char *text = og_message_words(message, status);
    const char *before = reason != NULL ? reason : "";
    const char *colon = reason != NULL ? ": " : "";
    if (reason != NULL && file != NULL && access(file, F_OK) == 0) {
        note("%s%s%s; the same command continues from %s", before, colon, text, file);
    } else if (folder != NULL && strstr(text, "layers are in") != NULL) {
        note("%s%s%s, from which the same command continues", before, colon, text);
    } else {
        const char *memory =
            strstr(text, "memory") != NULL ? advice_memory : ""; /* another limit */
        const char *advice = reason == NULL ? memory : advice_for(request);
        bool said = (file != NULL && reason != NULL) || advice[0] == '\0';
        note("%s%s%s%s%s", before, colon, text, said ? "" : "; ", said ? "" : advice);
    }
    return exit_status(status);
}

const char *time_reason(const command_request *request, char words[STOP_REASON_BYTES])
{
    snprintf(words, STOP_REASON_BYTES, "the time limit of %g s was reached",
             request->wish.ask.seconds_max);
    return words;
}

const char *stop_reason(const command_request *request, char words[STOP_REASON_BYTES])
{
    if (progress_interrupted()) {
        snprintf(words, STOP_REASON_BYTES, "interrupted after %.1f s", progress_seconds());
        return words;
    }
    return progress_out_of_time() ? time_reason(request, words) : NULL;
}

void tell(const og_message *message)
{
    if (message->text[0] != '\0') {
        note("%s", message->text);
    }
}

void warn(const og_message *message)
{
    if (!progress_quiet()) {
        tell(message);
    }
}
