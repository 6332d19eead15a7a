/*
 * Exact fractions from decimals. A decimal is digits * 10^exponent, with the digits' trailing zeros
 * moved into the exponent. Both parts stay below 10^37 < 2^127, so 128-bit integers hold every
 * step.
 */
#include "dp/base/fraction.h"
#include "dp/base/wide.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 unsigned_wide; /* GNU C */

/* Limits of a decimal: its digits, and its size in lowest terms. A power of ten up to 10^36 may
 * cancel against the digits and leave such a denominator; if a larger one remains, it is refused
 * too. */
enum { EXPONENT_LIMIT = 36, DIGIT_LIMIT = 18, DEN_DIGITS = 24 };

static og_wide greatest_divisor(og_wide a, og_wide b)
{
    while (b != 0) {
        og_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static og_wide power_of_ten(int64_t exponent)
{
    og_wide power = 1;
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

/* Reads "ddd.ddd" from *at; false if it is not a number or has too many digits. Zeros are counted
 * in `zeros` until a digit follows them, so that trailing ones cost nothing. */
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
    og_wide num = value.digits, den = 1;
    if (value.exponent >= 0) {
        num *= power_of_ten(value.exponent);
    } else {
        den = power_of_ten(-value.exponent);
    }
    og_fraction made = og_fraction_make(num, den);
    if (made.num > power_of_ten(DIGIT_LIMIT) || made.den > power_of_ten(DEN_DIGITS)) {
        return OG_BAD_INPUT;
    }
    *out = made;
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

og_fraction og_fraction_make(og_wide num, og_wide den)
{
    og_wide divisor = greatest_divisor(den, num < 0 ? -num : num);
    return (og_fraction){num / divisor, den / divisor};
}

og_fraction og_fraction_plus(og_fraction value, int32_t whole)
{
    return (og_fraction){value.num + whole * value.den, value.den};
}

/* Long division, STEP bits at a time until the quotient has 66 or more; a remainder is below 2^104,
 * so shifting it by STEP stays within 127 bits. The last bit also represents everything cut off, so
 * that the one rounding from 128 bits to double is the rounding of the exact value. */
double og_fraction_double(og_fraction value)
{
    enum { STEP = 22 };
    if (value.num == 0) {
        return 0;
    }
    unsigned_wide size = value.num < 0 ? -(unsigned_wide)value.num : (unsigned_wide)value.num;
    unsigned_wide den = (unsigned_wide)value.den, quotient = size / den, rest = size % den;
    int shift = 0;
    for (; quotient >> 66 == 0; shift += STEP) {
        rest <<= STEP;
        quotient = quotient << STEP | rest / den;
        rest %= den;
    }
    quotient |= rest != 0;
    double result = ldexp((double)quotient, -shift);
    return value.num < 0 ? -result : result;
}

/* x / y, y > 0, rounded down; *x becomes the remainder. */
static og_wide divide_down(og_wide *x, og_wide y)
{
    og_wide quotient = *x / y - (*x % y < 0);
    *x -= quotient * y;
    return quotient;
}

/* Compares the first partial quotients of the continued fractions that differ: products of two
 * parts may have 206 bits. An unset value (0/0) is less than all others. */
int og_fraction_compare(og_fraction a, og_fraction b)
{
    if (a.den == 0 || b.den == 0) {
        return (a.den != 0) - (b.den != 0);
    }
    if (a.den == b.den) {
        return (a.num > b.num) - (a.num < b.num);
    }
    for (int sign = 1;; sign = -sign) {
        og_wide of_a = divide_down(&a.num, a.den), of_b = divide_down(&b.num, b.den);
        if (of_a != of_b) {
            return of_a < of_b ? -sign : sign;
        }
        if (a.num == 0 || b.num == 0) {
            return a.num == 0 ? (b.num == 0 ? 0 : -sign) : sign;
        }
        a = (og_fraction){a.den, a.num};
        b = (og_fraction){b.den, b.num};
    }
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

/* How often `prime` divides *value; divides it out. */
static int multiplicity(og_wide *value, int prime)
{
    int count = 0;
    for (; *value % prime == 0; count++) {
        *value /= prime;
    }
    return count;
}

/* The number of decimals of a finite decimal in lowest terms; -1 if num * 10^decimals, *digits,
 * would have more than 31 digits or the decimal is not finite. */
static int decimals_of(og_fraction value, og_wide *digits)
{
    og_wide rest = value.den, size = value.num < 0 ? -value.num : value.num;
    int twos = multiplicity(&rest, 2), fives = multiplicity(&rest, 5);
    if (rest != 1) {
        return -1;
    }
    for (int i = twos; i != fives; i += i < fives ? 1 : -1) {
        size *= i < fives ? 2 : 5;
        if (size >= OG_FRACTION_MAX) {
            return -1;
        }
    }
    *digits = size;
    return twos > fives ? twos : fives;
}

/* At least `width` digits of a number from 0 to OG_FRACTION_MAX, with zeros before it. */
static int write_digits(og_wide value, int width, char *text, size_t size)
{
    og_wide unit = power_of_ten(DIGIT_LIMIT);
    if (width <= DIGIT_LIMIT && value < unit) {
        return snprintf(text, size, "%0*" PRId64, width, (int64_t)value);
    }
    return snprintf(text, size, "%0*" PRId64 "%0*" PRId64,
                    width > DIGIT_LIMIT ? width - DIGIT_LIMIT : 1, (int64_t)(value / unit),
                    (int)DIGIT_LIMIT, (int64_t)(value % unit));
}

int og_fraction_format(og_fraction value, char *text, size_t size)
{
    char all[2 * OG_FRACTION_TEXT_BYTES], under[OG_FRACTION_TEXT_BYTES];
    const char *sign = value.num < 0 ? "-" : "";
    if (value.den == 1 && (int64_t)value.num == value.num) {
        return snprintf(text, size, "%" PRId64, (int64_t)value.num);
    }
    og_wide digits = value.num < 0 ? -value.num : value.num;
    int decimals = decimals_of(value, &digits);
    int length = write_digits(digits, decimals + 1, all, sizeof all);
    if (decimals < 0) {
        write_digits(value.den, 1, under, sizeof under);
        return snprintf(text, size, "%s%s/%s", sign, all, under);
    }
    int whole = length - decimals;
    return snprintf(text, size, "%s%.*s%s%s", sign, whole, all, decimals > 0 ? "." : "",
                    all + whole);
}

void og_fraction_get_mpq(mpq_t out, og_fraction value)
{
    og_mpz_set(mpq_numref(out), value.num);
    og_mpz_set(mpq_denref(out), value.den);
}
