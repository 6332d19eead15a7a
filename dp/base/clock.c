/* The only clocks: they never go back, even if the time of day is set. */
#include "dp/base/clock.h"

#include <time.h>

#ifndef CLOCK_MONOTONIC_COARSE
#define CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC /* only Linux has one */
#endif

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double og_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double og_seconds_of_thread(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double og_seconds_of_process(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double og_seconds_coarse(void)
{
    return seconds_of(CLOCK_MONOTONIC_COARSE);
}
