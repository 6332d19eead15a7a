#ifndef OG_DP_PRIOR_GAUSS_RULE_H
#define OG_DP_PRIOR_GAUSS_RULE_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * Points and weights for integrals over w ~ N(mean, I) in one or two dimensions that jump where <w,
 * x_i> = 0 (private to dp/). Labels of an instance with the features x_i are positive with
 * probability 1 / (1 + exp(-<w, x_i>)), which crosses 1/2 there.
 *
 * The half-lines or sectors between the jumps are the cells. In each the integrand is analytic, so
 * the Gauss-Legendre rule converges geometrically: on equal panels of a half-line, or on panels of
 * the radius and, for each of its points, of the angle.
 *
 * The error is proved for all ways of giving labels at once. N points on a panel of half-length a
 * have an error of at most 64/15 a M rho^-2N / (1 - rho^-2) for a function that is at most M in
 * absolute value on the ellipse of parameter rho around the panel (Trefethen, Approximation Theory
 * and Approximation Practice, theorem 19.3). The proof bounds Chebyshev coefficients with means
 * over the ellipse. So it also bounds the sum of the errors of many functions, if M bounds the sum
 * of their absolute values. Let the functions be density times likelihood of all outcomes of T
 * labels, where each label may depend on those before it. For t = <w, x> with imaginary part y, |y|
 * < pi,
 *
 *   |sigma(t)| + |1 - sigma(t)| <= 1 / cos(y/2),
 *
 * so over all outcomes the likelihoods sum to at most cos(y/2)^-T, and the density grows at most by
 * the factor exp(Im(w)^2 / 2) along a half-line, and exp(r |mean| (cosh(Im angle) - 1)) along a
 * circle.
 */
typedef struct {
    og_arena arena;      /* of the cells */
    int32_t dimension;   /* 1 or 2 */
    int32_t cell_count;  /* at least 1 */
    int64_t *cell_first; /* [cell_count + 1] points of each cell */
    double *inside;      /* [cell_count * dimension] a direction within each cell */
    double *point;       /* [points * dimension] */
    double *weight;      /* [points] > 0, the density included */
    double reach;        /* no point is further from 0 */
    double radius;       /* nor, except for rounding, further than this from the mean */
    /*
     * Proved: for any way of giving at most `labels` labels, the errors of the integrals of density
     * times likelihood, added over all outcomes and all cells, are at most this; without rounding.
     */
    double error;
} og_gauss_rule;

typedef struct {
    int32_t dimension;  /* 1 or 2 */
    const double *mean; /* [dimension] */
    int32_t row_count;
    const double *row; /* [row_count * dimension] the x_i */
    int32_t labels;    /* T */
    double tolerance;  /* upper bound wanted for `error`, 1e-15 .. 1e-2 */
    int64_t points_max;
} og_gauss_wish;

/* OG_STOPPED with a message if it would take more than points_max points; OG_NO_MEMORY. All numbers
 * must be finite. */
og_status og_gauss_rule_new(const og_gauss_wish *wish, og_gauss_rule **out, og_message *message);
void og_gauss_rule_free(og_gauss_rule *rule); /* NULL is fine */

#endif
