/*
 * The oracles against every known value that they can reach, and against each other, before
 * anything is tested with them.
 */
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(oracle, 60);

static const og_ties all_ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST, OG_TIES_BEST, OG_TIES_WORST};
static const char *const ties_name[] = {"random", "first", "best", "worst"};
static const char *const policies[] = {"uniform",     "kg",           "opt-kg",    "pess-kg",
                                       "cvar-kg:0.5", "cvar-kg:0.75", "gittins-fh"};
enum { POLICIES = sizeof policies / sizeof policies[0], TIES = 4 };

/* Decided in rationals: |value - expected| <= tolerance. */
static bool close_to(const mpq_t value, const mpq_t expected, double tolerance)
{
    OWN_MPQ off = MPQ_NEW, bound = MPQ_NEW;
    mpq_sub(off, value, expected);
    mpq_abs(off, off);
    mpq_set_d(bound, tolerance);
    bool close = mpq_cmp(off, bound) <= 0;
    return close;
}

static void assert_close(const mpq_t value, const mpq_t expected, double tolerance,
                         const char *problem, const char *what)
{
    if (close_to(value, expected, tolerance)) {
        return;
    }
    char *shown = mpq_get_str(NULL, 10, value), *wanted = mpq_get_str(NULL, 10, expected);
    ck_abort_msg("%s: %s is %s, expected %s", problem, what, shown, wanted);
    free(shown);
    free(wanted);
}

/* Policies of the fluid problem: tests/test_fluid.c has their definition. */
static const char *const of_plans[] = {"dual", "midway", "lp-update"};

/* What the oracle says about a quantity of golden.tsv; false: not one of the oracle's. The policy
 * last chosen is kept in `chosen`: a row's neighbours are about the same one. */
static bool answer(oracle_arms *oracle, const char *quantity, char *chosen, mpq_t out)
{
    const char *slash = strchr(quantity, '/');
    if (strcmp(quantity, "optimal") == 0 || strcmp(quantity, "gain") == 0) {
        oracle_optimum(oracle, out);
        OWN_MPQ call = MPQ_NEW;
        oracle_call(oracle, call);
        if (quantity[0] == 'g') {
            mpq_sub(out, out, call);
        }
        return true;
    }
    if (slash == NULL) {
        return false;
    }
    if (strncmp(quantity, "q/", 2) == 0) {
        oracle_q(oracle, atoi(slash + 1), out);
        return true;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(slash - quantity), quantity);
    for (size_t i = 0; i < sizeof of_plans / sizeof *of_plans; i++) {
        if (strncmp(name, of_plans[i], strlen(of_plans[i])) == 0) {
            return false;
        }
    }
    if (strcmp(name, chosen) != 0) {
        oracle_choose_named(oracle, name);
    }
    strcpy(chosen, name);
    for (int ties = 0; ties < TIES; ties++) {
        if (strcmp(slash + 1, ties_name[ties]) == 0) {
            oracle_policy_value(oracle, all_ties[ties], out);
        }
    }
    return true;
}

/* Sorted states grow fast: these stay within a second in all. */
static bool in_reach(const og_groups *problem)
{
    int64_t size = og_groups_size(problem);
    return size <= 3 ? problem->budget <= 12 : size <= 5 && problem->budget <= 11 + test_cases(1);
}

static bool same_problem(const golden_row *x, const golden_row *y)
{
    return x->budget == y->budget && strcmp(x->problem, y->problem) == 0;
}

/* All rows from `first` on that are about the same problem; returns how many were checked. */
static int check_problem(const golden_rows *known, size_t first)
{
    og_groups problem;
    const golden_row *row = &known->row[first];
    test_problem(row->problem, row->budget, &problem);
    int checked = 0;
    if (in_reach(&problem)) {
        char chosen[64] = "uniform";
        OWN(oracle_arms) *oracle = oracle_new(&problem);
        OWN_MPQ value = MPQ_NEW;
        for (size_t i = first; i < known->count; i++) {
            if (same_problem(&known->row[i], row) &&
                answer(oracle, known->row[i].quantity, chosen, value)) {
                assert_close(value, known->row[i].value,
                             known->row[i].tolerance + oracle_error(oracle), row->problem,
                             known->row[i].quantity);
                checked++;
            }
        }
    }
    og_groups_clear(&problem);
    return checked;
}

OG_TEST(oracle_gives_the_known_values)
{
    OWN(golden_rows) known;
    golden_read(&known);
    int checked = 0;
    for (size_t i = 0; i < known.count; i++) {
        bool first = true;
        for (size_t before = 0; before < i && first; before++) {
            first = !same_problem(&known.row[before], &known.row[i]);
        }
        if (first) {
            checked += check_problem(&known, i);
        }
    }
    printf("%d of %zu known values checked\n", checked, known.count);
    ck_assert_int_ge(checked, 312);
}

