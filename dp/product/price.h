#ifndef OG_DP_PRODUCT_PRICE_H
#define OG_DP_PRODUCT_PRICE_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/product/layers.h"

/*
 * Price tables for reduction 5: the largest gain of one instance alone if each label has a price.
 *
 *   v_z(x, r) = max(0, -z + R(x) + sum_k p_k v_z(next_k, r - 1)),   v_z(., 0) = 0
 *   G_r(S)   <= z r + sum over instances of v_z(x, r)               for every z >= 0
 *
 * Proof of the second line: in the relaxed problem every instance buys labels separately, at z
 * each. A policy of the real problem is one way to buy there, and pays z r.
 *
 * If nodes have several actions, z is the price of a unit, and the first line takes the best action
 * (dp/product/layers.h, 5).
 *
 * Worths are integers in units of 1/scale, rounded up, so that sums of them are exact and a bound
 * never falls below its true value: rounding can only make a bound looser. No sum that a state of
 * the problem needs exceeds INT32_MAX.
 */
enum { OG_PRICE_COUNT = 32 };

typedef struct {
    og_arena arena;
    double scale; /* units per expected correct call */
    double price[OG_PRICE_COUNT];
    uint32_t **row;  /* [budget + 1], each [class_count]: number of the row of worths */
    int32_t *worth;  /* [rows][OG_PRICE_COUNT], each row once: rows grow as budget^2, classes as
                      * budget^3 */
    int32_t *charge; /* [budget + 1][OG_PRICE_COUNT] z * left, rounded up */
    uint64_t bytes;
} og_prices;

/* The worths of a class at every price: [OG_PRICE_COUNT]. */
static inline const int32_t *og_prices_of(const og_prices *prices, int32_t left, uint32_t class)
{
    return &prices->worth[(size_t)prices->row[left][class] * OG_PRICE_COUNT];
}

/*
 * Tabulates worths for all layers, in memory of 4 bytes a class and 128 a row. `instances` is an
 * upper bound on the number of instances of a state that are not dropped. OG_STOPPED if the tables
 * would need more than memory_bytes (the caller then works without bounds), or if `stop` (may be
 * NULL) ends the work. `favourite`: a price to include; 0: none.
 */
og_status og_prices_new(const og_layers *layers, int64_t instances, double favourite,
                        uint64_t memory_bytes, og_stop *stop, og_prices **out);

/*
 * The price at which the bound on the problem itself is least, to about 1e-5 of the largest reward.
 * The states that matter are hard to distinguish from those of optimal play, and their best prices
 * are near the problem's: with it 50x1,1 T=95 takes 37 % fewer states. Costs as much as the tables.
 * Any price would be valid.
 */
og_status og_prices_favourite(const og_layers *layers, const og_arms *arms, og_stop *stop,
                              double *price);

/* The tables for a problem, including its favourite price. `capped`: copies of an instance beyond
 * the budget are dropped (reduction 3). */
og_status og_prices_new_for(const og_layers *layers, const og_arms *arms, bool capped,
                            uint64_t memory_bytes, og_stop *stop, og_prices **out);

void og_prices_free(og_prices *prices);

/* Adds count times the worths of a class to sum[OG_PRICE_COUNT]. */
static inline void og_prices_add(int32_t *restrict sum, const int32_t *restrict worth,
                                 int32_t count)
{
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        sum[z] += count * worth[z];
    }
}

/* min over prices of sum + next - gone, in units. */
static inline int32_t og_prices_least(const int32_t *restrict sum, const int32_t *restrict gone,
                                      const int32_t *restrict next)
{
    int32_t least = INT32_MAX;
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        int32_t bound = sum[z] - gone[z] + next[z];
        least = bound < least ? bound : least;
    }
    return least;
}

#endif
