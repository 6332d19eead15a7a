/*
 * The ladder, where tests/test_differential.c, test_exact.c and the cases of families leave rungs
 * out: known fractions, priors of any kind, Q, the bits of large problems on several threads, the
 * order of policies, the optimum and bounds. Errors are what the engine says itself.
 */
#include <float.h>

#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(ladder, 60);

enum { GROUPS_MOST = 32 };

static og_result solve(const og_arms *arms, unsigned reductions, int threads, const char *words)
{
    og_settings settings = question_settings(reductions, threads);
    return question_solve(arms, &settings, words);
}

/* ---- the optimum ---- */

OG_TEST(engine_gives_the_known_values)
{
    golden known;
    golden_read(&known);
    int checked = 0;
    for (size_t i = 0; i < known.count; i++) {
        const golden_row *row = &known.row[i];
        bool optimal = strcmp(row->quantity, "optimal") == 0;
        if (!optimal && strcmp(row->quantity, "gain") != 0) {
            continue;
        }
        if (row->budget >= 100 && strcmp(row->problem, "50x1,1") == 0 && !test_is_long()) {
            continue; /* 20 million states */
        }
        if (row->budget >= 80 && test_is_short()) {
            continue;
        }
        og_groups problem;
        test_problem(row->problem, row->budget, &problem);
        og_arms *arms = question_arms(&problem, row->problem);
        og_result result = solve(arms, OG_REDUCE_ALL, 2, row->problem);
        double got = optimal ? result.value : result.gain;
        ck_assert_msg(oracle_within(got, result.error_bound + row->tolerance, row->value),
                      "-T %d %s: %s is %.17g, known: %.17g", row->budget, row->problem,
                      row->quantity, got, mpq_get_d(row->value));
        ck_assert(result.error_bound <= 1e-12 * result.value);
        og_arms_free(arms);
        og_groups_clear(&problem);
        checked++;
    }
    ck_assert_int_ge(checked, 19);
    golden_clear(&known);
}

/* Each alone (two of them count copies in sorted states), all, and all but one. */
static const unsigned steps[] = {
    0,
    OG_REDUCE_SORT,
    OG_REDUCE_MERGE,
    OG_REDUCE_SORT | OG_REDUCE_CAP,
    OG_REDUCE_SORT | OG_REDUCE_FORCE,
    OG_REDUCE_BOUND,
    OG_REDUCE_ALL,
    OG_REDUCE_ALL & ~OG_REDUCE_SORT,
    OG_REDUCE_ALL & ~OG_REDUCE_MERGE,
    OG_REDUCE_ALL & ~OG_REDUCE_CAP,
    OG_REDUCE_ALL & ~OG_REDUCE_FORCE,
    OG_REDUCE_ALL & ~OG_REDUCE_BOUND,
};
enum { STEPS = sizeof steps / sizeof *steps };

/* Few instances and many labels, many ties, many copies that mostly cannot be labelled. */
static const random_limits shapes[] = {
    {.instances = 5, .budget = 6},
    {.instances = 3, .budget = 9, .integers = true},
    {.instances = 4, .budget = 7, .integers = true, .halves = true},
    {.instances = 16, .budget = 4},
    {.instances = 4, .budget = 6, .mixtures = true},
    {.instances = 3, .budget = 8, .integers = true, .halves = true, .mixtures = true},
    {.instances = 4, .budget = 7, .bandit = true},
    {.instances = 3, .budget = 7, .mixtures = true, .bandit = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Priors and thresholds of any kind: "2.37,0.08@0.613". */
static void random_decimals(random_source *source, int instances, int budget, og_groups *out)
{
    char words[512] = "";
    int left = 1 + (int)random_below(source, (uint32_t)instances);
    while (left > 0) {
        uint32_t count = 1 + random_below(source, (uint32_t)left);
        uint32_t most = random_below(source, 2) == 0 ? 300 : 4000;
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%ux%.2f,%.2f@%.3f", used > 0 ? " " : "",
                 count, (1 + random_below(source, most)) / 100.0,
                 (1 + random_below(source, most)) / 100.0,
                 (1 + random_below(source, 999)) / 1000.0);
        left -= (int)count;
    }
    test_problem(words, 1 + (int32_t)random_below(source, (uint32_t)budget), out);
}

/* Where the oracle is too slow: two ways through the engine, each within its own bound. */
OG_TEST(reductions_agree_on_priors_of_any_kind)
{
    uint64_t seed = test_seed(57);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(250); round++) {
        og_groups problem;
        char words[400];
        random_decimals(&source, 4, 9, &problem);
        problem_format(&problem, words, sizeof words);
        og_arms *arms = question_arms(&problem, words);
        og_result plain = solve(arms, OG_REDUCE_SORT, 1, words);
        og_result all = solve(arms, OG_REDUCE_ALL, 1, words);
        ck_assert_msg(fabs(plain.value - all.value) <= plain.error_bound + all.error_bound &&
                          fabs(plain.gain - all.gain) <= plain.error_bound + all.error_bound,
                      "%s (TEST_SEED=%" PRIu64 ", case %d): %.17g with all reductions, %.17g with "
                      "one",
                      words, seed, round, all.value, plain.value);
        ck_assert_msg(all.states <= plain.states, "%s: reductions add states", words);
        og_arms_free(arms);
        og_groups_clear(&problem);
    }
}

