/*
 * Sources of unknown accuracy (dp/families/sources_unknown.h): large tables in doubles against
 * fractions, their bound, and task assignment, where a worker is a source that labels once. Their
 * definition is in tests/conformance_crowd.c.
 */
#include "dp/engine/strategy.h"
#include "dp/exact/fractions.h"
#include "dp/families/assignment_model.h"
#include "dp/families/sources_unknown.h"
#include "heuristics/bounds/sources_bound.h"
#include "heuristics/bounds/sources_unknown_bound.h"
#include "heuristics/families/sources_unknown_policy.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(sources_unknown, 60);

static const uint64_t plenty = UINT64_C(1) << 30;

enum { INSTANCES = 3, SOURCES = 3, ACTS = INSTANCES * SOURCES };

/* ---- both ways to value it ---- */

static void check_near(double value, double error, const mpq_t defined, const char *what)
{
    OWN_MPQ off = MPQ_NEW, bound = MPQ_NEW;
    mpq_set_d(off, value);
    mpq_sub(off, off, defined);
    mpq_abs(off, off);
    mpq_set_d(bound, error);
    test_assert_msg(mpq_cmp(off, bound) <= 0, "%s: %.17g +- %g, not %.17g", what, value, error,
                    mpq_get_d(defined));
}

static void check_question(const og_crowd_problem *problem, const og_value_asked *asked,
                           const mpq_t defined, const char *what)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    OWN_MPQ value = MPQ_NEW, gain = MPQ_NEW;
    og_value_found found = {.value = value, .gain = gain};
    og_model model;
    ck_assert_int_eq(og_crowd_model(problem, asked, &model, &message), OG_OK);
    og_status status = og_fractions_value(&model, asked, &settings, &found, &message);
    test_assert_msg(status == OG_OK, "%s: %s", what, message.text);
    test_assert_msg(mpq_equal(value, defined), "%s: %.17g, not %.17g", what, mpq_get_d(value),
                    mpq_get_d(defined));
    ck_assert_int_eq(og_crowd_model(problem, asked, &model, &message), OG_OK);
    found = question_value(&model, asked, &settings, what);
    check_near(found.result.value, found.result.error_bound, defined, what);
}

static const og_fraction known = {0, 0};

/* ---- larger tables ---- */

static void fill_table(const og_crowd_problem *problem, random_source *random,
                       og_crowd_group *group)
{
    int32_t left = problem->budget;
    for (int32_t g = 0; g < problem->group_count; g++) {
        group[g] = (og_crowd_group){problem->prior_of_group[g], problem->size_of_group[g], {0}};
        int32_t labels = (int32_t)random_below(random, 6); /* of each copy */
        for (int32_t k = 0; k < labels && left >= group[g].copies; k++) {
            group[g].label[random_below(random, 2 * (uint32_t)problem->source_count)]++;
            left -= (int32_t)group[g].copies;
        }
    }
}

/* In doubles within the proved error, plus and minus being the parts of the whole. */
OG_TEST(a_table_is_weighed_within_the_error)
{
    enum { GROUPS = 8 };
    const og_crowd_sources sources = {{3, {{{13, 4}, 1, 0}, {{7, 10}, 1, 0}, {{100, 1}, 1, 0}}},
                                      {{3, 2}, known, {1, 3}}};
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    int cases = test_cases(20);
    OWN(og_groups) instances;
    og_crowd_problem problem;
    og_message message = {""};
    OWN_MPQ exact = MPQ_NEW;
    test_problem("3x1,1 2x1,2 5x1,3 1,1 1,4 5,3 2x1,1 50x3,1", 40, &instances);
    ck_assert_int_eq(og_crowd_problem_init(&instances, &sources, &problem, &message), OG_OK);
    double *room = calloc(problem.room, sizeof *room);
    ck_assert_ptr_nonnull(room);
    for (int round = 0; round < cases; round++) {
        og_crowd_group group[GROUPS];
        double plus[GROUPS], minus[GROUPS];
        char what[64];
        fill_table(&problem, &random, group);
        double all = og_crowd_weigh(&problem, group, GROUPS, room, plus, minus);
        for (int g = 0; g < GROUPS; g++) {
            ck_assert_double_le(fabs(plus[g] + minus[g] - all), 3 * problem.error * all);
        }
        double value = og_crowd_called(group, GROUPS, plus, minus);
        ck_assert_int_eq(og_crowd_called_exact(&problem, group, GROUPS, exact, NULL), OG_OK);
        snprintf(what, sizeof what, "TEST_SEED=%llu, round %d", (unsigned long long)seed, round);
        check_near(value, problem.error * value, exact, what);
    }
    ck_assert_double_lt(problem.error, 1e-11);
    free(room);
    og_crowd_problem_clear(&problem);
}

