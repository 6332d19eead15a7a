#ifndef OG_BENCH_RECORDED_ACCURACY_H
#define OG_BENCH_RECORDED_ACCURACY_H

#include <stdint.h>

#include "bench/recorded/drawn_crowd.h"
#include "bench/recorded/missing_labels.h"

/*
 * Histograms of the accuracies of workers: the number of workers with an accuracy in each of
 * OG_ACCURACY_BINS intervals of equal width from 0 to 1. An interval contains its lower end, the
 * last one both ends. The comparison uses fractions, so 0.3 is at the lower end of its interval.
 * Row s is for context s; one more row is for all tasks together. A worker without data is in no
 * interval.
 */
enum { OG_ACCURACY_BINS = 20 };

/* Labels of a worker on tasks of a context with known truth, and the right ones among them. */
typedef struct {
    int32_t n, ok;
} og_accuracy_count;

/* Fill tally[contexts * workers] from a table of og_fill_table. */
void og_accuracy_count_labels(const og_fill_problem *problem, const int8_t *label,
                              og_accuracy_count *tally);

/* Fill workers[(contexts + 1) * OG_ACCURACY_BINS] from recorded labels compared with gold.
 * OG_NO_MEMORY. */
og_status og_accuracies_recorded(const og_fill_problem *problem, const int8_t *label,
                                 double *workers);

/* The same for a crowd, as means over runs 0 .. `runs` - 1, runs >= 1: the drawn accuracies, and
 * for all tasks their mean. The truth in the problem is ignored. OG_NO_MEMORY. */
og_status og_accuracies_drawn(const og_fill_problem *problem, const og_drawn_crowd *crowd,
                              uint64_t seed, int64_t runs, double *workers);

#endif
