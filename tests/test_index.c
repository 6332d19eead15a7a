/*
 * Indices against the definitions in rationals, and ranks against the order of exact indices.
 */
#include "heuristics/index/fast/gittins_inf_table.h"
#include "heuristics/index/index.h"
#include "heuristics/index/rank.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(index, 120);

static const char *const policies[] = {"kg",        "opt-kg",      "pess-kg",
                                       "cvar-kg:0", "cvar-kg:0.3", "cvar-kg:0.75",
                                       "cvar-kg:1", "gittins-fh",  "kg-star"};
enum { POLICIES = sizeof policies / sizeof policies[0] };

static og_policy_name policy_named(const char *name)
{
    og_policy_name policy;
    og_message message = {""};
    if (og_policy_name_parse(name, &policy, &message) != OG_OK) {
        ck_abort_msg("%s", message.text);
    }
    return policy;
}

static og_index *index_of(const char *name, const og_arms *arms, int threads)
{
    og_policy_name policy = policy_named(name);
    og_index *index = NULL;
    ck_assert_int_eq(
        og_policy_name_index(&policy, arms,
                             &(og_policy_use){.whole_budget = arms->budget, .threads = threads},
                             &index, NULL),
        OG_OK);
    return index;
}

static og_ranks *ranks_of(const char *name, const og_arms *arms, int threads)
{
    og_policy_name policy = policy_named(name);
    og_ranks *ranks = NULL;
    ck_assert_int_eq(og_policy_name_ranks(&policy, arms, arms->budget, threads, &ranks, NULL),
                     OG_OK);
    return ranks;
}

/* What the header allows the stored value of an exact index to be off; rounded up. */
static double allowance(const og_index *index, const mpq_t exact)
{
    double error = index->error * fabs(mpq_get_d(exact)) + index->absolute_error;
    return error * (1 + 1e-12);
}

/* The oracle's own error: it rounds h where parameters are not integers, and a gain subtracts two.
 */
static double oracle_index_error(const oracle_arms *oracle)
{
    return 2 * oracle_error(oracle);
}

