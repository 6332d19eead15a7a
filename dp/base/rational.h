#ifndef OG_DP_BASE_RATIONAL_H
#define OG_DP_BASE_RATIONAL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/* num/den to the nearest double, ties to even; den > 0. */
double og_nearest_quotient(const mpz_t num, const mpz_t den);
double og_nearest(const mpq_t value); /* the same for a fraction */

/*
 * Reads the whole text as an exact number, possibly with a sign: a decimal ("0.25", "-2e-3"; the
 * exponent from -1000 to 1000), or a fraction of whole numbers ("-1/3"), of at most
 * OG_RATIONAL_CHARACTERS. False if it is not one; then *out is undefined.
 */
bool og_rational_parse(mpq_t out, const char *text);
enum { OG_RATIONAL_CHARACTERS = 4096 };

/*
 * Doubles in the order of these fractions, equal only if they are equal: each is the nearest one,
 * or one above the double of the next smaller fraction. out[count]. OG_BAD_INPUT without a message
 * if one would not be finite; OG_NO_MEMORY.
 */
og_status og_nearest_apart(size_t count, mpq_t *value, double *out);

/* *sum += count * value. */
void og_add_multiple(mpq_t sum, int64_t count, const mpq_t value);

/* out *= value (value + 1) ... (value + count - 1), or divides by it. */
void og_times_rising(mpq_t out, const mpq_t value, int32_t count, bool divide);

#endif
