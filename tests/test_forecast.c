/*
 * Compares forecasts with counts: with reductions 1 to 3 the solver must not store more states than
 * the generating function predicts. Compares the closed form of uniform with the definition.
 */
#include "dp/product/forecast.h"
#include "dp/product/solve.h"
#include "dp/product/uniform.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(forecast, 300);

static uint64_t states_counted(const og_arms *arms)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.reductions = OG_REDUCE_SORT | OG_REDUCE_MERGE | OG_REDUCE_CAP;
    og_solver *solver;
    og_result result;
    og_message message;
    ck_assert_int_eq(og_solver_new(arms, &settings, &solver, &message), OG_OK);
    ck_assert_int_eq(og_solver_value(solver, &result, &message), OG_OK);
    og_solver_free(solver);
    return result.states;
}

static og_forecast forecast_of(const og_arms *arms)
{
    og_settings settings;
    og_settings_default(&settings);
    og_forecast forecast;
    og_message message;
    og_status status = og_forecast_make(arms, &settings, &forecast, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return forecast;
}

OG_TEST(the_forecast_is_never_below_the_count)
{
    uint64_t seed = test_seed(20261121);
    random_source random = random_start(seed);
    random_limits limits = {.instances = 5, .budget = 12};
    for (int i = 0; i < test_cases(200); i++) {
        OWN(og_groups) problem;
        random_problem(&random, &limits, &problem);
        char words[256];
        problem_format(&problem, words, sizeof words);
        OWN(og_arms) *arms = test_arms(&problem);
        double states = forecast_of(arms).states;
        uint64_t counted = states_counted(arms);
        ck_assert_msg((double)counted <= states, "seed %llu, %s: %llu states, forecast %.17g",
                      (unsigned long long)seed, words, (unsigned long long)counted, states);
    }
}

/* Identical arms: what a dead instance may hide is the only slack. */
OG_TEST(the_forecast_is_close_for_few_identical_instances)
{
    OWN(og_groups) problem;
    test_problem("3x1,1", 40, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    double states = forecast_of(arms).states;
    double counted = (double)states_counted(arms);
    ck_assert_double_ge(states, counted);
    ck_assert_double_le(states, 1.25 * counted);
}

OG_TEST(huge_problems_have_a_forecast)
{
    OWN(og_groups) problem;
    test_problem("1000000000x1,1", 150, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    og_forecast forecast = forecast_of(arms);
    ck_assert_double_gt(forecast.states, 1e9);
    ck_assert_double_gt(forecast.memory_bytes, forecast.states);
}

OG_TEST(uniform_has_its_value_by_the_definition)
{
    uint64_t seed = test_seed(20261122);
    random_source random = random_start(seed);
    random_limits limits = {.instances = 4, .budget = 6};
    OWN_MPQ expected = MPQ_NEW;
    for (int i = 0; i < test_cases(200); i++) {
        OWN(og_groups) problem;
        limits.payoffs = i % 3 == 1;
        random_problem(&random, &limits, &problem);
        char words[256];
        problem_format(&problem, words, sizeof words);
        OWN(og_arms) *arms = test_arms(&problem);
        OWN(og_ranks) *ranks = NULL;
        og_result result;
        og_message message;
        og_settings settings;
        og_settings_default(&settings);
        ck_assert_int_eq(og_ranks_new_uniform(arms, &ranks), OG_OK);
        ck_assert_int_eq(og_policy_value(arms, ranks, OG_TIES_RANDOM, &settings, &result, &message),
                         OG_OK);
        ck_assert_uint_eq(result.states, 0);
        oracle_arms *oracle = oracle_new(&problem);
        oracle_policy_value(oracle, OG_TIES_RANDOM, expected); /* a new oracle is uniform */
        double slack = oracle_error(oracle);
        oracle_free(oracle);
        ck_assert_msg(oracle_within(result.value, result.error_bound + slack, expected),
                      "seed %llu, %s: %.17g +- %g is not %.17g", (unsigned long long)seed, words,
                      result.value, result.error_bound, mpq_get_d(expected));
    }
}
