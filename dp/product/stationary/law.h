#ifndef OG_DP_PRODUCT_STATIONARY_LAW_H
#define OG_DP_PRODUCT_STATIONARY_LAW_H

#include <stdint.h>

/*
 * The distribution of a number of labels up to a budget (private to dp/product/stationary/): x[n]
 * is the probability of n labels, n < budget, and x[budget] that of the budget or more. [budget +
 * 1], all >= 0. Sums of independent numbers are products of distributions. Nothing cancels: the
 * relative error of a product `out` is at most the errors of its factors and budget + 2 roundings.
 */

/* Certainly no label. */
void og_law_none(int32_t budget, double *out);

/* The sum of two independent numbers. O(budget^2); `out` must be neither of them. Zeros of x are
 * free. */
void og_law_times(int32_t budget, const double *x, const double *y, double *out);

/* The sum of count >= 0 independent numbers of one distribution. O(log(count) budget^2); scratch [2
 * * (budget + 1)]; `out` must not be x. Within count (budget + 3) roundings. */
void og_law_power(int32_t budget, const double *x, int64_t count, double *out, double *scratch);

/*
 * The sum over i = 0 .. count - 1 of x^i y^(count - 1 - i), count >= 1, whose probabilities add up
 * to count. It gives, for `count` equal instances in a row, the distribution of the labels of all
 * but one, if those before it have had x and those after it y, summed over the position of that
 * one. O(log(count) budget^2); scratch [5 * (budget + 1)]. Within count (budget + 4) roundings.
 */
void og_law_power_sum(int32_t budget, const double *x, const double *y, int64_t count, double *out,
                      double *scratch);

#endif