/* ---- task assignment ---- */

static void assignment_value(int32_t tasks, int32_t workers, int32_t budget,
                             const og_fraction (*accuracy)[2], mpq_t out)
{
    const int32_t context[INSTANCES] = {0};
    const int8_t label[ACTS] = {0};
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_assignment *assignment = NULL;
    og_assignment_start *from = NULL;
    const og_value_asked optimum = {.reductions = OG_REDUCE_ALL};
    mpq_t gain;
    og_value_found found = {.value = out, .gain = gain};
    og_model model;
    og_message message = {""};
    mpq_init(gain);
    ck_assert_int_eq(
        og_assignment_new(&(og_assignment_given){tasks, context, 1, workers, false, accuracy},
                          &assignment, &message),
        OG_OK);
    ck_assert_int_eq(og_assignment_start_new(assignment, label, budget, &from, &message), OG_OK);
    ck_assert_int_eq(og_assignment_model(from, &optimum, &model), OG_OK);
    ck_assert_int_eq(og_fractions_value(&model, &optimum, &settings, &found, &message), OG_OK);
    mpq_clear(gain);
    og_assignment_start_free(from);
    og_assignment_free(assignment);
}

/* Each source labels an instance once, for 1: a worker; the share of the tasks times their number.
 */
OG_TEST(a_source_that_labels_once_is_a_worker)
{
    const og_fraction accuracy[3][2] = {{{4, 1}, {1, 1}}, {{3, 1}, {2, 1}}, {{4, 1}, {1, 1}}};
    og_crowd_sources sources = {.sources.count = 3};
    for (int32_t j = 0; j < 3; j++) {
        sources.sources.source[j] = (og_label_source){accuracy[j][0], 1, 1};
        sources.wrong[j] = accuracy[j][1];
    }
    for (int32_t tasks = 1; tasks <= 3; tasks++) {
        for (int32_t budget = 0; budget <= (tasks < 3 ? 3 * tasks : 5); budget++) {
            const og_value_asked optimum = {.reductions = OG_REDUCE_ALL};
            OWN(og_groups) instances;
            og_crowd_problem problem;
            og_message message = {""};
            char words[16], what[32];
            OWN_MPQ value = MPQ_NEW, number = MPQ_NEW;
            snprintf(words, sizeof words, "%dx1,1", (int)tasks);
            snprintf(what, sizeof what, "%s, T=%d", words, (int)budget);
            assignment_value(tasks, 3, budget, accuracy, value);
            mpq_set_si(number, tasks, 1);
            mpq_mul(value, value, number);
            test_problem(words, budget, &instances);
            ck_assert_int_eq(og_crowd_problem_init(&instances, &sources, &problem, &message),
                             OG_OK);
            check_question(&problem, &optimum, value, what);
            og_crowd_problem_clear(&problem);
        }
    }
}

/* ---- accuracies that are all but known ---- */

static double optimum_of(const og_groups *instances, const og_crowd_sources *sources, double *error)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    const og_value_asked optimum = {.reductions = OG_REDUCE_ALL};
    og_crowd_problem problem;
    og_model model;
    og_message message = {""};
    ck_assert_int_eq(og_crowd_problem_init(instances, sources, &problem, &message), OG_OK);
    ck_assert_int_eq(og_crowd_model(&problem, &optimum, &model, &message), OG_OK);
    const og_value_found found = question_value(&model, &optimum, &settings, "sources");
    og_crowd_problem_clear(&problem);
    *error = found.result.error_bound;
    return found.result.value;
}

static double known_optimum(const og_groups *instances, const og_sources *sources)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_arms *arms = NULL;
    ck_assert_int_eq(og_arms_new_sources(instances, sources, 1, plenty, &arms, NULL), OG_OK);
    const og_result result = question_solve(arms, &settings, "known sources");
    og_arms_free(arms);
    return result.value;
}

