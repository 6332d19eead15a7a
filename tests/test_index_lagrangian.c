/*
 * lagrangian: its prices, and its index against the definition at these prices, in the form of
 * values: h at the end less what is paid.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/solve.h"
#include "heuristics/bound.h"
#include "heuristics/exact_bound.h"
#include "heuristics/lagrangian.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

enum { MEMORY = 1 << 30 };

static og_arms *arms_of(const og_problem *problem)
{
    og_arms *arms = NULL;
    ck_assert_int_eq(og_arms_new(problem, 1, MEMORY, &arms, NULL), OG_OK);
    return arms;
}

typedef struct {
    int budget;
    mpq_t *price; /* [budget] */
    double bound;
} market;

static market market_of(const og_arms *arms, int threads)
{
    bool converged;
    market out = {.budget = arms->budget};
    out.price = malloc(((size_t)out.budget + 1) * sizeof *out.price);
    for (int l = 0; l < out.budget; l++)
        mpq_init(out.price[l]);
    ck_assert_int_eq(og_lagrangian_prices(arms, threads, out.price, &out.bound, &converged), OG_OK);
    ck_assert(converged);
    return out;
}

static void market_clear(market *of)
{
    for (int l = 0; l < of->budget; l++)
        mpq_clear(of->price[l]);
    free(of->price);
}

START_TEST(prices_give_the_known_best_bounds_exactly)
{
    golden known;
    golden_read(&known);
    int checked = 0;
    for (size_t i = 0; i < known.count; i++) {
        const golden_row *row = &known.row[i];
        if (strcmp(row->quantity, "lagrangian_vector") != 0 || row->budget > 30)
            continue;
        og_problem problem;
        test_problem(row->problem, row->budget, &problem);
        og_arms *arms = arms_of(&problem);
        market at = market_of(arms, 1);
        mpq_t bound;
        mpq_init(bound);
        ck_assert_int_eq(og_exact_bound_evaluate(arms, at.price, at.budget, MEMORY, bound, NULL),
                         OG_OK);
        ck_assert_msg(mpq_equal(bound, row->value), "%s: the bound is %.17g, the best %.17g",
                      row->problem, mpq_get_d(bound), mpq_get_d(row->value));
        mpq_clear(bound);
        market_clear(&at);
        og_arms_free(arms);
        og_problem_clear(&problem);
        checked++;
    }
    ck_assert_int_ge(checked, 4);
    golden_clear(&known);
}
END_TEST

/* Terms this large are read off a double only if all its digits are right: beside these prices next
 * to nothing ties. */
START_TEST(prices_of_many_labels_are_found_as_fractions)
{
    og_problem problem;
    mpq_t expected;
    test_problem("10x1,1", 40, &problem);
    og_arms *arms = arms_of(&problem);
    market at = market_of(arms, 1);
    mpq_init(expected);
    for (int l = 0; l < at.budget; l++) {
        if (l < 38)
            mpq_set_ui(expected, 9457, 571392);
        else
            mpq_set_ui(expected, 0, 1);
        ck_assert_msg(mpq_equal(at.price[l], expected), "price %d is %.17g", l,
                      mpq_get_d(at.price[l]));
    }
    mpq_clear(expected);
    market_clear(&at);
    og_arms_free(arms);
    og_problem_clear(&problem);
}
END_TEST

START_TEST(prices_are_no_worse_than_those_of_the_bound_for_any_number_of_threads)
{
    uint64_t seed = test_seed(5201);
    random_source source = random_start(seed);
    const random_limits limits = {.instances = 4, .budget = 9};
    for (int i = 0; i < 40 * test_scale(); i++) {
        og_problem problem;
        og_bound vector;
        char words[256];
        random_problem(&source, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        og_arms *arms = arms_of(&problem);
        market at = market_of(arms, 1), again = market_of(arms, 3);
        ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, &vector), OG_OK);
        ck_assert_msg(at.bound <= vector.value + vector.error, "%s: %.17g, %.17g", words, at.bound,
                      vector.value);
        for (int l = 0; l < at.budget; l++) {
            ck_assert(mpq_equal(at.price[l], again.price[l]) && mpq_sgn(at.price[l]) >= 0);
            ck_assert_msg(fabs(mpq_get_d(at.price[l]) - vector.price[l]) <=
                              1e-3 * vector.price[0] * (1 + 1e-12),
                          "%s: price %d", words, l);
        }
        og_bound_clear(&vector);
        market_clear(&at);
        market_clear(&again);
        og_arms_free(arms);
        og_problem_clear(&problem);
    }
}
END_TEST

static void worth(const market *at, const oracle_arm *arm, int s, int f, int left, mpq_t out);

