#ifndef OG_HEURISTICS_FAMILIES_RANKING_RIVALS_H
#define OG_HEURISTICS_FAMILIES_RANKING_RIVALS_H

#include "heuristics/families/ranking_play.h"

/*
 * Two policies with separate beliefs (private to heuristics/families/):
 *
 * adaptive-polling: Pr(i beats j) = Phi((m_i - m_j) / sqrt 2). Every pair starts with 0.15
 * comparisons in each direction. m, with mean 0, maximises the likelihood of the counts; its belief
 * is normal with the inverse of the observed information as covariance. The policy asks the pair
 * with the largest expected change of this belief, with one Newton step, in Kullback-Leibler
 * distance.
 *
 * crowd-bt: the belief about scores is normal, N(m_i, v_i), initially N(0, 1), and workers have
 * Beta(mu, nu); Pr(i beats j) = exp m_i / (exp m_i + exp m_j). The policy asks the pair and the
 * worker with the largest expected change of all three beliefs.
 *
 * Arguments and errors as in og_ranking_player.
 */
og_status og_ranking_rival(const og_policy_name *named, const og_ranking_setting *setting,
                           struct og_strategy *out, og_message *message);

#endif
