#ifndef OG_BENCH_FAMILIES_WORKERS_H
#define OG_BENCH_FAMILIES_WORKERS_H

#include "bench/family.h"
#include "dp/prior/problem.h"

/*
 * Workers of unknown reliability (dp/families/workers.h) as a family: an act is an instance and a
 * worker. Policies are those of heuristics/families/workers_policy.h: a value is that with the
 * policy's own final calls, called_value that with those of the exact posterior. Policies that
 * depend on the order of labels are refused where they could take more than 2^31 histories. Upper
 * bounds are those of reliable workers: whose labels tell more, since anybody can falsify them at
 * random himself.
 */
extern const og_family og_family_workers;

typedef struct {
    og_groups workers; /* their priors; no budget */
    bool once;         /* each pair is labelled at most once; labels beyond that are lost */
} og_workers_options;

extern const og_option_set og_workers_option_set;

#endif
