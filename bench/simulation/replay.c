/*
 * Policies on recorded labels: chooses the budgets at which accuracy is reported, simulates, and
 * writes the document.
 */
#include "bench/simulation/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/recorded/accuracy.h"
#include "bench/recorded/columns.h"
#include "bench/simulation/curve.h"
#include "bench/simulation/ranking_document.h"
#include "bench/simulation/workers_document.h"

enum { STEPS = 5, COLUMNS = 5 };

typedef struct {
    const og_asked *asked;
    const og_replay_input *given; /* by it */
    const og_recorded_world *world;
    const og_replayed *found;
    char source[OG_FILES_BYTES];
} replay_report;

/* The name of the file, or of the first of several, for people. */
static void name_source(replay_report *seen)
{
    const og_recording *given = &seen->given->recording;
    og_files_words(seen->world->pairs != NULL   ? given->pairs_file
                   : given->labels_file != NULL ? given->labels_file
                   : seen->world->world != NULL ? given->gold_file
                                                : "labels",
                   seen->source);
}

static const char *name_of(const replay_report *seen, const og_simulate_row *row)
{
    return og_policy_name_shown(&seen->asked->policies[row->policy]);
}

/* Of comparisons: items, and workers if they are distinguished. */
static int32_t item_count(const replay_report *seen)
{
    return (int32_t)seen->world->pairs->pairs->item_count;
}

static int32_t crowd_count(const replay_report *seen)
{
    const og_recorded_pairs *from = seen->world->pairs;
    return from->prior.worker[0] > 0 ? (int32_t)from->pairs->worker_count : 0;
}

static void show_all_labels(og_document *document, const replay_report *seen)
{
    og_show_field(document, "All labels", "accuracy %.5g %%; ties %s",
                  100 * seen->found->runs.all_labels,
                  seen->given->recording.final_positive ? "are called positive" : "count half");
}

static void show_problem(og_document *document, const replay_report *seen)
{
    char words[OG_GROUP_TEXT_BYTES];
    og_group_format(&seen->world->prior, words, sizeof words);
    og_show_field(document, "Labels", "%s: %" PRId64 " of %" PRIu32 " tasks by %" PRIu32 " workers",
                  seen->source, seen->world->labels->label_count, seen->world->labels->task_count,
                  seen->world->labels->worker_count);
    const og_gold_count *gold = &seen->world->gold_count;
    if (seen->world->repeats > 0) {
        og_show_field(document, "Repeated",
                      "%" PRId64 " labels of a worker who had labelled the task",
                      seen->world->repeats);
    }
    if (gold->missing > 0 || gold->unknown > 0) {
        og_show_field(document, "Gold",
                      "none for %" PRId64 " tasks, which are omitted from the accuracy; %" PRId64
                      " rows for tasks without labels",
                      gold->missing, gold->unknown);
    }
    og_show_field(document, "Prior", "%s",
                  seen->given->task_priors_file != NULL ? seen->given->task_priors_file : words);
    if (seen->given->worker_priors_file != NULL) {
        og_show_field(document, "Workers", "%s", seen->given->worker_priors_file);
    } else if (seen->world->people != NULL) {
        const double *worker = seen->world->people->setting.worker;
        og_show_field(document, "Workers", "Beta(%.12g, %.12g) each", worker[0], worker[1]);
    }
    if (seen->world->price.num > 0) {
        og_fraction_format(seen->world->price, words, sizeof words);
        og_show_field(document, "Price", "%s a label; one may stop", words);
    }
    if (seen->world->arrivals != NULL) {
        og_replay_arrivals_show(seen->world->arrivals, document);
    } else {
        show_all_labels(document, seen);
    }
    og_show_field(document, "Runs", "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs.runs,
                  seen->asked->request.seed);
}

/* The name of the score reported in addition to accuracy. */
static const char *score_words(const replay_report *seen)
{
    bool paid = seen->world->prior.payoff.given, priced = seen->world->price.num > 0;
    return !paid ? "correct calls less prices" : priced ? "payoff less prices" : "payoff";
}

