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
 * Where recorded labels leave their tasks. Tasks with the same labels are at one place. All have
 * the same prior, so that all places are nodes of its arm, as deep as the most labels of a task and
 * `ahead` more; where fewer posteriors are looked at so, each is the root of an arm of its own,
 * `ahead` deep.
 */
typedef struct {
    int32_t arm;
    uint32_t node; /* of that arm */
    uint32_t tasks;
    int32_t counts[OG_CLASSES_MAX]; /* labels by outcome */
} og_spot;

typedef struct {
    og_arms *arms;
    uint32_t task_count, place_count;
    uint32_t *place_of; /* [task_count] */
    og_spot *place;     /* [place_count] by the number of labels, then by counts */
    int32_t ahead;
} og_standing;

/*
 * As many labels ahead as are useful for a budget, 0 or more: all of it up to 200, and of classes
 * fewer, so that all arms together have some 30000 nodes at most (at least 1). OG_BAD_INPUT with a
 * message if the prior is not one of as many classes, or too few labels fit (dp/arm/arm.h);
 * OG_NO_MEMORY; OG_STOPPED where settings->watch says so. Clear it whatever is returned.
 */
og_status og_standing_init(const og_labels *labels, const og_group *prior, int32_t budget,
                           const og_settings *settings, og_standing *out, og_message *message);
void og_standing_clear(og_standing *standing); /* a zeroed one is fine */

typedef struct {
    int32_t count;     /* tasks to be labelled next; at a price perhaps fewer than asked for */
    uint32_t *task;    /* [count] best first; owned */
    double *index;     /* [count] of the policy; owned, NULL: it has none */
    double gain_most;  /* expected correct calls, less prices, that no way to give the budget can
                          exceed; NAN where who watches ended the search */
    double gain_least; /* that can be had if these tasks are labelled now; proved like the above */
    int32_t index_ahead; /* labels ahead that the index looked at, at most */
    uint32_t worth;      /* tasks that are worth a label, as far as was looked; at no price all */
    bool stops;          /* none is, however many labels it gets: proved */
} og_next;

typedef struct {
    const og_policy_name *policy;
    int32_t budget;
    int32_t batch; /* 1 .. budget, and the number of tasks */
    double price;  /* of a label, in what calls are worth; 0: labels are given */
    uint64_t seed;
    const og_settings *settings; /* threads, memory_bytes and who watches */
} og_next_request;

/*
 * The `batch` tasks that the policy ranks first where the tasks stand now, each once; ties at
 * random by the seed. No label of the batch is seen before the batch is chosen.
 *
 * At a price one may stop, and a task is worth a label only if labels of it alone, each paid for
 * and stopped in time, are expected to gain something: others are left out. *Proof that nothing is
 * lost.* Take any play that labels such a task. What it is told of it does not depend on the other
 * tasks, so that what it earns there is an average of what plays of it alone earn, 0 at most.
 * Drawing those answers instead of buying them loses nothing there and changes nothing elsewhere.
 * A task of a batch can have its label in it and all that are left behind the batch; as many tasks
 * are named as are worth a label then. Where none is worth one with the whole budget, to stop is
 * optimal. A gain counts where it can be told from 0. Behind `ahead` labels, where the budget is
 * larger, a task is taken to gain all that it can lack: only where that is worth nothing either,
 * `stops` is true.
 *
 * gain_most: each task may buy labels at a price, a Lagrangian relaxation of the budget, at the
 * best price found (heuristics/bounds/bound.h has the source). gain_least: the best plan found
 * among those that fix how many labels each task gets, at a price how many at most, and give at
 * least one to each of the batch; who sees labels as they come does at least as well. Both hold
 * with all rounding, so that labelling the batch first loses at most their difference.
 *
 * OG_BAD_INPUT with a message for a policy that is not known by an index of a task, or whose index
 * depends on the other tasks; else as og_policy_name_ranks_for. Who watches may end it: OG_STOPPED
 * before the batch is chosen, and behind that the indices (NULL) or the bounds (NAN) are missing.
 * *out is written on success only.
 */
og_status og_next_find(const og_standing *standing, const og_next_request *request, og_next *out,
                       og_message *message);
void og_next_clear(og_next *next);

/* What each task is called now (og_arm_called), and the probability that this is right, or with a
 * payoff what it is expected to be worth (to some 1e-13), both [task_count]. OG_NO_MEMORY or
 * OG_FAILED. */
og_status og_standing_calls(const og_standing *standing, int32_t *called, double *worth);

#endif
