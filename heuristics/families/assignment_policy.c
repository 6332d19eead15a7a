/* Policies that assign workers to tasks based only on the table of labels. */
#include "heuristics/families/assignment_policy.h"

#include <string.h>

/* Layout of the scratch space: Pr(table) now, the parts of a posterior, the table. */
static size_t scratch_bytes(const og_assignment *assignment)
{
    return (1 + 2 * (size_t)assignment->tasks) * sizeof(double) +
           (size_t)og_assignment_cells(assignment);
}

/* Expected number of correct calls after a label, times the probability of the table before. */
static og_status prospect(const void *self, const og_strategy_view *view, int32_t k,
                          og_prospect *out, og_message *message)
{
    const og_assignment_state *state = view->state;
    const og_assignment_posterior *posterior = &state->start->posterior;
    const og_assignment *assignment = posterior->assignment;
    double *now = view->scratch, *plus = now + 1, *minus = plus + assignment->tasks;
    int8_t *label = (int8_t *)(minus + assignment->tasks);
    int8_t *cell = &label[(size_t)view->open[k].act.part[0] * (size_t)assignment->workers +
                          view->open[k].act.part[1]];
    double chance[2], gain[2], called[2];
    (void)self, (void)message;
    if (k == 0) {
        memcpy(label, state->label, (size_t)og_assignment_cells(assignment));
        *now = og_assignment_weigh(posterior, label, NULL, NULL);
    }
    for (int said = 0; said < 2; said++) {
        *cell = said == 0 ? -1 : 1;
        chance[said] = og_assignment_weigh(posterior, label, plus, minus) / *now;
        called[said] = og_assignment_called(assignment->tasks, plus, minus);
        gain[said] = called[said] / chance[said];
    }
    *cell = 0;
    og_prospect_pair(out, chance, gain);
    out->mean = called[0] + called[1];
    out->mean_radius = 0;
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

bool og_assignment_strategy_known(const og_policy_name *named)
{
    og_rule_use use;
    return strcmp(named->name, "naive") == 0 || (og_policy_name_rule(named, &use) && use.exact);
}

og_status og_assignment_strategy(const og_policy_name *named, const og_assignment_start *start,
                                 og_strategy *out, og_message *message)
{
    og_rule_use use;
    if (!og_assignment_strategy_known(named)) {
        return og_policy_name_refuse(named, "the assignment of workers to tasks", "assignment",
                                     message);
    }
    bool naive = !og_policy_name_rule(named, &use);
    use = naive ? (og_rule_use){.rule = &og_rule_any} : use;
    OG_TRY(og_ruled_new(sizeof(og_ruled), &use, prospect, out));
    out->tie_relative = OG_ASSIGNMENT_TIE;
    out->scratch_bytes = scratch_bytes(start->assignment);
    if (naive) {
        out->choose = og_strategy_choose_any;
        out->decide = decide_by_majority;
    }
    return OG_OK;
}
