#ifndef OG_BENCH_SIMULATION_PRICED_H
#define OG_BENCH_SIMULATION_PRICED_H

#include "bench/simulation/sources.h"

/* Like og_source_independent, with the prices paid subtracted from both metrics; `price` is the
 * largest price, that of instances without a bonus. Borrows all. */
og_source og_source_priced(const og_groups *problem, const og_truth *truth,
                           const og_fraction *price);

#endif
