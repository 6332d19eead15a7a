#ifndef OG_HEURISTICS_BOUNDS_UPPER_LINES_H
#define OG_HEURISTICS_BOUNDS_UPPER_LINES_H

#include <stdbool.h>

#include "dp/base/status.h"

/* A supporting line of a convex function B of a price: B's value at a price, and its slope to the
 * right (private to heuristics/). */
typedef struct {
    double price, value, error, slope;
} og_line;

typedef og_status og_line_at(void *context, double price, og_line *out);

/*
 * Finds the minimum of B among the prices least .. dearest; the slope at `dearest` must not be
 * below 0. A status of `at` other than OG_OK ends the search. *converged is false if it ended after
 * a fixed number of prices.
 */
og_status og_lines_least(og_line_at *at, void *context, double least, double dearest, og_line *best,
                         bool *converged);

#endif
