/* Policies on recorded labels: from files or arrays to a report. */
#include <stdlib.h>
#include <string.h>

#include "bench/public/recording.h"
#include "bench/public/replayed.h"
#include "bench/recorded/coins.h"
#include "bench/simulation/labelers_replay.h"
#include "bench/simulation/replay.h"
#include "dp/base/rows.h"

static og_status read_prior(const char *text, int32_t classes, og_group *out, og_message *message)
{
    char ones[2 * OG_CLASSES_MAX] = "";
    for (int32_t k = 0; k < classes; k++) {
        strcat(ones, k > 0 ? ",1" : "1");
    }
    OG_TRY(og_group_parse_paid(text != NULL ? text : ones, out, message));
    return out->count == 1
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--prior must be the prior of every task, A,B[@D], not '%.64s'",
                                text);
}

static og_status check_points(const og_recording *given, og_message *message)
{
    for (int32_t i = 0; i < given->at_count; i++) {
        if (given->at[i] < 0 || (i > 0 && given->at[i] <= given->at[i - 1])) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "each budget of `at` must be at least 0 and larger than the one before, not %d",
                (int)given->at[i]);
        }
    }
    return OG_OK;
}

static og_status read_gold(const og_recording *given, const og_labels *labels,
                           const og_settings *settings, uint8_t *gold, og_gold_count *count,
                           og_message *message)
{
    if (given->labels_file != NULL) {
        return og_gold_read(given->gold_file, labels, settings, gold, count, message);
    }
    for (uint32_t i = 0; i < labels->task_count; i++) {
        if (given->gold[i] > 1) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the gold label of task %lu must be 0 or 1, not %d",
                                  (unsigned long)i, given->gold[i]);
        }
        gold[i] = given->gold[i];
    }
    return OG_OK;
}

static og_report_policy played(og_asked *asked, const og_replayed *found,
                               const og_simulate_row *row)
{
    og_report_policy out = og_report_row(asked, row->policy, row->ties, row->status, &row->message);
    if (row->status == OG_OK) {
        int32_t count = found->at_count, last = count - 1;
        int32_t value = found->scored ? 3 * count + last : last;
        og_report_estimate(&out, &row->metric[value], &row->difference[value]);
        out.accuracy = row->metric[last].mean;
    }
    return out;
}

void og_asked_report_played(og_asked *asked, const og_replayed *found)
{
    og_report *report = &asked->box->report;
    og_report_policy *row = og_report_rows(asked->box, found->runs.row_count);
    for (int32_t i = 0; i < report->policy_count; i++) {
        row[i] = played(asked, found, &found->runs.rows[i]);
    }
    report->runs = found->runs.runs;
    report->seconds = found->runs.seconds;
}

og_status og_asked_replay(og_asked *asked, const og_replay_request *wanted, const char *gold_file,
                          og_message *message)
{
    og_replayed found = {.at = NULL};
    OG_TRY(og_replay_run(asked, wanted, &found, message));
    og_asked_report_played(asked, &found);
    asked->box->document = og_replayed_describe(asked, wanted, &found);
    og_replayed_clear(&found);
    if (wanted->labels != NULL && gold_file != NULL) {
        og_labels_warning(wanted->labels, wanted->name, &asked->warning);
        og_rows_note(&asked->warning, gold_file, wanted->gold_count.trimmed);
    }
    return OG_OK;
}

static og_status replay(og_asked *asked, const og_labels *labels, uint8_t *gold,
                        og_message *message)
{
    const og_recording *given = asked->given;
    og_group prior;
    og_gold_count count = {0};
    int64_t repeats = 0;
    og_fraction price;
    og_payoff payoff;
    OG_TRY(og_stakes_read(&given->stakes, &price, &payoff, message));
    OG_TRY(read_prior(given->prior, og_labels_classes(labels), &prior, message));
    OG_TRY(og_stakes_apply(&given->stakes, &payoff, &prior, message));
    OG_TRY(read_gold(given, labels, &asked->request.settings, gold, &count, message));
    if (labels->worker != NULL) {
        OG_TRY(og_labels_repeats(labels, &repeats));
    }
    const og_replay_request wanted = {
        .labels = labels,
        .gold = gold,
        .gold_count = count,
        .repeats = repeats,
        .name = given->labels_file != NULL ? given->labels_file : "labels",
        .prior = prior,
        .budget = given->budget,
        .at = given->at,
        .at_count = given->at_count,
        .final_ties = given->final_positive ? OG_FINAL_POSITIVE : OG_FINAL_HALF,
        .price = price,
    };
    return og_asked_replay(asked, &wanted, given->labels_file != NULL ? given->gold_file : NULL,
                           message);
}

/* ---- comparisons ---- */

static og_status replay_pairs(og_asked *asked, og_message *message)
{
    const og_recording *given = asked->given;
    og_pairs pairs = {.count = 0};
    og_recorded_pairs from = {.pairs = &pairs};
    if (given->stakes.price != NULL || given->stakes.payoff != NULL) {
        return og_message_set(message, OG_BAD_INPUT, "comparisons do not support --%s; omit it",
                              given->stakes.price != NULL ? "price" : "payoff");
    }
    OG_TRY(og_pairs_prior_read(given->prior, given->workers_prior, &from.prior, message));
    OG_TRY(og_pairs_read(given->pairs_file, given->gold_file, &asked->request.settings, &pairs,
                         message));
    const og_replay_request wanted = {.pairs = &from,
                                      .name = given->pairs_file,
                                      .budget = given->budget,
                                      .at = given->at,
                                      .at_count = given->at_count};
    og_status status = og_asked_replay(asked, &wanted, given->gold_file, message);
    if (status == OG_OK) {
        og_pairs_warning(&pairs, given->pairs_file, &asked->request.settings, &asked->warning);
        og_rows_note(&asked->warning, given->gold_file, pairs.scores_trimmed);
    }
    og_pairs_clear(&pairs);
    return status;
}

