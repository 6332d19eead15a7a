/* Recorded labels that take time: from files to a report. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/public/replayed.h"
#include "bench/public/traced.h"
#include "bench/random.h"
#include "bench/recorded/coins.h"
#include "bench/recorded/fit.h"
#include "bench/simulation/replay.h"
#include "dp/base/number.h"

typedef struct {
    og_arena arena;
    og_asked *asked;
    og_labels labels;
    uint8_t *gold;
    og_gold_count count;
    int64_t repeats;
    og_group prior;
    og_arrival_event *event; /* owned */
    og_replay_arrivals arrivals;
} delayed_recording;

/* ---- holding out ---- */

/* "first:N" or "N". */
static og_status read_holdout(const char *text, uint32_t tasks, bool *first, uint32_t *held,
                              og_message *message)
{
    const char *word = "first:";
    size_t length = strlen(word);
    int64_t number;
    *first = strncmp(text, word, length) == 0;
    if (!og_number_parse(text + (*first ? length : 0), 2, INT32_MAX, &number)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--holdout must be a number of tasks from 2 on, or first:N, not "
                              "'%.60s'",
                              text);
    }
    if (number >= tasks) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--holdout %.60s leaves none of the %" PRIu32 " tasks", text, tasks);
    }
    *held = (uint32_t)number;
    return OG_OK;
}

/* The first tasks, or some drawn once for all runs. */
static og_status hold_out(delayed_recording *recording, const og_replay_input *given, uint64_t seed,
                          og_message *message)
{
    const uint64_t before_runs = (UINT64_C(1) << 56) - 1; /* an address that no run has */
    uint32_t tasks = recording->labels.task_count, held = 0;
    bool first = true;
    OG_TRY(read_holdout(given->holdout, tasks, &first, &held, message));
    bool *out = og_arena_array(&recording->arena, tasks, sizeof *out);
    uint32_t *mixed = og_arena_array(&recording->arena, tasks, sizeof *mixed);
    OG_TRY(og_arena_status(&recording->arena));
    for (uint32_t i = 0; i < tasks; i++) {
        mixed[i] = i;
    }
    for (uint32_t k = 0; k < held; k++) {
        uint64_t bits = og_draw(seed, OG_DRAW_TRUTH, before_runs, 0, k);
        uint32_t other = first ? k : k + og_draw_below(bits, tasks - k), task = mixed[other];
        mixed[other] = mixed[k];
        out[task] = true;
    }
    recording->arrivals.world.held = out;
    recording->arrivals.held = held;
    return OG_OK;
}

/* ---- the prior ---- */

/* Fit to the labels of the tasks held out; with the digits of the command fit. */
static og_status fit_prior(delayed_recording *recording, const char *method, og_message *message)
{
    const og_labels *all = &recording->labels;
    const bool *held = recording->arrivals.world.held;
    uint32_t *number = og_arena_array(&recording->arena, all->task_count, sizeof *number);
    uint32_t *task = og_arena_array(&recording->arena, (size_t)all->label_count, sizeof *task);
    uint8_t *label = og_arena_array(&recording->arena, (size_t)all->label_count, sizeof *label);
    og_labels some = {.task = task, .label = label, .class_count = all->class_count};
    char words[OG_PRIOR_WORDS];
    og_fit fit;
    OG_TRY(og_arena_status(&recording->arena));
    for (uint32_t i = 0; i < all->task_count; i++) {
        number[i] = some.task_count;
        some.task_count += held[i];
    }
    for (int64_t k = 0; k < all->label_count; k++) {
        if (held[all->task[k]]) {
            task[some.label_count] = number[all->task[k]];
            label[some.label_count++] = all->label[k];
        }
    }
    OG_TRY(og_fit_prior(&some, og_fit_method_of(method), &fit, message));
    recording->arrivals.method = method;
    return og_group_parse(og_prior_words(fit.parameter, 2, words), &recording->prior, message);
}