/* Buying at stage T - left + 1, and the best from there. */
static void worth_bought(const market *at, const oracle_arm *arm, int s, int f, int left, mpq_t out)
{
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    worth(at, arm, s + 1, f, left - 1, one);
    worth(at, arm, s, f + 1, left - 1, zero);
    mpq_sub(one, one, zero);
    mpq_mul(one, one, arm->p1[oracle_node(s, f)]);
    mpq_add(out, one, zero);
    mpq_sub(out, out, at->price[at->budget - left]);
    mpq_clears(one, zero, NULL);
}

static void worth(const market *at, const oracle_arm *arm, int s, int f, int left, mpq_t out)
{
    if (left == 0) {
        mpq_set(out, arm->h[oracle_node(s, f)]);
        return;
    }
    mpq_t bought;
    mpq_init(bought);
    worth_bought(at, arm, s, f, left, bought);
    worth(at, arm, s, f, left - 1, out);
    if (mpq_cmp(bought, out) > 0)
        mpq_set(out, bought);
    mpq_clear(bought);
}

static void advantage(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    mpq_t waited;
    mpq_init(waited);
    worth_bought(data, arm, s, f, left, out);
    worth(data, arm, s, f, left - 1, waited);
    mpq_sub(out, out, waited);
    mpq_clear(waited);
}

/* A problem with everything that is compared. */
typedef struct {
    og_problem problem;
    char words[256];
    og_arms *arms;
    market at;
    oracle *literal;
    og_policy policy;
    og_index *index;
    og_ranks *ranks;
} bench;

static bench bench_of(random_source *source, const random_limits *limits, int threads)
{
    bench out;
    og_message message = {""};
    random_problem(source, limits, &out.problem);
    problem_format(&out.problem, out.words, sizeof out.words);
    out.arms = arms_of(&out.problem);
    out.at = market_of(out.arms, 1);
    out.literal = oracle_new(&out.problem);
    oracle_choose(out.literal, advantage, &out.at);
    ck_assert_int_eq(og_policy_parse("lagrangian", &out.policy, NULL), OG_OK);
    int32_t budget = out.problem.budget;
    if (og_policy_index(&out.policy, out.arms, budget, threads, &out.index, &message) != OG_OK ||
        og_policy_ranks(&out.policy, out.arms, budget, threads, &out.ranks, &message) != OG_OK)
        ck_abort_msg("%s: %s", out.words, message.text);
    return out;
}

static void bench_clear(bench *of)
{
    og_ranks_free(of->ranks);
    og_index_free(of->index);
    oracle_free(of->literal);
    market_clear(&of->at);
    og_arms_free(of->arms);
    og_problem_clear(&of->problem);
}

START_TEST(index_is_the_definition_within_the_stated_error)
{
    uint64_t seed = test_seed(5202);
    random_source source = random_start(seed);
    const random_limits limits = {.instances = 4, .budget = 6};
    for (int i = 0; i < 100 * test_scale(); i++) {
        bench on = bench_of(&source, &limits, 1);
        mpq_t exact;
        mpq_init(exact);
        ck_assert(on.index->error == 0 && on.index->absolute_error < 1e-13);
        for (int group = 0; group < on.problem.group_count; group++)
            for (int left = 1; left <= on.problem.budget; left++)
                for (int n = 0; n <= on.problem.budget - left; n++)
                    for (int s = 0; s <= n; s++) {
                        int node = oracle_node(s, n - s);
                        oracle_index_at(on.literal, group, s, n - s, left, exact);
                        double value =
                            og_index_of(on.index, on.arms->arm_of_group[group], left)[node];
                        /* The oracle's h, where it is rounded, enters twice. */
                        double error = on.index->absolute_error +
                                       (oracle_error(on.literal) > 0 ? 4 * ORACLE_H_ERROR : 0);
                        ck_assert_msg(oracle_within(value, error, exact),
                                      "%s: group %d after %d,%d with %d left: %.17g, expected "
                                      "%.17g +- %.1g",
                                      on.words, group, s, n - s, left, value, mpq_get_d(exact),
                                      error);
                    }
        mpq_clear(exact);
        bench_clear(&on);
    }
}
END_TEST

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

/* All pairs of the nodes of two groups. */
static void check_order(const bench *on, int group, int other, int left)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    const uint32_t *rank = og_ranks_of(on->ranks, on->arms->arm_of_group[group], left);
    const uint32_t *other_rank = og_ranks_of(on->ranks, on->arms->arm_of_group[other], left);
    int count = oracle_node(0, on->problem.budget - left + 1);
    for (int n = 0, i = 0; i < count; n++)
        for (int s = 0; s <= n; s++, i++) {
            oracle_index_at(on->literal, group, s, n - s, left, x);
            for (int m = 0, j = 0; j < count; m++)
                for (int t = 0; t <= m; t++, j++) {
                    oracle_index_at(on->literal, other, t, m - t, left, y);
                    int order = (rank[i] > other_rank[j]) - (rank[i] < other_rank[j]);
                    ck_assert_msg(order == sign(mpq_cmp(x, y)),
                                  "%s, %d left: group %d after %d,%d and %d after %d,%d have ranks "
                                  "%u and %u, indices %.17g and %.17g",
                                  on->words, left, group, s, n - s, other, t, m - t, rank[i],
                                  other_rank[j], mpq_get_d(x), mpq_get_d(y));
                }
        }
    mpq_clears(x, y, NULL);
}

