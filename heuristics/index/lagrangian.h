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
 * og_bound_lagrangian_vector, tidied up. Best prices are often fractions with small terms, at which
 * instances tie between buying and waiting; the search ends a few roundings beside them, where such
 * ties are broken by its last digits. So each price is replaced by a fraction with small terms
 * beside it, the coarsest ones at which the bound is no worse; where there are none the doubles
 * stay.
 *
 * price[budget] for the first label to the last, initialised by the caller, written on OG_OK only.
 * Best prices need not be unique: these are the ones found, the same for any number of threads.
 */
typedef struct {
    double bound;   /* B at the prices, as og_upper_bound.value */
    bool converged; /* as there */
    bool tidy;      /* fractions, at which what ties ties in exact arithmetic */
} og_market;

/* Advantages within this part of the largest price are 0 for the relaxed solution. Measured: they
 * are beyond 1e-6 of it, or within 1e-12, which is rounding. */
#define OG_LAGRANGIAN_NIL 1e-9

og_status og_lagrangian_prices(const og_arms *arms, int threads, og_stop *stop, mpq_t *price,
                               og_market *out);

#endif
