#ifndef OG_HEURISTICS_FAMILIES_POLYGON_H
#define OG_HEURISTICS_FAMILIES_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What one instance on its own can gain at a price of its labels, as a function of the price
 * (private to heuristics/families/): convex, piecewise linear, falling to 0. Corners are in
 * ascending order of price, the first at 0, the last where the function becomes 0 and stays so. No
 * corners: 0 everywhere.
 *
 * Where waiting and buying are worth the same over a whole interval of prices (the label can as
 * well be bought next time) rounding decides nothing: buying counts as no worse if it is within
 * `slack` of waiting. Corners closer than the slack are one.
 */
typedef struct {
    double price;
    double value;
} og_corner;

typedef struct {
    size_t count;
    og_corner *corner; /* [count]; free() it */
} og_polygon;

/* Room for the function being made; zeros: empty, and 0 everywhere. free() its corners. */
typedef struct {
    og_corner *corner;
    size_t count, room;
} og_polygon_draft;

/* All of these return false without memory. d := a * d + b * f. */
bool og_polygon_add(double slack, og_polygon_draft *d, double a, double b, const og_polygon *f);

/*
 * The larger of waiting f and of buying, reward - price + g; *index is the largest price at which
 * buying is no worse.
 */
bool og_polygon_larger(double slack, const og_polygon *f, const og_polygon *g, double reward,
                       og_polygon_draft *out, double *index);

bool og_polygon_store(const og_polygon_draft *d, og_polygon *out);

/* rank[count]: larger for a larger index; neighbours in order within the tolerance share one, and
 * *tolerance_ties grows by those of them that differ. */
bool og_price_ranks(const double *index, size_t count, double tolerance, uint32_t *rank,
                    uint64_t *tolerance_ties);

#endif
