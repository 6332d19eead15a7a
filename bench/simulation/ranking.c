/*
 * Simulates a ranking; the scores and the workers' reliabilities are drawn or given. The n-th
 * answer about a pair, or with workers each worker's answer, is the same for every policy.
 */
#include "bench/simulation/ranking.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/simulation/sources.h"
#include "dp/base/arena.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_policy.h"

/* Data shared by the runs of all threads. */
typedef struct {
    og_arena arena;
    const og_ranking_problem *problem;
    const og_truth *truth;
    const og_ranking *exact; /* NULL: no exact posterior */
    const int32_t *at;       /* [at_count] budgets of a curve */
    int32_t at_count;
    int32_t totals; /* metrics before the curve */
    int32_t open_max;
    double prior;
    og_stop *stop;
} place;

typedef struct {
    og_arena arena;
    og_ranking_run at; /* first, as the functions of an environment expect */
    const place *all;
    double *faithful;   /* [workers] probability of naming the winner */
    double own, called; /* accuracies: of the strategy's ranking, of the exact posterior's
                           ranking */
    int32_t reported;   /* budgets of the curve so far */
    double *curve;      /* [at_count] accuracies of the strategy's ranking */
} drawn_run;

static drawn_run *run_of(void *self)
{
    return (drawn_run *)((char *)self - offsetof(drawn_run, at));
}

/* ---- truth ---- */

static void draw_scores(drawn_run *run)
{
    const og_truth *truth = run->all->truth;
    for (int32_t i = 0; i < run->at.items; i++) {
        og_draw_place from = {run->at.seed, OG_DRAW_TRUTH, run->at.run, (uint32_t)i, 0};
        double given = truth->kind == OG_TRUTH_PRIOR ? run->all->problem->setting.prior[i]
                                                     : og_fraction_double(truth->soft[i]);
        run->at.score[i] = truth->kind == OG_TRUTH_LIST ? given : og_gamma_draw(given, &from);
    }
}

static void draw_workers(drawn_run *run)
{
    const og_truth *truth = run->all->truth->workers;
    const double *worker = run->all->problem->setting.prior + run->at.items;
    for (int32_t w = 0; w < run->at.workers; w++) {
        og_draw_place from = {run->at.seed, OG_DRAW_TRUTH, run->at.run,
                              (uint32_t)(run->at.items + w), 0};
        if (truth == NULL) {
            run->faithful[w] = og_beta_draw(worker[2 * w], worker[2 * w + 1], &from);
        } else if (truth->kind == OG_TRUTH_BETA) {
            run->faithful[w] =
                og_beta_draw(og_fraction_double(truth->a), og_fraction_double(truth->b), &from);
        } else {
            run->faithful[w] = og_fraction_double(truth->soft[w]);
        }
    }
}

/* ---- the environment ---- */

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    drawn_run *play = run_of(self);
    og_ranking_run *at = &play->at;
    at->seed = seed;
    at->run = run;
    draw_scores(play);
    draw_workers(play);
    at->left = play->all->problem->budget;
    at->open_count = 0;
    play->reported = 0;
    for (int32_t i = 0; i < at->items; i++) {
        for (int32_t j = i + 1; j < at->items; j++) {
            for (int32_t w = 0; w == 0 || w < at->workers; w++) {
                at->open[at->open_count++] =
                    (og_act_open){{{(uint32_t)i, (uint32_t)j, (uint32_t)w}}, 1};
            }
        }
    }
    at->shown.exact.ranking = play->all->exact;
    at->shown.exact.counts = play->all->exact != NULL ? &at->counts : NULL;
    og_ranking_run_begin(at, seed, run, labels);
}

static void step(void *self, const bool *tied, int64_t j)
{
    drawn_run *run = run_of(self);
    og_ranking_run *at = &run->at;
    int32_t which = og_ranking_run_find(at, tied, j);
    const uint32_t *part = at->open[which].act.part;
    uint32_t items = (uint32_t)at->items, pair = part[0] * items + part[1];
    uint32_t number =
        at->workers > 0 ? part[2] : (uint32_t)(at->won[pair] + at->won[part[1] * items + part[0]]);
    double x = at->score[part[0]], y = at->score[part[1]];
    double chance = x / (x + y);
    if (at->workers > 0) {
        double faithful = run->faithful[part[2]];
        chance = faithful * chance + (1 - faithful) * (y / (x + y));
    }
    uint64_t bits = og_draw(at->seed, OG_DRAW_LABEL, at->run, pair, number);
    og_ranking_run_tell(at, which, og_draw_unit(bits) < chance);
    if (at->workers > 0) {
        og_ranking_run_close(at, which);
    }
}

