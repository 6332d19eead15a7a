#ifndef OG_HEURISTICS_INDEX_DESCENT_H
#define OG_HEURISTICS_INDEX_DESCENT_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Finds the minimum of a smooth convex function of n variables (private to heuristics/): the BFGS
 * method with a full inverse Hessian, for functions that cost far more than n^2 steps.
 *
 *   f      writes the gradient at x[n], finite, to gradient[n]
 *   flat   ends when no entry of the gradient is larger
 *   most   largest number of evaluations
 *   x      in: the start; out: the end
 *   steep  out: the largest entry of the gradient there, in absolute value
 *
 * Ends early if rounding hides the direction of descent. OG_NO_MEMORY leaves x as it was. Takes 8
 * n^2 bytes. Source: Nocedal and Wright, "Numerical Optimization" (2006), section 6.1.
 */
typedef void og_gradient(void *context, const double *x, double *gradient);

og_status og_descend(int32_t n, og_gradient *f, void *context, double flat, int32_t most, double *x,
                     double *steep);

#endif
