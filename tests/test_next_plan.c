/*
 * Numbers of next (bench/recorded): the calibration against the likelihood itself, the strength of
 * probabilities against ln Gamma, the plan of sources against its bound and against sources that
 * have run out, and places against counts.
 */
#include "bench/recorded/calibration.h"
#include "bench/recorded/model_prior.h"
#include "bench/recorded/standing.h"
#include "heuristics/bounds/sources_bound.h"
#include "heuristics/policy.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(next_plan, 120);

/* ---- calibration ---- */

static double likelihood(const double *p, const bool *right, int count, double factor)
{
    int64_t good = 0;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        good += right[i];
    }
    for (int i = 0; i < count; i++) {
        double target =
            right[i] ? (double)(good + 1) / (double)(good + 2) : 1 / (double)(count - good + 2);
        double odds = exp(factor * log(p[i] / (1 - p[i]))), q = odds / (1 + odds);
        sum += target * log(q) + (1 - target) * log(1 - q);
    }
    return sum;
}

OG_TEST_LOOP(the_factor_is_most_likely, 0, 8)
{
    random_source random = random_start((uint64_t)_i);
    double p[60];
    bool right[60];
    for (int i = 0; i < 60; i++) {
        p[i] = 0.5 + (1 + (double)random_below(&random, 480)) / 1000;
        right[i] = random_below(&random, 10) < 6 + (uint32_t)(_i % 4);
    }
    og_reliability found = og_reliability_of(p, right, 60);
    double most = likelihood(p, right, 60, found.factor);
    for (int k = 0; k <= 400; k++) {
        ck_assert_double_le(likelihood(p, right, 60, k * 0.01), most + 1e-12);
    }
    int64_t calls = 0;
    for (int k = 0; k < OG_RELIABILITY_BINS; k++) {
        calls += found.bin[k].calls;
    }
    ck_assert_int_eq(calls, 60);
    ck_assert_double_eq(og_calibrated(0.5, found.factor), 0.5);
    ck_assert_double_eq(og_reliability_of(NULL, NULL, 0).factor, 1);
}

/* ---- probabilities ---- */

enum { TASKS = 40, LABELS = 5 * TASKS };

typedef struct {
    og_labels labels;
    uint32_t task[LABELS];
    uint8_t label[LABELS];
    int32_t share[TASKS], positive[TASKS], negative[TASKS];
} random_sample;

static void draw_sample(random_source *random, random_sample *out)
{
    *out = (random_sample){.labels = {.task_count = TASKS}};
    for (uint32_t i = 0; i < TASKS; i++) {
        out->share[i] =
            random_below(random, 8) == 0 ? OG_SHARE_NONE : (int32_t)random_below(random, 101);
        uint32_t soft = out->share[i] < 0 ? 50 : 20 + (uint32_t)out->share[i] * 3 / 5;
        for (uint32_t k = random_below(random, 6); k > 0; k--) {
            bool positive = random_below(random, 100) < soft;
            out->task[out->labels.label_count] = i;
            out->label[out->labels.label_count++] = positive;
            out->positive[i] += positive;
            out->negative[i] += !positive;
        }
    }
}

static double log_beta(double x, double y)
{
    return lgamma(x) + lgamma(y) - lgamma(x + y);
}

static double model_likelihood(const random_sample *sample, double a, double b, double strength)
{
    double sum = 0;
    for (int i = 0; i < TASKS; i++) {
        double share = sample->share[i] / 100.0, more = sample->share[i] < 0 ? 0 : strength;
        double x = a + more * share, y = b + more * (1 - share);
        sum += log_beta(x + sample->positive[i], y + sample->negative[i]) - log_beta(x, y);
    }
    return sum;
}

OG_TEST_LOOP(the_strength_is_most_likely, 0, 12)
{
    static const double step[] = {0.3, 0.9, 0.999, 1, 1.001, 1.1, 3};
    random_source random = random_start((uint64_t)_i);
    random_sample sample;
    og_model_prior found;
    og_message message = {""};
    draw_sample(&random, &sample);
    sample.labels.task = sample.task;
    sample.labels.label = sample.label;
    og_status status =
        og_model_prior_fit(&sample.labels, sample.share, -1, -1, -1, &found, &message);
    if (status != OG_OK) { /* the likelihood rises up to the limits */
        ck_assert_msg(strstr(message.text, "by no more than chance") != NULL, "%d: %s", (int)status,
                      message.text);
        ck_assert_double_le(model_likelihood(&sample, 4e3, 4e3, 1e4),
                            model_likelihood(&sample, 4e4, 4e4, 1e5) + 1e-3);
        return;
    }
    ck_assert_double_eq_tol(model_likelihood(&sample, found.a, found.b, found.strength),
                            found.log_likelihood, 1e-5);
    for (int k = 0; k < 7 * 7 * 7; k++) {
        double a = found.a * step[k % 7], b = found.b * step[k / 7 % 7];
        double strength = found.strength * step[k / 49];
        if (fmax(fmax(a, b), strength) <= OG_PARAMETER_MAX) {
            ck_assert_double_le(model_likelihood(&sample, a, b, strength),
                                found.log_likelihood + 1e-5);
        }
    }
    ck_assert_int_eq(og_model_prior_fit(&sample.labels, sample.share, 2, 1, 3, &found, &message),
                     OG_OK);
    ck_assert(found.a == 2 && found.b == 1 && found.strength == 3);
}

