#ifndef OG_HEURISTICS_BOUNDS_PRICE_MASTER_H
#define OG_HEURISTICS_BOUNDS_PRICE_MASTER_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * The cutting-plane model of the Lagrangian bound (private to heuristics/), a linear programme in
 * GLPK. Prices that never rise are enough (bound_vector.c), so the variables are their drops after
 * each stage, price_l = sum over m >= l of drop_m:
 *
 *   minimise  sum_m m drop_m + sum_a weight_a worth_a,
 *   drop_m >= 0,  worth_a >= 0,  price_1 <= dearest,
 *   worth_a + sum_l bought_l price_l >= intercept     for every cut of arm a.
 *
 * The weights are 1 unless they are set.
 *
 * The bound does not depend on GLPK's correctness: GLPK only proposes prices. Its terminal output
 * is off while it runs, and if it aborts, the call returns OG_FAILED. Only the thread that created
 * a model may use it (a rule of GLPK). If the thread had not used GLPK before, the thread's GLPK
 * environment is freed with the model, which must then be the last of the thread's models.
 */
typedef struct og_price_master og_price_master;

og_status og_price_master_new(int32_t arms, int32_t stages, double dearest, og_price_master **out);
void og_price_master_free(og_price_master *master); /* NULL is fine */

/* bought[stages] >= 0. */
og_status og_price_master_cut(og_price_master *master, int32_t arm, double intercept,
                              const double *bought, void *label);

/* Fills price[stages], worth[arms] and *least, the minimum of the model; OG_FAILED if GLPK finds
 * none. */
og_status og_price_master_solve(og_price_master *master, double *price, double *worth,
                                double *least);

/*
 * For models that are used for several problems in turn, which differ in their weights.
 * og_price_master_part appends an arm of weight 0 and returns its number in *arm. A weight is >= 0.
 * A label (may be NULL), which og_price_master_cut gives to a cut, is passed to `take` for all cuts
 * that the model still has: those that were slack in `idle_most` solutions in a row, not counting
 * solutions in which their arm has weight 0, are gone.
 */
og_status og_price_master_part(og_price_master *master, int32_t *arm);
og_status og_price_master_weigh(og_price_master *master, int32_t arm, double weight);
void og_price_master_idle(og_price_master *master, int32_t idle_most);
void og_price_master_each(const og_price_master *master, void (*take)(void *label));

/*
 * A lower bound on the minimum of the model, from the last solution's dual values mu >= 0 of the
 * cuts: s times the sum of mu intercept, with s <= 1 the largest factor for which s times the cuts
 * is feasible in the dual programme: s sum of mu (bought up to stage m) <= m, s sum of an arm's mu
 * <= weight. Only the rounding of this sum is not proved: *rounding bounds it. OG_FAILED after a
 * failure of GLPK.
 */
og_status og_price_master_proved(og_price_master *master, double *least, double *rounding);

/* Solves to this relative tolerance from now on. A smaller one takes more steps. */
#define OG_PRICE_TOLERANCE 1e-9 /* at first */
void og_price_master_tolerance(og_price_master *master, double tolerance);

/* Limits the steps of one solution, since GLPK may cycle: after so many it begins again from the
 * standard basis, up to twice, and then fails. */
void og_price_master_limit(og_price_master *master, int steps);

/* Approximate number of matrix entries processed so far: a measure of time that is the same on
 * every machine. */
uint64_t og_price_master_work(const og_price_master *master);

#endif
