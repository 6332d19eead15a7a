/*
 * table:FILE: accepted and refused files, and the value of its numbers.
 */
#include <unistd.h>

#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(index_table, 120);

/* A file that is gone after the test; policy names it. */
typedef struct {
    char path[64];
    FILE *file;
} index_scrap;

static index_scrap scrap_open(void)
{
    index_scrap out = {.path = P_tmpdir "/optgap-test-XXXXXX"};
    int handle = mkstemp(out.path);
    ck_assert_int_ge(handle, 0);
    out.file = fdopen(handle, "w");
    ck_assert_ptr_nonnull(out.file);
    return out;
}

static og_policy_name scrap_policy(const index_scrap *scrap)
{
    char name[128];
    og_policy_name policy;
    og_message message = {""};
    ck_assert_int_eq(fclose(scrap->file), 0);
    snprintf(name, sizeof name, "table:%s", scrap->path);
    if (og_policy_name_parse(name, &policy, &message) != OG_OK) {
        ck_abort_msg("%s", message.text);
    }
    ck_assert(policy.has_parameter);
    ck_assert_str_eq(policy.name, name);
    return policy;
}

static og_policy_name table_of(const char *text, index_scrap *out)
{
    *out = scrap_open();
    fputs(text, out->file);
    return scrap_policy(out);
}

/* A problem of groups "1,1 2,1" and budget 1: nodes 1,1 and 2,1. */
static og_arms *small_arms(void)
{
    og_groups problem;
    test_problem("1,1 2,1", 1, &problem);
    og_arms *arms = test_arms(&problem);
    og_groups_clear(&problem);
    return arms;
}

static og_status read_table(const char *text, og_index **index, og_message *message)
{
    index_scrap file;
    og_policy_name policy = table_of(text, &file);
    og_arms *arms = small_arms();
    og_ranks *ranks = NULL;
    og_status status = og_policy_name_index(
        &policy, arms, &(og_policy_use){.whole_budget = 1, .threads = 1}, index, message);
    og_message again = {""};
    ck_assert_int_eq(og_policy_name_ranks(&policy, arms, 1, 1, &ranks, &again), status);
    ck_assert(status == OG_OK || strcmp(again.text, message->text) == 0);
    og_ranks_free(ranks);
    og_arms_free(arms);
    unlink(file.path);
    return status;
}

OG_TEST(table_reads_every_format_it_promises)
{
    static const char *const texts[] = {
        "1\t1\t0.25\n2\t1\t-3e-2\n",
        "1\t1\t1\t0.25\n2\t1\t1\t-0.03\n",
        "a\tb\tleft\tindex\n1\t1\t1\t.25\n2\t1\t1\t-.03\n1\t1\t2\t7\n",
        "# by hand\n\nindex\tb\ta\r\n+25e-2\t1\t1\r\n-0.3E-1\t1\t2.0\r\n",
        "left\tindex\ta\tb\n1\t0.250\t1.0\t1\n1\t-3.00e-02\t2\t1e0\n# end",
        "2\t1\t-0.03\n1\t1\t0.25\n2\t1\t-0.030\n",
        "b\ta\tleft\tindex\n1\t2\t1\t-.03\n2\t1\t1\t9\n1\t1\t1\t.25\n",
        "\357\273\277b\ta\tindex\n1\t2\t-.03\n2\t1\t9\n1\t1\t.25\n",
        "a,b,index\n1,1,0.25\n2,\"1\",-3e-2\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        OWN(og_index) *index = NULL;
        og_message message = {""};
        ck_assert_msg(read_table(texts[i], &index, &message) == OG_OK, "%s: %s", texts[i],
                      message.text);
        ck_assert_double_eq(og_index_of(index, 0, 1)[0], 0.25);
        ck_assert_double_eq(og_index_of(index, 1, 1)[0], -0.03);
    }
}

