/*
 * Beta arms: tables against the definitions in rationals, and the promises about bits.
 *
 * `definition` is the truth here: P of the oracle at every posterior, h = max(P, 1 - P), R and
 * gains as differences of h. It is exact for whole parameters; for others P, hence h, is off by
 * ORACLE_H_ERROR at most, a gain by twice that, and R, an average of gains, as much.
 */
#include "dp/arm/arm.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>

#include "dp/prior/beta.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(arm, 60);

#define GAIN_SLACK (2 * ORACLE_H_ERROR)

static const uint64_t unlimited = UINT64_C(1) << 40;

static og_group group_of(const char *word)
{
    og_group group;
    og_message message;
    ck_assert_msg(og_group_parse(word, &group, &message) == OG_OK, "%s", message.text);
    return group;
}

static og_arm *arm_of_group(const og_group *group, int32_t depth)
{
    og_arm *arm = NULL;
    og_message message;
    char word[160];
    og_group_format(group, word, sizeof word);
    ck_assert_msg(og_arm_new(group, depth, unlimited, &arm, &message) == OG_OK,
                  "%s, depth %" PRId32 ": %s", word, depth, message.text);
    return arm;
}

static og_arm *arm_of(const char *word, int32_t depth)
{
    og_group group = group_of(word);
    return arm_of_group(&group, depth);
}

static double *gains_of(const og_arm *arm, double *error)
{
    double *gain = malloc((2 * (size_t)arm->node_count + 1) * sizeof *gain);
    ck_assert_ptr_nonnull(gain);
    ck_assert_int_eq(og_arm_gains(arm, NULL, gain, error), OG_OK);
    return gain;
}

/* The definition of an arm's numbers, node by node in the arm's own order. */
typedef struct {
    uint32_t count;
    bool exact;
    mpq_t *positive; /* P */
    mpq_t *h;
    mpq_t *p1;
} definition;

static definition definition_of(const og_arm *arm)
{
    definition d = {.count = arm->node_count,
                    .exact = og_fraction_is_integer(og_arm_group(arm)->a) &&
                             og_fraction_is_integer(og_arm_group(arm)->b)};
    d.positive = malloc(d.count * sizeof *d.positive);
    d.h = malloc(d.count * sizeof *d.h);
    d.p1 = malloc(d.count * sizeof *d.p1);
    ck_assert(d.positive != NULL && d.h != NULL && d.p1 != NULL);
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, threshold = MPQ_NEW;
    og_fraction_get_mpq(threshold, og_arm_group(arm)->threshold);
    for (uint32_t node = 0; node < d.count; node++) {
        og_fraction parameter[2];
        mpq_inits(d.positive[node], d.h[node], d.p1[node], NULL);
        og_arm_posterior(arm, node, parameter);
        og_fraction_get_mpq(a, parameter[0]);
        og_fraction_get_mpq(b, parameter[1]);
        oracle_positive(d.positive[node], a, b, threshold);
        mpq_set_ui(d.h[node], 1, 1);
        mpq_sub(d.h[node], d.h[node], d.positive[node]);
        if (mpq_cmp(d.h[node], d.positive[node]) < 0) {
            mpq_set(d.h[node], d.positive[node]);
        }
        mpq_add(d.p1[node], a, b);
        mpq_div(d.p1[node], a, d.p1[node]);
    }
    return d;
}

static void definition_clear(definition *d)
{
    for (uint32_t node = 0; node < d->count; node++) {
        mpq_clears(d->positive[node], d->h[node], d->p1[node], NULL);
    }
    free(d->positive);
    free(d->h);
    free(d->p1);
}

static void defined_probability(const definition *d, uint32_t node, int outcome, mpq_t out)
{
    mpq_set(out, d->p1[node]);
    if (outcome == 1) {
        mpq_set_ui(out, 1, 1);
        mpq_sub(out, out, d->p1[node]);
    }
}

static void defined_gain(const definition *d, const og_arm *arm, uint32_t node, int outcome,
                         mpq_t out)
{
    mpq_sub(out, d->h[arm->next[2 * node + (uint32_t)outcome]], d->h[node]);
}

static void defined_reward(const definition *d, const og_arm *arm, uint32_t node, mpq_t out)
{
    OWN_MPQ gain = MPQ_NEW, p = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 2; k++) {
        defined_gain(d, arm, node, k, gain);
        defined_probability(d, node, k, p);
        mpq_mul(gain, gain, p);
        mpq_add(out, out, gain);
    }
}

