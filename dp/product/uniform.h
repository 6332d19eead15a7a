#ifndef OG_DP_PRODUCT_UNIFORM_H
#define OG_DP_PRODUCT_UNIFORM_H

#include <stdbool.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/policy.h"

/*
 * The policy that treats all instances alike, with random ties (private to dp/). Every label goes
 * to each of the K instances with probability 1/K, whatever the labels so far. So an instance gets
 * Binomial(T, 1/K) labels and
 *
 *   gain = sum over instances i, labels n of  P(Binomial(T, 1/K) = n) * G_i(n),
 *
 * where G_i(n) is the gain of instance i from n labels: the sum of the expected rewards at its
 * first n.
 */

/* All ranks are equal. */
bool og_ranks_are_uniform(const og_arms *arms, const og_ranks *ranks);

/* *error: absolute, proved. Takes O(nodes) of the distinct arms. */
og_status og_uniform_gain(const og_arms *arms, double *gain, double *error);

#endif
