#ifndef OG_HEURISTICS_INDEX_DESCENT_H
#define OG_HEURISTICS_INDEX_DESCENT_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * The least point of a smooth convex function of n variables (private to heuristics/): the BFGS
 * method with the inverse Hessian in full, for functions that cost far more than n^2 steps.
 *
 *   f      writes the gradient at x[n], finite, to gradient[n]
 *   flat   ends where no entry of the gradient is larger
 *   most   ends after so many evaluations
 *   x      in: where to start; out: where it ended
 *   steep  out: the largest entry of the gradient there, in absolute value
 *
 * Ends early where rounding hides which way is down. OG_NO_MEMORY leaves x as it was. Takes 8 n^2
 * bytes. Source: Nocedal and Wright, "Numerical Optimization" (2006), section 6.1.
 */
typedef void og_gradient(void *context, const double *x, double *gradient);

og_status og_descend(int32_t n, og_gradient *f, void *context, double flat, int32_t most, double *x,
                     double *steep);

#endif
