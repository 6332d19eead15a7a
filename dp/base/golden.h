#ifndef OG_DP_BASE_GOLDEN_H
#define OG_DP_BASE_GOLDEN_H

#include <stdint.h>

typedef double og_golden_function(void *user, double x);

/*
 * The least value of a function that a golden-section search finds between low and high. It
 * evaluates `points` places, at least two, ever closer to the minimum of a convex function. Source:
 * Kiefer, "Sequential minimax search for a maximum", Proc. AMS 4 (1953), 502-506.
 */
double og_golden_least(og_golden_function *function, void *user, double low, double high,
                       int32_t points);

#endif
