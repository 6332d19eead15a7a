#ifndef OG_BENCH_SIMULATION_WORKERS_DOCUMENT_H
#define OG_BENCH_SIMULATION_WORKERS_DOCUMENT_H

#include "bench/document.h"
#include "bench/estimate.h"
#include "heuristics/families/workers_moments.h"

/* Add a budget's metrics to an object; as og_family.runs.put_point. They are the blocks of
 * og_source_workers. */
void og_workers_put_point(const char *policy, const og_estimate *metric, int32_t at_count,
                          og_document *object);

/* A belief about a worker, as og_put_parameters: [c, d]; [[c1, d1], [c2, d2]]; [[weight, c, d],
 * ..]. NULL: one coin. */
void og_workers_put_belief(og_document *object, const char *key, const og_worker_form *form,
                           const double *belief);

#endif