/* ---- sources ---- */

OG_TEST_LOOP(the_plan_has_the_bound_of_the_family_and_spends_the_budget, 0, 6)
{
    random_source random = random_start((uint64_t)_i);
    og_sources sources = {.count = 2};
    OWN(og_groups) problem;
    og_upper_bound bound, alone;
    og_stop stop;
    og_sources_advice advice[4];
    og_sources_mix plan = {.advice = advice};
    double spent = 0;
    int32_t budget = 20 + (int32_t)random_below(&random, 60);
    for (int32_t j = 0; j < 2; j++) {
        sources.source[j] =
            (og_label_source){og_fraction_make(11 + (int64_t)random_below(&random, 9), 20),
                              1 + 3 * j, j == 0 ? 1 : 0};
    }
    test_problem("30x1,1 20x2,1", budget, &problem);
    og_stop_init(&stop, NULL, NULL);
    og_sources_start start[2] = {{0.5, 30, OG_ROOM_ANY, {0}}, {2.0 / 3, 20, OG_ROOM_ANY, {0}}};
    ck_assert_int_eq(og_bound_sources(&problem, &sources, &stop, &bound), OG_OK);
    ck_assert_int_eq(og_sources_plan(start, 2, budget, &sources, &stop, &plan), OG_OK);
    ck_assert_double_eq(plan.bound.value, bound.value);
    for (int32_t j = 0; j < 2; j++) {
        spent += plan.bought[j] * sources.source[j].price;
    }
    ck_assert_double_le(spent, budget + 1e-6);
    /* without the first source, whose only label is used */
    og_sources second = {.count = 1, .source = {sources.source[1]}};
    start[0].used[0] = start[1].used[0] = 1;
    og_bound_clear(&plan.bound);
    ck_assert_int_eq(og_sources_plan(start, 2, budget, &sources, &stop, &plan), OG_OK);
    ck_assert_int_eq(og_bound_sources(&problem, &second, &stop, &alone), OG_OK);
    ck_assert_double_eq_tol(plan.bound.value, alone.value, 1e-4); /* grids differ */
    ck_assert_double_eq(plan.bought[0], 0);
    for (int k = 0; k < 4; k++) {
        ck_assert(advice[k].source != 0);
    }
    og_bound_clear(&bound);
    og_bound_clear(&plan.bound);
    og_bound_clear(&alone);
}

/* ---- the state ---- */

OG_TEST_LOOP(tasks_of_a_place_have_its_prior_labels_and_room, 0, 6)
{
    random_source random = random_start((uint64_t)_i);
    random_sample sample;
    og_group prior[2];
    int32_t prior_of[TASKS], room[TASKS];
    og_standing standing;
    og_message message = {""};
    const og_settings settings = og_settings_filled(&(og_settings){.threads = 1});
    draw_sample(&random, &sample);
    sample.labels.task = sample.task;
    sample.labels.label = sample.label;
    ck_assert_int_eq(og_group_parse("1,1", &prior[0], &message), OG_OK);
    ck_assert_int_eq(og_group_parse("2.5,1", &prior[1], &message), OG_OK);
    for (int i = 0; i < TASKS; i++) {
        prior_of[i] = (int32_t)random_below(&random, 2);
        room[i] = (int32_t)random_below(&random, 4);
    }
    const og_task_terms terms = {prior, 2, prior_of, room, .budget = 9};
    ck_assert_int_eq(og_standing_init(&sample.labels, &terms, &settings, &standing, &message),
                     OG_OK);
    uint32_t tasks = 0, open = 0;
    for (uint32_t i = 0; i < TASKS; i++) {
        const og_spot *place = &standing.place[standing.place_of[i]];
        og_fraction parameter[2];
        og_arm_posterior(standing.arms->arm[place->arm], place->node, parameter);
        ck_assert_double_eq(og_fraction_double(parameter[0]),
                            (prior_of[i] == 0 ? 1 : 2.5) + sample.positive[i]);
        ck_assert_double_eq(og_fraction_double(parameter[1]), 1 + sample.negative[i]);
        ck_assert(place->steps == room[i] && !place->beyond && place->capped);
        open += room[i] > 0;
    }
    for (uint32_t k = 0; k < standing.place_count; k++) {
        tasks += standing.place[k].tasks;
    }
    ck_assert(tasks == TASKS && standing.open == open && standing.ahead == 3);
    og_standing_clear(&standing);
}

