/*
 * Checks a state given by a caller before its nodes are used to read tables. Invariant: every group
 * of a state that passes og_state_check has a class in the layer of its labels left and in those
 * below it.
 */
#include "dp/product/state.h"

og_status og_state_check_groups(const og_arms *arms, const og_state *state, og_message *message)
{
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        if (group->arm < 0 || group->arm >= arms->arm_count ||
            group->node >= arms->arm[group->arm]->node_count || group->copies < 1) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "group %ld of the state does not belong to this problem",
                                  (long)i);
        }
    }
    return OG_OK;
}

og_status og_state_check(const og_arms *arms, const og_state *state, og_message *message)
{
    int64_t instances = og_arms_instances(arms);
    OG_TRY(og_state_check_groups(arms, state, message));
    if (state->left < 0 || state->left > arms->budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the state has %ld labels left, but the problem has %ld in all",
                              (long)state->left, (long)arms->budget);
    }
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        if (group->node >= arms->arm[group->arm]->level[arms->budget - state->left + 1]) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "group %ld of the state has had more labels than the problem's "
                                  "%ld minus the %ld left",
                                  (long)i, (long)arms->budget, (long)state->left);
        }
        if (group->copies > instances) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the state has more instances than the problem");
        }
        instances -= group->copies;
    }
    return OG_OK;
}
