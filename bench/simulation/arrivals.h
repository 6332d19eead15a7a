#ifndef OG_BENCH_SIMULATION_ARRIVALS_H
#define OG_BENCH_SIMULATION_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/families/delayed.h"

/*
 * The clock of a run whose labels take time (private to bench/simulation/): workers who arrive, and
 * the ends of their work. Both are Poisson processes, so times are exponential. The times of the
 * u-th arrival and of the u-th worker's work have addresses (bench/random.h), and are the same for
 * all policies.
 */

/* A worker at work. */
typedef struct {
    double time; /* time of the label */
    uint32_t instance;
} og_work_end;

typedef struct {
    double arrival_rate, service_rate;
    int32_t workers; /* U */
    og_work_end
        *ends; /* [workers + 1] a heap: no time is earlier than its parent's; the caller's */
    uint32_t end_count;
    uint64_t seed, run;
    double now;   /* the next arrival; after the last one INFINITY */
    int32_t left; /* workers to come, including the next one */
} og_arrivals;

og_arrivals og_arrivals_of(const og_delay *delay, int32_t workers, og_work_end *ends);

/* Start a run; then repeat: og_arrivals_ended until it is false, and one of the other two. */
void og_arrivals_begin(og_arrivals *arrivals, uint64_t seed, uint64_t run);

/* The next label that ends before the next arrival; false if there is none. */
bool og_arrivals_ended(og_arrivals *arrivals, uint32_t *instance);

/* The worker who has arrived works on this instance, or leaves without work. */
void og_arrivals_place(og_arrivals *arrivals, uint32_t instance);
void og_arrivals_lose(og_arrivals *arrivals);

#endif