/* ---- Q-values ---- */

typedef struct {
    double q[GROUPS_MOST];
    double error[GROUPS_MOST];
    og_result result;
} q_values;

/* All Q-values, and the value before or after them. */
static void q_of(const og_arms *arms, unsigned reductions, int threads, bool value_first,
                 const char *words, q_values *out)
{
    og_settings settings = question_settings(reductions, threads);
    og_solver *solver = NULL;
    og_message message = {""};
    memset(out, 0, sizeof *out);
    ck_assert_int_le(arms->group_count, GROUPS_MOST);
    question_ok(og_solver_new(arms, &settings, &solver, &message), &message, words);
    if (value_first) {
        question_ok(og_solver_value(solver, &out->result, &message), &message, words);
    }
    question_ok(og_solver_q(solver, out->q, out->error, &message), &message, words);
    if (!value_first) {
        question_ok(og_solver_value(solver, &out->result, &message), &message, words);
    }
    og_solver_free(solver);
}

static void assert_q(const question *on, unsigned reductions, bool value_first)
{
    q_values got;
    q_of(on->arms, reductions, 1, value_first, on->words, &got);
    double largest = 0;
    OWN_MPQ q = MPQ_NEW;
    for (int group = 0; group < on->problem.group_count; group++) {
        oracle_q(on->of, group, q);
        double bound = got.error[group] + oracle_error(on->of);
        ck_assert_msg(oracle_within(got.q[group], bound, q),
                      "%s: reductions %u: Q of group %d is %.17g, exactly %.17g", on->words,
                      reductions, group, got.q[group], mpq_get_d(q));
        ck_assert_msg(got.error[group] <= 1e-12 * got.q[group],
                      "%s: Q of group %d: a bound of %g says little", on->words, group,
                      got.error[group]);
        largest = fmax(largest, got.q[group]);
    }
    /* Bit for bit the largest of the actions' values; but a forced label is the only one valued,
     * and an action that ties with it may have come out a rounding higher. */
    double apart = (reductions & OG_REDUCE_FORCE) != 0 ? got.result.error_bound : 0;
    ck_assert_msg(fabs(largest - got.result.gain) <= apart,
                  "%s: reductions %u: the largest Q is %.17g, the gain %.17g", on->words,
                  reductions, largest, got.result.gain);
}

OG_TEST_LOOP(q_equals_the_oracles, 0, SHAPES)
{
    uint64_t seed = test_seed(61 + (uint64_t)_i);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(40); round++) {
        question on = question_random(&source, &shapes[_i], seed, round);
        if (on.problem.budget > 0) {
            assert_q(&on, OG_REDUCE_ALL, round % 2 == 0);
            assert_q(&on, steps[round % STEPS], round % 2 == 0);
        }
        question_free(&on);
    }
}

OG_TEST(q_refuses_a_problem_without_labels)
{
    og_groups problem;
    test_problem("2x1,1", 0, &problem);
    og_arms *arms = question_arms(&problem, "2x1,1");
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_solver *solver = NULL;
    og_message message = {""};
    double q[2] = {-1, -1}, error[2] = {-1, -1};
    question_ok(og_solver_new(arms, &settings, &solver, &message), &message, "2x1,1");
    ck_assert_int_eq(og_solver_q(solver, q, error, &message), OG_BAD_INPUT);
    ck_assert(q[0] == -1 && error[0] == -1);
    og_solver_free(solver);
    og_arms_free(arms);
    og_groups_clear(&problem);
}

/* ---- threads ---- */

static const struct {
    const char *words;
    int32_t budget;
} for_threads[] = {
    {"10x1,1", 22},
    {"50x1,1", 60},
    {"6x1,1 3x2,1@0.3 2x0.5,0.5", 12},
    {"1x1,1@0.31 1x1,2@0.42 1x2,1@0.53 1x2,2@0.64 1x3,1@0.75", 9},
    {"4x2.5,1.5@0.7 3x30,1 5x0.01,3", 14},
};

/* The numbers, without what may differ: states met, bytes, seconds. */
static bool same_bits(const q_values *x, const q_values *y)
{
    return memcmp(x->q, y->q, sizeof x->q) == 0 &&
           memcmp(x->error, y->error, sizeof x->error) == 0 &&
           memcmp(&x->result.value, &y->result.value, sizeof(double)) == 0 &&
           memcmp(&x->result.gain, &y->result.gain, sizeof(double)) == 0 &&
           memcmp(&x->result.error_bound, &y->result.error_bound, sizeof(double)) == 0;
}

