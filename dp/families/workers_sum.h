#ifndef OG_DP_FAMILIES_WORKERS_SUM_H
#define OG_DP_FAMILIES_WORKERS_SUM_H

#include <stdbool.h>

#include "dp/families/workers_posterior.h"

/*
 * Private to the posterior of workers: the two ways to sum og_workers_evidence, for its choice
 * between them and for tests. Arguments as there.
 */

/* How many terms the expansion has: one for each combination of how many labels of each pair were
 * answered as a reliable worker would. A double, as it may be 2^60. */
double og_workers_terms(const og_workers_posterior *posterior, const og_pair_counts *counts);

/* Term by term, without memory. */
void og_workers_expand(const og_workers_posterior *posterior, const og_pair_counts *counts,
                       double *evidence, double *positive, double *negative);

/*
 * The same sum with instances and workers summed out one after the other. A table holds, for each
 * of those that are met and not yet done, the number of its factors theta (rho) among the labels
 * taken so far; that is all that the rest of the sum depends on. One worker with a label on each of
 * K instances takes about K^2 steps instead of 2^K terms.
 *
 * False, and nothing is written, where that takes `steps_max` or more steps, a table too large, or
 * memory that cannot be had. No sum is added to as often as there are steps.
 */
bool og_workers_eliminate(const og_workers_posterior *posterior, const og_pair_counts *counts,
                          double steps_max, double *evidence, double *positive, double *negative);

#endif
