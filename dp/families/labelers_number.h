#ifndef OG_DP_FAMILIES_LABELERS_NUMBER_H
#define OG_DP_FAMILIES_LABELERS_NUMBER_H

#include <gmp.h>
#include <math.h>

#include "dp/base/arena.h"
#include "dp/base/fraction.h"
#include "dp/base/rational.h"
#include "dp/families/labelers.h"

/*
 * The numbers of dp/families/labelers_sums.h (private to dp/families/): doubles, or fractions if
 * OG_LABELERS_FRACTIONS is defined. A result may be one of the operands. Doubles tie if their
 * difference may be rounding; fractions tie if they are equal.
 */
#ifdef OG_LABELERS_FRACTIONS

typedef mpq_t number;
typedef mpq_ptr number_out;
typedef mpq_srcptr number_in;

static inline number *numbers_new(og_arena *arena, size_t count)
{
    return og_arena_fractions(arena, count);
}

static inline void number_init(number_out to)
{
    mpq_init(to);
}

static inline void number_clear(number_out to)
{
    mpq_clear(to);
}

static inline void number_set(number_out out, number_in a)
{
    mpq_set(out, a);
}

static inline void number_set_ratio(number_out out, int64_t over, int64_t under)
{
    og_fraction_get_mpq(out, og_fraction_make(over, under));
}

static inline void number_set_fraction(number_out out, og_fraction value)
{
    og_fraction_get_mpq(out, value);
}

/* The probability that labeler i is right, or wrong. */
static inline void number_set_chance(number_out out, const og_labelers *labelers, int32_t i,
                                     bool right)
{
    og_fraction_get_mpq(out,
                        right ? labelers->right[i] : og_labelers_complement(labelers->right[i]));
}

static inline void number_add(number_out out, number_in a, number_in b)
{
    mpq_add(out, a, b);
}

static inline void number_multiply(number_out out, number_in a, number_in b)
{
    mpq_mul(out, a, b);
}

static inline void number_add_product(number_out out, number_in a, number_in b)
{
    mpq_t product;
    if (mpq_sgn(a) != 0 && mpq_sgn(b) != 0) {
        mpq_init(product);
        mpq_mul(product, a, b);
        mpq_add(out, out, product);
        mpq_clear(product);
    }
}

/* -1, 0, 1: for sorting; the next function treats values that differ only by rounding as ties. */
static inline int number_compare(number_in a, number_in b)
{
    int order = mpq_cmp(a, b);
    return (order > 0) - (order < 0);
}

static inline int number_compare_tied(number_in a, number_in b)
{
    return number_compare(a, b);
}

static inline double number_log(number_in a)
{
    return log(og_nearest(a));
}

#else

typedef double number[1];
typedef double *number_out;
typedef const double *number_in;

static inline number *numbers_new(og_arena *arena, size_t count)
{
    return og_arena_array(arena, count, sizeof(number));
}

static inline void number_init(number_out to)
{
    *to = 0;
}

static inline void number_clear(number_out to)
{
    (void)to;
}

static inline void number_set(number_out out, number_in a)
{
    *out = *a;
}

static inline void number_set_ratio(number_out out, int64_t over, int64_t under)
{
    *out = (double)over / (double)under;
}

static inline void number_set_fraction(number_out out, og_fraction value)
{
    *out = og_fraction_double(value);
}

static inline void number_set_chance(number_out out, const og_labelers *labelers, int32_t i,
                                     bool right)
{
    *out = right ? labelers->chance[i] : labelers->chance_wrong[i];
}

static inline void number_add(number_out out, number_in a, number_in b)
{
    *out = *a + *b;
}

static inline void number_multiply(number_out out, number_in a, number_in b)
{
    *out = *a * *b;
}

static inline void number_add_product(number_out out, number_in a, number_in b)
{
    *out += *a * *b;
}

static inline int number_compare(number_in a, number_in b)
{
    return (*a > *b) - (*a < *b);
}

/* For values of votes, at most 1, and for products of odds: a tie is relative to the larger. */
static inline int number_compare_tied(number_in a, number_in b)
{
    const double tie = 1e-12;
    return fabs(*a - *b) <= tie * fmax(*a, *b) ? 0 : number_compare(a, b);
}

static inline double number_log(number_in a)
{
    return log(*a);
}

#endif

/* The common begin of both kinds of LS_OL: steps, sizes and limits, *cells of `cell_bytes` each. */
og_status og_ls_ol_plan(const og_labelers *labelers, const og_ls_ol *by, uint64_t cell_bytes,
                        uint64_t memory_bytes, og_ls_ol_value *out, size_t *cells,
                        og_message *message);

#endif