/* ---- other problem types ---- */

static og_status check_problem(const og_recording *given, bool assignment, og_message *message)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {{given->prior != NULL, "prior"},
                   {given->pairs_file != NULL, "pairs"},
                   {given->workers_prior != NULL, "workers-prior"},
                   {given->stakes.price != NULL, "price"},
                   {given->stakes.payoff != NULL, "payoff"},
                   {given->final_positive, "final-ties"},
                   {!assignment && given->contexts_file != NULL, "contexts"},
                   {!assignment && given->fill != NULL, "fill"},
                   {assignment && given->explore > 0, "explore"},
                   {assignment && given->weighted, "votes"}};
    if (!assignment && strcmp(given->problem, "labelers") != 0) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--problem of recorded labels must be labels, assignment or labelers, "
            "not '%.40s'",
            given->problem);
    }
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (options[k].given) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--problem %s does not support --%s; omit it", given->problem,
                                  options[k].name);
        }
    }
    return given->labels_file != NULL && given->gold_file != NULL
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--problem %s requires files of labels and gold", given->problem);
}

static og_status replay_problem(og_asked *asked, og_message *message)
{
    const double explore = 1, drop_exponent = 0.5;
    const og_recording *given = asked->given;
    const bool assignment = strcmp(given->problem, "assignment") == 0;
    const og_assignment_recording tasks = {.labels_file = given->labels_file,
                                           .gold_file = given->gold_file,
                                           .contexts_file = given->contexts_file,
                                           .fill = given->fill != NULL ? given->fill : "accuracy",
                                           .usual = asked->usual != NULL,
                                           .budget = given->budget,
                                           .at = given->at,
                                           .at_count = given->at_count};
    const og_labelers_recording votes = {.labels_file = given->labels_file,
                                         .gold_file = given->gold_file,
                                         .explore = given->explore > 0 ? given->explore : explore,
                                         .drop_exponent = drop_exponent,
                                         .weighted = given->weighted,
                                         .budget = given->budget,
                                         .at = given->at,
                                         .at_count = given->at_count};
    OG_TRY(check_problem(given, assignment, message));
    asked->given = assignment ? (const void *)&tasks : &votes;
    og_status status = assignment ? og_question_replay_assignment.answer(asked, message)
                                  : og_question_replay_labelers.answer(asked, message);
    asked->given = given;
    return status;
}

static og_status answer(og_asked *asked, og_message *message)
{
    const og_recording *given = asked->given;
    og_labels labels = {0};
    OG_TRY(check_points(given, message));
    if (given->problem != NULL && strcmp(given->problem, "labels") != 0) {
        return replay_problem(asked, message);
    }
    if (given->pairs_file != NULL) {
        return replay_pairs(asked, message);
    }
    OG_TRY(given->labels_file != NULL
               ? og_labels_read(given->labels_file, &asked->request.settings, &labels, message)
               : og_labels_borrow(given->count, given->task, given->worker, given->label, &labels,
                                  message));
    uint8_t *gold = calloc((size_t)labels.task_count + 1, 1);
    og_status status = gold == NULL ? OG_NO_MEMORY : replay(asked, &labels, gold, message);
    free(gold);
    if (given->labels_file != NULL) {
        og_labels_clear(&labels);
    }
    return status;
}

static og_status replay_labelers(og_asked *asked, const og_labels *labels, uint8_t *gold,
                                 og_message *message)
{
    const og_labelers_recording *given = asked->given;
    og_gold_count count = {0};
    OG_TRY(og_gold_read(given->gold_file, labels, &asked->request.settings, gold, &count, message));
    const og_labelers_replay wanted = {.labels = labels,
                                       .gold = gold,
                                       .name = given->labels_file,
                                       .explore = given->explore,
                                       .drop = given->drop,
                                       .drop_exponent = given->drop_exponent,
                                       .weighted = given->weighted,
                                       .result = asked->request.result,
                                       .in_order = given->in_order,
                                       .budget = given->budget,
                                       .at = given->at,
                                       .at_count = given->at_count,
                                       .counts = asked->request.counts,
                                       .runs = asked->request.runs,
                                       .seed = asked->request.seed,
                                       .stop = &asked->stop};
    asked->box->report.runs = wanted.runs; /* all runs; a stopped replay has no results */
    OG_TRY(og_labelers_replay_run(&wanted, &asked->box->document, message));
    og_labels_warning(labels, given->labels_file, &asked->warning);
    og_rows_note(&asked->warning, given->gold_file, count.trimmed);
    return OG_OK;
}

static og_status answer_labelers(og_asked *asked, og_message *message)
{
    const og_labelers_recording *given = asked->given;
    og_labels labels = {0};
    OG_TRY(og_labels_read(given->labels_file, &asked->request.settings, &labels, message));
    uint8_t *gold = calloc((size_t)labels.task_count + 1, 1);
    og_status status = OG_ALLOCATED(gold);
    OG_THEN(status, replay_labelers(asked, &labels, gold, message));
    free(gold);
    og_labels_clear(&labels);
    return status;
}

const og_question_kind og_question_replay = {.answer = answer, .policies = true};
const og_question_kind og_question_replay_labelers = {.answer = answer_labelers};
