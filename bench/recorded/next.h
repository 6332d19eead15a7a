#ifndef OG_BENCH_RECORDED_NEXT_H
#define OG_BENCH_RECORDED_NEXT_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

/*
 * Where recorded labels leave their tasks: every task has the same prior, so that all of them stand
 * on one arm, as deep as the most labels of a task and `ahead` more.
 */
typedef struct {
    og_arms *arms;  /* of one arm */
    uint32_t *node; /* [task_count] */
    uint32_t task_count;
    int32_t ahead;
} og_standing;

/*
 * As many labels ahead as are useful for a budget: all of it up to 200, and of classes fewer, so
 * that the arm has some 30000 nodes at most (at least 1). OG_BAD_INPUT with a message if the prior
 * is not one of as many classes, or too few labels fit (dp/arm/arm.h); OG_NO_MEMORY. Clear it
 * whatever is returned.
 */
og_status og_standing_init(const og_labels *labels, const og_group *prior, int32_t budget,
                           int threads, uint64_t memory_bytes, og_standing *out,
                           og_message *message);
void og_standing_clear(og_standing *standing); /* a zeroed one is fine */

typedef struct {
    int32_t count;     /* tasks to be labelled next */
    uint32_t *task;    /* [count] best first; owned */
    double *index;     /* [count] of the policy; owned, NULL: it has none */
    double gain_most;  /* expected correct calls that no way to give the budget can exceed */
    double gain_least; /* that can be had if these tasks are labelled now; proved like the above */
    int32_t index_ahead; /* labels ahead that the index looked at, at most */
} og_next;

/*
 * The `batch` tasks (at least 1, at most the budget and the number of tasks) that the policy ranks
 * first where the tasks stand now, each once; ties at random by the seed. No label of the batch is
 * seen before the batch is chosen.
 *
 * gain_most: each task may buy labels at a price, a Lagrangian relaxation of the budget, at the
 * best price found (heuristics/bounds/bound.h has the source). gain_least: the best plan found
 * among those that fix how many labels each task gets and give at least one to each of the batch;
 * who sees labels as they come does at least as well. Both hold with all rounding, so that
 * labelling the batch first loses at most their difference.
 *
 * OG_BAD_INPUT with a message for a policy that is not known by an index of a task, or whose index
 * depends on the other tasks; else as og_policy_name_ranks_for. *out is written on success only.
 */
og_status og_next_find(const og_standing *standing, const og_policy_name *policy, int32_t budget,
                       int32_t batch, uint64_t seed, int threads, uint64_t memory_bytes,
                       og_next *out, og_message *message);
void og_next_clear(og_next *next);

/* What each task is called now (og_arm_called), and the probability that this is right, or with a
 * payoff what it is expected to be worth (to some 1e-13), both [task_count]. OG_NO_MEMORY or
 * OG_FAILED. */
og_status og_standing_calls(const og_standing *standing, int32_t *called, double *worth);

#endif