static int sign_of(uint32_t x, uint32_t y)
{
    return (x > y) - (x < y);
}

/* The tables of a place's arm are those of an arm of its posterior. */
static void check_root(const og_arm *root, const og_arm *from, uint32_t node)
{
    og_group prior = *og_arm_prior(from);
    og_fraction parameter[OG_CLASSES_MAX] = {{0, 1}};
    og_arm *alone = NULL;
    og_arm_posterior(from, node, parameter);
    if (prior.kind == OG_PRIOR_BETA) {
        prior.a = parameter[0];
        prior.b = parameter[1];
    } else {
        memcpy(prior.alpha, parameter, sizeof prior.alpha);
    }
    ck_assert_int_eq(og_arm_new(&prior, root->depth, UINT64_MAX, &alone, NULL), OG_OK);
    ck_assert_int_eq(root->node_count, alone->node_count);
    ck_assert_int_eq(og_group_compare(og_arm_prior(root), &prior), 0);
    for (uint32_t at = 0; at < alone->level[alone->depth]; at++) {
        ck_assert_double_eq(root->reward[at], alone->reward[at]);
        for (int32_t k = 0; k < alone->outcome_count; k++) {
            size_t edge = (size_t)at * (size_t)alone->outcome_count + (size_t)k;
            ck_assert_double_eq(root->probability[edge], alone->probability[edge]);
            ck_assert_int_eq(root->next[edge], alone->next[edge]);
        }
    }
    og_arm_free(alone);
}

/* The index of gittins-fh:N from arms of N labels, one for each place, is that of the whole table,
 * and its ranks have the same order. */
OG_TEST_LOOP(roots_of_places_have_the_index_of_the_table, 0, 12)
{
    static const char *const priors[] = {"1,1", "2,1@0.6", "1,1,1", "0.7,1.5,1"};
    random_source random = random_start((uint64_t)_i);
    random_sample sample;
    og_group prior;
    og_standing standing;
    og_policy_name policy;
    og_ranks *ranks[2] = {NULL, NULL};
    og_index *index[2] = {NULL, NULL};
    og_arms *roots = NULL;
    char name[24];
    og_message message = {""};
    int32_t depth = 1 + (int32_t)random_below(&random, 6);
    const og_settings settings = og_settings_filled(&(og_settings){.threads = 1});
    draw_sample(&random, &sample);
    sample.labels.task = sample.task;
    sample.labels.label = sample.label;
    ck_assert_int_eq(og_group_parse(priors[_i % 4], &prior, &message), OG_OK);
    if (prior.kind == OG_PRIOR_DIRICHLET) {
        sample.labels.class_count = 3;
        for (int64_t k = 0; k < sample.labels.label_count; k++) {
            sample.label[k] = (uint8_t)random_below(&random, 3);
        }
    }
    const og_task_terms terms = {&prior, 1, .budget = 6 + (int32_t)random_below(&random, 6)};
    ck_assert_int_eq(og_standing_init(&sample.labels, &terms, &settings, &standing, &message),
                     OG_OK);
    ck_assert_int_ge(standing.ahead, depth);
    snprintf(name, sizeof name, "gittins-fh:%d", (int)depth);
    ck_assert_int_eq(og_policy_name_parse(name, &policy, &message), OG_OK);
    og_policy_use use = {.whole_budget = terms.budget, .threads = 1};
    ck_assert_int_eq(og_policy_name_ranks_and_index(&policy, standing.arms, &use, &ranks[0],
                                                    &index[0], &message),
                     OG_OK);
    ck_assert_int_eq(og_standing_roots(&standing, depth, &roots), OG_OK);
    use.roots = true;
    ck_assert_int_eq(
        og_policy_name_ranks_and_index(&policy, roots, &use, &ranks[1], &index[1], &message),
        OG_OK);
    uint32_t first[2] = {0, 0};
    for (uint32_t i = 0; i < standing.place_count; i++) {
        const og_spot *place = &standing.place[i];
        int32_t arm = roots->arm_of_group[i];
        check_root(roots->arm[arm], standing.arms->arm[place->arm], place->node);
        double table = og_index_of(index[0], place->arm, standing.ahead)[place->node];
        double root = og_index_of(index[1], arm, standing.ahead)[0];
        ck_assert_double_eq_tol(root, table, index[0]->error * table);
        uint32_t rank[] = {og_ranks_of(ranks[0], place->arm, standing.ahead)[place->node],
                           og_ranks_of(ranks[1], arm, standing.ahead)[0]};
        first[0] = i == 0 ? rank[0] : first[0];
        first[1] = i == 0 ? rank[1] : first[1];
        ck_assert_int_eq(sign_of(rank[0], first[0]), sign_of(rank[1], first[1]));
    }
    for (int k = 0; k < 2; k++) {
        og_ranks_free(ranks[k]);
        og_index_free(index[k]);
    }
    og_arms_free(roots);
    og_standing_clear(&standing);
}
