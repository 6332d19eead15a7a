/*
 * Simulates recorded comparisons without replacement: for an act (a pair, or a pair and a worker)
 * one of its unused rows is drawn. The order is the same for all policies of a run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/simulation/ranking.h"
#include "bench/simulation/ranking_concluded.h"
#include "bench/simulation/sources.h"
#include "dp/base/arena.h"
#include "dp/base/clock.h"

/* Rows [first, first + count) of an act. */
typedef struct {
    og_act act;
    int32_t first, count;
} group;

typedef struct {
    og_arena arena;
    const og_recorded_pairs *from;
    int32_t *row; /* [pairs->count] sorted by pair, and by worker if these are distinguished */
    group *group; /* [group_count] */
    int32_t group_count;
    double *prior; /* [items + 2 * workers] */
    og_stop *stop;
    og_ranking_setting setting;
} place;

typedef struct {
    og_arena arena;
    og_ranking_run at;
    const place *all;
    int32_t *row;   /* [pairs->count] drawn orders of the groups' rows */
    int32_t *taken; /* [group_count] number of rows used */
    int32_t *group; /* [at.open_count] group of each open act */
    og_pair *given; /* [given_count] comparisons of this run, in this order, without draws */
    int32_t given_count;
    double *decision; /* [items] the policy's latest scores */
    int32_t reported;
    double begun;
    double *metric; /* [2 * at_count] */
} recorded_run;

static recorded_run *run_of(void *self)
{
    return (recorded_run *)((char *)self - offsetof(recorded_run, at));
}

/* ---- the environment ---- */

/* Put the rows of a group into random order [Fisher and Yates]. */
static void shuffle(recorded_run *run, int32_t g)
{
    const group *one = &run->all->group[g];
    int32_t *row = run->row + one->first;
    for (int32_t k = one->count - 1; k > 0; k--) {
        uint64_t bits = og_draw(run->at.seed, OG_DRAW_LABEL, run->at.run, (uint32_t)g, (uint32_t)k);
        int32_t other = (int32_t)og_draw_below(bits, (uint32_t)k + 1), was = row[k];
        row[k] = row[other];
        row[other] = was;
    }
}

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    recorded_run *play = run_of(self);
    const place *all = play->all;
    og_ranking_run_begin(&play->at, seed, run, labels);
    memcpy(play->row, all->row, (size_t)all->from->pairs->count * sizeof *play->row);
    for (int32_t g = 0; g < all->group_count; g++) {
        shuffle(play, g);
        play->taken[g] = 0;
        play->group[g] = g;
        play->at.open[g] = (og_act_open){all->group[g].act,
                                         all->from->prior.worker[0] > 0 ? all->group[g].count : 1};
    }
    play->at.open_count = all->group_count;
    play->at.left = all->from->at[all->from->at_count - 1];
    play->reported = 0;
    play->given_count = 0;
    play->begun = og_seconds_of_thread();
}

/* Did the first item win? A draw is a win of either item with equal probability, the same for all
 * policies of a run. */
static bool first_won(const recorded_run *run, int32_t row)
{
    const og_pair *pair = &run->all->from->pairs->pair[row];
    return pair->draw
               ? og_draw_below(og_draw(run->at.seed, OG_DRAW_TRUTH, run->at.run, (uint32_t)row, 0),
                               2) == 0
               : pair->first;
}

static void step(void *self, const bool *tied, int64_t j)
{
    recorded_run *run = run_of(self);
    int32_t which = og_ranking_run_find(&run->at, tied, j), g = run->group[which];
    const group *one = &run->all->group[g];
    int32_t row = run->row[one->first + run->taken[g]++];
    og_pair given = run->all->from->pairs->pair[row];
    given.first = first_won(run, row);
    given.draw = false;
    run->given[run->given_count++] = given;
    og_ranking_run_tell(&run->at, which, given.first);
    if (run->taken[g] == one->count) {
        og_ranking_run_close(&run->at, which);
        memmove(&run->group[which], &run->group[which + 1],
                (size_t)(run->at.open_count - which) * sizeof *run->group);
    } else if (run->all->from->prior.worker[0] > 0) {
        run->at.open[which].copies--;
    }
}

static bool due(void *self)
{
    const recorded_run *run = run_of(self);
    const og_recorded_pairs *from = run->all->from;
    int32_t given = from->at[from->at_count - 1] - run->at.left;
    return run->reported < from->at_count && from->at[run->reported] == given;
}

static void decided(void *self, const double *decision)
{
    recorded_run *run = run_of(self);
    memcpy(run->decision, decision, (size_t)run->at.items * sizeof *decision);
    run->metric[run->reported] = og_ranking_run_accuracy(&run->at, decision);
    run->metric[run->all->from->at_count + run->reported] = og_seconds_of_thread() - run->begun;
    run->reported++;
}

static void score(void *self, double *metric)
{
    const recorded_run *run = run_of(self);
    memcpy(metric, run->metric, 2 * (size_t)run->all->from->at_count * sizeof *metric);
}

static og_status conclude(void *self, const og_strategy *by, og_document *object,
                          og_message *message)
{
    const recorded_run *run = run_of(self);
    og_pairs given = *run->all->from->pairs;
    (void)by;
    given.pair = run->given;
    given.count = run->given_count;
    return og_ranking_conclude(run->all->from, &given, run->decision,
                               og_ranking_run_accuracy(&run->at, run->decision), run->at.seed,
                               object, message);
}

static void environment_free(void *self)
{
    og_arena_free(run_of(self));
}

/* ---- opening ---- */

