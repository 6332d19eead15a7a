#ifndef OG_BENCH_SIMULATION_RANKING_DOCUMENT_H
#define OG_BENCH_SIMULATION_RANKING_DOCUMENT_H

#include "bench/document.h"

/* Write the counts of og_source_ranking, as means over the runs: into the object of a policy, and
 * for people. */
void og_ranking_put_counts(int32_t items, int32_t workers, const double *counts,
                           og_document *object);
void og_ranking_show_counts(int32_t items, int32_t workers, const char *policy,
                            const double *counts, og_document *document);

#endif
