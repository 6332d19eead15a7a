#ifndef OG_BENCH_FAMILIES_WORKERS_PROBLEM_H
#define OG_BENCH_FAMILIES_WORKERS_PROBLEM_H

#include "bench/families/workers/workers.h"
#include "bench/simulation/sources.h"
#include "bench/simulation/workers_document.h"
#include "dp/base/arena.h"
#include "dp/families/workers.h"

/* A problem of workers of unknown reliability (private to bench/families/workers/). */
typedef struct {
    og_arena arena;
    og_groups instances;
    const og_workers_options *options;
    int32_t whole_budget;
    const char *history; /* borrowed */
    int32_t had;         /* labels in it */
    og_arms *arms;       /* of reliable workers, for the bounds, which hold only without a history;
                          * NULL, and no posterior: only runs are supported */
    og_workers_posterior posterior;
    og_workers_world world;
    double prior; /* sum of h, in doubles */
} workers;

/* Fills the world, whose labels are drawn, and the prior. OG_STOPPED with a message: too large;
 * OG_NO_MEMORY. */
og_status workers_make_world(workers *problem, og_message *message);

og_source workers_source(const void *problem, const og_truth *truth);
void workers_put_counts(const void *problem, const double *counts, og_document *object);
void workers_show_counts(const void *problem, const char *policy, const double *counts,
                         og_document *document);

#endif