static og_status make_environment(void *self, og_environment *out)
{
    const place *all = self;
    const og_pairs *pairs = all->from->pairs;
    size_t items = (size_t)pairs->item_count, groups = (size_t)all->group_count;
    recorded_run *run = og_arena_new(sizeof *run);
    OG_TRY(OG_ALLOCATED(run));
    run->all = all;
    run->at.items = all->setting.items;
    run->at.workers = all->setting.workers;
    run->at.score = pairs->score;
    run->at.won = og_arena_array(&run->arena, items * items, sizeof *run->at.won);
    run->at.place = og_arena_array(&run->arena, items, sizeof *run->at.place);
    run->at.open = og_arena_array(&run->arena, groups, sizeof *run->at.open);
    run->row = og_arena_array(&run->arena, (size_t)pairs->count, sizeof *run->row);
    run->taken = og_arena_array(&run->arena, groups, sizeof *run->taken);
    run->group = og_arena_array(&run->arena, groups, sizeof *run->group);
    run->given = og_arena_array(&run->arena, (size_t)pairs->count, sizeof *run->given);
    run->decision = og_arena_array(&run->arena, items, sizeof *run->decision);
    run->metric = og_arena_array(&run->arena, 2 * (size_t)all->from->at_count, sizeof *run->metric);
    OG_TRY(og_arena_whole(run));
    *out = (og_environment){.self = &run->at,
                            .open_max = all->group_count,
                            .begin = begin,
                            .state = og_ranking_run_state,
                            .open = og_ranking_run_open,
                            .step = step,
                            .hear = og_ranking_run_hear,
                            .due = due,
                            .decided = decided,
                            .decision_count = run->at.items,
                            .score = score,
                            .result = conclude,
                            .free = environment_free};
    return OG_OK;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    return og_ranking_player(policy, &((const place *)self)->setting, out, message);
}

/* A row and the act that it answers. */
typedef struct {
    og_act act;
    int32_t row;
} keyed;

static int compare_keyed(const void *left, const void *right)
{
    const keyed *x = left, *y = right;
    for (int k = 0; k < 3; k++) {
        if (x->act.part[k] != y->act.part[k]) {
            return x->act.part[k] < y->act.part[k] ? -1 : 1;
        }
    }
    return (x->row > y->row) - (x->row < y->row);
}

static void fill_groups(place *all, keyed *key)
{
    const og_pairs *pairs = all->from->pairs;
    for (int32_t k = 0; k < pairs->count; k++) {
        const og_pair *pair = &pairs->pair[k];
        uint32_t worker = all->from->prior.worker[0] > 0 ? pair->worker : 0;
        key[k] = (keyed){{{pair->item[0], pair->item[1], worker}}, k};
    }
    qsort(key, (size_t)pairs->count, sizeof *key, compare_keyed);
    for (int32_t k = 0; k < pairs->count; k++) {
        if (k == 0 || !og_act_equal(key[k - 1].act, key[k].act)) {
            all->group[all->group_count++] = (group){key[k].act, k, 0};
        }
        all->group[all->group_count - 1].count++;
        all->row[k] = key[k].row;
    }
}

static og_status sort_pairs(place *all)
{
    const og_pairs *pairs = all->from->pairs;
    size_t count = (size_t)pairs->count, items = pairs->item_count;
    size_t workers = all->from->prior.worker[0] > 0 ? pairs->worker_count : 0;
    og_arena arena = {0};
    keyed *key = og_arena_array(&arena, count, sizeof *key);
    all->row = og_arena_array(&all->arena, count, sizeof *all->row);
    all->group = og_arena_array(&all->arena, count, sizeof *all->group);
    all->prior = og_arena_array(&all->arena, items + 2 * workers, sizeof *all->prior);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arena_status(&all->arena));
    if (status == OG_OK) {
        fill_groups(all, key);
        for (size_t i = 0; i < items; i++) {
            all->prior[i] = all->from->prior.item;
        }
        for (size_t w = 0; w < workers; w++) {
            memcpy(&all->prior[items + 2 * w], all->from->prior.worker,
                   sizeof all->from->prior.worker);
        }
        all->setting =
            (og_ranking_setting){(int32_t)items, (int32_t)workers, all->prior, all->stop};
    }
    og_arena_clear(&arena);
    return status;
}

/* The metrics that are shares: accuracies, except the constant one without labels. */
static double whole(const void *self, const og_policy_name *policy, int32_t metric)
{
    (void)policy;
    const og_recorded_pairs *from = ((const place *)self)->from;
    return metric < from->at_count && from->at[metric] > 0 ? 1 : 0;
}

static og_status open_recorded(const og_source *source, const og_environment_use *use,
                               og_environments *out, og_message *message)
{
    const og_recorded_pairs *from = source->problem;
    if (from->pairs->item_count > OG_RANKING_PLAYED_MAX) {
        return og_message_set(message, OG_STOPPED, "a ranking supports at most %d items, not %u",
                              OG_RANKING_PLAYED_MAX, from->pairs->item_count);
    }
    if (from->at[from->at_count - 1] > from->pairs->count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the budget (-T) is more than the %lld recorded comparisons",
                              (long long)from->pairs->count);
    }
    place *all = og_arena_new(sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    all->from = from;
    all->stop = use->stop;
    og_status status = sort_pairs(all);
    if (status != OG_OK) {
        og_arena_free(all);
        return status;
    }
    *out =
        (og_environments){.self = all,
                          .metric_count = 2 * from->at_count,
                          .instances = og_ranking_counted(all->setting.items, all->setting.workers),
                          .whole = whole,
                          .all_labels = NAN,
                          .strategy = make_strategy,
                          .environment = make_environment,
                          .free = og_arena_free};
    return OG_OK;
}

og_source og_source_recorded_pairs(const og_recorded_pairs *recorded)
{
    return (og_source){.open = open_recorded, .problem = recorded};
}
