/* replay: policies on recorded labels, against gold. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/recorded/gold.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "tools/command/commands.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { STEPS = 5, COLUMNS = 5, AT_MAX = 10000 };

typedef struct {
    const command_request *request;
    const og_simulation *found;
    const og_labels *labels;
    const int32_t *at;
    int32_t at_count;
} report;

static const char *name_of(const report *seen, const og_simulate_row *row)
{
    return seen->request->policies[row->policy].name;
}

static void show_problem(og_document *document, const report *seen)
{
    char words[OG_GROUP_TEXT_BYTES];
    og_group_format(&seen->request->prior, words, sizeof words);
    og_show_field(document, "Labels", "%s: %" PRId64 " of %" PRIu32 " tasks by %" PRIu32 " workers",
                  seen->request->labels_file, seen->labels->label_count, seen->labels->task_count,
                  seen->labels->worker_count);
    og_show_field(document, "Prior", "%s", words);
    og_show_field(document, "All labels", "accuracy %.5g %%; ties %s",
                  100 * seen->found->all_labels,
                  seen->request->final_positive ? "are called positive" : "count half");
    og_show_field(document, "Runs", "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs,
                  seen->request->seed);
}

/* Accuracies at some of the budgets, one column each. */
static void show_accuracies(og_document *document, const report *seen, const og_document *policies,
                            int32_t first)
{
    og_document *table = og_show_table(document, policies);
    og_show_column(table, "accuracy, %", 'l', "name", OG_SHOW_PLAIN);
    og_show_column(table, "ties", 'l', "ties", OG_SHOW_PLAIN);
    for (int32_t j = first; j < seen->at_count && j < first + COLUMNS; j++) {
        char heading[32];
        char name[32];
        snprintf(heading, sizeof heading, "%" PRId32 "\nlabels", seen->at[j]);
        snprintf(name, sizeof name, "%" PRId32, seen->at[j]);
        og_show_column(table, heading, 'l', name, OG_SHOW_PLAIN);
    }
}

static void show_tables(og_document *document, const report *seen, const og_document *policies)
{
    for (int32_t first = 0; first < seen->at_count; first += COLUMNS) {
        show_accuracies(document, seen, policies, first);
    }
    og_document *table = og_show_table(document, policies);
    og_show_column(table, "policy", 'l', "name", OG_SHOW_PLAIN);
    og_show_column(table, "ties", 'l', "ties", OG_SHOW_PLAIN);
    og_show_column(table, "one run,\nseconds", 'd', "one run", OG_SHOW_PLAIN);
    og_show_column(table, "tables,\nseconds", 'd', "table_seconds", OG_SHOW_PLAIN);
    og_show_paragraph(document,
                      "Accuracy: share of the tasks called as gold says, mean of the runs and half "
                      "of its 95 %% interval. Labels are drawn from those recorded, without "
                      "replacement; a task whose labels are used up leaves the choice. One run: "
                      "processor time for all %" PRId32 " labels.",
                      seen->at[seen->at_count - 1]);
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status != OG_OK) {
            og_show_paragraph(
                document, "Not replayed: %s (%s): %s", name_of(seen, row), og_ties_name(row->ties),
                row->message.text[0] != '\0' ? row->message.text : og_status_text(row->status));
        }
    }
}

static void put_points(og_document *object, const report *seen, const og_simulate_row *row)
{
    og_document *points = og_put_array(object, "points");
    bool valued = row->status == OG_OK;
    for (int32_t j = 0; j < seen->at_count; j++) {
        const og_estimate *accuracy = &row->metric[j];
        char name[32];
        og_document *point = og_put_object(points, NULL);
        og_put_whole(point, "labels", (uint64_t)seen->at[j]);
        og_put_number(point, "accuracy", valued ? accuracy->mean : NAN);
        og_put_number(point, "standard_error", valued ? accuracy->standard_error : NAN);
        og_put_number(point, "low", valued ? accuracy->low : NAN);
        og_put_number(point, "high", valued ? accuracy->high : NAN);
        og_put_number(point, "seconds", valued ? row->metric[seen->at_count + j].mean : NAN);
        if (valued) {
            snprintf(name, sizeof name, "%" PRId32, seen->at[j]);
            og_show_cell(object, name, "%.2f +-%.2f", 100 * accuracy->mean,
                         50 * (accuracy->high - accuracy->low));
        }
    }
}

