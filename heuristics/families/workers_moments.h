#ifndef OG_HEURISTICS_FAMILIES_WORKERS_MOMENTS_H
#define OG_HEURISTICS_FAMILIES_WORKERS_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/prior/worker.h"
#include "heuristics/rule.h"

/*
 * Moment matching of [Chen, Lin and Zhou 2015, section 5]: after a label the posteriors of its
 * instance, Beta(a, b), and of its worker, Beta(c, d), are replaced by Betas with the same mean and
 * variance, as if they were independent.
 *
 * Both posteriors are mixtures of two Betas whose parameters have equal sums. Mean and variance are
 * sums of positive terms, while the second moment minus the squared mean (equations 41 and 45 of
 * the paper) loses digits. If a = b, the worker keeps its Beta exactly; if c = d, the instance
 * does.
 */

/* Applies one label: replaces a, b of the instance and c, d of the worker. */
void og_workers_match(double instance[2], double worker[2], bool positive);

/*
 * The belief about a worker with another prior (dp/prior/worker.h). With two coins, v is the
 * probability that a reliable worker would have given a positive label, by the means; each coin is
 * a mixture of having answered or not. Each kind of a mixture learns as a worker with one coin, its
 * weight follows from the probability of the label, and the instance learns from the mean
 * reliability.
 *
 *   OG_PRIOR_BETA     c, d
 *   OG_PRIOR_COINS    c1, d1, c2, d2
 *   OG_PRIOR_MIXTURE  [parts] weight, c, d
 */
typedef struct {
    og_prior_kind kind;
    int32_t parts;
} og_worker_form;

enum { OG_WORKER_WIDTH_MAX = 3 * OG_PARTS_MAX };

/* The doubles of a belief; the most of all groups. Writes that of a group's members. */
int32_t og_worker_width(const og_groups *workers);
og_worker_form og_worker_believe(const og_group *group, double *belief);

/* As og_workers_match; a NULL form is one coin. */
void og_workers_learn(const og_worker_form *form, double instance[2], double *worker,
                      bool positive);

/* The mean reliability; with two coins, the mean of both. */
double og_worker_mean(const og_worker_form *form, const double *worker);

/* The probability that the label is positive. */
double og_workers_chance(const og_worker_form *form, const double instance[2],
                         const double *worker);

/* h: fills right[count] with the probability that the call is right under Beta(a, b), given as
 * instance[2 * count]. Exactly 1/2 if a = b. */
void og_workers_right(const double *instance, int32_t count, double *right);

/* The sum of h over [count] instances: the expected number of correct calls. */
double og_workers_right_sum(const double *instance, int32_t count);

/* Pairs of an instance and a worker, by their beliefs. */
typedef struct {
    const double *instance; /* [2 * count] */
    const double *worker;   /* [width * count] */
    int32_t width;
    const og_worker_form *form; /* [count]; NULL: all workers have one coin, and width is 2 */
    const double *now;          /* [count] h of the instances */
    int32_t count;
} og_workers_pairs;

/*
 * Fills index[count] of the pairs by the rule: outcomes are the two labels, gains those in h. They
 * are exactly 0 if the label says nothing about the instance: c = d. Takes about 0.2 microseconds a
 * pair. No bit depends on the other pairs.
 */
void og_workers_indices(const og_rule_use *use, const og_workers_pairs *pairs, double *index);

/* Outcomes and gains of one pair. */
void og_workers_prospect(const double instance[2], const double *worker, const og_worker_form *form,
                         og_prospect *out);

#endif