/* |value - exact| <= error * |exact| + slack, in rationals. */
static bool close_to(double value, double error, double slack, const mpq_t exact)
{
    mpq_t distance, bound, more;
    if (!isfinite(value)) {
        return false;
    }
    mpq_inits(distance, bound, more, NULL);
    mpq_set_d(distance, value);
    mpq_sub(distance, distance, exact);
    mpq_abs(distance, distance);
    mpq_set_d(bound, error);
    mpq_abs(more, exact);
    mpq_mul(bound, bound, more);
    mpq_set_d(more, slack);
    mpq_add(bound, bound, more);
    bool close = mpq_cmp(distance, bound) <= 0;
    mpq_clears(distance, bound, more, NULL);
    return close;
}

/* No neighbour of the double lies nearer, to within `slack`. */
static bool is_nearest(double value, double slack, const mpq_t exact)
{
    OWN_MPQ distance = MPQ_NEW, other = MPQ_NEW;
    mpq_set_d(distance, value);
    mpq_sub(distance, distance, exact);
    mpq_abs(distance, distance);
    mpq_set_d(other, slack);
    mpq_sub(distance, distance, other);
    bool nearest = true;
    for (int side = -1; side <= 1; side += 2) {
        mpq_set_d(other, nextafter(value, side * INFINITY));
        mpq_sub(other, other, exact);
        mpq_abs(other, other);
        nearest &= mpq_cmp(distance, other) <= 0;
    }
    return nearest;
}

static const char *describe(const og_arm *arm, uint32_t node)
{
    static char text[256];
    char word[160];
    int32_t counts[2];
    og_group_format(og_arm_group(arm), word, sizeof word);
    og_arm_counts(arm, node, counts);
    snprintf(text, sizeof text, "%s, depth %" PRId32 ", after %" PRId32 " and %" PRId32 " labels",
             word, arm->depth, counts[0], counts[1]);
    return text;
}

static uint32_t labelled_nodes(const og_arm *arm)
{
    return arm->level[arm->depth];
}

/* Everything stored, against the definition, all nodes. */
static void check_stored(const og_arm *arm, const definition *d)
{
    double slack = d->exact ? 0 : GAIN_SLACK, gain_error;
    double *gain = gains_of(arm, &gain_error);
    OWN_MPQ exact = MPQ_NEW;
    ck_assert_msg(close_to(arm->call, arm->call_error, slack, d->h[0]) &&
                      is_nearest(arm->call, slack, d->h[0]),
                  "call of %s: %.17g", describe(arm, 0), arm->call);
    for (uint32_t node = 0; node < labelled_nodes(arm); node++) {
        defined_reward(d, arm, node, exact);
        double reward = arm->reward[node];
        ck_assert_msg(reward >= 0 && close_to(reward, arm->reward_error, slack, exact) &&
                          is_nearest(reward, slack, exact),
                      "reward of %s: %.17g, not %.17g", describe(arm, node), reward,
                      mpq_get_d(exact));
        for (int k = 0; k < 2; k++) {
            double stored = arm->probability[2 * node + (uint32_t)k];
            defined_probability(d, node, k, exact);
            ck_assert_msg(close_to(stored, arm->probability_error, 0, exact),
                          "probability of %s: %.17g", describe(arm, node), stored);
            stored = gain[2 * node + (uint32_t)k];
            defined_gain(d, arm, node, k, exact);
            ck_assert_msg(close_to(stored, gain_error, slack + 0x1p-1074, exact),
                          "gain of %s: %.17g, not %.17g", describe(arm, node), stored,
                          mpq_get_d(exact));
        }
    }
    free(gain);
}

static void check_exact_functions(const og_arm *arm, const definition *d)
{
    OWN_MPQ got = MPQ_NEW, expected = MPQ_NEW;
    ck_assert(arm->rational);
    og_arm_exact_call(arm, got);
    ck_assert_msg(mpq_equal(got, d->h[0]), "%s", describe(arm, 0));
    for (uint32_t node = 0; node < labelled_nodes(arm); node++) {
        og_arm_exact_reward(arm, node, got);
        defined_reward(d, arm, node, expected);
        ck_assert_msg(mpq_equal(got, expected), "reward of %s", describe(arm, node));
        for (int k = 0; k < 2; k++) {
            og_arm_exact_probability(arm, node, k, got);
            defined_probability(d, node, k, expected);
            ck_assert_msg(mpq_equal(got, expected), "probability of %s", describe(arm, node));
            og_arm_exact_gain(arm, node, k, got);
            defined_gain(d, arm, node, k, expected);
            ck_assert_msg(mpq_equal(got, expected), "gain of %s", describe(arm, node));
        }
    }
}

