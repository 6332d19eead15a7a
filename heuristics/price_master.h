#ifndef OG_HEURISTICS_PRICE_MASTER_H
#define OG_HEURISTICS_PRICE_MASTER_H

#include <stdint.h>

#include "dp/status.h"

/*
 * The model of the Lagrangian bound that cutting planes build up (private to heuristics/), a linear
 * programme in GLPK:
 *
 *   minimise  sum_b charge_b price_b + sum_a u_a,   low_b <= price_b <= high_b,   u_a >= 0,
 *   u_a + sum_b bought_b price_b >= worth            for every cut of arm a.
 *
 * Nothing that GLPK answers needs to be trusted: it only proposes prices. GLPK's terminal output is
 * off while it runs, and where it would abort the call returns OG_FAILED. A model belongs to the
 * thread that made it (GLPK's own rule).
 */
typedef struct og_price_master og_price_master;

/* charge[blocks]: stages that share the price. All prices start with the range 0 .. dearest. */
og_status og_price_master_new(int32_t arms, int32_t blocks, const double *charge, double dearest,
                              og_price_master **out);
void og_price_master_free(og_price_master *master); /* NULL is fine */

/* bought[blocks] >= 0. */
og_status og_price_master_cut(og_price_master *master, int32_t arm, double worth,
                              const double *bought);

/* price[blocks] and the least value of the model, *least; OG_FAILED if GLPK finds none. */
og_status og_price_master_solve(og_price_master *master, double *price, double *least);

#endif
