#ifndef OG_DP_FAMILIES_WORKERS_POSTERIOR_H
#define OG_DP_FAMILIES_WORKERS_POSTERIOR_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"
#include "dp/prior/worker.h"

/*
 * Workers of unknown reliability [Chen, Lin and Zhou 2015, section 5]: worker j answers as a
 * reliable one with probability rho_j ~ Beta(c_j, d_j), else the opposite, so that a label of
 * instance i is positive with probability rho_j theta_i + (1 - rho_j) (1 - theta_i). The prior of
 * rho_j can also be a mixture, or the worker has two coins, rho_j if a reliable one would answer
 * positively and rho'_j if not (dp/prior/worker.h): rho_j theta_i + (1 - rho'_j) (1 - theta_i).
 *
 * The exact posterior depends only on the counts of positive and negative labels of every pair.
 * Each of its likelihood's factors is a sum of two: expanded, a state's evidence is a sum of
 * products of Beta integrals, all positive. Nothing is normalised: the evidence of a state is the
 * probability of its labels in one given order, and
 *
 *   positive[i] = Pr(labels and theta_i >= 1/2),   negative[i] = Pr(labels and theta_i < 1/2).
 */
enum {
    OG_WORKERS_INSTANCES_MAX = 32,
    OG_WORKERS_MAX = 32,
    OG_WORKERS_PAIRS_MAX = 128,
    OG_WORKERS_LABELS_MAX = 60,
};

/* The labels of the pair (i, j) in a state, counts[i * workers + j]. */
typedef struct {
    uint8_t positive, negative;
} og_pair_counts;

/* A label before the root. */
typedef struct {
    int32_t instance, worker;
    bool positive;
} og_pair_label;

typedef struct {
    og_arena arena;
    const og_groups *problem, *people; /* borrowed, and used only for fractions */
    int32_t instances;
    int32_t workers;
    int32_t labels;         /* T, with --once at most one a pair; including those before the root */
    int32_t had;            /* number of those before the root */
    og_pair_label *root;    /* [had] in the order of time */
    og_pair_counts *counts; /* [instances * workers] at the root */
    double scale;           /* 1 / their evidence */
    int32_t side;           /* labels + 1 */
    int32_t *instance_group; /* [instances] */
    int32_t *worker_group;   /* [workers] */
    double **instance; /* [instance groups][side * side] B(a+A, b+B) / B(a, b) at A * side + B */
    double **chance;   /* [instance groups][side * side] Pr(theta >= 1/2 | Beta(a+A, b+B)) */
    int32_t coins;     /* of all workers together; as many as workers: one each */
    int32_t (*coin_of)[2]; /* [workers] the coin for positive labels of a reliable worker, and that
                              for negative ones, which may be the same */
    double **coin;         /* [coins][side * side] its factor at same * side + other */
    double roundings;      /* of all factors of mixtures */
    double prior;          /* expected correct calls at the root, */
    double prior_error;    /* its absolute error, proved, */
    double chance_error;   /* and that of every probability in `chance` */
} og_workers_posterior;

/* OG_BAD_INPUT with a message unless the priors of instances are Betas, those of workers as in
 * dp/prior/worker.h, the thresholds 1/2, and there is an instance and a worker. `workers` lists
 * groups of workers as a problem does. */
og_status og_workers_check(const og_groups *problem, const og_groups *workers, og_message *message);

/* OG_BAD_INPUT with a message as og_workers_check, and for sizes beyond the limits above. The
 * groups must exist only if fractions are asked for (dp/families/workers_exact.h). */
og_status og_workers_posterior_init(og_workers_posterior *out, const og_groups *problem,
                                    const og_groups *workers, int32_t labels, og_message *message);
void og_workers_posterior_clear(og_workers_posterior *posterior); /* a zeroed one is fine */

/*
 * Begins with these labels, in this order: the evidence of a state is then relative to that of the
 * root, which is 1. At most `labels`; only once, before the posterior is used. OG_NO_MEMORY.
 */
og_status og_workers_posterior_begin(og_workers_posterior *posterior, const og_pair_label *label,
                                     int32_t count);

/*
 * *evidence, and positive[instances], negative[instances] if not NULL. Takes one step for every
 * combination of the number of labels of each pair that a reliable worker would also give, at most
 * 2^T. It takes fewer if one instance or worker after the other is summed out: for each label the
 * product, over those met at a time, of (their labels + 1). Relative error of each sum at most
 * og_workers_posterior_error, but absolute errors of `positive` and `negative` at most (that +
 * chance_error) times the evidence.
 */
void og_workers_evidence(const og_workers_posterior *posterior, const og_pair_counts *counts,
                         double *evidence, double *positive, double *negative);

/* Proved relative error of an evidence with all labels. */
double og_workers_posterior_error(const og_workers_posterior *posterior);

#endif