static const char *const whole_priors[] = {"1,1", "2,1", "1,2",  "3,3",    "5,2",
                                           "1,8", "8,1", "30,1", "40,100", "7,8"};
static const char *const whole_thresholds[] = {"0.5",   "0.3",   "0.7",  "0.25",
                                               "0.001", "0.999", "0.65", "0.123456789"};

OG_TEST_LOOP(whole_parameters_give_the_values_of_the_definition, 0,
             sizeof whole_thresholds / sizeof *whole_thresholds)
{
    enum { DEPTH = 13 };
    char word[64];
    for (size_t i = 0; i < sizeof whole_priors / sizeof *whole_priors; i++) {
        snprintf(word, sizeof word, "%s@%s", whole_priors[i], whole_thresholds[_i]);
        OWN(og_arm) *arm = arm_of(word, DEPTH);
        definition d = definition_of(arm);
        check_stored(arm, &d);
        check_exact_functions(arm, &d);
        definition_clear(&d);
    }
}

OG_TEST(thirds_as_thresholds_give_the_values_of_the_definition)
{
    for (int64_t num = 1; num <= 2; num++) {
        og_group group = group_of("2,3");
        group.threshold = (og_fraction){num, 3};
        OWN(og_arm) *arm = arm_of_group(&group, 20);
        definition d = definition_of(arm);
        check_stored(arm, &d);
        check_exact_functions(arm, &d);
        definition_clear(&d);
    }
}

static const char *const real_words[] = {
    "0.5,0.5",      "0.5,0.5@0.3",    "1.5,1",          "0.5,1@0.25",   "2.25,2.5@0.7",
    "0.3,0.7",      "0.01,3",         "1.1,1.2@0.4",    "0.3,0.7@0.01", "1.2323648844,0.9197676359",
    "12.5,3.5@0.9", "0.001,0.001",    "4.75,4.5@0.001", "100.5,99.25",  "0.333333333,1@0.125",
    "40.1,1@0.999", "0.000001,2@0.1",
};

OG_TEST_LOOP(real_parameters_give_the_values_of_the_definition, 0,
             sizeof real_words / sizeof *real_words)
{
    OWN(og_arm) *arm = arm_of(real_words[_i], 12);
    definition d = definition_of(arm);
    ck_assert(!arm->rational);
    check_stored(arm, &d);
    definition_clear(&d);
}

/* Priors near the limits of valid ones, and those that Arb's incomplete beta function does not
 * support. */
static const char *const extreme_words[] = {
    "0.000001,0.000001",
    "0.000001,0.000001@0.3",
    "0.000001,0.000001@0.000000000000000001",
    "0.000001,1000000",
    "1000000,0.000001",
    "0.001,0.001@0.000001",
    "1000,1000.5@0.7",
    "3674.086001715,3674.086001715@0.437817156",
    "20207.911743637,765.899214867@0.963483069",
    "46659.699563651,1981",
};

OG_TEST_LOOP(extreme_parameters_give_the_values_of_the_definition, 0,
             sizeof extreme_words / sizeof *extreme_words)
{
    OWN(og_arm) *arm = arm_of(extreme_words[_i], 3);
    definition d = definition_of(arm);
    check_stored(arm, &d);
    definition_clear(&d);
}

/* Where the series of the definition is too long: a symmetric prior's P is 1/2, those of (a, 1) and
 * (1, b) are powers, the others lie within 2^-54 of 1. The nearest double is promised. */