OG_TEST(table_refuses_all_else_and_names_the_line)
{
    static const struct {
        const char *text;
        const char *said;
    } rows[] = {
        {"", "has no rows"},
        {"# nothing\n\n", "has no rows"},
        {"a\tb\tindex\n", "has no rows"},
        {"1\t1\n", "line 1: there must be 3 or 4 columns, separated by tabs or commas, not 2"},
        {"1 1 0.25\n", "line 1: there must be 3 or 4 columns, separated by tabs or commas, not 1"},
        {"node\n", "line 1: there must be 2 to 4 columns, separated by tabs or commas, not 1"},
        {"1\t1\t1\t1\t1\n",
         "line 1: there must be 3 or 4 columns, separated by tabs or commas, not more than 4"},
        {"1\t1\t0.25\n\n2\t1\t1\t0.5\n",
         "line 3: there must be 3 columns, separated by tabs or commas, not 4"},
        {"1\t1\t1\t0.25\n2\t1\t1\n",
         "line 2: there must be 4 columns, separated by tabs or commas, not 3"},
        {"a\tb\tc\n", "line 1: 'c' is not a column"},
        {"a\ta\tindex\n", "line 1: the column 'a' is there twice"},
        {"a\tb\tleft\n", "line 1: 'index' is missing"},
        {"1\t1\tx\n", "line 1: 'x' is not a decimal number"},
        {"1\t1\tnan\n", "line 1: 'nan' is not a decimal number"},
        {"1\t1\tinf\n", "line 1: 'inf' is not a decimal number"},
        {"1\t1\t0x1p3\n", "line 1: '0x1p3' is not a decimal number"},
        {"1\t1\t\n", "line 1: '' is not a decimal number"},
        {"1\t1\t.\n", "line 1: '.' is not a decimal number"},
        {"1\t1\t--1\n", "line 1: '--1' is not a decimal number"},
        {"1\t1\t1e\n", "line 1: '1e' is not a decimal number"},
        {"1\t1\t1e+\n", "line 1: '1e+' is not a decimal number"},
        {"1\t1\t1.2.3\n", "line 1: '1.2.3' is not a decimal number"},
        {"1\t1\t1,5\n", "line 1: '1,5' is not a decimal number"},
        {"1\t1\t1 \n", "has no index for 2,1"},
        {"1\t1\t1e999\n", "line 1: '1e999' is out of range"},
        {"1\t1\t1/0\n", "line 1: '1/0' is not a fraction of whole numbers"},
        {"1\t1\t1/-3\n", "line 1: '1/-3' is not a fraction"},
        {"1\t1\t1.5/2\n", "line 1: '1.5/2' is not a fraction"},
        {"1\t1\t1e2/3\n", "line 1: '1e2/3' is not a fraction"},
        {"1\t1\t/3\n", "line 1: '/3' is not a fraction"},
        {"1\t1\t1/\n", "line 1: '1/' is not a fraction"},
        {"1\t1\t1/3/4\n", "line 1: '1/3/4' is not a fraction"},
        {"1\t1\t1e99999999999999999999\n", "is not a decimal number"},
        {"0\t1\t1\n", "line 1: '0' is not a positive decimal number"},
        {"1\t-1\t1\n", "line 1: '-1' is not a positive decimal number"},
        {"1\t1\t0\t1\n", "line 1: '0' is not a number of labels left"},
        {"1\t1\t1.5\t1\n", "line 1: '1.5' is not a number of labels left"},
        {"1\t1\t9999999999\t1\n", "line 1: '9999999999' is not a number of labels left"},
        {"2\t1\t0.1\n1\t1\t0.25\n2\t1\t0.2\n", "line 3: another index for 2,1 than on line 1"},
        {"2\t1\t4\t0.1\n2\t1\t3\t1\n1\t1\t1\t1\n2.0\t1\t4\t0.2\n",
         "line 4: another index for 2,1 with 4 left than on line 1"},
        {"2\t1\t0.10000000000000000001\n2\t1\t0.1\n", "another index for 2,1"},
        {"1\t1\t0.25\n", "has no index for 2,1"},
        {"1\t1\t1\t0.25\n2\t1\t2\t0.25\n", "has no index for 2,1 with 1 left"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        og_index *index = NULL;
        og_message message = {""};
        ck_assert_msg(read_table(rows[i].text, &index, &message) == OG_BAD_INPUT, "%s",
                      rows[i].text);
        ck_assert_ptr_null(index);
        ck_assert_msg(strstr(message.text, rows[i].said) != NULL, "'%s': \"%s\" lacks \"%s\"",
                      rows[i].text, message.text, rows[i].said);
        ck_assert_msg(strstr(message.text, "optgap-test-") != NULL, "%s", message.text);
    }
}

OG_TEST(table_that_cannot_be_read_is_told)
{
    static const char *const names[] = {"table:/nonexistent/index.tsv", "table:/",
                                        "table:/proc/self/mem"};
    static const char *const said[] = {"'/nonexistent/index.tsv' cannot be opened",
                                       "'/' cannot be opened: Is a directory",
                                       "'/proc/self/mem' cannot be read: Input/output error"};
    static const og_status status[] = {OG_BAD_INPUT, OG_BAD_INPUT, OG_FAILED};
    OWN(og_arms) *arms = small_arms();
    for (int i = 0; i < 3; i++) {
        og_policy_name policy;
        og_ranks *ranks = NULL;
        og_message message = {""};
        ck_assert_int_eq(og_policy_name_parse(names[i], &policy, NULL), OG_OK);
        ck_assert_int_eq(og_policy_name_ranks(&policy, arms, 1, 1, &ranks, &message), status[i]);
        ck_assert_ptr_null(ranks);
        ck_assert_msg(strstr(message.text, said[i]) != NULL, "%s", message.text);
    }
}

OG_TEST(without_a_tolerance_ranks_tie_where_the_decimals_are_equal_and_nowhere_else)
{
    static const struct {
        const char *of_11, *of_21;
        int order; /* of 1,1 against 2,1 */
    } rows[] = {{"0.1", "1e-1", 0},
                {"0.1", "0.100000000000000000000000000", 0},
                {"0.1", "0.100000000000000000000000001", -1}, /* the same double */
                {"-0.1", "-0.100000000000000000000000001", 1},
                {"0", "-0.0", 0},
                {"1e-500", "0", 1},
                {"1e-500", "1e-501", 1},
                {"12e1", "120", 0},
                {"1e300", "9e299", 1}};
    OWN(og_arms) *arms = small_arms();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        index_scrap file;
        og_ranks *ranks = NULL;
        snprintf(text, sizeof text, "1\t1\t%s\n2\t1\t%s\n", rows[i].of_11, rows[i].of_21);
        og_policy_name policy = table_of(text, &file);
        policy.tie_relative = 0;
        ck_assert_int_eq(og_policy_name_ranks(&policy, arms, 1, 1, &ranks, NULL), OG_OK);
        uint32_t x = og_ranks_of(ranks, 0, 1)[0], y = og_ranks_of(ranks, 1, 1)[0];
        ck_assert_msg((x > y) - (x < y) == rows[i].order, "%s against %s: ranks %u and %u",
                      rows[i].of_11, rows[i].of_21, x, y);
        ck_assert_uint_eq(ranks->tolerance_ties, 0);
        og_ranks_free(ranks);
        unlink(file.path);
    }
}

