#ifndef OG_BENCH_RECORDED_MODEL_PRIOR_H
#define OG_BENCH_RECORDED_MODEL_PRIOR_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Priors from a model's probabilities. A model that says that a task is positive with probability p
 * counts as N labels, p N of them positive: the prior of the task is Beta(a + N p, b + N (1 - p)),
 * where Beta(a, b) is the prior of a task without a probability. Probabilities are rounded to
 * hundredths, so that there are at most 102 different priors.
 */
enum { OG_SHARE_NONE = -1, OG_MODEL_PRIORS_MAX = 102 };

/* Hundredths, 0 .. 100; OG_SHARE_NONE for NAN. */
int32_t og_share_of(double probability);

typedef struct {
    double a, b;
    double strength;       /* N >= 0 */
    double log_likelihood; /* ln Pr(the labels, in their order) */
} og_model_prior;

/*
 * Fit the parameters that are not given, a and b or N or all of them (given: a > 0, b > 0,
 * strength >= 0), to labels of two classes by maximum likelihood: share[labels->task_count]. All
 * three are within OG_PARAMETER_MIN .. OG_PARAMETER_MAX; a fitted strength below 1e-4 is 0.
 * Newton's method on the logarithms from four starting points. OG_BAD_INPUT with a message: the
 * strength is fitted and fewer than two tasks have labels and a probability; OG_FAILED if no search
 * ends at a zero of the gradient or at a limit; OG_NO_MEMORY.
 */
og_status og_model_prior_fit(const og_labels *labels, const int32_t *share, double a, double b,
                             double strength, og_model_prior *out, og_message *message);

/* Fill prior[OG_MODEL_PRIORS_MAX] and prior_of[tasks]; prior[0] is the base. Returns the number of
 * priors; base is a Beta. OG_BAD_INPUT with a message if a parameter is out of range. */
og_status og_model_priors(const og_group *base, double strength, const int32_t *share,
                          uint32_t tasks, og_group *prior, int32_t *prior_count, int32_t *prior_of,
                          og_message *message);

#endif
