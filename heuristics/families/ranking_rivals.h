#ifndef OG_HEURISTICS_FAMILIES_RANKING_RIVALS_H
#define OG_HEURISTICS_FAMILIES_RANKING_RIVALS_H

#include "heuristics/families/ranking_play.h"

/*
 * Two policies with beliefs of their own (private to heuristics/families/):
 *
 * adaptive-polling: Pr(i beats j) = Phi((m_i - m_j) / sqrt 2). Every pair counts as compared 0.15
 * times each way at first. m, of mean 0, makes the counts likeliest, and is as if normal with the
 * inverse of the observed information. Asked is the pair whose answer is expected to move it most,
 * by one step of Newton's, in Kullback and Leibler's sense.
 *
 * crowd-bt: scores are as if normal, N(m_i, v_i), N(0, 1) at first, and workers Beta(mu, nu);
 * Pr(i beats j) = exp m_i / (exp m_i + exp m_j). Asked is the pair and the worker whose answer is
 * expected to move all three most.
 *
 * As og_ranking_player.
 */
og_status og_ranking_rival(const og_policy_name *named, const og_ranking_setting *setting,
                           struct og_strategy *out, og_message *message);

#endif
