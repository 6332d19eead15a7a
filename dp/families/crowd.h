#ifndef OG_DP_FAMILIES_CROWD_H
#define OG_DP_FAMILIES_CROWD_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"

/*
 * n labels of one voice, a source or a worker, r of them right: their probability B(A + r, B + n -
 * r) / B(A, B), in one given order, if its accuracy is Beta(A, B).
 */

/* factor[most + 1][most + 1] at [n][r], n up to `most`. In units of u, a factor has an error of 9
 * for each label if A and B have one of 2. */
void og_crowd_factors(const double beta[2], int32_t most, double *factor);

/* The same for one n, factor[n + 1], in whole numbers over one denominator, by which `under` is
 * multiplied. Of a known accuracy q, with q and 1 - q in place of A and B: q^r (1 - q)^(n - r).
 * `scratch`: OG_CROWD_SCRATCH fractions. */
enum { OG_CROWD_SCRATCH = 5 };
void og_crowd_factors_exact(const og_fraction pair[2], bool known, int32_t n, mpq_t *factor,
                            mpz_ptr under, mpq_t *scratch);

#endif
