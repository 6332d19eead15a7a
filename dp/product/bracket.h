#ifndef OG_DP_PRODUCT_BRACKET_H
#define OG_DP_PRODUCT_BRACKET_H

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Q of the first label of every group, bracketed without solving the problem: lower[g] <= Q_g <=
 * upper[g], [group_count], both valid in exact arithmetic, because they allow for rounding. Q is
 * the gain still to come if an instance of this group is labelled now and play is optimal after
 * that.
 *
 * Below: the value of a policy. It labels that instance, then takes the instances one after the
 * other, this one first and the others in the order of their index. It labels each as long as that
 * is best if it never returns to it; the work limit sets the most labels of one instance. Its value
 * is at most the optimum, because it is a policy of the problem.
 *
 * Above: the Lagrangian relaxation at one price z (dp/product/price.h), with the first label free:
 *
 *   Q_i <= R(x_i) + sum_k p_k v_z(next_k, T - 1) + z (T - 1) + sum over j /= i of v_z(x_j, T - 1),
 *
 * for the best of the prices tried.
 *
 * Cost: some 10^8 steps plus a few passes over the arms, at most a second unless the arms are
 * larger than that. A stop that is over ends the search for better bounds: at the start these are
 * the policy that gives this label only, and the price of the largest R. budget >= 1.
 * OG_NO_MEMORY, which leaves both undefined, also if the tables and the arms would exceed
 * memory_bytes.
 */
og_status og_bracket_q(const og_arms *arms, uint64_t memory_bytes, og_stop *stop, double *lower,
                       double *upper);

#endif