OG_TEST(extreme_parameters_give_known_calls)
{
    static const struct {
        const char *word;
        double call;
    } rows[] = {
        {"1000000,1000000", 0.5},
        {"999999.5,999999.5", 0.5},
        {"1000000,1", 1},
        {"1,1000000", 1},
        {"1000000,1000000@0.3", 1},
        {"1000000,1000000@0.000000000000000001", 1},
        {"988201.79921638,375.43758358@0.90459053", 1},
        {"1000000,1@0.999999", 0.632120742768354905714201874729630340981}, /* 1 - 0.999999^1e6 */
        {"1,1000000@0.000001", 0.632120742768354905714201874729630340981},
        {"0.000001,1@0.000001", 0.999986184584875762225449063329281671454}, /* 1e-6^1e-6 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(og_arm) *arm = arm_of(rows[i].word, 100);
        ck_assert_msg(arm->call == rows[i].call, "%s: %.17g", rows[i].word, arm->call);
        for (uint32_t node = 0; node < labelled_nodes(arm); node++) {
            ck_assert(arm->reward[node] == 0 || arm->reward[node] >= DBL_MIN);
        }
    }
}

/* The exact integers give way to balls where they become long; the values may not show it. */
OG_TEST(whole_parameters_beyond_exact_integers_have_the_same_bits)
{
    static const char threshold[] = "0.123456789"; /* 10^9: 30 bits */
    char word[64];
    ck_assert_int_eq(OG_BETA_EXACT_BITS / 30, 268 + 1902 + 14);
    snprintf(word, sizeof word, "268,1902@%s", threshold);
    og_arm *exact = arm_of(word, 14), *ball = arm_of(word, 15);
    ck_assert(exact->rational && !ball->rational);
    ck_assert(memcmp(exact->reward, ball->reward, labelled_nodes(exact) * sizeof(double)) == 0);
    ck_assert(exact->call == ball->call);
    int rewards = 0;
    for (uint32_t node = 0; node < labelled_nodes(exact); node++) {
        rewards += exact->reward[node] != 0;
    }
    ck_assert_int_gt(rewards, 0);
    og_arm_free(exact);
    og_arm_free(ball);
}

OG_TEST(rewards_of_the_literature)
{
    static const struct {
        const char *word;
        long num;
        unsigned long den;
    } rows[] = {
        {"1,1", 1, 4}, {"2,2", 3, 16},      {"3,3", 5, 32},       {"3,1", 0, 1},
        {"2,1", 0, 1}, {"1,1@0.3", 1, 100}, {"2,1@0.7", 71, 375}, {"1,2@0.3", 71, 375},
    };
    OWN_MPQ got = MPQ_NEW, expected = MPQ_NEW;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_arm *arm = arm_of(rows[i].word, 1);
        mpq_set_si(expected, rows[i].num, rows[i].den);
        mpq_canonicalize(expected);
        og_arm_exact_reward(arm, 0, got);
        ck_assert_msg(mpq_equal(got, expected), "%s", rows[i].word);
        ck_assert_msg(is_nearest(arm->reward[0], 0, expected), "%s", rows[i].word);
        og_arm_free(arm);
    }
    /* A tie P = 1/2 of real parameters: 1 - (1/4)^(1/2). P(1.5,1) = 7/8, P(0.5,2) = 5/16. */
    og_arm *arm = arm_of("0.5,1@0.25", 1);
    double gain[2], error;
    ck_assert(arm->call == 0.5 && arm->reward[0] == 0.25);
    ck_assert_int_eq(og_arm_gains(arm, NULL, gain, &error), OG_OK);
    ck_assert(gain[0] == 0.375 && gain[1] == 0.1875);
    og_arm_free(arm);
}

/* GSL promises nothing about its error; a wrong formula would be off by more than 1e-9. */
OG_TEST(calls_agree_with_another_library)
{
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    uint64_t seed = test_seed(3);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(200); i++) {
        char word[64];
        gsl_sf_result below;
        snprintf(word, sizeof word, "%u.%03u,%u.%03u@0.%02u", random_below(&random, 60),
                 1 + random_below(&random, 999), random_below(&random, 60),
                 1 + random_below(&random, 999), 1 + random_below(&random, 99));
        OWN(og_arm) *arm = arm_of(word, 0);
        const og_group *group = og_arm_group(arm);
        ck_assert_int_eq(gsl_sf_beta_inc_e(og_fraction_double(group->a),
                                           og_fraction_double(group->b),
                                           og_fraction_double(group->threshold), &below),
                         GSL_SUCCESS);
        ck_assert_msg(fabs(arm->call - fmax(below.val, 1 - below.val)) < 1e-9,
                      "seed %" PRIu64 ": %s: %.17g", seed, word, arm->call);
    }
    gsl_set_error_handler(before);
}