/* A and B ten times as large bring the value ten times as near, for its variance is a tenth. */
OG_TEST(many_labels_of_a_source_make_it_known)
{
    og_crowd_sources sources = {{2, {{{7, 10}, 1, 0}, {{3, 5}, 1, 2}}}, {known, known}};
    OWN(og_groups) instances;
    double error, before = INFINITY;
    test_problem("2x1,1 1,2", 7, &instances);
    const double limit = known_optimum(&instances, &sources.sources);
    ck_assert_double_eq_tol(optimum_of(&instances, &sources, &error), limit, 1e-12);
    for (int64_t size = 100; size <= 100000; size *= 10) {
        sources.sources.source[0].accuracy = og_fraction_make(7 * size, 10);
        sources.wrong[0] = og_fraction_make(3 * size, 10);
        double off = fabs(optimum_of(&instances, &sources, &error) - limit);
        ck_assert_msg(off < before / 5, "%g of %g", off, before);
        before = off;
    }
    ck_assert_double_lt(before, 1e-4);
}

/* ---- the bound ---- */

static double bound_of(const og_groups *instances, const og_crowd_sources *sources, int32_t cells,
                       double *error)
{
    og_upper_bound bound;
    ck_assert_int_eq(og_bound_sources_unknown(instances, sources, cells, NULL, &bound), OG_OK);
    *error = bound.error;
    return bound.value;
}

OG_TEST(no_optimum_is_above_the_bound)
{
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    int cases = test_cases(12);
    for (int round = 0; round < cases; round++) {
        og_crowd_sources sources = {.sources.count = 2};
        char words[64];
        OWN(og_groups) instances;
        double error, ignored;
        for (int32_t j = 0; j < 2; j++) {
            bool unknown = j == 0 || round % 2 == 0;
            sources.sources.source[j] = (og_label_source){
                unknown ? og_fraction_make(1 + random_below(&random, 12), 2)
                        : og_fraction_make(random_below(&random, 11), 10),
                1 + (int32_t)random_below(&random, 3), (int32_t)random_below(&random, 3)};
            sources.wrong[j] = unknown ? og_fraction_make(1 + random_below(&random, 12), 2) : known;
        }
        snprintf(words, sizeof words, "%ux1,1 %u,2", 1 + random_below(&random, 3),
                 1 + random_below(&random, 4));
        test_problem(words, (int32_t)random_below(&random, 7), &instances);
        double optimum = optimum_of(&instances, &sources, &error);
        double before = (double)og_groups_size(&instances);
        for (int32_t cells = 1; cells <= 16; cells *= 4) {
            double bound = bound_of(&instances, &sources, cells, &ignored);
            test_assert_msg(optimum - error <= bound && bound <= before + 1e-9,
                            "TEST_SEED=%llu, round %d, %s, T=%d, %d cells: %.17g <= %.17g <= %.17g",
                            (unsigned long long)seed, round, words, (int)instances.budget,
                            (int)cells, optimum, bound, before);
            before = bound;
        }
    }
}

/* Beta(2, 1) has the density 2 q: sums of the bounds of known accuracies over a fine grid. */
OG_TEST(many_cells_come_to_the_mean_over_accuracies)
{
    enum { STEPS = 256 };
    const og_crowd_sources sources = {{1, {{{2, 1}, 1, 0}}}, {{1, 1}}};
    OWN(og_groups) instances;
    double mean = 0, error, before = INFINITY;
    test_problem("5x1,1 5x1,2", 12, &instances);
    for (int k = 0; k < STEPS; k++) {
        const og_fraction middle = og_fraction_make(2 * k + 1, 2 * STEPS);
        const og_sources with = og_crowd_as_known(&sources, &middle);
        OWN(og_upper_bound) bound;
        ck_assert_int_eq(og_bound_sources(&instances, &with, NULL, &bound), OG_OK);
        mean += 2 * og_fraction_double(middle) / STEPS * bound.value;
    }
    for (int32_t cells = 8; cells <= 128; cells *= 4) {
        double above = bound_of(&instances, &sources, cells, &error) - mean;
        ck_assert_msg(above > -1e-3 && above < before / 3, "%d: %g", (int)cells, above);
        before = above;
    }
    ck_assert_double_lt(before, 0.02);
}

OG_TEST(bad_problems_are_refused)
{
    og_crowd_sources sources = {{1, {{{4, 1}, 1, 0}}}, {{1, 1}}};
    OWN(og_groups) instances;
    og_crowd_problem problem = {.budget = -1};
    og_message message = {""};
    test_problem("2x1,1", 300, &instances);
    ck_assert_int_eq(og_crowd_problem_init(&instances, &sources, &problem, &message), OG_STOPPED);
    instances.budget = 3;
    sources.sources.source[0].accuracy = (og_fraction){0, 1};
    ck_assert_int_eq(og_crowd_problem_init(&instances, &sources, &problem, &message), OG_BAD_INPUT);
    ck_assert_int_eq(problem.budget, -1);
}
