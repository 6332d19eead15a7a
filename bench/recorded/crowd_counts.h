#ifndef OG_BENCH_RECORDED_CROWD_COUNTS_H
#define OG_BENCH_RECORDED_CROWD_COUNTS_H

#include "bench/recorded/crowd_largest.h"
#include "bench/recorded/crowd_lines.h"
#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "dp/prior/problem.h"

/*
 * A task of C >= 3 classes, whose workers have two coins, in the belief about a crowd. The first
 * coin of a worker, right with probability rho_1, is thrown if a reliable label is of the last
 * class L, the other one, rho_0, if it is of any other; if the coin is wrong, the label is any of
 * the C - 1 others alike. So a label has the probability
 *
 *   of class L:  rho_1 theta_L + (1 - rho_0) / (C - 1) (1 - theta_L),
 *   of class k:  rho_0 theta_k + (1 - rho_1) / (C - 1) theta_L
 *                              + (1 - rho_0) / (C - 1) (1 - theta_k - theta_L),
 *
 * a linear form of theta. With two classes it is that of bench/recorded/crowd_soft.h, with equal
 * rhos that of bench/recorded/crowd_classes.h.
 *
 * The product of such forms is a sum over the labels of reliable workers, of which only the numbers
 * in each class matter: the mean of a product of powers n_k is prod_k (alpha_k)_(n_k) / (A)_n.
 * Classes other than L without a label in the task have the same factors everywhere, and are one
 * group. Sums from the first label on meet sums from the last one back, so all means take
 * O(labels groups numbers). All terms are positive.
 *
 * A line is that of class L as it is; of another class k, `at` is the factor of theta_k, `rest`
 * that of theta_L, and (1 - at) / (C - 1) that of all others. Its means are those of theta_k, and
 * of theta_L or, for L, of 1 - theta_L. Exchanged classes other than L change no bit.
 */
enum { OG_CROWD_COUNTS_LABELS = 400, OG_CROWD_COUNTS_ENTRIES = 1 << 20, OG_CROWD_COUNTS_KEPT = 16 };

/* Which class is the largest, for tasks with these labels and parameters in their order. */
typedef struct {
    int32_t named, labels;
    double alpha[OG_CLASSES_MAX];
    double *chance; /* of og_crowd_largest; NULL: none */
} og_crowd_kept;

typedef struct {
    og_arena *arena;
    int32_t classes, longest;
    double alpha[OG_CLASSES_MAX];
    og_crowd_numbers numbers[OG_CLASSES_MAX]; /* by dims; made when they are needed */
    size_t room;
    double *prefix; /* [room] */
    double *weight; /* [room] prod_k (alpha_k)_(n_k), relative */
    double *value;  /* [room] */
    double *rise;   /* [classes][longest + 1] */
    og_crowd_kept kept[OG_CROWD_COUNTS_KEPT];
    int32_t next_kept;
    /* of the task: */
    int32_t labels, named, groups;
    int32_t order[OG_CLASSES_MAX]; /* L, the other classes with labels, those without */
    int32_t count[OG_CLASSES_MAX]; /* by class */
    og_crowd_line *line[OG_CLASSES_MAX];
    const og_crowd_numbers *own;
} og_crowd_counts;

/* OG_NO_MEMORY. Clear it, too, with og_crowd_counts_clear; a zeroed one is fine. */
og_status og_crowd_counts_init(og_arena *arena, int32_t classes, int32_t longest,
                               og_crowd_counts *out);
void og_crowd_counts_clear(og_crowd_counts *all);

/* Takes this prior from now on: alpha[classes]. */
void og_crowd_counts_begin(og_crowd_counts *all, const double *alpha);

/* Takes a task: the lines of class k are sorted, line[k][count[k]]. OG_NO_MEMORY; OG_BAD_INPUT with
 * a message: there are more than OG_CROWD_COUNTS_LABELS labels, or OG_CROWD_COUNTS_ENTRIES numbers
 * of labels up to theirs. */
og_status og_crowd_counts_take(og_crowd_counts *all, og_crowd_line *const *line,
                               const int32_t *count, og_message *message);

/* About how many steps the means of the task take. */
int64_t og_crowd_counts_work(const og_crowd_counts *all);

/* Fills the means of all lines of the task. */
void og_crowd_counts_means(og_crowd_counts *all);

/* As og_crowd_classes_tails, for the labels of reliable workers. Those of a class without a label
 * of its own count where they were the first ones of the group: the logarithm of a sum is at least
 * the mean of logarithms, so a step of the EM algorithm remains one. */
void og_crowd_counts_tails(og_crowd_counts *all, double unit, int64_t *beyond);

/* chance[classes]: the probability that each class has the largest theta. OG_NO_MEMORY,
 * OG_STOPPED. */
og_status og_crowd_counts_call(og_crowd_counts *all, og_stop *stop, double *chance);

#endif
