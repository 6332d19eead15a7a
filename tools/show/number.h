#ifndef OG_TOOLS_SHOW_NUMBER_H
#define OG_TOOLS_SHOW_NUMBER_H

#include <gmp.h>
#include <stdbool.h>

/*
 * Numbers as tables print them. Nothing here depends on the locale: the program never sets one.
 */

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

/* "121/16"; free it. */
char *fraction_text(mpq_srcptr value);

enum { FRACTION_SHOWN = 24, FRACTION_TEXT_BYTES = FRACTION_SHOWN + 1 };

/* For tables: the fraction if it has at most FRACTION_SHOWN characters, else "long"; "-" for NULL.
 * Returns false for "long". */
bool fraction_format(mpq_srcptr value, char text[FRACTION_TEXT_BYTES]);

/* Three significant digits: "512", "4.12 thousand", "123 million". */
void count_format(double count, char text[NUMBER_TEXT_BYTES]);

#endif
