/*
 * The bounds with a price for each label in a build without GLPK, which would find the prices:
 * always INFINITY.
 */
#include <math.h>

#include "heuristics/bounds/bound.h"

og_status og_bound_delayed_vector(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_stop *stop, og_upper_bound *out)
{
    (void)delay;
    (void)memory_bytes;
    return og_bound_lagrangian_vector(arms, threads, stop, out);
}

og_status og_bound_lagrangian_vector(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out)
{
    (void)arms;
    (void)threads;
    (void)stop;
    *out = (og_upper_bound){.value = INFINITY};
    return OG_OK;
}
