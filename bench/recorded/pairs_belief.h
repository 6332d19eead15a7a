#ifndef OG_BENCH_RECORDED_PAIRS_BELIEF_H
#define OG_BENCH_RECORDED_PAIRS_BELIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/pairs.h"
#include "dp/base/stop.h"

/*
 * The belief about scores after recorded comparisons, a function of the comparisons alone: the
 * order of rows and the names change no number.
 *
 * Scores have a Dirichlet with the parameter A of each item. An item beats another one with
 * probability sigma(d), where d is the difference of their log scores; a draw is half a win of
 * each, so that its likelihood is the root of both. The posterior density of the log scores is
 * log-concave. The belief is its maximum, found by Newton's method, and the covariance of the
 * normal distribution with the same curvature there (Laplace's method).
 *
 * The probability that an item is above another one is the mean of two values: of the normal
 * distribution of d, whose tails are too light, and of the Beta of sigma(d) with the same mode and
 * curvature, which is too skew unless only these two items were compared. The mean error is .009 in
 * small random tables and the largest .063 (tests/test_pairs_belief.c); .016 and .062 of the first,
 * .006 and .052 of the second; with workers the means are .010, .009 and .015.
 *
 * With a prior of workers, a report is sigma(d) with the worker's reliability rho, and otherwise
 * the opposite. Messages are passed as in bench/recorded/crowd_belief.h: a report's likelihood uses
 * the mean r of rho from the worker's other reports; the worker's density is the prior times alpha
 * rho + (1 - alpha)(1 - rho) for each report, where alpha is sigma(d) at the maximum without this
 * report, from the curvature. They end when no r moves by 1e-9, at most after OG_PAIRS_PASSES.
 *
 * Equal items and workers have equal numbers: the log scores are rounded to 2^-36, variances to 40
 * bits, both far above their errors.
 */
enum {
    OG_PAIRS_SPREAD_MAX = 2000, /* items with a covariance, which takes O(items^3) */
    OG_PAIRS_PASSES = 100,
};

typedef struct {
    og_arena arena;
    uint32_t items;
    double *mode;       /* [items] log scores; the scores sum to 1 */
    double *covariance; /* [items][items] of log scores, up to a constant: for differences only.
                           NULL for more than OG_PAIRS_SPREAD_MAX items */
    double size;        /* of the Dirichlet with these scores and the same sum of the scores'
                           variances; NAN without covariance */
    double *worker;     /* [workers][2] the Beta with the mean and the variance of rho; NULL
                           without a prior of workers */
    bool settled;       /* false: the messages still moved after OG_PAIRS_PASSES */
} og_pairs_belief;

/*
 * OG_BAD_INPUT with a message: a prior of workers with more than OG_PAIRS_SPREAD_MAX items.
 * OG_NO_MEMORY; OG_STOPPED. *out is written on success only; clear it with og_pairs_belief_clear.
 */
og_status og_pairs_believe(const og_pairs *pairs, const og_pairs_prior *prior, og_stop *stop,
                           og_pairs_belief *out, og_message *message);

/* Fills above[count]: the probability that item[k] is above other[k]; with a covariance. No bit
 * depends on the other entries. */
void og_pairs_above(const og_pairs_belief *belief, const uint32_t *item, const uint32_t *other,
                    int32_t count, double *above);

void og_pairs_belief_clear(og_pairs_belief *belief); /* a zeroed one is fine */

#endif
