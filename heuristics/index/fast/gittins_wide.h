#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_WIDE_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_WIDE_H

#include <math.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/* The grid of prices of both truncated indices: 2^0, 2^-1/2, ... and then 2^-20, 2^-22, ... */
enum { OG_GITTINS_FINE_PRICES = 32, OG_GITTINS_PRICES = OG_GITTINS_FINE_PRICES + 112 };

static inline double og_gittins_grid_price(int i)
{
    return i < OG_GITTINS_FINE_PRICES ? exp2(-0.5 * i)
                                      : exp2(-20 - 2.0 * (i - OG_GITTINS_FINE_PRICES));
}

/* Prices with a larger relative difference count as different. OG_GITTINS_LEAST is the smallest
 * nonzero index. */
#define OG_GITTINS_PRICE_SLACK 1e-6
#define OG_GITTINS_LEAST 0x1p-900

/*
 * The infinite-horizon Gittins index (gittins_inf.c) of an arm whose labels have more than two
 * outcomes (private to heuristics/index/). The number of posteriors grows like a power of the
 * labels. So an index looks ahead for at most OG_GITTINS_WIDE_NODES posteriors, or until delta to
 * the power of the labels is `least`; `beyond` bounds the truncation error.
 */
enum { OG_GITTINS_WIDE_NODES = 1 << 17 };

typedef struct {
    og_arena arena;
    og_arm *arm; /* built to level `end` */
    int32_t end;
    uint32_t known; /* number of nodes with an index */
    double delta;
    double error;        /* proved relative rounding error of the truncated index (derived in
                            gittins_inf.c) */
    uint8_t *first_open; /* [nodes below `end`] the highest grid price (lowest number) with v > 0 */
    double *ratio;       /* [known] ratio of the best rule so far */
    double *beyond; /* [known] proved truncation error: without the stop at the end the index is
                       larger by at most this */
} og_gittins_wide;

/*
 * Prepares the indices of the nodes of `arm` that can be labelled. Builds an arm with the same
 * prior up to the end of the look-ahead, some 20 to 150 MB, and evaluates it at 144 prices, about
 * two seconds. `arm` is borrowed for the call. OG_NO_MEMORY, OG_FAILED;
 * OG_STOPPED if the stop ends it.
 */
og_status og_gittins_wide_new(const og_arm *arm, double delta, double least, og_stop *stop,
                              og_gittins_wide **out);
void og_gittins_wide_free(og_gittins_wide *wide); /* NULL is fine */

/* Computes the truncated index of a node. Any number of threads. OG_NO_MEMORY. */
og_status og_gittins_wide_index(const og_gittins_wide *wide, uint32_t node, double *index);

#endif