static void show_world_words(og_document *document, const replay_report *seen)
{
    const char *fill = seen->world->words->fill;
    og_show_paragraph(
        document,
        "Accuracy: share of the tasks called as gold says, a %s, +- half of its 95 %% interval, "
        "Wilson's. One run: processor time.",
        og_assignment_several(&seen->world->world->setting) ? "tie counting its share"
                                                            : "coin counting one half");
    if (fill != NULL && strcmp(fill, "accuracy") == 0) {
        og_show_paragraph(document,
                          "--fill accuracy draws independent errors, but recorded errors are not "
                          "independent: with many workers the tasks become easier.");
    }
}

static void show_score_words(og_document *document, const replay_report *seen)
{
    bool paid = seen->world->prior.payoff.given, priced = seen->world->price.num > 0;
    og_show_paragraph(
        document, "%s%s: of the tasks with gold.%s", paid ? "Payoff" : "Correct calls",
        priced ? " less prices" : "",
        priced ? " Labels are the most that a policy may buy. Policies stop when no index is above "
                 "the price; uniform and others that ignore it use all labels."
               : "");
}

/* Compare the other rows with the first. */
static void show_differences(og_document *document, const replay_report *seen)
{
    const og_simulate_row *first = &seen->found->runs.rows[0];
    if (seen->found->runs.row_count < 2 || first->status != OG_OK) {
        return;
    }
    og_show_paragraph(document,
                      "Accuracy minus that of %s (ties %s), run by run:", name_of(seen, first),
                      og_ties_name(first->ties));
    og_document *rows = og_show_rows(document);
    for (int32_t i = 1; i < seen->found->runs.row_count; i++) {
        const og_simulate_row *row = &seen->found->runs.rows[i];
        og_document *object = og_put_by_policy(rows, name_of(seen, row), row->ties);
        for (int32_t j = 0; row->status == OG_OK && j < seen->found->at_count; j++) {
            char name[32];
            const og_estimate *more = &row->difference[j];
            snprintf(name, sizeof name, "%" PRId32, seen->found->at[j]);
            og_show_cell(object, name, "%+.2f +-%.2f", 100 * more->mean,
                         50 * (more->high - more->low));
        }
    }
    og_curve_show(document, rows, seen->found->at, seen->found->at_count,
                  &(og_curve_words){"labels", "points more", ""});
}

static void show_readings(og_document *document, const replay_report *seen)
{
    for (int32_t i = 0; i < seen->found->runs.row_count; i++) {
        const og_simulate_row *row = &seen->found->runs.rows[i];
        if (i == 0 || row->policy != row[-1].policy) {
            og_show_reading(document, name_of(seen, row));
        }
        if (row->status != OG_OK) {
            og_show_paragraph(document, "Not replayed: %s (%s): %s", name_of(seen, row),
                              og_ties_name(row->ties), row->message.text);
        }
    }
}

static void show_tables(og_document *document, const replay_report *seen,
                        const og_document *policies)
{
    if (seen->world->arrivals != NULL) {
        og_replay_arrivals_show_table(seen->world->arrivals, policies, document);
        show_readings(document, seen);
        return;
    }
    og_curve_show(document, policies, seen->found->at, seen->found->at_count,
                  &(og_curve_words){"labels", "accuracy, %", ""});
    if (seen->found->scored) {
        og_curve_show(document, policies, seen->found->at, seen->found->at_count,
                      &(og_curve_words){"labels", score_words(seen), "score "});
    }
    show_differences(document, seen);
    og_document *table = og_show_by_policy(document, policies);
    if (seen->world->price.num > 0) {
        og_show_column(table, "labels\nbought", 'd', "bought", OG_SHOW_PLAIN);
    }
    og_show_column(table, "one run,\nseconds", 'd', "one run", OG_SHOW_PLAIN);
    og_show_column(table, "tables,\nseconds", 'd', "table_seconds", OG_SHOW_PLAIN);
    if (seen->world->world != NULL) {
        show_world_words(document, seen);
    } else if (seen->world->pairs != NULL) {
        og_show_paragraph(
            document,
            "Accuracy: share of the pairs of items ranked as their scores are, +- half of its 95 "
            "%% "
            "interval, Wilson's; pairs of equal scores are always right. Comparisons are drawn "
            "from those recorded, without replacement. One run: processor time.");
    } else {
        og_show_paragraph(
            document,
            "Accuracy: share of the tasks called as gold says, +- half of its 95 %% interval, "
            "Wilson's. Labels are drawn from those recorded, without replacement; a task without "
            "further labels cannot be chosen. One run: processor time.");
        if (seen->found->scored) {
            show_score_words(document, seen);
        }
    }
    show_readings(document, seen);
}

