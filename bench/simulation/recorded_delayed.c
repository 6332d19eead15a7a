/*
 * Simulates policies on recorded labels that take time. Events come from the clock of
 * bench/simulation/arrivals.h, or from a list. At every arrival each task of the run is scored
 * anew: indices depend on the workers to come, or are drawn.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/standing.h"
#include "bench/simulation/arrivals.h"
#include "bench/simulation/chance.h"
#include "bench/simulation/recorded_answers.h"
#include "bench/simulation/recorded_calls.h"
#include "bench/simulation/recorded_order.h"
#include "bench/simulation/recorded_pool.h"
#include "dp/base/clock.h"
#include "heuristics/families/delayed_policy.h"

#define NOT_DRAWN UINT32_MAX

/* Data shared by all runs. */
typedef struct {
    const og_recorded_delayed *from; /* borrowed */
    og_recorded_pool *pool;
    const og_arm *arm; /* its arm */
    og_recorded_answers answers;
    double *call, *right, *gain; /* by node: og_recorded_calls, og_standing_rights, og_arm_gains */
    uint64_t memory_bytes;
    og_stop *stop;
} shared;

/* A policy. */
typedef struct {
    char name[OG_POLICY_NAME_BYTES];
    og_played played;
    og_ranks *ranks; /* of an index of the posterior */
    og_index *index; /* the same in doubles, if it depends on the labels left, or for a trace */
    og_delayed_index *own; /* hu-frazier */
} rule;

/* A task of the run. */
typedef struct {
    uint32_t task, node;
    int32_t labels, at_work;
    og_chance_gains gains;
} place;

typedef struct {
    const shared *all;
    og_arrivals clock;
    uint64_t seed, run;
    bool drawn;
    og_recorded_answer *order; /* recorded answers in this run's order */
    uint32_t *mixed;           /* [pool] tasks, those of the run first */
    uint32_t *place_of;        /* [labels->task_count] or NOT_DRAWN */
    place *place;              /* [tasks] in the order of the file */
    double *score;             /* [tasks] */
    int64_t events;
    int32_t left, labels; /* workers to come, and labels that came */
} recorded_run;

/* ---- policies ---- */

static void free_rule(void *self)
{
    rule *by = self;
    og_ranks_free(by->ranks);
    og_index_free(by->index);
    og_delayed_index_free(by->own);
    free(by);
}

static og_status refuse(const og_policy_name *policy, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.200s' is not an index of one task; --arrival-rate supports "
                          "only those, thompson and ucb1-tuned",
                          policy->name);
}

static og_status fill_rule(const shared *all, const og_policy_name *policy, rule *by,
                           og_message *message)
{
    const og_policy_use use = {.whole_budget = all->pool->arms->budget,
                               .threads = 1,
                               .memory_bytes = all->memory_bytes / 2,
                               .stop = all->stop};
    by->played = og_policy_name_played(policy);
    if (og_delayed_policy_is_own(policy)) {
        return policy->has_parameter
                   ? og_message_set(message, OG_BAD_INPUT,
                                    "policy '%.200s': replay limits labels by those recorded; "
                                    "give hu-frazier",
                                    policy->name)
                   : og_delayed_index_new(&all->pool->kinds, &all->pool->delay, &use, &by->own,
                                          message);
    }
    if (by->played != OG_PLAYED_BY_RANKS) {
        return OG_OK;
    }
    if (og_policy_name_has_solver(policy)) {
        return refuse(policy, message);
    }
    OG_TRY(og_policy_name_ranks_for(policy, all->pool->arms, &use, &by->ranks, message));
    if (by->ranks->stops) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' stops, which labels that take time do not support; "
                              "omit it",
                              policy->name);
    }
    if (by->ranks->chooser_lock != NULL) {
        return refuse(policy, message);
    }
    bool shown = all->from->trace != NULL && strcmp(policy->name, "uniform") != 0;
    return by->ranks->by_left || shown
               ? og_policy_name_index(policy, all->pool->arms, &use, &by->index, message)
               : OG_OK;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    rule *by = calloc(1, sizeof *by);
    OG_TRY(OG_ALLOCATED(by));
    strcpy(by->name, policy->name);
    og_status status = fill_rule(self, policy, by, message);
    if (status != OG_OK) {
        free_rule(by);
        return status;
    }
    *out = (og_strategy){.self = by, .concurrent = true, .free = free_rule};
    return OG_OK;
}

/* ---- scores ---- */

static int32_t recorded_of(const recorded_run *run, const place *at)
{
    return run->all->pool->recorded[at->task];
}

