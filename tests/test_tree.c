/*
 * Decision trees: every figure in one follows from the next ones by the definitions, the root's is
 * the oracle's optimum, and nothing stands there twice.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/value/tree.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

enum { PROBLEMS = 40 };

static void grow(const og_groups *problem, bool exact, bool all, og_arms **arms, og_tree *tree)
{
    og_message message = {""};
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = UINT64_C(1) << 28;
    ck_assert_int_eq(og_arms_new(problem, 1, UINT64_C(1) << 28, arms, &message), OG_OK);
    og_tree_request wanted = {
        .arms = *arms, .settings = &settings, .exact = exact, .all = all, .states_max = 1000000};
    og_status status = og_tree_grow(&wanted, tree, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
}

static bool same_state(const og_tree *tree, int32_t a, int32_t b)
{
    const og_tree_state *x = &tree->state[a];
    const og_tree_state *y = &tree->state[b];
    return x->left == y->left && x->group_count == y->group_count &&
           memcmp(&tree->group[x->group_first], &tree->group[y->group_first],
                  (size_t)x->group_count * sizeof *tree->group) == 0;
}

static void check_followed(const og_tree *tree, const og_tree_action *action, const char *words)
{
    double sum = 0;
    double share = 0;
    mpq_t exact;
    mpq_t term;
    mpq_inits(exact, term, NULL);
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_tree_outcome *outcome = &tree->outcome[action->outcome_first + k];
        const og_tree_state *to = &tree->state[outcome->to];
        sum += outcome->probability * to->value;
        share += outcome->probability;
        mpq_mul(term, outcome->exact, to->exact);
        mpq_add(exact, exact, term);
    }
    ck_assert_msg(fabs(share - 1) <= 1e-14, "%s: probabilities add up to %.17g", words, share);
    ck_assert_msg(fabs(sum - action->value) <= 1e-13, "%s: %.17g, not %.17g", words, action->value,
                  sum);
    if (tree->exact) {
        ck_assert_msg(mpq_equal(exact, action->exact), "%s: a fraction does not follow", words);
    }
    mpq_clears(exact, term, NULL);
}

static void check_state(const og_tree *tree, int32_t number, bool all, const char *words)
{
    const og_tree_state *state = &tree->state[number];
    double best = -INFINITY;
    bool some = false;
    for (int32_t i = 0; i < state->action_count; i++) {
        const og_tree_action *action = &tree->action[state->action_first + i];
        best = fmax(best, action->value);
        some = some || action->optimal;
        ck_assert_msg(!action->optimal || fabs(action->value - state->value) <= 1e-13, "%s", words);
        ck_assert_msg((action->outcome_count > 0) == (all || action->optimal), "%s", words);
        if (tree->exact) {
            bool equal = mpq_equal(action->exact, state->exact);
            ck_assert_msg(equal == action->optimal, "%s", words);
        }
        if (action->outcome_count > 0) {
            check_followed(tree, action, words);
        }
    }
    ck_assert_msg(state->action_count == 0 || (some && fabs(best - state->value) <= 1e-13), "%s",
                  words);
    for (int32_t other = 0; other < number; other++) {
        ck_assert_msg(!same_state(tree, number, other), "%s: a state stands there twice", words);
    }
}

START_TEST(figures_follow_from_each_other)
{
    random_source random = random_start(test_seed(20261201));
    random_limits limits = {.instances = 4, .budget = 4};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        og_groups problem;
        og_arms *arms;
        og_tree tree;
        char words[256];
        bool exact = n % 2 == 0;
        bool all = n % 3 == 0;
        limits.integers = exact;
        random_problem(&random, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        grow(&problem, exact, all, &arms, &tree);
        for (int32_t i = 0; i < tree.state_count; i++) {
            check_state(&tree, i, all, words);
        }
        mpq_t optimum;
        mpq_init(optimum);
        oracle *truth = oracle_new(&problem);
        oracle_optimum(truth, optimum);
        ck_assert_msg(oracle_within(tree.state[0].value, 1e-12 + oracle_error(truth), optimum),
                      "%s: root %.17g", words, tree.state[0].value);
        if (exact) {
            ck_assert_msg(mpq_equal(tree.state[0].exact, optimum), "%s", words);
        }
        oracle_free(truth);
        mpq_clear(optimum);
        og_tree_clear(&tree);
        og_arms_free(arms);
        og_groups_clear(&problem);
    }
}
END_TEST

/* The first page for a class: label the (2,1), though its index is the smaller one. */
START_TEST(where_the_index_is_not_optimal)
{
    og_groups problem;
    og_arms *arms;
    og_tree tree;
    test_problem("2x2,1 3,3", 2, &problem);
    grow(&problem, true, false, &arms, &tree);
    const og_tree_state *root = &tree.state[0];
    ck_assert_int_eq(root->action_count, 2);
    for (int32_t i = 0; i < 2; i++) {
        const og_tree_action *action = &tree.action[i];
        const og_state_group *group = &tree.group[root->group_first + action->group];
        mpq_t expected; /* calls now: 3/4 twice and 1/2, and Q 1/6 or 5/32 */
        mpq_init(expected);
        mpq_set_ui(expected, group->copies == 2 ? 13 : 69, group->copies == 2 ? 6 : 32);
        ck_assert(mpq_equal(action->exact, expected));
        ck_assert(action->optimal == (group->copies == 2));
        mpq_clear(expected);
    }
    og_tree_clear(&tree);
    og_arms_free(arms);
    og_groups_clear(&problem);
}
END_TEST

START_TEST(a_large_tree_is_refused)
{
    og_groups problem;
    og_arms *arms;
    og_tree tree;
    og_message message = {""};
    og_settings settings;
    og_settings_default(&settings);
    test_problem("5x1,1", 6, &problem);
    ck_assert_int_eq(og_arms_new(&problem, 1, UINT64_C(1) << 28, &arms, &message), OG_OK);
    og_tree_request wanted = {.arms = arms, .settings = &settings, .states_max = 20};
    ck_assert_int_eq(og_tree_grow(&wanted, &tree, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "more than 20 states"));
    og_arms_free(arms);
    og_groups_clear(&problem);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tree");
    TCase *tests = tcase_create("tree");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, figures_follow_from_each_other);
    tcase_add_test(tests, where_the_index_is_not_optimal);
    tcase_add_test(tests, a_large_tree_is_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
