#ifndef OG_BENCH_FAMILIES_WORKERS_WORKERS_H
#define OG_BENCH_FAMILIES_WORKERS_WORKERS_H

#include "bench/family.h"
#include "dp/prior/problem.h"

/*
 * Workers of unknown reliability (dp/families/workers.h) as a family: an act is an instance and a
 * worker. Policies are those of heuristics/families/workers_policy.h: their value uses the policy's
 * own final calls, called_value those of the exact posterior. Policies that depend on the order of
 * labels are refused if they could need more than 2^31 histories. Upper bounds are those of
 * reliable workers. Reliable labels are at least as useful: a policy could replace them at random,
 * as an unreliable worker does.
 */
extern const og_family og_family_workers;

typedef struct {
    og_groups workers; /* their priors; no budget */
    bool once;         /* each pair is labelled at most once; labels beyond that are lost */
} og_workers_options;

/* A trace has the columns c and d of one coin. */
#define OG_WORKERS_NO_TRACE                                                                        \
    "--trace does not support two coins or mixtures (--workers-prior); omit it"

#endif
