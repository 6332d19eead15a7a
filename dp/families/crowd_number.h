#ifndef OG_DP_FAMILIES_CROWD_NUMBER_H
#define OG_DP_FAMILIES_CROWD_NUMBER_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The numbers of dp/families/sources_unknown_sums.h and dp/families/assignment_sums.h (private to
 * dp/families/): doubles, or whole numbers over one denominator if OG_CROWD_WHOLE is defined.
 */
#ifdef OG_CROWD_WHOLE

typedef mpq_t number; /* its numerator, usually over 1 */
typedef mpq_srcptr number_in;

static inline void number_set(number *out, uint32_t value)
{
    mpz_set_ui(mpq_numref(*out), value);
}

static inline void number_set_half(number *out)
{
    mpq_set_ui(*out, 1, 2);
}

static inline void number_move(number *out, number *from)
{
    mpz_swap(mpq_numref(*out), mpq_numref(*from));
    mpz_set_ui(mpq_denref(*out), 1);
}

static inline void number_add(number *out, number_in more)
{
    mpz_add(mpq_numref(*out), mpq_numref(*out), mpq_numref(more));
}

static inline number_in number_plus(number *room, number_in a, number_in b)
{
    mpz_add(mpq_numref(*room), mpq_numref(a), mpq_numref(b));
    return *room;
}

static inline void number_multiply(number *out, number_in by)
{
    mpz_mul(mpq_numref(*out), mpq_numref(*out), mpq_numref(by));
}

static inline void number_add_product(number *out, number_in a, number_in b)
{
    mpz_addmul(mpq_numref(*out), mpq_numref(a), mpq_numref(b));
}

static inline void number_set_products(number *out, number_in a, number_in b, number_in c,
                                       number_in d)
{
    mpz_mul(mpq_numref(*out), mpq_numref(a), mpq_numref(b));
    number_add_product(out, c, d);
}

/* The product of factor[k][at[k]]. */
static inline number_in number_product(number *room, number **factor, const int32_t *at,
                                       int32_t count)
{
    number_set(room, 1);
    for (int32_t k = 0; k < count; k++) {
        number_multiply(room, factor[k][at[k]]);
    }
    return *room;
}

/* The sum of x[v] * weight * y[v]. */
static inline void number_sum(number *out, number_in weight, number *x, number *y, size_t count)
{
    number_set(out, 0);
    for (size_t v = 0; v < count; v++) {
        number_add_product(out, x[v], y[v]);
    }
    number_multiply(out, weight);
}

#else

typedef double number;
typedef double number_in;

static inline void number_set(number *out, uint32_t value)
{
    *out = value;
}

static inline void number_set_half(number *out)
{
    *out = 0.5;
}

static inline void number_move(number *out, const number *from)
{
    *out = *from;
}

static inline void number_add(number *out, number_in more)
{
    *out += more;
}

static inline number_in number_plus(const number *room, number_in a, number_in b)
{
    (void)room;
    return a + b;
}

static inline void number_multiply(number *out, number_in by)
{
    *out *= by;
}

static inline void number_add_product(number *out, number_in a, number_in b)
{
    *out += a * b;
}

static inline void number_set_products(number *out, number_in a, number_in b, number_in c,
                                       number_in d)
{
    *out = a * b + c * d;
}

static inline number_in number_product(const number *room, number *const *factor, const int32_t *at,
                                       int32_t count)
{
    double product = 1;
    (void)room;
    for (int32_t k = 0; k < count; k++) {
        product *= factor[k][at[k]];
    }
    return product;
}

static inline void number_sum(number *out, number_in weight, const number *x, const number *y,
                              size_t count)
{
    double sum = 0;
    for (size_t v = 0; v < count; v++) {
        sum += x[v] * weight * y[v];
    }
    *out = sum;
}

#endif

#endif
