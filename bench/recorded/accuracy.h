#ifndef OG_BENCH_RECORDED_ACCURACY_H
#define OG_BENCH_RECORDED_ACCURACY_H

#include <stdint.h>

#include "bench/recorded/crowd.h"
#include "bench/recorded/fill.h"

/*
 * How accurate workers are, as histograms: how many of them have an accuracy in each of
 * OG_ACCURACY_BINS intervals of equal width from 0 to 1. An interval has its lower end, the last
 * one both; fractions decide, so that 0.3 lies at the lower end of its interval. Row s is about
 * context s, the row behind the last about all tasks at once; a worker of whom nothing is known
 * there is in no interval.
 */
enum { OG_ACCURACY_BINS = 20 };

/* Labels of a worker in a context whose truth is known; how many of them are right. */
typedef struct {
    int32_t n, ok;
} og_tally;

/* tally[contexts * workers] of a table as og_fill_table makes it. */
void og_tally_labels(const og_fill_problem *problem, const int8_t *label, og_tally *tally);

/* workers[(contexts + 1) * OG_ACCURACY_BINS] of recorded labels against gold. OG_NO_MEMORY. */
og_status og_accuracies_recorded(const og_fill_problem *problem, const int8_t *label,
                                 double *workers);

/* The same of a crowd, means over runs 0 .. `runs` - 1, runs >= 1: the accuracies that it is drawn
 * with, over all tasks their mean. Of the problem the truth does not count. OG_NO_MEMORY. */
og_status og_accuracies_drawn(const og_fill_problem *problem, const og_crowd *crowd, uint64_t seed,
                              int64_t runs, double *workers);

#endif
