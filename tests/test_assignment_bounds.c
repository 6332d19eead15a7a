/*
 * Bounds of assigning workers to tasks: they are above the optimum, the Lagrangian equals its
 * definition at any price, and the full table equals the full recursion.
 */
#include "dp/base/rational.h"
#include "dp/engine/strategy.h"
#include "dp/families/assignment_bounds.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(assignment_bounds, 60);

enum { TASKS = 3, WORKERS = 3, CELLS = TASKS * WORKERS };

static og_assignment *draw_problem(random_source *state, bool known)
{
    int32_t tasks = 1 + (int32_t)random_below(state, TASKS);
    int32_t workers = 1 + (int32_t)random_below(state, WORKERS);
    int32_t contexts = 1 + (int32_t)random_below(state, 2), context[TASKS];
    og_fraction accuracy[2 * WORKERS][2];
    og_message message = {""};
    og_assignment *assignment = NULL;
    for (int32_t i = 0; i < tasks; i++) {
        context[i] = (int32_t)random_below(state, (uint32_t)contexts);
    }
    for (int32_t k = 0; k < contexts * workers; k++) {
        accuracy[k][0] = og_fraction_make(1 + random_below(state, 9), known ? 10 : 2);
        accuracy[k][1] = og_fraction_make(1 + random_below(state, 6), 2);
    }
    ck_assert(og_assignment_new(&(og_assignment_given){tasks, context, contexts, workers, known,
                                                       (const og_fraction(*)[2])accuracy},
                                &assignment, &message) == OG_OK);
    return assignment;
}

static double optimum_of(const og_assignment *assignment, const int8_t *label, int32_t labels,
                         double *error)
{
    const og_value_asked asked = {.reductions = OG_REDUCE_ALL};
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_assignment_start *start = NULL;
    og_model model;
    ck_assert(og_assignment_start_new(assignment, label, labels, &start, NULL) == OG_OK);
    ck_assert(og_assignment_model(start, &asked, &model) == OG_OK);
    const og_value_found found = question_value(&model, &asked, &settings, "assignment");
    og_assignment_start_free(start);
    *error = found.result.error_bound;
    return found.result.value;
}

/* ---- the Lagrangian ---- */

/* v_z of a row from its definition, normalised: the recursion uses the probability that the truth
 * is +1. */
static double alone(const og_assignment *assignment, int32_t s, const int8_t *row, double chance,
                    double price)
{
    double best = fmax(chance, 1 - chance);
    for (int32_t j = 0; j < assignment->workers; j++) {
        int8_t after[WORKERS];
        if (row[j] != 0) {
            continue;
        }
        double q = assignment->chance[s * assignment->workers + j][0], sum = -price;
        for (int said = 0; said < 2; said++) {
            double with = said == 1 ? q : 1 - q, mass = chance * with + (1 - chance) * (1 - with);
            memcpy(after, row, (size_t)assignment->workers);
            after[j] = said == 1 ? 1 : -1;
            sum += mass * alone(assignment, s, after, chance * with / mass, price);
        }
        best = fmax(best, sum);
    }
    return best;
}

static double posterior_of(const og_assignment *assignment, int32_t i, const int8_t *row)
{
    double plus = 1, minus = 1;
    for (int32_t j = 0; j < assignment->workers; j++) {
        double q = assignment->chance[assignment->context[i] * assignment->workers + j][0];
        plus *= row[j] == 0 ? 1 : row[j] == 1 ? q : 1 - q;
        minus *= row[j] == 0 ? 1 : row[j] == 1 ? 1 - q : q;
    }
    return plus / (plus + minus);
}

static double by_definition(const og_assignment *assignment, const int8_t *label, int32_t labels,
                            double price)
{
    double sum = price * labels;
    for (int32_t i = 0; i < assignment->tasks; i++) {
        const int8_t *row = &label[i * assignment->workers];
        sum +=
            alone(assignment, assignment->context[i], row, posterior_of(assignment, i, row), price);
    }
    return sum / assignment->tasks;
}

static const double rounding = 1e-13; /* of the definition as it is written here */

OG_TEST_LOOP(test_lagrangian, 0, test_cases(40))
{
    random_source state = random_start(test_seed(1) + (uint64_t)_i);
    og_assignment *assignment = draw_problem(&state, true);
    int32_t labels = (int32_t)random_below(&state, 7);
    int8_t label[CELLS] = {0};
    og_assignment_bound bound;
    double error;
    if (random_below(&state, 2) == 0) {
        label[0] = 1;
        label[og_assignment_cells(assignment) - 1] = -1;
    }
    ck_assert(og_assignment_lagrangian(assignment, label, labels, NULL, &bound) == OG_OK);
    double optimum = optimum_of(assignment, label, labels, &error);
    ck_assert_double_ge(bound.value, optimum - error);
    ck_assert_double_eq_tol(bound.value, by_definition(assignment, label, labels, bound.price),
                            bound.error + rounding);
    for (int k = 0; k <= 100; k++) {
        ck_assert_double_le(bound.value,
                            by_definition(assignment, label, labels, k / 200.) + rounding);
    }
    OWN_MPQ price = MPQ_NEW, value = MPQ_NEW;
    mpq_set_d(price, bound.price);
    ck_assert(og_assignment_lagrangian_exact(assignment, label, labels, price, value) == OG_OK);
    ck_assert_double_ge(bound.value, og_nearest(value));
    ck_assert_double_le(bound.value, og_nearest(value) + 2 * bound.error);
    og_assignment_free(assignment);
}

OG_TEST_LOOP(test_full_table, 0, test_cases(20))
{
    random_source state = random_start(test_seed(2) + (uint64_t)_i);
    og_assignment *assignment = draw_problem(&state, false);
    const int8_t label[CELLS] = {0};
    og_assignment_bound bound;
    double error, optimum = optimum_of(assignment, label, CELLS, &error);
    ck_assert(og_assignment_everything(assignment, NULL, &bound) == OG_OK);
    ck_assert_double_ge(bound.value, optimum - error);
    ck_assert_double_le(bound.value, optimum + error + 2 * bound.error);
    ck_assert_double_ge(bound.value, optimum_of(assignment, label, 2, &error) - error);
    og_assignment_free(assignment);
}

OG_TEST(test_what_has_no_bound)
{
    random_source state = random_start(test_seed(3));
    const int8_t label[CELLS] = {0};
    og_assignment *known = draw_problem(&state, true), *unknown = draw_problem(&state, false);
    og_assignment_bound bound = {.value = -1};
    ck_assert(og_assignment_everything(known, NULL, &bound) == OG_STOPPED);
    ck_assert(og_assignment_lagrangian(unknown, label, 1, NULL, &bound) == OG_STOPPED);
    ck_assert(bound.value == -1);
    og_assignment_free(known);
    og_assignment_free(unknown);
}
