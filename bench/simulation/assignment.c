/*
 * Simulates task assignment, with recorded or drawn labels. A label's address is its task and
 * worker, so all policies of a run get the same label; a policy's own draws use the number of the
 * label.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/missing_labels.h"
#include "bench/simulation/concluded.h"
#include "bench/simulation/sources.h"
#include "bench/truth.h"
#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "heuristics/user_policy.h"

/* Addresses of a policy's own draws; and of accuracies, after those of the truths. */
enum { WHICH, COIN };
enum { ACCURACIES = 1 << 30 };

typedef struct {
    const og_assignment_world *from;
    int32_t known;     /* tasks with a truth */
    const int32_t *at; /* [at_count] budgets of a curve; with `from->at_count` 0 */
    int32_t at_count;
} place;

typedef struct {
    og_arena arena;
    const place *all;
    uint64_t seed, run;
    int8_t *truth;    /* [tasks] */
    double *accuracy; /* [contexts * workers] */
    double *positive; /* [tasks], or [tasks * classes], as og_assignment_player.call writes it */
    og_assignment_choice choice;
    void *state; /* [state_bytes] of the policy */
    size_t state_bytes;
    int32_t given;    /* labels */
    uint64_t *labels; /* [workers] */
} episode;

/* ---- truth ---- */

static void draw_accuracies(episode *e)
{
    const og_assignment_world *from = e->all->from;
    const og_assignment *problem = from->problem;
    int32_t cells = from->setting.contexts * from->setting.workers;
    if (problem == NULL) {
        og_drawn_crowd_draw(&from->crowd, from->setting.contexts, e->seed, e->run, e->accuracy);
        return;
    }
    for (int32_t k = 0; k < cells; k++) {
        const double *pair = problem->chance[k];
        og_draw_place at = {e->seed, OG_DRAW_TRUTH, e->run, (uint32_t)k + ACCURACIES, 0};
        e->accuracy[k] = problem->known ? pair[0] : og_beta_draw(pair[0], pair[1], &at);
    }
}

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    enum { TRUTH = 2 }; /* after the addresses of og_drawn_crowd_draw */
    episode *e = self;
    const og_assignment_world *from = e->all->from;
    e->seed = seed;
    e->run = run;
    e->labels = labels;
    for (int32_t i = 0; i < from->setting.tasks; i++) {
        bool fair = og_draw(seed, OG_DRAW_TRUTH, run, (uint32_t)i, TRUTH) >> 63 != 0;
        e->truth[i] = from->truth != NULL ? from->truth[i] : fair ? 1 : -1;
    }
    if (from->label == NULL) {
        draw_accuracies(e);
    }
}

static int8_t label_of(const episode *e, int32_t cell)
{
    const og_assignment_world *from = e->all->from;
    int32_t workers = from->setting.workers, task = cell / workers, worker = cell % workers;
    if (from->label != NULL) {
        return from->label[cell];
    }
    uint64_t bits = og_draw(e->seed, OG_DRAW_LABEL, e->run, (uint32_t)task, (uint32_t)worker);
    double accuracy = e->accuracy[from->setting.context[task] * workers + worker];
    int8_t truth = e->truth[task] != 0 ? e->truth[task] : 1;
    return og_label_drawn(og_draw_unit(bits), accuracy, from->setting.classes, truth);
}

/* ---- a run ---- */

/* The share that the call of a task with a truth is right. */
static double call_right(const episode *e, int32_t task)
{
    const og_assignment_setting *setting = &e->all->from->setting;
    int8_t truth = e->truth[task];
    return og_assignment_several(setting) ? e->positive[task * setting->classes + truth - 1]
           : truth > 0                    ? e->positive[task]
                                          : 1 - e->positive[task];
}

/* The share of correct calls in e->positive. */
static double share_right(const episode *e)
{
    double right = 0;
    for (int32_t i = 0; i < e->all->from->setting.tasks; i++) {
        right += e->truth[i] != 0 ? call_right(e, i) : 0;
    }
    return e->all->from->truth == NULL ? right / e->all->from->setting.tasks
                                       : right / e->all->known;
}

/* Count the cells with a label, and those whose label is right. */
static void count_labels(const episode *e, double *all, double *right)
{
    const og_assignment_setting *setting = &e->all->from->setting;
    const int8_t *label = e->state;
    *all = *right = 0;
    for (int32_t i = 0; i < setting->tasks; i++) {
        for (int32_t j = 0; j < setting->workers; j++, label++) {
            *all += *label != 0;
            *right += *label != 0 && *label == e->truth[i];
        }
    }
}

