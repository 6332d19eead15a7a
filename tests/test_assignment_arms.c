/*
 * Task assignment with known accuracies by arms beside the recursion over whole tables, which
 * shares no code with it: Q at the root and after labels, from the empty table and from others.
 */
#include "dp/families/assignment_arms.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(assignment_arms, 60);

enum { TASKS = 4, WORKERS = 3, CONTEXTS = 3, CELLS = TASKS * WORKERS };

typedef struct {
    og_assignment *assignment;
    og_assignment_start *start;
    og_settings settings;
    og_solution arms, tables;
} arms_problem;

/* Workers who are always right, never, or as often as not are among them, and twins. */
static og_fraction draw_accuracy(random_source *random)
{
    static const og_fraction odd[] = {{0, 1}, {1, 1}, {1, 2}, {7, 10}};
    uint32_t which = random_below(random, 8);
    return which < 4 ? odd[which] : og_fraction_make(1 + (int32_t)random_below(random, 19), 20);
}

static og_assignment *draw_assignment(random_source *random)
{
    int32_t tasks = 1 + (int32_t)random_below(random, TASKS), context[TASKS];
    int32_t contexts = 1 + (int32_t)random_below(random, CONTEXTS);
    int32_t workers = 1 + (int32_t)random_below(random, WORKERS);
    og_fraction accuracy[CONTEXTS * WORKERS][2] = {{{0, 1}}};
    og_message message = {""};
    og_assignment *assignment = NULL;
    for (int32_t i = 0; i < tasks; i++) {
        context[i] = (int32_t)random_below(random, (uint32_t)contexts);
    }
    for (int32_t k = 0; k < contexts * workers; k++) {
        accuracy[k][0] = draw_accuracy(random);
    }
    og_status status =
        og_assignment_new(&(og_assignment_given){tasks, context, contexts, workers, true,
                                                 (const og_fraction(*)[2])accuracy},
                          &assignment, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return assignment;
}

/* Every second time after some labels; tables that cannot be are drawn again. */
static void draw_problem(random_source *random, arms_problem *out)
{
    const og_value_asked optimum = {.reductions = OG_REDUCE_ALL};
    og_status status = OG_BAD_INPUT;
    og_message message = {""};
    og_model model;
    out->assignment = draw_assignment(random);
    int32_t budget = 1 + (int32_t)random_below(random, 7);
    bool history = random_below(random, 2) == 0;
    while (status == OG_BAD_INPUT) {
        int8_t label[CELLS] = {0};
        for (int64_t k = 0; history && k < og_assignment_cells(out->assignment); k++) {
            label[k] = (int8_t)((int)random_below(random, 5) / 2 - 1);
            label[k] = (int8_t)(random_below(random, 2) == 0 ? 0 : label[k]);
        }
        status = og_assignment_start_new(out->assignment, label, budget, &out->start, &message);
    }
    ck_assert_msg(status == OG_OK, "%s", message.text);
    og_settings_default(&out->settings);
    out->settings.memory_bytes = UINT64_C(1) << 28;
    out->settings.threads = 1 + (int)random_below(random, 2);
    ck_assert(og_assignment_has_arms(out->start) ==
              (out->assignment->tasks > 1 && out->start->budget > 0));
    ck_assert(og_assignment_model(out->start, &optimum, &model) == OG_OK);
    ck_assert(og_solution_by_engine(&model, &optimum, &out->settings, &out->tables, &message) ==
              OG_OK);
    if (out->start->budget > 0) {
        status = og_assignment_arms(out->start, &optimum, &out->settings, &out->arms, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
    }
}

static void close_problem(arms_problem *problem)
{
    og_solution_free(&problem->arms);
    og_solution_free(&problem->tables);
    og_assignment_start_free(problem->start);
    og_assignment_free(problem->assignment);
}

/* The free cells. */
static int32_t free_cells(const arms_problem *problem, og_act_open *open)
{
    int32_t count = 0;
    for (int64_t k = 0; k < og_assignment_cells(problem->assignment); k++) {
        if (problem->start->label[k] == 0) {
            uint32_t workers = (uint32_t)problem->assignment->workers;
            open[count++] = (og_act_open){{{(uint32_t)k / workers, (uint32_t)k % workers, 0}}, 1};
        }
    }
    return count;
}

OG_TEST_LOOP(q_is_that_of_tables, 0, test_cases(150))
{
    random_source random = random_start(test_seed(8200 + (uint64_t)_i));
    arms_problem at = {.assignment = NULL};
    og_act_open open[CELLS];
    double q[CELLS], error[CELLS], wanted[CELLS], wanted_error[CELLS];
    const int32_t none[CELLS] = {0};
    og_message message = {""};
    draw_problem(&random, &at);
    int32_t count = free_cells(&at, open);
    const og_counts counts = {at.start->budget, none, none};
    for (int way = 0; at.start->budget > 0 && way < 2; way++) {
        og_status status = way == 0
                               ? at.arms.q(at.arms.self, open, count, q, error, &message)
                               : at.arms.q_at(at.arms.self, &counts,
                                              &(og_act_values){open, count, q, error}, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
        ck_assert(at.tables.q(at.tables.self, open, count, wanted, wanted_error, &message) ==
                  OG_OK);
        for (int32_t k = 0; k < count; k++) {
            ck_assert_double_eq_tol(q[k], wanted[k], error[k] + 2 * wanted_error[k]);
            ck_assert(error[k] < 1e-12);
        }
    }
    close_problem(&at);
}

OG_TEST(arms_are_for_few_rows)
{
    static const struct {
        int32_t tasks, workers, labels;
        bool known, arms;
    } rows[] = {{2, 3, 0, true, false},  {2, 3, 2, true, true},    {2, 3, 2, false, false},
                {2, 12, 12, true, true}, {2, 13, 13, true, false}, {2, 16, 4, true, true},
                {2, 17, 1, true, false}, {1, 3, 2, true, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        og_fraction accuracy[20][2];
        const int32_t context[2] = {0};
        const int8_t label[2 * 20] = {0};
        og_assignment *assignment = NULL;
        og_assignment_start *start = NULL;
        for (int32_t j = 0; j < 20; j++) {
            accuracy[j][0] = accuracy[j][1] = (og_fraction){1, 2};
        }
        ck_assert(og_assignment_new(&(og_assignment_given){rows[k].tasks, context, 1,
                                                           rows[k].workers, rows[k].known,
                                                           (const og_fraction(*)[2])accuracy},
                                    &assignment, NULL) == OG_OK);
        ck_assert(og_assignment_start_new(assignment, label, rows[k].labels, &start, NULL) ==
                  OG_OK);
        ck_assert(og_assignment_has_arms(start) == rows[k].arms);
        og_assignment_start_free(start);
        og_assignment_free(assignment);
    }
}
