/* Workers of unknown reliability on recorded labels: from files to a report. */
#include <stdlib.h>
#include <string.h>

#include "bench/families/workers.h"
#include "bench/public/replayed.h"
#include "bench/public/traced.h"
#include "dp/base/rows.h"
#include "dp/families/workers_posterior.h"

typedef struct {
    og_arena arena;
    og_labels labels;
    uint8_t *gold;
    og_gold_count count;
    int64_t repeats;
    og_groups task, worker; /* one group each, its count is ignored */
    og_group group[2];
    og_workers_world world;
} recording;

static og_status read_priors(recording *of, const og_workers_recording *given, og_message *message)
{
    OG_TRY(og_group_parse(given->prior != NULL ? given->prior : "1,1", &of->group[0], message));
    OG_TRY(og_group_parse(given->workers_prior, &of->group[1], message));
    of->task = (og_groups){.groups = &of->group[0], .group_count = 1};
    of->worker = (og_groups){.groups = &of->group[1], .group_count = 1};
    OG_TRY(og_workers_check(&of->task, &of->worker, message));
    for (int i = 0; i < 2; i++) {
        if (of->group[i].count != 1) {
            return og_message_set(
                message, OG_BAD_INPUT, "--%s must be one prior for all, A,B, not '%.64s'",
                i == 0 ? "prior" : "workers-prior", i == 0 ? given->prior : given->workers_prior);
        }
    }
    return OG_OK;
}

static double *repeat(recording *of, const og_group *group, uint32_t count)
{
    double *list = og_arena_array(&of->arena, 2 * (size_t)count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        list[2 * i] = og_fraction_double(group->a);
        list[2 * i + 1] = og_fraction_double(group->b);
    }
    return list;
}

/* Pairs without a recorded label cannot be asked. */
static uint64_t *shut_pairs(recording *of)
{
    const og_labels *labels = &of->labels;
    size_t pairs = (size_t)labels->task_count * labels->worker_count, words = (pairs + 63) / 64;
    uint64_t *shut = og_arena_array(&of->arena, words, sizeof *shut);
    if (shut != NULL) {
        memset(shut, 0xff, words * sizeof *shut);
    }
    for (int64_t k = 0; shut != NULL && k < labels->label_count; k++) {
        size_t pair = (size_t)labels->task[k] * labels->worker_count + labels->worker[k];
        shut[pair / 64] &= ~(UINT64_C(1) << (pair % 64));
    }
    return shut;
}

static og_status read_files(recording *of, const og_workers_recording *given,
                            const og_settings *settings, og_message *message)
{
    og_labels *labels = &of->labels;
    OG_TRY(og_labels_read(given->labels_file, settings, labels, message));
    if (og_labels_classes(labels) > 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior supports two classes, and the labels have %d; omit "
                              "it",
                              (int)og_labels_classes(labels));
    }
    if (labels->label_count == 0 ||
        (int64_t)labels->task_count * labels->worker_count > OG_WORKERS_CELLS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior supports 1 to %d pairs of a task and a worker; omit "
                              "it",
                              OG_WORKERS_CELLS_MAX);
    }
    of->gold = og_arena_array(&of->arena, labels->task_count, 1);
    OG_TRY(OG_ALLOCATED(of->gold));
    OG_TRY(og_gold_read(given->gold_file, labels, settings, of->gold, &of->count, message));
    OG_TRY(og_labels_repeats(labels, &of->repeats));
    of->world =
        (og_workers_world){.setting = {.instances = (int32_t)labels->task_count,
                                       .workers = (int32_t)labels->worker_count,
                                       .instance = repeat(of, &of->group[0], labels->task_count),
                                       .worker = repeat(of, &of->group[1], labels->worker_count),
                                       .shut = shut_pairs(of)},
                           .labels = labels,
                           .gold = of->gold,
                           .shuffled = true,
                           .final_ties = given->final_positive ? OG_FINAL_POSITIVE : OG_FINAL_HALF};
    return og_arena_status(&of->arena);
}

static og_status play(og_task *task, recording *of, FILE *trace, og_message *message)
{
    const og_workers_recording *given = task->given;
    of->world.trace = trace;
    const og_replay_request wanted = {.labels = &of->labels,
                                      .people = &of->world,
                                      .gold = of->gold,
                                      .gold_count = of->count,
                                      .repeats = of->repeats,
                                      .name = given->labels_file,
                                      .prior = of->group[0],
                                      .budget = given->budget,
                                      .at = given->at,
                                      .at_count = given->at_count,
                                      .final_ties = of->world.final_ties,
                                      .how = og_task_runs(task)};
    og_replayed found = {.at = NULL};
    OG_TRY(og_replay_run(&wanted, &found, message));
    og_task_report_played(task, &found);
    task->box->document = og_replayed_describe(&wanted, &found);
    og_replayed_clear(&found);
    og_labels_warning(&of->labels, given->labels_file, &task->warning);
    og_rows_note(&task->warning, given->gold_file, of->count.trimmed);
    return OG_OK;
}

typedef struct {
    og_task *task;
    recording *of;
} playing;

static og_status play_traced(void *user, FILE *trace, og_message *message)
{
    playing *with = user;
    return play(with->task, with->of, trace, message);
}

static og_status answer(og_task *task, og_message *message)
{
    const og_workers_recording *given = task->given;
    recording *of = og_arena_new(sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    playing with = {task, of};
    og_status status = read_priors(of, given, message);
    OG_THEN(status, read_files(of, given, &task->request.settings, message));
    OG_THEN(status,
            og_traced(given->trace_file, og_family_workers.trace, play_traced, &with, message));
    og_labels_clear(&of->labels);
    og_arena_free(of);
    return status;
}

const og_question_kind og_question_replay_workers = {.answer = answer};
