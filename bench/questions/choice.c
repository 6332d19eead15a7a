/*
 * A policy's choice in a state of the steps: by the ranks of posteriors, or by asking the strategy.
 */
#include "bench/questions/choice.h"

#include "dp/product/chooser.h"

const char *og_choice_refusal(const og_strategy *by)
{
    return by->beyond     ? "it may make choices that the optimum may not"
           : by->by_order ? "it depends on the order of labels"
           : by->belief_bytes > 0 || by->decide != NULL ? "it uses a belief of its own"
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

static og_status weigh_by_ranks(const og_choice *choice, const og_step_view *stand, double *weight,
                                og_answer *kind, og_message *message)
{
    og_status status = og_ranks_pick(choice->by->ranks, stand->state, choice->ties, weight, kind);
    if (status != OG_OK) {
        og_ranks_failure(choice->by->ranks, message);
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
    const og_strategy_view view = {choice->scratch, stand->state, NULL, choice->open,
                                   x->action_count};
    OG_TRY(by->choose(by->self, &view, weight, kind, message));
    return og_strategy_weigh(by, *kind, choice->ties, choice->open, x->action_count, weight, &apart,
                             message);
}