static bool is_over(const og_ranking_run *at)
{
    return at->left == 0 || at->open_count == 0;
}

/* True if this is a budget of the curve that is not reported yet. */
static bool is_reported_now(const drawn_run *run)
{
    const place *all = run->all;
    return run->reported < all->at_count &&
           all->at[run->reported] == all->problem->budget - run->at.left;
}

static bool due(void *self)
{
    const drawn_run *run = run_of(self);
    return is_over(&run->at) || is_reported_now(run);
}

/* Find the best ranking of the exact posterior by trying all. */
static double call_exactly(const drawn_run *run)
{
    const og_ranking *exact = run->all->exact;
    int32_t items = run->at.items;
    double above[OG_RANKING_ITEMS_MAX * OG_RANKING_ITEMS_MAX], most = -1, accuracy = 0;
    og_ranking_masses(&exact->posterior, &run->at.counts, above);
    for (int32_t o = 0; o < exact->posterior.order_count; o++) {
        const uint8_t *order = &exact->posterior.order[o * items];
        double score[OG_RANKING_ITEMS_MAX];
        for (int32_t k = 0; k < items; k++) {
            score[order[k]] = items - k;
        }
        double sum = og_ranking_score(items, above, score);
        if (sum > most * (1 + 1e-13)) {
            most = sum;
            accuracy = og_ranking_run_accuracy(&run->at, score);
        }
    }
    return accuracy;
}

static void decided(void *self, const double *decision)
{
    drawn_run *run = run_of(self);
    bool exactly = run->all->exact != NULL && (decision == NULL || is_over(&run->at));
    run->called = exactly ? call_exactly(run) : 0;
    run->own = decision != NULL ? og_ranking_run_accuracy(&run->at, decision) : run->called;
    if (is_reported_now(run)) {
        run->curve[run->reported++] = run->own;
    }
}

static void score(void *self, double *metric)
{
    const drawn_run *run = run_of(self);
    metric[OG_EXPECTED] = run->own - run->all->prior;
    metric[OG_CORRECT] = run->own;
    if (run->all->exact != NULL) {
        metric[OG_CALLED] = run->called;
    }
    memcpy(metric + run->all->totals, run->curve, (size_t)run->all->at_count * sizeof *metric);
}

/* ---- opening ---- */

static void environment_free(void *self)
{
    og_arena_free(run_of(self));
}

static og_status make_environment(void *self, og_environment *out)
{
    const place *all = self;
    const og_ranking_setting *setting = &all->problem->setting;
    drawn_run *run = og_arena_new(sizeof *run);
    OG_TRY(OG_ALLOCATED(run));
    og_ranking_run *at = &run->at;
    size_t items = (size_t)setting->items;
    run->all = all;
    at->items = setting->items;
    at->workers = setting->workers;
    at->won = og_arena_array(&run->arena, items * items, sizeof *at->won);
    at->score = og_arena_array(&run->arena, items, sizeof *at->score);
    at->place = og_arena_array(&run->arena, items, sizeof *at->place);
    at->open = og_arena_array(&run->arena, (size_t)all->open_max, sizeof *at->open);
    run->curve = og_arena_array(&run->arena, (size_t)all->at_count, sizeof *run->curve);
    run->faithful = og_arena_array(&run->arena, (size_t)at->workers, sizeof *run->faithful);
    OG_TRY(og_arena_whole(run));
    *out = (og_environment){.self = at,
                            .open_max = all->open_max,
                            .begin = begin,
                            .state = og_ranking_run_state,
                            .open = og_ranking_run_open,
                            .step = step,
                            .hear = og_ranking_run_hear,
                            .due = due,
                            .decided = decided,
                            .decision_count = at->items,
                            .score = score,
                            .free = environment_free};
    return OG_OK;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    const place *all = self;
    const og_ranking_problem *problem = all->problem;
    const og_ranking *exact = all->exact;
    og_rule_use use;
    bool looks = og_ranking_looks_ahead(policy, &use);
    if (looks && exact == NULL) {
        return og_message_set(message, OG_STOPPED,
                              "policy '%.64s' can be simulated only with at most -T %d for three "
                              "items, %d for four",
                              policy->name, OG_RANKING_THREE_MAX, OG_RANKING_FOUR_MAX);
    }
    if (exact == NULL || (!looks && strcmp(policy->name, "uniform") != 0)) {
        og_ranking_setting setting = problem->setting;
        setting.stop = all->stop;
        return og_ranking_player(policy, &setting, out, message);
    }
    return og_ranking_strategy(policy, exact, problem->setting.prior, out, message);
}

