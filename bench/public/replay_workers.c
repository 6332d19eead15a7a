/* Workers of unknown reliability on recorded labels: from files to a report. */
#include <string.h>

#include "bench/families/workers/workers.h"
#include "bench/public/replayed.h"
#include "bench/public/traced.h"
#include "bench/recorded/betas.h"
#include "bench/recorded/coins.h"
#include "dp/base/bits.h"

typedef struct {
    og_arena arena;
    og_asked *asked;
    og_labels labels;
    uint8_t *gold;
    og_gold_count count;
    int64_t repeats;
    og_group prior, each; /* of tasks and of workers that are not in a file */
    og_workers_world world;
} workers_recording;

/* The origin of the priors of tasks or workers: a file of Betas, if there is one, and `each` for
 * the others (NULL: not given). */
typedef struct {
    const char *path;
    og_column column;
    const og_group *each;
    int32_t width; /* numbers of a prior */
} origin;

/* The priors, and the forms of workers, unless they are NULL. */
static og_status make_priors(workers_recording *recording, const origin *from,
                             const og_settings *settings, og_worker_form *form, double **out,
                             og_message *message)
{
    const og_labels *labels = &recording->labels;
    const og_group *each = from->each;
    const size_t width = (size_t)from->width;
    uint32_t count = from->column == OG_COLUMN_TASK ? labels->task_count : labels->worker_count;
    double *list = og_arena_array(&recording->arena, width * count, sizeof *list), one[2];
    OG_TRY(OG_ALLOCATED(list));
    *out = list;
    if (from->path != NULL) {
        if (each != NULL) {
            (void)og_worker_believe(each, one);
        }
        return og_betas_read(from->path, from->column, labels, settings, each != NULL ? one : NULL,
                             list, message);
    }
    for (uint32_t i = 0; i < count; i++) {
        og_worker_form made = og_worker_believe(each, &list[width * i]);
        if (form != NULL) {
            form[i] = made;
        }
    }
    return OG_OK;
}

/* --workers-prior, if it is given; what is not a Beta supports neither a file of others nor a
 * trace. */
static og_status read_worker(const og_replay_input *given, og_group *out, og_message *message)
{
    if (given->recording.workers_prior == NULL) {
        return OG_OK;
    }
    OG_TRY(og_one_worker(given->recording.workers_prior, out, message));
    if (out->kind == OG_PRIOR_BETA) {
        return OG_OK;
    }
    if (given->worker_priors_file != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--worker-priors supports --workers-prior A,B only, because its "
                              "priors are Betas");
    }
    return given->trace_file != NULL ? og_message_set(message, OG_BAD_INPUT, OG_WORKERS_NO_TRACE)
                                     : OG_OK;
}

static og_status read_priors(workers_recording *recording, const og_replay_input *given,
                             const og_settings *settings, og_message *message)
{
    const bool each = given->recording.prior != NULL || given->task_priors_file == NULL;
    const og_group *worker = given->recording.workers_prior != NULL ? &recording->each : NULL;
    const og_groups one = og_groups_of(&recording->each, 1);
    og_workers_setting *setting = &recording->world.setting;
    double *instances = NULL, *workers = NULL;
    og_worker_form *form = NULL;
    setting->width = worker != NULL ? og_worker_width(&one) : 2;
    if (setting->width > 2) {
        form = og_arena_array(&recording->arena, recording->labels.worker_count, sizeof *form);
        OG_TRY(OG_ALLOCATED(form));
    }
    OG_TRY(make_priors(
        recording,
        &(origin){given->task_priors_file, OG_COLUMN_TASK, each ? &recording->prior : NULL, 2},
        settings, NULL, &instances, message));
    OG_TRY(make_priors(
        recording, &(origin){given->worker_priors_file, OG_COLUMN_WORKER, worker, setting->width},
        settings, form, &workers, message));
    setting->instance = instances;
    setting->worker = workers;
    setting->form = form;
    return OG_OK;
}

/* Pairs without a recorded label cannot be asked. */
static uint64_t *shut_pairs(workers_recording *recording)
{
    const og_labels *labels = &recording->labels;
    size_t words = og_bits_words((size_t)labels->task_count * labels->worker_count);
    uint64_t *shut = og_arena_array(&recording->arena, words, sizeof *shut);
    if (shut != NULL) {
        memset(shut, 0xff, words * sizeof *shut);
    }
    for (int64_t k = 0; shut != NULL && k < labels->label_count; k++) {
        og_bits_remove(shut, (size_t)labels->task[k] * labels->worker_count + labels->worker[k]);
    }
    return shut;
}

static og_status read_files(workers_recording *recording, const og_replay_input *given,
                            const og_settings *settings, og_message *message)
{
    og_labels *labels = &recording->labels;
    OG_TRY(og_labels_read(given->recording.labels_file, settings, labels, message));
    OG_TRY(og_labels_need_workers(labels, "--workers-prior", message));
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
    recording->gold = og_arena_array(&recording->arena, labels->task_count, 1);
    OG_TRY(OG_ALLOCATED(recording->gold));
    OG_TRY(og_gold_read(given->recording.gold_file, labels, settings, recording->gold,
                        &recording->count, message));
    recording->repeats = labels->repeats;
    recording->world = (og_workers_world){
        .setting = {.instances = (int32_t)labels->task_count,
                    .workers = (int32_t)labels->worker_count,
                    .shut = shut_pairs(recording)},
        .labels = labels,
        .gold = recording->gold,
        .shuffled = !given->in_order,
        .final_ties = given->recording.final_positive ? OG_FINAL_POSITIVE : OG_FINAL_HALF};
    OG_TRY(read_priors(recording, given, settings, message));
    return og_arena_status(&recording->arena);
}

static og_status play(void *self, FILE *trace, og_message *message)
{
    workers_recording *recording = self;
    recording->world.trace = trace;
    const og_recorded_world world = {.labels = &recording->labels,
                                     .people = &recording->world,
                                     .gold = recording->gold,
                                     .gold_count = recording->count,
                                     .repeats = recording->repeats,
                                     .prior = recording->prior};
    return og_asked_replay(recording->asked, &world, message);
}

og_status og_replay_workers(og_asked *asked, og_message *message)
{
    const og_replay_input *given = asked->given;
    workers_recording *recording = og_arena_new(sizeof *recording);
    OG_TRY(OG_ALLOCATED(recording));
    recording->asked = asked;
    og_status status = og_one_beta("prior", "task",
                                   given->recording.prior != NULL ? given->recording.prior : "1,1",
                                   &recording->prior, message);
    OG_THEN(status, read_worker(given, &recording->each, message));
    OG_THEN(status, read_files(recording, given, &asked->request.settings, message));
    OG_THEN(status, og_traced(given->trace_file, "trace", og_family_workers.runs.trace, play,
                              recording, message));
    og_labels_clear(&recording->labels);
    og_arena_free(recording);
    return status;
}
