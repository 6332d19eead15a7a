#ifndef OG_BENCH_SIMULATION_SIMULATE_DOCUMENT_H
#define OG_BENCH_SIMULATION_SIMULATE_DOCUMENT_H

#include "bench/document.h"
#include "bench/family.h"
#include "bench/simulation/simulate.h"

/* A simulation: its problem, request and results; all borrowed. */
typedef struct {
    const og_family *family;
    const void *problem;
    const og_simulate_request *request;
    const og_simulation *found;
    const og_truth *truth;
    const char *truth_text; /* as given */
    const int32_t *at;      /* [at_count] as in og_source */
    int32_t at_count;
} og_simulation_report;

/* The whole document of the command `simulate`. */
og_document *og_simulation_describe(const og_simulation_report *seen);

#endif
