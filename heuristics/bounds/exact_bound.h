#ifndef OG_HEURISTICS_BOUNDS_EXACT_BOUND_H
#define OG_HEURISTICS_BOUNDS_EXACT_BOUND_H

#include <gmp.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/bound.h"

/*
 * The Lagrangian bounds as fractions. B(prices) of heuristics/bounds/bound.h bounds the optimum at
 * any prices >= 0, so prices found with doubles, and rounded as one likes, give an exact bound.
 */

/*
 * The fraction with the smallest denominator within a relative 1e-12 of a price found with doubles:
 * where the best prices are fractions with small terms, as they are where a best price is one at
 * which buying becomes optimal, these prices themselves. price is finite and >= 0.
 */
void og_exact_bound_price(double price, mpq_t out);

/*
 * B at prices >= 0, price[0] for the first label (price_count == budget) or one for all (1), as
 * og_bound_evaluate. *bound is initialised by the caller and written on OG_OK only.
 *
 * OG_BAD_INPUT with a message: an arm is not rational, another number of prices, a negative one.
 * OG_STOPPED with a message: the nodes' own numbers take more than memory_bytes, or `stop` (NULL:
 * nobody) says so, which is asked while prices are at work. Of each distinct
 * arm, one price takes at most budget^2 / 2 steps on fractions and the memory of two levels;
 * several take at most budget^3 / 6, and a fraction for every node. One thread.
 */
og_status og_exact_bound_evaluate(const og_arms *arms, mpq_t *price, int32_t price_count,
                                  uint64_t memory_bytes, og_stop *stop, mpq_t bound,
                                  og_message *message);

/* A bound as a fraction, at fractions near the prices that a search in doubles found. */
typedef struct {
    og_arena arena;
    int32_t price_count;
    mpq_t *number; /* [price_count + 1] the prices, then the bound; NULL: not known */
} og_exact_bound;

/*
 * Fill *out, free it with og_exact_bound_clear, and make *bound what it says: the fraction rounded
 * up, `error` at least what that added, and the prices rounded to nearest. `least` is a bound that
 * is known and at whose one price this one can be had too, or NULL: a larger one is replaced by it.
 *
 * Otherwise *bound stays as it is, and *out is empty: OG_BAD_INPUT, OG_STOPPED or OG_NO_MEMORY with
 * a message as og_exact_bound_evaluate, which also says how long it takes.
 */
og_status og_exact_bound_find(const og_arms *arms, uint64_t memory_bytes, og_stop *stop,
                              const og_exact_bound *least, og_upper_bound *bound,
                              og_exact_bound *out, og_message *message);

/* The bound; NULL if it is not known. */
mpq_srcptr og_exact_bound_value(const og_exact_bound *bound);

void og_exact_bound_clear(og_exact_bound *bound); /* a zeroed one is fine */

#endif
