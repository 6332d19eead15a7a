#ifndef OG_BENCH_FAMILIES_WORKERS_H
#define OG_BENCH_FAMILIES_WORKERS_H

#include "bench/family.h"
#include "bench/option.h"
#include "dp/prior/problem.h"

/*
 * Workers of unknown reliability (dp/families/workers.h) as a family. Policies are those of
 * heuristics/families/workers_policy.h: a value is that with the policy's own final calls,
 * called_value that with those of the exact posterior. Policies that depend on the order of labels
 * are refused where they could take more than OG_HISTORIES_MAX histories. Upper bounds are those of
 * reliable workers: whose labels tell more, since anybody can falsify them at random himself.
 *
 * Borrows both problems; `once`: each pair of an instance and a worker is labelled at most once,
 * and labels beyond that are lost. The rest as og_family_independent.
 */
#define OG_HISTORIES_MAX 2147483648.0

og_status og_family_workers(const og_problem *problem, const og_problem *workers, bool once,
                            int32_t policy_count, const og_settings *settings, og_family *out,
                            og_message *message);

/* Its options. */
typedef struct {
    og_problem workers; /* their priors; no budget */
    bool once;
} og_workers_options;

extern const og_option_set og_workers_option_set;

#endif
