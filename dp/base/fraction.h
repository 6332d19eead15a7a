#ifndef OG_DP_BASE_FRACTION_H
#define OG_DP_BASE_FRACTION_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/* 128 bits: a double of at least 1e-6, written as a decimal, plus a million labels needs 103. */
__extension__ typedef __int128 og_wide; /* GNU C */

/*
 * A small exact fraction: the value of a decimal in the input, so that 0.3 is 3/10 and not the
 * double next to it. Lowest terms, den >= 1; |num| and den are at most OG_FRACTION_MAX.
 */
typedef struct {
    og_wide num;
    og_wide den;
} og_fraction;

#define OG_FRACTION_MAX ((og_wide)INT64_C(10000000000000) * INT64_C(1000000000000000000))

enum { OG_FRACTION_TEXT_BYTES = 72 }; /* enough for every og_fraction_format */

/*
 * Reads the whole of text[0 .. length) as a decimal: digits, at most one point, optionally an
 * exponent ("3", "0.25", ".5", "2.", "1e-3"); no sign, no spaces, no hexadecimal, no nan or inf.
 * Returns OG_BAD_INPUT if it is not one, has more than 18 significant digits, or is not in lowest
 * terms a quotient of a whole number up to 1e18 and one up to 1e24. Every double from 1e-6 to 1e12
 * fits, written with 17 digits.
 */
og_status og_fraction_parse(const char *text, size_t length, og_fraction *out);

/* The fraction num/den in lowest terms; den > 0. */
og_fraction og_fraction_make(og_wide num, og_wide den);

/* value + whole, if that is a fraction. */
og_fraction og_fraction_plus(og_fraction value, int32_t whole);

/* The nearest double. */
double og_fraction_double(og_fraction value);

/* -1, 0, 1 as a < b, a == b, a > b; exact. */
int og_fraction_compare(og_fraction a, og_fraction b);

bool og_fraction_is_integer(og_fraction value);

/* True if x - y is whole; then *out is the difference. */
bool og_fraction_distance(og_fraction x, og_fraction y, int32_t *out);

/* Writes the shortest decimal if the value has a finite one of at most 31 digits, "num/den"
 * otherwise. Returns the result of snprintf. */
int og_fraction_format(og_fraction value, char *text, size_t size);

/* Set an initialised mpq to the value. */
void og_fraction_get_mpq(mpq_t out, og_fraction value);

#endif
