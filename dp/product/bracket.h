#ifndef OG_DP_PRODUCT_BRACKET_H
#define OG_DP_PRODUCT_BRACKET_H

#include "dp/arm/arm.h"
#include "dp/base/status.h"

/*
 * Q of the first label of every group, bracketed without solving anything: lower[g] <= Q_g <=
 * upper[g], [group_count], both in exact arithmetic, as allowances for rounding are in them. Q is
 * the gain still to come if an instance of this group is labelled now and play is optimal after
 * that.
 *
 * Below: the value of a policy. It labels that instance, then takes instances one after the other,
 * this one first, the others by their index, and labels each as long as is best if it is never
 * returned to, with at most so many labels each as the work allows. Being a policy of the problem,
 * it expects no more than the optimum.
 *
 * Above: the Lagrangian relaxation at one price z (dp/product/price.h), the first label being free:
 *
 *   Q_i <= R(x_i) + sum_k p_k v_z(next_k, T - 1) + z (T - 1) + sum over j /= i of v_z(x_j, T - 1),
 *
 * at the best of the prices that are tried.
 *
 * Takes some 10^8 steps beside a few passes over the arms: a second at most where the arms are no
 * larger than that. budget >= 1. OG_NO_MEMORY, which leaves both undefined, also
 * where the tables and the arms would pass memory_bytes.
 */
og_status og_bracket_q(const og_arms *arms, uint64_t memory_bytes, double *lower, double *upper);

#endif
