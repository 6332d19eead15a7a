/*
 * The optimum of assigning workers to tasks: known values and numbers of states. The definition is
 * in tests/conformance_crowd.c.
 */
#include "dp/engine/strategy.h"
#include "dp/families/assignment_model.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(assignment_model, 120);

enum { TASKS = 6, WORKERS = 4, CELLS = TASKS * WORKERS };

static const double known_digits = 1e-11; /* known values have thirteen */

static og_assignment_start *new_start(const og_assignment *assignment, const int8_t *label,
                                      int32_t budget)
{
    const int8_t empty[CELLS] = {0};
    og_message message = {""};
    og_assignment_start *start = NULL;
    og_status status = og_assignment_start_new(assignment, label != NULL ? label : empty, budget,
                                               &start, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return start;
}

static og_value_found value_of(const og_assignment_start *start, unsigned reductions, int threads)
{
    const og_value_asked asked = {.reductions = reductions};
    const og_settings settings = question_settings(reductions, threads);
    og_model model;
    ck_assert(og_assignment_model(start, &asked, &model) == OG_OK);
    return question_value(&model, &asked, &settings, "assignment");
}

static og_assignment *alike(int32_t tasks, int32_t workers, int32_t c, int32_t d)
{
    const int32_t context[TASKS] = {0};
    og_fraction prior[WORKERS][2];
    og_message message = {""};
    og_assignment *assignment = NULL;
    for (int32_t j = 0; j < workers; j++) {
        prior[j][0] = (og_fraction){c, 1};
        prior[j][1] = (og_fraction){d, 1};
    }
    ck_assert(og_assignment_new(&(og_assignment_given){tasks, context, 1, workers, false,
                                                       (const og_fraction(*)[2])prior},
                                &assignment, &message) == OG_OK);
    return assignment;
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

OG_TEST_LOOP(test_known_values, 0, sizeof known / sizeof *known)
{
    og_assignment *assignment = alike(known[_i].tasks, known[_i].workers, 4, 1);
    og_assignment_start *start = new_start(assignment, NULL, known[_i].labels);
    og_value_found found = value_of(start, OG_REDUCE_ALL, 2);
    ck_assert_double_eq_tol(found.result.value, known[_i].value, known_digits);
    ck_assert(found.result.error_bound > 0 && found.result.error_bound < 1e-12);
    og_assignment_start_free(start);
    og_assignment_free(assignment);
}

/* Canonical forms by stages, as the specification's programs count them. */
OG_TEST_LOOP(test_states_are_as_few_as_known, 0, 2)
{
    static const struct {
        int32_t workers, labels;
        uint64_t states; /* without the last stage, which is not remembered */
    } counts[] = {{3, 9, 136 - 7}, {4, 12, 792 - 19}};
    og_assignment *assignment = alike(3, counts[_i].workers, 4, 1);
    og_assignment_start *start = new_start(assignment, NULL, counts[_i].labels);
    ck_assert_uint_eq(value_of(start, OG_REDUCE_ALL, 1).result.states, counts[_i].states);
    og_assignment_start_free(start);
    og_assignment_free(assignment);
}

/* ---- random problems ---- */

/* Six tasks and four workers, twelve labels: what the specification wants within ten seconds. */
OG_TEST(test_large)
{
    og_assignment *assignment = alike(6, 4, 4, 1);
    og_assignment_start *start = new_start(assignment, NULL, test_is_short() ? 6 : 12);
    og_value_found found = value_of(start, OG_REDUCE_ALL, 2);
    ck_assert(found.result.value > 0.7 && found.result.value < 0.9153015873016);
    og_assignment_start_free(start);
    og_assignment_free(assignment);
}

OG_TEST(test_impossible_history)
{
    const int32_t context[] = {0};
    const og_fraction sure[2][2] = {{{1, 1}}, {{1, 1}}};
    const int8_t label[] = {1, -1};
    og_message message = {""};
    og_assignment *assignment = NULL;
    og_assignment_start *start = NULL;
    ck_assert(og_assignment_new(&(og_assignment_given){1, context, 1, 2, true, sure}, &assignment,
                                &message) == OG_OK);
    ck_assert(og_assignment_start_new(assignment, label, 1, &start, &message) == OG_BAD_INPUT);
    ck_assert(start == NULL && message.text[0] != '\0');
    og_assignment_free(assignment);
}
