#ifndef OG_HEURISTICS_BOUNDS_PRICED_ARM_H
#define OG_HEURISTICS_BOUNDS_PRICED_ARM_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"

/*
 * A single arm with priced labels: the recursion that all bounds with prices use.
 *
 * Constant price z. An instance with d labels left at level depth - d buys while buying has a
 * positive value:
 *
 *   v(x) = max(0, -z + R(x) + sum_k p_k(x) v(next_k(x))),   v = 0 on the last level.
 *
 * Prices by stage. At stage l = 1 .. depth a label costs price[l - 1], and waiting is allowed:
 *
 *   f(x, l) = max(f(x, l + 1), -price[l - 1] + R(x) + sum_k p_k(x) f(next_k(x), l + 1)),
 *   f(x, depth + 1) = 0.
 *
 * Work is proportional to the number of nodes with a positive value: a narrow strip around the
 * nodes whose call a label can change. Purchases that gain nothing are not made, so the reported
 * purchases are those of the optimal buyer with fewest purchases.
 *
 * Priced ends. Each of the last `stages` labels has a separate price, and all labels before them
 * have one price. Let w(x) be the most that an instance at x can earn net of prices in the last
 * `stages` stages, f above. An instance that may buy depth - stages labels before them, and is
 * worth w at their end, has the recursion of a constant price with
 *
 *   R(x) + sum_k p_k(x) w(next_k(x)) - w(x),   of either sign, in place of R(x),
 *
 * plus w of the prior.
 *
 * A handle is work space for one arm, which it borrows; one thread at a time.
 */
typedef struct og_priced_arm og_priced_arm;

typedef struct {
    double gain;      /* value at the prior, net of payments */
    double error;     /* proved: |gain - exact gain of the exact arm at these prices| <= error */
    double purchases; /* expected number of labels bought */
} og_priced;

og_status og_priced_arm_new(const og_arm *arm, og_priced_arm **out);

/*
 * The same arm with a priced end: og_priced_arm_constant then applies to the depth - stages labels
 * before the end. price[stages], 1 <= stages <= depth, all >= 0 and finite, in the order of the
 * labels. *worth: w of the prior. The recursions use computed values of w in place of w; *error
 * bounds |computed - exact w| at every node. O(nodes) time for each stage, and 8 bytes for each
 * node. og_priced_arm_stages does not support such a handle.
 */
og_status og_priced_arm_ended(const og_arm *arm, const double *price, int32_t stages,
                              og_priced_arm **out, double *worth, double *error);

/*
 * The same with any w: worth[node] >= 0, finite, for the nodes of levels 0 .. labels, is the worth
 * of an instance at the end; og_priced_arm_constant applies to `labels` labels, 0 .. depth. Copied.
 * O(nodes) time, and 8 bytes for each node.
 */
og_status og_priced_arm_left(const og_arm *arm, int32_t labels, const double *worth,
                             og_priced_arm **out);

void og_priced_arm_free(og_priced_arm *priced); /* NULL is fine */

/* An upper bound on R(x), or on its substitute, over all nodes: at this price or above no label is
 * bought. */
double og_priced_arm_dearest(const og_priced_arm *priced);

/* Nodes evaluated so far, in all calls: a measure of time that is the same on every machine.
 */
uint64_t og_priced_arm_work(const og_priced_arm *priced);

/*
 * Evaluates the arm at the constant price z >= 0. If `bought` is not NULL, bought[n] receives the
 * probability that at least n + 1 labels are bought, [depth].
 */
og_status og_priced_arm_constant(og_priced_arm *priced, double price, double *bought,
                                 og_priced *out);

/* Proved relative error of each probability and expectation of labels bought, compared with exact
 * arithmetic for the same buying nodes. */
double og_priced_arm_bought_error(const og_priced_arm *priced);

/*
 * Evaluates the arm at prices by stage, price[depth], all >= 0 and finite. If `bought` is not NULL,
 * bought[l] receives the probability that a label is bought at stage l + 1, [depth]: minus a
 * subgradient of the gain in the prices.
 */
og_status og_priced_arm_stages(og_priced_arm *priced, const double *price, double *bought,
                               og_priced *out);

/*
 * The same for instances at other nodes than the prior: nodes of levels low .. high with `stages`
 * labels left, high + stages <= depth, price[stages]. Writes gain[i] of node[i], [count], and
 * *error, a bound for each of them. og_priced_arm_bought then writes bought[stages] of an instance
 * at a node of these levels; it holds until the next evaluation of the handle.
 */
typedef struct {
    int32_t low, high, stages;
    const uint32_t *node; /* [count] */
    int32_t count;
} og_priced_start;

og_status og_priced_arm_from(og_priced_arm *priced, const og_priced_start *start,
                             const double *price, double *gain, double *error);
void og_priced_arm_bought(og_priced_arm *priced, uint32_t node, double *bought);

#endif