/* Workers who have arrived before the one to be placed. */
static int32_t come(const recorded_run *run)
{
    return run->all->from->workers - run->left;
}

static double index_of(const recorded_run *run, const rule *by, const place *at)
{
    int32_t open = recorded_of(run, at) - at->labels - at->at_work;
    return og_index_of(by->index, 0, run->left < open ? run->left : open)[at->node];
}

static double score_of(const recorded_run *run, const rule *by, const place *at)
{
    const shared *all = run->all;
    if (at->labels + at->at_work == recorded_of(run, at)) {
        return -INFINITY;
    }
    if (by->own != NULL) {
        return og_delayed_index_rank(by->own, all->pool->kind[at->task], at->node, at->at_work,
                                     run->left);
    }
    if (by->played == OG_PLAYED_UCB1_TUNED) {
        return og_chance_ucb(&at->gains, at->labels + at->at_work, come(run));
    }
    if (by->played == OG_PLAYED_THOMPSON) {
        const og_draw_place from = {run->seed, OG_DRAW_GUESS, run->run, at->task,
                                    (uint32_t)come(run) * OG_CHANCE_NUMBERS};
        return og_chance_thompson(all->arm, all->gain, at->node, at->labels, &from);
    }
    return by->ranks->by_left ? index_of(run, by, at) : og_ranks_of(by->ranks, 0, 1)[at->node];
}

/* The score that a trace shows: indices, not ranks. */
static double shown_score(const recorded_run *run, const rule *by, const place *at, double score)
{
    return by->own != NULL ? og_delayed_index_at(by->own, run->all->pool->kind[at->task], at->node,
                                                 at->at_work, run->left)
           : by->index != NULL ? index_of(run, by, at)
                               : score;
}

/* Choose the task of the worker who has arrived; -1 if all are closed. */
static int32_t choose(recorded_run *run, const rule *by, og_ties ties, uint32_t *tied)
{
    int32_t count = run->all->from->tasks;
    double top = -INFINITY;
    for (int32_t k = 0; k < count; k++) {
        run->score[k] = score_of(run, by, &run->place[k]);
        top = fmax(top, run->score[k]);
    }
    bool in_doubles = by->ranks != NULL && by->ranks->by_left;
    double least = in_doubles ? og_recorded_least(top, 4 * by->index->error + 0x1p-50) : top;
    *tied = 0;
    for (int32_t k = 0; k < count; k++) {
        *tied += top > -INFINITY && run->score[k] >= least;
    }
    uint64_t bits = og_draw(run->seed, OG_DRAW_TIE, run->run, 0, (uint32_t)come(run));
    uint32_t skip = *tied == 0 || ties == OG_TIES_FIRST ? 0 : og_draw_below(bits, *tied);
    for (int32_t k = 0; *tied > 0; k++) {
        if (run->score[k] >= least && skip-- == 0) {
            return k;
        }
    }
    return -1;
}

/* ---- events ---- */

static void trace(const recorded_run *run, const rule *by, const place *at,
                  const og_recorded_answer *answer, double score, uint32_t tied)
{
    const og_labels *labels = run->all->from->labels;
    FILE *to = run->all->from->trace;
    og_fraction beta[2];
    if (to == NULL || run->run != 0) {
        return;
    }
    fprintf(to, "%" PRId64 "\t%s\t%s\t", run->events, by->name, answer != NULL ? "done" : "arrive");
    if (at == NULL) {
        fprintf(to, "\t\t\t\t0\t\t\t\n");
        return;
    }
    og_arm_posterior(run->all->arm, at->node, beta);
    fprintf(to, "%s\t", og_labels_task_name(labels, at->task));
    if (answer != NULL) {
        fprintf(to, "%s\t%d\t\t\t", og_labels_worker_name(labels, answer->worker),
                1 - answer->outcome);
    } else {
        fprintf(to, "\t\t%.17g\t%" PRIu32 "\t", score, tied);
    }
    fprintf(to, "%" PRId32 "\t%.17g\t%.17g\n", at->at_work, og_fraction_double(beta[0]),
            og_fraction_double(beta[1]));
}

/* A worker arrives. */
static void arrive(recorded_run *run, const rule *by, og_ties ties)
{
    uint32_t tied;
    int32_t k = choose(run, by, ties, &tied);
    place *at = k < 0 ? NULL : &run->place[k];
    double score = k < 0 ? 0 : shown_score(run, by, at, run->score[k]);
    if (at != NULL) {
        at->at_work++;
    }
    trace(run, by, at, NULL, score, tied);
    run->left--;
    if (run->all->from->event == NULL && at != NULL) {
        og_arrivals_place(&run->clock, (uint32_t)k);
    } else if (run->all->from->event == NULL) {
        og_arrivals_lose(&run->clock);
    }
}

