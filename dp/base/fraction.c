/*
 * Exact fractions from decimals. A decimal is digits * 10^exponent with the
 * digits' trailing zeros moved into the exponent; both parts stay below
 * 10^37 < 2^127, so 128-bit integers hold every step.
 */
#include "dp/base/fraction.h"
#include "dp/base/wide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide; /* GNU C */
__extension__ typedef unsigned __int128 unsigned_wide;

/* Powers of ten up to 10^36 can cancel against an 18-digit numerator and leave a denominator in
 * range; larger ones cannot: 10^37 / 10^18 > OG_FRACTION_MAX. */
enum { EXPONENT_LIMIT = 36, DIGIT_LIMIT = 18 };

static wide greatest_divisor(wide a, wide b)
{
    while (b != 0) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static wide power_of_ten(int64_t exponent)
{
    wide power = 1;
    while (exponent-- > 0) {
        power *= 10;
    }
    return power;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* digits * 10^exponent, digits without trailing zeros. */
typedef struct {
    int64_t digits;
    int64_t exponent;
} decimal;

/* Reads "ddd.ddd" from *at; false if it is not a number or has too many digits. Zeros wait in
 * `zeros` until a digit follows them, so that trailing ones cost nothing. */
static bool read_digits(const char **at, const char *end, decimal *out)
{
    int64_t zeros = 0;
    int digit_count = 0;
    bool point = false, any = false;
    *out = (decimal){0, 0};
    for (; *at < end && (is_digit(**at) || (**at == '.' && !point)); (*at)++) {
        if (**at == '.') {
            point = true;
            continue;
        }
        any = true;
        out->exponent -= point;
        if (**at == '0') {
            zeros += digit_count > 0;
            continue;
        }
        digit_count += (int)(zeros < DIGIT_LIMIT ? zeros : DIGIT_LIMIT) + 1;
        if (digit_count > DIGIT_LIMIT) {
            return false;
        }
        out->digits = out->digits * (int64_t)power_of_ten(zeros + 1) + (**at - '0');
        zeros = 0;
    }
    out->exponent += zeros;
    return any;
}

/* Reads an exponent "e-12" if there is one; false if it is malformed. Saturates far outside what
 * can be represented. */
static bool read_exponent(const char **at, const char *end, int64_t *out)
{
    const int64_t far = INT64_C(1) << 60;
    *out = 0;
    if (*at == end || (**at != 'e' && **at != 'E')) {
        return true;
    }
    (*at)++;
    bool negative = *at < end && **at == '-';
    if (*at < end && (**at == '-' || **at == '+')) {
        (*at)++;
    }
    if (*at == end) {
        return false;
    }
    for (; *at < end && is_digit(**at); (*at)++) {
        *out = *out > far / 16 ? far : *out * 10 + (**at - '0');
    }
    if (negative) {
        *out = -*out;
    }
    return true;
}

static og_status decimal_to_fraction(decimal value, og_fraction *out)
{
    if (value.digits == 0) {
        *out = (og_fraction){0, 1};
        return OG_OK;
    }
    if (value.exponent > DIGIT_LIMIT || value.exponent < -EXPONENT_LIMIT) {
        return OG_BAD_INPUT;
    }
    wide num = value.digits, den = 1;
    if (value.exponent >= 0) {
        num *= power_of_ten(value.exponent);
    } else {
        den = power_of_ten(-value.exponent);
    }
    wide divisor = greatest_divisor(den, num);
    num /= divisor;
    den /= divisor;
    if (num > OG_FRACTION_MAX || den > OG_FRACTION_MAX) {
        return OG_BAD_INPUT;
    }
    *out = (og_fraction){(int64_t)num, (int64_t)den};
    return OG_OK;
}

og_status og_fraction_parse(const char *text, size_t length, og_fraction *out)
{
    const char *at = text, *end = text + length;
    decimal value;
    int64_t exponent;
    if (!read_digits(&at, end, &value) || !read_exponent(&at, end, &exponent) || at != end) {
        return OG_BAD_INPUT;
    }
    value.exponent += exponent;
    return decimal_to_fraction(value, out);
}

og_fraction og_fraction_make(int64_t num, int64_t den)
{
    wide divisor = greatest_divisor(den, num < 0 ? -(wide)num : num);
    return (og_fraction){(int64_t)(num / divisor), (int64_t)(den / divisor)};
}

og_fraction og_fraction_plus(og_fraction value, int32_t whole)
{
    return (og_fraction){value.num + whole * value.den, value.den};
}

/* The quotient keeps at least 127 - 1 - 60 = 66 bits, and its last bit also stands for everything
 * cut off, so the one rounding from 128 bits to double is the rounding of the exact value. */
double og_fraction_double(og_fraction value)
{
    if (value.num == 0) {
        return 0;
    }
    unsigned_wide size = value.num < 0 ? -(unsigned_wide)value.num : (unsigned_wide)value.num;
    unsigned_wide den = (unsigned_wide)value.den;
    int shift = __builtin_clzll((unsigned long long)size) + 63;
    unsigned_wide quotient = (size << shift) / den;
    quotient |= (size << shift) % den != 0;
    double result = ldexp((double)quotient, -shift);
    return value.num < 0 ? -result : result;
}

int og_fraction_compare(og_fraction a, og_fraction b)
{
    wide left = (wide)a.num * b.den, right = (wide)b.num * a.den;
    return (left > right) - (left < right);
}

bool og_fraction_distance(og_fraction x, og_fraction y, int32_t *out)
{
    if (x.den != y.den || (x.num - y.num) % x.den != 0) {
        return false;
    }
    *out = (int32_t)((x.num - y.num) / x.den);
    return true;
}

bool og_fraction_is_integer(og_fraction value)
{
    return value.den == 1;
}

/* The number of decimals of a finite decimal in lowest terms; -1 if num * 10^decimals would have
 * more than 18 digits or the decimal is not finite. */
static int decimals_of(og_fraction value, int64_t *digits)
{
    wide scaled = value.num < 0 ? -(wide)value.num : value.num;
    int decimals = 0;
    while (scaled % value.den != 0) {
        scaled *= 10;
        decimals++;
        /* (scaled / den) is an upper part of the digits: once it is too long it stays so. */
        if (scaled / value.den >= OG_FRACTION_MAX || decimals > 2 * EXPONENT_LIMIT) {
            return -1;
        }
        wide divisor = greatest_divisor(scaled, value.den);
        if (divisor > 1) {
            scaled /= divisor;
            value.den /= (int64_t)divisor;
        }
    }
    *digits = (int64_t)(scaled / value.den);
    return decimals;
}

int og_fraction_format(og_fraction value, char *text, size_t size)
{
    int64_t digits = 0;
    const char *sign = value.num < 0 ? "-" : "";
    if (value.den == 1) {
        return snprintf(text, size, "%" PRId64, value.num);
    }
    int decimals = decimals_of(value, &digits);
    if (decimals < 0) {
        return snprintf(text, size, "%" PRId64 "/%" PRId64, value.num, value.den);
    }
    char all[2 * EXPONENT_LIMIT + DIGIT_LIMIT + 2];
    int length = snprintf(all, sizeof all, "%0*" PRId64, decimals + 1, digits);
    int whole = length - decimals;
    return snprintf(text, size, "%s%.*s.%s", sign, whole, all, all + whole);
}

void og_fraction_get_mpq(mpq_t out, og_fraction value)
{
    og_mpz_set(mpq_numref(out), value.num);
    og_mpz_set(mpq_denref(out), value.den);
}
