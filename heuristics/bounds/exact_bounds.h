#ifndef OG_HEURISTICS_BOUNDS_EXACT_BOUNDS_H
#define OG_HEURISTICS_BOUNDS_EXACT_BOUNDS_H

#include <gmp.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "heuristics/bounds/bound.h"

/*
 * A Lagrangian bound as a fraction, at fractions near the prices that a search in doubles found
 * (heuristics/bounds/exact_bound.h).
 */
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
og_status og_exact_bound_find(const og_arms *arms, uint64_t memory_bytes,
                              const og_exact_bound *least, og_upper_bound *bound,
                              og_exact_bound *out, og_message *message);

/* The bound; NULL if it is not known. */
mpq_srcptr og_exact_bound_value(const og_exact_bound *bound);

void og_exact_bound_clear(og_exact_bound *bound); /* a zeroed one is fine */

#endif