START_TEST(ranks_order_and_tie_as_exact_indices_do)
{
    uint64_t seed = test_seed(5203);
    random_source source = random_start(seed);
    const random_limits limits = {.instances = 3, .budget = 6, .integers = true};
    for (int i = 0; i < 100 * test_scale(); i++) {
        bench on = bench_of(&source, &limits, 1 + i % 3);
        ck_assert_uint_eq(on.ranks->tolerance_ties, 0);
        for (int left = 1; left <= on.problem.budget; left++)
            for (int group = 0; group < on.problem.group_count; group++)
                for (int other = group; other < on.problem.group_count; other++)
                    check_order(&on, group, other, left);
        bench_clear(&on);
    }
}
END_TEST

START_TEST(policy_is_worth_what_the_definition_says)
{
    uint64_t seed = test_seed(5204);
    random_source source = random_start(seed);
    const random_limits limits = {.instances = 4, .budget = 5, .integers = true};
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = MEMORY;
    for (int i = 0; i < 100 * test_scale(); i++) {
        bench on = bench_of(&source, &limits, 1);
        mpq_t expected;
        mpq_init(expected);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            og_result result;
            oracle_policy_value(on.literal, (og_ties)ties, expected);
            ck_assert_int_eq(
                og_policy_value(on.arms, on.ranks, (og_ties)ties, &settings, &result, NULL), OG_OK);
            ck_assert_msg(oracle_within(result.value, result.error_bound, expected),
                          "%s, ties %s: %.17g, expected %.17g", on.words,
                          og_ties_name((og_ties)ties), result.value, mpq_get_d(expected));
        }
        mpq_clear(expected);
        bench_clear(&on);
    }
}
END_TEST

/* Nothing here can change a call within the budget: arms 0 and 1 are at the bottom, at minus the
 * price, and tie there by proof; arm 2, where there is one, is above them. */
START_TEST(what_gains_nothing_ties_exactly_with_real_parameters)
{
    enum { BUDGET = 7 };
    static const char *const words[] = {"20.5,1 1,30.5@0.3", "20.5,1 1,30.5@0.3 1.5,1.25"};
    for (int i = 0; i < 2; i++) {
        og_problem problem;
        og_policy policy;
        og_ranks *ranks = NULL;
        test_problem(words[i], BUDGET, &problem);
        og_arms *arms = arms_of(&problem);
        ck_assert_int_eq(og_policy_parse("lagrangian", &policy, NULL), OG_OK);
        ck_assert_int_eq(og_policy_ranks(&policy, arms, BUDGET, 1, &ranks, NULL), OG_OK);
        for (int left = 1; left <= BUDGET; left++)
            for (uint32_t node = 0; node < arms->arm[0]->level[BUDGET - left + 1]; node++) {
                ck_assert_uint_eq(og_ranks_of(ranks, 0, left)[node], 0);
                ck_assert_uint_eq(og_ranks_of(ranks, 1, left)[node], 0);
            }
        if (i == 0)
            ck_assert_uint_eq(ranks->tolerance_ties, 0);
        else
            ck_assert_uint_gt(og_ranks_of(ranks, 2, BUDGET)[0], 0);
        og_ranks_free(ranks);
        og_arms_free(arms);
        og_problem_clear(&problem);
    }
}
END_TEST

START_TEST(without_labels_to_give_there_is_nothing_to_pay)
{
    og_problem problem;
    og_policy policy;
    og_index *index = NULL;
    test_problem("1,1", 0, &problem);
    og_arms *arms = arms_of(&problem);
    ck_assert_int_eq(og_policy_parse("lagrangian", &policy, NULL), OG_OK);
    ck_assert_int_eq(og_policy_index(&policy, arms, 0, 1, &index, NULL), OG_OK);
    ck_assert_str_ne(index->note, "");
    og_index_free(index);
    og_arms_free(arms);
    og_problem_clear(&problem);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("index_lagrangian");
    TCase *value = tcase_create("value");
    tcase_add_test(value, prices_give_the_known_best_bounds_exactly);
    tcase_add_test(value, prices_of_many_labels_are_found_as_fractions);
    tcase_add_test(value, prices_are_no_worse_than_those_of_the_bound_for_any_number_of_threads);
    tcase_add_test(value, index_is_the_definition_within_the_stated_error);
    tcase_add_test(value, ranks_order_and_tie_as_exact_indices_do);
    tcase_add_test(value, policy_is_worth_what_the_definition_says);
    tcase_add_test(value, what_gains_nothing_ties_exactly_with_real_parameters);
    tcase_add_test(value, without_labels_to_give_there_is_nothing_to_pay);
    tcase_set_timeout(value, 120);
    suite_add_tcase(suite, value);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
