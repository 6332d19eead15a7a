#ifndef OG_HEURISTICS_BOUNDS_PRICED_ARM_H
#define OG_HEURISTICS_BOUNDS_PRICED_ARM_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"

/*
 * One arm on its own, where labels cost money: the recursion under every bound that prices labels.
 *
 * Constant price z. An instance with d labels left at level depth - d buys while that pays:
 *
 *   v(x) = max(0, -z + R(x) + sum_k p_k(x) v(next_k(x))),   v = 0 on the last level.
 *
 * Prices by stage. At stage l = 1 .. depth a label costs price[l - 1], and waiting is allowed:
 *
 *   f(x, l) = max(f(x, l + 1), -price[l - 1] + R(x) + sum_k p_k(x) f(next_k(x), l + 1)),
 *   f(x, depth + 1) = 0.
 *
 * Work is proportional to the nodes where the value is positive: a narrow strip around the nodes
 * that a label can flip. Where a purchase gains nothing it is not made, so the purchases reported
 * are those of an optimal buyer who buys least.
 *
 * Priced ends. The last `stages` labels have prices of their own, all that comes before has one
 * price. Let w(x) be what an instance at x can earn net of its prices in the last `stages` stages,
 * f above. An instance that may buy depth - stages labels before them, and is left with w, has the
 * recursion of a constant price with
 *
 *   R(x) + sum_k p_k(x) w(next_k(x)) - w(x),   of either sign, in place of R(x),
 *
 * and w of the prior beside.
 *
 * A handle is scratch for one arm, borrowed; one thread at a time.
 */
typedef struct og_priced_arm og_priced_arm;

typedef struct {
    double gain;      /* value at the prior, net of what is paid */
    double error;     /* proved: |gain - exact gain of the exact arm at these prices| <= error */
    double purchases; /* expected number of labels bought */
} og_priced;

og_status og_priced_arm_new(const og_arm *arm, og_priced_arm **out);

/*
 * The same arm with a priced end: og_priced_arm_constant is then about the labels before it, of
 * which there are depth - stages. price[stages], 1 <= stages <= depth, all >= 0 and finite, in the
 * order of the labels. *worth: w of the prior. Computed values of w stand for w itself, here and
 * there; *error bounds |computed - exact w| at every node. O(nodes) a stage, and 8 bytes a node.
 * Not for og_priced_arm_stages.
 */
og_status og_priced_arm_ended(const og_arm *arm, const double *price, int32_t stages,
                              og_priced_arm **out, double *worth, double *error);

/*
 * The same with any w: worth[node] >= 0, finite, of the nodes of levels 0 .. labels, is what an
 * instance is left with, as given; og_priced_arm_constant is about `labels` labels, 0 .. depth.
 * Copied. O(nodes), and 8 bytes a node.
 */
og_status og_priced_arm_left(const og_arm *arm, int32_t labels, const double *worth,
                             og_priced_arm **out);

void og_priced_arm_free(og_priced_arm *priced); /* NULL is fine */

/* An upper bound on R(x), or on what stands in its place, over all nodes: at this price or above
 * nothing is bought. */
double og_priced_arm_dearest(const og_priced_arm *priced);

/* Nodes valued so far, in all calls: a measure of the time spent that is the same on every machine.
 */
uint64_t og_priced_arm_work(const og_priced_arm *priced);

/*
 * The constant price z >= 0. If `bought` is not NULL, bought[n] receives the probability that at
 * least n + 1 labels are bought, [depth].
 */
og_status og_priced_arm_constant(og_priced_arm *priced, double price, double *bought,
                                 og_priced *out);

/* Proved: each probability and expectation of labels bought is within this relative error of the
 * one that exact arithmetic gives for a buyer who buys at the same nodes. */
double og_priced_arm_bought_error(const og_priced_arm *priced);

/*
 * Prices by stage, price[depth], all >= 0 and finite. If `bought` is not NULL, bought[l] receives
 * the probability that a label is bought at stage l + 1, [depth]: minus a subgradient of the gain
 * in the prices.
 */
og_status og_priced_arm_stages(og_priced_arm *priced, const double *price, double *bought,
                               og_priced *out);

#endif
