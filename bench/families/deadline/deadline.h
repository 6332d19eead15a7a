#ifndef OG_BENCH_FAMILIES_DEADLINE_DEADLINE_H
#define OG_BENCH_FAMILIES_DEADLINE_DEADLINE_H

#include "bench/family.h"
#include "dp/families/deadline.h"

/*
 * Labels with a deadline (dp/families/deadline.h) as a family. The budget is the number of labels
 * that may be requested. An act gives an instance to a worker who arrived in the first slot, or
 * sends the worker away. Policies are those of heuristics/families/deadline_policy.h. The bounds
 * lagrangian_scalar and lagrangian_vector are this problem's own
 * (heuristics/bounds/deadline_bound.h). prevailing_charge is the bound for immediate labels, as
 * many as can be requested in time; delays cannot exceed it. lagrangian_vector is the lower of its
 * own bound and that of immediate labels.
 */
extern const og_family og_family_deadline;

typedef struct {
    og_deadline deadline;
} og_deadline_options;

extern const og_option_set og_deadline_option_set;

/*
 * Labels in batches (og_deadline_batches) as a family: an act orders a label for an
 * instance. Policies are indices of single instances; a batch is filled in rounds, in the order of
 * the index. Bounds are those of labels seen one by one. If some millions of states are enough,
 * `one_by_one`, the optimum of such labels, is a further bound: its excess over the optimum is the
 * loss due to batches.
 */
extern const og_family og_family_batch;

typedef struct {
    int32_t batch;
} og_batch_options;

extern const og_option_set og_batch_option_set;

#endif