OG_TEST(index_gives_the_known_values)
{
    OWN(golden_rows) known;
    golden_read(&known);
    OWN_MPQ value = MPQ_NEW;
    for (size_t i = 0; i < known.index_count; i++) {
        const golden_index_row *row = &known.index_row[i];
        if (strncmp(row->policy, "gittins-inf", 11) == 0) {
            continue;
        }
        char words[64];
        snprintf(words, sizeof words, "%d,%d", row->a, row->b);
        OWN(og_groups) problem;
        test_problem(words, row->left, &problem);
        OWN(oracle_arms) *oracle = oracle_new(&problem);
        oracle_choose_named(oracle, row->policy);
        oracle_index_at(oracle, 0, 0, 0, row->left, value);
        assert_close(value, row->value, row->tolerance, words, row->policy);
    }
}

/* A random problem with its oracle; the words for a message. */
typedef struct {
    og_groups problem;
    oracle_arms *oracle;
    char words[512];
} trial;

static trial trial_new(random_source *source, const random_limits *limits, uint64_t seed, int round)
{
    trial made;
    char words[400];
    random_problem(source, limits, &made.problem);
    made.oracle = oracle_new(&made.problem);
    problem_format(&made.problem, words, sizeof words);
    snprintf(made.words, sizeof made.words, "%s (seed %llu, case %d)", words,
             (unsigned long long)seed, round);
    return made;
}

static void trial_free(trial *done)
{
    oracle_free(done->oracle);
    og_groups_clear(&done->problem);
}

OG_TEST(optimum_equals_the_definition_over_ordered_histories)
{
    uint64_t seed = test_seed(11);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 3, .budget = 4};
    OWN_MPQ literal = MPQ_NEW, remembered = MPQ_NEW;
    for (int round = 0; round < test_cases(60); round++) {
        trial now = trial_new(&source, &limits, seed, round);
        oracle_optimum_literally(now.oracle, literal);
        oracle_optimum(now.oracle, remembered);
        ck_assert_msg(mpq_equal(literal, remembered), "%s", now.words);
        trial_free(&now);
    }
}

OG_TEST(policy_value_equals_the_one_over_ordered_histories)
{
    uint64_t seed = test_seed(12);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 3, .budget = 4};
    OWN_MPQ literal = MPQ_NEW, remembered = MPQ_NEW;
    for (int round = 0; round < test_cases(20); round++) {
        trial now = trial_new(&source, &limits, seed, round);
        oracle_choose_named(now.oracle, policies[round % POLICIES]);
        for (int ties = 0; ties < TIES; ties++) {
            oracle_policy_value_literally(now.oracle, all_ties[ties], literal);
            oracle_policy_value(now.oracle, all_ties[ties], remembered);
            ck_assert_msg(mpq_equal(literal, remembered), "%s: %s/%s", now.words,
                          policies[round % POLICIES], ties_name[ties]);
        }
        trial_free(&now);
    }
}

OG_TEST(within_is_decided_in_rationals)
{
    OWN_MPQ third = MPQ_NEW;
    mpq_set_ui(third, 1, 3);
    ck_assert(oracle_within(1.0 / 3, 1e-16, third));
    ck_assert(!oracle_within(1.0 / 3, 1e-17, third)); /* the nearest double is 1.9e-17 off */
    ck_assert(!oracle_within(1.0 / 3, 0, third));
    ck_assert(!oracle_within(NAN, 1, third));
    ck_assert(!oracle_within(INFINITY, 1, third));
    ck_assert(!oracle_within(0.3, NAN, third));
    ck_assert(!oracle_within(0.3, INFINITY, third));
    mpq_set_ui(third, 1, 4);
    ck_assert(oracle_within(0.25, 0, third));
}

static bool same_group(const og_group *x, const og_group *y)
{
    return og_fraction_compare(x->a, y->a) == 0 && og_fraction_compare(x->b, y->b) == 0 &&
           og_fraction_compare(x->threshold, y->threshold) == 0 && x->count == y->count;
}

OG_TEST(random_problem_keeps_its_limits_and_prints_as_words)
{
    random_source source = random_start(18), again = random_start(18);
    random_limits limits = {.instances = 5, .budget = 7, .integers = true, .halves = true};
    for (int round = 0; round < 300; round++) {
        og_groups problem, same, read;
        char text[512], *words;
        random_problem(&source, &limits, &problem);
        random_problem(&again, &limits, &same);
        ck_assert_int_le(og_groups_size(&problem), 5);
        ck_assert_int_ge(og_groups_size(&problem), 1);
        ck_assert_int_le(problem.budget, 7);
        problem_format(&problem, text, sizeof text);
        ck_assert_int_eq(strtol(text + strlen("-T "), &words, 10), problem.budget);
        test_problem(words + 1, problem.budget, &read);
        ck_assert_int_eq(read.group_count, problem.group_count);
        ck_assert_int_eq(same.group_count, problem.group_count);
        for (int i = 0; i < problem.group_count; i++) {
            const og_group *group = og_groups_at(&problem, i);
            ck_assert(same_group(group, og_groups_at(&read, i)));
            ck_assert(same_group(group, og_groups_at(&same, i)));
            ck_assert(og_fraction_is_integer(group->a) && og_fraction_is_integer(group->b));
            ck_assert_int_eq(group->threshold.den, 2);
        }
        og_groups_clear(&problem);
        og_groups_clear(&same);
        og_groups_clear(&read);
    }
}
