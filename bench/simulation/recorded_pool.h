#ifndef OG_BENCH_SIMULATION_RECORDED_POOL_H
#define OG_BENCH_SIMULATION_RECORDED_POOL_H

#include <stdint.h>

#include "bench/simulation/sources.h"
#include "dp/arm/arm.h"
#include "dp/base/arena.h"

/*
 * The tasks from which runs with arriving workers are drawn (private to bench/simulation/): those
 * with gold that are not held out. A task can have no more labels than are recorded, so tasks
 * differ by this number, their kind.
 */
typedef struct {
    og_arena arena;
    og_arms *arms;     /* one arm of the prior, as deep as the longest list of labels */
    int32_t *recorded; /* [labels->task_count] labels of each task */
    uint32_t *task;    /* [count] the pool, in the order of the file */
    uint32_t count;
    int32_t *kind;  /* [labels->task_count] its arm among: */
    og_arms kinds;  /* that arm for each kind; the budget is U, groups are the tasks of the pool */
    og_delay delay; /* with the labels of each kind */
} og_recorded_pool;

/* Borrows *from. OG_BAD_INPUT with a message: another number of classes than two, or fewer tasks
 * than are to be drawn. Other errors as og_arms_new. */
og_status og_recorded_pool_new(const og_recorded_delayed *from, const og_settings *settings,
                               og_recorded_pool **out, og_message *message);
void og_recorded_pool_free(og_recorded_pool *pool); /* NULL is fine */

#endif
