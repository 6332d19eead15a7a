#ifndef OG_DP_BASE_RATIONAL_H
#define OG_DP_BASE_RATIONAL_H

#include <gmp.h>
#include <stdint.h>

/* num/den to the nearest double, ties to even; den > 0. */
double og_nearest_quotient(const mpz_t num, const mpz_t den);
double og_nearest(const mpq_t value); /* the same of a fraction */

/* *sum += count * value. */
void og_add_multiple(mpq_t sum, int64_t count, const mpq_t value);

#endif
