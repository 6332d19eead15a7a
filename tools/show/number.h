#ifndef OG_TOOLS_SHOW_NUMBER_H
#define OG_TOOLS_SHOW_NUMBER_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as the command line spells them and as tables print them. Nothing here depends on
 * the locale: the program never sets one.
 */

/* The whole of text as digits only, within least .. most. */
bool number_parse(const char *text, int64_t least, int64_t most, int64_t *out);

/* Bytes: digits and at most one of K, M, G, T (powers of 1024), 1 .. 2^50. */
bool size_parse(const char *text, uint64_t *out);

enum { NUMBER_TEXT_BYTES = 40 };

/* The fewest digits that read back as the same double. */
void number_format_exact(double value, char text[NUMBER_TEXT_BYTES]);

/* Ten significant digits: values. */
void number_format_value(double value, char text[NUMBER_TEXT_BYTES]);

/* Four significant digits: gaps and percentages. "0" if |value| is at most `error`. */
void number_format_gap(double value, double error, char text[NUMBER_TEXT_BYTES]);

/* Four significant digits, rounded up: gaps that are bounds, >= 0. */
void number_format_gap_most(double value, char text[NUMBER_TEXT_BYTES]);

/* Two significant digits, rounded up: error bounds, >= 0. */
void number_format_bound(double value, char text[NUMBER_TEXT_BYTES]);

/* Digits with at most one point among or before them, greater than 0 and at most 1e9. */
bool seconds_parse(const char *text, double *out);

/* "121/16"; free it. */
char *fraction_text(mpq_srcptr value);

enum { FRACTION_SHOWN = 24, FRACTION_TEXT_BYTES = FRACTION_SHOWN + 1 };

/* For tables: the fraction if it has at most FRACTION_SHOWN characters, else "long"; "-" for NULL.
 * Returns false for "long". */
bool fraction_format(mpq_srcptr value, char text[FRACTION_TEXT_BYTES]);

/* Three significant digits: "512", "4.12 thousand", "123 million". */
void count_format(double count, char text[NUMBER_TEXT_BYTES]);

#endif
