/*
 * Plays policies that neither an index nor the state describes: they draw at random, or depend on
 * the history of an instance. Their value can only be simulated.
 *
 *   thompson     draw t for every instance from its posterior, and label the largest
 *                t R1 + (1 - t) R2. R1 and R2 are the gains of the call from a positive and a
 *                negative label.
 *   ucb1-tuned   label the largest mean + sqrt(ln(n)/n_i min(1/4, var + sqrt(2 ln(n)/n_i))), with
 *                the mean and variance of the gains of the instance's n_i labels, and n labels in
 *                all. Instances without labels come first [after Auer, Cesa-Bianchi and Fischer,
 *                Machine Learning 47 (2002), 235-256].
 *
 * Hu and Frazier cite both without a definition for labels; these are our interpretation. Numbers
 * tie if they are equal to the last bit, as for mirror images with mirrored labels. Symmetric
 * instances have R1 = R2, so equal ones tie whatever t is drawn.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/random.h"
#include "bench/simulation/independent.h"

/* More numbers than GSL uses for one Beta variate; T times as many have addresses. */
enum { DRAW_NUMBERS = 4096 };

static double thompson_index(const og_episode *of, uint32_t i, int32_t left)
{
    const og_instances *all = of->all;
    uint32_t arm_number = all->arm_of[i];
    const og_arm *arm = of->depth->arms->arm[arm_number];
    const og_group *group = og_arm_prior(arm);
    const og_run_place *at = &of->places[i];
    const double *step = of->depth->step[arm_number] + 2 * (size_t)at->node;
    double ones = (double)(at->node - arm->level[at->labels]);
    uint32_t number = (uint32_t)(all->labels - left) * DRAW_NUMBERS;
    double t = og_beta_draw(og_fraction_double(group->a) + ones,
                            og_fraction_double(group->b) + at->labels - ones,
                            &(og_draw_place){of->seed, OG_DRAW_GUESS, of->run, i, number});
    return step[1] + t * (step[0] - step[1]);
}

static double ucb_index(const og_episode *of, uint32_t i, int32_t left)
{
    double all = of->all->labels - left;
    double own = of->places[i].labels;
    if (own == 0) {
        return INFINITY;
    }
    double mean = of->gained[i] / own;
    double variance = fmax(0, of->gained_squares[i] / own - mean * mean);
    double ratio = log(all) / own;
    return mean + sqrt(ratio * fmin(0.25, variance + sqrt(2 * ratio)));
}

static uint32_t choose(og_episode *of, og_played played, og_ties ties, int32_t left)
{
    double *index = of->index;
    double top = -INFINITY;
    uint32_t tied = 0;
    for (uint32_t i = 0; i < of->all->count; i++) {
        index[i] =
            played == OG_PLAYED_THOMPSON ? thompson_index(of, i, left) : ucb_index(of, i, left);
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
        of->gained[i] = of->gained_squares[i] = 0;
    }
    for (int32_t left = all->labels; left > 0; left--) {
        uint32_t instance = choose(of, played, ties, left);
        const og_arm *arm = of->depth->arms->arm[all->arm_of[instance]];
        size_t node = of->places[instance].node;
        size_t outcome = node * (size_t)arm->outcome_count + og_episode_label(of, instance);
        double gain = of->depth->step[all->arm_of[instance]][outcome];
        of->gained[instance] += gain;
        of->gained_squares[instance] += gain * gain;
        if (left > 1 && og_episode_at_end(of, instance)) {
            OG_TRY(go(of, of->depth_number + 1, message));
        }
    }
    return OG_OK;
}
