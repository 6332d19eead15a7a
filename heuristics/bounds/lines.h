#ifndef OG_HEURISTICS_BOUNDS_LINES_H
#define OG_HEURISTICS_BOUNDS_LINES_H

#include <stdbool.h>

#include "dp/base/status.h"

/* A convex function B of a price, around a price: its value there, and its slope to the right
 * (private to heuristics/). */
typedef struct {
    double price, value, error, slope;
} og_line;

typedef og_status og_line_at(void *context, double price, og_line *out);

/*
 * Where B is least among the prices 0 .. dearest: its slope at `dearest` is not below 0. Any status
 * but OG_OK of `at` ends the search. *converged is false where it ended after a fixed number of
 * prices.
 */
og_status og_lines_least(og_line_at *at, void *context, double dearest, og_line *best,
                         bool *converged);

#endif
