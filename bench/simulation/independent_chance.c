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

double og_chance_ucb(const og_chance_gains *of, double own, double all)
{
    if (own == 0) {
        return INFINITY;
    }
    double labels = fmax(of->labels, 1);
    double mean = of->sum / labels;
    double variance = fmax(0, of->squares / labels - mean * mean);
    double ratio = log(all) / own;
    return mean + sqrt(ratio * fmin(0.25, variance + sqrt(2 * ratio)));
}

static double index_of(const og_episode *of, og_played played, uint32_t i, int32_t left)
{
    uint32_t arm = of->all->arm_of[i];
    const og_run_place *at = &of->places[i];
    uint32_t given = (uint32_t)(of->all->labels - left);
    if (played == OG_PLAYED_UCB1_TUNED) {
        return og_chance_ucb(&of->gained[i], at->labels, given);
    }
    return og_chance_thompson(
        of->depth->arms->arm[arm], of->depth->step[arm], at->node, (int32_t)at->labels,
        &(og_draw_place){of->seed, OG_DRAW_GUESS, of->run, i, given * OG_CHANCE_NUMBERS});
}

static uint32_t choose(og_episode *of, og_played played, og_ties ties, int32_t left)
{
    double *index = of->index;
    double top = -INFINITY;
    uint32_t tied = 0;
    for (uint32_t i = 0; i < of->all->count; i++) {
        index[i] = index_of(of, played, i, left);
        tied = index[i] > top ? 1 : tied + (index[i] == top);
        top = fmax(top, index[i]);
    }
    uint32_t j = og_episode_draw_tie(of, ties, tied, left);
    for (uint32_t i = 0;; i++) {
        if (index[i] == top && j-- == 0) {
            return i;
        }
    }
}

/* Switch to arms of this depth, with steps. */
static og_status go(og_episode *of, int32_t depth_number, og_message *message)
{
    const og_depth *depth;
    OG_TRY(og_instances_steps(of->all, depth_number, &depth, message));
    of->depth_number = depth_number;
    of->depth = depth;
    return OG_OK;
}

og_status og_episode_play_by_chance(og_episode *of, og_played played, og_ties ties,
                                    og_message *message)
{
    const og_instances *all = of->all;
    for (uint32_t i = 0; i < all->count; i++) {
        of->gained[i] = (og_chance_gains){0, 0, 0};
    }
    for (int32_t left = all->labels; left > 0; left--) {
        uint32_t instance = choose(of, played, ties, left);
        const og_arm *arm = of->depth->arms->arm[all->arm_of[instance]];
        size_t node = of->places[instance].node;
        size_t outcome = node * (size_t)arm->outcome_count + og_episode_label(of, instance);
        double gain = of->depth->step[all->arm_of[instance]][outcome];
        og_chance_gained(&of->gained[instance], gain);
        if (left > 1 && og_episode_at_end(of, instance)) {
            OG_TRY(go(of, of->depth_number + 1, message));
        }
    }
    return OG_OK;
}
