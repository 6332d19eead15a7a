/*
 * lagrangian: checks its prices, and compares its index with the definition at these prices, in the
 * form of values: h at the end minus payments.
 */
#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bound.h"
#include "heuristics/index/lagrangian.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/random_workers.h"
#include "tests/support.h"

OG_SUITE(index_lagrangian, 120);

enum { MEMORY = 1 << 30 };

OG_TEST(prices_give_the_known_best_bounds_exactly)
{
    OWN(golden_rows) known;
    golden_read(&known);
    int checked = 0;
    for (size_t i = 0; i < known.count; i++) {
        const golden_row *row = &known.row[i];
        if (strcmp(row->quantity, "lagrangian_vector") != 0 || row->budget > 30) {
            continue;
        }
        og_groups problem;
        test_problem(row->problem, row->budget, &problem);
        og_arms *arms = test_arms(&problem);
        random_market at = market_of(arms, 1);
        OWN_MPQ bound = MPQ_NEW;
        ck_assert_int_eq(
            og_exact_bound_evaluate(arms, at.price, at.budget, MEMORY, NULL, bound, NULL), OG_OK);
        ck_assert_msg(mpq_equal(bound, row->value), "%s: the bound is %.17g, the best %.17g",
                      row->problem, mpq_get_d(bound), mpq_get_d(row->value));
        market_clear(&at);
        og_arms_free(arms);
        og_groups_clear(&problem);
        checked++;
    }
    ck_assert_int_ge(checked, 4);
}

/* Terms this large are read off a double only if all its digits are right: beside these prices next
 * to nothing ties. */
