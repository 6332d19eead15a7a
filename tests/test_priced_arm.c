/*
 * What one arm gains where labels have prices, of all stages or one: in fractions, and how many
 * labels it buys; and the bounds made of it, in fractions.
 */
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/priced_arm.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(priced_arm, 60);

/* The recursion with prices by stage in fractions, as in priced_arm.h. */
static void gain_in_fractions(const og_arm *arm, const double *price, mpq_t out)
{
    uint32_t nodes = arm->node_count;
    mpq_t *f = calloc(nodes, sizeof *f), worth, term;
    mpq_inits(worth, term, NULL);
    for (uint32_t x = 0; x < nodes; x++) {
        mpq_init(f[x]);
    }
    for (int32_t l = arm->depth; l >= 1; l--) {
        /* Ascending: f of the next level is still that of stage l + 1. */
        for (uint32_t x = 0; x < arm->level[l]; x++) {
            og_arm_exact_reward(arm, x, worth);
            mpq_set_d(term, price[l - 1]);
            mpq_sub(worth, worth, term);
            for (int32_t k = 0; k < arm->outcome_count; k++) {
                og_arm_exact_probability(arm, x, k, term);
                mpq_mul(term, term, f[arm->next[x * (uint32_t)arm->outcome_count + (uint32_t)k]]);
                mpq_add(worth, worth, term);
            }
            if (mpq_cmp(worth, f[x]) > 0) {
                mpq_set(f[x], worth);
            }
        }
    }
    mpq_set(out, f[0]);
    for (uint32_t x = 0; x < nodes; x++) {
        mpq_clear(f[x]);
    }
    mpq_clears(worth, term, NULL);
    free(f);
}

static void check_in_fractions(const og_arm *arm, random_source *source, const char *where)
{
    double price[16];
    og_priced_arm *priced;
    og_priced found;
    OWN_MPQ exact = MPQ_NEW;
    ck_assert_int_eq(og_priced_arm_new(arm, &priced), OG_OK);
    for (int times = 0; times < 3; times++) {
        random_prices(source, arm->depth, price);
        ck_assert_int_eq(og_priced_arm_stages(priced, price, NULL, &found), OG_OK);
        gain_in_fractions(arm, price, exact);
        ck_assert_msg(oracle_within(found.gain, found.error, exact), "%s: %.17g +- %g, stages",
                      where, found.gain, found.error);
        for (int32_t l = 1; l < arm->depth; l++) {
            price[l] = price[0];
        }
        ck_assert_int_eq(og_priced_arm_constant(priced, price[0], NULL, &found), OG_OK);
        gain_in_fractions(arm, price, exact);
        ck_assert_msg(oracle_within(found.gain, found.error, exact), "%s: %.17g +- %g, constant",
                      where, found.gain, found.error);
        ck_assert(found.error <= 1e-14);
    }
    og_priced_arm_free(priced);
}

OG_TEST(priced_arm_is_within_its_error_of_the_recursion_in_fractions)
{
    uint64_t seed = test_seed(20263);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 1, .budget = 12, .integers = true};
    for (int round = 0; round < test_cases(60); round++) {
        OWN(og_groups) problem;
        random_problem(&source, &limits, &problem);
        if (problem.budget > 0) {
            OWN(og_arms) *arms = test_arms(&problem);
            check_in_fractions(arms->arm[0], &source, problem_with_seed(&problem, seed).text);
        }
    }
}

/* The same in doubles: every node that can be there, at every stage. */
static double gain_node_by_node(const og_arm *arm, const double *price)
{
    double *f = calloc(arm->node_count, sizeof *f);
    size_t outcomes = (size_t)arm->outcome_count;
    for (int32_t l = arm->depth; l >= 1; l--) {
        for (uint32_t x = 0; x < arm->level[l]; x++) {
            double sum = 0;
            for (size_t k = 0; k < outcomes; k++) {
                sum += arm->probability[x * outcomes + k] * f[arm->next[x * outcomes + k]];
            }
            double worth = (arm->reward[x] - price[l - 1]) + sum;
            f[x] = worth > f[x] ? worth : f[x];
        }
    }
    double gain = f[0];
    free(f);
    return gain;
}

/* Prices that stay for some stages, and then rise or fall. */
static void prices_in_steps(random_source *source, int32_t count, double *price)
{
    double now = 0.02 * random_unit(source);
    for (int32_t l = count - 1; l >= 0; l--) {
        if (random_below(source, 6) == 0) {
            now *= random_below(source, 2) == 0 ? 0.5 : 1.5;
        }
        price[l] = now;
    }
}

OG_TEST(levels_that_stay_are_left_out_to_the_bit)
{
    static const char *const words[] = {"1,1", "2,1@0.3", "0.5:1,1+0.5:4,2", "1,1,1"};
    random_source source = random_start(test_seed(20265));
    double price[60];
    for (int i = 0; i < 4; i++) {
        OWN(og_arms) *arms = test_arms_in(words[i], i < 3 ? 60 : 14);
        const og_arm *arm = arms->arm[0];
        og_priced_arm *priced;
        og_priced found;
        ck_assert_int_eq(og_priced_arm_new(arm, &priced), OG_OK);
        for (int times = 0; times < 40; times++) {
            prices_in_steps(&source, arm->depth, price);
            ck_assert_int_eq(og_priced_arm_stages(priced, price, NULL, &found), OG_OK);
            ck_assert_double_eq(found.gain, gain_node_by_node(arm, price));
        }
        og_priced_arm_free(priced);
    }
}

