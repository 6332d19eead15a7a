/*
 * The optimum of assigning workers to tasks: known values, the definition over all tables in order
 * of time without any state being merged, and that what merges states changes nothing.
 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "dp/families/assignment_model.h"
#include "tests/random_problem.h"
#include "tests/support.h"

enum { TASKS = 6, WORKERS = 4, CELLS = TASKS * WORKERS };

static const double known_digits = 1e-11; /* known values have thirteen */

static og_assignment_start *new_start(const og_assignment *of, const int8_t *label, int32_t budget)
{
    const int8_t empty[CELLS] = {0};
    og_message message = {""};
    og_assignment_start *start = NULL;
    og_status status =
        og_assignment_start_new(of, label != NULL ? label : empty, budget, &start, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return start;
}

static og_solution solve(const og_assignment_start *start, unsigned reductions, int threads)
{
    const og_question question = {.reductions = reductions};
    og_settings settings;
    og_message message = {""};
    og_model model;
    og_solution solution;
    og_settings_default(&settings);
    settings.threads = threads;
    settings.memory_bytes = UINT64_C(1) << 28;
    ck_assert(og_assignment_model(start, &question, &model) == OG_OK);
    ck_assert(og_solution_by_engine(&model, &question, &settings, &solution, &message) == OG_OK);
    return solution;
}

static og_value_found value_of(const og_assignment_start *start, unsigned reductions, int threads)
{
    og_message message = {""};
    og_solution solution = solve(start, reductions, threads);
    og_value_found found = {.value = NULL};
    ck_assert_msg(solution.value(solution.self, &found, &message) == OG_OK, "%s", message.text);
    og_solution_free(&solution);
    return found;
}

static og_assignment *alike(int32_t tasks, int32_t workers, int32_t c, int32_t d)
{
    const int32_t context[TASKS] = {0};
    og_fraction prior[WORKERS][2];
    og_message message = {""};
    og_assignment *of = NULL;
    for (int32_t j = 0; j < workers; j++) {
        prior[j][0] = (og_fraction){c, 1};
        prior[j][1] = (og_fraction){d, 1};
    }
    ck_assert(og_assignment_new(&(og_assignment_given){tasks, context, 1, workers, false,
                                                       (const og_fraction(*)[2])prior},
                                &of, &message) == OG_OK);
    return of;
}

/* Cases C and D of the specification, and larger ones: workers Beta(4, 1), one context. */
static const struct {
    int32_t tasks, workers, labels;
    double value;
} known[] = {
    {2, 3, 1, 0.65},
    {2, 3, 2, 0.8},
    {2, 3, 3, 0.808},
    {2, 3, 4, 0.856},
    {2, 3, 5, 332. / 375},
    {2, 3, 6, 0.896},
    {3, 3, 0, 0.5},
    {3, 3, 1, 0.6},
    {3, 3, 2, 0.7},
    {3, 3, 3, 0.8},
    {3, 3, 4, 304. / 375},
    {3, 3, 5, 6658. / 7875},
    {3, 3, 6, 1364. / 1575},
    {3, 3, 7, 0.8856961451247},
    {3, 3, 8, 0.8941617535903},
    {3, 3, 9, 0.896},
    {3, 3, 100, 0.896},
    {3, 4, 5, 0.8454603174603},
    {3, 4, 8, 0.9056653061225},
    {3, 4, 12, 0.9153015873016},
    {4, 4, 5, 0.812},
    {4, 4, 6, 0.8401904761905},
    {4, 4, 7, 0.8593102040816},
    {4, 4, 8, 0.8781473922903},
    {4, 4, 9, 0.8956643990930},
};

START_TEST(test_known_values)
{
    og_assignment *of = alike(known[_i].tasks, known[_i].workers, 4, 1);
    og_assignment_start *start = new_start(of, NULL, known[_i].labels);
    og_value_found found = value_of(start, OG_REDUCE_ALL, 2);
    ck_assert_double_eq_tol(found.result.value, known[_i].value, known_digits);
    ck_assert(found.result.error_bound > 0 && found.result.error_bound < 1e-12);
    og_assignment_start_free(start);
    og_assignment_free(of);
}
END_TEST

/* Canonical forms by stages, as the specification's programs count them. */
START_TEST(test_states_are_as_few_as_known)
{
    static const struct {
        int32_t workers, labels;
        uint64_t states; /* without the last stage, which is not remembered */
    } counts[] = {{3, 9, 136 - 7}, {4, 12, 792 - 19}};
    og_assignment *of = alike(3, counts[_i].workers, 4, 1);
    og_assignment_start *start = new_start(of, NULL, counts[_i].labels);
    ck_assert_uint_eq(value_of(start, OG_REDUCE_ALL, 1).result.states, counts[_i].states);
    og_assignment_start_free(start);
    og_assignment_free(of);
}
END_TEST

/* ---- random problems ---- */

static og_assignment *draw_problem(random_source *state)
{
    int32_t tasks = 1 + (int32_t)random_below(state, 4),
            workers = 1 + (int32_t)random_below(state, 3);
    int32_t contexts = 1 + (int32_t)random_below(state, 2), context[TASKS];
    bool known_chances = random_below(state, 2) == 0;
    og_fraction accuracy[2 * WORKERS][2];
    og_message message = {""};
    og_assignment *of = NULL;
    for (int32_t i = 0; i < tasks; i++) {
        context[i] = (int32_t)random_below(state, (uint32_t)contexts);
    }
    for (int32_t k = 0; k < contexts * workers; k++) { /* few values: many are alike */
        accuracy[k][0] = og_fraction_make(1 + random_below(state, 3), 4);
        accuracy[k][1] = og_fraction_make(1 + random_below(state, 2), 1);
        if (random_below(state, 2) == 0 && k > 0) {
            memcpy(accuracy[k], accuracy[k - 1], sizeof accuracy[k]);
        }
    }
    ck_assert(
        og_assignment_new(&(og_assignment_given){tasks, context, contexts, workers, known_chances,
                                                 (const og_fraction(*)[2])accuracy},
                          &of, &message) == OG_OK);
    return of;
}

/* W of a table, by truths and labels alone: the chance of each label given the truths is a chain of
 * predictive chances. Nothing is merged. */
static double recursion(const og_assignment_start *start, int8_t *label, int32_t left)
{
    const og_assignment *of = start->of;
    double plus[TASKS], minus[TASKS], best = 0;
    if (left == 0) {
        og_assignment_weigh(&start->posterior, label, plus, minus);
        return og_assignment_called(of->tasks, plus, minus) / of->tasks;
    }
    for (int64_t k = 0; k < og_assignment_cells(of); k++) {
        if (label[k] == 0) {
            double sum = 0;
            for (int8_t said = -1; said <= 1; said = (int8_t)(said + 2)) {
                label[k] = said;
                sum += recursion(start, label, left - 1);
            }
            label[k] = 0;
            best = fmax(best, sum);
        }
    }
    return best;
}

START_TEST(test_merging_changes_nothing)
{
    random_source state = random_start(test_seed(1) + (uint64_t)_i);
    og_assignment *of = draw_problem(&state);
    int8_t label[CELLS] = {0}, at[CELLS];
    for (int64_t k = 0; k < og_assignment_cells(of); k++) {
        label[k] =
            (int8_t)(random_below(&state, 5) == 0 ? 1 - 2 * (int)random_below(&state, 2) : 0);
    }
    og_assignment_start *start = new_start(of, label, (int32_t)random_below(&state, 5));
    memcpy(at, label, sizeof at);
    double expected = recursion(start, at, start->budget) / start->mass;
    double error = 2 * og_assignment_error(start);
    double first = 0;
    for (unsigned reductions = 0; reductions < 4; reductions++) {
        unsigned which =
            (reductions & 1 ? OG_REDUCE_SORT : 0) | (reductions & 2 ? OG_REDUCE_MERGE : 0);
        og_value_found found = value_of(start, which, 1);
        ck_assert_double_eq_tol(found.result.value, expected, error);
        first = found.result.value;
    }
    ck_assert(value_of(start, OG_REDUCE_SORT | OG_REDUCE_MERGE, 3).result.value == first);
    og_assignment_start_free(start);
    og_assignment_free(of);
}
END_TEST

/* Q of every act is the value of its successor states, from problems that start there. */
START_TEST(test_q_is_the_value_behind)
{
    random_source state = random_start(test_seed(2) + (uint64_t)_i);
    og_assignment *of = draw_problem(&state);
    og_assignment_start *start = new_start(of, NULL, 1 + (int32_t)random_below(&state, 3));
    og_solution solution = solve(start, OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_act_open open[CELLS];
    double q[CELLS], error[CELLS];
    int32_t cells = (int32_t)og_assignment_cells(of);
    for (int32_t k = 0; k < cells; k++) {
        open[k] = (og_act_open){{{(uint32_t)(k / of->workers), (uint32_t)(k % of->workers), 0}}, 1};
    }
    ck_assert(solution.q(solution.self, open, cells, q, error, &message) == OG_OK);
    for (int32_t k = 0; k < cells; k++) {
        double sum = 0;
        for (int8_t said = -1; said <= 1; said = (int8_t)(said + 2)) {
            int8_t label[CELLS] = {0};
            label[k] = said;
            og_assignment_start *behind = new_start(of, label, start->budget - 1);
            sum += behind->mass * value_of(behind, OG_REDUCE_ALL, 1).result.value;
            og_assignment_start_free(behind);
        }
        ck_assert_double_eq_tol(q[k], sum - start->prior,
                                error[k] + og_assignment_error(start) * 3);
    }
    og_solution_free(&solution);
    og_assignment_start_free(start);
    og_assignment_free(of);
}
END_TEST

/* Six tasks and four workers, twelve labels: what the specification wants within ten seconds. */
START_TEST(test_large)
{
    og_assignment *of = alike(6, 4, 4, 1);
    og_assignment_start *start = new_start(of, NULL, test_is_short() ? 6 : 12);
    og_value_found found = value_of(start, OG_REDUCE_ALL, 2);
    ck_assert(found.result.value > 0.7 && found.result.value < 0.9153015873016);
    og_assignment_start_free(start);
    og_assignment_free(of);
}
END_TEST

START_TEST(test_impossible_history)
{
    const int32_t context[] = {0};
    const og_fraction sure[2][2] = {{{1, 1}}, {{1, 1}}};
    const int8_t label[] = {1, -1};
    og_message message = {""};
    og_assignment *of = NULL;
    og_assignment_start *start = NULL;
    ck_assert(og_assignment_new(&(og_assignment_given){1, context, 1, 2, true, sure}, &of,
                                &message) == OG_OK);
    ck_assert(og_assignment_start_new(of, label, 1, &start, &message) == OG_BAD_INPUT);
    ck_assert(start == NULL && message.text[0] != '\0');
    og_assignment_free(of);
}
END_TEST

OG_SUITE(assignment_model)
{
    Suite *suite = suite_create("assignment_model");
    TCase *all = test_group(suite, "all", 120);
    tcase_add_loop_test(all, test_known_values, 0, (int)(sizeof known / sizeof *known));
    tcase_add_loop_test(all, test_states_are_as_few_as_known, 0, 2);
    tcase_add_loop_test(all, test_merging_changes_nothing, 0, test_cases(40));
    tcase_add_loop_test(all, test_q_is_the_value_behind, 0, test_cases(20));
    tcase_add_test(all, test_large);
    tcase_add_test(all, test_impossible_history);
    return test_run(suite);
}
