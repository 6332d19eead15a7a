#ifndef OG_BENCH_FAMILIES_FEATURES_PROBLEM_H
#define OG_BENCH_FAMILIES_FEATURES_PROBLEM_H

#include "bench/families/features/features.h"

/* A problem of instances with features (private to bench/families/features/). */
typedef struct {
    const og_features_options *options;
    int32_t whole_budget;
    og_features *features;
} features;

og_source features_source(const void *problem, const og_truth *truth);

#endif
