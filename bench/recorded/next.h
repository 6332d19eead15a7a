#ifndef OG_BENCH_RECORDED_NEXT_H
#define OG_BENCH_RECORDED_NEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"
#include "bench/recorded/standing.h"

typedef struct {
    int32_t count;     /* labels of the batch; perhaps fewer than requested */
    uint32_t *task;    /* [count] their tasks, best first; owned */
    double *index;     /* [count] of the policy; owned. NULL: none */
    uint32_t *worker;  /* [count] of the terms' workers; owned. NULL: none are given */
    double gain_most;  /* upper bound: no use of the budget has more expected correct calls, less
                          prices; NAN if the watch ended the search */
    double gain_least; /* lower bound of what is attainable if these tasks are labelled now; proved
                          too */
    int32_t index_ahead; /* most labels ahead that the index uses */
    uint32_t worth;      /* tasks worth a label, as far as the search looked; without a price all
                            that can get one */
    bool stops;          /* proved: no task is worth any number of labels */
    bool by_rule;        /* the policy has a stopping rule, and */
    uint32_t done;       /* so many tasks are done by it */
} og_next;

enum { OG_PER_BATCH_MAX = 20 };

/*
 * Find the labels of a question's og_batch, batch >= 1 and per_batch <= OG_PER_BATCH_MAX, by its
 * one policy: as many as wanted, left of the standing's budget and possible. No label of the
 * batch is seen before the batch is chosen; ties are random with this seed and the tasks' names.
 *
 * With one label for each task these are the tasks that the policy ranks first in the current
 * state. With several, the j-th label of a task is ranked by the index that is expected after its
 * first j - 1 labels, and never before these; for uniform, a task gets its j-th label after all
 * others got j - 1. OG_BAD_INPUT for several together with a price: a label that is bought before
 * the previous one is seen is never better than the same label bought later.
 *
 * With workers, each label has one. If they have capacities, the best labels are chosen for which
 * there are workers: the sum of the ranked numbers is the largest of all batches of that size that
 * they can give (bench/recorded/free_workers.h).
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
 * and give each task at least its labels of the batch, and for which there are workers. A policy
 * that sees labels as they come does at least as well. Both include all rounding, so labelling the
 * batch first loses at most their difference.
 *
 * OG_BAD_INPUT with a message for a policy without an index of single tasks, or whose index depends
 * on the other tasks, except for those of og_policy_name_in_state with a batch of 1 and no price.
 * Other errors as in og_policy_name_ranks_for. The watch may end it: before the
 * batch is chosen with OG_STOPPED; afterwards the indices (NULL) or the bounds (NAN) are missing.
 * *out is written on success only.
 */
og_status og_next_find(const og_asked *asked, const og_standing *standing, og_next *out,
                       og_message *message);
void og_next_clear(og_next *next);

#endif