OG_TEST(near_decimals_tie_in_groups_from_the_largest_and_fractions_where_they_are_equal)
{
    static const struct {
        const char *index[3]; /* of 1,1; 2,1; 3,1 */
        uint32_t rank[3];
        uint64_t near;
    } rows[] = {
        {{"0.1", "0.1000000000000001", "0.3"}, {0, 0, 1}, 1},
        {{"-0.1", "-0.1000000000000001", "-0.1000000000000002"}, {0, 0, 0}, 2},
        /* A chain of steps of 6e-13: the largest takes one neighbour along, and no more. */
        {{"1.0", "1.0000000000006", "1.0000000000012"}, {0, 1, 1}, 1},
        {{"1.0", "1.000000000002", "0.999999999998"}, {1, 2, 0}, 0},
        {{"0.0", "1e-300", "-1e-300"}, {1, 2, 0}, 0},
        {{"1e-400", "1.0000000000001e-400", "0"}, {1, 1, 0}, 1},
        {{"1/3", "2/6", "33333333333333333333/100000000000000000000"}, {1, 1, 0}, 0},
        {{"-1/3", "+1/3", "0"}, {0, 2, 1}, 0},
        {{"10000000000000000", "10000000000000001", "1"}, {1, 2, 0}, 0},
        {{"1/3", "0.33333333333333331", "0.5"}, {0, 0, 1}, 1},
    };
    OWN(question) q = question_of("1,1 2,1 3,1", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        index_scrap file;
        og_ranks *ranks = NULL;
        snprintf(text, sizeof text, "1\t1\t%s\n2\t1\t%s\n3\t1\t%s\n", rows[i].index[0],
                 rows[i].index[1], rows[i].index[2]);
        og_policy_name policy = table_of(text, &file);
        ck_assert_int_eq(og_policy_name_ranks(&policy, q.arms, 1, 1, &ranks, NULL), OG_OK);
        for (int32_t arm = 0; arm < 3; arm++) {
            ck_assert_msg(og_ranks_of(ranks, arm, 1)[0] == rows[i].rank[arm], "row %zu: %d", i,
                          (int)arm);
        }
        ck_assert_msg(ranks->tolerance_ties == rows[i].near, "row %zu", i);
        og_ranks_free(ranks);
        unlink(file.path);
    }
}

