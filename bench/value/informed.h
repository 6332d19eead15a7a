#ifndef OG_BENCH_VALUE_INFORMED_H
#define OG_BENCH_VALUE_INFORMED_H

#include <gmp.h>
#include <stdbool.h>

#include "bench/truth.h"
#include "dp/prior/problem.h"

/*
 * What who knows all soft labels gets, from which regret is counted: every decision right, or of a
 * bandit the largest soft label with every label, as a mean over what is drawn.
 */
typedef struct {
    double value, error; /* absolute, proved; NAN: it is not known */
    bool is_exact;       /* `exact`, the caller's, holds it */
    mpq_t exact;
} og_informed;

/* Of calls, instances of them. */
void og_informed_of_calls(int64_t instances, bool exact, og_informed *out);

/* Of a bandit with so many labels; the groups are what `prior` means. */
void og_informed_of_bandit(const og_truth *truth, const og_groups *groups, int32_t labels,
                           bool exact, og_informed *out);

#endif
