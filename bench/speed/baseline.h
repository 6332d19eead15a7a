#ifndef OG_BENCH_SPEED_BASELINE_H
#define OG_BENCH_SPEED_BASELINE_H

#include <stdbool.h>

#include "bench/speed/ladder.h"

/*
 * What somebody writes in an afternoon who wants the optimum and knows dynamic programming: the
 * Bellman equation as it stands, and a good hash table to remember states in. One thread, doubles,
 * its own Beta formulas, nothing of dp/. A state is the pair (positive, negative labels) of every
 * instance, two bytes each.
 *
 * sorted: pairs stand in ascending order and equal ones are labelled once, which identical
 * instances allow; else a state is what it is. Nothing else is reduced.
 *
 * How many states that makes is known before: problems that need more than bytes_max (0: 2 GB) are
 * not tried.
 */
ladder_outcome baseline_solve(const ladder_rung *rung, const ladder_settings *settings, bool sorted,
                              ladder_measure *out);

#endif
