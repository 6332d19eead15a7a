#ifndef OG_BENCH_WORDS_H
#define OG_BENCH_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Numbers as text for people, for arguments of printf: og_words_value(x).text. Nothing here depends
 * on the locale. */

enum { OG_WORDS_BYTES = 40, OG_FRACTION_SHOWN = 24 };

typedef struct {
    char text[OG_WORDS_BYTES];
} og_words;

og_words og_words_exact(double value);             /* the fewest digits that read back the same */
og_words og_words_value(double value);             /* ten significant digits */
og_words og_words_gap(double value, double error); /* four; "0" if |value| is at most `error` */
og_words og_words_most(double value);    /* four, rounded up: gaps that are bounds, >= 0 */
og_words og_words_bound(double value);   /* two, rounded up: error bounds, >= 0 */
og_words og_words_bytes(uint64_t bytes); /* as og_bytes_format */
og_words og_words_count(double count);   /* three: "512", "4.12 thousand" */

/* True if the fraction, such as "121/16", has more than OG_FRACTION_SHOWN characters: too many for
 * a table. */
bool og_fraction_is_long(const char *fraction);

/* Writes one field of a table that optgap reads again: between commas in quotation marks if it
 * needs them. Between tabs there are none: false if it has a tab or a line end. */
bool og_write_field(FILE *to, const char *text, bool commas);

#endif