/* Add an estimate of these metrics at the j-th budget. */
static void put_mean(og_document *object, const og_simulate_row *row, const og_estimate *estimate)
{
    bool valued = row->status == OG_OK;
    og_put_result(object, "mean", valued, estimate->mean);
    og_put_result(object, "standard_error", valued, estimate->standard_error);
}

/* Add the difference of a metric from the first row's, run by run. */
static void put_difference(og_document *object, const og_simulate_row *row, int32_t metric)
{
    const og_estimate *estimate = &row->difference[metric];
    og_document *difference = og_put_object(object, "difference");
    put_mean(difference, row, estimate);
    if (row->status == OG_OK) {
        og_put_numbers(difference, "interval", (const double[]){estimate->low, estimate->high}, 2);
    } else {
        og_put_null(difference, "interval");
    }
}

/* Add the other metrics of a world at a budget, and their differences from the first row. */
static void put_world_point(og_document *point, const replay_report *seen,
                            const og_simulate_row *row, int32_t j)
{
    static const char *const labels[] = {"labels_given", "labels_new", "labels_right"};
    static const char *const callers[] = {"majority", "called"};
    int32_t count = seen->found->at_count;
    for (int32_t k = 0; k < 3; k++) {
        og_put_number(point, labels[k],
                      row->status == OG_OK ? row->metric[(2 + k) * count + j].mean : NAN);
    }
    for (int32_t k = 0; k < (seen->world->world->label == NULL ? 2 : 1); k++) {
        int32_t at = (5 + k) * count + j;
        og_document *object = og_put_object(point, callers[k]);
        put_mean(object, row, &row->metric[at]);
        put_difference(object, row, at);
    }
}

/* Add the score at the j-th budget, the worth of calls less the prices paid, and its difference
 * from the first row. */
static void put_score(og_document *object, og_document *point, const replay_report *seen,
                      const og_simulate_row *row, int32_t j)
{
    int32_t bought = 2 * seen->found->at_count + j, score = 3 * seen->found->at_count + j;
    const og_estimate *estimate = &row->metric[score];
    og_put_number(point, "bought", row->status == OG_OK ? row->metric[bought].mean : NAN);
    og_document *scored = og_put_object(point, "score");
    put_mean(scored, row, estimate);
    put_difference(scored, row, score);
    if (row->status == OG_OK) {
        char name[64];
        snprintf(name, sizeof name, "score %" PRId32, seen->found->at[j]);
        og_show_cell(object, name, "%.5g +-%.2g", estimate->mean,
                     (estimate->high - estimate->low) / 2);
    }
}

