/* One episode with labels from outside; the solver computes the value of each choice. */
#include "bench/simulation/person_play.h"

#include <stdlib.h>

#include "bench/simulation/run_block.h"

static void assign(void *object, og_block *block)
{
    og_person_play *play = object;
    size_t count = (size_t)play->count;
    play->arm = og_block_take(block, count, sizeof *play->arm);
    play->node = og_block_take(block, count, sizeof *play->node);
    play->group = og_block_take(block, count, sizeof *play->group);
    play->group_of = og_block_take(block, count, sizeof *play->group_of);
    play->group_q = og_block_take(block, count, sizeof *play->group_q);
    play->group_error = og_block_take(block, count, sizeof *play->group_error);
}

og_status og_person_play_init(og_person_play *episode, const og_arms *arms,
                              const og_settings *settings, og_message *message)
{
    int64_t instances = og_arms_instances(arms);
    if (instances > OG_PRACTICE_INSTANCES) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a game supports at most %d instances, not %lld",
                              OG_PRACTICE_INSTANCES, (long long)instances);
    }
    og_person_play start = {
        .arms = arms, .left = arms->budget, .count = (int32_t)instances, .settings = *settings};
    og_person_play *made = og_block_build(&start, sizeof start, assign);
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

/* Group the instances with equal posteriors. */
static int32_t make_groups(og_person_play *episode)
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

og_status og_person_play_ask(og_person_play *episode, double *q, double *error, og_message *message)
{
    int32_t count = make_groups(episode);
    og_state state = {episode->left, episode->arms->budget, count, episode->group};
    if (!episode->asked) {
        OG_TRY(og_query_cache_new(episode->arms, &episode->settings, OG_KEPT_ALL, episode->solver,
                                  &episode->kept, message));
        episode->asked = true;
    }
    OG_TRY(og_query_cache_q_at(episode->kept, episode->solver, &state, episode->group_q,
                               episode->group_error, message));
    for (int32_t i = 0; i < episode->count; i++) {
        q[i] = episode->group_q[episode->group_of[i]];
        error[i] = episode->group_error[episode->group_of[i]];
    }
    return OG_OK;
}

void og_person_play_hear(og_person_play *episode, int32_t instance, int32_t label)
{
    const og_arm *arm = episode->arms->arm[episode->arm[instance]];
    size_t first = (size_t)episode->node[instance] * (size_t)arm->outcome_count;
    episode->node[instance] = arm->next[first + (size_t)label];
    episode->left--;
}

void og_person_play_clear(og_person_play *episode)
{
    og_query_cache_free(episode->kept);
    og_solver_free(episode->solver);
    free(episode->owned);
    *episode = (og_person_play){.arms = NULL};
}
