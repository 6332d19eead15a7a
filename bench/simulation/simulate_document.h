#ifndef OG_BENCH_SIMULATION_SIMULATE_DOCUMENT_H
#define OG_BENCH_SIMULATION_SIMULATE_DOCUMENT_H

#include "bench/document.h"
#include "bench/family.h"
#include "bench/simulation/simulate.h"

/* The whole document of the command `simulate`, from this source and truth. */
og_document *og_simulation_describe(const og_asked *asked, const og_source *source,
                                    const og_truth *truth, const og_simulation *found);

#endif