static void put_points(og_document *object, const replay_report *seen, const og_simulate_row *row)
{
    og_document *points = og_put_array(object, "points");
    bool valued = row->status == OG_OK;
    for (int32_t j = 0; j < seen->found->at_count; j++) {
        const og_estimate *accuracy = &row->metric[j];
        char name[32];
        og_document *point = og_put_object(points, NULL);
        og_put_whole(point, "labels", (uint64_t)seen->found->at[j]);
        og_put_number(point, "accuracy", valued ? accuracy->mean : NAN);
        og_put_number(point, "standard_error", valued ? accuracy->standard_error : NAN);
        og_put_number(point, "low", valued ? accuracy->low : NAN);
        og_put_number(point, "high", valued ? accuracy->high : NAN);
        og_put_number(point, "seconds", valued ? row->metric[seen->found->at_count + j].mean : NAN);
        put_difference(point, row, j);
        if (seen->world->world != NULL) {
            put_world_point(point, seen, row, j);
        }
        if (seen->world->people != NULL && valued) {
            og_workers_put_point(name_of(seen, row), accuracy, seen->found->at_count, point);
        }
        if (seen->found->scored) {
            put_score(object, point, seen, row, j);
        }
        if (valued) {
            snprintf(name, sizeof name, "%" PRId32, seen->found->at[j]);
            og_show_cell(object, name, "%.2f +-%.2f", 100 * accuracy->mean,
                         50 * (accuracy->high - accuracy->low));
        }
    }
}

static void put_row(og_document *policies, const replay_report *seen, const og_simulate_row *row)
{
    og_document *object = og_put_by_policy(policies, name_of(seen, row), row->ties);
    bool valued = row->status == OG_OK;
    og_put_text(object, "status", valued ? "ok" : "not replayed");
    if (!valued) {
        og_put_text(object, "message", row->message.text);
    }
    if (seen->world->arrivals == NULL) {
        put_points(object, seen, row);
    } else if (valued) {
        og_replay_arrivals_put_row(seen->world->arrivals, row, object);
    }
    og_put_number(object, "table_seconds", row->table_seconds);
    og_put_whole(object, "tolerance_ties", row->tolerance_ties);
    og_show_cell(object, "table_seconds", "%.3f", row->table_seconds);
    if (valued && row->labels != NULL && seen->world->pairs != NULL) {
        og_ranking_put_counts(item_count(seen), crowd_count(seen), row->labels, object);
    }
    if (valued && seen->world->arrivals == NULL) {
        og_show_cell(object, "one run", "%.3f", row->metric[2 * seen->found->at_count - 1].mean);
        if (seen->found->scored) {
            og_show_cell(object, "bought", "%.5g", row->metric[3 * seen->found->at_count - 1].mean);
        }
    }
}

static void put_labels(og_document *document, const replay_report *seen)
{
    og_put_whole(document, "labels", (uint64_t)seen->world->labels->label_count);
    og_put_whole(document, "tasks", seen->world->labels->task_count);
    og_put_whole(document, "workers", seen->world->labels->worker_count);
    og_put_whole(document, "tasks_without_gold", (uint64_t)seen->world->gold_count.missing);
    og_put_whole(document, "gold_without_labels", (uint64_t)seen->world->gold_count.unknown);
    og_put_whole(document, "repeated_labels", (uint64_t)seen->world->repeats);
    og_put_parameters(document, "prior", &seen->world->prior);
    if (seen->given->task_priors_file != NULL) {
        og_put_text(document, "task_priors", seen->given->task_priors_file);
    }
    if (seen->given->worker_priors_file != NULL) {
        og_put_text(document, "worker_priors", seen->given->worker_priors_file);
    } else if (seen->world->people != NULL) {
        const og_workers_setting *setting = &seen->world->people->setting;
        og_workers_put_belief(document, "workers_prior", setting->form, setting->worker);
    }
    if (seen->world->price.num > 0) {
        og_put_number(document, "price", og_fraction_double(seen->world->price));
    }
    if (seen->world->prior.payoff.given) {
        og_put_payoff(document, &seen->world->prior.payoff);
    }
    og_put_whole(document, "runs", (uint64_t)seen->found->runs.runs);
    og_put_whole(document, "seed", seen->asked->request.seed);
    og_put_text(document, "final_ties",
                seen->given->recording.final_positive ? "positive" : "half");
    if (seen->world->arrivals != NULL) {
        og_replay_arrivals_put(seen->world->arrivals, document);
    } else {
        og_put_number(document, "all_labels_accuracy", seen->found->runs.all_labels);
    }
}