/* Threshold 1/2: the call is A >= B, and a label matters only if |A - B| < 1. */
OG_TEST(reward_is_zero_exactly_where_no_label_can_flip_the_call)
{
    static const char *const words[] = {
        "1,1",   "2,1",       "0.5,0.5",    "1.5,1",      "0.3,0.7",  "1.1,1.2",  "5.5,1",
        "0.1,8", "1000000,1", "1.999999,1", "2.000001,1", "30.25,28", "20.5,21.5"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        OWN(og_arm) *arm = arm_of(words[i], 60);
        for (uint32_t node = 0; node < labelled_nodes(arm); node++) {
            og_fraction parameter[2];
            OWN_MPQ a = MPQ_NEW, b = MPQ_NEW;
            og_arm_posterior(arm, node, parameter);
            og_fraction_get_mpq(a, parameter[0]);
            og_fraction_get_mpq(b, parameter[1]);
            mpq_sub(a, a, b);
            mpq_abs(a, a);
            ck_assert_msg((arm->reward[node] != 0) == (mpq_cmp_ui(a, 1, 1) < 0), "%s",
                          describe(arm, node));
        }
    }
}

/* A random prior and threshold, many with few digits, so that nodes tie and coincide. */
static og_group random_group(random_source *random)
{
    static const int64_t dens[] = {1, 1, 2, 4, 10, 1000};
    int64_t a_den = dens[random_below(random, 6)], b_den = dens[random_below(random, 6)];
    int64_t d_den = random_below(random, 3) == 0 ? 2 : 2 + random_below(random, 99);
    return (og_group){.a = og_fraction_make(1 + random_below(random, (uint32_t)(6 * a_den)), a_den),
                      .b = og_fraction_make(1 + random_below(random, (uint32_t)(6 * b_den)), b_den),
                      .threshold =
                          og_fraction_make(1 + random_below(random, (uint32_t)(d_den - 1)), d_den),
                      .count = 1};
}

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

/* Is `to`, seen from its node (n, s), the same as `from` at node (n + at, s + up)? With `mirrored`
 * the labels of `to` change places. */
static void check_same_numbers(const og_arm *from, const og_arm *to, int32_t at, int32_t up,
                               bool mirrored)
{
    double error;
    double *from_gain = gains_of(from, &error), *to_gain = gains_of(to, &error);
    for (int32_t n = 0; n < to->depth; n++) {
        for (int32_t s = 0; s <= n; s++) {
            uint32_t x = from->level[n + at] + (uint32_t)(s + up);
            uint32_t y = to->level[n] + (uint32_t)(mirrored ? n - s : s);
            ck_assert_msg(same_bits(from->reward[x], to->reward[y]), "reward of %s",
                          describe(from, x));
            for (uint32_t k = 0; k < 2; k++) {
                uint32_t other = mirrored ? 1 - k : k;
                ck_assert_msg(
                    same_bits(from->probability[2 * x + k], to->probability[2 * y + other]),
                    "probability of %s", describe(from, x));
                ck_assert_msg(same_bits(from_gain[2 * x + k], to_gain[2 * y + other]),
                              "gain of %s: %a, %a", describe(from, x), from_gain[2 * x + k],
                              to_gain[2 * y + other]);
            }
        }
    }
    free(from_gain);
    free(to_gain);
}

OG_TEST(mirror_images_have_the_same_bits)
{
    random_source random = random_start(test_seed(4));
    for (int i = 0; i < test_cases(100); i++) {
        og_group group = random_group(&random), mirror = group;
        mirror.a = group.b;
        mirror.b = group.a;
        mirror.threshold =
            og_fraction_make(group.threshold.den - group.threshold.num, group.threshold.den);
        og_arm *arm = arm_of_group(&group, 20), *image = arm_of_group(&mirror, 20);
        ck_assert(same_bits(arm->call, image->call));
        check_same_numbers(arm, image, 0, 0, true);
        og_arm_free(arm);
        og_arm_free(image);
    }
}

OG_TEST(equal_posteriors_of_different_priors_have_the_same_bits)
{
    enum { DEPTH = 30 };
    random_source random = random_start(test_seed(5));
    for (int i = 0; i < test_cases(100); i++) {
        og_group group = random_group(&random), later = group;
        int32_t up = (int32_t)random_below(&random, 12), down = (int32_t)random_below(&random, 12);
        later.a.num += up * later.a.den;
        later.b.num += down * later.b.den;
        OWN(og_arm) *arm = arm_of_group(&group, DEPTH);
        OWN(og_arm) *rest = arm_of_group(&later, DEPTH - up - down);
        check_same_numbers(arm, rest, up + down, up, false);
    }
}