/* Thousandths of a and b, and the other arguments of an index. */
typedef struct {
    bool by_left;
    uint64_t salt;
} index_recipe;

/* A number with few values, negative ones too, in quarters: nothing like an index of an instance.
 */
static int quarters(const index_recipe *recipe, double a, double b, int left)
{
    random_source mix = random_start(recipe->salt);
    mix.state += (uint64_t)llround(1000 * a) * 7919 + (uint64_t)llround(1000 * b) * 104729;
    mix.state += recipe->by_left ? (uint64_t)left * 1299709 : 0;
    return (int)random_below(&mix, 6) - 3;
}

static void recipe_index(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    mpq_set_si(
        out, quarters(data, mpq_get_d(arm->part[0].a) + s, mpq_get_d(arm->part[0].b) + f, left), 4);
    mpq_canonicalize(out);
}

/* Every arm's every node, as `optgap index` would. */
static og_policy_name recipe_policy(const index_recipe *recipe, const og_groups *problem,
                                    index_scrap *out)
{
    *out = scrap_open();
    fputs(recipe->by_left ? "a\tb\tleft\tindex\n" : "a\tb\tindex\n", out->file);
    for (int g = 0; g < problem->group_count; g++) {
        for (int n = 0; n < problem->budget; n++) {
            for (int s = 0; s <= n; s++) {
                for (int left = 1; left <= (recipe->by_left ? problem->budget - n : 1); left++) {
                    double a = og_fraction_double(og_groups_at(problem, g)->a) + s;
                    double b = og_fraction_double(og_groups_at(problem, g)->b) + n - s;
                    char labels[16] = "";
                    if (recipe->by_left) {
                        snprintf(labels, sizeof labels, "%d\t", left);
                    }
                    fprintf(out->file, "%.10g\t%.10g\t%s%.2f\n", a, b, labels,
                            0.25 * quarters(recipe, a, b, left));
                }
            }
        }
    }
    /* A row is needed even where nothing can be labelled. */
    fprintf(out->file, recipe->by_left ? "77\t77\t1\t0\n" : "77\t77\t0\n");
    return scrap_policy(out);
}

