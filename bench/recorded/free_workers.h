#ifndef OG_BENCH_RECORDED_FREE_WORKERS_H
#define OG_BENCH_RECORDED_FREE_WORKERS_H

#include "bench/recorded/candidates.h"

/* Workers who can give labels now. */
typedef struct {
    og_arena arena;
    const char **name; /* [count] borrowed from the list, each worker once */
    uint32_t count;
    int32_t *capacity; /* [count] labels that the worker can give; INT32_MAX: any number */
    bool limited;      /* some worker has a capacity */
    int64_t labels; /* upper bound on the labels that all can give: for each worker the capacity, or
                       the tasks that the worker is free for */
    bool listed;    /* `pair` has the pairs that are free; otherwise those that are not */
    uint64_t *pair; /* [pair_count] task << 32 | worker, in ascending order */
    size_t pair_count;
} og_free_workers;

/*
 * Find the free workers of a list. A worker is free for a task if the list has this pair, or the
 * worker if it has no tasks, the worker has not labelled the task, and has a capacity above 0.
 * Lower room[task] to the number of workers who are free for the task. OG_NO_MEMORY. Time O(n log
 * n) for n labels and rows.
 */
og_status og_free_workers_find(const og_labels *labels, const og_list *list, int32_t *room,
                               og_free_workers *out);
void og_free_workers_clear(og_free_workers *workers); /* a zeroed one is fine */

/*
 * Labels with their workers: a flow from tasks to workers, one label of each pair at most, and to a
 * worker at most the capacity.
 *
 * A label is added along an augmenting path: workers of earlier labels may change, but no label is
 * lost. If there is none, no labels with these and this one exist (max-flow min-cut). Sets of
 * labels that can be given together are the independent sets of a matroid (a gammoid). So a greedy
 * choice, the best label first, of those that can be added, has the largest sum of indices among
 * all sets of its size, and as many labels as possible.
 */
typedef struct og_matching og_matching;

/* For at most `most` labels of tasks 0 .. tasks - 1. NULL if memory runs out. */
og_matching *og_matching_new(const og_free_workers *workers, uint32_t tasks, int64_t most);
void og_matching_free(og_matching *matching); /* accepts NULL */

/*
 * Add `count` labels of the task, each by another worker: all of them, or none and false. Workers
 * take turns where they can. Time O(labels * workers) at most; workers who can get no more labels
 * are remembered.
 */
bool og_matching_add(og_matching *matching, uint32_t task, int32_t count);

/* The worker of the label that was added as number k, counting only labels that were kept. */
uint32_t og_matching_worker(const og_matching *matching, int64_t k);

#endif
