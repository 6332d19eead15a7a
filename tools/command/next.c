/*
 * The command next: chooses the tasks to label next from recorded labels; with --final, prints the
 * call of each task.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/words.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/option/study_options.h"
#include "tools/show/report.h"

/* ---- the table ---- */

static void put_heading(const og_document *document, FILE *table, bool final, bool paid)
{
    const og_document *names = og_document_find(document, "classes");
    fputs(final ? "task" : "task\trank", table);
    for (int32_t k = 0; k < og_document_count(names); k++) {
        fprintf(table, "\t%s", og_document_text(og_document_child(names, k)));
    }
    fprintf(table, "%s%s\n", names == NULL ? "\tpositive\tnegative" : "",
            !final ? "\tindex"
            : paid ? "\tcall\tpayoff"
                   : "\tcall\tprobability");
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

/* The table as text, which the caller frees; NULL without memory. */
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
        ferror(stdout) == 0) { /* otherwise there is no result */
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

/* A batch without its bounds is valid, but the exit status shows that it is not complete. */
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
    static const question about = {
        .ask = og_task_next, .fail = fail_by_limit, .show = show_next, .finish = finish};
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
    {"--final", "labels final prior price payoff output threads memory time-limit quiet json",
     is_final},
    {"the next tasks", NULL, NULL},
    {.name = NULL},
};

static const og_option_row options[] = {
    OG_OPTION(PATH, "labels", "FILE", command_request, labels_file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "labels: columns task, worker, label; - reads stdin",
              .help = "recorded labels, a table with the columns task, worker and label; required",
              .required =
                  "--labels FILE is missing: the recorded labels, columns task, worker, label"),
    OG_OPTION(INT32, "budget", "N", command_request, budget, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "number of labels left (required without --final)",
              .help = "number of labels left; required without --final", .letter = 'T', .least = 1,
              .most = OG_BUDGET_MAX, .what = "the budget (-T)"),
    OG_OPTION(INT32, "batch", "N", command_request, batch, .topic = OG_TOPIC_PROBLEM, .basic = true,
              .brief = "number of tasks to choose",
              .help = "number of tasks to choose, each at most once", .least = 1,
              .most = OG_BUDGET_MAX, .fallback = "1"),
    OG_OPTION(SWITCH, "final", NULL, command_request, final_calls, .topic = OG_TOPIC_QUESTIONS,
              .basic = true, .brief = "print the call of each task instead",
              .help = "print the call of each task instead"),
    OG_OPTION(POLICY, "policy", "NAME", command_request, policies, .topic = OG_TOPIC_POLICIES,
              .basic = true, .brief = "index policy that chooses",
              .help = "index policy that chooses", .count = offsetof(command_request, policy_count),
              .fallback = "opt-kg", .once = "next asks one policy"),
    OG_OPTION(TEXT, "prior", "A,B[@D]", command_request, prior, .topic = OG_TOPIC_PROBLEM,
              .basic = true, .brief = "prior of every task (default: fitted to the labels)",
              .help = "prior of every task; A,B,C,... for several classes. =TP,FP,FN,TN[,U] may "
                      "follow: the worth of calls (default: fitted to the labels)"),
    OG_OPTION_TABLE(stakes_rows),
    SEED_ROW("1", "seed of the choice among tied tasks"),
    OG_OPTION(OUTPUT, "output", "FILE", command_request, output, .what = "table",
              .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "write the table to FILE (default: standard output)",
              .help = "file for the table (default: standard output)", .letter = 'o'),
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
             "right). With three or more classes, each class has a separate column.\n"
             "\n"
             "A line after the table bounds what this batch can lose against the best\n"
             "possible labelling. The bound is proved, but relies on the prior.\n"
             "\n"
             "If the line begins with \"stop\" (only with --price), stopping is optimal.\n"
             "",
    .about = "Chooses the tasks to label next, from a table of the labels so far and the number of "
             "labels left.",
    .details = "Example: 200 labels are left, and 10 of them are bought today\n"
               "\n"
               "  optgap next --labels labels.tsv -T 200 --batch 10 -o next.tsv\n"
               "\n"
               "The table has the columns task, rank, positive, negative (labels so far; with "
               "three or more classes a column for each) and index. A batch is chosen before any "
               "of its labels is seen, so a large batch can be worse than single labels. A line "
               "after the table bounds its loss against the best possible labelling (proved). At a "
               "time limit or Ctrl-C this bound may be missing, and the exit status is 3.\n"
               "\n"
               "With --price only tasks worth a label are listed: labels of this task alone, "
               "bought and stopped optimally, are expected to gain more than they cost. --policy "
               "only orders them. If there is none, the table has no rows, and the line begins "
               "with stop if this is proved. The program looks up to 200 labels ahead for each "
               "task (fewer with several classes), which can be too few for a proof.\n"
               "\n"
               "With --final the columns are task, positive, negative, call and probability (that "
               "the call is right).",
    .options = options,
    .questions = questions,
    .run = run,
};
