#ifndef OG_BENCH_RECORDED_CROWD_BELIEF_H
#define OG_BENCH_RECORDED_CROWD_BELIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/prior/problem.h"

/*
 * The belief about tasks and workers of unknown reliability after labels, by belief propagation
 * (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988; for workers, Liu, Peng and Ihler,
 * "Variational inference for crowdsourcing", NIPS 25, 2012).
 *
 * A label of a task with the soft label theta, by a worker whose coin is right with probability
 * rho, is positive with probability theta rho + (1 - theta)(1 - rho). Each label sends two numbers
 * in each pass, all from those of the pass before:
 *
 *   to its worker  alpha: the probability that a reliable worker would have given this label, from
 *                  the task's prior and its other labels,
 *   to its task    r: the mean of the worker's rho, from its prior and the worker's other labels;
 *                  at first the prior's mean.
 *
 * So a task's density is its prior times r theta + (1 - r)(1 - theta) for each positive label, and
 * theta and 1 - theta exchanged for each negative one; a worker's density is the prior times
 * alpha rho + (1 - alpha)(1 - rho) for each label. Means of a task with few labels are sums over
 * the labels of reliable workers (bench/recorded/crowd_soft.h), others sums over Gauss's rule for
 * the prior, which is exact for n < 62 labels and has 4 sqrt(n) points or more for others, or
 * fractions of nearly its value (bench/recorded/crowd_coin.h). A worker with two coins, rho_1 if
 * a reliable label is positive and rho_0 if not, has a density for each, and the label's message to
 * one uses the mean of the other.
 *
 * The passes end when no alpha moves by OG_CROWD_SETTLED, at the latest after OG_CROWD_PASSES. From
 * pass 50 on each alpha moves only half the way, because some tables oscillate otherwise.
 *
 * With several classes theta has a Dirichlet, and a label that is not the reliable one is any of
 * the C - 1 others alike: a label of class k has the probability rho theta_k + (1 - rho)(1 -
 * theta_k) / (C - 1). The messages are the same (bench/recorded/crowd_classes.h). With two coins it
 * is a form of all classes, where rho_1 is for the last one (bench/recorded/crowd_counts.h).
 *
 * With `fit` the tasks' prior is the one of the largest likelihood, given the messages to tasks: a
 * step of the EM algorithm in every second pass, where the reliable labels are the hidden data, and
 * on to where the last two steps lead. It starts from the given prior, and may take
 * OG_CROWD_FIT_PASSES.
 *
 * Exact if no two tasks have a worker in common; otherwise an approximation. It is a function of
 * the labels: numbers have the same bits for any order of labels and any names, and those of
 * exchanged classes (with priors b, a) are mirror images, bit by bit.
 */
enum { OG_CROWD_PASSES = 100, OG_CROWD_FIT_PASSES = 1000 };
#define OG_CROWD_SETTLED 1e-9
#define OG_CROWD_FIT_SETTLED 1e-6 /* with `fit` */

typedef struct {
    int64_t label_count;
    uint32_t task_count, worker_count;
    const uint32_t *task, *worker; /* [label_count] */
    const uint8_t *label;          /* [label_count] 1: positive, 0: negative; or the class */
    int32_t classes;               /* 3 or more; else there are two */
    const og_group *task_prior;    /* [task_priors] each a Beta, or with `sure` a probability; of
                                      several classes one Dirichlet */
    int32_t task_priors;
    const int32_t *prior_of; /* [task_count]; NULL: all 0 */
    bool fit;                /* the tasks' prior, which is one and not `sure` */
    bool sure; /* theta is 1 with probability a/(a+b), else 0: every reliable label is the same */
    const og_group *worker_prior; /* [worker_priors] see dp/prior/worker.h */
    int32_t worker_priors;
    const bool *known;              /* [worker_priors] rho is a/(a+b) of the Beta; NULL: none */
    const int32_t *worker_prior_of; /* [worker_count]; NULL: all 0 */
} og_crowd;

typedef struct {
    og_arena arena;
    double *chance; /* [task_count][classes] the probability that each class has the largest theta;
                       of two: positive, negative. They are equal if the labels do not decide */
    double prior[OG_CLASSES_MAX]; /* of the first task prior; fitted with `fit` */
    double *coin; /* [worker_count][4] c, d of the Beta with the mean and the variance of rho, or
                     of rho_1 and rho_0; rho and 1 - rho of a known one */
    int32_t passes;
    bool settled; /* false: the passes ended before all was settled */
    double moved; /* the largest move of an alpha, or of the logarithm of a fitted parameter, in the
                     last pass */
} og_crowd_belief;

/*
 * A pass takes some 0.13 microseconds for each label (bench/RESULTS.md). Memory: 120 bytes for each
 * label. OG_NO_MEMORY, OG_STOPPED. OG_BAD_INPUT with a message: a task of more than
 * OG_CROWD_CLASSES_LABELS labels of several classes, or with two coins of more than
 * bench/recorded/crowd_counts.h supports; or no prior fits. *out is written on
 * success only; clear it with og_crowd_belief_clear.
 */
og_status og_crowd_believe(const og_crowd *crowd, og_stop *stop, og_crowd_belief *out,
                           og_message *message);

void og_crowd_belief_clear(og_crowd_belief *belief); /* a zeroed one is fine */

#endif