/* B in fractions; arms must be rational. */
static void relaxation_in_fractions(const og_arms *arms, const double *price, mpq_t out)
{
    OWN_MPQ term = MPQ_NEW, count = MPQ_NEW;
    ck_assert(og_arms_exact_call(arms, out));
    for (int32_t i = 0; i < arms->group_count; i++) {
        gain_in_fractions(arms->arm[arms->arm_of_group[i]], price, term);
        mpq_set_si(count, arms->group_size[i], 1);
        mpq_mul(term, term, count);
        mpq_add(out, out, term);
    }
    for (int32_t l = 0; l < arms->budget; l++) {
        mpq_set_d(term, price[l]);
        mpq_add(out, out, term);
    }
}

OG_TEST(evaluate_is_not_below_the_relaxation_in_fractions)
{
    uint64_t seed = test_seed(20265);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 9, .budget = 8, .integers = true};
    OWN_MPQ exact = MPQ_NEW, low = MPQ_NEW, high = MPQ_NEW;
    for (int round = 0; round < test_cases(200); round++) {
        OWN(og_groups) problem;
        double price[16], value, error;
        random_problem(&source, &limits, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        random_prices(&source, problem.budget, price);
        ck_assert_int_eq(og_bound_evaluate(arms, price, problem.budget, 1, &value, &error), OG_OK);
        relaxation_in_fractions(arms, price, exact);
        mpq_set_d(high, value);
        mpq_set_d(low, 2 * error);
        mpq_sub(low, high, low);
        ck_assert_msg(mpq_cmp(exact, high) <= 0 && mpq_cmp(exact, low) >= 0,
                      "%s: %.17g with the error %g, exactly %.17g",
                      problem_with_seed(&problem, seed).text, value, error, mpq_get_d(exact));
    }
}

/* The largest relative error that adding up at most 2^12 probabilities of paths of at most 12
 * labels can have, with room. */
static const double purchase_error = 1e-12;

/* Moves price[l] by `step` and asserts that the gain stays above the supporting plane; returns the
 * slope of the gain between the two. */
static double slope_above_plane(og_priced_arm *priced, const og_priced *at, double *price,
                                double bought, int32_t l, double step, const char *where)
{
    og_priced moved;
    double before = price[l];
    price[l] = before + step;
    double moved_by = price[l] - before;
    ck_assert_int_eq(og_priced_arm_stages(priced, price, NULL, &moved), OG_OK);
    double plane = at->gain - bought * moved_by;
    double allowed = at->error + moved.error + purchase_error * fabs(moved_by);
    ck_assert_msg(moved.gain >= plane - allowed, "%s: %.17g below the plane %.17g", where,
                  moved.gain, plane);
    price[l] = before;
    return (moved.gain - at->gain) / moved_by;
}

/* At most prices the gain is smooth nearby: then the differences on both sides leave no choice.
 * Counts these in *forced. */
static void check_purchases(const og_arm *arm, random_source *source, int *forced,
                            const char *where)
{
    double price[16], bought[16], sum = 0;
    og_priced_arm *priced;
    og_priced at;
    random_prices(source, arm->depth, price);
    for (int32_t l = 0; l < arm->depth; l++) {
        price[l] += 1e-3 * (1 + random_unit(source));
    }
    ck_assert_int_eq(og_priced_arm_new(arm, &priced), OG_OK);
    ck_assert_int_eq(og_priced_arm_stages(priced, price, bought, &at), OG_OK);
    for (int32_t l = 0; l < arm->depth; l++) {
        double step = ldexp(1, -10 - (int)random_below(source, 15));
        double right = slope_above_plane(priced, &at, price, bought[l], l, step, where);
        double left =
            slope_above_plane(priced, &at, price, bought[l], l, -fmin(step, price[l]), where);
        *forced += bought[l] > 0 && fabs(right - left) < 1e-6;
        sum += bought[l];
        ck_assert(bought[l] >= 0 && bought[l] <= 1 + purchase_error);
    }
    ck_assert(fabs(sum - at.purchases) <= purchase_error * (1 + sum));
    og_priced_arm_free(priced);
}

OG_TEST(purchases_are_the_slopes_of_the_gain)
{
    uint64_t seed = test_seed(20264);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 1, .budget = 12};
    int forced = 0;
    for (int round = 0; round < 100; round++) {
        OWN(og_groups) problem;
        random_problem(&source, &limits, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        check_purchases(arms->arm[0], &source, &forced, problem_with_seed(&problem, seed).text);
    }
    ck_assert_int_ge(forced, 50);
}

OG_TEST(constant_price_counts_labels_as_prices_by_stage_do)
{
    OWN(og_arms) *arms = test_arms_in("1,1", 12);
    og_priced_arm *priced;
    og_priced constant, stages;
    double price[12], count[12], by_stage[12];
    ck_assert_int_eq(og_priced_arm_new(arms->arm[0], &priced), OG_OK);
    for (double z = 0; z < 0.3; z += 0.0123) {
        for (int l = 0; l < 12; l++) {
            price[l] = z;
        }
        ck_assert_int_eq(og_priced_arm_constant(priced, z, count, &constant), OG_OK);
        ck_assert_int_eq(og_priced_arm_stages(priced, price, by_stage, &stages), OG_OK);
        ck_assert(fabs(constant.gain - stages.gain) <= constant.error + stages.error);
        ck_assert(fabs(constant.purchases - stages.purchases) <= purchase_error);
        for (int l = 0; l < 12; l++) {
            ck_assert(fabs(count[l] - by_stage[l]) <= purchase_error);
        }
    }
    ck_assert(og_priced_arm_dearest(priced) == 0.25);
    ck_assert_int_eq(og_priced_arm_constant(priced, 0.25, count, &constant), OG_OK);
    ck_assert(constant.gain == 0 && constant.purchases == 0);
    og_priced_arm_free(priced);
}
