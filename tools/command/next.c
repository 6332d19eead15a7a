/* next: what to label next, by name, from recorded labels or comparisons; and what each task is
 * called now. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/file.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/show/memory.h"
#include "tools/show/report.h"

/* ---- the table ---- */

typedef enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON } format;

typedef struct {
    FILE *file;
    const og_document *document;
    const og_document *names; /* of the classes; NULL: positive and negative */
    const og_batch *given;
    bool csv;
    bool first; /* the next field is the first of its line */
    bool fits;  /* no name has a tab or a line end that the table cannot have */
} table;

static void put_text(table *to, const char *text)
{
    fputs(to->first ? "" : to->csv ? "," : "\t", to->file);
    to->first = false;
    to->fits = og_write_field(to->file, text, to->csv) && to->fits;
}

static void put_number(table *to, const char *pattern, double number)
{
    char text[48];
    snprintf(text, sizeof text, pattern, number);
    put_text(to, text);
}

static void end_line(table *to)
{
    putc('\n', to->file);
    to->first = true;
}

/* The keys of a row, in the order of the columns. A row has those of its question. */
static const char *const keys[] = {"task",       "left",        "right",  "item",       "rank",
                                   "positive",   "negative",    "counts", "source",     "index",
                                   "call",       "probability", "payoff", "calibrated", "score",
                                   "above_next", "worker",      NULL};

/* The names of two classes; numbers do not say which is which. */
static const char *name_of_class(const table *to, const char *key)
{
    const char *positive = og_document_text(og_document_find(to->document, "positive_class"));
    const char *negative = og_document_text(og_document_find(to->document, "negative_class"));
    bool words = positive != NULL && negative != NULL && strspn(positive, "-0123456789") == 0;
    return words && strcmp(key, "positive") == 0   ? positive
           : words && strcmp(key, "negative") == 0 ? negative
                                                   : key;
}

static void put_key(table *to, const char *key)
{
    bool counts = strcmp(key, "counts") == 0;
    for (int32_t k = 0; counts && k < og_document_count(to->names); k++) {
        put_text(to, og_document_text(og_document_child(to->names, k)));
    }
    if (!counts) {
        put_text(to, name_of_class(to, key));
    }
}

/* Whether rows, if there are any, have this column. */
static bool would_have(const table *to, const char *key)
{
    bool pairs = to->given->pairs_file != NULL, sources = to->given->source_count > 0;
    const char *labels = to->names != NULL ? "counts" : "positive negative";
    char words[128];
    snprintf(words, sizeof words, " %s rank %s index %s%s ", pairs ? "left right" : "task",
             pairs ? "" : labels, sources ? "source probability " : "",
             to->given->free_file != NULL || (pairs && to->given->workers_prior != NULL) ? "worker"
                                                                                         : "");
    char word[32];
    snprintf(word, sizeof word, " %s ", key);
    return strstr(words, word) != NULL;
}

static void put_heading(table *to, const og_document *row)
{
    for (int k = 0; keys[k] != NULL; k++) {
        if (row != NULL ? og_document_find(row, keys[k]) != NULL : would_have(to, keys[k])) {
            put_key(to, keys[k]);
        }
    }
    end_line(to);
}

static void put_value(table *to, const char *key, const og_document *value)
{
    const char *text = og_document_text(value);
    double number = og_document_number(value);
    if (strcmp(key, "counts") == 0) {
        for (int32_t k = 0; k < og_document_count(value); k++) {
            put_number(to, "%.0f", og_document_number(og_document_child(value, k)));
        }
    } else if (text != NULL) {
        put_text(to, text);
    } else if (isnan(number)) {
        put_text(to, to->csv ? "" : "-");
    } else if (strcmp(key, "index") == 0) {
        put_text(to, og_words_exact(number).text);
    } else {
        put_number(to, "%.10g", number);
    }
}

static void put_row(table *to, const og_document *row)
{
    for (int k = 0; keys[k] != NULL; k++) {
        const og_document *value = og_document_find(row, keys[k]);
        if (value != NULL) {
            put_value(to, keys[k], value);
        }
    }
    end_line(to);
}

/* *out is to be freed. */
static og_status table_of(const og_document *document, const og_batch *given, bool csv, char **out,
                          size_t *size, og_message *message)
{
    char *text = NULL;
    table to = {.file = open_memstream(&text, size),
                .document = document,
                .names = og_document_find(document, "classes"),
                .given = given,
                .csv = csv,
                .first = true,
                .fits = true};
    OG_TRY(OG_ALLOCATED(to.file));
    const og_document *rows = og_document_find(document, given->final_calls ? "final" : "next");
    put_heading(&to, og_document_count(rows) > 0 ? og_document_child(rows, 0) : NULL);
    for (int32_t i = 0; i < og_document_count(rows); i++) {
        put_row(&to, og_document_child(rows, i));
    }
    bool failed = ferror(to.file) != 0;
    failed = fclose(to.file) != 0 || failed;
    if (failed || !to.fits) {
        free(text);
        return failed ? OG_NO_MEMORY
                      : og_message_set(message, OG_BAD_INPUT,
                                       "a name has a tab or a line end, which a table with tabs "
                                       "cannot have; give --csv, --json or -o FILE.csv");
    }
    *out = text;
    return OG_OK;
}

