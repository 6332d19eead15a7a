/* replay: policies on recorded labels, against gold. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/gold.h"
#include "bench/simulation/simulate.h"
#include "tools/command/commands.h"
#include "tools/show/json.h"
#include "tools/show/memory.h"
#include "tools/show/number.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { STEPS = 5, COLUMNS = 5, AT_MAX = 10000 };

typedef struct {
    const request *asked;
    const og_simulation *found;
    const og_labels *labels;
    const int32_t *at;
    int32_t at_count;
} report;

static const char *name_of(const report *seen, const og_simulate_row *row)
{
    return seen->asked->policies[row->policy].name;
}

static void print_problem(const report *seen)
{
    char words[OG_GROUP_TEXT_BYTES];
    table *fields = fields_new();
    og_group_format(&seen->asked->problem.groups[0], words, sizeof words);
    table_cell(fields, "Labels");
    table_cell(fields, "%s: %" PRId64 " of %" PRIu32 " tasks by %" PRIu32 " workers",
               seen->asked->labels_file, seen->labels->label_count, seen->labels->task_count,
               seen->labels->worker_count);
    table_cell(fields, "Prior");
    table_cell(fields, "%s", words);
    table_cell(fields, "All labels");
    table_cell(fields, "accuracy %.5g %%; ties %s", 100 * seen->found->all_labels,
               seen->asked->final_positive ? "are called positive" : "count half");
    table_cell(fields, "Runs");
    table_cell(fields, "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs, seen->asked->seed);
    fields_print(fields);
}

/* Accuracies at some of the budgets, one column each. */
static void print_accuracies(const report *seen, int32_t first, int32_t count)
{
    char heading[COLUMNS][32];
    const char *headings[COLUMNS + 2] = {"accuracy, %", "ties"};
    char align[COLUMNS + 3] = "ll";
    for (int32_t j = 0; j < count; j++) {
        snprintf(heading[j], sizeof heading[j], "%" PRId32 "\nlabels", seen->at[first + j]);
        headings[j + 2] = heading[j];
        align[j + 2] = 'l';
    }
    align[count + 2] = '\0';
    table *grid = table_new(align, headings);
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        table_cell(grid, "%s", name_of(seen, row));
        table_cell(grid, "%s", og_ties_name(row->ties));
        for (int32_t j = 0; j < count; j++) {
            const og_estimate *accuracy = &row->metric[first + j];
            if (row->status == OG_OK) {
                table_cell(grid, "%.2f +-%.2f", 100 * accuracy->mean,
                           50 * (accuracy->high - accuracy->low));
            } else {
                table_cell(grid, "-");
            }
        }
    }
    table_print(grid, stdout);
    table_free(grid);
}

static void print_times(const report *seen)
{
    static const char *const headings[] = {"policy", "ties", "one run,\nseconds",
                                           "tables,\nseconds"};
    table *grid = table_new("lldd", headings);
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status == OG_OK) {
            table_cell(grid, "%s", name_of(seen, row));
            table_cell(grid, "%s", og_ties_name(row->ties));
            table_cell(grid, "%.3f", row->metric[2 * seen->at_count - 1].mean);
            table_cell(grid, "%.3f", row->table_seconds);
        }
    }
    table_print(grid, stdout);
    table_free(grid);
}

static void print_table(const report *seen)
{
    print_problem(seen);
    for (int32_t first = 0; first < seen->at_count; first += COLUMNS) {
        int32_t rest = seen->at_count - first;
        putchar('\n');
        print_accuracies(seen, first, rest < COLUMNS ? rest : COLUMNS);
    }
    putchar('\n');
    print_times(seen);
    putchar('\n');
    print_paragraph(
        stdout,
        "Accuracy: share of the tasks called as gold says, mean of the runs and half of "
        "its 95 %% interval. Labels are drawn from those recorded, without "
        "replacement; a task whose labels are used up leaves the choice. One run: "
        "processor time for all %" PRId32 " labels.",
        seen->at[seen->at_count - 1]);
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        const og_simulate_row *row = &seen->found->rows[i];
        if (row->status != OG_OK) {
            print_paragraph(
                stdout, "Not replayed: %s (%s): %s", name_of(seen, row), og_ties_name(row->ties),
                row->message.text[0] != '\0' ? row->message.text : og_status_text(row->status));
        }
    }
}