static void put_pairs(og_document *document, const replay_report *seen)
{
    const og_recorded_pairs *from = seen->world->pairs;
    og_put_whole(document, "comparisons", (uint64_t)from->pairs->count);
    og_put_whole(document, "items", from->pairs->item_count);
    og_put_whole(document, "workers", from->pairs->worker_count);
    og_put_whole(document, "skipped", (uint64_t)from->pairs->skipped);
    og_put_number(document, "item_prior", from->prior.item);
    if (from->prior.worker[0] > 0) {
        og_put_numbers(document, "workers_prior", from->prior.worker, 2);
    } else {
        og_put_null(document, "workers_prior");
    }
    og_put_whole(document, "runs", (uint64_t)seen->found->runs.runs);
    og_put_whole(document, "seed", seen->asked->request.seed);
}

static void show_pairs(og_document *document, const replay_report *seen)
{
    const og_recorded_pairs *from = seen->world->pairs;
    og_show_field(document, "Comparisons",
                  "%s: %" PRId64 " of %" PRIu32 " items by %" PRIu32 " workers", seen->source,
                  from->pairs->count, from->pairs->item_count, from->pairs->worker_count);
    og_show_field(document, "Prior", "%.12g for every item", from->prior.item);
    if (from->prior.worker[0] > 0) {
        og_show_field(document, "Workers", "Beta(%.12g, %.12g) each", from->prior.worker[0],
                      from->prior.worker[1]);
    }
    og_show_field(document, "Runs", "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs.runs,
                  seen->asked->request.seed);
}

/* ---- a world of task assignment ---- */

static void put_world(og_document *document, const replay_report *seen)
{
    const og_assignment_world *from = seen->world->world;
    const og_replay_words *words = seen->world->words;
    og_put_whole(document, "tasks", (uint64_t)from->setting.tasks);
    og_put_whole(document, "workers", (uint64_t)from->setting.workers);
    og_put_whole(document, "contexts", (uint64_t)from->setting.contexts);
    if (og_assignment_several(&from->setting)) {
        og_document *names = og_put_array(document, "classes");
        for (int32_t k = 0; k < words->classes->count; k++) {
            og_put_text(names, NULL, words->classes->name[k]);
        }
    }
    og_put_text(document, "crowd", words->crowd);
    og_put_text(document, "fill", words->fill);
    if (from->label != NULL) {
        og_put_whole(document, "labels", (uint64_t)words->recorded);
        og_put_number(document, "fill_accuracy", words->fill_right);
    }
    og_put_whole(document, "runs", (uint64_t)seen->found->runs.runs);
    og_put_whole(document, "seed", seen->asked->request.seed);
    og_put_number(document, "all_labels_accuracy", seen->found->runs.all_labels);
}

/* Add a row for each interval of accuracies: the number of workers in it over all tasks, and in
 * each context. */
static og_document *put_accuracies(og_document *document, const replay_report *seen)
{
    const double *workers = seen->world->words->accuracies;
    int32_t contexts = seen->world->world->setting.contexts;
    og_document *rows = og_put_array(document, "workers_by_accuracy");
    for (int32_t k = 0; k < OG_ACCURACY_BINS; k++) {
        double all = workers[contexts * OG_ACCURACY_BINS + k], sum = all;
        double low = (double)k / OG_ACCURACY_BINS, high = (k + 1.) / OG_ACCURACY_BINS;
        og_document *row = og_put_object(rows, NULL);
        og_put_number(row, "low", low);
        og_put_number(row, "high", high);
        og_put_number(row, "workers", all);
        og_document *array = og_put_array(row, "by_context");
        og_show_cell(row, "accuracy", "%.2f .. %.2f", low, high);
        og_show_cell(row, "workers", "%.4g", all);
        for (int32_t s = 0; s < contexts; s++) {
            char name[32];
            double own = workers[s * OG_ACCURACY_BINS + k];
            og_put_number(array, NULL, own);
            snprintf(name, sizeof name, "%" PRId32, s + 1);
            og_show_cell(row, name, "%.4g", own);
            sum += own;
        }
        if (sum == 0) {
            og_show_hide(row);
        }
    }
    return rows;
}

