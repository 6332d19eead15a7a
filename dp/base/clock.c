/* The one clock: it never goes back when somebody sets the time of day. */
#include "dp/base/clock.h"

#include <time.h>

double og_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
