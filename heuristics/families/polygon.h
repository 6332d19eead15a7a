#ifndef OG_HEURISTICS_FAMILIES_POLYGON_H
#define OG_HEURISTICS_FAMILIES_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The gain of a single instance as a function of the price of its labels (private to
 * heuristics/families/): convex, piecewise linear, decreasing to 0. Corners are in ascending order
 * of price; the first is at price 0, and from the last on the function is 0. No corners: 0
 * everywhere.
 *
 * Waiting and buying may be worth the same over a whole interval of prices (the label can be bought
 * next time). To make the result independent of rounding, buying counts as no worse if it is within
 * `slack` of waiting. Corners closer than the slack are merged.
 */
typedef struct {
    double price;
    double value;
} og_corner;

typedef struct {
    size_t count;
    og_corner *corner; /* [count]; free() it */
} og_polygon;

/* Work space for a function under construction; a zeroed one is 0 everywhere. free() its corners.
 */
typedef struct {
    og_corner *corner;
    size_t count, room;
} og_polygon_draft;

/* All of these return false if out of memory. d := a * d + b * f. */
bool og_polygon_add(double slack, og_polygon_draft *d, double a, double b, const og_polygon *f);

/*
 * Computes the larger of f (waiting) and reward - price + g (buying); *index is the largest price
 * at which buying is no worse.
 */
bool og_polygon_larger(double slack, const og_polygon *f, const og_polygon *g, double reward,
                       og_polygon_draft *out, double *index);

bool og_polygon_store(const og_polygon_draft *d, og_polygon *out);

/* Fills rank[count]: larger for a larger index; neighbours in order within the tolerance share a
 * rank. Adds the number of such neighbours that differ to *tolerance_ties. */
bool og_price_ranks(const double *index, size_t count, double tolerance, uint32_t *rank,
                    uint64_t *tolerance_ties);

#endif
