#ifndef OG_HEURISTICS_WHOLE_STATE_VIEW_H
#define OG_HEURISTICS_WHOLE_STATE_VIEW_H

#include "dp/base/arena.h"
#include "dp/product/chooser.h"
#include "heuristics/user_policy.h"

/*
 * A state as an external policy receives it (private to heuristics/). Interchangeable instances
 * form one group, and the groups are in the order of the ranks' names, so that a state always has
 * the same view.
 */
typedef struct {
    og_arena arena;
    int32_t count;
    og_state_group *group; /* [count] */
    double *answer;        /* [count + 1] for the policy's answer */
    int32_t *counts;       /* [count of the state] the view's group of each of its groups */
    int32_t room;
} og_view;

/* OG_NO_MEMORY leaves an empty view. A zeroed one is empty; og_view_clear frees it. */
og_status og_view_take(og_view *view, const og_ranks *ranks, const og_state *state);
void og_view_clear(og_view *view);

/* Checks the view's answer (og_answer_check) and converts it to one for the groups of its state and
 * for stopping: [state->count + 1]. Groups that the view merges share a weight in proportion to
 * their copies. */
og_status og_view_answer(og_view *view, const og_state *state, og_answer kind, double *answer,
                         og_message *message);

/*
 * Writes a posterior as numbers, each the nearest double: a, b of a Beta; the parameter of every
 * class; or weight, a, b of every component of a mixture. The weights are current and add up to 1
 * (to a relative error of 1e-15 for each label); or the number of a table's node. Returns how many
 * numbers there are, at most OG_POSTERIOR_NUMBERS.
 */
int32_t og_posterior_numbers(const og_arm *arm, uint32_t node, double *number);

#endif
