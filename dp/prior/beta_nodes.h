#ifndef OG_DP_PRIOR_BETA_NODES_H
#define OG_DP_PRIOR_BETA_NODES_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Gauss's rule for Beta(a, b) in doubles, for expectations of functions that may be tiny where the
 * Beta is not: the sum over k of exp(weight[k]) f(at[k]) is the expectation of f for every
 * polynomial f of a degree below 2 count. at[count] ascends, rest[count] is 1 - at, and
 * weight[count] the logarithm of the weight. Relative errors are some 1e-13, absolute ones of
 * `weight`. For Beta(b, a) the same bits come in the opposite order; the count must be even.
 *
 * a, b within OG_PARAMETER_MIN .. OG_PARAMETER_MAX. The roots of the orthogonal polynomial are
 * bisected by the signs of a quotient-difference scheme without subtraction of its coefficients
 * (Dhillon and Parlett, "Multiple representations to compute orthogonal eigenvectors of symmetric
 * tridiagonal matrices", Linear Algebra and its Applications 387 (2004)). Takes some 50 count^2
 * divisions: 0.3 ms for 32 points. OG_NO_MEMORY.
 */
og_status og_beta_nodes(double a, double b, int32_t count, double *at, double *rest,
                        double *weight);

/* The number of roots of P_count below x, by z[2 * count + 1] of the recurrence, whose last is 0;
 * and the k-th root, which is at least `low`. */
int32_t og_beta_roots_below(const double *z, int32_t count, double x);
double og_beta_root(const double *z, int32_t count, int32_t k, double low);

#endif
