/* A stub for small programs, such as the browser version: the mean is not supported. */
#include "dp/prior/largest.h"

#include <math.h>

bool og_largest_exact(const og_groups *laws, mpq_t out)
{
    (void)laws;
    (void)out;
    return false;
}

double og_largest_mean(const og_groups *laws, double *mean)
{
    (void)laws;
    *mean = NAN;
    return NAN;
}