OG_TEST(index_has_the_known_values)
{
    OWN(golden_rows) known;
    golden_read(&known);
    for (size_t i = 0; i < known.index_count; i++) {
        const golden_index_row *row = &known.index_row[i];
        char words[64];
        OWN(og_groups) problem;
        snprintf(words, sizeof words, "%d,%d", row->a, row->b);
        test_problem(words, row->left > 0 ? row->left : 1, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        OWN(og_index) *index = index_of(row->policy, arms, 1);
        double value = og_index_of(index, 0, problem.budget)[0];
        double error = allowance(index, row->value) + row->tolerance;
        ck_assert_msg(oracle_within(value, error, row->value),
                      "%s of %s with %d left is %.17g, expected %.17g +- %.1g", row->policy, words,
                      row->left, value, mpq_get_d(row->value), error);
    }
    ck_assert_uint_gt(known.index_count, 25);
}

/* Posterior number `node` of one group, with `left` labels left. */
typedef struct {
    int group, s, f, left;
} spot;

static bool next_spot(const og_groups *problem, spot *at)
{
    if (++at->s, --at->f >= 0) {
        return true;
    }
    int level = at->s; /* s + 1 + f after the step past the last node of level s - 1 */
    if (level + at->left > problem->budget) {
        level = 0;
        at->group++;
    }
    at->s = 0;
    at->f = level;
    return at->group < problem->group_count;
}

static spot first_spot(int left)
{
    return (spot){.group = 0, .s = 0, .f = 0, .left = left};
}

static void check_index(const og_groups *problem, const og_arms *arms, oracle_arms *oracle,
                        const char *policy, const char *words)
{
    oracle_choose_named(oracle, policy);
    OWN(og_index) *index = index_of(policy, arms, 1);
    OWN_MPQ exact = MPQ_NEW;
    for (int left = 1; left <= problem->budget; left++) {
        spot at = first_spot(left);
        do {
            oracle_index_at(oracle, at.group, at.s, at.f, left, exact);
            double value =
                og_index_of(index, arms->arm_of_group[at.group], left)[oracle_node(at.s, at.f)];
            double error = allowance(index, exact) + oracle_index_error(oracle);
            ck_assert_msg(oracle_within(value, error, exact),
                          "%s: %s of group %d after %d,%d with %d left: %.17g, expected %.17g +- "
                          "%.1g",
                          words, policy, at.group, at.s, at.f, left, value, mpq_get_d(exact),
                          error);
        } while (next_spot(problem, &at));
    }
}

OG_TEST(index_is_the_definition_within_the_stated_error)
{
    random_source source = random_start(test_seed(2101));
    random_limits limits = {.instances = 3, .budget = 7};
    for (int i = 0; i < test_cases(60); i++) {
        OWN(og_groups) problem;
        limits.mixtures = i % 3 == 0;
        limits.bandit = i % 4 == 0;
        limits.payoffs = i % 4 == 1;
        limits.worths = i % 4 == 2;
        char words[256];
        random_problem(&source, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        OWN(og_arms) *arms = test_arms(&problem);
        OWN(oracle_arms) *oracle = oracle_new(&problem);
        for (int p = 0; p < POLICIES; p++) {
            check_index(&problem, arms, oracle, policies[p], words);
        }
    }
}

OG_TEST(gittins_fh_is_the_definition_for_a_larger_budget)
{
    static const char *const words[] = {"1,1", "2,1@0.3", "0.5,0.5", "1.5,2.5@0.6"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        OWN(og_groups) problem;
        test_problem(words[i], 16, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        OWN(oracle_arms) *oracle = oracle_new(&problem);
        check_index(&problem, arms, oracle, "gittins-fh", words[i]);
    }
}

/*
 * The discounted index from its definition, in long doubles: value iteration over `horizon` labels
 * for the best rule at a price, Dinkelbach's iteration for the price.
 */
enum { HORIZON = 70 };

static long double discounted_index(const og_arm *arm, int n, int s, long double delta)
{
    long double earned[HORIZON + 2], labels[HORIZON + 2], price = 0;
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i <= HORIZON + 1; i++) {
            earned[i] = labels[i] = 0;
        }
        for (int m = HORIZON - 1; m >= 0; m--) {
            for (int i = 0; i <= m; i++) {
                uint32_t node = arm->level[n + m] + (uint32_t)(s + i);
                long double p = (long double)arm->probability[2 * (size_t)node];
                long double q = (long double)arm->probability[2 * (size_t)node + 1];
                long double e = arm->reward[node] + delta * (p * earned[i + 1] + q * earned[i]);
                long double l = 1 + delta * (p * labels[i + 1] + q * labels[i]);
                bool stop = m > 0 && e - price * l <= 0;
                earned[i] = stop ? 0 : e;
                labels[i] = stop ? 0 : l;
            }
        }
        price = earned[0] / labels[0];
    }
    return price;
}

OG_TEST(gittins_inf_is_the_definition_within_the_stated_error)
{
    static const char *const words[] = {"1,1", "2,1@0.3", "0.5,0.5", "1.5,2.5@0.6", "4,1"};
    enum { BUDGET = 4 };
    const long double delta = 0.5L;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        og_groups problem, deep;
        test_problem(words[i], BUDGET, &problem);
        test_problem(words[i], BUDGET + HORIZON, &deep);
        og_arms *arms = test_arms(&problem), *deep_arms = test_arms(&deep);
        og_index *index = index_of("gittins-inf:0.5", arms, 1);
        ck_assert_str_ne(index->note, "");
        for (int n = 0; n < BUDGET; n++) {
            for (int s = 0; s <= n; s++) {
                long double expected = discounted_index(deep_arms->arm[0], n, s, delta);
                double value = og_index_of(index, 0, 1)[oracle_node(s, n - s)];
                /* The definition's own truncation, and its arm's doubles. */
                long double error = index->error * expected + index->absolute_error +
                                    powl(delta, HORIZON) + HORIZON * 4e-16L * expected;
                ck_assert_msg(fabsl(value - expected) <= error,
                              "%s after %d,%d: %.17g, expected %.17Lg +- %.1Lg", words[i], s, n - s,
                              value, expected, error);
            }
        }
        og_index_free(index);
        og_arms_free(arms);
        og_arms_free(deep_arms);
        og_groups_clear(&problem);
        og_groups_clear(&deep);
    }
}

