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

static og_status replay(og_asked *asked, const og_labels *labels, uint8_t *gold,
                        og_message *message)
{
    const og_recording *given = asked->given;
    og_recorded_world world = {.labels = labels, .gold = gold};
    og_worth_values *values = NULL;
    OG_TRY(og_stakes_price(&given->stakes, &world.price, message));
    OG_TRY(read_prior(given->prior, og_labels_classes(labels), &world.prior, message));
    OG_TRY(read_gold(given, labels, &asked->request.settings, gold, &world.gold_count, message));
    OG_TRY(og_stakes_apply(&given->stakes, &world.prior, &values, message));
    world.repeats = labels->repeats;
    og_status status = og_asked_replay(asked, &world, message);
    og_worth_values_release(values);
    return status;
}

static og_status replay_labels(og_asked *asked, og_message *message)
{
    const og_recording *given = asked->given;
    og_labels labels = {0};
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
    const og_pairs_files files = {given->pairs_file, given->gold_file, NULL};
    OG_TRY(og_pairs_read(&files, &asked->request.settings, &pairs, message));
    const og_recorded_world world = {.pairs = &from};
    og_status status = og_asked_replay(asked, &world, message);
    if (status == OG_OK) {
        og_pairs_warning(&pairs, given->pairs_file, &asked->request.settings, &asked->warning);
        og_rows_note(&asked->warning, given->gold_file, pairs.scores_trimmed);
    }
    og_pairs_clear(&pairs);
    return status;
}

/* ---- labelers ---- */

static og_status play_labelers(og_asked *asked, const og_labels *labels, uint8_t *gold,
                               og_message *message)
{
    const og_recording *given = asked->given;
    og_gold_count count = {0};
    OG_TRY(og_gold_read(given->gold_file, labels, &asked->request.settings, gold, &count, message));
    asked->runs = asked->request.runs; /* a stopped replay has no results */
    OG_TRY(og_labelers_replay_run(asked, labels, gold, &asked->document, message));
    og_labels_warning(labels, given->labels_file, &asked->warning);
    og_rows_note(&asked->warning, given->gold_file, count.trimmed);
    return OG_OK;
}

static og_status replay_labelers(og_asked *asked, og_message *message)
{
    const og_recording *given = asked->given;
    og_labels labels = {0};
    OG_TRY(og_labels_read(given->labels_file, &asked->request.settings, &labels, message));
    uint8_t *gold = calloc((size_t)labels.task_count + 1, 1);
    og_status status = OG_ALLOCATED(gold);
    OG_THEN(status, play_labelers(asked, &labels, gold, message));
    free(gold);
    og_labels_clear(&labels);
    return status;
}

/* ---- the question ---- */

static og_status answer(og_asked *asked, og_message *message)
{
    const og_replay_input *input = asked->given;
    const og_recording *given = &input->recording;
    const char *problem = given->problem != NULL ? given->problem : "labels";
    OG_TRY(check_points(given, message));
    if (strcmp(problem, "assignment") == 0) {
        return og_replay_assignment(asked, message);
    }
    if (strcmp(problem, "labelers") == 0) {
        return replay_labelers(asked, message);
    }
    bool pairs = given->pairs_file != NULL, delayed = input->delay.arrival_rate.num > 0;
    const char *usual = input->workers                          ? "uniform,kg,opt-kg"
                        : delayed                               ? "uniform,opt-kg,hu-frazier"
                        : pairs && given->workers_prior != NULL ? "uniform,akg"
                        : pairs                                 ? "uniform,distance,akg"
                        : given->stakes.price != NULL           ? "uniform,kg,opt-kg,gittins-fh"
                                                      : "uniform,kg,opt-kg,gittins-fh,gittins-inf";
    OG_TRY(asked->policy_count == 0 ? og_asked_take_policies(asked, usual, message) : OG_OK);
    return input->workers ? og_replay_workers(asked, message)
           : delayed      ? og_replay_delayed(asked, message)
           : pairs        ? replay_pairs(asked, message)
                          : replay_labels(asked, message);
}

const og_question_kind og_question_replay = {.answer = answer, .policies = true};
