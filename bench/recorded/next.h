#ifndef OG_BENCH_RECORDED_NEXT_H
#define OG_BENCH_RECORDED_NEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

/*
 * The state of tasks after recorded labels. Tasks with the same labels are at one place. All have
 * the same prior, so all places are nodes of its arm, whose depth is the most labels of a task plus
 * `ahead`. If it needs fewer posteriors, each place is instead the root of a separate arm of depth
 * `ahead`.
 */
typedef struct {
    int32_t arm;
    uint32_t node; /* in that arm */
    uint32_t tasks;
    int32_t counts[OG_CLASSES_MAX]; /* labels by outcome */
} og_spot;

typedef struct {
    og_arms *arms;
    uint32_t task_count, place_count;
    uint32_t *place_of; /* [task_count] */
    og_spot *place;     /* [place_count] sorted by the number of labels, then by counts */
    int32_t ahead;
} og_standing;

/*
 * Set up the state, looking as many labels ahead as a budget >= 0 can use: all of it up to 200;
 * with classes fewer, so that all arms together have at most some 30000 nodes (but at least 1 label
 * ahead). OG_BAD_INPUT with a message if the prior has a different number of classes, or too few
 * labels fit (dp/arm/arm.h); OG_NO_MEMORY; OG_STOPPED if settings->watch stops it. Clear it
 * whatever is returned.
 */
og_status og_standing_init(const og_labels *labels, const og_group *prior, int32_t budget,
                           const og_settings *settings, og_standing *out, og_message *message);
void og_standing_clear(og_standing *standing); /* may be zeroed */

typedef struct {
    int32_t count;     /* tasks to label next; with a price perhaps fewer than requested */
    uint32_t *task;    /* [count] best first; owned */
    double *index;     /* [count] of the policy; owned. NULL: none */
    double gain_most;  /* upper bound: no use of the budget has more expected correct calls, less
                          prices; NAN if the watch ended the search */
    double gain_least; /* lower bound of what is attainable if these tasks are labelled now; proved
                          too */
    int32_t index_ahead; /* most labels ahead that the index uses */
    uint32_t worth;      /* tasks worth a label, as far as the search looked; without a price all */
    bool stops;          /* proved: no task is worth any number of labels */
} og_next;

typedef struct {
    const og_policy_name *policy;
    int32_t budget;
    int32_t batch; /* 1 .. budget, and the number of tasks */
    double price;  /* of a label, in units of the worth of calls; 0: free */
    uint64_t seed;
    const og_settings *settings; /* threads, memory_bytes and watch */
} og_next_request;

/*
 * Find the `batch` tasks that the policy ranks first in the current state, each once; ties are
 * random with this seed. No label of the batch is seen before the batch is chosen.
 *
 * With a price, buying may stop. A task is worth a label only if buying labels of this task alone,
 * with optimal stopping, has a positive expected gain; other tasks are omitted. *Proof that nothing
 * is lost.* Take any policy that labels an omitted task. The answers about it do not depend on the
 * other tasks, so the earnings there are an average of the earnings of policies for this task
 * alone, which are at most 0. Drawing these answers at random instead of buying them loses nothing
 * there and changes nothing elsewhere. A task of a batch can receive its label in the batch and all
 * labels left after the batch; the batch holds as many tasks as are worth a label then. If no task
 * is worth one with the whole budget, stopping is optimal. A gain counts if it exceeds its error.
 * If the budget exceeds `ahead`, a task is assumed to gain everything it can lack after `ahead`
 * labels; `stops` is true only if even that is not worth a label.
 *
 * gain_most: a Lagrangian relaxation of the budget, in which each task may buy labels at a price;
 * the best price found is used (reference in heuristics/bounds/bound.h). gain_least: the best plan
 * found among those that fix the number of labels of each task (with a price, the largest number)
 * and give at least one to each task of the batch. A policy that sees labels as they come does at
 * least as well. Both include all rounding, so labelling the batch first loses at most their
 * difference.
 *
 * OG_BAD_INPUT with a message for a policy without an index of single tasks, or whose index depends
 * on the other tasks, except for those of og_policy_name_in_state with a batch of 1 and no price.
 * Other errors as in og_policy_name_ranks_for. The watch may end it: before the
 * batch is chosen with OG_STOPPED; afterwards the indices (NULL) or the bounds (NAN) are missing.
 * *out is written on success only.
 */
og_status og_next_find(const og_standing *standing, const og_next_request *request, og_next *out,
                       og_message *message);
void og_next_clear(og_next *next);

/* The current call of each task (og_arm_called), and the probability that it is right, or with a
 * payoff its expected worth (to some 1e-13), both [task_count]. OG_NO_MEMORY or OG_FAILED. */
og_status og_standing_calls(const og_standing *standing, int32_t *called, double *worth);

#endif