/* The index of the roots alone. */
static void score_roots(const char *name, const og_arms *arms, og_score *score, og_scored *out)
{
    og_policy_name policy = policy_named(name);
    OWN(og_twins) *twins = NULL;
    ck_assert_int_eq(og_twins_new_roots(arms, OG_TWINS_ALL, &twins), OG_OK);
    og_index_job job = {.arms = arms,
                        .policy = &policy,
                        .twins = twins,
                        .whole_budget = arms->budget,
                        .threads = 2,
                        .roots = true};
    og_policy_name_rule(&policy, &job.rule);
    ck_assert_int_eq(score(&job, out, NULL), OG_OK);
}

static int order(uint32_t x, uint32_t y)
{
    return (x > y) - (x < y);
}

static void check_roots(const char *name, og_score *score, const og_arms *arms, const char *words)
{
    og_policy_name policy = policy_named(name);
    const og_policy_use use = {.whole_budget = arms->budget, .threads = 1, .roots = true};
    og_scored scored = {0};
    og_ranks *ranks = NULL, *all = ranks_of(name, arms, 1);
    og_index *index = index_of(name, arms, 1);
    score_roots(name, arms, score, &scored);
    ck_assert_int_eq(og_policy_name_ranks_for(&policy, arms, &use, &ranks, NULL), OG_OK);
    double most = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        most = fmax(most, og_index_of(index, i, arms->budget)[0]);
    }
    for (int32_t i = 0; i < arms->arm_count; i++) {
        double expected = og_index_of(index, i, arms->budget)[0];
        double found = scored.index->index[i][0];
        if (found == 0 && score == og_score_gittins_inf && expected < most / 1.1) {
            continue; /* another is larger: it is not looked for */
        }
        bool walks = strcmp(name, "gittins-inf") == 0; /* of a table: of all nodes at once */
        double error = walks ? index->error * expected : 0;
        ck_assert_msg(fabs(expected - found) <= error, "%s %s: %.17g, table %.17g", name, words,
                      found, expected);
        for (int32_t j = 0; j < i; j++) {
            int in_table =
                order(og_ranks_of(all, i, arms->budget)[0], og_ranks_of(all, j, arms->budget)[0]);
            int alone = order(og_ranks_of(ranks, i, arms->budget)[0],
                              og_ranks_of(ranks, j, arms->budget)[0]);
            ck_assert_msg(in_table == alone, "%s %s: arms %d and %d", name, words, i, j);
        }
    }
    og_scored_clear(&scored);
    og_index_free(index);
    og_ranks_free(ranks);
    og_ranks_free(all);
}

/* A posterior of a few labels, or of many, now and then of several classes or of halves. */
static void random_posterior(random_source *source, char *words, size_t size)
{
    static const char *const thresholds[] = {"", "", "", "@0.3", "@0.7", "@0.9"};
    int most = random_below(source, 3) == 0 ? 40 : 7;
    uint32_t kind = random_below(source, 10);
    int a = 1 + (int)random_below(source, (uint32_t)most);
    int b = 1 + (int)random_below(source, (uint32_t)most);
    if (kind == 0) {
        snprintf(words, size, "%d,%d,1", 1 + a % 5, 1 + b % 5);
    } else if (kind == 1) {
        snprintf(words, size, "0.4:%d,1+0.6:1,%d", a, b);
    } else {
        snprintf(words, size, "%d%s,%d%s", a, kind < 4 ? ".5" : "", b,
                 thresholds[random_below(source, 6)]);
    }
}

/* A few labels ahead: the definition; and far enough ahead, the index without a limit within the
 * stated error, and without any error above 0.435 / sqrt(a + b + N) [gittins_inf.c]. */
