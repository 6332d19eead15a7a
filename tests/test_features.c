/*
 * Features: a closed form, invariances, beliefs against matrices (tests/oracle_features.h), and the
 * proved error of the points of integration. The definition is in tests/conformance_other.c.
 */
#include <float.h>

#include "dp/engine/strategy.h"
#include "dp/families/features.h"
#include "dp/prior/gauss_rule.h"
#include "heuristics/families/features_policy.h"
#include "heuristics/families/laplace.h"
#include "tests/oracle_features.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(features, 300);

static const uint64_t plenty = UINT64_C(1) << 31;

/* ---- problems ---- */

enum { ROOM = 64 };

typedef struct {
    double row[ROOM];
    double mean[ROOM];
    double sd[ROOM];
    double covariance[ROOM]; /* used instead if problem.covariance is not NULL */
    int32_t positive[ROOM];
    int32_t negative[ROOM];
    og_features_problem problem;
} random_sample;

static void sample_init(random_sample *sample, int instances, int features, int budget)
{
    memset(sample, 0, sizeof *sample);
    for (int d = 0; d < features; d++) {
        sample->sd[d] = 1;
    }
    sample->problem = (og_features_problem){.instance_count = instances,
                                            .feature_count = features,
                                            .row = sample->row,
                                            .mean = sample->mean,
                                            .sd = sample->sd,
                                            .positive = sample->positive,
                                            .negative = sample->negative,
                                            .budget = budget};
}

