/*
 * Simulates labels of instances with features. The weights, or the soft labels, are drawn or given,
 * and the n-th label of an instance is the same for every policy. Laplace's approximation makes the
 * final calls of all policies, so that any number of features and labels is supported.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/families/features/problem.h"
#include "bench/random.h"
#include "dp/base/arena.h"
#include "heuristics/families/features_policy.h"
#include "heuristics/families/laplace.h"

enum { TOTALS = OG_CORRECT + 1 };

typedef struct {
    og_arena arena;
    const features *problem;
    const og_truth *truth;
    const int32_t *at; /* [at_count] budgets of a curve */
    int32_t at_count;
    double prior;
} setting;

/* The state that policies see, with counts for functions of the user. */
typedef struct {
    og_features_state shown; /* first */
    const int32_t *labels;   /* [instances][2] negative, positive */
} run_state;

typedef struct {
    og_arena arena;
    const setting *all;
    const og_features *features;
    uint64_t seed, run;
    uint64_t *labels; /* the caller's; NULL: labels are not counted */
    double *weight;   /* [feature_count] minus the mean, in standard deviations */
    double *soft;     /* [instances] */
    int32_t *given;   /* [instances][2] labels so far */
    og_act heard;     /* the last label, */
    int32_t answer;   /* -1: none that the policy has not learnt */
    int32_t reported; /* budgets of the curve so far */
    double *curve;    /* [at_count] shares of correct calls */
    double correct;   /* of the last calls */
    run_state state;
} episode;

/* ---- truth ---- */

static double normal(uint64_t seed, uint64_t run, uint32_t number)
{
    double u = 1 - og_draw_unit(og_draw(seed, OG_DRAW_TRUTH, run, number, 0));
    double v = og_draw_unit(og_draw(seed, OG_DRAW_TRUTH, run, number, 1));
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void draw_weights(episode *e)
{
    const og_features *f = e->features;
    for (int32_t d = 0; d < f->feature_count; d++) {
        e->weight[d] = f->mean[d] + normal(e->seed, e->run, (uint32_t)d);
    }
    for (int32_t i = 0; i < f->instance_count; i++) {
        const double *x = &f->row[(int64_t)f->action_of[i] * f->feature_count];
        double product = 0;
        for (int32_t d = 0; d < f->feature_count; d++) {
            product += x[d] * e->weight[d];
        }
        e->soft[i] = 1 / (1 + exp(-product));
    }
}

static void draw_truth(episode *e)
{
    const og_truth *truth = e->all->truth;
    if (og_truth_is_prior(truth)) {
        draw_weights(e);
        return;
    }
    for (int32_t i = 0; i < e->features->instance_count; i++) {
        const og_draw_place at = {e->seed, OG_DRAW_TRUTH, e->run, (uint32_t)i, 0};
        e->soft[i] = truth->kind == OG_TRUTH_LIST ? og_fraction_double(truth->soft[i])
                                                  : og_beta_draw(og_fraction_double(truth->a),
                                                                 og_fraction_double(truth->b), &at);
    }
}

/* ---- the environment ---- */

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    episode *e = self;
    e->seed = seed;
    e->run = run;
    e->labels = labels;
    e->answer = -1;
    e->reported = 0;
    e->state.shown.left = e->features->budget;
    memset(e->given, 0, 2 * (size_t)e->features->instance_count * sizeof *e->given);
    draw_truth(e);
}

static const void *state(void *self)
{
    return &((const episode *)self)->state;
}

static int32_t open_all(void *self, og_act_open *open, uint32_t *number)
{
    const episode *e = self;
    *number = (uint32_t)e->state.shown.left;
    for (int32_t a = 0; e->state.shown.left > 0 && a < e->features->action_count; a++) {
        open[a] = (og_act_open){{{(uint32_t)a, 0, 0}}, e->features->copies[a]};
    }
    return e->state.shown.left > 0 ? e->features->action_count : 0;
}

static void step(void *self, const bool *tied, int64_t j)
{
    episode *e = self;
    int32_t i = -1;
    do {
        i++;
        j -= tied[e->features->action_of[i]];
    } while (j >= 0);
    int32_t *given = &e->given[2 * i];
    uint64_t bits = og_draw(e->seed, OG_DRAW_LABEL, e->run, (uint32_t)i,
                            (uint32_t)given[0] + (uint32_t)given[1]);
    e->answer = og_draw_unit(bits) < e->soft[i];
    e->heard = (og_act){{(uint32_t)e->features->action_of[i], (uint32_t)i, 0}};
    given[e->answer]++;
    e->state.shown.left--;
    if (e->labels != NULL) {
        e->labels[i]++;
    }
}

static bool hear(void *self, og_act *act, int32_t *answer)
{
    episode *e = self;
    bool fresh = e->answer >= 0;
    *act = e->heard;
    *answer = e->answer;
    e->answer = -1;
    return fresh;
}

/* True if this is a budget of the curve that is not reported yet. */
static bool is_reported_now(const episode *e)
{
    const setting *all = e->all;
    return e->reported < all->at_count &&
           all->at[e->reported] == e->features->budget - e->state.shown.left;
}

static bool due(void *self)
{
    const episode *e = self;
    return e->state.shown.left == 0 || is_reported_now(e);
}

static void decided(void *self, const double *decision)
{
    episode *e = self;
    e->correct = 0;
    for (int32_t i = 0; i < e->features->instance_count; i++) {
        e->correct += (decision[e->features->action_of[i]] > 0) == (e->soft[i] >= 0.5);
    }
    if (is_reported_now(e)) {
        e->curve[e->reported++] = e->correct / e->features->instance_count;
    }
}

