#ifndef OG_DP_FAMILIES_WORKERS_SUM_H
#define OG_DP_FAMILIES_WORKERS_SUM_H

#include <stdbool.h>

#include "dp/families/workers_posterior.h"

/*
 * Private to the posterior of workers: the two ways to sum og_workers_evidence, for the choice
 * between them and for tests. Same arguments.
 */

/* The number of terms of the expansion: one for each combination of the number of labels of each
 * pair that a reliable worker would also give. A double, because it may be 2^60. */
double og_workers_terms(const og_workers_posterior *posterior, const og_pair_counts *counts);

/* Term by term, without memory. */
void og_workers_expand(const og_workers_posterior *posterior, const og_pair_counts *counts,
                       double *evidence, double *positive, double *negative);

/*
 * The same sum, with instances and workers summed out one after the other. A table holds, for each
 * item that is met and not yet done, the number of its factors theta (rho) among the labels taken
 * so far; the rest of the sum depends only on that. One worker with a label on each of K instances
 * takes about K^2 steps instead of 2^K terms.
 *
 * False, with nothing written, if it takes `steps_max` or more steps, a table too large, or memory
 * that is not available. Each sum is added to less often than there are steps.
 */
bool og_workers_eliminate(const og_workers_posterior *posterior, const og_pair_counts *counts,
                          double steps_max, double *evidence, double *positive, double *negative);

#endif
