#ifndef OG_HEURISTICS_INDEX_LAGRANGIAN_H
#define OG_HEURISTICS_INDEX_LAGRANGIAN_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * The prices of the policy `lagrangian` (private to heuristics/): those of
 * og_bound_lagrangian_vector, made exact. The best prices are often fractions with small terms,
 * where instances tie between buying and waiting. The search ends a few roundings away from them,
 * and its last digits would break these ties. So each price is replaced with a nearby fraction with
 * small terms, the coarsest one for which the bound is not worse; without such fractions the
 * doubles are kept.
 *
 * price[budget] for the first label to the last, initialised by the caller, written on OG_OK only.
 * The best prices need not be unique; the result is the same for any number of threads.
 */
typedef struct {
    double bound;   /* B at the prices, as og_upper_bound.value */
    bool converged; /* as og_upper_bound.converged */
    bool tidy;      /* the prices are such fractions, and ties are exact */
} og_market;

/* Advantages within this part of the largest price count as 0 in the relaxed solution. Measured:
 * all are above 1e-6 of it, or below 1e-12, which is rounding. */
#define OG_LAGRANGIAN_NIL 1e-9

og_status og_lagrangian_prices(const og_arms *arms, int threads, og_stop *stop, mpq_t *price,
                               og_market *out);

#endif