static double random_real(random_source *random, double from, double to)
{
    return from + (to - from) * (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Rows that repeat, vanish, are parallel or opposite are frequent. */
static void sample_random(random_sample *sample, random_source *random, int instances, int features,
                          int budget)
{
    sample_init(sample, instances, features, budget);
    for (int i = 0; i < instances; i++) {
        uint32_t kind = random_below(random, 8);
        for (int d = 0; d < features; d++) {
            double *x = &sample->row[i * features + d];
            double before = i > 0 ? sample->row[(i - 1) * features + d] : 1;
            *x = kind == 0   ? 0
                 : kind == 1 ? before
                 : kind == 2 ? -before
                 : kind == 3 ? 2 * before
                             : random_real(random, -2, 2);
        }
        if (random_below(random, 4) == 0) {
            sample->positive[i] = (int32_t)random_below(random, 2);
            sample->negative[i] = (int32_t)random_below(random, 2);
        }
    }
    for (int d = 0; d < features; d++) {
        sample->mean[d] = random_below(random, 2) == 0 ? 0 : random_real(random, -2, 2);
        sample->sd[d] = random_below(random, 2) == 0 ? 1 : random_real(random, 0.3, 1.5);
    }
}

/* Replaces the standard deviations by A A' + I / 2. */
static void sample_correlate(random_sample *sample, random_source *random)
{
    int count = sample->problem.feature_count;
    double factor[ROOM];
    for (int k = 0; k < count * count; k++) {
        factor[k] = random_real(random, -1, 1);
    }
    for (int d = 0; d < count; d++) {
        for (int e = 0; e < count; e++) {
            double *to = &sample->covariance[d * count + e];
            *to = d == e ? 0.5 : 0;
            for (int k = 0; k < count; k++) {
                *to += factor[d * count + k] * factor[e * count + k];
            }
        }
    }
    sample->problem.sd = NULL;
    sample->problem.covariance = sample->covariance;
}

static const char *sample_words(const random_sample *sample)
{
    static char words[2048];
    const og_features_problem *p = &sample->problem;
    int length = snprintf(words, sizeof words, "T=%d mean,sd:", p->budget);
    for (int d = 0; d < p->feature_count; d++) {
        length += snprintf(words + length, sizeof words - (size_t)length, " %.17g,%.17g",
                           p->mean[d], p->sd[d]);
    }
    for (int i = 0; i < p->instance_count; i++) {
        length += snprintf(words + length, sizeof words - (size_t)length, "; (%d,%d)",
                           p->positive[i], p->negative[i]);
        for (int d = 0; d < p->feature_count; d++) {
            length += snprintf(words + length, sizeof words - (size_t)length, " %.17g",
                               p->row[i * p->feature_count + d]);
        }
    }
    return words;
}

static og_features *features_of(const random_sample *sample)
{
    og_features *features = NULL;
    og_message message = {""};
    ck_assert_msg(og_features_new(&sample->problem, plenty, &features, &message) == OG_OK, "%s: %s",
                  sample_words(sample), message.text);
    return features;
}

static og_settings one_thread(void)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = plenty;
    return settings;
}

/* Evaluated policies, in the order of oracle_features_play: */
static const char *const plays[] = {NULL, "uniform", "kg-exact", "opt-kg-exact"};

/* The problem with a policy (NULL: the optimum), and its data. */
typedef struct {
    og_features *features;
    og_strategy by;
    og_solution solution;
} solved_features;

static void solve(const random_sample *sample, const char *name, og_ties ties,
                  const og_settings *settings, solved_features *out)
{
    og_value_asked question = {.by = NULL, .ties = ties, .reductions = OG_REDUCE_ALL};
    og_policy_name policy;
    og_model model;
    og_message message = {""};
    *out = (solved_features){.features = features_of(sample)};
    if (name != NULL) {
        ck_assert_int_eq(og_policy_name_parse(name, &policy, &message), OG_OK);
        ck_assert_int_eq(og_features_strategy(&policy, out->features, &out->by, &message), OG_OK);
        question.by = &out->by;
    }
    ck_assert_int_eq(og_features_model(out->features, &question, &model), OG_OK);
    ck_assert_int_eq(og_solution_by_engine(&model, &question, settings, &out->solution, &message),
                     OG_OK);
}

static void solved_clear(solved_features *solved)
{
    og_solution_free(&solved->solution);
    og_strategy_free(&solved->by);
    og_features_free(solved->features);
}

static og_value_found found_with(const random_sample *sample, const char *name, og_ties ties,
                                 const og_settings *settings)
{
    solved_features made;
    og_value_found found;
    og_message message = {""};
    solve(sample, name, ties, settings, &made);
    ck_assert_msg(made.solution.value(made.solution.self, &found, &message) == OG_OK, "%s: %s",
                  sample_words(sample), message.text);
    solved_clear(&made);
    return found;
}

static og_result value_of(const random_sample *sample, const char *name)
{
    const og_settings settings = one_thread();
    return found_with(sample, name, OG_TIES_RANDOM, &settings).result;
}

static void assert_near(double found, double truth, double error, const random_sample *sample)
{
    ck_assert_msg(fabs(found - truth) <= error, "%.17g is not within %g of %.17g: %s", found, error,
                  truth, sample_words(sample));
}

/* ---- closed forms ---- */

/* A label of an instance with a long row reveals the sign of <w, x>. */
OG_TEST(long_rows_are_known_after_one_label)
{
    random_sample sample;
    sample_init(&sample, 2, 1, 1);
    sample.row[0] = 1000;
    sample.row[1] = 3000;
    og_result result = value_of(&sample, NULL);
    /* 1 - value is about 2 E[sigma(-|t|)] = 2 * 2 ln 2 * density / length for two instances */
    double miss = 2 * 2 * log(2) / sqrt(2 * M_PI) / 3000;
    ck_assert_double_le(fabs(2 - result.value - miss), miss * 1e-3);
}

/* ---- invariances ---- */

/* Turns weights and rows by an angle: independent weights become correlated. */
static void turn(const random_sample *sample, double angle, random_sample *out)
{
    const double q[2][2] = {{cos(angle), -sin(angle)}, {sin(angle), cos(angle)}};
    *out = *sample;
    out->problem.row = out->row;
    out->problem.mean = out->mean;
    out->problem.sd = NULL;
    out->problem.covariance = out->covariance;
    out->problem.positive = out->positive;
    out->problem.negative = out->negative;
    for (int d = 0; d < 2; d++) {
        out->mean[d] = q[d][0] * sample->mean[0] + q[d][1] * sample->mean[1];
        for (int e = 0; e < 2; e++) {
            out->covariance[2 * d + e] = q[d][0] * q[e][0] * sample->sd[0] * sample->sd[0] +
                                         q[d][1] * q[e][1] * sample->sd[1] * sample->sd[1];
        }
        for (int i = 0; i < sample->problem.instance_count; i++) {
            out->row[2 * i + d] = q[d][0] * sample->row[2 * i] + q[d][1] * sample->row[2 * i + 1];
        }
    }
}

OG_TEST(values_do_not_change_if_weights_are_turned)
{
    random_source random = random_start(test_seed(21));
    for (int round = 0; round < test_cases(6); round++) {
        random_sample sample, other;
        sample_random(&sample, &random, 3, 2, 2);
        turn(&sample, random_real(&random, -3, 3), &other);
        for (int k = 0; k < 2; k++) { /* the optimum and uniform */
            og_result found = value_of(&sample, plays[k]);
            og_result again = value_of(&other, plays[k]);
            ck_assert_double_lt(again.error_bound, 1e-10);
            /* the inputs of this test are rounded too, by less than that */
            assert_near(again.value, found.value, found.error_bound + 2 * again.error_bound,
                        &sample);
        }
    }
}

OG_TEST(a_covariance_without_correlations_is_standard_deviations)
{
    random_source random = random_start(test_seed(22));
    random_sample sample, other;
    sample_random(&sample, &random, 3, 2, 2);
    turn(&sample, 0, &other);
    og_result found = value_of(&sample, NULL), again = value_of(&other, NULL);
    assert_near(again.value, found.value, found.error_bound + again.error_bound, &sample);
    OWN(og_features) *features = features_of(&sample);
    ck_assert_double_eq(features->input_error, 0);
}

/* ---- the definition ---- */

static const og_rule_use by_kg = {.rule = &og_rule_mean};

static og_result laplace_value(const random_sample *sample, const char *name, og_ties ties,
                               double *called)
{
    const og_settings settings = one_thread();
    og_value_found found = found_with(sample, name, ties, &settings);
    *called = found.called_value;
    return found.result;
}

/* <mu, x> and x' Sigma x of an action in a belief. */
static void score_of(const og_features *features, const double *belief, int32_t action,
                     double *mean, double *variance)
{
    *mean = belief[action];
    *variance = belief[features->action_count + (features->action_count + 1) * action];
}

/* Any number of features, against matrices. */
OG_TEST(beliefs_agree_with_matrices)
{
    random_source random = random_start(test_seed(18));
    for (int round = 0; round < test_cases(50); round++) {
        enum { WEIGHTS = 4, INSTANCES = 5, LABELS = 6 };
        random_sample sample;
        sample_random(&sample, &random, INSTANCES, WEIGHTS, 1);
        memset(sample.positive, 0, sizeof sample.positive);
        memset(sample.negative, 0, sizeof sample.negative);
        if (round % 2 == 1) {
            sample_correlate(&sample, &random);
        }
        OWN(og_features) *features = features_of(&sample);
        ck_assert_int_eq(og_features_points(features), 0);
        OWN(og_strategy) policy;
        og_message message;
        ck_assert_int_eq(og_laplace_strategy(features, &by_kg, &policy, &message), OG_OK);
        double mean[WEIGHTS];
        double covariance[WEIGHTS * WEIGHTS] = {0};
        for (int d = 0; d < WEIGHTS; d++) {
            mean[d] = sample.mean[d];
            covariance[d * WEIGHTS + d] = sample.sd[d] * sample.sd[d];
        }
        if (sample.problem.covariance != NULL) {
            memcpy(covariance, sample.covariance, sizeof covariance);
        }
        void *belief[2] = {malloc(policy.belief_bytes), malloc(policy.belief_bytes)};
        policy.begin(policy.self, NULL, belief[0], &message);
        for (int n = 0; n < LABELS; n++) {
            int32_t action = (int32_t)random_below(&random, (uint32_t)features->action_count);
            bool positive = random_below(&random, 2) == 1;
            policy.learn(policy.self, &(og_strategy_view){.belief = belief[n % 2]},
                         (og_act){{(uint32_t)action, 0, 0}}, positive, 0, belief[1 - n % 2]);
            oracle_features_update(WEIGHTS, mean, covariance,
                                   &sample.row[features->first[action] * WEIGHTS], positive);
            for (int32_t a = 0; a < features->action_count; a++) {
                const double *x = &sample.row[features->first[a] * WEIGHTS];
                double m = 0;
                double v = 0;
                for (int d = 0; d < WEIGHTS; d++) {
                    m += x[d] * mean[d];
                    for (int e = 0; e < WEIGHTS; e++) {
                        v += x[d] * covariance[d * WEIGHTS + e] * x[e];
                    }
                }
                double found_mean;
                double found_variance;
                score_of(features, belief[1 - n % 2], a, &found_mean, &found_variance);
                /* The oracle inverts six matrices with condition numbers up to 1e4. */
                assert_near(found_mean, m, 1e-11 * (1 + fabs(m)), &sample);
                assert_near(found_variance, v, 1e-11 * (1 + v), &sample);
            }
        }
        free(belief[0]);
        free(belief[1]);
    }
}

/* A label against the belief: from some of these means, Newton's steps alone alternate for ever. */
OG_TEST(a_surprising_label_of_a_long_row_is_learnt)
{
    const double variances[] = {1, 12, 26, 48, 500};
    for (int k = 0; k < 5 * 40; k++) {
        random_sample sample;
        OWN(og_strategy) policy;
        og_message message;
        double mean, variance, belief[2][2], square = variances[k % 5], before = k / 5 * 0.25;
        sample_init(&sample, 1, 1, 1);
        sample.problem.played = true;
        sample.row[0] = sqrt(square);
        sample.mean[0] = before / sample.row[0];
        OWN(og_features) *features = features_of(&sample);
        ck_assert_int_eq(og_laplace_strategy(features, &by_kg, &policy, &message), OG_OK);
        ck_assert_uint_eq(policy.belief_bytes, sizeof belief[0]);
        policy.begin(policy.self, NULL, belief[0], &message);
        policy.learn(policy.self, &(og_strategy_view){.belief = belief[0]}, (og_act){{0, 0, 0}}, 0,
                     0, belief[1]);
        score_of(features, belief[1], 0, &mean, &variance);
        double s = 1 / (1 + exp(-mean));
        /* the root, and the precision there; rounding is multiplied by the slope */
        ck_assert_double_le(fabs(mean - before + square * s), 1e-14 * square * (1 + square / 4));
        ck_assert_double_le(fabs(variance * (1 / square + s * (1 - s)) - 1), 1e-11);
    }
}

OG_TEST(labels_so_far_are_learnt_one_after_the_other)
{
    random_sample sample;
    random_source random = random_start(test_seed(19));
    sample_random(&sample, &random, 3, 2, 1);
    random_sample fresh = sample;
    fresh.problem.positive = NULL;
    fresh.problem.negative = NULL;
    sample.positive[0] = 2;
    sample.negative[0] = 1;
    sample.negative[2] = 2;
    OWN(og_features) *with = features_of(&sample);
    OWN(og_features) *without = features_of(&fresh);
    og_strategy policy[2];
    og_message message;
    void *belief[3];
    ck_assert_int_eq(og_laplace_strategy(with, &by_kg, &policy[0], &message), OG_OK);
    ck_assert_int_eq(og_laplace_strategy(without, &by_kg, &policy[1], &message), OG_OK);
    for (int i = 0; i < 3; i++) {
        belief[i] = malloc(policy[0].belief_bytes);
    }
    policy[0].begin(policy[0].self, NULL, belief[0], &message);
    policy[1].begin(policy[1].self, NULL, belief[1], &message);
    int at = 1;
    for (int32_t a = 0; a < with->action_count; a++) {
        for (int n = 0; n < with->positive[a] + with->negative[a]; n++) {
            policy[1].learn(policy[1].self, &(og_strategy_view){.belief = belief[at]},
                            (og_act){{(uint32_t)a, 0, 0}}, n < with->positive[a], 0,
                            belief[3 - at]);
            at = 3 - at;
        }
    }
    for (int32_t a = 0; a < with->action_count; a++) {
        double mean[2];
        double variance[2];
        score_of(with, belief[0], a, &mean[0], &variance[0]);
        score_of(without, belief[at], a, &mean[1], &variance[1]);
        assert_near(mean[0], mean[1], 1e-13, &sample);
        assert_near(variance[0], variance[1], 1e-13, &sample);
    }
    for (int i = 0; i < 3; i++) {
        free(belief[i]);
    }
    og_strategy_free(&policy[0]);
    og_strategy_free(&policy[1]);
}

/* ---- the points of integration ---- */

static double cell_integral(const og_gauss_rule *rule, int32_t cell, const double *row,
                            const int *label, int labels)
{
    double sum = 0;
    for (int64_t i = rule->cell_first[cell]; i < rule->cell_first[cell + 1]; i++) {
        double product = rule->weight[i];
        for (int n = 0; n < labels; n++) {
            const double *x = &row[n % 3 * rule->dimension];
            double t = 0;
            for (int32_t d = 0; d < rule->dimension; d++) {
                t += x[d] * rule->point[i * rule->dimension + d];
            }
            product /= 1 + exp(label[n] == 1 ? -t : t);
        }
        sum += product;
    }
    return sum;
}

/* For all outcomes of labels of three instances in turn and all cells, a coarse and a fine rule
 * differ by at most the sum of both error bounds. The coarse rule has a much larger error than the
 * fine one, so that the test of the bound is sharp. */
OG_TEST(errors_of_coarse_rules_are_within_their_bounds)
{
    enum { LABELS = 4, ROWS = 3 };
    static const double tolerance[] = {1e-2, 1e-4, 1e-6, 1e-9};
    random_source random = random_start(test_seed(20));
    double most_used = 0;
    for (int round = 0; round < test_cases(12); round++) {
        int dimension = 1 + round % 2;
        double row[2 * ROWS];
        double mean[2];
        for (int i = 0; i < ROWS * dimension; i++) {
            row[i] = random_real(&random, -3, 3);
        }
        for (int d = 0; d < dimension; d++) {
            mean[d] = random_below(&random, 2) == 0 ? 0 : random_real(&random, -3, 3);
        }
        og_gauss_wish wish = {.dimension = dimension,
                              .mean = mean,
                              .row_count = ROWS,
                              .row = row,
                              .labels = LABELS,
                              .tolerance = 1e-14,
                              .points_max = 1 << 22};
        og_gauss_rule *fine;
        og_message message;
        ck_assert_int_eq(og_gauss_rule_new(&wish, &fine, &message), OG_OK);
        for (int k = 0; k < 4; k++) {
            og_gauss_rule *coarse;
            wish.tolerance = tolerance[k];
            ck_assert_int_eq(og_gauss_rule_new(&wish, &coarse, &message), OG_OK);
            ck_assert_int_eq(coarse->cell_count, fine->cell_count);
            ck_assert_double_le(coarse->error, 1.01 * tolerance[k]);
            double off = 0;
            for (int outcome = 0; outcome < 1 << LABELS; outcome++) {
                int label[LABELS];
                for (int n = 0; n < LABELS; n++) {
                    label[n] = outcome >> n & 1;
                }
                for (int32_t c = 0; c < fine->cell_count; c++) {
                    off += fabs(cell_integral(coarse, c, row, label, LABELS) -
                                cell_integral(fine, c, row, label, LABELS));
                }
            }
            ck_assert_double_le(off, coarse->error + fine->error + 1e-13);
            most_used = fmax(most_used, off / coarse->error);
            og_gauss_rule_free(coarse);
        }
        og_gauss_rule_free(fine);
    }
    ck_assert_double_ge(most_used, 1e-3);
}

/* ---- contract ---- */

static void assert_refused(const random_sample *sample, const char *words)
{
    og_features *features = NULL;
    og_message message = {""};
    ck_assert_int_eq(og_features_new(&sample->problem, plenty, &features, &message), OG_BAD_INPUT);
    ck_assert_ptr_null(features);
    ck_assert_msg(strstr(message.text, words) != NULL, "%s", message.text);
}

OG_TEST(new_refuses_what_is_no_problem)
{
    random_sample sample;
    sample_init(&sample, 2, 2, 3);
    sample.problem.instance_count = 0;
    assert_refused(&sample, "instances");
    sample_init(&sample, 2, 2, 3);
    sample.problem.feature_count = 0;
    assert_refused(&sample, "features");
    sample_init(&sample, 2, 2, 3);
    sample.row[3] = INFINITY;
    assert_refused(&sample, "feature 2 of instance 2");
    sample_init(&sample, 2, 2, 3);
    sample.sd[1] = 0;
    assert_refused(&sample, "weight 2");
    sample_init(&sample, 2, 2, 3);
    sample.mean[0] = NAN;
    assert_refused(&sample, "weight 1");
    sample_init(&sample, 2, 2, 3);
    sample.sd[0] = INFINITY;
    assert_refused(&sample, "weight 1");
    sample_init(&sample, 2, 2, 3);
    sample.mean[1] = DBL_MAX;
    sample.sd[1] = 0.5;
    assert_refused(&sample, "the mean of weight 2 is too many standard deviations from 0");
    sample_init(&sample, 2, 2, 3);
    sample.problem.sd = NULL;
    sample.problem.covariance = sample.covariance;
    for (int k = 0; k < 4; k++) {
        sample.covariance[k] = 1;
    }
    assert_refused(&sample, "must be positive definite; weight 2");
    sample.covariance[3] = NAN;
    assert_refused(&sample, "weight 2");
    sample.covariance[3] = 2;
    sample.mean[1] = INFINITY;
    assert_refused(&sample, "the mean of weight 2");
    sample_init(&sample, 2, 2, 3);
    sample.positive[0] = -1;
    assert_refused(&sample, "instance 1 has a negative number");
    sample_init(&sample, 2, 2, 3);
    sample.negative[1] = -1;
    assert_refused(&sample, "instance 2");
    sample_init(&sample, 2, 2, 3);
    sample.negative[1] = 253;
    assert_refused(&sample, "255 labels");
}

OG_TEST(new_stops_where_points_or_memory_do_not_do)
{
    random_sample sample;
    og_features *features = NULL;
    og_message message = {""};
    sample_init(&sample, 2, 2, 3);
    sample.row[0] = 1;
    sample.row[3] = 1;
    ck_assert_int_eq(og_features_new(&sample.problem, 1000, &features, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "memory limit"));
    sample.row[0] = 1e6;
    ck_assert_int_eq(og_features_new(&sample.problem, plenty, &features, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "points of integration"));
    ck_assert_ptr_null(features);
}

OG_TEST(histories_stop_at_their_limits)
{
    random_sample sample;
    sample_init(&sample, 2, 1, 32);
    sample.row[0] = 1;
    sample.row[1] = 2;
    solved_features made;
    og_settings settings = one_thread();
    og_value_found found = {.called_value = 7};
    og_message message = {""};
    solve(&sample, "kg", OG_TIES_FIRST, &settings, &made);
    ck_assert_int_eq(made.solution.value(made.solution.self, &found, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "2^31"));
    solved_clear(&made);
    sample.problem.budget = 12;
    settings.states_max = 100;
    solve(&sample, "kg", OG_TIES_FIRST, &settings, &made);
    ck_assert_int_eq(made.solution.value(made.solution.self, &found, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "limit on states"));
    ck_assert(isnan(found.called_value));
    ck_assert_uint_eq(found.result.states, 101);
    solved_clear(&made);
}

OG_TEST(without_labels_the_value_is_the_call)
{
    random_sample sample;
    sample_init(&sample, 2, 2, 0);
    sample.row[0] = 1;
    sample.row[3] = 1;
    sample.mean[0] = 0.3;
    OWN(og_features) *features = features_of(&sample);
    double error;
    double called;
    double call = og_features_prior(features, &error);
    ck_assert_double_eq(value_of(&sample, NULL).value, call);
    ck_assert_double_eq(value_of(&sample, "uniform").value, call);
    assert_near(laplace_value(&sample, "kg", OG_TIES_RANDOM, &called).value, call, error, &sample);
}
