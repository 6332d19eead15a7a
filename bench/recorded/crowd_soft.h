#ifndef OG_BENCH_RECORDED_CROWD_SOFT_H
#define OG_BENCH_RECORDED_CROWD_SOFT_H

#include "bench/recorded/crowd_lines.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * A task of two classes in the belief about a crowd: its soft label theta has a Beta(a, b). A label
 * of the first kind, positive, has the line at * theta + rest * (1 - theta), one of the second kind
 * the same with theta and 1 - theta exchanged.
 *
 * The product of m lines is sum_k c_k theta^k (1 - theta)^(m - k), where c_k is the weight of k
 * positive labels of reliable workers. All numbers are sums of positive terms, the mirror images of
 * which are those of exchanged classes, bit by bit.
 */
enum { OG_CROWD_SOFT_FEW = 64 }; /* labels of a task whose means are sums over k */

typedef struct {
    int32_t prior;        /* for which it is filled, from 1 on */
    bool called;          /* `above` and `less`, too */
    double *weight;       /* [labels + 1] ln B(a + k, b + labels - k) */
    double *plain;        /* [labels + 1] the same, not as logarithms, relative to the largest */
    double *above, *less; /* [labels + 1] probability that theta >= 1/2, and that it is less */
} og_crowd_outcomes;

typedef struct {
    og_arena *arena;
    uint32_t longest;           /* most labels of a task */
    og_crowd_outcomes *outcome; /* [longest + 1] by number of labels */
    double *factor;             /* [longest + 1] logarithms of factorials */
    double *term, *right[2];    /* [longest + 1] scratch space */
    double *prefix, *value;     /* scratch space for few labels */
    /* of the task: */
    double a, b;
    og_crowd_line *line[2]; /* [count] sorted */
    int32_t count[2];
    og_crowd_outcomes *own;
} og_crowd_soft;

/* OG_NO_MEMORY. */
og_status og_crowd_soft_init(og_arena *arena, uint32_t longest, og_crowd_soft *out);

/* The number of a prior from now on has another meaning. */
void og_crowd_soft_forget(og_crowd_soft *soft);

/* Takes a task with the prior of this number, 0 .., and these lines. OG_NO_MEMORY. */
og_status og_crowd_soft_take(og_crowd_soft *soft, int32_t prior, const double beta[2],
                             og_crowd_line *const line[2], const uint32_t count[2]);

/* Fills the means of the lines of a task with at most OG_CROWD_SOFT_FEW labels. */
void og_crowd_soft_means(og_crowd_soft *soft);

/* Adds to beyond[labels][3] the probabilities that more than j labels of reliable workers are
 * positive, or negative, and 1, times `unit`, rounded: sums do not depend on their order. */
void og_crowd_soft_tails(og_crowd_soft *soft, double unit, int64_t *beyond);

/* The probabilities that theta >= 1/2, and that it is less, times a number. */
void og_crowd_soft_call(og_crowd_soft *soft, double *positive, double *negative);

#endif
