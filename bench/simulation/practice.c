/* A person labels, the optimum comments: one episode, its draws addressed by seed and label. */
#include "bench/simulation/practice.h"

#include <stdlib.h>

#include "bench/random.h"
#include "bench/simulation/block.h"

static void assign(void *object, og_block *block)
{
    og_practice *of = object;
    size_t count = (size_t)of->count;
    of->arm = og_block_take(block, count, sizeof *of->arm);
    of->node = og_block_take(block, count, sizeof *of->node);
    of->q = og_block_take(block, count, sizeof *of->q);
    of->group = og_block_take(block, count, sizeof *of->group);
    of->group_of = og_block_take(block, count, sizeof *of->group_of);
    of->group_q = og_block_take(block, count, sizeof *of->group_q);
    of->group_error = og_block_take(block, count, sizeof *of->group_error);
}

og_status og_practice_init(og_practice *episode, const og_arms *arms, const og_settings *settings,
                           uint64_t seed, og_message *message)
{
    int64_t instances = og_arms_instances(arms);
    if (instances > OG_PRACTICE_INSTANCES) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%lld instances are more than anybody labels by hand (at most %d)",
                              (long long)instances, OG_PRACTICE_INSTANCES);
    }
    og_practice start = {
        .arms = arms, .seed = seed, .left = arms->budget, .count = (int32_t)instances};
    og_practice *made = og_block_build(&start, sizeof start, assign);
    og_status status =
        made == NULL ? OG_NO_MEMORY : og_solver_new(arms, settings, &made->solver, message);
    if (status != OG_OK) {
        free(made);
        return status;
    }
    int32_t next = 0;
    for (int32_t i = 0; i < arms->group_count; i++) {
        for (int64_t c = 0; c < arms->group_size[i]; c++) {
            made->arm[next++] = arms->arm_of_group[i];
        }
    }
    *episode = *made;
    episode->owned = made;
    return OG_OK;
}

/* Instances with one posterior stand together. */
static int32_t make_groups(og_practice *episode)
{
    int32_t count = 0;
    for (int32_t i = 0; i < episode->count; i++) {
        int32_t at = 0;
        while (at < count && (episode->group[at].arm != episode->arm[i] ||
                              episode->group[at].node != episode->node[i])) {
            at++;
        }
        if (at == count) {
            episode->group[count++] = (og_state_group){episode->arm[i], episode->node[i], 0};
        }
        episode->group[at].copies++;
        episode->group_of[i] = at;
    }
    return count;
}

og_status og_practice_ask(og_practice *episode, og_message *message)
{
    int32_t count = make_groups(episode);
    og_state state = {episode->left, episode->arms->budget, count, episode->group};
    OG_TRY(
        og_solver_q_at(episode->solver, &state, episode->group_q, episode->group_error, message));
    episode->best = 0;
    episode->error = 0;
    for (int32_t i = 0; i < episode->count; i++) {
        int32_t at = episode->group_of[i];
        episode->q[i] = episode->group_q[at];
        if (episode->q[i] > episode->best) {
            episode->best = episode->q[i];
            episode->error = episode->group_error[at];
        }
    }
    return OG_OK;
}

bool og_practice_is_worse(const og_practice *episode, int32_t instance)
{
    double error = episode->error + episode->group_error[episode->group_of[instance]];
    return episode->best - episode->q[instance] > error;
}

void og_practice_hear(og_practice *episode, int32_t instance, int32_t label)
{
    const og_arm *arm = episode->arms->arm[episode->arm[instance]];
    size_t first = (size_t)episode->node[instance] * (size_t)arm->outcome_count;
    episode->node[instance] = arm->next[first + (size_t)label];
    episode->left--;
}

int32_t og_practice_label(og_practice *episode, int32_t instance)
{
    const og_arm *arm = episode->arms->arm[episode->arm[instance]];
    size_t labels = (size_t)arm->outcome_count;
    size_t first = episode->node[instance] * labels;
    uint32_t number = (uint32_t)og_arm_level(arm, episode->node[instance]); /* labels so far */
    double unit =
        og_draw_unit(og_draw(episode->seed, OG_DRAW_LABEL, 0, (uint32_t)instance, number));
    size_t label = 0;
    while (label + 1 < labels && unit >= arm->probability[first + label]) {
        unit -= arm->probability[first + label++];
    }
    if (og_practice_is_worse(episode, instance)) {
        episode->cost += episode->best - episode->q[instance];
    }
    og_practice_hear(episode, instance, (int32_t)label);
    return (int32_t)label;
}

void og_practice_clear(og_practice *episode)
{
    og_solver_free(episode->solver);
    free(episode->owned);
    *episode = (og_practice){.arms = NULL};
}
