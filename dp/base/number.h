#ifndef OG_DP_BASE_NUMBER_H
#define OG_DP_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Numbers in options and files. The whole text must be a number; nothing depends on the locale;
 * *out is written only if true is returned.
 */

/* Digits only, within least .. most, which are >= 0. */
bool og_number_parse(const char *text, int64_t least, int64_t most, int64_t *out);

/* Bytes: digits and at most one of K, M, G, T (powers of 1024; small letters too), 1 .. 2^50. */
bool og_bytes_parse(const char *text, uint64_t *out);

/* Seconds: digits with at most one point among or before them, greater than 0 and at most 1e9. */
bool og_seconds_parse(const char *text, double *out);

#endif