static void put_row(og_document *policies, const report *seen, const og_simulate_row *row)
{
    og_document *object = og_put_object(policies, NULL);
    bool valued = row->status == OG_OK;
    og_put_text(object, "name", name_of(seen, row));
    og_put_text(object, "ties", og_ties_name(row->ties));
    og_put_text(object, "status", valued ? "ok" : "not replayed");
    if (!valued) {
        og_put_text(object, "message", row->message.text);
    }
    put_points(object, seen, row);
    og_put_number(object, "table_seconds", row->table_seconds);
    og_put_whole(object, "tolerance_ties", row->tolerance_ties);
    og_show_cell(object, "table_seconds", "%.3f", row->table_seconds);
    if (valued) {
        og_show_cell(object, "one run", "%.3f", row->metric[2 * seen->at_count - 1].mean);
    }
}

static og_document *describe(const report *seen)
{
    og_document *document = og_document_new();
    og_put_whole(document, "labels", (uint64_t)seen->labels->label_count);
    og_put_whole(document, "tasks", seen->labels->task_count);
    og_put_whole(document, "workers", seen->labels->worker_count);
    og_put_parameters(document, "prior", &seen->request->prior);
    og_put_whole(document, "runs", (uint64_t)seen->found->runs);
    og_put_whole(document, "seed", seen->request->seed);
    og_put_text(document, "final_ties", seen->request->final_positive ? "positive" : "half");
    og_put_number(document, "all_labels_accuracy", seen->found->all_labels);
    og_document *policies = og_put_array(document, "policies");
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        put_row(policies, seen, &seen->found->rows[i]);
    }
    show_problem(document, seen);
    show_tables(document, seen, policies);
    return document;
}

/* The budgets to tell accuracy at: as given, which end with T, or steps to it. */
static og_status find_points(const command_request *request, const og_labels *labels, int32_t *at,
                             int32_t *count, og_message *message)
{
    int64_t budget = request->left_open ? labels->label_count : request->budget;
    if (budget > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "%" PRId64 " labels are more than %d", budget,
                              OG_BUDGET_MAX);
    }
    *count = 0;
    for (int32_t i = 0; i < request->at_count; i++) {
        if (request->at[i] > budget) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at %" PRId32 " is more than the budget of %" PRId64 " labels",
                                  request->at[i], budget);
        }
        at[(*count)++] = request->at[i];
    }
    for (int32_t i = 1; request->at_count == 0 && i <= STEPS; i++) {
        int32_t point = (int32_t)(budget * i / STEPS);
        if (*count == 0 || point > at[*count - 1]) {
            at[(*count)++] = point;
        }
    }
    if (at[*count - 1] < budget) {
        at[(*count)++] = (int32_t)budget;
    }
    return OG_OK;
}

static bool is_interrupted(void *user)
{
    (void)user;
    return progress_interrupted();
}

static void show_progress(void *user, const char *stage, double share)
{
    (void)user;
    (void)share;
    show_stage(stage);
}

static og_status replay(const command_request *request, og_labels *labels, int32_t *at,
                        int32_t *at_count, og_simulation *found, og_message *message)
{
    og_status status = og_labels_read(request->labels_file, labels, message);
    uint8_t *gold = status == OG_OK ? allocate(labels->task_count, 1) : NULL;
    if (status == OG_OK) {
        status = og_gold_read(request->gold_file, labels, gold, message);
    }
    if (status == OG_OK) {
        status = find_points(request, labels, at, at_count, message);
    }
    if (status == OG_OK) {
        og_recorded recorded = {
            .labels = labels,
            .gold = gold,
            .prior = &request->prior,
            .at = at,
            .at_count = *at_count,
            .final_ties = request->final_positive ? OG_FINAL_POSITIVE : OG_FINAL_HALF,
        };
        og_source source = og_source_recorded(&recorded);
        og_simulate_request wanted = {
            .source = &source,
            .policies = request->policies,
            .policy_count = request->policy_count,
            .ties = request->ties,
            .ties_count = request->ties_count,
            .runs = request->runs,
            .seed = request->seed,
            .threads = request->settings.threads,
            .memory_bytes = request->settings.memory_bytes,
            .rows_may_fail = true,
            .interrupted = is_interrupted,
            .progress = show_progress,
        };
        progress_catch_signals(); /* what waits for a pipe above is ended at once */
        status = og_simulate_run(&wanted, found, message);
    }
    free(gold);
    show_stage(NULL);
    return status;
}

static int run(command_request *request)
{
    og_message message = {""};
    og_labels labels = {0};
    og_simulation found = {.rows = NULL};
    int32_t at_count = 0;
    int32_t *at = allocate((size_t)request->at_count + STEPS + 2, sizeof *at);
    og_status status = replay(request, &labels, at, &at_count, &found, &message);
    int code;
    if (status != OG_OK) {
        code = complain(status, &message);
    } else {
        report seen = {request, &found, &labels, at, at_count};
        code = show(describe(&seen), request->json);
        code = code == EXIT_RESULT && progress_interrupted() ? EXIT_LIMIT : code;
    }
    og_simulation_clear(&found);
    og_labels_clear(&labels);
    free(at);
    return code;
}