static void check_value(const og_groups *problem, const og_arms *arms, const og_ranks *ranks,
                        const oracle_arms *literal, og_ties ties)
{
    char words[256];
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_result result;
    OWN_MPQ expected = MPQ_NEW;
    problem_format(problem, words, sizeof words);
    oracle_policy_value(literal, ties, expected);
    ck_assert_int_eq(og_policy_value(arms, ranks, ties, &settings, &result, NULL), OG_OK);
    double bound = result.error_bound + oracle_error(literal);
    ck_assert_msg(oracle_within(result.value, bound, expected),
                  "%s, ties %s: %.17g, expected %.17g +- %.1g", words, og_ties_name(ties),
                  result.value, mpq_get_d(expected), bound);
}

OG_TEST(tables_are_worth_what_the_definition_says)
{
    random_source source = random_start(test_seed(5101));
    const random_limits limits = {.instances = 4, .budget = 5};
    for (int i = 0; i < test_cases(100); i++) {
        og_groups problem;
        index_scrap file;
        og_message message = {""};
        og_ranks *ranks = NULL;
        random_problem(&source, &limits, &problem);
        index_recipe how = {.by_left = i % 2 == 0, .salt = random_next(&source)};
        og_policy_name policy = recipe_policy(&how, &problem, &file);
        og_arms *arms = test_arms(&problem);
        oracle_arms *literal = oracle_new(&problem);
        oracle_choose(literal, recipe_index, &how);
        if (og_policy_name_ranks(&policy, arms, problem.budget, 1, &ranks, &message) != OG_OK) {
            ck_abort_msg("%s", message.text);
        }
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            check_value(&problem, arms, ranks, literal, (og_ties)ties);
        }
        og_ranks_free(ranks);
        oracle_free(literal);
        og_arms_free(arms);
        og_groups_clear(&problem);
        unlink(file.path);
    }
}

/* The gains of opt-kg with integer parameters at threshold 1/2 are dyadic, so doubles represent
 * them. */
OG_TEST(the_table_of_an_index_ranks_as_the_index_does)
{
    enum { BUDGET = 8 };
    og_policy_name named;
    OWN(question) q = question_of("3x1,1 2,1 4,2", BUDGET);
    og_index *index = NULL, *again = NULL;
    og_ranks *ranks = NULL, *read = NULL;
    ck_assert_int_eq(og_policy_name_parse("opt-kg", &named, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_index(&named, q.arms,
                                          &(og_policy_use){.whole_budget = BUDGET, .threads = 1},
                                          &index, NULL),
                     OG_OK);
    ck_assert_int_eq(og_policy_name_ranks(&named, q.arms, BUDGET, 1, &ranks, NULL), OG_OK);
    index_scrap file = scrap_open();
    for (int i = 0; i < q.arms->arm_count; i++) {
        for (uint32_t node = 0; node < q.arms->arm[i]->level[BUDGET]; node++) {
            og_fraction posterior[2];
            og_arm_posterior(q.arms->arm[i], node, posterior);
            fprintf(file.file, "%d\t%d\t%.17g\n", (int)posterior[0].num, (int)posterior[1].num,
                    og_index_of(index, i, 1)[node]);
        }
    }
    og_policy_name policy = scrap_policy(&file);
    ck_assert_int_eq(og_policy_name_index(&policy, q.arms,
                                          &(og_policy_use){.whole_budget = BUDGET, .threads = 1},
                                          &again, NULL),
                     OG_OK);
    ck_assert_int_eq(og_policy_name_ranks(&policy, q.arms, BUDGET, 1, &read, NULL), OG_OK);
    for (int i = 0; i < q.arms->arm_count; i++) {
        size_t nodes = q.arms->arm[i]->level[BUDGET];
        ck_assert_mem_eq(og_index_of(index, i, 1), og_index_of(again, i, 1),
                         nodes * sizeof(double));
        ck_assert_mem_eq(og_ranks_of(ranks, i, 1), og_ranks_of(read, i, 1),
                         nodes * sizeof(uint32_t));
    }
    unlink(file.path);
    og_index_free(index);
    og_index_free(again);
    og_ranks_free(ranks);
    og_ranks_free(read);
}
