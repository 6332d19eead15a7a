/* Labelers that tests are about, and what they compare. */
#include "tests/crowd.h"
#include "tests/fractions.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

og_labelers crowd_of(const char *words)
{
    og_labelers labelers = {.count = 0};
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        og_fraction p;
        ck_assert_int_eq(og_fraction_parse(words, length, &p), OG_OK);
        labelers.cost[labelers.count] = og_fraction_make(1, 50);
        og_labelers_set(&labelers, labelers.count++, p);
        words += length + strspn(words + length, " ");
    }
    return labelers;
}

og_votes votes_of(const char *words)
{
    og_votes votes;
    og_labelers labelers = crowd_of(words);
    ck_assert_int_eq(og_votes_make(&labelers, &votes), OG_OK);
    return votes;
}

void check_near(double found, double wanted, double digits)
{
    ck_assert_msg(fabs(found - wanted) <= digits * fmax(1, fabs(wanted)), "%.17g is not %.17g",
                  found, wanted);
}

void check_fraction(mpq_srcptr found, const char *wanted)
{
    OWN_MPQ known = MPQ_NEW;
    ck_assert_int_eq(mpq_set_str(known, wanted, 10), 0);
    mpq_canonicalize(known);
    char *text = mpq_get_str(NULL, 10, found);
    ck_assert_msg(mpq_equal(found, known), "%s is not %s", text, wanted);
    free(text);
}

mpq_t *fractions(size_t count)
{
    mpq_t *list = calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        mpq_init(list[i]);
    }
    return list;
}

void fractions_free(mpq_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mpq_clear(list[i]);
    }
    free(list);
}
