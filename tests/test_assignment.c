/*
 * Assigning workers to tasks: the posterior of a table compared with its definition, with fractions
 * and with identities, and known optima from the recursion over all tables.
 */
#include <float.h>

#include "dp/base/rational.h"
#include "dp/families/assignment.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(assignment, 60);

enum { TASKS = 5, WORKERS = 4, CELLS = TASKS * WORKERS };

static og_assignment *new_problem(int32_t tasks, const int32_t *context, int32_t contexts,
                                  int32_t workers, bool known, const og_fraction (*accuracy)[2])
{
    og_message message = {""};
    og_assignment *assignment = NULL;
    og_status status = og_assignment_new(
        &(og_assignment_given){tasks, context, contexts, workers, known, accuracy}, &assignment,
        &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return assignment;
}

/* A problem of up to TASKS tasks and WORKERS workers; chances of 0 and 1 are among the known. */
static og_assignment *draw_problem(random_source *state)
{
    int32_t tasks = 1 + (int32_t)random_below(state, TASKS);
    int32_t workers = 1 + (int32_t)random_below(state, WORKERS);
    int32_t contexts = 1 + (int32_t)random_below(state, 3), context[TASKS];
    bool known = random_below(state, 2) == 0;
    og_fraction accuracy[3 * WORKERS][2];
    for (int32_t i = 0; i < tasks; i++) {
        context[i] = (int32_t)random_below(state, (uint32_t)contexts);
    }
    for (int32_t k = 0; k < contexts * workers; k++) {
        accuracy[k][0] =
            og_fraction_make(known ? random_below(state, 11) : 1 + random_below(state, 40), 10);
        accuracy[k][1] = og_fraction_make(1 + random_below(state, 40), 8);
    }
    return new_problem(tasks, context, contexts, workers, known, (const og_fraction(*)[2])accuracy);
}

static int32_t draw_table(random_source *state, const og_assignment *assignment, int8_t *label)
{
    int32_t labels = 0;
    for (int64_t k = 0; k < og_assignment_cells(assignment); k++) {
        label[k] = (int8_t)((int32_t)random_below(state, 3) - 1);
        labels += label[k] != 0;
    }
    return labels;
}

static og_assignment_posterior new_posterior(const og_assignment *assignment)
{
    og_message message = {""};
    og_assignment_posterior posterior = {.assignment = NULL};
    og_status status = og_assignment_posterior_init(
        assignment, (int32_t)og_assignment_cells(assignment), &posterior, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return posterior;
}

/* ---- by definition ---- */

/* The share of one worker in one context: q^ok (1-q)^(n-ok), or the quotient of two Betas. */
static double share(const og_assignment *assignment, int32_t pair, int32_t right, int32_t wrong)
{
    double x = og_fraction_double(assignment->accuracy[pair][0]);
    double y = og_fraction_double(assignment->accuracy[pair][1]);
    if (assignment->known) {
        return pow(x, right) * pow(1 - x, wrong);
    }
    return exp(lgamma(x + right) + lgamma(y + wrong) - lgamma(x + y + right + wrong) - lgamma(x) -
               lgamma(y) + lgamma(x + y));
}

/* Pr(table and these truths), a bit for each task. */
static double by_definition(const og_assignment *assignment, const int8_t *label, uint32_t truths)
{
    double product = ldexp(1, -assignment->tasks);
    for (int32_t s = 0; s < assignment->contexts; s++) {
        for (int32_t j = 0; j < assignment->workers; j++) {
            int32_t counts[2] = {0, 0};
            for (int32_t i = 0; i < assignment->tasks; i++) {
                int8_t said = label[i * assignment->workers + j];
                if (assignment->context[i] == s && said != 0) {
                    counts[said == ((truths >> i & 1) != 0 ? 1 : -1)]++;
                }
            }
            product *= share(assignment, s * assignment->workers + j, counts[1], counts[0]);
        }
    }
    return product;
}

OG_TEST_LOOP(test_posterior_is_the_definition, 0, test_cases(40))
{
    random_source state = random_start(test_seed(1) + (uint64_t)_i);
    og_assignment *assignment = draw_problem(&state);
    og_assignment_posterior posterior = new_posterior(assignment);
    int8_t label[CELLS];
    double plus[TASKS], minus[TASKS], all = 0, part[TASKS][2] = {{0}};
    draw_table(&state, assignment, label);
    for (uint32_t truths = 0; truths < UINT32_C(1) << assignment->tasks; truths++) {
        double term = by_definition(assignment, label, truths);
        all += term;
        for (int32_t i = 0; i < assignment->tasks; i++) {
            part[i][truths >> i & 1] += term;
        }
    }
    const double digits = 1e-12 * all; /* of the C library's functions */
    ck_assert_double_eq_tol(og_assignment_weigh(&posterior, label, plus, minus), all, digits);
    for (int32_t i = 0; i < assignment->tasks; i++) {
        ck_assert_double_eq_tol(minus[i], part[i][0], digits);
        ck_assert_double_eq_tol(plus[i], part[i][1], digits);
    }
    og_assignment_posterior_clear(&posterior);
    og_assignment_free(assignment);
}

static void check_near(double value, const mpq_t exact, double relative)
{
    double known = og_nearest(exact);
    ck_assert_double_le(fabs(value - known), (relative + DBL_EPSILON) * known);
}

OG_TEST_LOOP(test_doubles_are_the_fractions_within_the_error, 0, test_cases(40))
{
    random_source state = random_start(test_seed(2) + (uint64_t)_i);
    og_assignment *assignment = draw_problem(&state);
    og_assignment_posterior posterior = new_posterior(assignment);
    og_arena arena = {0};
    mpq_t *plus = og_arena_fractions(&arena, TASKS), *minus = og_arena_fractions(&arena, TASKS);
    mpq_t *evidence = og_arena_fractions(&arena, 2);
    int8_t label[CELLS];
    double by_plus[TASKS], by_minus[TASKS];
    draw_table(&state, assignment, label);
    ck_assert(og_assignment_weigh_exact(assignment, label, evidence[0], plus, minus) == OG_OK);
    ck_assert(og_assignment_weigh_exact(assignment, label, evidence[1], NULL, NULL) == OG_OK);
    ck_assert(mpq_equal(evidence[0], evidence[1]));
    double all = og_assignment_weigh(&posterior, label, by_plus, by_minus);
    ck_assert(all == og_assignment_weigh(&posterior, label, NULL, NULL));
    check_near(all, evidence[0], posterior.error);
    for (int32_t i = 0; i < assignment->tasks; i++) {
        check_near(by_plus[i], plus[i], posterior.error);
        check_near(by_minus[i], minus[i], posterior.error);
        mpq_add(evidence[1], plus[i], minus[i]);
        ck_assert(mpq_equal(evidence[0], evidence[1]));
    }
    og_arena_clear(&arena);
    og_assignment_posterior_clear(&posterior);
    og_assignment_free(assignment);
}

/* ---- identities ---- */

OG_TEST_LOOP(test_both_answers_make_the_table_before, 0, test_cases(40))
{
    random_source state = random_start(test_seed(3) + (uint64_t)_i);
    og_assignment *assignment = draw_problem(&state);
    og_assignment_posterior posterior = new_posterior(assignment);
    int8_t label[CELLS];
    draw_table(&state, assignment, label);
    double before = og_assignment_weigh(&posterior, label, NULL, NULL);
    for (int32_t k = 0; k < og_assignment_cells(assignment); k++) {
        if (label[k] != 0) {
            continue;
        }
        label[k] = 1;
        double positive = og_assignment_weigh(&posterior, label, NULL, NULL);
        label[k] = -1;
        double negative = og_assignment_weigh(&posterior, label, NULL, NULL);
        label[k] = 0;
        double error = 4 * posterior.error * before;
        if (before > 0) {
            ck_assert_double_eq_tol(positive + negative, before, error);
        } else { /* such a table cannot be */
            ck_assert(positive == 0 && negative == 0);
        }
    }
    og_assignment_posterior_clear(&posterior);
    og_assignment_free(assignment);
}

OG_TEST(test_scores)
{
    const double plus[] = {0.5, 0.125, 0.25}, minus[] = {0.25, 0.625, 0.5};
    const double sign[] = {2, 1e-30, -1}, coins[] = {0, 0, 0};
    ck_assert(og_assignment_called(3, plus, minus) == 0.5 + 0.625 + 0.5);
    ck_assert(og_assignment_scored(3, plus, minus, sign) == 0.5 + 0.125 + 0.5);
    ck_assert(og_assignment_scored(3, plus, minus, coins) == 0.375 * 3);
}

/* ---- the recursion over all tables ---- */

/* W of a table with so many labels to come; nothing is merged. */
static void recursion(const og_assignment *assignment, int8_t *label, int32_t left, mpq_t out)
{
    og_arena arena = {0};
    mpq_t *plus = og_arena_fractions(&arena, (size_t)assignment->tasks);
    mpq_t *minus = og_arena_fractions(&arena, (size_t)assignment->tasks);
    mpq_t *value = og_arena_fractions(&arena, 2);
    mpq_set_ui(out, 0, 1);
    if (left == 0) {
        ck_assert(og_assignment_weigh_exact(assignment, label, value[0], plus, minus) == OG_OK);
        for (int32_t i = 0; i < assignment->tasks; i++) {
            mpq_add(out, out, mpq_cmp(plus[i], minus[i]) > 0 ? plus[i] : minus[i]);
        }
    }
    for (int64_t k = 0; left > 0 && k < og_assignment_cells(assignment); k++) {
        if (label[k] == 0) {
            for (int8_t said = -1; said <= 1; said = (int8_t)(said + 2)) {
                label[k] = said;
                recursion(assignment, label, left - 1, value[said == 1]);
            }
            label[k] = 0;
            mpq_add(value[0], value[0], value[1]);
            if (mpq_cmp(value[0], out) > 0) {
                mpq_set(out, value[0]);
            }
        }
    }
    og_arena_clear(&arena);
}

/* Cases A, B and C of the specification: expected tasks that are called correctly, of `tasks`. */
static const struct {
    int32_t tasks, contexts, context[3], labels;
    bool known;
    og_fraction accuracy[6][2];
    unsigned long num, den;
} known_optima[] = {
    {2, 2, {0, 1}, 1, true, {{{9, 10}}, {{3, 5}}, {{3, 5}}, {{3, 5}}, {{9, 10}}, {{3, 5}}}, 7, 5},
    {2, 2, {0, 1}, 3, true, {{{9, 10}}, {{3, 5}}, {{3, 5}}, {{3, 5}}, {{9, 10}}, {{3, 5}}}, 9, 5},
    {3, 1, {0, 0, 0}, 2, true, {{{9, 10}}, {{7, 10}}, {{3, 5}}}, 23, 10},
    {2, 1, {0, 0}, 1, false, {{{4, 1}, {1, 1}}, {{4, 1}, {1, 1}}, {{4, 1}, {1, 1}}}, 13, 10},
    {2, 1, {0, 0}, 3, false, {{{4, 1}, {1, 1}}, {{4, 1}, {1, 1}}, {{4, 1}, {1, 1}}}, 202, 125},
};

OG_TEST_LOOP(test_known_optima, 0, sizeof known_optima / sizeof *known_optima)
{
    og_assignment *assignment =
        new_problem(known_optima[_i].tasks, known_optima[_i].context, known_optima[_i].contexts, 3,
                    known_optima[_i].known, known_optima[_i].accuracy);
    int8_t label[9] = {0};
    OWN_MPQ value = MPQ_NEW;
    recursion(assignment, label, known_optima[_i].labels, value);
    ck_assert(mpq_cmp_ui(value, known_optima[_i].num, known_optima[_i].den) == 0);
    og_assignment_free(assignment);
}

/* ---- refused input ---- */

static const struct {
    int32_t tasks, context, contexts, workers;
    bool known;
    og_fraction accuracy[2];
    const char *says;
} refused[] = {
    {0, 0, 1, 1, true, {{1, 2}}, "there must be at least one task"},
    {1, 0, 1, 0, true, {{1, 2}}, "there must be at least one worker"},
    {1, 0, 0, 1, true, {{1, 2}}, "there must be at least one context"},
    {1, 1, 1, 1, true, {{1, 2}}, "task 1 has context 2; accuracies are given for contexts 1 to 1"},
    {1, -1, 1, 1, true, {{1, 2}}, "task 1 has context 0; accuracies are given for contexts 1 to 1"},
    {1, 0, 1, 1, true, {{3, 2}}, "the accuracy of worker 1 in context 1 must be from 0 to 1"},
    {1, 0, 1, 1, true, {{-1, 2}}, "the accuracy of worker 1 in context 1 must be from 0 to 1"},
    {1,
     0,
     1,
     1,
     false,
     {{1, 1}, {0, 1}},
     "the accuracy of worker 1 in context 1 must be a Beta with parameters greater than 0"},
};

OG_TEST_LOOP(test_bad_problems, 0, sizeof refused / sizeof *refused)
{
    og_message message = {""};
    og_assignment *assignment = NULL;
    og_status status = og_assignment_new(
        &(og_assignment_given){refused[_i].tasks, &refused[_i].context, refused[_i].contexts,
                               refused[_i].workers, refused[_i].known, &refused[_i].accuracy},
        &assignment, &message);
    ck_assert(status == OG_BAD_INPUT && assignment == NULL);
    ck_assert_str_eq(message.text, refused[_i].says);
}

OG_TEST(test_limits)
{
    int32_t context[OG_ASSIGNMENT_TOGETHER_MAX + 1] = {0};
    og_fraction accuracy[OG_ASSIGNMENT_WORKERS_MAX + 1][2];
    og_message message = {""};
    og_assignment_posterior posterior;
    for (int32_t j = 0; j <= OG_ASSIGNMENT_WORKERS_MAX; j++) {
        accuracy[j][0] = accuracy[j][1] = (og_fraction){1, 1};
    }
    const og_fraction(*one)[2] = (const og_fraction(*)[2])accuracy;
    og_assignment *many = new_problem(OG_ASSIGNMENT_TOGETHER_MAX + 1, context, 1, 1, false, one);
    ck_assert(og_assignment_posterior_init(many, 21, &posterior, &message) == OG_STOPPED);
    ck_assert(og_assignment_posterior_init(many, 20, &posterior, &message) == OG_OK);
    og_assignment_posterior_clear(&posterior);
    og_assignment_free(many);
    many = new_problem(1, context, 1, OG_ASSIGNMENT_WORKERS_MAX + 1, true, one);
    ck_assert(og_assignment_posterior_init(many, 1, &posterior, &message) == OG_STOPPED);
    og_assignment_free(many);
}

OG_TEST(test_workers_alike)
{
    const int32_t context[] = {0};
    const og_fraction accuracy[6][2] = {{{1, 2}}, {{1, 2}}, {{1, 2}}, {{3, 4}}, {{3, 4}}, {{4, 5}}};
    og_assignment *assignment = new_problem(1, context, 2, 3, true, accuracy);
    ck_assert(og_assignment_workers_alike(assignment, 0, 1) &&
              !og_assignment_workers_alike(assignment, 1, 2));
    ck_assert(og_assignment_cells(assignment) == 3);
    og_assignment_free(assignment);
}