static json_t *row_json(const report *seen, const og_simulate_row *row)
{
    json_t *object = object_new();
    json_t *points = array_new();
    bool valued = row->status == OG_OK;
    object_put(object, "name", phrase(name_of(seen, row)));
    object_put(object, "ties", phrase(og_ties_name(row->ties)));
    object_put(object, "status", phrase(valued ? "ok" : "not replayed"));
    if (!valued) {
        object_put(object, "message", phrase(row->message.text));
    }
    for (int32_t j = 0; j < seen->at_count; j++) {
        const og_estimate *accuracy = &row->metric[j];
        json_t *point = object_new();
        object_put(point, "labels", whole((uint64_t)seen->at[j]));
        object_put(point, "accuracy", real(valued ? accuracy->mean : NAN));
        object_put(point, "standard_error", real(valued ? accuracy->standard_error : NAN));
        object_put(point, "low", real(valued ? accuracy->low : NAN));
        object_put(point, "high", real(valued ? accuracy->high : NAN));
        object_put(point, "seconds", real(valued ? row->metric[seen->at_count + j].mean : NAN));
        array_add(points, point);
    }
    object_put(object, "points", points);
    object_put(object, "table_seconds", real(row->table_seconds));
    object_put(object, "tolerance_ties", whole(row->tolerance_ties));
    return object;
}

static void print_json(const report *seen)
{
    json_t *document = object_new();
    json_t *policies = array_new();
    object_put(document, "labels", whole((uint64_t)seen->labels->label_count));
    object_put(document, "tasks", whole(seen->labels->task_count));
    object_put(document, "workers", whole(seen->labels->worker_count));
    object_put(document, "prior", parameters(&seen->asked->problem.groups[0]));
    object_put(document, "runs", whole((uint64_t)seen->found->runs));
    object_put(document, "seed", whole(seen->asked->seed));
    object_put(document, "final_ties", phrase(seen->asked->final_positive ? "positive" : "half"));
    object_put(document, "all_labels_accuracy", real(seen->found->all_labels));
    for (int32_t i = 0; i < seen->found->row_count; i++) {
        array_add(policies, row_json(seen, &seen->found->rows[i]));
    }
    object_put(document, "policies", policies);
    document_print(document);
}

/* The budgets to tell accuracy at: as given, which end with T, or steps to it. */
static og_status find_points(const request *asked, const og_labels *labels, int32_t *at,
                             int32_t *count, og_message *message)
{
    int64_t budget = asked->left_open ? labels->label_count : asked->budget;
    if (budget > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "%" PRId64 " labels are more than %d", budget,
                              OG_BUDGET_MAX);
    }
    *count = 0;
    for (int32_t i = 0; i < asked->at_count; i++) {
        if (asked->at[i] > budget) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at %" PRId32 " is more than the budget of %" PRId64 " labels",
                                  asked->at[i], budget);
        }
        at[(*count)++] = asked->at[i];
    }
    for (int32_t i = 1; asked->at_count == 0 && i <= STEPS; i++) {
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

static og_status replay(const request *asked, og_labels *labels, int32_t *at, int32_t *at_count,
                        og_simulation *found, og_message *message)
{
    og_status status = og_labels_read(asked->labels_file, labels, message);
    uint8_t *gold = status == OG_OK ? allocate(labels->task_count, 1) : NULL;
    if (status == OG_OK) {
        status = og_gold_read(asked->gold_file, labels, gold, message);
    }
    if (status == OG_OK) {
        status = find_points(asked, labels, at, at_count, message);
    }
    if (status == OG_OK) {
        og_recorded recorded = {
            .labels = labels,
            .gold = gold,
            .prior = &asked->problem.groups[0],
            .at = at,
            .at_count = *at_count,
            .final_ties = asked->final_positive ? OG_FINAL_POSITIVE : OG_FINAL_HALF,
        };
        og_source source = og_source_recorded(&recorded);
        og_simulate_request wanted = {
            .source = &source,
            .policies = asked->policies,
            .policy_count = asked->policy_count,
            .ties = asked->ties,
            .ties_count = asked->ties_count,
            .runs = asked->runs,
            .seed = asked->seed,
            .threads = asked->settings.threads,
            .memory_bytes = asked->settings.memory_bytes,
            .rows_may_fail = true,
            .interrupted = is_interrupted,
            .progress = show_progress,
        };
        status = og_simulate(&wanted, found, message);
    }
    free(gold);
    show_stage(NULL);
    return status;
}

static int run(request *asked)
{
    og_message message = {""};
    og_labels labels = {0};
    og_simulation found = {.rows = NULL};
    int32_t at_count = 0;
    int32_t *at = allocate((size_t)asked->at_count + STEPS + 2, sizeof *at);
    progress_catch_signals();
    og_status status = replay(asked, &labels, at, &at_count, &found, &message);
    int code;
    if (status != OG_OK) {
        code = complain(status, &message);
    } else {
        report seen = {asked, &found, &labels, at, at_count};
        if (asked->json) {
            print_json(&seen);
        } else {
            print_table(&seen);
        }
        code = progress_interrupted() ? EXIT_LIMIT : EXIT_RESULT;
    }
    og_simulation_clear(&found);
    og_labels_clear(&labels);
    free(at);
    return code;
}

static og_status read_labels(request *asked, const char *text, og_message *message)
{
    (void)message;
    asked->labels_file = text;
    return OG_OK;
}

static og_status read_gold(request *asked, const char *text, og_message *message)
{
    (void)message;
    asked->gold_file = text;
    return OG_OK;
}

static og_status read_whole_budget(request *asked, const char *text, og_message *message)
{
    asked->left_open = strcmp(text, "all") == 0;
    return asked->left_open ? OG_OK : read_budget(asked, text, message);
}

static og_status read_at(request *asked, const char *text, og_message *message)
{
    asked->at_count = 0;
    for (const char *rest = text; rest != NULL;) {
        char word[32];
        int64_t point;
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), rest);
        og_status status = read_integer(word, "--at", 0, OG_BUDGET_MAX, &point, message);
        if (status != OG_OK) {
            return status;
        }
        if (asked->at_count == AT_MAX ||
            (asked->at_count > 0 && point <= asked->at[asked->at_count - 1])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--at takes at most %d budgets, each larger than the one before: "
                                  "'%.40s'",
                                  AT_MAX, word);
        }
        asked->at = grow(asked->at, (size_t)asked->at_count + 1, sizeof *asked->at);
        asked->at[asked->at_count++] = (int32_t)point;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

