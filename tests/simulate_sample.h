#ifndef OG_TESTS_SIMULATE_SAMPLE_H
#define OG_TESTS_SIMULATE_SAMPLE_H

#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"

/* A request for runs and all that it borrows. */
enum { SAMPLE_POLICIES_MOST = 8, SAMPLE_NAMES_BYTES = 256 };

typedef struct {
    og_groups problem;
    og_policy_name policies[SAMPLE_POLICIES_MOST];
    og_ties ties[2];
    og_truth truth;
    og_source source;
    og_asked asked;
    og_simulation found; /* zeros are fine */
    og_message message;
} random_sample;

/* Names with commas between. */
void sample_policies(random_sample *sample, const char *names);

/* Both tie rules, one thread, truth from the prior. The caller sets the problem. */
void sample_begin(random_sample *sample, const char *policies, int64_t runs);

void sample_clear(random_sample *sample);

#endif