OG_TEST_LOOP(gittins_inf_of_n_labels_is_the_definition_and_its_error_is_stated, 0, 5)
{
    static const char *const words[] = {"1,1", "2,1@0.3", "0.5,0.5", "1.5,2.5@0.6", "4,1"};
    enum { BUDGET = 12 };
    char name[40];
    og_groups problem, deep;
    snprintf(name, sizeof name, "gittins-inf:%d", HORIZON);
    test_problem(words[_i], BUDGET, &problem);
    test_problem(words[_i], BUDGET + HORIZON, &deep);
    og_arms *arms = test_arms(&problem), *deep_arms = test_arms(&deep);
    const og_group *prior = og_groups_at(&problem, 0);
    double total = og_fraction_double(prior->a) + og_fraction_double(prior->b);
    og_index *index = index_of(name, arms, 1), *whole = index_of("gittins-inf", arms, 1);
    ck_assert_ptr_nonnull(strstr(index->note, "70 labels ahead"));
    ck_assert_double_lt(index->absolute_error, 0.435 / sqrt(total + HORIZON) + 1e-6);
    for (int n = 0; n < BUDGET; n++) {
        for (int s = 0; s <= n; s++) {
            long double delta = 1 - 1.0L / BUDGET;
            long double expected = discounted_index(deep_arms->arm[0], n, s, delta);
            double value = og_index_of(index, 0, 1)[oracle_node(s, n - s)];
            double full = og_index_of(whole, 0, 1)[oracle_node(s, n - s)];
            double rounding = (index->error + 4e-16 * HORIZON) * value + 1e-300;
            ck_assert_msg(fabsl(value - expected) <= rounding, "%s after %d,%d: %.17g, not %.17Lg",
                          words[_i], s, n - s, value, expected);
            double both = rounding + whole->error * full + whole->absolute_error;
            bool exact = value >= 0.435 / sqrt(total + n + HORIZON);
            ck_assert_double_ge(full - value, -both);
            ck_assert_double_le(full - value, both + (exact ? 0 : index->absolute_error));
        }
    }
    og_index_free(index);
    og_index_free(whole);
    og_arms_free(arms);
    og_arms_free(deep_arms);
    og_groups_clear(&problem);
    og_groups_clear(&deep);
}

/* A few random posteriors, all of two classes. */
static void random_posteriors(random_source *source, int count, char *words, size_t size)
{
    size_t length = 0;
    for (int i = 0; i < count;) {
        char one[40];
        random_posterior(source, one, sizeof one);
        if (strstr(one, ",1") == NULL || strchr(one, '+') != NULL ||
            strchr(strchr(one, ',') + 1, ',') == NULL) {
            length +=
                (size_t)snprintf(words + length, size - length, "%s%s", i == 0 ? "" : " ", one);
            i++;
        }
    }
}

/* What is kept of roots changes no bit, whatever came before: other posteriors, discounts, limits
 * of labels, and the same again. */
OG_TEST(kept_roots_are_those_computed_anew)
{
    static const char *const names[] = {
        "gittins-inf", "gittins-inf:3", "gittins-inf:0.9", "gittins-inf", "kg",
        "opt-kg",      "pess-kg",       "cvar-kg:0.3",     "cvar-kg:0.6", "entropy"};
    const uint32_t name_count = sizeof names / sizeof *names;
    uint64_t seed = test_seed(311);
    random_source source = random_start(seed);
    og_kept_roots *kept = NULL;
    ck_assert_int_eq(og_kept_roots_new(&kept), OG_OK);
    for (int n = 0; n < test_cases(150); n++) {
        OWN(og_groups) problem;
        char words[256];
        random_posteriors(&source, 1 + (int)random_below(&source, 4), words, sizeof words);
        test_problem(words, 1 + (int32_t)random_below(&source, 4), &problem);
        og_arms *arms = test_arms(&problem);
        og_policy_name policy = policy_named(names[random_below(&source, name_count)]);
        og_index *index[2];
        og_ranks *ranks[2];
        for (int with = 0; with < 2; with++) {
            const og_policy_use use = {.whole_budget = arms->budget,
                                       .threads = 1,
                                       .roots = true,
                                       .kept = with ? kept : NULL};
            ck_assert_int_eq(og_policy_name_ranks_and_index(&policy, arms, &use, &ranks[with],
                                                            &index[with], NULL),
                             OG_OK);
        }
        for (int32_t a = 0; a < arms->arm_count; a++) {
            ck_assert_msg(index[0]->index[a][0] == index[1]->index[a][0] &&
                              index[0]->error == index[1]->error &&
                              index[0]->absolute_error == index[1]->absolute_error &&
                              og_ranks_of(ranks[0], a, arms->budget)[0] ==
                                  og_ranks_of(ranks[1], a, arms->budget)[0],
                          "seed %d, case %d: %s %s", (int)seed, n, policy.name, words);
        }
        for (int with = 0; with < 2; with++) {
            og_index_free(index[with]);
            og_ranks_free(ranks[with]);
        }
        og_arms_free(arms);
    }
    og_kept_roots_free(kept);
}

