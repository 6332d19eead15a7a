#ifndef OG_TESTS_CROWD_H
#define OG_TESTS_CROWD_H

#include <gmp.h>
#include <stddef.h>

#include "dp/families/labelers.h"

/* Labelers by their accuracies, blanks between; a vote costs 1/50. */
og_labelers crowd_of(const char *words);
og_votes votes_of(const char *words);

/* Fails where `found` is further from `wanted` than so much, relative where that is above 1. */
void check_near(double found, double wanted, double digits);

/* Fails where `found` is not this fraction. */
void check_fraction(mpq_srcptr found, const char *wanted);

/* count fractions 0; fractions_free frees them. */
mpq_t *fractions(size_t count);
void fractions_free(mpq_t *list, size_t count);

#endif