static og_status read_budget(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    command_request *request = options;
    int64_t budget = 0;
    request->left_open = strcmp(text, "all") == 0;
    og_status status = request->left_open ? OG_OK : og_option_whole(row, text, &budget, message);
    if (status == OG_OK) {
        request->budget = (int32_t)budget;
    }
    return status;
}

static og_status read_at(void *options, const og_option_row *row, const char *text,
                         og_message *message)
{
    command_request *request = options;
    request->at_count = 0;
    for (const char *rest = text; rest != NULL;) {
        char word[32];
        int64_t point;
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), rest);
        og_status status = og_option_whole(row, word, &point, message);
        if (status != OG_OK) {
            return status;
        }
        if (request->at_count == AT_MAX ||
            (request->at_count > 0 && point <= request->at[request->at_count - 1])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at takes at most %d budgets, each larger than the one before: "
                                  "'%.40s'",
                                  AT_MAX, word);
        }
        request->at = grow(request->at, (size_t)request->at_count + 1, sizeof *request->at);
        request->at[request->at_count++] = (int32_t)point;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

static og_status read_prior(void *options, const og_option_row *row, const char *text,
                            og_message *message)
{
    command_request *request = options;
    og_group group;
    (void)row;
    og_status status = og_group_parse(text, &group, message);
    if (status == OG_OK && group.count != 1) {
        status = og_message_set(message, OG_BAD_INPUT,
                                "--prior is the prior of every task, A,B[@D], not '%.64s'", text);
    }
    if (status == OG_OK) {
        request->prior = group;
    }
    return status;
}

static const og_option_row options[] = {
    OG_OPTION(PATH, "labels", "FILE", command_request, labels_file,
              .help = "the recorded labels, tab separated with the columns task, worker and label "
                      "(0 or 1); required",
              .required =
                  "--labels FILE is missing: the recorded labels, columns task, worker, label"),
    OG_OPTION(PATH, "gold", "FILE", command_request, gold_file,
              .help = "the true labels, tab separated with the columns task and label, one for "
                      "each task; required",
              .required = "--gold FILE is missing: the true labels, columns task, label"),
    OG_OPTION(CUSTOM, "budget", "N", command_request, budget,
              .help = "labels to give, all or a number", .letter = 'T', .most = OG_BUDGET_MAX,
              .fallback = "all", .what = "the budget (-T)", .read = read_budget),
    OG_OPTION(CUSTOM, "at", "N,N,...", command_request, at,
              .help = "budgets at which accuracy is reported, ascending; the last is always -T "
                      "(default: fifths of it)",
              .most = OG_BUDGET_MAX, .read = read_at),
    OG_OPTION(CUSTOM, "prior", "A,B[@D]", command_request, prior, .help = "the prior of every task",
              .fallback = "1,1", .read = read_prior),
    OG_OPTION_TABLE(policy_rows),
    OG_OPTION_TABLE(ties_rows),
    RUNS_ROW("20", "how many times every policy is played, each time with the labels in another "
                   "order"),
    SEED_ROW("1", "another seed gives other random numbers, the same seed the same ones"),
    OG_OPTION(EITHER, "final-ties", "RULE", command_request, final_positive,
              .help = "a task whose posterior is exactly undecided: half counts it half correct, "
                      "positive calls it positive",
              .fallback = "half", .choices = "half positive"),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION_TABLE(output_rows),
    OG_OPTION_LAST,
};

const command command_replay = {
    .name = "replay",
    .summary = "policies on recorded labels, against gold",
    .about = "Plays policies on recorded labels: each asks for a label of a task and gets one of "
             "those recorded, without replacement. Tells the accuracy of the calls against gold as "
             "the budget grows.",
    .details =
        "Example:\n"
        "\n"
        "  optgap replay --labels labels.tsv --gold gold.tsv --policies uniform,opt-kg\n"
        "\n"
        "All workers count alike. A task whose labels are used up leaves the choice; what looks "
        "ahead knows that no task can have more labels than are recorded. All policies meet the "
        "labels of a task in the same order in a run. Ties are random or first.\n"
        "\n"
        "JSON: all_labels_accuracy, policies[].name, .ties, .points[].labels, .accuracy, "
        ".standard_error, .low, .high, .seconds (processor time of one run so far), "
        ".table_seconds.",
    .options = options,
    .lists_policies = true,
    .run = run,
};
