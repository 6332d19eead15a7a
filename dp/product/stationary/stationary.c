/* Finds the stages of a stationary index policy, and the gain of each within the budget. */
#include "dp/product/stationary/stationary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/product/stationary/law.h"
#include "dp/product/stationary/path.h"
#include "dp/product/stationary/stage_time.h"

static const double negligible = 1e-22;

typedef struct {
    og_arena arena;
    const og_arms *arms;
    const og_ranks *ranks;
    og_ties ties;
    og_settings settings; /* filled */
    double work_max, work;
    bool too_many;
    double start; /* by the clock */
    uint64_t stages;
    og_path **path;  /* [arm_count], owned */
    int64_t *copies; /* [arm_count] */
    double *law[4];  /* [budget + 1] each */
    double *scratch; /* [5 * (budget + 1)] */
    double *after;   /* [(group_count + 1) * (budget + 1)] */
    double gain, error;
    double rounds; /* upper bound of the roundings of a stage's products */
} work;

bool og_stationary_can(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                       const og_settings *settings)
{
    return settings->engine == OG_ENGINE_AUTO && settings->reductions == OG_REDUCE_ALL &&
           !ranks->by_left && ranks->chooser_lock == NULL && !ranks->stops &&
           !og_arms_have_actions(arms) && (ties == OG_TIES_FIRST || ties == OG_TIES_RANDOM) &&
           arms->budget >= 1;
}

/* ---- sizes and limits ---- */

static uint64_t bytes_of(const work *w)
{
    uint64_t bytes = og_arms_bytes(w->arms);
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        bytes += og_path_bytes(w->arms->arm[a], w->arms->budget);
    }
    return bytes +
           sizeof(double) * (uint64_t)(w->arms->group_count + 10) * ((uint64_t)w->arms->budget + 1);
}

static og_status go_on(work *w, double products, og_message *message)
{
    const og_settings *s = &w->settings;
    w->work += products * w->arms->budget * w->arms->budget / 2;
    if (w->work > w->work_max) {
        w->too_many = true;
        return og_message_set(message, OG_STOPPED, "this policy has too many stages");
    }
    og_progress progress = {.seconds = og_seconds() - w->start, .states = w->stages};
    if (s->watch != NULL && !s->watch(s->watch_user, &progress)) {
        return og_message_set(message, OG_STOPPED, "stopped after %" PRIu64 " stages", w->stages);
    }
    return OG_OK;
}

static void paths_free(work *w)
{
    for (int32_t a = 0; w->path != NULL && a < w->arms->arm_count; a++) {
        og_path_free(w->path[a]);
        w->path[a] = NULL;
    }
}

/* All instances at their priors. */
static og_status paths_begin(work *w)
{
    paths_free(w);
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        OG_TRY(og_path_new(w->arms->arm[a], og_ranks_of(w->ranks, a, 1), w->arms->budget,
                           &w->path[a]));
    }
    return OG_OK;
}

static og_status work_begin(work *w, og_message *message)
{
    const og_arms *arms = w->arms;
    size_t size = (size_t)arms->budget + 1;
    if (bytes_of(w) > w->settings.memory_bytes) {
        return og_message_set(message, OG_STOPPED,
                              "the distributions of labels do not fit into memory");
    }
    w->path = og_arena_array(&w->arena, (size_t)arms->arm_count, sizeof(og_path *));
    w->copies = og_arena_array(&w->arena, (size_t)arms->arm_count, sizeof *w->copies);
    for (int32_t i = 0; i < 4; i++) {
        w->law[i] = og_arena_array(&w->arena, size, sizeof(double));
    }
    w->scratch = og_arena_array(&w->arena, 5 * size, sizeof(double));
    w->after = og_arena_array(&w->arena, ((size_t)arms->group_count + 1) * size, sizeof(double));
    OG_TRY(og_arena_status(&w->arena));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        w->copies[a] = og_arms_copies(arms, a);
    }
    return OG_OK;
}

static void work_clear(work *w)
{
    paths_free(w);
    og_arena_clear(&w->arena);
}

/* ---- the value of a stage ---- */

/* The distribution of all labels after the current stage. */
static const double *law_of_all(work *w, bool after_stage)
{
    double *all = w->law[0], *next = w->law[1], *power = w->law[2];
    og_law_none(w->arms->budget, all);
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        const double *one = og_path_law(w->path[a], after_stage ? w->path[a]->visits : 0);
        og_law_power(w->arms->budget, one, w->copies[a], power, w->scratch);
        og_law_times(w->arms->budget, all, power, next);
        double *kept = all;
        all = next;
        next = kept;
    }
    return all;
}