/* A label of this task comes. */
static void take_label(recorded_run *run, const rule *by, place *at)
{
    const shared *all = run->all;
    const og_recorded_answer *answer =
        &run->order[all->answers.first[at->task] + (uint32_t)at->labels];
    size_t edge = 2 * (size_t)at->node + answer->outcome;
    og_chance_gained(&at->gains, all->gain[edge]);
    at->node = all->arm->next[edge];
    at->labels++;
    at->at_work--;
    run->labels++;
    trace(run, by, at, answer, 0, 0);
}

/* Number the next event, and look at the clock from time to time. */
static og_status count_event(recorded_run *run, og_stop *stop, og_message *message)
{
    enum { BETWEEN = 64 };
    return run->events++ % BETWEEN == 0 && og_stop_asked(stop)
               ? og_message_set(message, OG_STOPPED, "the run was stopped")
               : OG_OK;
}

/* Play the listed events. */
static og_status play_list(recorded_run *run, const og_strategy *strategy, og_ties ties,
                           og_message *message)
{
    const rule *by = strategy->self;
    const og_recorded_delayed *from = run->all->from;
    while (run->events < from->event_count) {
        const og_arrival_event *event = &from->event[run->events];
        OG_TRY(count_event(run, strategy->stop, message));
        uint32_t k = event->arrives ? NOT_DRAWN : run->place_of[event->task];
        if (event->arrives) {
            arrive(run, by, ties);
        } else if (k == NOT_DRAWN || run->place[k].at_work == 0) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "event %" PRId64 " of --events ends a label of task '%.60s', but none is under way",
                run->events, og_labels_task_name(from->labels, event->task));
        } else {
            take_label(run, by, &run->place[k]);
        }
    }
    return OG_OK;
}

/* Play events at random. */
static og_status play_clock(recorded_run *run, const og_strategy *strategy, og_ties ties,
                            og_message *message)
{
    const rule *by = strategy->self;
    uint32_t k;
    og_arrivals_begin(&run->clock, run->seed, run->run);
    for (;;) {
        OG_TRY(count_event(run, strategy->stop, message));
        if (og_arrivals_ended(&run->clock, &k)) {
            take_label(run, by, &run->place[k]);
        } else if (run->left > 0) {
            arrive(run, by, ties);
        } else {
            return OG_OK;
        }
    }
}

/* ---- runs ---- */

static void assign_run(void *object, og_block *block)
{
    recorded_run *run = object;
    const shared *all = run->all;
    size_t tasks = (size_t)all->from->tasks, count = all->answers.count;
    run->order = og_block_take(block, all->answers.first[count], sizeof *run->order);
    run->mixed = og_block_take(block, all->pool->count, sizeof *run->mixed);
    run->place_of = og_block_take(block, count, sizeof *run->place_of);
    run->place = og_block_take(block, tasks, sizeof *run->place);
    run->score = og_block_take(block, tasks, sizeof *run->score);
    run->clock.ends = og_block_take(block, (size_t)all->from->workers + 1, sizeof *run->clock.ends);
}

/* Draw the tasks of a run, and list them in the order of the file. */
static void draw_tasks(recorded_run *run)
{
    const og_recorded_pool *pool = run->all->pool;
    uint32_t tasks = (uint32_t)run->all->from->tasks, drawn = 0;
    memcpy(run->mixed, pool->task, pool->count * sizeof *run->mixed);
    for (uint32_t i = 0; i < run->all->answers.count; i++) {
        run->place_of[i] = NOT_DRAWN;
    }
    for (uint32_t k = 0; k < tasks; k++) {
        uint64_t bits = og_draw(run->seed, OG_DRAW_TRUTH, run->run, 0, k);
        uint32_t other = k + og_draw_below(bits, pool->count - k), task = run->mixed[other];
        run->mixed[other] = run->mixed[k];
        run->mixed[k] = task;
        run->place_of[task] = 0;
    }
    for (uint32_t k = 0; k < pool->count; k++) {
        if (run->place_of[pool->task[k]] != NOT_DRAWN) {
            run->place_of[pool->task[k]] = drawn;
            run->place[drawn++].task = pool->task[k];
        }
    }
}

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    recorded_run *play = self;
    const shared *all = play->all;
    (void)labels; /* not counted */
    if (!play->drawn || play->seed != seed || play->run != run) {
        play->drawn = true;
        play->seed = seed;
        play->run = run;
        draw_tasks(play);
        if (all->from->in_order) {
            memcpy(play->order, all->answers.answer,
                   all->answers.first[all->answers.count] * sizeof *play->order);
        } else {
            og_recorded_answers_shuffle(&all->answers, seed, run, play->order);
        }
    }
    for (int32_t k = 0; k < all->from->tasks; k++) {
        play->place[k] = (place){.task = play->place[k].task};
    }
    play->events = 0;
    play->left = all->from->workers;
    play->labels = 0;
}

