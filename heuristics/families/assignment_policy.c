/* Policies that assign workers to tasks based only on the table of labels. */
#include "heuristics/families/assignment_policy.h"

#include <string.h>

/* Layout of the scratch space: the table, then the parts of a posterior. */
static size_t scratch_bytes(const og_assignment *assignment)
{
    return (2 * (size_t)assignment->tasks) * sizeof(double) +
           (size_t)og_assignment_cells(assignment);
}

/* Expected number of correct calls after a label, times the probability of the table before. */
static og_status choose_ahead(void *self, const og_strategy_view *view, double *answer,
                              og_answer *kind, og_message *message)
{
    const og_assignment_state *state = view->state;
    const og_assignment_posterior *posterior = &state->start->posterior;
    const og_assignment *assignment = posterior->assignment;
    double *plus = view->scratch, *minus = plus + assignment->tasks;
    int8_t *label = (int8_t *)(minus + assignment->tasks);
    (void)self, (void)message;
    memcpy(label, state->label, (size_t)og_assignment_cells(assignment));
    for (int32_t k = 0; k < view->count; k++) {
        int8_t *cell = &label[(size_t)view->open[k].act.part[0] * (size_t)assignment->workers +
                              view->open[k].act.part[1]];
        answer[k] = 0;
        for (int said = -1; said <= 1; said += 2) {
            *cell = (int8_t)said;
            og_assignment_weigh(posterior, label, plus, minus);
            answer[k] += og_assignment_called(assignment->tasks, plus, minus);
        }
        *cell = 0;
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status decide_by_majority(void *self, const og_strategy_view *view, double *decision,
                                    og_message *message)
{
    const og_assignment_state *state = view->state;
    const og_assignment *assignment = state->start->assignment;
    (void)self, (void)message;
    for (int32_t i = 0; i < assignment->tasks; i++) {
        decision[i] = 0;
        for (int32_t j = 0; j < assignment->workers; j++) {
            decision[i] += state->label[(int64_t)i * assignment->workers + j];
        }
    }
    return OG_OK;
}

static const struct {
    const char *name;
    og_strategy_choose *choose;
    bool majority;
} rows[] = {
    {"kg-exact", choose_ahead, false},
    {"naive", og_strategy_choose_any, true},
};

static int32_t row_of(const char *name)
{
    int32_t row = (int32_t)(sizeof rows / sizeof *rows) - 1;
    while (row >= 0 && strcmp(rows[row].name, name) != 0) {
        row--;
    }
    return row;
}

bool og_assignment_strategy_known(const char *name)
{
    return row_of(name) >= 0;
}

og_status og_assignment_strategy(const og_policy_name *named, const og_assignment_start *start,
                                 og_strategy *out, og_message *message)
{
    int32_t row = row_of(named->name);
    if (row < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' does not support the assignment of workers to tasks",
                              named->name);
    }
    *out = (og_strategy){.concurrent = true,
                         .tie_relative = OG_ASSIGNMENT_TIE,
                         .scratch_bytes = scratch_bytes(start->assignment),
                         .choose = rows[row].choose,
                         .decide = rows[row].majority ? decide_by_majority : NULL};
    return OG_OK;
}
