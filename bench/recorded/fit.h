#ifndef OG_BENCH_RECORDED_FIT_H
#define OG_BENCH_RECORDED_FIT_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"
#include "optgap.h"

/*
 * Fits a prior of the tasks' soft labels to recorded labels: Beta(a, b), a for label 1, or for
 * three or more classes a Dirichlet with a parameter for each class. All parameters are within
 * OG_PARAMETER_MIN .. OG_PARAMETER_MAX, so the program accepts them as input.
 */
typedef struct {
    double parameter[OG_CLASSES_MAX];      /* [class_count] a, b or alpha */
    double standard_error[OG_CLASSES_MAX]; /* [class_count] from the observed information, the
                                              second derivatives of ln L; NAN except for OG_FIT_ML
                                              */
    double mean[OG_CLASSES_MAX]; /* [class_count] of the tasks' fractions, with equal weights */
    double variance;             /* population variance of the fractions of ones; for several
                                    classes the sum of their variances */
    double log_likelihood;       /* ln Pr(the labels, in their order) under the fitted prior */
    int64_t label_count;
    uint32_t task_count;
    int32_t class_count; /* 2 .. OG_CLASSES_MAX */
} og_fit;

/* Method for fitting a prior to labels. */
typedef enum {
    OG_FIT_MOMENTS, /* moments of the beta-binomial, corrected for the noise of counting; the fit
                       may not exist */
    OG_FIT_ML,      /* its maximum likelihood */
    OG_FIT_PAPER,   /* moments of the tasks' fractions of positive labels, noise included [Hu and
                       Frazier]: far too wide if tasks have few labels */
} og_fit_method;

/* "ml", "moments", and any other word for "paper". */
og_fit_method og_fit_method_of(const char *name);

/* "2.5,1": [count] parameters with twelve digits, more than labels support; always readable as an
 * INSTANCE. */
enum { OG_PRIOR_WORDS = 24 * OG_CLASSES_MAX };
const char *og_prior_words(const double *parameter, int32_t count, char words[OG_PRIOR_WORDS]);

/*
 * OG_FIT_ML: maximum likelihood of the beta-binomial, or of the Dirichlet-multinomial.
 *
 * OG_FIT_MOMENTS: their moments, corrected for sampling noise. Task i has n_i of the w labels; p_ik
 * is the share of them in class k, and p_k the share of all labels. Then
 *   S = sum_i n_i sum_k (p_ik - p_k)^2,  G = sum_k p_k (1 - p_k),
 *   rho = (S - G sum_i (1 - n_i / w)) / (G sum_i (n_i - 1) (1 - n_i / w))
 * estimates 1 / (q + 1), q the sum of the parameters, and the prior is p_k q [Kleinman,
 * "Proportions with extraneous variance: single and independent samples", JASA 68 (1973), with
 * weights n_i].
 *
 * OG_FIT_PAPER: the Beta with the mean m and the population variance v of the tasks' fractions:
 * q = m (1 - m) / v - 1 [Hu and Frazier 7.2]; for classes G / v - 1 with G of the means. It
 * mistakes sampling noise for differences between tasks: with few labels for each task it is far
 * too wide.
 *
 * OG_BAD_INPUT with a message that suggests an alternative. The causes are: only one task, all
 * labels equal, all fractions equal, or every task unanimous (these are checked with integers);
 * tasks that differ no more than by chance, so that the likelihood has no maximum in q and rho is
 * not positive; or a fit out of range. OG_FAILED if the search for the maximum does not end at a
 * zero of the gradient (checked: each component is at most 1e-9 of the sum of its terms' sizes).
 * OG_NO_MEMORY. On error *out keeps its value.
 */
og_status og_fit_prior(const og_labels *labels, og_fit_method method, og_fit *out,
                       og_message *message);

/*
 * The step of OG_FIT_ML for counts that are only expected: beyond[most][classes + 1] tasks have
 * more than j labels of each class, and in all. Climbs from parameter[classes] to the maximum.
 * OG_BAD_INPUT: it is out of range, beyond the parameters that are left; OG_FAILED: it was not
 * found.
 */
og_status og_fit_climb(int32_t classes, int64_t most, double *beyond, double *parameter);

#endif