static og_status play_all(work *w, uint32_t rank, bool apart, og_message *message)
{
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        og_status status = og_path_play(w->path[a], rank, apart);
        if (status == OG_STOPPED) {
            w->too_many = true;
            og_message_set(message, OG_STOPPED, "an instance may tie with itself too often");
        }
        OG_TRY(status);
    }
    return OG_OK;
}

/* Sum over n of the gain of the visits after n labels of the instance itself, times P(others <
 * budget - n). */
static double earned(const og_path *path, const double *others)
{
    double sum = 0, within = 0;
    for (int32_t n = path->budget - 1; n >= 0; n--) {
        within += others[path->budget - 1 - n];
        double gain = 0;
        for (int32_t m = 1; m <= path->visits; m++) {
            gain += og_path_gain(path, m)[n];
        }
        sum += gain * within;
    }
    return sum;
}

/* The copies go one after the other, after the instances in `before` and before those in
 * `after`. */
static void earn_in_order(work *w, const og_path *path, int64_t copies, const double *before,
                          const double *after)
{
    int32_t budget = w->arms->budget;
    og_law_power_sum(budget, og_path_law(path, path->visits), og_path_law(path, 0), copies,
                     w->law[1], w->scratch);
    og_law_times(budget, before, w->law[1], w->law[2]);
    og_law_times(budget, after, w->law[2], w->law[1]);
    w->gain += earned(path, w->law[1]);
}

static void stage_first(work *w)
{
    const og_arms *arms = w->arms;
    int32_t budget = arms->budget, groups = arms->group_count;
    size_t size = (size_t)budget + 1;
    og_law_none(budget, w->after + (size_t)groups * size);
    for (int32_t g = groups - 1; g >= 0; g--) {
        const og_path *path = w->path[arms->arm_of_group[g]];
        og_law_power(budget, og_path_law(path, 0), arms->group_size[g], w->law[0], w->scratch);
        og_law_times(budget, w->after + ((size_t)g + 1) * size, w->law[0],
                     w->after + (size_t)g * size);
    }
    double *before = w->law[3];
    og_law_none(budget, before);
    for (int32_t g = 0; g < groups; g++) {
        const og_path *path = w->path[arms->arm_of_group[g]];
        earn_in_order(w, path, arms->group_size[g], before, w->after + ((size_t)g + 1) * size);
        og_law_power(budget, og_path_law(path, path->visits), arms->group_size[g], w->law[0],
                     w->scratch);
        og_law_times(budget, before, w->law[0], w->law[1]);
        memcpy(before, w->law[1], size * sizeof *before);
    }
}

static og_status stage_random(work *w, double *products)
{
    const og_arms *arms = w->arms;
    if (arms->arm_count == 1 && w->path[0]->visits <= 1) {
        og_law_none(arms->budget, w->law[3]);
        earn_in_order(w, w->path[0], w->copies[0], w->law[3], w->law[3]);
        return OG_OK;
    }
    og_clock_stage stage = {.budget = arms->budget,
                            .arm_count = arms->arm_count,
                            .path = w->path,
                            .copies = w->copies,
                            .threads = w->settings.threads};
    double pairs = (double)arms->budget * arms->budget / 2;
    stage.products_max = (w->work_max - w->work) / pairs;
    double gain, error;
    og_status status = og_clock_gain(&stage, &gain, &error, products);
    if (status == OG_OK) {
        w->gain += gain;
        w->error += error;
        w->rounds = fmax(w->rounds, og_clock_rounds(&stage));
    }
    return status;
}

/* ---- all stages ---- */

/* Upper bound of the gain of all labels from the budget on. */
static double most_left(const og_arms *arms)
{
    double most = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (uint32_t x = 0; x < arms->arm[a]->level[arms->budget]; x++) {
            most = fmax(most, arms->arm[a]->reward[x]);
        }
    }
    return most * arms->budget * 1.01;
}

static double products_of_all(const work *w)
{
    double sum = 0;
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        sum += 3 + 2 * log2((double)w->copies[a]);
    }
    return sum;
}

/* Plays all stages of this rank or larger ones, from the start. *spent: the probability that they
 * use up the budget. */
static og_status play_down_to(work *w, uint32_t rank, double *spent, og_message *message)
{
    OG_TRY(paths_begin(w));
    OG_TRY(play_all(w, rank, false, message));
    *spent = law_of_all(w, true)[w->arms->budget];
    return go_on(w, products_of_all(w), message);
}

/* Plays the stages that end before the budget does, except with a negligible probability. Returns
 * the smallest of their ranks, or one more than the largest rank if there is none. The paths remain
 * there. */