OG_TEST_LOOP(value_and_q_have_the_same_bits_for_every_number_of_threads, 0,
             sizeof for_threads / sizeof *for_threads)
{
    og_groups problem;
    const char *words = for_threads[_i].words;
    test_problem(words, for_threads[_i].budget, &problem);
    og_arms *arms = question_arms(&problem, words);
    q_values one, more;
    q_of(arms, OG_REDUCE_ALL, 1, true, words, &one);
    for (int round = 0; round < 5; round++) {
        for (int threads = 2; threads <= 4; threads += 2) {
            q_of(arms, OG_REDUCE_ALL, threads, round % 2 == 0, words, &more);
            ck_assert_msg(same_bits(&one, &more), "-T %d %s: %.17g on one thread, %.17g on %d",
                          for_threads[_i].budget, words, one.result.value, more.result.value,
                          threads);
        }
    }
    og_arms_free(arms);
    og_groups_clear(&problem);
}

/* ---- policies ---- */

static const char *const policies[] = {"uniform",     "kg",           "opt-kg",    "pess-kg",
                                       "cvar-kg:0.5", "cvar-kg:0.75", "gittins-fh"};
enum { POLICIES = sizeof policies / sizeof *policies };

static og_result policy_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                              unsigned reductions, const char *words)
{
    og_settings settings = question_settings(reductions, 1);
    og_message message = {""};
    og_result result = {0};
    question_ok(og_policy_value(arms, ranks, ties, &settings, &result, &message), &message, words);
    return result;
}

/* ---- order ---- */

static bool at_most(const og_result *x, const og_result *y)
{
    return x->value <= y->value + x->error_bound + y->error_bound;
}

/* Worst <= random, first <= best <= V for one policy. */
static void assert_policy_order(const og_arms *arms, const char *policy, const og_result *optimum,
                                const char *words)
{
    og_ranks *ranks = question_named_ranks(arms, policy, words);
    og_result at[OG_TIES_COUNT];
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        at[ties] = policy_value(arms, ranks, (og_ties)ties, OG_REDUCE_ALL, words);
    }
    ck_assert_msg(at_most(&at[OG_TIES_WORST], &at[OG_TIES_RANDOM]) &&
                      at_most(&at[OG_TIES_WORST], &at[OG_TIES_FIRST]) &&
                      at_most(&at[OG_TIES_RANDOM], &at[OG_TIES_BEST]) &&
                      at_most(&at[OG_TIES_FIRST], &at[OG_TIES_BEST]) &&
                      at_most(&at[OG_TIES_BEST], optimum),
                  "%s: %s: worst %.17g, random %.17g, first %.17g, best %.17g, optimum %.17g",
                  words, policy, at[OG_TIES_WORST].value, at[OG_TIES_RANDOM].value,
                  at[OG_TIES_FIRST].value, at[OG_TIES_BEST].value, optimum->value);
    og_ranks_free(ranks);
}

/*
 * V <= vector <= scalar. Both bounds include their rounding, so the first needs the engine's error
 * alone; the vector's prices are within a relative 1e-7 of the best (bound.h), the scalar price
 * being one of its choices.
 */
static void assert_bounds_order(const og_arms *arms, const og_result *optimum, const char *words)
{
    og_upper_bound scalar, vector;
    ck_assert_msg(og_bound_lagrangian_scalar(arms, 1, NULL, &scalar) == OG_OK, "%s", words);
    ck_assert_msg(og_bound_lagrangian_vector(arms, 1, NULL, &vector) == OG_OK, "%s", words);
    double least = optimum->value - optimum->error_bound;
    ck_assert_msg(least <= vector.value && least <= scalar.value && vector.converged &&
                      vector.value <= scalar.value * (1 + 1e-7) + vector.error + scalar.error,
                  "%s: optimum %.17g, vector %.17g, scalar %.17g", words, optimum->value,
                  vector.value, scalar.value);
    og_bound_clear(&scalar);
    og_bound_clear(&vector);
}

OG_TEST(policies_the_optimum_and_bounds_keep_their_order)
{
    uint64_t seed = test_seed(81);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 6, .budget = 6};
    for (int round = 0; round < test_cases(200); round++) {
        og_groups problem;
        char words[500], plain[400];
        if (round % 2 == 0) {
            random_problem(&source, &limits, &problem);
        } else {
            random_decimals(&source, limits.instances, limits.budget, &problem);
        }
        problem_format(&problem, plain, sizeof plain);
        snprintf(words, sizeof words, "%s (TEST_SEED=%" PRIu64 ", case %d)", plain, seed, round);
        og_arms *arms = question_arms(&problem, words);
        og_result optimum = solve(arms, OG_REDUCE_ALL, 1, words);
        assert_policy_order(arms, policies[round / 2 % POLICIES], &optimum, words);
        assert_bounds_order(arms, &optimum, words);
        og_arms_free(arms);
        og_groups_clear(&problem);
    }
}
