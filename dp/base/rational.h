#ifndef OG_DP_BASE_RATIONAL_H
#define OG_DP_BASE_RATIONAL_H

#include <gmp.h>

/* num/den to the nearest double, ties to even; den > 0. */
double og_nearest_quotient(const mpz_t num, const mpz_t den);

#endif