/* Call each task according to its labels: with equal weights, or weighted by the odds of the
 * workers. */
static void call_by_votes(episode *e, bool weighted)
{
    const double rounding = 1e-9;
    const og_assignment_setting *setting = &e->all->from->setting;
    const int8_t *label = e->state;
    for (int32_t i = 0; i < setting->tasks; i++) {
        const double *accuracy = &e->accuracy[setting->context[i] * setting->workers];
        double sum = 0;
        if (og_assignment_several(setting)) {
            og_assignment_vote(setting, label, weighted ? accuracy : NULL, rounding,
                               &e->positive[i * setting->classes]);
            label += setting->workers;
            continue;
        }
        for (int32_t j = 0; j < setting->workers; j++, label++) {
            double q = accuracy[j];
            sum += *label == 0 ? 0 : *label * (weighted ? log(q / (1 - q)) : 1);
        }
        e->positive[i] = fabs(sum) <= rounding ? 0.5 : sum > 0;
    }
}

static int32_t pick(const episode *e, og_assignment_move move, og_ties ties)
{
    const og_assignment_choice *from = &e->choice;
    uint64_t bits = og_draw(e->seed, OG_DRAW_TIE, e->run, WHICH, (uint32_t)e->given);
    int32_t k = 0;
    if (move == OG_ASSIGNMENT_DRAWN) {
        double rest = og_draw_unit(bits);
        while (k + 1 < from->count && (rest -= from->chance[k]) >= 0) {
            k++;
        }
    } else if (move == OG_ASSIGNMENT_ALIKE || ties != OG_TIES_FIRST) {
        k = (int32_t)og_draw_below(bits, (uint32_t)from->count);
    }
    return from->cell[k];
}

/* Buy one label; false if the policy asks for none. */
static bool step(episode *e, const og_assignment_player *player, og_ties ties)
{
    og_assignment_move move = player->next(player->self, e->state, &e->choice);
    if (move == OG_ASSIGNMENT_OVER) {
        return false;
    }
    int32_t cell = pick(e, move, ties);
    if (player->tell(player->self, e->state, cell, label_of(e, cell))) {
        uint64_t bits = og_draw(e->seed, OG_DRAW_TIE, e->run, COIN, (uint32_t)e->given);
        int8_t side = bits >> 63 != 0 ? 1 : -1;
        if (og_assignment_several(&e->all->from->setting)) {
            uint32_t sides = (uint32_t)player->sides(player->self, e->state);
            side = (int8_t)(1 + og_draw_below(bits, sides));
        }
        player->toss(player->self, e->state, side);
    }
    if (e->labels != NULL) {
        e->labels[cell % e->all->from->setting.workers]++;
    }
    e->given++;
    return true;
}

/* A run whose metrics are the totals and, if asked for, a curve. */
static og_status play_totals(episode *e, const og_strategy *by, og_ties ties, double *metric)
{
    const place *all = e->all;
    const og_assignment_player *player = og_assignment_player_of(by);
    bool goes_on = true;
    for (int32_t k = 0; k == 0 || k < all->at_count; k++) {
        int32_t end = all->at_count > 0 ? all->at[k] : all->from->setting.budget;
        while (goes_on && e->given != end) {
            OG_TRY(og_run_status(by, 0));
            goes_on = step(e, player, ties);
        }
        player->call(player->self, e->state, e->positive);
        metric[OG_CORRECT] = share_right(e);
        if (all->at_count > 0) {
            metric[OG_CORRECT + 1 + k] = metric[OG_CORRECT];
        }
    }
    metric[OG_EXPECTED] = metric[OG_CORRECT] - 0.5;
    return OG_OK;
}

static og_status play(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message)
{
    episode *e = self;
    const og_assignment_world *from = e->all->from;
    const og_assignment_player *player = og_assignment_player_of(by);
    const double started = og_seconds_of_thread();
    bool goes_on = true;
    (void)message;
    if (player->state_bytes > e->state_bytes) {
        void *state = realloc(e->state, player->state_bytes);
        OG_TRY(OG_ALLOCATED(state));
        e->state = state;
        e->state_bytes = player->state_bytes;
    }
    player->begin(player->self, e->state);
    e->given = 0;
    for (int32_t k = 0; k < from->at_count; k++) {
        while (goes_on && e->given < from->at[k]) {
            OG_TRY(og_run_status(by, 0));
            goes_on = step(e, player, ties);
        }
        player->call(player->self, e->state, e->positive);
        metric[k] = share_right(e);
        metric[from->at_count + k] = og_seconds_of_thread() - started;
        metric[2 * from->at_count + k] = e->given;
        count_labels(e, &metric[3 * from->at_count + k], &metric[4 * from->at_count + k]);
        for (int32_t weighted = 0; weighted < (from->label == NULL ? 2 : 1); weighted++) {
            call_by_votes(e, weighted > 0);
            metric[(5 + weighted) * from->at_count + k] = share_right(e);
        }
    }
    return from->at_count == 0 ? play_totals(e, by, ties, metric) : OG_OK;
}

