#ifndef OG_BENCH_RECORDED_NEXT_SOURCES_H
#define OG_BENCH_RECORDED_NEXT_SOURCES_H

#include <stdint.h>

#include "bench/asked.h"
#include "bench/recorded/crowd_belief.h"
#include "bench/recorded/labels.h"
#include "dp/families/sources_unknown.h"
#include "heuristics/bounds/sources_bound.h"

/*
 * Labels from sources with prices: which to buy next. A label belongs to the source whose name is
 * the worker's, or comes before the first colon of it: "human:ann"; or
 * else to the source "*". Each worker of a source of
 * unknown accuracy has one of its own, from the source's prior: the belief about them and the tasks
 * is that of bench/recorded/crowd_belief.h, where the truth of a task is positive or negative.
 */
typedef struct {
    const og_crowd_sources *sources;
    const char *const *name; /* [sources->sources.count] */
    const double *prior;     /* [task_count] probability that the task is positive */
    const int32_t *room;     /* [task_count] most further labels; NULL: any number */
} og_offers;

typedef struct {
    uint32_t task;
    int32_t source;
    double gain;     /* og_sources_advice */
    double positive; /* probability that the task is positive now */
} og_purchase;

typedef struct {
    og_arena arena;
    og_purchase *purchase; /* [count] the largest gain first, at most one for a task */
    int32_t count;
    int64_t given[OG_SOURCES_MAX];   /* labels of each source in the table */
    double planned[OG_SOURCES_MAX];  /* expected labels of each source for the whole budget */
    double now;                      /* expected correct calls without another label */
    double accuracy[OG_SOURCES_MAX]; /* of a next label: given, or expected */
    double most;                     /* upper bound with the budget, proved for these accuracies */
    double unit;                     /* price of a unit in correct calls, at the best relaxation */
} og_purchases;

/*
 * Plan the og_batch of a question with og_sources_plan. Each task follows one of its two policies,
 * in their shares, or the other one if the price exceeds the units left. Choose the tasks with room
 * and the largest gain. The next label of an unknown source is right with its prior's mean, or if
 * it has labels with the mean of its workers' beliefs, each as often as it has labels. OG_BAD_INPUT
 * with a message: a worker belongs to no source, or labels of sources that are never wrong
 * contradict each other; OG_NO_MEMORY; OG_STOPPED. *out is written on success only; clear it with
 * og_purchases_clear.
 */
og_status og_purchases_find(const og_asked *asked, const og_labels *labels, const og_offers *offers,
                            const og_crowd_belief *belief, og_purchases *out, og_message *message);

/* positive[task_count]: the probability that each task is positive; with unknown accuracies by the
 * belief, which is NULL otherwise. Errors as in og_purchases_find. */
og_status og_sources_calls(const og_labels *labels, const og_offers *offers,
                           const og_crowd_belief *belief, double *positive, og_message *message);

/* The belief with sources of unknown accuracy; errors as in og_purchases_find and og_crowd_believe.
 * source[worker_count] of each worker. */
og_status og_sources_believe(const og_labels *labels, const og_offers *offers, og_stop *stop,
                             int32_t *source, og_crowd_belief *out, og_message *message);

void og_purchases_clear(og_purchases *purchases); /* a zeroed one is fine */

#endif