static void show_accuracies_of_workers(og_document *document, const replay_report *seen,
                                       const og_document *rows)
{
    int32_t contexts = seen->world->world->setting.contexts;
    og_document *table = og_show_table(document, rows);
    og_show_column(table, "accuracy of\nworkers", 'l', "accuracy", OG_SHOW_PLAIN);
    og_show_column(table, "all\ntasks", 'd', "workers", OG_SHOW_PLAIN);
    for (int32_t s = 0; contexts > 1 && s < contexts && s < COLUMNS; s++) {
        char heading[32], name[32];
        snprintf(name, sizeof name, "%" PRId32, s + 1);
        snprintf(heading, sizeof heading, "context\n%" PRId32, s + 1);
        og_show_column(table, heading, 'd', name, OG_SHOW_PLAIN);
    }
    og_show_paragraph(document,
                      "Accuracy of workers: how many have one in this interval (%s)%s. Intervals "
                      "without a worker are omitted%s.",
                      seen->world->words->crowd != NULL
                          ? "the mean over the runs of their probabilities to be right"
                          : "recorded labels against gold, without those filled in",
                      contexts > 1 ? ", over all tasks and in each context" : "",
                      contexts > COLUMNS ? ", and contexts beyond the fifth; --json has all" : "");
}

static void show_world(og_document *document, const replay_report *seen)
{
    const og_assignment_world *from = seen->world->world;
    const og_replay_words *words = seen->world->words;
    og_show_field(document, "Tasks", "%s: %" PRId32 ", %" PRId32 " context%s", seen->source,
                  from->setting.tasks, from->setting.contexts,
                  from->setting.contexts == 1 ? "" : "s");
    if (words->crowd != NULL) {
        og_show_field(document, "Workers", "%s, drawn for each run", words->crowd);
    } else {
        og_show_field(document, "Workers", "%" PRId32 ", with %" PRId64 " labels; --fill %s",
                      from->setting.workers, words->recorded, words->fill);
        og_show_field(document, "All labels", "%s right %.5g %%",
                      og_assignment_several(&from->setting) ? "plurality" : "majority",
                      100 * seen->found->runs.all_labels);
    }
    if (from->label != NULL && from->setting.there == NULL && !isnan(words->fill_right)) {
        og_show_field(document, "Filled", "labels right %.5g %%", 100 * words->fill_right);
    }
    og_show_field(document, "Runs", "%" PRId64 " (seed %" PRIu64 ")", seen->found->runs.runs,
                  seen->asked->request.seed);
}

og_document *og_replayed_describe(const og_asked *asked, const og_recorded_world *world,
                                  og_replayed *found)
{
    replay_report report = {asked, asked->given, world, found, ""};
    const replay_report *seen = &report;
    og_document *document = og_document_new();
    name_source(&report);
    if (world->world != NULL) {
        put_world(document, seen);
    } else if (world->pairs != NULL) {
        put_pairs(document, seen);
    } else {
        put_labels(document, seen);
    }
    bool counted = world->world != NULL && world->words->accuracies != NULL;
    const og_document *accuracies = counted ? put_accuracies(document, seen) : NULL;
    og_document *policies = og_put_array(document, "policies");
    for (int32_t i = 0; i < seen->found->runs.row_count; i++) {
        put_row(policies, seen, &seen->found->runs.rows[i]);
    }
    og_put_all(document, found->runs.result);
    found->runs.result = NULL;
    if (world->world != NULL) {
        show_world(document, seen);
    } else if (world->pairs != NULL) {
        show_pairs(document, seen);
    } else {
        show_problem(document, seen);
    }
    show_tables(document, seen, policies);
    if (counted) {
        show_accuracies_of_workers(document, seen, accuracies);
    }
    for (int32_t i = 0; i < seen->found->runs.row_count; i++) {
        const og_simulate_row *row = &seen->found->runs.rows[i];
        if (row->status == OG_OK && row->labels != NULL && world->pairs != NULL) {
            og_ranking_show_counts(item_count(seen), crowd_count(seen), name_of(seen, row),
                                   row->labels, document);
        }
    }
    return document;
}