static og_status find_prior(delayed_recording *recording, const og_replay_input *given,
                            uint64_t seed, og_message *message)
{
    if (given->recording.prior != NULL && given->method != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--prior and --method cannot be combined; give one");
    }
    OG_TRY(given->holdout != NULL ? hold_out(recording, given, seed, message) : OG_OK);
    return given->recording.prior == NULL && given->holdout != NULL
               ? fit_prior(recording, given->method != NULL ? given->method : "paper", message)
               : og_one_beta("prior", "task",
                             given->recording.prior != NULL ? given->recording.prior : "1,1",
                             &recording->prior, message);
}

/* ---- reading ---- */

static og_status read_files(delayed_recording *recording, const og_replay_input *given,
                            uint64_t seed, const og_settings *settings, og_message *message)
{
    og_labels *labels = &recording->labels;
    og_recorded_delayed *world = &recording->arrivals.world;
    OG_TRY(og_labels_read(given->recording.labels_file, settings, labels, message));
    if (og_labels_classes(labels) > 2) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--arrival-rate supports two classes, and the labels have %d; omit it",
            (int)og_labels_classes(labels));
    }
    recording->gold = og_arena_array(&recording->arena, labels->task_count, 1);
    OG_TRY(OG_ALLOCATED(recording->gold));
    OG_TRY(og_gold_read(given->recording.gold_file, labels, settings, recording->gold,
                        &recording->count, message));
    recording->repeats = labels->repeats;
    OG_TRY(find_prior(recording, given, seed, message));
    *world = (og_recorded_delayed){.labels = labels,
                                   .gold = recording->gold,
                                   .prior = &recording->prior,
                                   .held = world->held,
                                   .delay = &given->delay,
                                   .workers = given->arrivals,
                                   .tasks = given->tasks,
                                   .in_order = given->in_order,
                                   .final_ties = given->recording.final_positive ? OG_FINAL_POSITIVE
                                                                                 : OG_FINAL_HALF};
    for (uint32_t i = 0; given->tasks == 0 && i < labels->task_count; i++) {
        bool held = world->held != NULL && world->held[i];
        world->tasks += !held && recording->gold[i] != OG_GOLD_NONE; /* all of them */
    }
    if (given->events_file != NULL) {
        OG_TRY(og_events_read(given->events_file, labels, given->arrivals, settings,
                              &recording->event, &world->event_count, message));
        world->event = recording->event;
    }
    return OG_OK;
}

/* ---- playing ---- */

/* Tables beyond the memory limit are no error: the bound is then omitted. */
static og_status find_bound(delayed_recording *recording, const og_settings *settings,
                            og_message *message)
{
    og_status status = og_recorded_delayed_bound(&recording->arrivals.world, settings,
                                                 &recording->arrivals.bound, message);
    return status == OG_NO_MEMORY ? OG_OK : status;
}

static og_status play(void *self, FILE *trace, og_message *message)
{
    delayed_recording *recording = self;
    recording->arrivals.world.trace = trace;
    const og_recorded_world world = {.labels = &recording->labels,
                                     .arrivals = &recording->arrivals,
                                     .gold = recording->gold,
                                     .gold_count = recording->count,
                                     .repeats = recording->repeats,
                                     .prior = recording->prior};
    OG_TRY(find_bound(recording, &recording->asked->request.settings, message));
    return og_asked_replay(recording->asked, &world, message);
}

og_status og_replay_delayed(og_asked *asked, og_message *message)
{
    const og_replay_input *given = asked->given;
    delayed_recording *recording = og_arena_new(sizeof *recording);
    OG_TRY(OG_ALLOCATED(recording));
    recording->asked = asked;
    og_status status =
        read_files(recording, given, asked->request.seed, &asked->request.settings, message);
    OG_THEN(status,
            og_traced(given->trace_file, "trace", OG_DELAYED_TRACE, play, recording, message));
    og_bound_clear(&recording->arrivals.bound);
    og_labels_clear(&recording->labels);
    free(recording->event);
    og_arena_free(recording);
    return status;
}