/* ---- what a run concluded ---- */

static void add_labels(const episode *e, og_concluded *found)
{
    const og_assignment_setting *setting = &e->all->from->setting;
    const int8_t *label = e->state;
    for (int32_t i = 0; i < setting->tasks; i++) {
        for (int32_t j = 0; j < setting->workers; j++, label++) {
            if (*label != 0) {
                int32_t outcome = og_assignment_several(setting) ? *label - 1 : *label < 0;
                og_concluded_add(found, (uint32_t)i, (uint32_t)j, outcome);
            }
        }
    }
}

/* The outcome of the class that a task is called; OG_CONCLUDED_TIE: several are equally good. */
static int32_t call_of(const episode *e, int32_t task)
{
    const og_assignment_setting *setting = &e->all->from->setting;
    const double *share = &e->positive[task], half = 0.5;
    if (!og_assignment_several(setting)) {
        return *share == half ? OG_CONCLUDED_TIE : *share > half ? 0 : 1;
    }
    share = &e->positive[task * setting->classes];
    for (int32_t c = 0; c < setting->classes; c++) {
        if (share[c] == 1) {
            return c;
        }
    }
    return OG_CONCLUDED_TIE;
}

/* `score`: NULL if the policy has none. */
static void put_tasks(const episode *e, const og_concluded *found, const double *score,
                      og_document *object)
{
    og_concluded_totals totals = {0};
    og_document *rows = og_put_array(object, "tasks");
    for (int32_t i = 0; i < e->all->from->setting.tasks; i++) {
        int32_t outcome = call_of(e, i);
        int8_t truth = e->truth[i];
        og_document *row = og_concluded_put_task(rows, found, (uint32_t)i);
        og_concluded_put_call(row, found, outcome);
        if (score != NULL) {
            og_put_number(row, "score", score[i]);
        }
        og_concluded_count(&totals, found, outcome, truth == 0 ? OG_GOLD_NONE : truth > 0,
                           truth != 0 ? call_right(e, i) : 0);
    }
    og_concluded_put_totals(object, found, &totals, false);
}

static void put_by_context(const episode *e, const char *name, const double *cell, uint32_t worker,
                           og_document *row)
{
    const og_assignment_setting *setting = &e->all->from->setting;
    og_document *array = og_put_array(row, name);
    for (int32_t s = 0; s < setting->contexts; s++) {
        og_put_number(array, NULL, cell[s * setting->workers + (int32_t)worker]);
    }
}

static og_status describe(episode *e, const og_assignment_player *player, og_concluded *found,
                          og_document *object)
{
    const og_assignment_setting *setting = &e->all->from->setting;
    size_t cells = (size_t)setting->contexts * (size_t)setting->workers;
    double *loss = og_arena_array(&found->arena, cells, sizeof *loss);
    double *weight = og_arena_array(&found->arena, cells, sizeof *weight);
    double *score = og_arena_array(&found->arena, (size_t)setting->tasks, sizeof *score);
    uint32_t *order;
    OG_TRY(og_arena_status(&found->arena));
    if (player->standing != NULL) {
        player->standing(player->self, e->state, loss, weight, score);
    }
    player->call(player->self, e->state, e->positive);
    OG_TRY(og_concluded_order(found, NULL, &order));
    put_tasks(e, found, player->standing != NULL ? score : NULL, object);
    og_document *rows = og_put_array(object, "workers");
    for (uint32_t k = 0; k < found->labels->worker_count; k++) {
        og_document *row = og_concluded_put_worker(rows, found, order[k]);
        if (player->standing != NULL) {
            put_by_context(e, "loss", loss, order[k], row);
            put_by_context(e, "weight", weight, order[k], row);
        }
    }
    return OG_OK;
}

static og_status conclude(void *self, const og_strategy *by, og_document *object,
                          og_message *message)
{
    episode *e = self;
    const og_assignment_setting *setting = &e->all->from->setting;
    og_concluded found;
    if (e->all->from->labels == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "--result does not support drawn crowds");
    }
    OG_TRY(
        og_concluded_new(e->all->from->labels, (int64_t)setting->tasks * setting->workers, &found));
    add_labels(e, &found);
    og_concluded_compare(&found);
    og_status status = describe(e, og_assignment_player_of(by), &found, object);
    og_concluded_clear(&found);
    return status;
}

