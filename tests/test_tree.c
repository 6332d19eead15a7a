/*
 * Decision trees: every number follows from the next ones with the definitions, the root's value is
 * the oracle's optimum, and no state occurs twice.
 */
#include "bench/families/delayed/delayed.h"
#include "bench/families/features/features.h"
#include "bench/families/independent/independent.h"
#include "bench/families/workers/workers.h"
#include "bench/questions/tree.h"
#include "tests/families.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"
#include "tests/tree_checks.h"

OG_SUITE(tree, 120);

enum { PROBLEMS = 40 };

static void settings_of(og_settings *settings)
{
    og_settings_default(settings);
    settings->threads = 1;
    settings->memory_bytes = UINT64_C(1) << 28;
}

/* Options as the family's own struct; NULL: none. */
static void grow(const og_family *family, const og_groups *problem, const void *options, bool exact,
                 int32_t levels, bool all, og_tree *tree)
{
    og_message message = {""};
    void *opened = NULL;
    og_settings settings;
    settings_of(&settings);
    og_status status = family_open(family, problem, options, &settings, &opened, &message);
    if (status == OG_OK) {
        og_asked asked = og_asked_about(family, opened, &settings);
        asked.request.exact = exact;
        asked.request.tree_levels = levels;
        asked.request.all_actions = all;
        asked.request.tree_states_max = 1000000;
        status = og_tree_grow(&asked, tree, &message);
    }
    ck_assert_msg(status == OG_OK, "%s", message.text);
    og_family_close(family, opened);
}

OG_TEST(figures_follow_from_each_other)
{
    random_source random = random_start(test_seed(20261201));
    random_limits limits = {.instances = 4, .budget = 4};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        OWN(og_groups) problem;
        og_tree tree;
        char words[256];
        bool exact = n % 2 == 0;
        bool all = n % 3 == 0;
        limits.integers = exact;
        limits.payoffs = n % 3 == 1;
        limits.worths = n % 3 == 2;
        random_problem(&random, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        grow(&og_family_independent, &problem, NULL, exact, n % 4, all, &tree);
        check_tree(&tree, all, false, words);
        OWN_MPQ optimum = MPQ_NEW;
        oracle_arms *truth = oracle_new(&problem);
        oracle_optimum(truth, optimum);
        ck_assert_msg(oracle_within(tree.state[0].value, 1e-12 + oracle_error(truth), optimum),
                      "%s: root %.17g", words, tree.state[0].value);
        if (exact) {
            ck_assert_msg(mpq_equal(tree.state[0].exact, optimum), "%s", words);
        }
        oracle_free(truth);
        og_tree_clear(&tree);
    }
}

/* The first page for a class: label the (2,1), though its index is the smaller one. */
OG_TEST(where_the_index_is_not_optimal)
{
    OWN(og_groups) problem;
    og_tree tree;
    test_problem("2x2,1 3,3", 2, &problem);
    grow(&og_family_independent, &problem, NULL, true, 0, false, &tree);
    const og_tree_state *root = &tree.state[0];
    ck_assert_int_eq(root->action_count, 2);
    for (int32_t i = 0; i < 2; i++) {
        const og_tree_action *action = &tree.action[i];
        bool ahead = strcmp(action->text, "2,1") == 0;
        mpq_t expected; /* calls now: 3/4 twice and 1/2, and Q 1/6 or 5/32 */
        mpq_init(expected);
        mpq_set_ui(expected, ahead ? 13 : 69, ahead ? 6 : 32);
        ck_assert(mpq_equal(action->exact, expected));
        ck_assert(action->optimal == ahead);
        mpq_clear(expected);
    }
    og_tree_clear(&tree);
}

/* What `solve` finds with all reductions; of the delayed the gain. */
static double solved(const og_family *family, const og_groups *instances, const void *options)
{
    og_settings settings;
    void *problem = NULL;
    og_solution solution = {.self = NULL};
    og_value_found found = {.called_value = 0};
    settings_of(&settings);
    const og_value_asked optimum = {.reductions = settings.reductions};
    ck_assert_int_eq(family_open(family, instances, options, &settings, &problem, NULL), OG_OK);
    ck_assert_int_eq(og_family_solve(family, problem, &optimum, &settings, &solution, NULL), OG_OK);
    ck_assert_int_eq(solution.value(solution.self, &found, NULL), OG_OK);
    og_solution_free(&solution);
    og_family_close(family, problem);
    return family == &og_family_delayed ? found.result.gain : found.result.value;
}

static void check_family(const og_family *family, const og_groups *instances, const void *options,
                         const char *words)
{
    bool rewards = family == &og_family_delayed;
    for (int all = 0; all < 2; all++) {
        og_tree tree;
        grow(family, instances, options, false, 0, all == 1, &tree);
        check_tree(&tree, all == 1, rewards, words);
        double value = solved(family, instances, options);
        ck_assert_msg(fabs(tree.state[0].value - value) <= 1e-11, "%s: %.17g, %.17g", words,
                      tree.state[0].value, value);
        og_tree_clear(&tree);
    }
}

OG_TEST(coupled_families_grow_trees)
{
    og_groups pair, three, nobody;
    og_workers_options workers = {.once = true};
    const og_delayed_options delayed = delayed_options(3);
    const og_features_options features = features_options();
    test_problem("2x1,1", 3, &pair);
    test_problem("2x1,1 2.5,1", 3, &three);
    og_groups_init(&nobody, 2);
    test_problem("2x3,1 2,1", 0, &workers.workers);
    check_family(&og_family_workers, &pair, &workers, "workers, once");
    workers.once = false;
    check_family(&og_family_workers, &pair, &workers, "workers");
    check_family(&og_family_delayed, &three, &delayed, "delayed");
    check_family(&og_family_features, &nobody, &features, "features");
    og_groups_clear(&workers.workers);
    og_groups_clear(&pair);
    og_groups_clear(&three);
    og_groups_clear(&nobody);
}

OG_TEST(a_large_tree_is_refused)
{
    OWN(og_groups) problem;
    og_tree tree;
    og_message message = {""};
    void *opened = NULL;
    const og_family *family = &og_family_independent;
    og_settings settings;
    settings_of(&settings);
    test_problem("5x1,1", 6, &problem);
    ck_assert_int_eq(family_open(family, &problem, NULL, &settings, &opened, NULL), OG_OK);
    og_asked asked = og_asked_about(family, opened, &settings);
    asked.request.tree_states_max = 20;
    ck_assert_int_eq(og_tree_grow(&asked, &tree, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "more than 20 states"));
    og_family_close(family, opened);
}
