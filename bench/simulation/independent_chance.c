/*
 * Plays policies that neither an index nor the state describes: they draw at random, or depend on
 * the history of an instance. Their value can only be simulated.
 */
#include <math.h>

#include "bench/random.h"
#include "bench/simulation/chance.h"
#include "bench/simulation/independent.h"

double og_chance_thompson(const og_arm *arm, const double *gain, uint32_t node, int32_t labels,
                          const og_draw_place *place)
{
    const og_group *group = og_arm_prior(arm);
    const double *step = gain + 2 * (size_t)node;
    double ones = (double)(node - arm->level[labels]);
    double t = og_beta_draw(og_fraction_double(group->a) + ones,
                            og_fraction_double(group->b) + labels - ones, place);
    return step[1] + t * (step[0] - step[1]);
}

double og_chance_ucb(const og_chance_gains *gains, double own, double all)
{
    if (own == 0) {
        return INFINITY;
    }
    double labels = fmax(gains->labels, 1);
    double mean = gains->sum / labels;
    double variance = fmax(0, gains->squares / labels - mean * mean);
    double ratio = log(all) / own;
    return mean + sqrt(ratio * fmin(0.25, variance + sqrt(2 * ratio)));
}

static double index_of(const og_episode *episode, og_played played, uint32_t i, int32_t left)
{
    uint32_t arm = episode->all->arm_of[i];
    const og_run_place *at = &episode->places[i];
    uint32_t given = (uint32_t)(episode->all->labels - left);
    if (played == OG_PLAYED_UCB1_TUNED) {
        return og_chance_ucb(&episode->gained[i], at->labels, given);
    }
    return og_chance_thompson(
        episode->depth->arms->arm[arm], episode->depth->step[arm], at->node, (int32_t)at->labels,
        &(og_draw_place){episode->seed, OG_DRAW_GUESS, episode->run, i, given * OG_CHANCE_NUMBERS});
}

static uint32_t choose(og_episode *episode, og_played played, og_ties ties, int32_t left)
{
    double *index = episode->index;
    double top = -INFINITY;
    uint32_t tied = 0;
    for (uint32_t i = 0; i < episode->all->count; i++) {
        index[i] = index_of(episode, played, i, left);
        tied = index[i] > top ? 1 : tied + (index[i] == top);
        top = fmax(top, index[i]);
    }
    uint32_t j = og_episode_draw_tie(episode, ties, tied, left);
    for (uint32_t i = 0;; i++) {
        if (index[i] == top && j-- == 0) {
            return i;
        }
    }
}

/* Switch to arms of this depth, with steps. */
static og_status go(og_episode *episode, int32_t depth_number, og_message *message)
{
    const og_depth *depth;
    OG_TRY(og_instances_steps(episode->all, depth_number, &depth, message));
    episode->depth_number = depth_number;
    episode->depth = depth;
    return OG_OK;
}

og_status og_episode_play_by_chance(og_episode *episode, const og_strategy *by, og_ties ties,
                                    og_message *message)
{
    const og_instances *all = episode->all;
    og_played played = ((const og_index_play *)by->self)->played;
    for (uint32_t i = 0; i < all->count; i++) {
        episode->gained[i] = (og_chance_gains){0, 0, 0};
    }
    for (int32_t left = all->labels; left > 0; left--) {
        OG_TRY(og_run_status(by, 0)); /* a choice looks at all instances */
        uint32_t instance = choose(episode, played, ties, left);
        const og_arm *arm = episode->depth->arms->arm[all->arm_of[instance]];
        size_t node = episode->places[instance].node;
        size_t outcome = node * (size_t)arm->outcome_count + og_episode_label(episode, instance);
        double gain = episode->depth->step[all->arm_of[instance]][outcome];
        og_chance_gained(&episode->gained[instance], gain);
        if (left > 1 && og_episode_at_end(episode, instance)) {
            OG_TRY(go(episode, episode->depth_number + 1, message));
        }
    }
    return OG_OK;
}
