#ifndef OG_DP_BASE_GOLDEN_H
#define OG_DP_BASE_GOLDEN_H

#include <stdint.h>

typedef double og_golden_function(void *user, double x);

/*
 * The least value that a golden-section search meets of a function between low and high: it asks at
 * `points` places, two at least, nearer and nearer to where a convex function has its least.
 * Source: Kiefer, "Sequential minimax search for a maximum", Proc. AMS 4 (1953), 502-506.
 */
double og_golden_least(og_golden_function *function, void *user, double low, double high,
                       int32_t points);

#endif
