/*
 * The table of the finite-horizon Gittins index against a slow one that shares no step with it: for
 * every node and number of labels left all nodes that can be reached are valued, by net worths, in
 * long doubles, for as many prices as it takes.
 */
#include <float.h>

#include "heuristics/index/fast/gittins_strip.h"
#include "heuristics/index/index.h"
#include "heuristics/policy.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(gittins, 60);

typedef struct {
    long double net, earned, labels;
} worth;

/* Of a node with so many labels left, the first being bought in any case, from those of the level
 * below, by node. */
static worth value_of(const og_arm *arm, uint32_t node, long double price, const worth *below)
{
    worth out = {arm->reward[node] - price, arm->reward[node], 1};
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        size_t outcome = node * (size_t)arm->outcome_count + (size_t)k;
        const worth *next = &below[arm->next[outcome]];
        if (next->net > 0) {
            out.net += arm->probability[outcome] * next->net;
            out.earned += arm->probability[outcome] * next->earned;
            out.labels += arm->probability[outcome] * next->labels;
        }
    }
    return out;
}

/* Earnings over labels of the best rule at a price, from a node of `level` on. */
static long double best_ratio(const og_arm *arm, int32_t level, uint32_t node, int32_t left,
                              long double price, worth *all)
{
    int32_t end = level + left;
    for (uint32_t i = arm->level[end]; i < arm->level[end + 1]; i++) {
        all[i] = (worth){0, 0, 0};
    }
    for (uint32_t i = arm->level[end]; i-- > arm->level[level + 1];) {
        all[i] = value_of(arm, i, price, all);
    }
    worth root = value_of(arm, node, price, all);
    return root.earned / root.labels;
}

/* The index for `left` labels; `before`: that for one less, 0 for none. */
static long double slow_index(const og_arm *arm, int32_t level, uint32_t node, int32_t left,
                              long double before, worth *all)
{
    long double price = fmaxl(before, arm->reward[node]);
    for (;;) {
        long double ratio = best_ratio(arm, level, node, left, price, all);
        if (ratio <= price) {
            return price;
        }
        price = ratio;
    }
}

/* Allowance for both errors: the proved error of the table, and that of the slow index as in
 * gittins.c. */
static long double allowance(const og_arms *arms, const og_arm *arm, int32_t left,
                             long double index)
{
    long double w = (arm->outcome_count + 2) * LDBL_EPSILON / 2;
    long double slow = w * (4.0L * left + 5) * left;
    return index * (og_gittins_error(arms, left) + slow) + OG_GITTINS_FLOOR;
}

static void check_arm(const og_arms *arms, int32_t number, const og_index *index, const char *words)
{
    const og_arm *arm = arms->arm[number];
    worth *all = calloc(arm->node_count, sizeof *all);
    for (int32_t level = 0; level < arms->budget; level++) {
        for (uint32_t node = arm->level[level]; node < arm->level[level + 1]; node++) {
            long double before = 0;
            for (int32_t left = 1; left <= arms->budget - level; left++) {
                long double expected = slow_index(arm, level, node, left, before, all);
                double value = og_index_of(index, number, left)[node];
                long double error = allowance(arms, arm, left, expected);
                ck_assert_msg(fabsl(value - expected) <= error && (value == 0) == (expected == 0),
                              "%s: node %u of arm %d with %d left: %.17g, expected %.17Lg +- %.1Lg",
                              words, node, number, left, value, expected, error);
                before = expected;
            }
        }
    }
    free(all);
}

static void check_problem(const og_groups *problem, const char *words)
{
    og_policy_name policy;
    OWN(og_arms) *arms = NULL;
    OWN(og_index) *index = NULL;
    ck_assert_int_eq(og_policy_name_parse("gittins-fh", &policy, NULL), OG_OK);
    ck_assert_int_eq(test_arms_new(problem, 1, UINT64_C(1) << 30, &arms, NULL), OG_OK);
    const og_policy_use use = {.whole_budget = arms->budget, .threads = 2};
    ck_assert_int_eq(og_policy_name_index(&policy, arms, &use, &index, NULL), OG_OK);
    ck_assert(index->error <= og_gittins_error(arms, arms->budget));
    for (int32_t i = 0; i < arms->arm_count; i++) {
        check_arm(arms, i, index, words);
    }
}

/* Priors with indices from 1e-4 to 1e-40; several arms, and steps of all lengths. */
static const struct {
    const char *words;
    int budget;
} known[] = {
    {"1,1", 56},
    {"30,1", 48},
    {"1,60", 70},
    {"1,1@0.3", 40},
    {"40,2@0.8 2,1", 36},
    {"2,1@0.9", 40},
    {"0.5,0.5", 40},
    {"1.5,0.7@0.37", 36},
    {"1,1,1", 9},
    {"3,1,1,2", 6},
    {"1,80@0.05", 40},
    {"0.4:9,1+0.6:1,9", 36},
    {"0.5:1,1+0.5:3,2@0.6 1,1", 30},
};

OG_TEST_LOOP(table_is_what_valuing_all_nodes_gives, 0, sizeof known / sizeof known[0])
{
    OWN(og_groups) problem;
    test_problem(known[_i].words, known[_i].budget, &problem);
    check_problem(&problem, known[_i].words);
}

OG_TEST(table_is_what_valuing_all_nodes_gives_at_random)
{
    random_source source = random_start(test_seed(2131));
    random_limits limits = {.instances = 3, .budget = 12};
    for (int i = 0; i < test_cases(60); i++) {
        OWN(og_groups) problem;
        char words[256];
        limits.mixtures = i % 3 == 0;
        limits.bandit = i % 4 == 0;
        limits.payoffs = i % 4 == 1;
        limits.worths = i % 4 == 2;
        limits.integers = i % 5 == 0;
        random_problem(&source, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        check_problem(&problem, words);
    }
}

/* All indices are the reward: each is as near to each other's price as can be. */
OG_TEST(index_of_a_standard_arm_is_its_reward)
{
    enum { BUDGET = 20 };
    og_arm *arm = NULL;
    OWN(og_arms) *arms = NULL;
    OWN(og_index) *index = NULL;
    og_policy_name policy;
    const int32_t group = 0;
    const int64_t size = 1;
    ck_assert_int_eq(og_policy_name_parse("gittins-fh", &policy, NULL), OG_OK);
    ck_assert_int_eq(og_arm_new_standard(og_fraction_make(1, 3), BUDGET, &arm), OG_OK);
    ck_assert_int_eq(og_arms_of(BUDGET, &arm, 1, 1, &group, &size, &arms), OG_OK);
    const og_policy_use use = {.whole_budget = BUDGET, .threads = 1};
    ck_assert_int_eq(og_policy_name_index(&policy, arms, &use, &index, NULL), OG_OK);
    for (int32_t left = 1; left <= BUDGET; left++) {
        for (uint32_t node = 0; node <= (uint32_t)(BUDGET - left); node++) {
            double value = og_index_of(index, 0, left)[node];
            ck_assert_double_le(fabs(value - arm->reward[0]),
                                og_gittins_error(arms, left) * arm->reward[0]);
        }
    }
}