static void score(void *self, double *metric)
{
    episode *e = self;
    metric[OG_EXPECTED] = e->correct - e->all->prior; /* a gain */
    metric[OG_CORRECT] = e->correct;
    for (int32_t k = e->reported; k < e->all->at_count; k++) { /* it stopped before */
        e->curve[k] = e->correct / e->features->instance_count;
    }
    memcpy(metric + TOTALS, e->curve, (size_t)e->all->at_count * sizeof *metric);
}

static og_status make_environment(void *self, og_environment *out)
{
    const setting *all = self;
    const og_features *f = all->problem->features;
    size_t count = (size_t)f->instance_count;
    episode *e = og_arena_new(sizeof *e);
    OG_TRY(OG_ALLOCATED(e));
    e->all = all;
    e->features = f;
    e->weight = og_arena_array(&e->arena, (size_t)f->feature_count, sizeof *e->weight);
    e->soft = og_arena_array(&e->arena, count, sizeof *e->soft);
    e->given = og_arena_array(&e->arena, 2 * count, sizeof *e->given);
    e->curve = og_arena_array(&e->arena, (size_t)all->at_count, sizeof *e->curve);
    OG_TRY(og_arena_whole(e));
    e->state = (run_state){{.features = f}, e->given};
    *out = (og_environment){.self = e,
                            .open_max = f->action_count,
                            .begin = begin,
                            .state = state,
                            .open = open_all,
                            .step = step,
                            .hear = hear,
                            .due = due,
                            .decided = decided,
                            .decision_count = f->action_count,
                            .score = score,
                            .free = og_arena_free};
    return OG_OK;
}

/* ---- policies ---- */

static void count_labels(const void *self, const void *shown, int32_t *positive, int32_t *negative,
                         int32_t *left)
{
    const run_state *now = shown;
    (void)self;
    for (int32_t i = 0; i < now->shown.features->instance_count; i++) {
        negative[i] += now->labels[2 * i];
        positive[i] += now->labels[2 * i + 1];
    }
    *left = now->shown.left;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    const setting *all = self;
    const og_features *f = all->problem->features;
    og_strategy own;
    og_rule_use use;
    if (og_policy_name_rule(policy, &use) && use.exact) {
        return og_message_set(message, OG_BAD_INPUT,
                              "simulate does not support policy '%.64s' with --features; use "
                              "'optgap compare', with one or two features",
                              policy->name);
    }
    if (!og_user_policy_decides(policy)) {
        OG_TRY(og_features_strategy(policy, f, &own, message));
    } else {
        og_situations told;
        og_family_features.model.situations(all->problem, &told);
        told.count = count_labels;
        OG_TRY(og_own_strategy(policy, &told, NULL, &own, message));
    }
    if (own.decide == NULL) {
        return og_laplace_calls(f, &own, out, message);
    }
    *out = own;
    return OG_OK;
}

/* ---- opening ---- */

static og_status check_truth(const features *problem, const og_truth *truth, og_message *message)
{
    if (og_truth_is_prior(truth)) {
        return OG_OK;
    }
    if ((truth->kind != OG_TRUTH_BETA && truth->kind != OG_TRUTH_LIST) || truth->workers != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--truth must be prior, list:X,X,... or beta:A,B with --features");
    }
    return og_truth_check_list(truth, problem->features->instance_count, "soft label", "instances",
                               message);
}

/* The expected correct calls without labels, which the prior gives exactly. */
static double call_of(const og_features *f)
{
    double sum = 0;
    for (int32_t a = 0; a < f->action_count; a++) {
        const double *x = &f->row[(int64_t)a * f->feature_count];
        double mean = 0, square = 0;
        for (int32_t d = 0; d < f->feature_count; d++) {
            mean += x[d] * f->mean[d];
            square += x[d] * x[d];
        }
        double correct = square > 0 ? 0.5 * erfc(-fabs(mean) / sqrt(2 * square)) : 1;
        sum += (double)f->copies[a] * correct;
    }
    return sum;
}

/* A belief, the one after it, and what a thread needs beside. */
static og_status check_size(const og_features *f, const og_environment_use *use,
                            og_message *message)
{
    uint64_t actions = (uint64_t)f->action_count;
    uint64_t bytes = 2 * sizeof(double) * actions * (actions + 1);
    return bytes <= use->memory_bytes / (uint64_t)use->threads
               ? OG_OK
               : og_message_set(message, OG_STOPPED,
                                "the beliefs about %" PRIu64
                                " different rows of features need more than the memory limit "
                                "(--memory)",
                                actions);
}

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const features *problem = source->problem;
    const og_features *f = problem->features;
    const double epsilon = 0x1p-52;
    if (f->had > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "simulate does not support labels so far with --features; omit the "
                              "columns positive and negative");
    }
    OG_TRY(check_truth(problem, source->truth, message));
    OG_TRY(check_size(f, use, message));
    setting *all = og_arena_new(sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    all->problem = problem;
    all->truth = source->truth;
    all->at = source->at;
    all->at_count = source->at_count;
    all->prior = call_of(f);
    *out = (og_environments){.self = all,
                             .instances = f->instance_count,
                             .totals = TOTALS,
                             .metric_count = TOTALS + source->at_count,
                             .prior = all->prior,
                             .prior_error = (f->feature_count + 8.0) * f->instance_count * epsilon,
                             .size = f->instance_count,
                             .gain_max = f->instance_count,
                             .run_error = 2.0 * f->instance_count * epsilon,
                             .all_labels = NAN,
                             .strategy = make_strategy,
                             .environment = make_environment,
                             .free = og_arena_free};
    return OG_OK;
}

og_source features_source(const void *problem, const og_truth *truth)
{
    return (og_source){.open = open_runs, .problem = problem, .truth = truth};
}
