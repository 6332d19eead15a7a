#ifndef OG_DP_PRIOR_WORKER_H
#define OG_DP_PRIOR_WORKER_H

#include <gmp.h>

#include "dp/base/arena.h"
#include "dp/prior/problem.h"

/*
 * The prior of a worker, as a group: how often the worker answers as a reliable one would.
 *
 *   OG_PRIOR_BETA      [Nx]C,D                 one coin: rho ~ Beta(c, d), whatever a reliable
 *                                              worker would say
 *   OG_PRIOR_COINS     [Nx]C1,D1/C2,D2         two coins: rho1 if that is positive, rho2 if not,
 *                                              independent [Raykar and others 2010]
 *   OG_PRIOR_MIXTURE   [Nx]W*C,D+W*C,D...      one coin of several kinds; weights of sum 1
 *
 * A coin that gave `same` labels as a reliable worker would, and `other` ones, has the factor
 *
 *   B(c + same, d + other) / B(c, d),   or the mean of these over the kinds,
 *
 * in the likelihood; a worker's factor is the product of that of the coins. All that depends on the
 * kind of prior is here and in heuristics/families/workers_moments.h.
 */

/* OG_BAD_INPUT with a message that names the option --workers-prior. */
og_status og_worker_parse(const char *text, og_group *out, og_message *message);

/* The inverse of og_worker_parse; as og_group_format, but for mixtures. */
int og_worker_format(const og_group *group, char *text, size_t size);

enum { OG_WORKER_COINS_MAX = 2 };

/* 1 or 2; coin 0 is that for positive labels of a reliable worker. */
int32_t og_worker_coins(const og_group *group);

/* The Betas of a coin, with weights (1 for a single one) whose sum is *sum; returns their number.
 */
int32_t og_worker_parts(const og_group *group, int32_t coin, og_component part[OG_PARTS_MAX],
                        double *sum);

/* The factors of a coin for all same + other < side, at same * side + other; each within
 * 6 (same + other) + og_worker_roundings(group) roundings. NULL: the arena has no memory. */
double *og_worker_factors(og_arena *arena, const og_group *group, int32_t coin, int32_t side);
int32_t og_worker_roundings(const og_group *group);

/* One of them as a fraction. */
void og_worker_factor_exact(const og_group *group, int32_t coin, int32_t same, int32_t other,
                            mpq_t out);

#endif
