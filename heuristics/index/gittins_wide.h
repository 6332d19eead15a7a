#ifndef OG_HEURISTICS_INDEX_GITTINS_WIDE_H
#define OG_HEURISTICS_INDEX_GITTINS_WIDE_H

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

/* Prices further apart than this part of them are told apart; an index that is not 0 is no less. */
#define OG_GITTINS_PRICE_SLACK 1e-6
#define OG_GITTINS_LEAST 0x1p-900

/*
 * The infinite-horizon Gittins index (gittins_inf.c) of an arm whose labels have more than two
 * outcomes (private to heuristics/). Their posteriors grow like a power of the labels, so an index
 * looks ahead as far as OG_GITTINS_WIDE_NODES posteriors reach, or until delta to the power of the
 * labels is `least`; more than that it may miss, see `beyond`.
 */
enum { OG_GITTINS_WIDE_NODES = 1 << 17 };

typedef struct {
    og_arena arena;
    og_arm *arm; /* built to level `end` */
    int32_t end;
    uint32_t known; /* nodes whose index can be asked for */
    double delta;
    double error; /* proved relative error of the truncated index (the rounding; gittins_inf.c
                     derives it) */
    uint8_t *first_open; /* [nodes below `end`] the highest grid price (lowest number) with v > 0 */
    double *ratio;       /* [known] of the best rule so far */
    double *beyond;      /* [known] proved: rules that do not stop at the end have an index that is
                            larger by no more than this */
} og_gittins_wide;

/*
 * For the nodes of `arm` that can be labelled; an arm of the same prior is built to the level where
 * the look ahead ends, some 20 to 150 MB, and valued at 144 prices, about two seconds. `arm` is
 * borrowed for the call. OG_NO_MEMORY, OG_FAILED.
 */
og_status og_gittins_wide_new(const og_arm *arm, double delta, double least, og_gittins_wide **out);
void og_gittins_wide_free(og_gittins_wide *of); /* NULL is fine */

/* The index of a node, of rules that stop at the end. Any number of threads. OG_NO_MEMORY. */
og_status og_gittins_wide_index(const og_gittins_wide *of, uint32_t node, double *index);

#endif
