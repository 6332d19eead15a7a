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
 * The Lagrangian bounds as fractions. B(prices) of heuristics/bounds/bound.h is an upper bound on
 * the optimum at all prices >= 0. So prices found in doubles, rounded in any way, give an exact
 * bound.
 */

/*
 * Finds the fraction with the smallest denominator within a relative 1e-12 of a price found in
 * doubles. If the best prices are fractions with small terms, it recovers them; this is so if
 * buying becomes optimal at a best price. price is finite and >= 0.
 */
void og_exact_bound_price(double price, mpq_t out);

/*
 * Computes B at prices >= 0, price[0] for the first label (price_count == budget) or one for all
 * (1), as og_bound_evaluate. The caller initialises *bound, which is written on OG_OK only.
 *
 * OG_BAD_INPUT with a message: an arm is not rational, another number of prices, or a negative
 * price. OG_STOPPED with a message: the nodes' fractions take more than memory_bytes, or `stop`
 * (NULL: never) is set during the recursion. For each distinct arm, one price takes at most
 * budget^2 / 2 steps on fractions and the memory of two levels; several prices take at most
 * budget^3 / 6 steps and a fraction for every node. One thread.
 */
og_status og_exact_bound_evaluate(const og_arms *arms, mpq_t *price, int32_t price_count,
                                  uint64_t memory_bytes, og_stop *stop, mpq_t bound,
                                  og_message *message);

/* A bound as a fraction, at fractions near the prices from a search in doubles. */
typedef struct {
    og_arena arena;
    int32_t price_count;
    mpq_t *number; /* [price_count + 1] the prices, then the bound; NULL: not computed */
} og_exact_bound;

/*
 * Fills *out, to be freed with og_exact_bound_clear, and sets *bound accordingly: the fraction
 * rounded up, `error` at least the amount of this rounding, and the prices rounded to nearest.
 * `least` is NULL, or a bound with one price at which this bound is valid too; it replaces a larger
 * result.
 *
 * On failure *bound is unchanged and *out is empty: OG_BAD_INPUT, OG_STOPPED or OG_NO_MEMORY with a
 * message as og_exact_bound_evaluate, which also documents the cost.
 */
og_status og_exact_bound_find(const og_arms *arms, const og_settings *settings,
                              const og_exact_bound *least, og_upper_bound *bound,
                              og_exact_bound *out, og_message *message);

/* The bound; NULL if it was not computed. */
mpq_srcptr og_exact_bound_value(const og_exact_bound *bound);

void og_exact_bound_clear(og_exact_bound *bound); /* a zeroed one is fine */

#endif