static og_status play_early_stages(work *w, og_message *message)
{
    uint32_t largest = 0;
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        const uint32_t *rank = og_ranks_of(w->ranks, a, 1);
        for (uint32_t x = 0; x < w->arms->arm[a]->level[w->arms->budget]; x++) {
            largest = rank[x] > largest ? rank[x] : largest;
        }
    }
    uint64_t low = 0, high = (uint64_t)largest + 1; /* `high` is a valid answer */
    double spent = 0;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        OG_TRY(play_down_to(w, (uint32_t)middle, &spent, message));
        if (spent <= negligible) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if (high > largest) {
        return paths_begin(w);
    }
    OG_TRY(play_down_to(w, (uint32_t)high, &spent, message));
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        double sum = 0;
        for (int32_t n = 0; w->path[a]->visits > 0 && n < w->arms->budget; n++) {
            sum += og_path_gain(w->path[a], 1)[n];
        }
        w->gain += (double)w->copies[a] * sum;
    }
    w->error += spent * most_left(w->arms);
    return OG_OK;
}

static bool next_rank(const work *w, uint32_t *rank)
{
    bool any = false;
    *rank = 0;
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        uint32_t of_arm;
        if (og_path_rank(w->path[a], &of_arm)) {
            *rank = of_arm > *rank ? of_arm : *rank;
            any = true;
        }
    }
    return any;
}

/* Probability that the budget is not used up before the current stage. */
static double chance_left(work *w)
{
    const double *all = law_of_all(w, false);
    double left = 0;
    for (int32_t n = 0; n < w->arms->budget; n++) {
        left += all[n];
    }
    return left;
}

static og_status play_stages(work *w, og_message *message)
{
    const uint64_t look_every = 8;
    uint32_t rank;
    while (next_rank(w, &rank)) {
        double products = 4 * products_of_all(w);
        OG_TRY(play_all(w, rank, w->ties == OG_TIES_RANDOM, message));
        if (w->stages % look_every == 0) {
            double left = chance_left(w);
            if (left <= negligible) {
                w->error += 2 * left * most_left(w->arms);
                break;
            }
        }
        if (w->ties == OG_TIES_FIRST) {
            stage_first(w);
        } else {
            og_status status = stage_random(w, &products);
            if (status == OG_STOPPED) {
                products = INFINITY;
            } else if (status != OG_OK) {
                return status;
            }
        }
        w->stages++;
        OG_TRY(go_on(w, products, message));
    }
    return OG_OK;
}

/* The terms are all positive: probabilities of paths, with the error of each label's probability,
 * in the product for all instances; rewards; sums over labels, visits and stages. */
static double relative_error(const work *w)
{
    const double u = 0x1p-53;
    double path = 0, reward = 0, copies = 0;
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        const og_arm *arm = w->arms->arm[a];
        path = fmax(path, arm->probability_error * w->arms->budget + u * w->path[a]->rounds);
        reward = fmax(reward, arm->reward_error);
        copies += (double)w->copies[a];
    }
    double rounds = fmax(w->rounds, (copies + w->arms->group_count) * (w->arms->budget + 4.0));
    double sums = 4.0 * w->arms->budget + 2.0 * OG_PATH_VISITS_MAX + (double)w->stages +
                  w->arms->group_count + 16;
    return 1.01 * ((copies + 1) * path + reward + u * (rounds + sums));
}

static og_status run(work *w, og_result *result, og_message *message)
{
    OG_TRY(work_begin(w, message));
    OG_TRY(play_early_stages(w, message));
    OG_TRY(play_stages(w, message));
    double call_error;
    result->gain = w->gain;
    result->value = og_arms_prior_value(w->arms, &call_error) + w->gain;
    /* Probabilities that underflowed are below 2^-900 together. */
    result->error_bound = 1.01 * (w->gain * relative_error(w) + w->error) +
                          0x1p-900 * og_arms_scale(w->arms) + call_error +
                          fabs(result->value) * 0x1p-53;
    return OG_OK;
}

og_status og_stationary_value(const og_ranks_play *play, const og_settings *settings,
                              double work_max, bool *too_many, og_result *result,
                              og_message *message)
{
    work w = {.arms = play->arms,
              .ranks = play->ranks,
              .ties = play->ties,
              .settings = og_settings_filled(settings),
              .work_max = work_max,
              .start = og_seconds()};
    *result = (og_result){0};
    og_status status = run(&w, result, message);
    result->states = result->expanded = w.stages;
    result->memory_bytes = bytes_of(&w);
    result->seconds = og_seconds() - w.start;
    *too_many = w.too_many;
    work_clear(&w);
    return status;
}
