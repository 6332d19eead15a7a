#ifndef OG_BENCH_SIMULATION_INDEX_COST_H
#define OG_BENCH_SIMULATION_INDEX_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Estimates the cost of an index. The tables of some policies take hours with many labels. So they
 * are first built for 16, 32, ... labels, and a power law is fitted to the last two timings; true
 * growth is at least as steep (private to bench/).
 */
typedef struct {
    const og_groups *problem;    /* borrowed, like the rest */
    const og_settings *settings; /* threads, memory and watch for the tables */
    double seconds_max;          /* <= 0: any time */
    /* Build the index of these arms, the problem's with fewer labels, and free it. *by_left is true
     * if every number of labels left needs a separate index. */
    og_status (*make)(void *user, const og_arms *arms, bool *by_left, og_message *message);
    void *user;
} og_index_cost;

/* Estimate for so many labels and different arms. OG_OK: within the limits. OG_STOPPED or
 * OG_NO_MEMORY with a message that gives the time or memory needed; the errors of `make`. */
og_status og_index_cost_check(const og_index_cost *cost, int32_t labels, int32_t arm_count,
                              og_message *message);

#endif
