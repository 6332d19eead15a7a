#ifndef OG_DP_PRIOR_LARGEST_H
#define OG_DP_PRIOR_LARGEST_H

#include <gmp.h>
#include <stdbool.h>

#include "dp/prior/problem.h"

/*
 * The mean of the largest of independent soft labels; each group gives as many as its count. No
 * group may have several classes.
 */

/* As a fraction. False, with *out unchanged: not supported, because parameters are not whole, or
 * all together too large (OG_LARGEST_DEGREE). */
enum { OG_LARGEST_DEGREE = 2000 };
bool og_largest_exact(const og_groups *laws, mpq_t out);

/*
 * In doubles; returns the proved absolute error. Both are NAN if the integral is not available:
 * there is no fraction and a parameter is larger than OG_LARGEST_PARAMETER, or it does not
 * converge. Takes a hundredth of a second for parameters below 100, and up to ten seconds for the
 * largest.
 */
enum { OG_LARGEST_PARAMETER = 10000 };
double og_largest_mean(const og_groups *laws, double *mean);

#endif
