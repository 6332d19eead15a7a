/*
 * The command query: the best choice now, and the choice of each policy, for one state or for many
 * states from standard input, which are answered independently.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rows.h"
#include "heuristics/index/kept_roots.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

/* A bracket is a result with EXIT_LIMIT if the time limit left it in place of Q. */
static int finish(const command_request *request, const og_asked *asked)
{
    return finish_by_limit(request, asked, "Q was not computed");
}

static const question about = {.stage = "solving",
                               .ask = &og_question_query,
                               .opens = true,
                               .fail = fail_by_limit,
                               .finish = finish};

/* ---- many states ---- */

/* The number of lines so far, and the first line with an error. */
typedef struct {
    int64_t lines, failed, first;
    og_status status; /* of that line */
    bool broken;      /* standard output has failed */
} tally;

/* Prints the document as one line, and frees it. */
static bool print_line(og_document *document, int64_t line)
{
    og_put_whole(document, "line", (uint64_t)line);
    char *text = og_document_json_line(document);
    bool printed = text != NULL && puts(text) >= 0 && fflush(stdout) == 0;
    if (text == NULL) {
        note("line %" PRId64 ": out of memory", line);
    }
    free(text);
    og_document_free(document);
    return printed;
}

static void print_error(tally *count, int64_t line, og_status status, const og_message *message)
{
    og_document *document = og_document_new();
    og_put_text(document, "error", og_message_words(message, status));
    if (count->failed++ == 0) {
        count->first = line;
        count->status = status;
    }
    count->broken = !print_line(document, line);
}

static void answer_line(command_request *request, char *text, int64_t line, tally *count)
{
    og_message message = {""}, warning = {""};
    og_document *document = NULL;
    count->lines++;
    request->word_count = 0;
    keep_instances(request, text);
    progress_begin(request->quiet, request->wish.ask.seconds_max); /* restarts for each line */
    og_status status = answer_quietly(request, &about, &document, &warning, &message);
    if (status != OG_OK) {
        print_error(count, line, status, &message);
        return;
    }
    if (warning.text[0] != '\0') {
        og_put_text(document, "warning", warning.text);
    }
    count->broken = !print_line(document, line);
}

static int answer_lines(command_request *request)
{
    og_message message = {""};
    og_rows rows;
    tally count = {0};
    og_status kept = og_kept_roots_new(&request->roots);
    if (kept != OG_OK) {
        return complain(kept, &message);
    }
    og_rows_open(&rows, "/dev/stdin", '\0', '#', NULL, &message);
    while (!count.broken && og_rows_next(&rows)) {
        answer_line(request, rows.field[0], rows.line, &count);
    }
    int64_t line = rows.line;
    og_status status = og_rows_close(&rows);
    og_kept_roots_free(request->roots);
    request->roots = NULL;
    if (status != OG_OK && line == 0) {
        return complain(status, &message);
    }
    if (status != OG_OK && !count.broken) { /* a read error ends the lines */
        count.lines++;
        print_error(&count, line, status, &message);
    }
    if (count.failed > 0 && !count.broken) {
        note("%" PRId64 " of %" PRId64 " states are not answered; the first is line %" PRId64,
             count.failed, count.lines, count.first);
    }
    return count.broken ? EXIT_FAILED : exit_status(count.status);
}

/* Checks the options for "-" in place of INSTANCEs. */
static og_status check_lines(const command_request *request, og_message *message)
{
    if (request->word_count > 1) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "'-' reads the states from standard input, a line each; omit the other INSTANCEs");
    }
    if (request->csv || request->latex) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--%s supports only one state, not '-'; omit it",
                              request->csv ? "csv" : "latex");
    }
    return OG_OK;
}

static int run(command_request *request)
{
    og_message message = {""};
    for (int32_t i = 0; i < request->word_count; i++) {
        if (strcmp(request->word[i], "-") == 0) {
            og_status status = check_lines(request, &message);
            return status == OG_OK ? answer_lines(request) : complain(status, &message);
        }
    }
    return answer_question(request, &about, NULL);
}

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_query_options),
    OG_OPTION_TABLE(table_rows),
    OG_OPTION_LAST,
};

const command command_query = {
    .name = "query",
    .summary = "show the best instance to label now, and each policy's choice",
    .word = INSTANCE_WORDS("2x2,1"),
    .brief = "Show the best instance to label now, and each policy's choice. Every INSTANCE\n"
             "is a posterior: A is 1 + positive labels, B is 1 + negative labels.",
    .example = "  optgap query -T 2 2x2,1 3,3\n"
               "  optgap query -T 6 --history \"1+ 2-\" 3x1,1",
    .notes = "With - instead of INSTANCEs, each line of standard input is one problem; each\n"
             "answer is one line of JSON.",
    .about = "Computes the best label now. Each INSTANCE is a posterior: with a uniform prior, an "
             "instance with s positive and f negative labels is 1+s,1+f.",
    .details =
        "Example: two instances with one positive label each, one with two labels of each kind, "
        "two labels left\n"
        "\n"
        "  optgap query -T 2 2x2,1 3,3\n"
        "\n"
        "Q is the expected gain if an instance with this posterior is labelled now and later "
        "choices are optimal. For each policy, all instances that tie for its choice are listed. "
        "Near-ties are instances whose Qs differ by less than their proved error; --arithmetic "
        "exact decides them.\n"
        "\n"
        "The Qs of independent instances may need more than half a million states (fewer with more "
        "than 15 different instances) or 256M of memory, or reach a limit. Then each is bracketed "
        "instead. The lower end is the value of a policy that labels one instance after the other; "
        "the upper end is a bound with a price for each label. The result states whether the best "
        "choice is proved optimal, or a limit of its loss; the exit status is 0. With --time-limit "
        "only that time limits the computation, and the exit status is then 3.\n"
        "\n"
        "With - instead of INSTANCEs, the program reads states from standard input. Each line is a "
        "list of INSTANCEs, and is answered at once with one line of JSON that has the number of "
        "its \"line\". An invalid state gets \"error\" instead of a result, and the exit status is "
        "that of the first such line. Options apply to all lines; --time-limit applies to each. "
        "Empty lines and lines that begin with # are skipped.",
    .options = options,
    .families = FAMILY_VALUES,
    .run = run,
};
