#ifndef OG_BENCH_RECORDED_NEXT_SOURCES_H
#define OG_BENCH_RECORDED_NEXT_SOURCES_H

#include <stdint.h>

#include "bench/asked.h"
#include "bench/recorded/labels.h"
#include "heuristics/bounds/sources_bound.h"

/*
 * Labels from sources with prices and known accuracies: which to buy next. A label belongs to the
 * source whose name is the worker's, or comes before the first colon of it: "human:ann".
 */
typedef struct {
    const og_sources *sources;
    const char *const *name; /* [sources->count] */
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
    int64_t given[OG_SOURCES_MAX];  /* labels of each source in the table */
    double planned[OG_SOURCES_MAX]; /* expected labels of each source for the whole budget */
    double now;                     /* expected correct calls without another label */
    double most;                    /* upper bound with the budget, proved */
    double unit;                    /* price of a unit in correct calls, at the best relaxation */
} og_purchases;

/*
 * Plan the og_batch of a question with og_sources_plan. Each task follows one of its two policies,
 * in their shares, or the other one if the price exceeds the units left. Choose the tasks with room
 * and the largest gain. OG_BAD_INPUT with a message: a worker belongs to no source, or labels of
 * sources that are never wrong contradict each other; OG_NO_MEMORY; OG_STOPPED. *out is written on
 * success only; clear it with og_purchases_clear.
 */
og_status og_purchases_find(const og_asked *asked, const og_labels *labels, const og_offers *offers,
                            og_purchases *out, og_message *message);

/* positive[task_count]: the probability that each task is positive. Errors as in og_purchases_find.
 */
og_status og_sources_calls(const og_labels *labels, const og_offers *offers, double *positive,
                           og_message *message);

void og_purchases_clear(og_purchases *purchases); /* a zeroed one is fine */

#endif
