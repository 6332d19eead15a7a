#ifndef OG_DP_PRIOR_LARGEST_H
#define OG_DP_PRIOR_LARGEST_H

#include <gmp.h>
#include <stdbool.h>

#include "dp/prior/problem.h"

/*
 * The mean of the largest of independent soft labels, as many of each group as its count says. No
 * group has several classes.
 */

/* As a fraction. False, *out untouched: it is not known, as parameters are not whole, or all
 * together too large (OG_LARGEST_DEGREE). */
enum { OG_LARGEST_DEGREE = 2000 };
bool og_largest_exact(const og_groups *laws, mpq_t out);

/*
 * In doubles; returns the proved absolute error. Both are NAN where the integral cannot be had:
 * where there is no fraction and a parameter is larger than OG_LARGEST_PARAMETER, or where it does
 * not converge. Takes a hundredth of a second for parameters below 100, and up to ten seconds for
 * the largest.
 */
enum { OG_LARGEST_PARAMETER = 10000 };
double og_largest_mean(const og_groups *laws, double *mean);

#endif
