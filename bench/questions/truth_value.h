#ifndef OG_BENCH_QUESTIONS_TRUTH_VALUE_H
#define OG_BENCH_QUESTIONS_TRUTH_VALUE_H

#include <gmp.h>
#include <stdbool.h>

#include "bench/truth.h"
#include "dp/prior/problem.h"

/*
 * The value under full information; regret is the shortfall from it. With known soft labels every
 * call is right; in a bandit every label goes to the largest soft label. The value is the mean over
 * random soft labels.
 */
typedef struct {
    double value, error; /* absolute, proved; NAN: unknown */
    bool is_exact;       /* `exact`, provided by the caller, holds it */
    mpq_t exact;
} og_truth_value;

/* For calls: the number of instances. */
void og_truth_value_of_calls(int64_t instances, bool exact, og_truth_value *out);

/* For a bandit with so many labels; the truth "prior" refers to these groups. */
void og_truth_value_of_bandit(const og_truth *truth, const og_groups *groups, int32_t labels,
                              bool exact, og_truth_value *out);

#endif