static void score(const recorded_run *run, double *metric)
{
    const shared *all = run->all;
    double correct = 0, believed = 0;
    for (int32_t k = 0; k < all->from->tasks; k++) {
        const place *at = &run->place[k];
        correct += all->call[2 * (size_t)at->node + 1 - all->from->gold[at->task]];
        believed += all->right[at->node];
    }
    metric[OG_DELAYED_ACCURACY] = correct / all->from->tasks;
    metric[OG_DELAYED_BELIEVED] = believed / all->from->tasks;
    metric[OG_DELAYED_LABELS] = run->labels;
}

static og_status play(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message)
{
    recorded_run *run = self;
    double begun = og_seconds_of_thread();
    OG_TRY((run->all->from->event != NULL ? play_list : play_clock)(run, by, ties, message));
    score(run, metric);
    metric[OG_DELAYED_SECONDS] = og_seconds_of_thread() - begun;
    return OG_OK;
}

/* ---- opening ---- */

static og_status make_environment(void *self, og_environment *out)
{
    const shared *all = self;
    const og_recorded_delayed *from = all->from;
    recorded_run start = {.all = all, .clock = og_arrivals_of(from->delay, from->workers, NULL)};
    recorded_run *run = og_block_build(&start, sizeof start, assign_run);
    OG_TRY(OG_ALLOCATED(run));
    *out = (og_environment){.self = run, .begin = begin, .play = play, .free = free};
    return OG_OK;
}

static double whole(const void *self, const og_policy_name *policy, int32_t metric)
{
    (void)self, (void)policy;
    return metric == OG_DELAYED_ACCURACY ? 1 : 0;
}

static void shared_free(void *self)
{
    shared *all = self;
    og_recorded_pool_free(all->pool);
    free(all->call);
    free(all->right);
    free(all->gain);
    free(all);
}

static og_status fill_shared(shared *all, og_message *message)
{
    const og_recorded calls = {.labels = all->from->labels,
                               .gold = all->from->gold,
                               .prior = all->from->prior,
                               .final_ties = all->from->final_ties};
    const og_settings settings = og_stop_limits(1, all->memory_bytes, all->stop);
    double *pay = NULL, error;
    OG_TRY(og_recorded_pool_new(all->from, &settings, &all->pool, message));
    all->arm = all->pool->arms->arm[0];
    og_recorded_answers_fill(&all->answers, all->from->labels);
    OG_TRY(og_recorded_calls(&calls, all->arm, &all->call, &pay));
    all->right = calloc(all->arm->node_count, sizeof *all->right);
    all->gain = calloc(2 * (size_t)all->arm->node_count, sizeof *all->gain);
    OG_TRY(all->right == NULL || all->gain == NULL ? OG_NO_MEMORY : OG_OK);
    OG_TRY(og_standing_rights(all->arm, all->right));
    return og_arm_gains(all->arm, all->stop, all->gain, &error);
}

static void assign_shared(void *object, og_block *block)
{
    shared *all = object;
    og_recorded_answers_take(&all->answers, all->from->labels, block);
}

static og_status open_recorded(const og_source *source, const og_environment_use *use,
                               og_environments *out, og_message *message)
{
    shared start = {.from = source->problem, .memory_bytes = use->memory_bytes, .stop = use->stop};
    shared *all = og_block_build(&start, sizeof start, assign_shared);
    OG_TRY(OG_ALLOCATED(all));
    og_status status = fill_shared(all, message);
    if (status != OG_OK) {
        shared_free(all);
        return status;
    }
    *out = (og_environments){.self = all,
                             .metric_count = OG_DELAYED_METRICS,
                             .size = 1,
                             .gain_max = 1,
                             .whole = whole,
                             .all_labels = NAN,
                             .strategy = make_strategy,
                             .environment = make_environment,
                             .free = shared_free};
    return OG_OK;
}

og_source og_source_recorded_delayed(const og_recorded_delayed *recorded)
{
    return (og_source){.open = open_recorded, .problem = recorded};
}