/* ---- opening ---- */

static void episode_free(void *self)
{
    free(((episode *)self)->state);
    og_arena_free(self);
}

static og_status make_environment(void *self, og_environment *out)
{
    const place *all = self;
    const og_assignment_setting *setting = &all->from->setting;
    size_t tasks = (size_t)setting->tasks, workers = (size_t)setting->workers;
    episode *e = og_arena_new(sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->all = all;
    e->truth = og_arena_array(&e->arena, tasks, sizeof *e->truth);
    size_t calls = og_assignment_several(setting) ? (size_t)setting->classes : 1;
    e->positive = og_arena_array(&e->arena, tasks * calls, sizeof *e->positive);
    e->accuracy =
        og_arena_array(&e->arena, (size_t)setting->contexts * workers, sizeof *e->accuracy);
    e->choice.cell = og_arena_array(&e->arena, tasks * workers, sizeof *e->choice.cell);
    e->choice.chance = og_arena_array(&e->arena, workers, sizeof *e->choice.chance);
    OG_TRY(og_arena_whole(e));
    *out = (og_environment){
        .self = e, .begin = begin, .play = play, .result = conclude, .free = episode_free};
    return OG_OK;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    if (og_user_policy_decides(policy)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "task assignment does not support simulating policy '%.64s', a "
                              "function or a program; it supports its exact value",
                              policy->name);
    }
    return og_assignment_played(policy, &((const place *)self)->from->setting, out, message);
}

/* The accuracy of the majority of all labels, if they are recorded. */
static double all_labels(const place *all)
{
    const og_assignment_world *from = all->from;
    int32_t workers = from->setting.workers;
    double right = 0;
    for (int32_t i = 0; i < from->setting.tasks; i++) {
        int32_t sum = 0;
        if (og_assignment_several(&from->setting)) {
            double share[OG_CLASSES_MAX];
            og_assignment_vote(&from->setting, &from->label[(int64_t)i * workers], NULL, 0, share);
            right += from->truth[i] != 0 ? share[from->truth[i] - 1] : 0;
            continue;
        }
        for (int32_t j = 0; j < workers; j++) {
            sum += from->label[(int64_t)i * workers + j];
        }
        int32_t agreed = sum * from->truth[i];
        right += from->truth[i] == 0 ? 0 : agreed > 0 ? 1 : agreed == 0 ? 0.5 : 0;
    }
    return right / all->known;
}

/* Metrics that are shares of the tasks: correct calls of the policy, and of the other ways to
 * call. */
static double whole(const void *self, const og_policy_name *policy, int32_t metric)
{
    (void)policy;
    int32_t count = ((const place *)self)->from->at_count;
    return count == 0 || metric < count || metric >= 5 * count ? 1 : 0;
}

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const og_assignment_world *from = source->problem;
    int64_t cells = (int64_t)from->setting.tasks * from->setting.workers;
    const double epsilon = 0x1p-52, coin = 0.5;
    (void)use;
    if (cells > OG_ASSIGNMENT_CELLS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "%lld tasks times workers are too many to simulate; give at most %d",
                              (long long)cells, OG_ASSIGNMENT_CELLS_MAX);
    }
    place *all = calloc(1, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    all->from = from;
    all->at = source->at;
    all->at_count = source->at_count;
    for (int32_t i = 0; from->truth != NULL && i < from->setting.tasks; i++) {
        all->known += from->truth[i] != 0;
    }
    *out = (og_environments){.self = all,
                             .instances = from->setting.workers,
                             .totals = OG_CORRECT + 1,
                             .metric_count = from->at_count == 0 ? OG_CORRECT + 1 + source->at_count
                                             : from->label != NULL ? 6 * from->at_count
                                                                   : 7 * from->at_count,
                             .prior = from->at_count > 0 ? 0 : coin,
                             .size = 1,
                             .gain_max = 1,
                             .run_error = (from->setting.tasks + 2) * epsilon,
                             .whole = whole,
                             .all_labels = from->label != NULL ? all_labels(all) : NAN,
                             .strategy = make_strategy,
                             .environment = make_environment,
                             .free = free};
    return OG_OK;
}

og_source og_source_assignment(const og_assignment_world *world)
{
    return (og_source){.open = open_runs, .problem = world};
}
