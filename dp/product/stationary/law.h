#ifndef OG_DP_PRODUCT_STATIONARY_LAW_H
#define OG_DP_PRODUCT_STATIONARY_LAW_H

#include <stdint.h>

/*
 * The law of a number of labels as far as a budget goes (private to dp/product/stationary/): x[n]
 * is the chance of n labels, n < budget, and x[budget] that of the budget or more. [budget + 1],
 * all >= 0. Sums of independent numbers are products of laws; nothing cancels: `out` of a product
 * is relatively off by at most the errors of its factors and budget + 2 roundings.
 */

/* No label for sure. */
void og_law_none(int32_t budget, double *out);

/* The sum of two independent numbers. O(budget^2); `out` is neither of them. Zeros of x are free.
 */
void og_law_times(int32_t budget, const double *x, const double *y, double *out);

/* The sum of count >= 0 independent numbers of one law. O(log(count) budget^2); scratch
 * [2 * (budget + 1)]; `out` is not x. Within count (budget + 3) roundings. */
void og_law_power(int32_t budget, const double *x, int64_t count, double *out, double *scratch);

/*
 * sum over i = 0 .. count - 1 of x^i y^(count - 1 - i), count >= 1: its chances add up to count. Of
 * `count` alike in a row, the law of the labels of all but one, when those before it have had x and
 * those after it y, summed over which one it is. O(log(count) budget^2); scratch
 * [5 * (budget + 1)]. Within count (budget + 4) roundings.
 */
void og_law_power_sum(int32_t budget, const double *x, const double *y, int64_t count, double *out,
                      double *scratch);

#endif
