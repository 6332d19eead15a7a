#ifndef OG_TOOLS_SHOW_NUMBER_H
#define OG_TOOLS_SHOW_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as the command line spells them. Nothing here depends on the locale. */

/* The whole of text as digits only, within least .. most. */
bool number_parse(const char *text, int64_t least, int64_t most, int64_t *out);

/* Bytes: digits and at most one of K, M, G, T (powers of 1024), 1 .. 2^50. */
bool size_parse(const char *text, uint64_t *out);

/* Digits with at most one point among or before them, greater than 0 and at most 1e9. */
bool seconds_parse(const char *text, double *out);

#endif
