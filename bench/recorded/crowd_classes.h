#ifndef OG_BENCH_RECORDED_CROWD_CLASSES_H
#define OG_BENCH_RECORDED_CROWD_CLASSES_H

#include "bench/recorded/crowd_lines.h"
#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "dp/prior/problem.h"

/*
 * A task of several classes in the belief about a crowd: its soft label theta has a Dirichlet, and
 * a label of class k has the line at * theta_k + rest * (1 - theta_k).
 *
 * The product of the lines of a class is a polynomial in theta_k, and the mean of a product of
 * powers is prod_k (alpha_k)_(n_k) / (A)_(sum n_k), A the sum of the parameters. So a mean is a
 * convolution over the classes that occur. It takes O(labels^2) for a task. A line with at < rest
 * (a worker who is right less often than by guessing) has a negative coefficient: then up to one
 * binary digit is lost for each such label of the task.
 *
 * Classes are combined in an order of their polynomials: exchanged classes change no bit.
 */
enum { OG_CROWD_CLASSES_LABELS = 1000 }; /* most of a task */

typedef struct {
    int32_t classes;
    int32_t longest;              /* most labels of a task, <= OG_CROWD_CLASSES_LABELS */
    double alpha[OG_CLASSES_MAX]; /* the prior; og_crowd_classes_begin */
    double *rise[OG_CLASSES_MAX]; /* [longest + 1] (alpha)_n / scale^n */
    double *whole;                /* [longest + 1] scale^n / (A)_n */
    /* of the task: */
    int32_t count[OG_CLASSES_MAX];
    double
        *power[OG_CLASSES_MAX]; /* [count + 1] coefficients of the powers of theta_k, times rise */
    int32_t order[OG_CLASSES_MAX];
    double *room; /* of `power` */
    double *prefix, *product, *spare, *value;
} og_crowd_classes;

/* OG_NO_MEMORY. */
og_status og_crowd_classes_init(og_arena *arena, int32_t classes, int32_t longest,
                                og_crowd_classes *out);

/* Takes this prior from now on: alpha[classes]. */
void og_crowd_classes_begin(og_crowd_classes *all, const double *alpha);

/* Takes a task: the lines of class k are sorted, line[k][count[k]]. */
void og_crowd_classes_take(og_crowd_classes *all, og_crowd_line *const *line, const int32_t *count);

/* Fills the means of theta_k and 1 - theta_k of all lines of the task. */
void og_crowd_classes_means(og_crowd_classes *all, og_crowd_line *const *line);

/* Adds to beyond[longest][classes + 1] the probabilities that more than j labels of a class, and of
 * all, are by theta, times `unit`, rounded: sums do not depend on their order. */
void og_crowd_classes_tails(og_crowd_classes *all, double unit, int64_t *beyond);

/*
 * chance[tasks][classes]: the probability that each class has the largest theta, of tasks whose
 * polynomials og_crowd_classes_keep copied, one task after the other, to power[]: count[tasks]
 * [classes] are their degrees. With theta a ratio of Gammas, it is an integral of a convolution;
 * the trapezoidal rule in the logarithm, with errors below 1e-12. OG_NO_MEMORY,
 * OG_STOPPED.
 */
double *og_crowd_classes_keep(const og_crowd_classes *all, double *power, int32_t *count);
og_status og_crowd_classes_calls(og_crowd_classes *all, const double *power, const int32_t *count,
                                 uint32_t tasks, og_stop *stop, double *chance);

/* density[labels + 1], below[labels + 1]: the density of Gamma(alpha + n) at t times t, and the
 * probability below t, where log_gamma[n] is the logarithm of Gamma(alpha + n + 1). */
void og_crowd_gammas(double alpha, int32_t labels, const double *log_gamma, double log_t,
                     double *density, double *below);

/* The rule of those integrals: points at first + n step, n < count, the first one with this weight,
 * all others with 1. sum and most: of the parameters. */
typedef struct {
    double first, step, weight;
    int32_t count;
} og_crowd_steps;
og_crowd_steps og_crowd_steps_of(double sum, double most, int32_t labels);

#endif