/* sum p_k gain_k = R: each term has the errors of gain, p and the product, and R has its error. */
OG_TEST(gains_average_to_the_reward)
{
    uint64_t seed = test_seed(6);
    random_source random = random_start(seed);
    for (int i = 0; i < test_cases(100); i++) {
        og_group group = random_group(&random);
        OWN(og_arm) *arm = arm_of_group(&group, 40);
        double error;
        double *gain = gains_of(arm, &error);
        for (uint32_t node = 0; node < labelled_nodes(arm); node++) {
            double plus = arm->probability[2 * node] * gain[2 * node];
            double minus = arm->probability[2 * node + 1] * gain[2 * node + 1];
            double bound =
                (fabs(plus) + fabs(minus)) * (error + arm->probability_error + 3 * DBL_EPSILON) +
                arm->reward[node] * arm->reward_error;
            ck_assert_msg(fabs(plus + minus - arm->reward[node]) <= bound, "seed %" PRIu64 ": %s",
                          seed, describe(arm, node));
        }
        free(gain);
    }
}

OG_TEST(nodes_are_numbered_as_the_header_says)
{
    OWN(og_arm) *arm = arm_of("3x0.5,2.25@0.3", 9);
    ck_assert(arm->depth == 9 && arm->outcome_count == 2 && arm->lattice);
    ck_assert(arm->node_count == 55 && arm->level[0] == 0 && arm->level[10] == 55);
    for (int32_t n = 0; n <= 9; n++) {
        int rewards = 0;
        for (uint32_t s = 0; s <= (uint32_t)n; s++) {
            uint32_t node = arm->level[n] + s;
            int32_t counts[2];
            og_fraction parameter[2];
            og_arm_counts(arm, node, counts);
            ck_assert(counts[0] == (int32_t)s && counts[1] == n - (int32_t)s);
            og_arm_posterior(arm, node, parameter);
            ck_assert_int_eq(og_fraction_compare(parameter[0], og_fraction_make(1 + 2 * s, 2)), 0);
            ck_assert_int_eq(
                og_fraction_compare(parameter[1], og_fraction_make(9 + 4 * counts[1], 4)), 0);
            if (n == 9) {
                continue;
            }
            ck_assert_uint_eq(arm->next[2 * node], arm->level[n + 1] + s + 1);
            ck_assert_uint_eq(arm->next[2 * node + 1], arm->level[n + 1] + s);
            rewards += arm->reward[node] != 0;
        }
        ck_assert_int_le(rewards, 2);
    }
}

OG_TEST(no_labels_leave_one_node_with_a_call)
{
    og_arm *arm = arm_of("3,1", 0);
    double error, none;
    ck_assert(arm->node_count == 1 && arm->level[0] == 0 && arm->level[1] == 1);
    ck_assert(arm->call == 0.875);
    ck_assert_int_eq(og_arm_gains(arm, NULL, &none, &error), OG_OK);
    og_arm_free(arm);
    og_arm_free(NULL);
}

OG_TEST(new_beta_keeps_within_its_limits)
{
    og_group group = group_of("1,1");
    og_arm *arm = NULL;
    og_message message;
    uint64_t bytes = og_arm_beta_bytes(50);
    ck_assert_int_eq(og_arm_new(&group, 50, bytes - 1, &arm, &message), OG_NO_MEMORY);
    ck_assert_msg(strstr(message.text, "limit") != NULL, "%s", message.text);
    ck_assert_int_eq(og_arm_new(&group, 92681, UINT64_MAX, &arm, &message), OG_NO_MEMORY);
    ck_assert_msg(strstr(message.text, "2^32") != NULL, "%s", message.text);
    ck_assert_int_eq(og_arm_new(&group, -1, bytes, &arm, &message), OG_BAD_INPUT);
    ck_assert_int_eq(og_arm_new(&group, INT32_MIN, bytes, &arm, NULL), OG_BAD_INPUT);
    ck_assert_int_eq(og_arm_new(&group, OG_BUDGET_MAX + 1, UINT64_MAX, &arm, &message),
                     OG_BAD_INPUT);
    ck_assert_int_eq(og_arm_new(&group, INT32_MAX, UINT64_MAX, &arm, NULL), OG_BAD_INPUT);
    group.threshold = (og_fraction){1, 1};
    ck_assert_int_eq(og_arm_new(&group, 1, bytes, &arm, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "threshold") != NULL, "%s", message.text);
    ck_assert_ptr_null(arm);
    group = group_of("1,1");
    ck_assert_int_eq(og_arm_new(&group, 50, bytes, &arm, NULL), OG_OK);
    og_arm_free(arm);
    ck_assert(og_arm_beta_bytes(OG_BUDGET_MAX) > UINT64_C(16000000000000));
}

