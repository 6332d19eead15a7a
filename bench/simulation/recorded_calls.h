#ifndef OG_BENCH_SIMULATION_RECORDED_CALLS_H
#define OG_BENCH_SIMULATION_RECORDED_CALLS_H

#include <stdint.h>

#include "bench/simulation/concluded.h"
#include "bench/simulation/sources.h"
#include "dp/arm/arm.h"

/* The final calls of recorded labels (private to bench/simulation/). */

/*
 * Allocate tables [node_count][outcome_count] for the nodes of an arm of the prior: the share of
 * each call, all 0 if the node is undecided; and, with a payoff, the worth of the calls if this
 * outcome is true. Without a payoff *pay is not written. The caller frees both, also on error.
 * OG_NO_MEMORY.
 */
og_status og_recorded_calls(const og_recorded *from, const og_arm *arm, double **call,
                            double **pay);

/* Describe what a run concluded (og_environment.result): its tasks are at node[task_count], and its
 * labels are counted. OG_NO_MEMORY, OG_FAILED. */
og_status og_recorded_conclude(const og_recorded *from, const og_arm *arm, const double *call,
                               const uint32_t *node, og_concluded *found, og_document *object);

#endif
