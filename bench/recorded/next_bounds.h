#ifndef OG_BENCH_RECORDED_NEXT_BOUNDS_H
#define OG_BENCH_RECORDED_NEXT_BOUNDS_H

#include "bench/recorded/next.h"
#include "dp/base/stop.h"

/* The parts of og_next_find that search values (private to bench/recorded/). */

/*
 * needs[place]: the least number of labels left such that one is worth its price; INT32_MAX: more
 * than the search covers, or than the tasks can get. OG_NO_MEMORY; OG_STOPPED.
 */
og_status og_next_needs(const og_standing *standing, og_stop *stop, int32_t *needs);

/* Fill gain_most, gain_least and stops of *next, whose tasks are chosen. `matching` has the labels
 * of the batch, and receives those of the plan if workers have capacities; NULL: there are no
 * workers. OG_NO_MEMORY. */
og_status og_next_bounds(const og_standing *standing, og_matching *matching, og_stop *stop,
                         og_next *next);

#endif
