#ifndef OG_BENCH_SIMULATION_RANKING_CONCLUDED_H
#define OG_BENCH_SIMULATION_RANKING_CONCLUDED_H

#include "bench/document.h"
#include "bench/recorded/pairs.h"
#include "bench/simulation/sources.h"

/*
 * Describe what a run of recorded comparisons concluded (og_environment.result; private to
 * bench/simulation/): the items in the order of the policy's scores, with the policies' belief
 * after the comparisons `given`, in order (bench/recorded/next_pairs.h); the workers; the pairs
 * with the three largest indices of akg and the smallest one. A worker disagrees if the reported
 * winner is below the loser in the policy's order. Errors as in og_pairs_plan_find.
 */
og_status og_ranking_conclude(const og_recorded_pairs *from, const og_pairs *given,
                              const double *decision, double accuracy, uint64_t seed,
                              og_document *object, og_message *message);

#endif
