#ifndef OG_DP_BASE_WIDE_H
#define OG_DP_BASE_WIDE_H

#include <flint/fmpz.h>
#include <gmp.h>
#include <stdint.h>

#include "dp/base/arb.h"
#include "dp/base/fraction.h"

/*
 * GMP, FLINT and Arb take numbers of type long (slong, ulong), which has 32 bits on some machines,
 * where a longer number would silently lose its upper half. These functions take the 128 bits of an
 * og_fraction's parts everywhere. A number that fits into a long is passed directly. Numbers that
 * certainly fit into 32 bits are passed to the libraries as int32_t or uint32_t; tools/analyse
 * finds others.
 */
#ifndef OG_LONG
#define OG_LONG long /* a test uses a shorter type */
#endif

static inline void og_mpz_set(mpz_ptr out, og_wide x)
{
    if (x == (OG_LONG)x) {
        mpz_set_si(out, (long)x);
    } else {
        mpz_set_si(out, (int32_t)(x >> 96));
        for (int shift = 64; shift >= 0; shift -= 32) {
            mpz_mul_2exp(out, out, 32);
            mpz_add_ui(out, out, (uint32_t)(x >> shift));
        }
    }
}

/* 0 <= x < 2^64 */
static inline uint64_t og_mpz_get(mpz_srcptr x)
{
    uint64_t value = 0;
    if (sizeof(OG_LONG) == sizeof value) {
        value = mpz_get_ui(x);
    } else {
        mpz_export(&value, NULL, -1, sizeof value, 0, 0, x);
    }
    return value;
}

/* 0 <= x < 2^127 */
static inline og_wide og_mpz_get_wide(mpz_srcptr x)
{
    uint64_t part[2] = {0, 0};
    mpz_export(part, NULL, -1, sizeof *part, 0, 0, x);
    return (og_wide)part[1] << 64 | part[0];
}

static inline void og_fmpz_set(fmpz_t out, og_wide x)
{
    if (x == (OG_LONG)x) {
        fmpz_set_si(out, (slong)x);
    } else {
        fmpz_set_si(out, (int32_t)(x >> 96));
        for (int shift = 64; shift >= 0; shift -= 32) {
            fmpz_mul_2exp(out, out, 32);
            fmpz_add_ui(out, out, (uint32_t)(x >> shift));
        }
    }
}

static inline void og_arb_set(arb_t out, og_wide x)
{
    fmpz_t whole;
    if (x == (OG_LONG)x) {
        arb_set_si(out, (slong)x);
    } else {
        fmpz_init(whole);
        og_fmpz_set(whole, x);
        arb_set_fmpz(out, whole);
        fmpz_clear(whole);
    }
}

/* Computes out from x and y with `narrow`, or with `with` if y is too long for it. */
#define OG_MPZ_BY(name, narrow, type, with)                                                        \
    static inline void name(mpz_ptr out, mpz_srcptr x, og_wide y)                                  \
    {                                                                                              \
        mpz_t whole;                                                                               \
        if (y == (OG_LONG)y) {                                                                     \
            narrow(out, x, (type)y);                                                               \
        } else {                                                                                   \
            mpz_init(whole);                                                                       \
            og_mpz_set(whole, y);                                                                  \
            with(out, x, whole);                                                                   \
            mpz_clear(whole);                                                                      \
        }                                                                                          \
    }

OG_MPZ_BY(og_mpz_mul, mpz_mul_si, long, mpz_mul)
/* Requires y > 0: out = x / y, which must be whole; the least common multiple; out += x y. */
OG_MPZ_BY(og_mpz_divexact, mpz_divexact_ui, unsigned long, mpz_divexact)
OG_MPZ_BY(og_mpz_lcm, mpz_lcm_ui, unsigned long, mpz_lcm)
OG_MPZ_BY(og_mpz_addmul, mpz_addmul_ui, unsigned long, mpz_addmul)

static inline void og_fmpz_mul(fmpz_t out, const fmpz_t x, og_wide y)
{
    fmpz_t whole;
    if (y == (OG_LONG)y) {
        fmpz_mul_si(out, x, (slong)y);
    } else {
        fmpz_init(whole);
        og_fmpz_set(whole, y);
        fmpz_mul(out, x, whole);
        fmpz_clear(whole);
    }
}

#define OG_ARB_BY(name, narrow, with)                                                              \
    static inline void name(arb_t out, const arb_t x, og_wide y, slong precision)                  \
    {                                                                                              \
        fmpz_t whole;                                                                              \
        if (y == (OG_LONG)y) {                                                                     \
            narrow(out, x, (slong)y, precision);                                                   \
        } else {                                                                                   \
            fmpz_init(whole);                                                                      \
            og_fmpz_set(whole, y);                                                                 \
            with(out, x, whole, precision);                                                        \
            fmpz_clear(whole);                                                                     \
        }                                                                                          \
    }

OG_ARB_BY(og_arb_mul, arb_mul_si, arb_mul_fmpz)
OG_ARB_BY(og_arb_div, arb_div_si, arb_div_fmpz)

/* Two fractions with their least common denominator: x = a / under, y = b / under. */
static inline void og_mpz_set_pair(og_fraction x, og_fraction y, mpz_ptr a, mpz_ptr b,
                                   mpz_ptr under)
{
    og_mpz_set(a, x.den);
    og_mpz_lcm(under, a, y.den);
    og_mpz_divexact(a, under, x.den);
    og_mpz_mul(a, a, x.num);
    og_mpz_divexact(b, under, y.den);
    og_mpz_mul(b, b, y.num);
}

#endif
