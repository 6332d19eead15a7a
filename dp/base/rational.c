/* Rounds fractions of whole numbers to doubles, once. */
#include "dp/base/rational.h"
#include "dp/base/wide.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

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
