/*
 * A policy's choice in a state of the steps: by the ranks of posteriors, or by asking the strategy.
 */
#include "bench/questions/choice.h"

#include <math.h>

#include "dp/product/chooser.h"

const char *og_choice_refusal(const og_strategy *by)
{
    return by->beyond             ? "it may make choices that the optimum may not"
           : by->by_order         ? "it depends on the order of labels"
           : by->branches_max > 1 ? "its belief depends on coins"
                                  : NULL;
}

og_status og_choice_init(og_arena *arena, const og_strategy *by, const og_steps *steps,
                         og_ties ties, og_choice *out)
{
    *out = (og_choice){.by = by, .steps = steps, .ties = ties};
    out->open = og_arena_array(arena, (size_t)steps->acts_max, sizeof *out->open);
    out->scratch = og_arena_array(arena, by->scratch_bytes, 1);
    return og_arena_status(arena);
}

/* Labels that have a price: a policy that stops by a rule of its own does not see the standard arm,
 * the last group, whose act is to stop: its weight there is that of stopping. */
static og_status weigh_by_ranks(const og_choice *choice, const og_step_view *stand, double *weight,
                                og_answer *kind, og_message *message)
{
    const og_ranks *ranks = choice->by->ranks;
    og_state seen = *(const og_state *)stand->state;
    bool standard = seen.count > 0 && seen.group[seen.count - 1].arm >= ranks->arm_count;
    seen.count -= standard;
    og_status status = og_ranks_pick(ranks, &seen, choice->ties, weight, kind);
    if (status != OG_OK) {
        og_ranks_failure(ranks, message);
    } else if (standard) {
        weight[seen.count + 1] = 0;
    }
    return status;
}

og_status og_choice_weigh(const og_choice *choice, const og_step_view *stand, double *weight,
                          og_answer *kind, og_message *message)
{
    const og_strategy *by = choice->by;
    const og_expansion *x = stand->x;
    int32_t apart = 0;
    if (by->ranks != NULL) {
        return weigh_by_ranks(choice, stand, weight, kind, message);
    }
    for (int32_t i = 0; i < x->action_count; i++) {
        choice->open[i] = (og_act_open){choice->steps->act(choice->steps->self, &x->action[i]),
                                        (int64_t)x->action[i].weight};
    }
    const og_strategy_view view = {choice->scratch, stand->state, stand->belief, choice->open,
                                   x->action_count};
    weight[x->action_count] = -INFINITY;
    OG_TRY(by->choose(by->self, &view, weight, kind, message));
    OG_TRY(og_strategy_weigh(by, *kind, choice->ties, choice->open, x->action_count, weight, &apart,
                             message));
    return choice->may_stop || weight[x->action_count] == 0
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "the policy stops, which is not supported for this problem");
}