static og_arms *arms_of(const char *words, int32_t budget, int threads)
{
    og_groups problem;
    og_arms *arms = NULL;
    og_message message;
    test_problem(words, budget, &problem);
    ck_assert_msg(test_arms_new(&problem, threads, unlimited, &arms, &message) == OG_OK, "%s: %s",
                  words, message.text);
    og_groups_clear(&problem);
    return arms;
}

OG_TEST(groups_with_one_prior_share_an_arm)
{
    static const int32_t arm_of_group[] = {0, 1, 0, 2, 3, 1, 0};
    og_arms *arms = arms_of("5x2,1 1,2 2,1@0.5 2,1@0.3 2,1.5 2x1.0,2e0 2.000,1", 4, 2);
    ck_assert(arms->budget == 4 && arms->group_count == 7 && arms->arm_count == 4);
    for (int32_t i = 0; i < 7; i++) {
        ck_assert_int_eq(arms->arm_of_group[i], arm_of_group[i]);
        ck_assert_int_eq(arms->group_size[i], i == 0 ? 5 : i == 5 ? 2 : 1);
    }
    for (int32_t i = 0; i <= 4; i++) {
        ck_assert_uint_eq(arms->node_offset[i], 15 * (uint32_t)i);
    }
    ck_assert_int_eq(og_arm_group(arms->arm[1])->b.num, 2);
    ck_assert_int_eq(og_arm_group(arms->arm[2])->threshold.num, 3);
    og_arms_free(arms);
    og_arms_free(NULL);
}

static const char many_words[] = "1,1 0.5,0.5 0.5,0.5@0.3 2,1@0.7 1.1,1.2 0.3,0.7@0.01 3,3@0.25 "
                                 "0.5,1@0.25 1000.5,900@0.6 1,1 40,2@0.9 1.2323648844,0.9197676359";

OG_TEST(arms_are_the_same_for_every_number_of_threads)
{
    OWN(og_arms) *serial = arms_of(many_words, 60, 1);
    for (int threads = 0; threads <= 4; threads += 2) {
        OWN(og_arms) *arms = arms_of(many_words, 60, threads);
        ck_assert_int_eq(arms->arm_count, serial->arm_count);
        for (int32_t i = 0; i < arms->arm_count; i++) {
            const og_arm *x = arms->arm[i], *y = serial->arm[i];
            size_t count = labelled_nodes(x);
            ck_assert(x->node_count == y->node_count && same_bits(x->call, y->call));
            ck_assert(memcmp(x->reward, y->reward, count * sizeof *x->reward) == 0);
            ck_assert(memcmp(x->probability, y->probability, 2 * count * sizeof *x->probability) ==
                      0);
            ck_assert(memcmp(x->next, y->next, 2 * count * sizeof *x->next) == 0);
        }
    }
}

OG_TEST(call_of_a_problem_is_the_sum_over_its_instances)
{
    uint64_t seed = test_seed(7);
    random_source random = random_start(seed);
    const random_limits limits = {.instances = 40, .budget = 3, .integers = true};
    OWN_MPQ exact = MPQ_NEW, expected = MPQ_NEW;
    for (int i = 0; i < test_cases(100); i++) {
        OWN(og_groups) problem;
        og_arms *arms = NULL;
        double error;
        random_problem(&random, &limits, &problem);
        ck_assert_int_eq(test_arms_new(&problem, 1, unlimited, &arms, NULL), OG_OK);
        oracle_arms *truth = oracle_new(&problem);
        oracle_call(truth, expected);
        ck_assert(og_arms_exact_call(arms, exact));
        ck_assert_msg(mpq_equal(exact, expected), "seed %" PRIu64 ", problem %d", seed, i);
        double value = og_arms_prior_value(arms, &error);
        ck_assert_msg(oracle_within(value, error, expected), "seed %" PRIu64 ", problem %d", seed,
                      i);
        ck_assert(error <= 0x1p-51 * value && value == og_arms_prior_value(arms, NULL));
        oracle_free(truth);
        og_arms_free(arms);
    }
    /* A billion instances, and one that is not rational: the output stays as it was. */
    og_arms *arms = arms_of("999999999x3,1 0.5,0.5", 1, 1);
    mpq_set(expected, exact);
    ck_assert(!og_arms_exact_call(arms, exact) && mpq_equal(exact, expected));
    ck_assert(og_arms_prior_value(arms, NULL) == 999999999 * 0.875 + 0.5);
    og_arms_free(arms);
}

