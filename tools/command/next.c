/* next: which tasks to label next, by name, from recorded labels; and what each is called now. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/option/study_options.h"
#include "tools/show/report.h"

/* ---- the table ---- */

/* The names of two classes, the positive one first; numbers do not say which is which. */
static void put_two_classes(const og_document *document, FILE *table)
{
    const char *positive = og_document_text(og_document_find(document, "positive_class"));
    const char *negative = og_document_text(og_document_find(document, "negative_class"));
    bool words = positive != NULL && negative != NULL && strspn(positive, "-0123456789") == 0;
    fprintf(table, "\t%s\t%s", words ? positive : "positive", words ? negative : "negative");
}

static void put_heading(const og_document *document, FILE *table, bool final, bool paid)
{
    const og_document *names = og_document_find(document, "classes");
    fputs(final ? "task" : "task\trank", table);
    for (int32_t k = 0; k < og_document_count(names); k++) {
        fprintf(table, "\t%s", og_document_text(og_document_child(names, k)));
    }
    if (names == NULL) {
        put_two_classes(document, table);
    }
    fprintf(table, "%s\n", !final ? "\tindex" : paid ? "\tcall\tpayoff" : "\tcall\tprobability");
}

static void put_counts(const og_document *row, FILE *table)
{
    const og_document *counts = og_document_find(row, "counts");
    for (int32_t k = 0; k < og_document_count(counts); k++) {
        fprintf(table, "\t%.0f", og_document_number(og_document_child(counts, k)));
    }
    if (counts == NULL) {
        fprintf(table, "\t%.0f\t%.0f", og_document_number(og_document_find(row, "positive")),
                og_document_number(og_document_find(row, "negative")));
    }
}

static void put_row(const og_document *row, FILE *table, bool final)
{
    fputs(og_document_text(og_document_find(row, "task")), table);
    if (!final) {
        fprintf(table, "\t%.0f", og_document_number(og_document_find(row, "rank")));
    }
    put_counts(row, table);
    if (final) {
        const og_document *paid = og_document_find(row, "payoff");
        const og_document *worth = paid != NULL ? paid : og_document_find(row, "probability");
        fprintf(table, "\t%s\t%.10g\n", og_document_text(og_document_find(row, "call")),
                og_document_number(worth));
        return;
    }
    double index = og_document_number(og_document_find(row, "index"));
    fprintf(table, "\t%s\n", isnan(index) ? "-" : og_words_exact(index).text);
}

/* To be freed; NULL: no memory. */
static char *table_of(const og_document *document, bool final, size_t *size)
{
    char *text = NULL;
    FILE *table = open_memstream(&text, size);
    if (table == NULL) {
        return NULL;
    }
    const og_document *rows = og_document_find(document, final ? "final" : "next");
    const og_document *first = og_document_child(rows, 0);
    put_heading(document, table, final, og_document_find(first, "payoff") != NULL);
    for (int32_t i = 0; i < og_document_count(rows); i++) {
        put_row(og_document_child(rows, i), table, final);
    }
    bool failed = ferror(table) != 0;
    failed = fclose(table) != 0 || failed;
    if (failed) {
        free(text);
        text = NULL;
    }
    return text;
}

/* ---- the answer ---- */

static int put_out(const command_request *request, const og_document *document)
{
    og_message message = {""};
    size_t size = 0;
    char *table = table_of(document, request->final_calls, &size);
    const char *summary = og_document_text(og_document_find(document, "summary"));
    og_status status = table == NULL || summary == NULL ? OG_NO_MEMORY : OG_OK;
    if (status == OG_OK && request->output != NULL) {
        status = save_output(request->output, "table", table, size, &message);
    }
    if (status != OG_OK) {
        free(table);
        return complain(status, &message);
    }
    if (request->json) {
        free(table);
        return EXIT_RESULT;
    }
    if (request->output == NULL) {
        fwrite(table, 1, size, stdout);
    }
    const og_document *loss = og_document_find(document, "loss_at_most");
    bool known = request->final_calls || !isnan(og_document_number(loss));
    if (known && !request->quiet && fflush(stdout) == 0 &&
        ferror(stdout) == 0) { /* else no result */
        note("%s", summary);
    }
    free(table);
    return EXIT_RESULT;
}

static int show_next(const command_request *request, og_document *document)
{
    int code = og_document_failed(document) ? complain(OG_NO_MEMORY, &(og_message){""})
                                            : put_out(request, document);
    if (code == EXIT_RESULT && request->json) {
        return show(document, request);
    }
    og_document_free(document);
    return code;
}

/* A batch without its bounds is right; it is not all that was asked for. */
static int finish(const command_request *request, const og_task *task)
{
    char words[STOP_REASON_BYTES];
    if (task->limit == OG_LIMIT_NONE) {
        warn(&task->warning);
        return EXIT_RESULT;
    }
    const char *reason = stop_reason(request, words);
    note("%s: the batch is chosen, but what it can lose is not known",
         reason != NULL ? reason : "stopped");
    return EXIT_LIMIT;
}

