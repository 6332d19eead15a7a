#ifndef OG_HEURISTICS_INDEX_DRAW_H
#define OG_HEURISTICS_INDEX_DRAW_H

#include <stdint.h>

#include "heuristics/index/index.h"

/*
 * The solution of the relaxed problem, which draws (private to heuristics/).
 *
 * The problem that the prices of og_bound_lagrangian_vector relax is: label instances so that in
 * expectation, not always, at most one label is bought at each stage. Each instance is then on its
 * own, and at the best prices buys where the advantage of buying is above 0 and waits where it is
 * below; where it is 0 it draws, with chances that make the expected number of labels bought one at
 * every stage with a price, and at most one at the others. Every set of chances that does so is
 * optimal, and there are many. This is the one with the most entropy,
 *
 *   sum over stages and instances of -(c ln c + (1 - c) ln(1 - c)),  c its chance where it is,
 *
 * in expectation (at stages without a price, what is left of the label counts in the sum as -s ln s
 * + s). It is unique, treats alike what is alike, and unlike a vertex of the linear programme it
 * does not depend on the solver. Where instances never come under it, its chance is that with which
 * they would buy if they did, since it is found from the last stage back. An instance that gains
 * nothing in either way waits.
 *
 * How: the chances are those of a softened recursion with a charge mu_l for each stage,
 *
 *   F(x, l) = ln(e^F(x, l + 1) + e^B(x, l)),   B(x, l) = -mu_l + sum_k p_k F(next_k, l + 1),
 *   lean(x, l) = B(x, l) - F(x, l + 1) = ln(c / (1 - c)),
 *
 * with one of the two terms alone where the advantage is not 0, and mu the least point of
 * sum F(prior, 1) + sum mu, with e^-mu_l added at stages without a price, a convex function (the
 * maximum-entropy problem's dual). A small OG_DRAW_RIDGE |mu|^2 / 2 is added, so that it has such a
 * point also where a chance must be 1 or a charge means nothing; expected labels differ from one by
 * OG_DRAW_RIDGE mu_l, and mu is of the size of the logarithm of the instances, some 20 larger where
 * a chance must be 1.
 *
 * Sources: Brown and Smith, "Index policies and performance bounds for dynamic selection problems",
 * Management Science 66 (2020), break the ties of an index at such prices by a solution that draws;
 * Ziebart, Bagnell and Dey, "Modeling interaction via the principle of maximum causal entropy",
 * ICML (2010), the recursion.
 */
#define OG_DRAW_RIDGE 1e-8

typedef struct {
    og_arena arena;
    int32_t budget;
    double **lean;  /* [budget + 1] by labels left, row 0 NULL; [og_twins_with_left]: INFINITY where
                       an instance of the class buys, -INFINITY where it waits */
    double *bought; /* [budget] expected labels bought at each stage, the first's first */
    double *charge; /* [budget] mu */
    double steep;   /* largest derivative of the dual left: that much of `bought` is the search's */
} og_draw;

/*
 * job        twins that are alike for the advantage
 * advantage  by_left, at the prices
 * price      [budget + 1] by labels left, from 1
 * nil        an advantage or a price that is no further from 0 is 0; nil >= 0
 *
 * Prices that are not the best ones have no such solution: then expected labels are off by more
 * than they should. OG_NO_MEMORY. Takes 8 bytes for each pair (class, left), 16 more for those that
 * may buy, and twenty to a hundred passes over these; on one thread, to the same bits always.
 */
og_status og_draw_new(const og_index_job *job, const og_index *advantage, const double *price,
                      double nil, og_draw **out);
void og_draw_free(og_draw *draw); /* NULL is fine */

#endif