/* The infinite-horizon index of each node by Dinkelbach's iteration from this node alone. */
static void check_plain_inf(const og_arms *arms, const og_index *index, const char *words)
{
    const double delta = 1 - 1.0 / arms->budget;
    const int32_t end = arms->budget + (int32_t)ceil(log(OG_INF_TRUNCATION) / log(delta));
    for (int32_t i = 0; i < arms->arm_count; i++) {
        og_arena arena = {0};
        og_worth w = og_worth_new(&arena, (size_t)end + 3);
        og_inf_table plain = {.end = end, .delta = delta};
        ck_assert_int_eq(og_arena_status(&arena), OG_OK);
        ck_assert_int_eq(og_inf_table_init(arms->arm[i], arms->budget, NULL, w, &plain), OG_OK);
        for (int32_t n = 0; n < arms->budget; n++) {
            for (int32_t s = 0; s <= n; s++) {
                double expected = og_inf_index(&plain, n, s, 0, w);
                double found = og_index_of(index, i, 1)[og_inf_node(n, s)];
                ck_assert_msg(fabs(found - expected) <= index->error / 4 * expected,
                              "%s, T = %d, arm %d (%d, %d): %.17g, not %.17g", words, arms->budget,
                              i, n, s, found, expected);
            }
        }
        og_inf_table_clear(&plain);
        og_arena_clear(&arena);
    }
}

