/* Rounds fractions of whole numbers to doubles, once. */
#include "dp/base/rational.h"
#include "dp/base/wide.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double og_nearest_quotient(const mpz_t num, const mpz_t den)
{
    int sign = mpz_sgn(num);
    if (sign == 0) {
        return 0;
    }
    /* A quotient of 62 or 63 bits whose last bit also represents the remainder: rounding it to 53
     * bits rounds the exact value. */
    int64_t shift = 62 - (int64_t)mpz_sizeinbase(num, 2) + (int64_t)mpz_sizeinbase(den, 2);
    mpz_t scaled, quotient;
    mpz_inits(scaled, quotient, NULL);
    mpz_abs(scaled, num);
    if (shift >= 0) {
        mpz_mul_2exp(scaled, scaled, (mp_bitcnt_t)shift);
    } else {
        mpz_mul_2exp(quotient, den, (mp_bitcnt_t)-shift);
    }
    mpz_tdiv_qr(quotient, scaled, scaled, shift >= 0 ? den : quotient);
    uint64_t bits = og_mpz_get(quotient) | (mpz_sgn(scaled) != 0);
    mpz_clears(scaled, quotient, NULL);
    double size = ldexp((double)bits, (int)-shift);
    return sign < 0 ? -size : size;
}

double og_nearest(const mpq_t value)
{
    return og_nearest_quotient(mpq_numref(value), mpq_denref(value));
}

/* ---- numbers in words ---- */

/* The end of the digits, or NULL if there are none. */
static const char *skip_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 ? text + digits : NULL;
}

/* "e-3" to the end of the text, added to *exponent. */
static bool read_exponent(const char *text, long *exponent)
{
    enum { EXPONENT_MOST = 1000, EXPONENT_CHARACTERS = 6 };
    if (*text == 'e' || *text == 'E') {
        const char *power = text + 1 + (text[1] == '-' || text[1] == '+');
        const char *end = skip_digits(power);
        if (end == NULL || end - power > EXPONENT_CHARACTERS) {
            return false;
        }
        *exponent += strtol(text + 1, NULL, 10);
        text = end;
    }
    return *text == '\0' && labs(*exponent) <= EXPONENT_MOST;
}

/* A decimal without a sign. */
static bool read_decimal(mpq_t out, const char *text)
{
    char digits[OG_RATIONAL_CHARACTERS + 1];
    size_t used = 0;
    long exponent = 0;
    bool point = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
        } else {
            digits[used++] = *text;
            exponent -= point;
        }
    }
    digits[used] = '\0';
    if (used == 0 || !read_exponent(text, &exponent)) {
        return false;
    }
    mpz_set_str(mpq_numref(out), digits, 10);
    mpz_ui_pow_ui(mpq_denref(out), 10, (uint32_t)labs(exponent));
    if (exponent > 0) {
        mpz_mul(mpq_numref(out), mpq_numref(out), mpq_denref(out));
        mpz_set_ui(mpq_denref(out), 1);
    }
    return true;
}

/* Two whole numbers with a slash between them, the second greater than 0. */
static bool read_quotient(mpq_t out, const char *text, const char *slash)
{
    char over[OG_RATIONAL_CHARACTERS + 1];
    const char *end = skip_digits(slash + 1);
    if (skip_digits(text) != slash || end == NULL || *end != '\0') {
        return false;
    }
    memcpy(over, text, (size_t)(slash - text));
    over[slash - text] = '\0';
    mpz_set_str(mpq_numref(out), over, 10);
    mpz_set_str(mpq_denref(out), slash + 1, 10);
    return mpz_sgn(mpq_denref(out)) > 0;
}

bool og_rational_parse(mpq_t out, const char *text)
{
    const char *number = text + (*text == '-' || *text == '+'), *slash = strchr(number, '/');
    if (strlen(text) > OG_RATIONAL_CHARACTERS ||
        !(slash != NULL ? read_quotient(out, number, slash) : read_decimal(out, number))) {
        return false;
    }
    mpq_canonicalize(out);
    if (*text == '-') {
        mpq_neg(out, out);
    }
    return true;
}

/* ---- many numbers ---- */

typedef struct {
    mpq_srcptr value;
    double *out;
} placed;

static int compare_placed(const void *x, const void *y)
{
    return mpq_cmp(((const placed *)x)->value, ((const placed *)y)->value);
}

og_status og_nearest_apart(size_t count, mpq_t *value, double *out)
{
    placed *items = calloc(count + 1, sizeof *items);
    double last = -INFINITY;
    OG_TRY(OG_ALLOCATED(items));
    for (size_t i = 0; i < count; i++) {
        items[i] = (placed){value[i], &out[i]};
    }
    qsort(items, count, sizeof *items, compare_placed);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !mpq_equal(items[i].value, items[i - 1].value)) {
            last = fmax(og_nearest(items[i].value), nextafter(last, INFINITY));
        }
        *items[i].out = last;
    }
    free(items);
    return last < INFINITY && (count == 0 || isfinite(out[0])) ? OG_OK : OG_BAD_INPUT;
}

void og_add_multiple(mpq_t sum, int64_t count, const mpq_t value)
{
    mpq_t term;
    mpq_init(term);
    og_mpz_set(mpq_numref(term), count);
    mpq_mul(term, term, value);
    mpq_add(sum, sum, term);
    mpq_clear(term);
}

void og_times_rising(mpq_t out, const mpq_t value, int32_t count, bool divide)
{
    mpq_t product, factor;
    mpq_inits(product, factor, NULL);
    mpq_set_ui(product, 1, 1);
    mpq_set(factor, value);
    for (int32_t i = 0; i < count; i++) {
        mpz_mul(mpq_numref(product), mpq_numref(product), mpq_numref(factor));
        mpz_mul(mpq_denref(product), mpq_denref(product), mpq_denref(factor));
        mpz_add(mpq_numref(factor), mpq_numref(factor), mpq_denref(factor));
    }
    mpq_canonicalize(product);
    (divide ? mpq_div : mpq_mul)(out, out, product);
    mpq_clears(product, factor, NULL);
}
