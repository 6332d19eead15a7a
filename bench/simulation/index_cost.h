#ifndef OG_BENCH_SIMULATION_INDEX_COST_H
#define OG_BENCH_SIMULATION_INDEX_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Is an index worth beginning? The tables of some policies take hours where there are many labels.
 * So they are made for 16, 32, ... labels first, and the power law of the last two timings is
 * continued, which grows steeper if anything (private to bench/).
 */
typedef struct {
    const og_groups *problem; /* borrowed, like the rest */
    int threads;
    uint64_t memory_bytes; /* limit for the tables */
    double seconds_max;    /* <= 0: any time */
    /* Make the index of these arms, the problem's with fewer labels, and free it again. *by_left:
     * is there another one for every number of labels left? */
    og_status (*make)(void *user, const og_arms *arms, bool *by_left, og_message *message);
    void *user;
} og_index_cost;

/* For so many labels and different arms. OG_OK: it seems so. OG_STOPPED or OG_NO_MEMORY with a
 * message that says what it would take; what `make` returns otherwise. */
og_status og_index_cost_check(const og_index_cost *cost, int32_t labels, int32_t arm_count,
                              og_message *message);

#endif
