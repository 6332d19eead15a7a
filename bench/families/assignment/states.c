/* The start of an assignment of workers to tasks, and its states as numbers. */
#include "bench/families/assignment/problem.h"

og_status assignment_start(const assignment *problem, const og_assignment_start **out,
                           og_message *message)
{
    if (problem->start == NULL) {
        return og_message_set(message, OG_STOPPED, "%s", problem->why.text);
    }
    *out = problem->start;
    return OG_OK;
}

/* Count the labels of a state; its table includes those before the root. */
static void count_labels(const void *self, const void *state, int32_t *positive, int32_t *negative,
                         int32_t *left)
{
    const assignment *problem = self;
    const og_assignment_state *now = state;
    for (int64_t k = 0; k < og_assignment_cells(problem->assignment); k++) {
        positive[k] += now->label[k] > 0;
        negative[k] += now->label[k] < 0;
    }
    *left = now->left;
}

static og_label_choice choice_of(const void *self, og_act act)
{
    (void)self;
    return (og_label_choice){(int32_t)act.part[0], (int32_t)act.part[1], 1};
}

static og_act act_of(const void *self, og_label_choice choice)
{
    (void)self;
    return (og_act){{(uint32_t)choice.instance, (uint32_t)choice.worker, 0}};
}

void assignment_situations(const void *problem, og_situations *out)
{
    const assignment *own = problem;
    *out = (og_situations){.self = own,
                           .instances = own->assignment->tasks,
                           .workers = own->assignment->workers,
                           .budget = own->whole_budget,
                           .left = own->left,
                           .once = true,
                           .renames = true,
                           .count = count_labels,
                           .choice = choice_of,
                           .act = act_of};
}