OG_TEST(gittins_inf_from_shared_walks_is_that_of_each_node_alone)
{
    random_source source = random_start(test_seed(2109));
    for (int i = 0; i < test_cases(24); i++) {
        char words[150];
        OWN(og_groups) problem;
        random_posteriors(&source, 1 + i % 2, words, sizeof words);
        test_problem(words, 2 + (int)random_below(&source, strchr(words, '+') != NULL ? 6 : 30),
                     &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        OWN(og_index) *index = index_of("gittins-inf", arms, 1 + i % 2);
        check_plain_inf(arms, index, words);
    }
}

/* The ranks of the infinite-horizon index. */
static og_ranks *inf_ranks(const og_arms *arms, bool ordered, int threads)
{
    og_policy_name policy = policy_named("gittins-inf");
    OWN(og_twins) *twins = NULL;
    ck_assert_int_eq(og_twins_new(arms, OG_TWINS_ALL, NULL, &twins), OG_OK);
    og_index_job job = {.arms = arms,
                        .policy = &policy,
                        .twins = twins,
                        .whole_budget = arms->budget,
                        .threads = threads,
                        .ordered = ordered};
    og_scored scored = {0};
    og_ranks *ranks = NULL;
    ck_assert_int_eq(og_score_gittins_inf(&job, &scored, NULL), OG_OK);
    ck_assert_int_eq(og_rank(&job, &scored, &ranks, NULL), OG_OK);
    og_scored_clear(&scored);
    return ranks;
}

/* Intervals that are narrow only where they overlap have the order and the ties of narrow ones. */
OG_TEST(gittins_inf_in_order_has_the_ranks_of_all_indices)
{
    random_source source = random_start(test_seed(2108));
    for (int i = 0; i < test_cases(24); i++) {
        char words[3][40], all[150];
        OWN(og_groups) problem;
        for (int k = 0; k < 3; k++) {
            random_posterior(&source, words[k], sizeof words[k]);
        }
        snprintf(all, sizeof all, i % 2 == 0 ? "%s" : "%s %s %s", words[0], words[1], words[2]);
        test_problem(all, 1 + (int)random_below(&source, strchr(all, '+') != NULL ? 6 : 30),
                     &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        if (strstr(all, ",1 ") != NULL && arms->arm[0]->outcome_count > 2) {
            continue; /* several classes: always narrow */
        }
        OWN(og_ranks) *slow = inf_ranks(arms, false, 1), *fast = inf_ranks(arms, true, 1 + i % 2);
        ck_assert_uint_eq(slow->tolerance_ties, fast->tolerance_ties);
        for (int32_t k = 0; k < arms->arm_count; k++) {
            const uint32_t *expected = og_ranks_of(slow, k, 1), *found = og_ranks_of(fast, k, 1);
            for (uint32_t node = 0; node < arms->arm[k]->level[arms->budget]; node++) {
                ck_assert_msg(expected[node] == found[node],
                              "%s, T = %d: node %u has rank %u, not %u", all, arms->budget, node,
                              found[node], expected[node]);
            }
        }
    }
}

OG_TEST(index_of_roots_alone_is_that_of_the_table)
{
    static const struct {
        const char *name;
        og_score *score;
    } each[] = {{"kg", og_score_kg},
                {"opt-kg", og_score_rule},
                {"pess-kg", og_score_rule},
                {"cvar-kg:0.4", og_score_rule},
                {"gittins-fh", og_score_gittins_fh},
                {"gittins-fh:4", og_score_gittins_fh},
                {"gittins-inf:20", og_score_gittins_inf},
                {"gittins-inf", og_score_gittins_inf}};
    random_source source = random_start(test_seed(2107));
    for (int i = 0; i < test_cases(16); i++) {
        char words[4][40], all[200];
        OWN(og_groups) problem;
        for (int k = 0; k < 4; k++) {
            random_posterior(&source, words[k], sizeof words[k]);
        }
        snprintf(all, sizeof all, "%s %s %s %s", words[0], words[1], words[2], words[3]);
        test_problem(all, 1 + (int)random_below(&source, i % 3 == 0 ? 40 : 12), &problem);
        bool classes = strstr(all, ",1 ") != NULL || problem.budget > 12;
        OWN(og_arms) *arms = test_arms(&problem);
        for (size_t p = 0; p < sizeof each / sizeof each[0] - 2 * classes; p++) {
            check_roots(each[p].name, each[p].score, arms, all);
        }
    }
}

OG_TEST(gittins_inf_of_one_label_is_kg)
{
    static const char *const names[] = {"gittins-inf", "gittins-inf:0"};
    OWN(og_groups) problem;
    test_problem("1,1 2,2@0.3 0.5,1.5", 6, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    OWN(og_index) *kg = index_of("kg", arms, 1);
    for (int i = 0; i < 2; i++) {
        og_policy_name policy = policy_named(names[i]);
        OWN(og_index) *index = NULL;
        ck_assert_int_eq(og_policy_name_index(&policy, arms,
                                              &(og_policy_use){.whole_budget = 1, .threads = 1},
                                              &index, NULL),
                         OG_OK);
        for (int arm = 0; arm < arms->arm_count; arm++) {
            ck_assert_mem_eq(og_index_of(index, arm, 1), og_index_of(kg, arm, 1),
                             arms->arm[arm]->level[6] * sizeof(double));
        }
    }
}

/* All pairs of posteriors with the same number of labels left. */
static void check_ranks(const og_groups *problem, const og_arms *arms, oracle_arms *oracle,
                        const char *policy, const char *words)
{
    oracle_choose_named(oracle, policy);
    OWN(og_ranks) *ranks = ranks_of(policy, arms, 1);
    ck_assert_uint_eq(ranks->tolerance_ties, 0);
    OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
    for (int left = 1; left <= problem->budget; left++) {
        spot one = first_spot(left);
        do {
            oracle_index_at(oracle, one.group, one.s, one.f, left, x);
            uint32_t rank =
                og_ranks_of(ranks, arms->arm_of_group[one.group], left)[oracle_node(one.s, one.f)];
            spot other = first_spot(left);
            do {
                oracle_index_at(oracle, other.group, other.s, other.f, left, y);
                uint32_t other_rank = og_ranks_of(ranks, arms->arm_of_group[other.group],
                                                  left)[oracle_node(other.s, other.f)];
                int order = (rank > other_rank) - (rank < other_rank), exact = mpq_cmp(x, y);
                ck_assert_msg(order == (exact > 0) - (exact < 0),
                              "%s: %s, %d left: group %d after %d,%d has rank %u, group %d after "
                              "%d,%d has %u, but the indices are %.17g and %.17g",
                              words, policy, left, one.group, one.s, one.f, rank, other.group,
                              other.s, other.f, other_rank, mpq_get_d(x), mpq_get_d(y));
            } while (next_spot(problem, &other));
        } while (next_spot(problem, &one));
    }
}

OG_TEST(ranks_order_and_tie_as_exact_indices_do)
{
    random_source source = random_start(test_seed(2102));
    const random_limits limits = {.instances = 3, .budget = 5, .integers = true, .mixtures = true};
    for (int i = 0; i < test_cases(200); i++) {
        OWN(og_groups) problem;
        char words[256];
        random_problem(&source, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        OWN(og_arms) *arms = test_arms(&problem);
        OWN(oracle_arms) *oracle = oracle_new(&problem);
        for (int p = 0; p < POLICIES; p++) {
            check_ranks(&problem, arms, oracle, policies[p], words);
        }
    }
}

/* As if N labels were left: the row of so many, or of as many as an instance can still have; and in
 * the order of that row, which is settled with the labels left. */
OG_TEST_LOOP(gittins_fh_of_n_labels_is_a_row_of_gittins_fh, 0, 16)
{
    static const char *const words[] = {"1,1", "2,3", "1.5,0.7@0.3", "1,1,1"};
    static const char *const names[] = {"gittins-fh:1", "gittins-fh:3", "gittins-fh:9",
                                        "gittins-fh:1000000"};
    static const int most[] = {1, 3, 9, 1000000};
    enum { BUDGET = 9 };
    OWN(og_groups) problem;
    test_problem(words[_i / 4], BUDGET, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    og_index *table = index_of("gittins-fh", arms, 1), *one = index_of(names[_i % 4], arms, 2);
    og_ranks *rows = ranks_of("gittins-fh", arms, 1), *ranks = ranks_of(names[_i % 4], arms, 1);
    ck_assert(!one->by_left && !ranks->by_left);
    const uint32_t *level = arms->arm[0]->level;
    for (int n = 0; n < BUDGET; n++) {
        int left = most[_i % 4] < BUDGET - n ? most[_i % 4] : BUDGET - n;
        const double *row = og_index_of(table, 0, left), *here = og_index_of(one, 0, 1);
        ck_assert_mem_eq(here + level[n], row + level[n], (level[n + 1] - level[n]) * sizeof *row);
        for (uint32_t x = 0; left == most[_i % 4] && x < level[n + 1]; x++) {
            for (uint32_t y = level[n]; y < level[n + 1]; y++) {
                const uint32_t *by_row = og_ranks_of(rows, 0, left);
                const uint32_t *by_one = og_ranks_of(ranks, 0, 1);
                ck_assert_int_eq((by_row[x] > by_row[y]) - (by_row[x] < by_row[y]),
                                 (by_one[x] > by_one[y]) - (by_one[x] < by_one[y]));
            }
        }
    }
    ck_assert(one->error > 0 && one->error <= table->error);
    og_ranks_free(rows);
    og_ranks_free(ranks);
    og_index_free(table);
    og_index_free(one);
}

OG_TEST(ranks_tie_where_only_exact_arithmetic_sees_it)
{
    /* opt-kg of (2,1) and (3,2) is 1/8, of (5,3) and (6,4) 21/256: different processes. */
    OWN(og_groups) problem;
    test_problem("2,1 3,2 5,3 6,4", 1, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    OWN(og_ranks) *ranks = ranks_of("opt-kg", arms, 1);
    uint32_t rank[4];
    for (int i = 0; i < 4; i++) {
        rank[i] = og_ranks_of(ranks, arms->arm_of_group[i], 1)[0];
    }
    ck_assert_uint_eq(rank[0], rank[1]);
    ck_assert_uint_eq(rank[2], rank[3]);
    ck_assert_uint_gt(rank[0], rank[2]);
    ck_assert_uint_eq(ranks->tolerance_ties, 0);
}

OG_TEST(ranks_of_mirror_images_and_equal_posteriors_tie_always)
{
    /* Arms 0 and 1 mirror each other, 2 starts from a posterior of 0, 3 from one of 1; 4 holds its
     * own mirror images. No other two of these indices are equal, except those of pess-kg (see
     * below): no tie depends on a tolerance. */
    static const char *const names[] = {"kg",         "opt-kg",      "pess-kg", "cvar-kg:0.4",
                                        "gittins-fh", "gittins-inf", "kg-star"};
    enum { BUDGET = 9 };
    OWN(og_groups) problem;
    test_problem("0.7,1.3@0.35 1.3,0.7@0.65 1.7,1.3@0.35 1.3,1.7@0.65 1.5,0.5", BUDGET, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OWN(og_ranks) *ranks = ranks_of(names[i], arms, 1);
        ck_assert(ranks->tolerance_ties == 0 || strcmp(names[i], "pess-kg") == 0);
        for (int left = 1; left <= BUDGET; left++) {
            const uint32_t *rank[4];
            for (int group = 0; group < 4; group++) {
                rank[group] = og_ranks_of(ranks, arms->arm_of_group[group], left);
            }
            for (int n = 0; n <= BUDGET - left; n++) {
                for (int s = 0; s <= n; s++) {
                    ck_assert_uint_eq(rank[0][oracle_node(s, n - s)],
                                      rank[1][oracle_node(n - s, s)]);
                    if (n < BUDGET - left) {
                        ck_assert_uint_eq(rank[0][oracle_node(s + 1, n - s)],
                                          rank[2][oracle_node(s, n - s)]);
                        ck_assert_uint_eq(rank[2][oracle_node(s, n - s)],
                                          rank[3][oracle_node(n - s, s)]);
                    }
                }
            }
        }
    }
}

OG_TEST(ranks_of_real_parameters_tie_by_tolerance_and_say_so)
{
    /* At threshold 1/2 the smaller gains of (b + 2, b) and (b + 2, b + 1) are equal for every b. */
    OWN(og_groups) problem;
    test_problem("2.3,0.3 2.3,1.3 1.3,0.3", 1, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    OWN(og_ranks) *ranks = ranks_of("pess-kg", arms, 1);
    uint32_t rank[3];
    for (int i = 0; i < 3; i++) {
        rank[i] = og_ranks_of(ranks, arms->arm_of_group[i], 1)[0];
    }
    ck_assert_uint_eq(rank[0], rank[1]);
    ck_assert_uint_lt(rank[2], rank[0]);
    ck_assert_uint_eq(ranks->tolerance_ties, 1);
}

OG_TEST(index_and_ranks_have_the_same_bits_for_any_number_of_threads)
{
    static const char *const names[] = {"kg",         "opt-kg",      "pess-kg", "cvar-kg:0.4",
                                        "gittins-fh", "gittins-inf", "kg-star"};
    enum { BUDGET = 14 };
    OWN(og_groups) problem;
    test_problem("1,1 2,1@0.3 0.5,0.5 1.5,1@0.7 3,2", BUDGET, &problem);
    OWN(og_arms) *arms = test_arms(&problem);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OWN(og_index) *index = index_of(names[i], arms, 1);
        OWN(og_ranks) *ranks = ranks_of(names[i], arms, 1);
        for (int threads = 2; threads <= 4; threads *= 2) {
            OWN(og_index) *again = index_of(names[i], arms, threads);
            OWN(og_ranks) *ranks_again = ranks_of(names[i], arms, threads);
            for (int left = 1; left <= BUDGET; left++) {
                for (int arm = 0; arm < arms->arm_count; arm++) {
                    uint32_t nodes = arms->arm[arm]->level[BUDGET - left + 1];
                    ck_assert_mem_eq(og_index_of(index, arm, left), og_index_of(again, arm, left),
                                     nodes * sizeof(double));
                    ck_assert_mem_eq(og_ranks_of(ranks, arm, left),
                                     og_ranks_of(ranks_again, arm, left), nodes * sizeof(uint32_t));
                }
            }
            ck_assert_uint_eq(ranks->tolerance_ties, ranks_again->tolerance_ties);
        }
    }
}