static int run(command_request *request)
{
    static const question about = {.ask = og_task_next,
                                   .watched = true,
                                   .timed = true,
                                   .fail = fail_by_limit,
                                   .show = show_next,
                                   .finish = finish};
    const og_batch given = {.labels_file = request->labels_file,
                            .prior = request->prior,
                            .budget = request->budget,
                            .batch = request->batch,
                            .final_calls = request->final_calls,
                            .stakes = request->stakes};
    return answer_question(request, &about, &given);
}

static bool is_final(const command_request *request)
{
    return request->final_calls;
}

static const option_question questions[] = {
    {"--final",
     LABELS_READ "labels final prior price payoff output threads memory time-limit quiet json",
     is_final},
    {"the next tasks", NULL, NULL},
    {.name = NULL},
};

static const og_option_row options[] = {
    OG_OPTION(PATH, "labels", "FILE", command_request, labels_file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "labels: columns task, worker, label; - reads stdin",
              .help = "the recorded labels, as fit takes them; required",
              .required =
                  "--labels FILE is missing: the recorded labels, columns task, worker, label"),
    OG_OPTION_TABLE(label_rows),
    OG_OPTION(INT32, "budget", "N", command_request, budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "number of labels left (required without --final)",
              .help = "labels left to give; required but for --final", .letter = 'T', .least = 1,
              .most = OG_BUDGET_MAX, .what = "the budget (-T)"),
    OG_OPTION(INT32, "batch", "N", command_request, batch, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "number of tasks to choose", .help = "how many tasks to name, each once",
              .least = 1, .most = OG_BUDGET_MAX, .fallback = "1"),
    OG_OPTION(SWITCH, "final", NULL, command_request, final_calls, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "print the call of each task instead",
              .help = "instead, what each task is called now"),
    OG_OPTION(POLICY, "policy", "NAME", command_request, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "index policy that chooses",
              .help = "who chooses, a policy with an index for each task",
              .count = offsetof(command_request, policy_count), .fallback = "opt-kg",
              .once = "next asks one policy"),
    OG_OPTION(TEXT, "prior", "A,B[@D]", command_request, prior, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "prior of every task (default: fitted to the labels)",
              .help =
                  "the prior of every task, perhaps with =TP,FP,FN,TN[,U] behind it, what calls "
                  "are worth; of several classes A,B,C,... (default: fitted to the labels)"),
    OG_OPTION_TABLE(stakes_rows),
    SEED_ROW("1", "another seed draws other tasks among those that tie"),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "table",
              .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "write the table to FILE (default: standard output)",
              .help = "where the table goes (default: standard output)", .letter = 'o'),
    OG_OPTION_TABLE(limit_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_next = {
    .name = "next",
    .summary = "choose the tasks to label next, from a table of labels",
    .usage = "--labels=FILE -T N [OPTION...]",
    .brief = "Choose the tasks to label next, from the labels recorded so far.",
    .example = "  optgap next --labels labels.tsv -T 200 --batch 10 -o today.tsv\n"
               "  optgap next --labels labels.tsv --final",
    .notes = "The table has the columns task, rank, positive, negative and index; with\n"
             "--final: task, positive, negative, call and probability (that the call is\n"
             "right). With three or more classes, each class has a column of its own.\n"
             "\n"
             "A line after the table bounds what this batch can lose against the best\n"
             "possible labelling. The bound is proved, but relies on the prior.\n"
             "\n"
             "If the line begins with \"stop\" (only with --price), stopping is optimal.\n"
             "",
    .about = "Which tasks to label next, by name, where some labels are recorded and some are left "
             "to give.",
    .details =
        "Example: 200 labels are left, and 10 are asked for today\n"
        "\n"
        "  optgap next --labels labels.tsv -T 200 --batch 10 -o next.tsv\n"
        "\n"
        "The table has the columns task, rank, positive, negative (labels so far; with three "
        "classes and more one column for each) and index. No label of a batch is seen before the "
        "whole batch is chosen, so a large batch chooses worse than label by label; how much "
        "that, and all else, can lose against the best play is said, and proved; a time limit or "
        "Ctrl-C may leave that out, and the exit status is 3.\n"
        "\n"
        "With --price only tasks that are worth a label are named: those of which labels, paid for "
        "and stopped in time, are expected to gain more than they cost. Where there are none the "
        "table has no rows, and the line says stop if it is proved that this is right: it is where "
        "all labels that are left were looked at, 200 of each task at most and fewer of several "
        "classes. The policy says which come first.\n"
        "\n"
        "With --final the columns are task, positive, negative, call and probability, that the "
        "call is right.\n"
        "\n"
        "JSON: tasks, labels, prior, prior_from (labels or given), budget, batch, policy, seed, "
        "gain_at_most, gain_at_least (expected correct calls that the budget can add, whatever "
        "is done; if the batch is labelled first; less prices), loss_at_most, with --price price, "
        "worth_a_label (tasks) and stop (true or false), next[].task, .rank, .positive, "
        ".negative (or .counts), .index; with --final final[].task, .positive, .negative, .call, "
        ".probability. The line that tells what the batch can lose is summary.",
    .options = options,
    .questions = questions,
    .run = run,
};