static og_status check_list(const og_truth *truth, int64_t count, const char *what,
                            og_message *message)
{
    bool listed = truth->kind == OG_TRUTH_LIST || truth->kind == OG_TRUTH_DIRICHLET;
    if (listed && truth->count != count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth lists %" PRId64 " numbers, but there are %" PRId64 " %s",
                              truth->count, count, what);
    }
    return OG_OK;
}

static og_status check_truth(const og_truth *truth, const og_ranking_setting *setting,
                             og_message *message)
{
    const og_truth *workers = truth->workers;
    const og_fraction one = {1, 1};
    OG_TRY(og_truth_for_labelers(truth, message));
    if (truth->kind == OG_TRUTH_BETA) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth must be prior, dirichlet:A,... or list:X,... with --problem "
                              "ranking, not beta:A,B");
    }
    OG_TRY(check_list(truth, setting->items, "items", message));
    for (int64_t i = 0; i < truth->count; i++) {
        if (truth->soft[i].num <= 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--truth: number %" PRId64 " must be greater than 0", i + 1);
        }
    }
    if (workers == NULL) {
        return OG_OK;
    }
    if (setting->workers == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth workers requires workers; give --workers-prior A,B");
    }
    for (int64_t w = 0; w < workers->count; w++) {
        if (og_fraction_compare(workers->soft[w], one) > 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--truth: the accuracy of worker %" PRId64 " must be from 0 to 1",
                                  w + 1);
        }
    }
    return check_list(workers, setting->workers, "workers", message);
}

static double whole(const void *self, const og_policy_name *policy, int32_t metric)
{
    (void)self, (void)policy, (void)metric;
    return 1;
}

static og_status open_ranking(const og_source *source, const og_environment_use *use,
                              og_environments *out, og_message *message)
{
    static const og_truth from_prior = {.kind = OG_TRUTH_PRIOR};
    const og_ranking_problem *problem = source->problem;
    const og_ranking_setting *setting = &problem->setting;
    const og_truth *truth = source->truth != NULL ? source->truth : &from_prior;
    const double epsilon = 0x1p-52;
    if (problem->had > 0) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "simulate does not support --history with --problem ranking; omit it");
    }
    OG_TRY(check_truth(truth, setting, message));
    int64_t acts = (int64_t)setting->items * (setting->items - 1) / 2 *
                   (setting->workers > 0 ? setting->workers : 1);
    if ((uint64_t)acts * sizeof(og_act_open) * 4 * (uint64_t)use->threads > use->memory_bytes) {
        return og_message_set(
            message, OG_STOPPED,
            "%" PRId64 " pairs and workers need more than the memory limit (--memory)", acts);
    }
    place *all = og_arena_new(sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    all->problem = problem;
    all->truth = truth;
    all->stop = use->stop;
    all->open_max = (int32_t)acts;
    all->at = source->at;
    all->at_count = source->at_count;
    all->prior = og_ranking_sorted(setting->prior, setting->items);
    int32_t budget = problem->budget;
    bool soon = setting->items <= 3   ? budget <= OG_RANKING_THREE_MAX
                : setting->items == 4 ? budget <= OG_RANKING_FOUR_MAX
                                      : false;
    og_status status = soon ? problem->exact(problem->self, &all->exact, message) : OG_OK;
    if (status != OG_OK && status != OG_STOPPED) {
        og_arena_free(all);
        return status;
    }
    all->totals = all->exact != NULL ? OG_CALLED + 1 : OG_CORRECT + 1;
    *out = (og_environments){.self = all,
                             .instances = og_ranking_counted(setting->items, setting->workers),
                             .metric_count = all->totals + all->at_count,
                             .totals = all->totals,
                             .prior = all->prior,
                             .prior_error = 1e-12,
                             .size = 1,
                             .gain_max = 1,
                             .run_error = 4 * epsilon,
                             .whole = whole,
                             .all_labels = NAN,
                             .strategy = make_strategy,
                             .environment = make_environment,
                             .free = og_arena_free};
    return OG_OK;
}

og_source og_source_ranking(const og_ranking_problem *problem, const og_truth *truth)
{
    return (og_source){.open = open_ranking, .problem = problem, .truth = truth};
}
