#ifndef OG_BENCH_RECORDED_FIT_H
#define OG_BENCH_RECORDED_FIT_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"

/*
 * A Beta(a, b) prior for the tasks' soft labels, fitted to recorded labels.
 * a and b lie within OG_PARAMETER_MIN .. OG_PARAMETER_MAX, so they may be given
 * to the program as they are.
 */
typedef struct {
    double a;
    double b;
    int64_t label_count;
    uint32_t task_count;
    double mean;           /* of the tasks' fractions of ones, each task alike */
    double variance;       /* population variance of these fractions */
    double log_likelihood; /* ln Pr(the labels, in their order) under the beta-binomial with a, b */
} og_fit;

/*
 * Moments [Hu and Frazier 7.2]: the Beta with the mean m and the population variance v of
 * the tasks' fractions of ones: a = m q, b = (1 - m) q, q = m (1 - m) / v - 1.
 *
 * OG_BAD_INPUT with a message that says what to do instead: one task only, all
 * labels alike, all fractions alike (v = 0), every task unanimous
 * (v = m (1 - m), so q = 0), or a fit out of range. These are decided by
 * integers. OG_NO_MEMORY. On error *out keeps its value.
 */
og_status og_fit_moments(const og_labels *labels, og_fit *out, og_message *message);

/*
 * Maximum likelihood of the beta-binomial. Differs from the moments where tasks
 * have few labels: there the spread of the fractions is partly chance.
 *
 * OG_BAD_INPUT with a message, besides the cases above, where the likelihood
 * grows without bound in a + b: the tasks differ by no more than chance.
 * OG_FAILED if the iteration ends anywhere but at a zero of the gradient
 * (checked: each component at most 1e-9 of the sum of its terms' sizes).
 */
og_status og_fit_ml(const og_labels *labels, og_fit *out, og_message *message);

#endif
