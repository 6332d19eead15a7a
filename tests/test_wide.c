/*
 * 64-bit numbers for GMP, FLINT and Arb on machines with a short long (dp/base/wide.h). This
 * program uses a 32-bit type for long, so that it runs the code that 64-bit machines skip, and
 * compares it with the plain calls, which are correct here.
 */
#define OG_LONG int32_t
#include "dp/base/wide.h"

#include <limits.h>

#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(wide, 60);

_Static_assert(sizeof(long) == sizeof(int64_t), "the plain calls take 64 bits here");

/* 1 .. 62 bits, of either sign; the ends of what fits into 32 as well. */
static int64_t number(random_source *random, bool positive)
{
    static const int64_t ends[] = {1, INT32_MAX, INT64_C(1) << 31, UINT32_MAX, INT64_C(1) << 32};
    int64_t size = random_below(random, 4) == 0
                       ? ends[random_below(random, sizeof ends / sizeof *ends)]
                       : 1 + (int64_t)(((uint64_t)random_below(random, UINT32_MAX) << 30 ^
                                        random_below(random, UINT32_MAX)) >>
                                       random_below(random, 62));
    return positive || random_below(random, 2) == 0 ? size : -size;
}

static void same(const mpz_t got, const mpz_t expected, int64_t x, int64_t y)
{
    ck_assert_msg(mpz_cmp(got, expected) == 0, "%lld, %lld", (long long)x, (long long)y);
}

OG_TEST(integers_are_those_of_the_plain_calls)
{
    random_source random = random_start(test_seed(1));
    mpz_t a, got, expected;
    mpz_inits(a, got, expected, NULL);
    for (int i = 0; i < 2000; i++) {
        int64_t x = number(&random, false), y = number(&random, false), z = number(&random, true);
        og_mpz_set(a, x);
        mpz_set_si(expected, x);
        same(a, expected, x, 0);
        og_mpz_mul(got, a, y);
        mpz_mul_si(expected, a, y);
        same(got, expected, x, y);
        og_mpz_addmul(got, a, z);
        mpz_addmul_ui(expected, a, (unsigned long)z);
        same(got, expected, x, z);
        og_mpz_lcm(got, a, z);
        mpz_lcm_ui(expected, a, (unsigned long)z);
        same(got, expected, x, z);
        og_mpz_divexact(got, expected, z);
        mpz_divexact_ui(expected, expected, (unsigned long)z);
        same(got, expected, x, z);
        mpz_set_si(a, z);
        ck_assert_uint_eq(og_mpz_get(a), (uint64_t)z);
    }
    mpz_set_ui(a, ULONG_MAX);
    ck_assert_uint_eq(og_mpz_get(a), UINT64_MAX);
    mpz_set_ui(a, 0);
    ck_assert_uint_eq(og_mpz_get(a), 0);
    mpz_clears(a, got, expected, NULL);
}

OG_TEST(balls_are_those_of_the_plain_calls)
{
    const slong precision = 128;
    random_source random = random_start(test_seed(2));
    arb_t a, got, expected;
    fmpz_t b, b_got, b_expected;
    arb_init(a);
    arb_init(got);
    arb_init(expected);
    fmpz_init(b);
    fmpz_init(b_got);
    fmpz_init(b_expected);
    for (int i = 0; i < 2000; i++) {
        int64_t x = number(&random, false), y = number(&random, false);
        og_fmpz_set(b, x);
        fmpz_set_si(b_expected, x);
        ck_assert(fmpz_equal(b, b_expected));
        og_fmpz_mul(b_got, b, y);
        fmpz_mul_si(b_expected, b, y);
        ck_assert(fmpz_equal(b_got, b_expected));
        og_arb_set(a, x);
        arb_set_si(expected, x);
        ck_assert(arb_equal(a, expected));
        og_arb_mul(got, a, y, precision);
        arb_mul_si(expected, a, y, precision);
        ck_assert(arb_equal(got, expected));
        og_arb_div(got, a, y, precision);
        arb_div_si(expected, a, y, precision);
        ck_assert(arb_equal(got, expected));
    }
    arb_clear(a);
    arb_clear(got);
    arb_clear(expected);
    fmpz_clear(b);
    fmpz_clear(b_got);
    fmpz_clear(b_expected);
}
