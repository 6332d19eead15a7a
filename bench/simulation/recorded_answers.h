#ifndef OG_BENCH_SIMULATION_RECORDED_ANSWERS_H
#define OG_BENCH_SIMULATION_RECORDED_ANSWERS_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "bench/simulation/run_block.h"

/* Recorded labels by task, in the order of a run (private to bench/simulation/). */
typedef struct {
    uint32_t worker;
    uint8_t outcome;
} og_recorded_answer;

typedef struct {
    uint32_t count;             /* tasks */
    uint32_t *first;            /* [count + 1] start of each task's labels */
    og_recorded_answer *answer; /* [labels] by task, in the order of the file */
} og_recorded_answers;

/* Take the zeroed arrays from the block, then fill them. */
void og_recorded_answers_take(og_recorded_answers *answers, const og_labels *labels,
                              og_block *block);
void og_recorded_answers_fill(og_recorded_answers *answers, const og_labels *labels);

static inline int32_t og_recorded_answers_of(const og_recorded_answers *answers, uint32_t task)
{
    return (int32_t)(answers->first[task + 1] - answers->first[task]);
}

/* The most labels of a task. */
int32_t og_recorded_answers_most(const og_recorded_answers *answers);

/* Copy the labels to order[labels] and put those of every task into random order. */
void og_recorded_answers_shuffle(const og_recorded_answers *answers, uint64_t seed, uint64_t run,
                                 og_recorded_answer *order);

#endif
