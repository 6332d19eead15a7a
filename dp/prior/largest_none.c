/* Where only small programs are wanted, as for the browser: the mean is not known. */
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