/* ---- the runs ---- */

/* Find the budgets at which to report accuracy: those given plus the whole one, or equal steps up
 * to it. */
static og_status find_points(const og_recording *given, const og_recorded_world *world, int32_t *at,
                             int32_t *count, og_message *message)
{
    if (world->arrivals != NULL) {
        at[0] = world->arrivals->world.workers;
        *count = 1;
        return OG_OK;
    }
    int64_t recorded = world->world != NULL   ? world->world->setting.budget
                       : world->pairs != NULL ? world->pairs->pairs->count
                                              : world->labels->label_count;
    int64_t budget = given->budget < 0 ? recorded : given->budget;
    int32_t used = 0;
    if (budget > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%" PRId64 " labels are too many; give at most %d", budget,
                              OG_BUDGET_MAX);
    }
    if (given->at_count > 0) {
        return og_curve_budgets(&(og_curve){.at = given->at, .at_count = given->at_count}, budget,
                                "labels", at, count, message);
    }
    for (int32_t i = 1; i <= STEPS; i++) {
        int32_t point = (int32_t)(budget * i / STEPS);
        if (used == 0 || point > at[used - 1]) {
            at[used++] = point;
        }
    }
    if (at[used - 1] < budget) {
        at[used++] = (int32_t)budget;
    }
    *count = used;
    return OG_OK;
}

/* Simulate with the budgets that are found. */
static og_status play(const og_asked *asked, const og_recorded_world *world, og_replayed *out,
                      og_message *message)
{
    const og_replay_input *given = asked->given;
    const og_recorded recorded = {.labels = world->labels,
                                  .gold = world->gold,
                                  .prior = &world->prior,
                                  .at = out->at,
                                  .at_count = out->at_count,
                                  .final_ties = given->recording.final_positive ? OG_FINAL_POSITIVE
                                                                                : OG_FINAL_HALF,
                                  .price = world->price};
    og_recorded_pairs pairs = {.pairs = NULL};
    og_assignment_world tasks = {.at_count = 0};
    og_workers_world people = {.at_count = 0};
    og_source source;
    out->scored = false;
    if (world->arrivals != NULL) {
        source = og_source_recorded_delayed(&world->arrivals->world);
    } else if (world->people != NULL) {
        people = *world->people;
        people.at = out->at;
        people.at_count = out->at_count;
        source = og_source_workers(&people);
    } else if (world->world != NULL) {
        tasks = *world->world;
        tasks.setting.budget = out->at[out->at_count - 1];
        tasks.at = out->at;
        tasks.at_count = out->at_count;
        source = og_source_assignment(&tasks);
    } else if (world->pairs != NULL) {
        pairs = *world->pairs;
        pairs.at = out->at;
        pairs.at_count = out->at_count;
        source = og_source_recorded_pairs(&pairs);
    } else {
        out->scored = og_recorded_scored(&recorded);
        source = og_source_recorded(&recorded);
    }
    source.rows_may_fail = world->arrivals == NULL; /* bad events end the call */
    return og_simulate_run(asked, &source, &out->runs, message);
}

og_status og_replay_run(const og_asked *asked, const og_recorded_world *world, og_replayed *out,
                        og_message *message)
{
    const og_recording *given = asked->given; /* of an og_replay_input the first member */
    og_replayed made = {.at = calloc((size_t)given->at_count + STEPS + 2, sizeof *made.at)};
    og_status status = OG_ALLOCATED(made.at);
    OG_THEN(status, find_points(given, world, made.at, &made.at_count, message));
    OG_THEN(status, play(asked, world, &made, message));
    if (status != OG_OK) {
        free(made.at);
        return status;
    }
    *out = made;
    return OG_OK;
}

void og_replayed_clear(og_replayed *replayed)
{
    og_simulation_clear(&replayed->runs);
    free(replayed->at);
    *replayed = (og_replayed){.at = NULL};
}
