#ifndef OG_BENCH_RECORDED_CROWD_FIT_H
#define OG_BENCH_RECORDED_CROWD_FIT_H

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Steps of the EM algorithm for the prior of tasks in the belief about a crowd. The
 * expected numbers of labels are whole multiples of 1 / unit, and classes are in an order of
 * numbers: so a step is a function of the labels.
 */
typedef struct {
    int32_t classes;
    uint32_t longest; /* most labels of a task */
    double unit;
    int64_t *beyond; /* [longest][classes + 1] tasks with more than j labels of each class, and in
                        all, times `unit`; a step sets them to 0 */
    double *sorted;  /* [longest][classes + 1] */
    double from[OG_CLASSES_MAX], step[OG_CLASSES_MAX]; /* the last step, of logarithms */
} og_crowd_fit;

/* OG_NO_MEMORY. */
og_status og_crowd_fit_init(og_arena *arena, int32_t classes, uint32_t longest, uint32_t tasks,
                            og_crowd_fit *out);

/*
 * Replaces prior[classes] by that of the largest likelihood for the expected numbers, with
 * parameters of at least OG_CROWD_FIT_LEAST, and moves on to where the last two steps lead.
 * *moved: the largest step of a logarithm without that. OG_BAD_INPUT with a message: none is best.
 */
og_status og_crowd_fit_step(og_crowd_fit *fit, double *prior, double *moved, og_message *message);

#define OG_CROWD_FIT_LEAST 0.01

#endif