/* ---- the answer ---- */

static format format_of(const command_request *request)
{
    const char *end = request->output != NULL ? strrchr(request->output, '.') : NULL;
    if (end != NULL && strcmp(end, ".json") == 0) {
        return FORMAT_JSON;
    }
    if (end != NULL && (strcmp(end, ".csv") == 0 || strcmp(end, ".tsv") == 0)) {
        return end[1] == 'c' ? FORMAT_CSV : FORMAT_TABLE;
    }
    return request->csv ? FORMAT_CSV : FORMAT_TABLE;
}

/* The table of reliability, for people. */
static void note_reliability(const og_document *document)
{
    const og_document *rows = og_document_find(document, "reliability");
    if (rows == NULL) {
        return;
    }
    fprintf(stderr, "%-13s %7s %9s %9s %11s\n", "probability", "calls", "expected", "found",
            "calibrated");
    for (int32_t i = 0; i < og_document_count(rows); i++) {
        const og_document *row = og_document_child(rows, i);
        char range[32];
        snprintf(range, sizeof range, "%.2f to %.2f",
                 og_document_number(og_document_find(row, "from")),
                 og_document_number(og_document_find(row, "to")));
        fprintf(stderr, "%-13s %7.0f %9.3f %9.3f %11.3f\n", range,
                og_document_number(og_document_find(row, "calls")),
                og_document_number(og_document_find(row, "expected")),
                og_document_number(og_document_find(row, "found")),
                og_document_number(og_document_find(row, "calibrated")));
    }
}

/* The answer as text, and as JSON if that is wanted; both to be freed. */
typedef struct {
    char *text, *json;
    size_t size; /* of the text */
} next_answer;

static og_status write_answer(const command_request *request, og_document *document,
                              next_answer *out, og_message *message)
{
    format wanted = format_of(request);
    *out = (next_answer){.text = NULL};
    if (og_document_failed(document)) {
        return OG_NO_MEMORY;
    }
    if (request->json || wanted == FORMAT_JSON) {
        out->json = json_of(document, request);
        OG_TRY(OG_ALLOCATED(out->json));
    }
    bool shown = request->output != NULL ? wanted != FORMAT_JSON : !request->json;
    return shown ? table_of(document, &request->wish.batch, wanted == FORMAT_CSV, &out->text,
                            &out->size, message)
                 : OG_OK;
}

/* JSON files end like lines, as on standard output. */
static og_status save_answer(const command_request *request, const next_answer *answer,
                             og_message *message)
{
    if (format_of(request) != FORMAT_JSON) {
        return og_atomic_file_save(request->output, "table", answer->text, answer->size, message);
    }
    char *line = NULL;
    size_t size = strlen(answer->json) + 1;
    line = malloc(size + 1);
    OG_TRY(OG_ALLOCATED(line));
    snprintf(line, size + 1, "%s\n", answer->json);
    og_status status = og_atomic_file_save(request->output, "table", line, size, message);
    free(line);
    return status;
}

static void print_answer(const command_request *request, const og_document *document,
                         const next_answer *answer)
{
    const og_document *loss = og_document_find(document, "loss_at_most");
    bool known = loss == NULL || !isnan(og_document_number(loss));
    if (request->json) {
        puts(answer->json);
        return;
    }
    if (request->output == NULL) {
        fwrite(answer->text, 1, answer->size, stdout);
    }
    if (known && !request->quiet && fflush(stdout) == 0 &&
        ferror(stdout) == 0) { /* else no result */
        note("%s", og_document_text(og_document_find(document, "summary")));
        note_reliability(document);
    }
}

