/*
 * Policies that no index and no state describe: they draw, or go by how an instance came to where
 * it is. They can be played, and nothing else is known of their value.
 *
 *   thompson     draw t of every instance from its posterior; the largest t R1 + (1 - t) R2 is
 *                labelled, R1 and R2 what the call gains by a positive and a negative label.
 *   ucb1-tuned   the largest of mean + sqrt(ln(n)/n_i min(1/4, var + sqrt(2 ln(n)/n_i))), with the
 *                mean and variance of what the n_i labels of the instance have gained, n labels in
 *                all; instances without labels first [after Auer, Cesa-Bianchi and Fischer, Machine
 *                Learning 47 (2002), 235-256].
 *
 * Hu and Frazier name both without a definition; these are a reading. Numbers that are equal to the
 * last bit tie: those of mirror images with mirrored labels are, and R1 = R2 of an instance that is
 * symmetric makes it tie with its like whatever is drawn.
 */
#include <math.h>
#include <stdlib.h>

#include "bench/simulation/player.h"
#include "bench/simulation/random.h"

/* More than GSL ever takes for one Beta variate; T times as many have addresses. */
enum { DRAW_NUMBERS = 4096 };

static double thompson_index(const og_player *player, uint32_t i, int32_t left)
{
    const og_game *game = player->game;
    uint32_t arm_number = game->arm_of[i];
    const og_arm *arm = game->arms->arm[arm_number];
    const og_group *group = og_arm_group(arm);
    const og_place *at = &player->places[i];
    const double *step = game->step[arm_number] + 2 * (size_t)at->node;
    double ones = (double)(at->node - arm->level[at->labels]);
    uint32_t number = (uint32_t)(game->arms->budget - left) * DRAW_NUMBERS;
    double t = og_beta_draw(og_fraction_double(group->a) + ones,
                            og_fraction_double(group->b) + at->labels - ones,
                            &(og_draw_place){game->seed, OG_DRAW_GUESS, player->run, i, number});
    return step[1] + t * (step[0] - step[1]);
}

static double ucb_index(const og_player *player, uint32_t i, int32_t left)
{
    double all = player->game->arms->budget - left;
    double own = player->places[i].labels;
    if (own == 0) {
        return INFINITY;
    }
    double mean = player->gained[i] / own;
    double variance = fmax(0, player->gained_squares[i] / own - mean * mean);
    double ratio = log(all) / own;
    return mean + sqrt(ratio * fmin(0.25, variance + sqrt(2 * ratio)));
}

static uint32_t choose(og_player *player, og_played rule, og_ties ties, int32_t left)
{
    double *index = player->answer;
    double top = -INFINITY;
    uint32_t tied = 0;
    for (uint32_t i = 0; i < player->game->count; i++) {
        index[i] = rule == OG_PLAYED_THOMPSON ? thompson_index(player, i, left)
                                              : ucb_index(player, i, left);
        tied = index[i] > top ? 1 : tied + (index[i] == top);
        top = fmax(top, index[i]);
    }
    uint32_t j = og_player_draw_tie(player, ties, tied, left);
    for (uint32_t i = 0;; i++) {
        if (index[i] == top && j-- == 0) {
            return i;
        }
    }
}

og_score_of_run og_player_play_random(og_player *player, const og_strategy *strategy, og_ties ties)
{
    const og_game *game = player->game;
    player->touched_count = 0;
    for (uint32_t i = 0; i < game->count; i++) {
        player->gained[i] = player->gained_squares[i] = 0;
    }
    for (int32_t left = game->arms->budget; left > 0; left--) {
        uint32_t instance = choose(player, strategy->rule, ties, left);
        const og_arm *arm = game->arms->arm[game->arm_of[instance]];
        size_t outcome = (size_t)player->places[instance].node * (size_t)arm->outcome_count;
        og_player_label(player, instance);
        while (arm->next[outcome] != player->places[instance].node) {
            outcome++;
        }
        double gain = game->step[game->arm_of[instance]][outcome];
        player->gained[instance] += gain;
        player->gained_squares[instance] += gain * gain;
    }
    return og_player_end(player);
}