OG_TEST(prices_of_many_labels_are_found_as_fractions)
{
    OWN(og_groups) problem;
    mpq_t expected;
    test_problem("10x1,1", 40, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    random_market at = market_of(arms, 1);
    mpq_init(expected);
    for (int l = 0; l < at.budget; l++) {
        if (l < 38) {
            mpq_set_ui(expected, 9457, 571392);
        } else {
            mpq_set_ui(expected, 0, 1);
        }
        ck_assert_msg(mpq_equal(at.price[l], expected), "price %d is %.17g", l,
                      mpq_get_d(at.price[l]));
    }
    mpq_clear(expected);
    market_clear(&at);
}

/* Every number has fractions within a part of 1e-12: a price's own terms are too large here. */
OG_TEST(prices_are_not_taken_for_fractions_by_chance)
{
    OWN(og_groups) problem;
    test_problem("10x1,1", 80, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    random_market at = market_of(arms, 1);
    ck_assert(!at.found.tidy);
    market_clear(&at);
}

OG_TEST(prices_are_no_worse_than_those_of_the_bound_for_any_number_of_threads)
{
    random_source source = random_start(test_seed(5201));
    const random_limits limits = {.instances = 4, .budget = 9};
    for (int i = 0; i < test_cases(40); i++) {
        OWN(og_groups) problem;
        og_upper_bound vector;
        char words[256];
        random_problem(&source, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        OWN(og_arms) *arms = test_arms(&problem);
        random_market at = market_of(arms, 1), again = market_of(arms, 3);
        ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &vector), OG_OK);
        ck_assert_msg(at.found.bound <= vector.value + vector.error, "%s: %.17g, %.17g", words,
                      at.found.bound, vector.value);
        for (int l = 0; l < at.budget; l++) {
            ck_assert(mpq_equal(at.price[l], again.price[l]) && mpq_sgn(at.price[l]) >= 0);
            ck_assert_msg(fabs(mpq_get_d(at.price[l]) - vector.price[l]) <=
                              1e-3 * vector.price[0] * (1 + 1e-12),
                          "%s: price %d", words, l);
        }
        og_bound_clear(&vector);
        market_clear(&at);
        market_clear(&again);
    }
}

/* A problem with everything that is compared. */
typedef struct {
    og_groups problem;
    char words[256];
    og_arms *arms;
    random_market at;
    og_twins *twins;
    og_draw *draw;
    oracle_arms *literal; /* the advantage */
    og_policy_name policy;
    og_index *index;
    og_ranks *ranks;
} power_bench;

static power_bench bench_of(random_source *source, const random_limits *limits, int threads)
{
    power_bench out;
    og_message message = {""};
    random_problem(source, limits, &out.problem);
    problem_format(&out.problem, out.words, sizeof out.words);
    out.arms = test_arms(&out.problem);
    out.at = market_of(out.arms, 1);
    out.draw = market_draw(&out.at, out.arms, &out.twins);
    out.literal = oracle_new(&out.problem);
    oracle_choose(out.literal, market_advantage, &out.at);
    ck_assert_int_eq(og_policy_name_parse("lagrangian", &out.policy, NULL), OG_OK);
    int32_t budget = out.problem.budget;
    if (og_policy_name_index(&out.policy, out.arms,
                             &(og_policy_use){.whole_budget = budget, .threads = threads},
                             &out.index, &message) != OG_OK ||
        og_policy_name_ranks(&out.policy, out.arms, budget, threads, &out.ranks, &message) !=
            OG_OK) {
        ck_abort_msg("%s: %s", out.words, message.text);
    }
    return out;
}

static void bench_clear(power_bench *bench)
{
    og_ranks_free(bench->ranks);
    og_index_free(bench->index);
    oracle_free(bench->literal);
    og_draw_free(bench->draw);
    og_twins_free(bench->twins);
    market_clear(&bench->at);
    og_arms_free(bench->arms);
    og_groups_clear(&bench->problem);
}

OG_TEST(index_is_the_definition_within_the_stated_error)
{
    random_source source = random_start(test_seed(5202));
    const random_limits limits = {.instances = 4, .budget = 6};
    for (int i = 0; i < test_cases(100); i++) {
        power_bench on = bench_of(&source, &limits, 1);
        OWN_MPQ exact = MPQ_NEW;
        ck_assert(on.index->error == 0 && on.index->absolute_error < 1e-13);
        for (int group = 0; group < on.problem.group_count; group++) {
            for (int left = 1; left <= on.problem.budget; left++) {
                for (int n = 0; n <= on.problem.budget - left; n++) {
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
                }
            }
        }
        bench_clear(&on);
    }
}

/* The odds of the relaxed solution. */
static double lean_of(const power_bench *on, int group, int s, int f, int left)
{
    uint32_t first = on->arms->node_offset[on->arms->arm_of_group[group]];
    double lean = on->draw->lean[left][on->twins->class_of[first + (uint32_t)oracle_node(s, f)]];
    return fmax(-1e6, fmin(1e6, lean));
}

static int order_within(double x, double y, double tie)
{
    return fabs(x - y) <= tie ? 0 : x < y ? -1 : 1;
}

/* The order of two instances by advantage, then by how the solution draws. */
static int literal_order(const power_bench *on, const mpq_t x, double x_lean, const mpq_t y,
                         double y_lean)
{
    /* Else what ties lies closer than this, and what does not is further apart. */
    bool exact = on->at.found.tidy && oracle_error(on->literal) == 0;
    double tie = 2 * market_nil(&on->at);
    int order = mpq_cmp(x, y);
    order = exact ? (order > 0) - (order < 0) : order_within(mpq_get_d(x), mpq_get_d(y), tie);
    return order != 0 ? order : order_within(x_lean, y_lean, OG_SECOND_TIE);
}

/* All pairs of the nodes of two groups. */
static void check_order(const power_bench *on, int group, int other, int left)
{
    OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
    const uint32_t *rank = og_ranks_of(on->ranks, on->arms->arm_of_group[group], left);
    const uint32_t *other_rank = og_ranks_of(on->ranks, on->arms->arm_of_group[other], left);
    int count = oracle_node(0, on->problem.budget - left + 1);
    for (int n = 0, i = 0; i < count; n++) {
        for (int s = 0; s <= n; s++, i++) {
            oracle_index_at(on->literal, group, s, n - s, left, x);
            double x_lean = lean_of(on, group, s, n - s, left);
            for (int m = 0, j = 0; j < count; m++) {
                for (int t = 0; t <= m; t++, j++) {
                    oracle_index_at(on->literal, other, t, m - t, left, y);
                    double y_lean = lean_of(on, other, t, m - t, left);
                    int order = (rank[i] > other_rank[j]) - (rank[i] < other_rank[j]);
                    ck_assert_msg(order == literal_order(on, x, x_lean, y, y_lean),
                                  "%s, %d left: group %d after %d,%d and %d after %d,%d have ranks "
                                  "%u and %u, indices %.17g and %.17g, leans %.17g and %.17g",
                                  on->words, left, group, s, n - s, other, t, m - t, rank[i],
                                  other_rank[j], mpq_get_d(x), mpq_get_d(y), x_lean, y_lean);
                }
            }
        }
    }
}

/* Returns how many problems had prices that are fractions. */
static int check_ranks(uint64_t default_seed, const random_limits *limits)
{
    random_source source = random_start(test_seed(default_seed));
    int tidy = 0;
    for (int i = 0; i < test_cases(100); i++) {
        power_bench on = bench_of(&source, limits, 1 + i % 3);
        tidy += on.at.found.tidy;
        for (int left = 1; left <= on.problem.budget; left++) {
            for (int group = 0; group < on.problem.group_count; group++) {
                for (int other = group; other < on.problem.group_count; other++) {
                    check_order(&on, group, other, left);
                }
            }
        }
        bench_clear(&on);
    }
    return tidy;
}

/* The ranks of the root states, if only they are needed and if not: the same. */
OG_TEST(ranks_of_the_first_label_alone_are_those_of_all)
{
    static const char *const names[] = {"lagrangian", "kg-star"};
    const random_limits limits = {.instances = 5, .budget = 9, .mixtures = true};
    random_source source = random_start(test_seed(2109));
    int compared = 0;
    for (int i = 0; i < test_cases(60); i++) {
        OWN(og_groups) problem;
        random_problem(&source, &limits, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        og_policy_name policy;
        OWN(og_ranks) *all = NULL, *first = NULL;
        ck_assert_int_eq(og_policy_name_parse(names[i % 2], &policy, NULL), OG_OK);
        og_policy_use use = {.whole_budget = arms->budget, .threads = 1};
        ck_assert_int_eq(og_policy_name_ranks_for(&policy, arms, &use, &all, NULL), OG_OK);
        use.roots = true;
        ck_assert_int_eq(og_policy_name_ranks_for(&policy, arms, &use, &first, NULL), OG_OK);
        ck_assert_uint_eq(all->tolerance_ties_begin, first->tolerance_ties_begin);
        for (int32_t a = 0; arms->budget > 0 && a < arms->arm_count; a++) {
            ck_assert_uint_eq(og_ranks_of(all, a, arms->budget)[0],
                              og_ranks_of(first, a, arms->budget)[0]);
            compared += a > 0;
        }
    }
    ck_assert_int_gt(compared, 0);
}

OG_TEST(ranks_order_by_exact_indices_and_then_by_chances)
{
    const random_limits limits = {.instances = 3, .budget = 6, .integers = true};
    ck_assert_int_ge(check_ranks(5203, &limits), test_cases(30));
}

OG_TEST(ranks_tie_where_prices_that_are_no_fractions_leave_it_open)
{
    const random_limits limits = {.instances = 4, .budget = 6};
    ck_assert_int_le(check_ranks(5205, &limits), test_cases(80));
}

static bool is_prior(const oracle_arm *arm, const og_group *group)
{
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, threshold = MPQ_NEW;
    og_fraction_get_mpq(a, group->a);
    og_fraction_get_mpq(b, group->b);
    og_fraction_get_mpq(threshold, group->threshold);
    bool same = mpq_equal(a, arm->part[0].a) && mpq_equal(b, arm->part[0].b) &&
                mpq_equal(threshold, arm->threshold);
    return same;
}

/* One number for both: the advantage, a fraction, and far below its terms the chance. */
static void choice(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    const power_bench *on = data;
    mpq_t second;
    int group = 0;
    while (!is_prior(arm, og_groups_at(&on->problem, group))) {
        group++;
    }
    market_advantage(out, arm, s, f, left, &on->at);
    mpq_init(second);
    /* Leans that tie are equal up to rounding, so any grid works if no lean is on its edges.
     */
    mpq_set_d(second, round(lean_of(on, group, s, f, left) * 12345.67));
    mpq_div_2exp(second, second, 400);
    mpq_add(out, out, second);
    mpq_clear(second);
}

static void check_values(const power_bench *on, const og_settings *settings)
{
    OWN_MPQ expected = MPQ_NEW;
    OWN(oracle_arms) *literal = oracle_new(&on->problem);
    oracle_choose(literal, choice, on);
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        og_result result;
        oracle_policy_value(literal, (og_ties)ties, expected);
        ck_assert_int_eq(
            og_policy_value(on->arms, on->ranks, (og_ties)ties, settings, &result, NULL), OG_OK);
        ck_assert_msg(oracle_within(result.value, result.error_bound, expected),
                      "%s, ties %s: %.17g, expected %.17g", on->words, og_ties_name((og_ties)ties),
                      result.value, mpq_get_d(expected));
    }
}

OG_TEST(policy_is_worth_what_the_definition_says)
{
    random_source source = random_start(test_seed(5204));
    const random_limits limits = {.instances = 4, .budget = 5, .integers = true};
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = MEMORY;
    int checked = 0;
    for (int i = 0; i < test_cases(200); i++) {
        power_bench on = bench_of(&source, &limits, 1);
        if (on.at.found.tidy) {
            check_values(&on, &settings);
        }
        checked += on.at.found.tidy;
        bench_clear(&on);
    }
    ck_assert_int_ge(checked, test_cases(100));
}

/* Without the chances the first four lose 0.87, 0.25, 1.50 and 5.25; the last shows that they are
 * no cure for all. */
OG_TEST(policy_loses_next_to_nothing_with_many_instances)
{
    static const struct {
        const char *words;
        int budget;
        double lost; /* under the worst rule for ties */
    } rows[] = {{"10x1,1", 12, 0},
                {"10x1,1", 20, 0},
                {"20x1,1", 30, 0},
                {"50x1,1", 60, 0},
                {"5x1,1", 12, 1. / 48}};
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = MEMORY;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWN(og_groups) problem;
        og_policy_name policy;
        OWN(og_ranks) *ranks = NULL;
        og_solver *solver = NULL;
        og_result best, worst;
        test_problem(rows[i].words, rows[i].budget, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        ck_assert_int_eq(og_policy_name_parse("lagrangian", &policy, NULL), OG_OK);
        ck_assert_int_eq(og_policy_name_ranks(&policy, arms, rows[i].budget, 1, &ranks, NULL),
                         OG_OK);
        ck_assert_int_eq(og_solver_new(arms, &settings, &solver, NULL), OG_OK);
        ck_assert_int_eq(og_solver_value(solver, &best, NULL), OG_OK);
        og_solver_free(solver);
        ck_assert_int_eq(og_policy_value(arms, ranks, OG_TIES_WORST, &settings, &worst, NULL),
                         OG_OK);
        ck_assert_msg(fabs(best.value - worst.value - rows[i].lost) <=
                          best.error_bound + worst.error_bound + 1e-15,
                      "%s -T %d: %.17g of %.17g", rows[i].words, rows[i].budget, worst.value,
                      best.value);
    }
}

/* Advantages of 0 are stored as what rounding, of the prices too, leaves of them. */
OG_TEST(ranks_tie_where_large_budgets_leave_it_open)
{
    enum { BUDGET = 80 };
    OWN(og_groups) problem;
    og_policy_name policy;
    og_ranks *ranks = NULL;
    og_index *index = NULL;
    og_twins *twins;
    test_problem("10x1,1", BUDGET, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    random_market at = market_of(arms, 1);
    og_draw *draw = market_draw(&at, arms, &twins);
    ck_assert_int_eq(og_policy_name_parse("lagrangian", &policy, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_ranks(&policy, arms, BUDGET, 1, &ranks, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_index(&policy, arms,
                                          &(og_policy_use){.whole_budget = BUDGET, .threads = 1},
                                          &index, NULL),
                     OG_OK);
    int ties = 0;
    for (int left = 1; left <= BUDGET; left++) {
        const double *value = og_index_of(index, 0, left);
        const uint32_t *rank = og_ranks_of(ranks, 0, left);
        int count = oracle_node(0, BUDGET - left + 1);
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < i; j++) {
                double lean = draw->lean[left][twins->class_of[i]];
                double other = draw->lean[left][twins->class_of[j]];
                if (isinf(lean) || isinf(other)) {
                    continue;
                }
                ck_assert(fabs(value[i]) <= market_nil(&at));
                ck_assert_msg(
                    (rank[i] == rank[j]) == (fabs(lean - other) <= OG_SECOND_TIE),
                    "nodes %d and %d with %d left: ranks %u and %u, leans %.17g and %.17g", i, j,
                    left, rank[i], rank[j], lean, other);
                ties += value[i] != value[j];
            }
        }
    }
    ck_assert_int_gt(ties, 1000);
    og_draw_free(draw);
    og_twins_free(twins);
    og_index_free(index);
    og_ranks_free(ranks);
    market_clear(&at);
}

/* Nothing here can change a call within the budget: arms 0 and 1 are at the bottom, at minus the
 * price, and tie there by proof; arm 2, where there is one, is above them. */
OG_TEST(what_gains_nothing_ties_exactly_with_real_parameters)
{
    enum { BUDGET = 7 };
    static const char *const words[] = {"20.5,1 1,30.5@0.3", "20.5,1 1,30.5@0.3 1.5,1.25"};
    for (int i = 0; i < 2; i++) {
        OWN(og_groups) problem;
        og_policy_name policy;
        OWN(og_ranks) *ranks = NULL;
        test_problem(words[i], BUDGET, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        ck_assert_int_eq(og_policy_name_parse("lagrangian", &policy, NULL), OG_OK);
        ck_assert_int_eq(og_policy_name_ranks(&policy, arms, BUDGET, 1, &ranks, NULL), OG_OK);
        for (int left = 1; left <= BUDGET; left++) {
            for (uint32_t node = 0; node < arms->arm[0]->level[BUDGET - left + 1]; node++) {
                ck_assert_uint_eq(og_ranks_of(ranks, 0, left)[node], 0);
                ck_assert_uint_eq(og_ranks_of(ranks, 1, left)[node], 0);
            }
        }
        if (i == 0) {
            ck_assert_uint_eq(ranks->tolerance_ties, 0);
        } else {
            ck_assert_uint_gt(og_ranks_of(ranks, 2, BUDGET)[0], 0);
        }
    }
}

OG_TEST(without_labels_to_give_there_is_nothing_to_pay)
{
    OWN(og_groups) problem;
    og_policy_name policy;
    OWN(og_index) *index = NULL;
    test_problem("1,1", 0, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    ck_assert_int_eq(og_policy_name_parse("lagrangian", &policy, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_index(&policy, arms,
                                          &(og_policy_use){.whole_budget = 0, .threads = 1}, &index,
                                          NULL),
                     OG_OK);
    ck_assert_str_ne(index->note, "");
}