/* Groups of one prior and payoff share an arm, and arms are in the order of their first groups;
 * also with more different ones than are kept in mind, and with payoffs that a hash does not tell
 * apart. */
OG_TEST(arms_new_gives_each_different_group_its_arm)
{
    enum { GROUPS = 20000, MOST = 80 };
    random_source random = random_start(test_seed(71));
    static int32_t arm_of[MOST + 1][MOST + 1][2];
    OWN(og_groups) problem;
    int32_t arms_known = 0;
    og_arms *arms = NULL;
    og_groups_init(&problem, 0);
    memset(arm_of, -1, sizeof arm_of);
    for (int i = 0; i < GROUPS; i++) {
        int a = 1 + random_below(&random, MOST), b = 1 + random_below(&random, MOST);
        char word[64];
        snprintf(word, sizeof word, "%d,%d", a, b);
        og_group group = group_of(word);
        if (random_below(&random, 2) == 0) {
            ck_assert_int_eq(og_payoff_parse("2,0,0,1", "payoff", &group.payoff, NULL), OG_OK);
        }
        ck_assert_int_eq(og_groups_add(&problem, &group, NULL), OG_OK);
    }
    ck_assert_int_eq(test_arms_new(&problem, 1, unlimited, &arms, NULL), OG_OK);
    for (int i = 0; i < GROUPS; i++) {
        const og_group *group = og_groups_at(&problem, i);
        int32_t *arm = &arm_of[group->a.num][group->b.num][group->payoff.given];
        *arm = *arm < 0 ? arms_known++ : *arm;
        ck_assert_int_eq(arms->arm_of_group[i], *arm);
    }
    ck_assert_int_eq(arms->arm_count, arms_known);
    og_arms_free(arms);
}

OG_TEST(arms_new_keeps_within_its_limits)
{
    OWN(og_groups) problem;
    OWN(og_arms) *arms = NULL;
    og_message message;
    og_groups_init(&problem, 5);
    ck_assert_int_eq(test_arms_new(&problem, 1, unlimited, &arms, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "at least one instance") != NULL, "%s", message.text);
    test_problem("1,1 2,1 1,1", 50, &problem);
    uint64_t bytes = 2 * og_arm_beta_bytes(50);
    ck_assert_int_eq(test_arms_new(&problem, 1, bytes - 1, &arms, &message), OG_NO_MEMORY);
    ck_assert_msg(strstr(message.text, "limit") != NULL, "%s", message.text);
    /* Two of these have 2^32 nodes, one has not. */
    problem.budget = 66000;
    ck_assert_int_eq(test_arms_new(&problem, 1, UINT64_MAX, &arms, &message), OG_NO_MEMORY);
    ck_assert_msg(strstr(message.text, "2^32") != NULL, "%s", message.text);
    problem.budget = -1;
    ck_assert_int_eq(test_arms_new(&problem, 1, bytes, &arms, &message), OG_BAD_INPUT);
    problem.budget = OG_BUDGET_MAX + 1;
    ck_assert_int_eq(test_arms_new(&problem, 1, UINT64_MAX, &arms, &message), OG_BAD_INPUT);
    problem.budget = 50;
    problem.kind[1].count = 0;
    ck_assert_int_eq(test_arms_new(&problem, 1, bytes, &arms, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "count") != NULL, "%s", message.text);
    problem.kind[1].count = 1;
    ck_assert_ptr_null(arms);
    ck_assert_int_eq(test_arms_new(&problem, 1, bytes, &arms, &message), OG_OK);
}