static og_status read_prior(request *asked, const char *text, og_message *message)
{
    og_problem_clear(&asked->problem);
    og_problem_init(&asked->problem, 0);
    og_status status = read_instance(asked, text, message);
    if (status == OG_OK && asked->problem.groups[0].count != 1) {
        status = og_message_set(message, OG_BAD_INPUT,
                                "--prior is the prior of every task, A,B[@D], not '%.64s'", text);
    }
    return status;
}

static og_status read_final_ties(request *asked, const char *text, og_message *message)
{
    asked->final_positive = strcmp(text, "positive") == 0;
    if (!asked->final_positive && strcmp(text, "half") != 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--final-ties must be half or positive, not '%.64s'", text);
    }
    return OG_OK;
}

static const option option_labels = {
    .name = "labels",
    .argument = "FILE",
    .required = "--labels FILE is missing: the recorded labels, columns task, worker, label",
    .help = "the recorded labels, tab separated with the columns task, worker and label (0 or 1); "
            "required",
    .read = read_labels,
};

static const option option_gold = {
    .name = "gold",
    .argument = "FILE",
    .required = "--gold FILE is missing: the true labels, columns task, label",
    .help = "the true labels, tab separated with the columns task and label, one for each task; "
            "required",
    .read = read_gold,
};

static const option option_replay_budget = {
    .name = "budget",
    .letter = 'T',
    .argument = "N",
    .fallback = "all",
    .help = "labels to give, all or a number",
    .read = read_whole_budget,
};

static const option option_at = {
    .name = "at",
    .argument = "N,N,...",
    .help = "budgets at which accuracy is told, ascending; the last is always -T (default: fifths "
            "of it)",
    .read = read_at,
};

static const option option_replay_prior = {
    .name = "prior",
    .argument = "A,B[@D]",
    .fallback = "1,1",
    .help = "the prior of every task",
    .read = read_prior,
};

static const option option_replay_runs = {
    .name = "runs",
    .argument = "N",
    .fallback = "20",
    .help = "how many times every policy is played, each time with the labels in another order",
    .read = read_runs,
};

static const option option_replay_seed = {
    .name = "seed",
    .argument = "N",
    .fallback = "1",
    .help = "another seed gives other random numbers, the same seed the same ones",
    .read = read_seed,
};

static const option option_final_ties = {
    .name = "final-ties",
    .argument = "RULE",
    .fallback = "half",
    .help = "a task whose posterior is exactly undecided: half counts it half correct, positive "
            "calls it positive",
    .read = read_final_ties,
};

static const option *const options[] = {
    &option_labels,
    &option_gold,
    &option_replay_budget,
    &option_at,
    &option_replay_prior,
    &option_policy,
    &option_policies,
    &option_policy_timeout,
    &option_ties,
    &option_replay_runs,
    &option_replay_seed,
    &option_final_ties,
    &option_threads,
    &option_memory,
    &option_quiet,
    &option_json,
    NULL,
};

const command command_replay = {
    .name = "replay",
    .summary = "policies on recorded labels, against gold",
    .arguments = NULL,
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
