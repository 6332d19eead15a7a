#ifndef OG_DP_PRIOR_BETA_RULE_H
#define OG_DP_PRIOR_BETA_RULE_H

#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"

/*
 * Gauss's rule for Beta(a, b), a, b > 0 (private to dp/): the sum over k of weight[k] f(point[k])
 * is the expectation of f for every polynomial f of a degree below 2 count. Points ascend. Each
 * point, 1 minus it, and each weight has a relative error of at most 2^-53 (1 + 2^-10), which is
 * proved.
 *
 * The monic polynomials P_k that are orthogonal under Beta(a, b), and Q_k, satisfy
 *
 *   Q_k = P_k - z_(2k) Q_(k-1),   P_(k+1) = x Q_k - z_(2k+1) P_k,   P_0 = 1, z_0 = 0,
 *   z_j = (1 - p_(j-1)) p_j,   p_(2k-1) = (a+k-1) / (a+b+2k-2),   p_(2k) = k / (a+b+2k-1)
 *
 * with the canonical moments p_j, p_0 = 0 (Dette and Studden, The Theory of Canonical Moments,
 * 1997, chapters 1 and 2). As all z are positive, small roots have small relative errors even in
 * doubles, where they are bisected. Newton's method with balls improves them, and a change of sign
 * proves them. The weight of x is z_1 ... z_(2 count - 2) / (P_count'(x) P_(count-1)(x)). The
 * points above 1/2 are those of Beta(b, a) below it.
 *
 * Takes some 100 count^2 operations with numbers of O(count) bits. OG_STOPPED with a message if a
 * root was not proved; no such parameters are known. OG_NO_MEMORY.
 */
og_status og_beta_rule(og_fraction a, og_fraction b, int32_t count, double *point, double *rest,
                       double *weight, og_message *message);

#endif
