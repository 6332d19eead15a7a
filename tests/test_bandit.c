/*
 * The Bernoulli bandit: published values, small cases by hand, and what its arms promise. The
 * engine's answers on random bandits are in the ladder, differential and exact tests.
 */
#include "dp/exact/exact.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(bandit, 60);

static question bandit_of(const char *words, int32_t budget)
{
    question q = {.oracle = NULL};
    test_problem(words, budget, &q.problem);
    q.problem.objective = OG_OBJECTIVE_BANDIT;
    q.arms = question_arms(&q.problem, words);
    return q;
}

static og_result value_of(const question *q, unsigned reductions)
{
    og_settings settings = question_settings(reductions, 2);
    return question_solve(q->arms, &settings, "a bandit");
}

/* Published: two arms, uniform priors, 60 pulls. By hand: two arms, one pull 1/2; two pulls, stay
 * after a success: 1/2 + 1/2 * 2/3 + 1/2 * 1/2 = 13/12; one arm: every pull pays its mean. */
OG_TEST(value_is_the_known_one)
{
    static const struct {
        const char *words;
        int32_t budget;
        double value;
        double tolerance;
    } rows[] = {
        {"2x1,1", 60, 38.562343246635564, 1e-14},
        {"2x1,1", 0, 0, 0},
        {"2x1,1", 1, 0.5, 0},
        {"2x1,1", 2, 13.0 / 12, 1e-15},
        {"2,1", 9, 6, 1e-14},
        {"1:2,1+1:1,2", 8, 4, 1e-14},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(question) q = bandit_of(rows[i].words, rows[i].budget);
        og_result result = value_of(&q, OG_REDUCE_ALL);
        ck_assert_msg(fabs(result.value - rows[i].value) <= result.error_bound + rows[i].tolerance,
                      "%s: %.17g", rows[i].words, result.value);
        ck_assert_double_eq(result.value, result.gain);
        ck_assert_double_le(result.error_bound, 1e-13 * rows[i].value + 1e-200);
    }
}

/* The finite-horizon Gittins index of a uniform prior: 1/2 with one pull left; with two, play on
 * after a success only: (1/2 + 1/2 * 2/3) / (1 + 1/2) = 5/9. kg is the greedy policy. */
OG_TEST(indices_are_the_classical_ones)
{
    OWN(question) q = bandit_of("1,1 2,1", 4);
    og_policy_name policy;
    og_index *index = NULL;
    og_message message = {""};
    ck_assert_int_eq(og_policy_name_parse("gittins-fh", &policy, &message), OG_OK);
    question_ok(og_policy_name_index(&policy, q.arms,
                                     &(og_policy_use){.whole_budget = 4, .threads = 1}, &index,
                                     &message),
                &message, "gittins-fh");
    ck_assert_double_eq_tol(og_index_of(index, 0, 1)[0], 0.5, 1e-15);
    ck_assert_double_eq_tol(og_index_of(index, 0, 2)[0], 5.0 / 9, 1e-15);
    /* (2,1) is what a success makes of (1,1) */
    for (int32_t left = 1; left <= 3; left++) {
        ck_assert_double_eq(og_index_of(index, 0, left)[2], og_index_of(index, 1, left)[0]);
    }
    og_index_free(index);
    ck_assert_int_eq(og_policy_name_parse("kg", &policy, &message), OG_OK);
    question_ok(og_policy_name_index(&policy, q.arms,
                                     &(og_policy_use){.whole_budget = 4, .threads = 1}, &index,
                                     &message),
                &message, "kg");
    ck_assert_double_eq_tol(og_index_of(index, 1, 3)[0], 2.0 / 3, 1e-16);
    og_index_free(index);
}

/* Parameters that are no whole numbers have fractions too: all that is paid is a probability. */
OG_TEST(real_parameters_have_exact_values)
{
    OWN(question) q = bandit_of("2x0.5,0.25", 2);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    OWN(og_exact) *exact = NULL;
    og_message message = {""};
    OWN_MPQ value = MPQ_NEW, gain = MPQ_NEW, expected = MPQ_NEW;
    ck_assert(q.arms->arm[0]->rational);
    og_arm_exact_reward(q.arms->arm[0], 2, value); /* (1.5, 0.25) */
    mpq_set_ui(expected, 6, 7);
    ck_assert(mpq_equal(value, expected));
    og_arm_exact_gain(q.arms->arm[0], 2, 0, value);
    ck_assert(mpq_cmp_ui(value, 1, 1) == 0);
    og_arm_exact_gain(q.arms->arm[0], 2, 1, value);
    ck_assert(mpq_cmp_ui(value, 0, 1) == 0);
    /* 2/3 at once, then 6/7 after a success and the other arm's 2/3 after a failure */
    question_ok(og_exact_new(q.arms, &settings, &exact, &message), &message, "exact");
    og_result result;
    question_ok(og_exact_value(exact, value, gain, &result, &message), &message, "exact");
    ck_assert(mpq_equal(value, gain));
    mpq_set_ui(expected, 92, 63);
    ck_assert_msg(mpq_equal(value, expected), "%.17g", mpq_get_d(value));
}

OG_TEST(new_refuses_what_a_bandit_has_not)
{
    static const char *const words[][2] = {
        {"1,1@0.3", "no threshold"},
        {"1:1,1+1:2,1@0.9", "no threshold"},
        {"1,1,1", "no further classes"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        OWN(og_groups) problem;
        og_arms *arms = NULL;
        og_arm *arm = NULL;
        og_message message = {""};
        test_problem(words[i][0], 3, &problem);
        problem.objective = OG_OBJECTIVE_BANDIT;
        ck_assert_int_eq(test_arms_new(&problem, 1, UINT64_MAX, &arms, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, words[i][1]) != NULL, "%s", message.text);
        ck_assert_int_eq(
            og_arm_new_bandit(og_groups_at(&problem, 0), 3, UINT64_MAX, &arm, &message),
            OG_BAD_INPUT);
    }
}

/* Nothing is called, and the posteriors are those of the prior. */
OG_TEST(arms_have_posteriors_and_no_calls)
{
    OWN(question) q = bandit_of("2,1 1:2,1+1:1,2", 4);
    og_fraction posterior[2];
    for (int32_t i = 0; i < 2; i++) {
        const og_arm *arm = q.arms->arm[i];
        ck_assert(!og_arm_has_calls(arm) && og_arm_group(arm) == NULL);
        ck_assert_double_eq(arm->call, 0);
        for (uint32_t node = 0; node < arm->level[4]; node++) {
            ck_assert_double_eq(arm->reward[node], arm->probability[2 * node]);
        }
    }
    og_arm_posterior(q.arms->arm[0], q.arms->arm[0]->level[2] + 2, posterior);
    ck_assert(posterior[0].num == 4 && posterior[1].num == 1);
}