static int show_next(const command_request *request, og_document *document)
{
    og_message message = {""};
    next_answer answer;
    og_status status = write_answer(request, document, &answer, &message);
    if (status == OG_OK && request->output != NULL) {
        status = save_answer(request, &answer, &message);
    }
    if (status == OG_OK) {
        print_answer(request, document, &answer);
    }
    free(answer.text);
    free(answer.json);
    og_document_free(document);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

/* A batch without its bounds is valid, but the exit status shows that it is not complete. */
static int finish(const command_request *request, const og_asked *asked)
{
    if (asked->limit == OG_LIMIT_NONE) {
        warn(&asked->warning);
    }
    return finish_by_limit(request, asked,
                           "the batch is chosen, but the bound on its loss is missing");
}

static int run(command_request *request)
{
    static const question about = {
        .ask = &og_question_next, .fail = fail_by_limit, .show = show_next, .finish = finish};
    return answer_question(request, &about, og_wishes_next(&request->wish));
}

static bool is_final(const command_request *request)
{
    return request->wish.batch.final_calls;
}

static bool is_pairs(const command_request *request)
{
    return request->wish.batch.pairs_file != NULL;
}

static bool is_ranking(const command_request *request)
{
    return is_pairs(request) && is_final(request);
}

#define PAIRS_READ "pairs tasks draws prior workers-prior columns missing encoding "
#define ALWAYS_READ " final output threads memory time-limit quiet json csv "

static bool has_sources(const command_request *request)
{
    return request->wish.source_count > 0;
}

static const option_question questions[] = {
    {"--pairs --final", PAIRS_READ ALWAYS_READ, is_ranking, NULL},
    {"--pairs", PAIRS_READ "batch policy seed" ALWAYS_READ, is_pairs, NULL},
    {"--final",
     LABELS_READ "labels tasks model-strength prior payoff gold workers-prior source" ALWAYS_READ,
     is_final, NULL},
    {"--source",
     LABELS_READ "source labels tasks prior budget batch seed max-per-task closed" ALWAYS_READ,
     has_sources, NULL},
    {"the next tasks",
     LABELS_READ
     "labels tasks model-strength prior payoff price budget batch policy seed max-per-task closed "
     "per-batch workers-free" ALWAYS_READ,
     NULL, NULL},
    {.name = NULL},
};

static const og_option_row options[] = {
    OG_OPTION_TABLE(og_next_options),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "table",
              .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "write to FILE: .csv, .json or a table with tabs",
              .help =
                  "file for the answer (default: standard output). Its ending is the format: .csv, "
                  ".json, otherwise a table with tabs",
              .letter = 'o'),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION(SWITCH, "csv", NULL, command_request, csv, .topic = OG_TOPIC_OUTPUT,
              .brief = "print comma-separated values",
              .help = "print comma-separated values instead of tabs"),
    OG_OPTION_LAST,
};

const command command_next = {
    .name = "next",
    .summary = "choose the tasks to label next, from a table of labels",
    .usage = "--labels=FILE -T N [OPTION...]",
    .brief = "Choose the tasks to label next, from the labels recorded so far.",
    .example = "  optgap next --tasks tasks.tsv -T 200 --batch 10\n"
               "  optgap next --labels labels.tsv -T 190 --batch 10 -o today.tsv\n"
               "  optgap next --labels labels.tsv --final",
    .notes = "Columns: task, rank, labels so far of each class, index; with --final call and\n"
             "probability, that most people of this crowd would say the same. A line after\n"
             "the table bounds what this batch can lose at most: proved, but relying on the\n"
             "prior. If it begins with \"stop\", stopping is optimal.\n"
             "",
    .about = "Chooses the tasks to label next, from a table of the labels so far and the number of "
             "labels left.",
    .details = "Example: 200 labels are left, and 10 of them are bought today\n"
               "\n"
               "  optgap next --labels labels.tsv -T 200 --batch 10 -o next.tsv\n"
               "\n"
               "The table has the columns task, rank, positive, negative (labels so far; with "
               "three or more classes a column for each) and index; with --workers-free also "
               "worker. A batch is chosen before any of its labels is seen, so a large batch "
               "can be worse than single labels. A line after the table bounds its loss "
               "against the best possible labelling (proved). At a time limit or Ctrl-C this "
               "bound may be missing, and the exit status is 3.\n"
               "\n"
               "With --tasks, tasks without a label can be chosen too; before the first "
               "label, omit --labels. A column p is a model's probability that the task is "
               "positive: the task then has the prior A + Np, B + N(1 - p), with p in "
               "hundredths and N of --model-strength.\n"
               "\n"
               "With --per-batch a task can have several rows. Its j-th label is ranked by "
               "the index that is expected after j - 1 labels.\n"
               "\n"
               "With --price only tasks worth a label are listed: labels of this task alone, "
               "bought and stopped optimally, are expected to gain more than they cost. "
               "--policy only orders them. If there is none, the table has no rows, and the "
               "line begins with stop if this is proved. The program looks up to 200 labels "
               "ahead for each task (fewer with several classes), which can be too few for a "
               "proof.\n"
               "\n"
               "With --final the columns are task, positive, negative, call and probability: "
               "that most people of this crowd would say the same. A crowd can be wrong "
               "together; --gold shows how often it was, and adds the column calibrated.\n"
               "\n"
               "With --source each label comes from a source with a price, and the budget "
               "counts units. A worker in the table is NAME or NAME:anything. A task is "
               "positive with probability A/(A+B) of --prior, or p. The columns are task, "
               "rank, positive, negative, source, index (expected gain less prices) and "
               "probability (that the task is positive). The bound holds for every policy; "
               "the planned number of labels of each source is that of the relaxed problem.\n"
               "\n"
               "With --pairs the columns are left, right, rank, index and, with "
               "--workers-prior, worker; with --final item, rank, score and above_next, the "
               "probability that the item is above the next one.",
    .options = options,
    .questions = questions,
    .run = run,
};
