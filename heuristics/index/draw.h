#ifndef OG_HEURISTICS_INDEX_DRAW_H
#define OG_HEURISTICS_INDEX_DRAW_H

#include <stdint.h>

#include "heuristics/index/index.h"

/*
 * The randomized solution of the relaxed problem (private to heuristics/).
 *
 * In the relaxed problem of og_bound_lagrangian_vector at most one label is bought at each stage in
 * expectation, not always. Each instance is then independent. At the best prices it buys if the
 * advantage of buying is above 0 and waits if it is below. If the advantage is 0 it buys with some
 * probability, such that the expected number of labels bought is one at every stage with a price,
 * and at most one at the others. All such probabilities are optimal, and there are many. This
 * solution is the one with the largest entropy,
 *
 *   sum over stages and instances of -(c ln c + (1 - c) ln(1 - c)),
 *
 * where c is the instance's probability of buying,
 *
 * in expectation (at stages without a price, the unused part s of the label adds -s ln s + s to the
 * sum). It is unique, treats equal instances equally, and unlike a vertex of the linear programme
 * it does not depend on the solver. For states that instances never reach under it, the probability
 * is that of buying if they were reached, because it is computed backward from the last stage. An
 * instance that gains nothing in either way waits.
 *
 * Method: the probabilities are those of a softened recursion with a charge mu_l for each stage,
 *
 *   F(x, l) = ln(e^F(x, l + 1) + e^B(x, l)),   B(x, l) = -mu_l + sum_k p_k F(next_k, l + 1),
 *   lean(x, l) = B(x, l) - F(x, l + 1) = ln(c / (1 - c)),
 *
 * with only one of the two terms if the advantage is not 0. mu is the minimum of sum F(prior, 1) +
 * sum mu, with e^-mu_l added at stages without a price; this function is convex (the dual of the
 * maximum-entropy problem). A small OG_DRAW_RIDGE |mu|^2 / 2 is added, so that a minimum exists
 * also if a probability must be 1 or a charge has no effect. Expected labels then differ from one
 * by OG_DRAW_RIDGE mu_l. mu is of the size of the logarithm of the number of instances, some 20
 * larger if a probability must be 1.
 *
 * Sources: Brown and Smith, "Index policies and performance bounds for dynamic selection problems",
 * Management Science 66 (2020), break the ties of an index at such prices with a randomized
 * solution; Ziebart, Bagnell and Dey, "Modeling interaction via the principle of maximum causal
 * entropy", ICML (2010), the recursion.
 */
#define OG_DRAW_RIDGE 1e-8

typedef struct {
    og_arena arena;
    int32_t budget;
    double **lean;  /* [budget + 1] by labels left, row 0 NULL, as all but the last if job->first;
                       [og_twins_with_left]: INFINITY if an instance of the class buys, -INFINITY if
                       it waits */
    double *bought; /* [budget] expected labels bought at each stage, in order */
    double *charge; /* [budget] mu */
    double steep;   /* largest derivative of the dual at the end: the search's error in `bought` */
} og_draw;

/*
 * job    its twins have equal advantages
 * sign   [budget + 1] of the advantage by labels left, from 1: [og_twins_with_left] 1, -1, or 0 if
 * it is within `nil` of 0 price  [budget + 1] by labels left, from 1 nil    a price within this of
 * 0 counts as 0; nil >= 0
 *
 * At prices that are not optimal there is no such solution, and the expected labels then have a
 * larger error. OG_NO_MEMORY. Takes 8 bytes for each pair (class, left) with a lean, 16 for those
 * that may buy, and twenty to a hundred passes over these. Uses one thread; the bits are always the
 * same.
 */
og_status og_draw_new(const og_index_job *job, int8_t *const *sign, const double *price, double nil,
                      og_draw **out);
void og_draw_free(og_draw *draw); /* NULL is fine */

#endif
