#ifndef OG_DP_PRODUCT_STATIONARY_STAGE_TIME_H
#define OG_DP_PRODUCT_STATIONARY_STAGE_TIME_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/product/stationary/path.h"

/*
 * A stage whose ties are broken at random, in continuous time (private to dp/product/stationary/).
 *
 * Give each instance that waits for a visit an alarm after an exponential time of mean 1, a new one
 * after each visit, and let visits take no time. The next alarm is equally likely to be that of any
 * waiting instance, whatever happened before: random ties. Between alarms nothing is shared, so at
 * time t the instances are independent: instance i has had min(N_i, its visits), N_i Poisson(t). So
 * with
 *
 *   P_t = sum over m of  Pois(m; t) * law after m visits     the labels of one by t,
 *   G_t(n) = sum over m of  e^-t t^(m-1) / (m-1)! * gain_m(n)  gain of the label after n others of
 *                                                          one, by the time of its visit's begin,
 *
 * the stage's gain within the budget T is the sum over instances of
 *
 *   integral over t >= 0, sum over n of  G_t(n) P(labels of all others by t < T - n).
 *
 * The integral uses Gauss-Legendre quadrature with POINTS points on panels. Its error is proved.
 * For complex t, |P_t| summed over labels is at most exp(|t| - Re t), and so is |e^-t| |t|^(m-1) /
 * (m-1)! summed over m. So the integrand is at most M = (sum over instances of the largest gain of
 * a visit) exp(K (|t| - Re t)) on the ellipse of parameter rho around a panel of half-length h. On
 * that ellipse |t| - Re t is at most hypot(x, y) - x, where x is its least real and y its largest
 * imaginary part. The error is then at most 64/15 h M rho^-2N / (1 - rho^-2) (Trefethen,
 * Approximation Theory and Approximation Practice, theorem 19.3).
 */
typedef struct {
    int32_t budget;
    int32_t arm_count;
    og_path *const *path;  /* [arm_count], each has played the stage with separate visits */
    const int64_t *copies; /* [arm_count], >= 1 */
    int threads;
    double products_max; /* largest number of products of distributions */
} og_clock_stage;

/* *gain, and *error: the part omitted by the panels and the end of time, absolute, proved,
 * without rounding. *products: number of products of distributions, each O(budget^2). OG_STOPPED
 * without a message if it would exceed products_max; OG_NO_MEMORY. The same bits for every
 * number of threads. */
og_status og_clock_gain(const og_clock_stage *stage, double *gain, double *error, double *products);

/* Relative roundings in the gain, without those of the paths. */
double og_clock_rounds(const og_clock_stage *stage);

#endif
