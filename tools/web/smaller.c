/*
 * Stand-ins for two functions of Arb that would need a third of it; the results stay the same, to
 * the last bit. The page is linked with them, and so is its native test.
 */
#include "dp/base/arb.h"

#include <bernoulli.h>

#ifndef TLS_PREFIX
#define TLS_PREFIX FLINT_TLS_PREFIX /* FLINT 3 */
#endif

/* Without a result light_tail (dp/prior/beta_ball.c) sums its own series, to as many digits. */
void arb_hypgeom_beta_lower(arb_t res, const arb_t a, const arb_t b, const arb_t z, int regularized,
                            slong prec)
{
    (void)a, (void)b, (void)z, (void)regularized, (void)prec;
    arb_indeterminate(res);
}

/* ---- Bernoulli numbers, for the gamma function ---- */

TLS_PREFIX slong bernoulli_cache_num = 0;
TLS_PREFIX fmpq *bernoulli_cache = NULL;

/* tangent[k] for k = 1 .. count: (2k - 1)! times the coefficients of the tangent's series [Brent
 * and Harvey, "Fast computation of Bernoulli, tangent and secant numbers", 2013]. */
static void set_tangents(fmpz *tangent, slong count)
{
    fmpz_one(tangent + 1);
    for (slong k = 2; k <= count; k++) {
        fmpz_mul_ui(tangent + k, tangent + k - 1, (ulong)(k - 1));
    }
    for (slong k = 2; k <= count; k++) {
        for (slong j = k; j <= count; j++) {
            fmpz_mul_ui(tangent + j, tangent + j, (ulong)(j - k + 2));
            fmpz_addmul_ui(tangent + j, tangent + j - 1, (ulong)(j - k));
        }
    }
}

/* B(2k) = (-1)^(k-1) 2k tangent[k] / (4^k (4^k - 1)). */
static void set_bernoulli(fmpq_t out, const fmpz_t tangent, slong k)
{
    fmpz_one(fmpq_denref(out));
    fmpz_mul_2exp(fmpq_denref(out), fmpq_denref(out), 2 * (ulong)k);
    fmpz_sub_ui(fmpq_denref(out), fmpq_denref(out), 1);
    fmpz_mul_2exp(fmpq_denref(out), fmpq_denref(out), 2 * (ulong)k);
    fmpz_mul_si(fmpq_numref(out), tangent, k % 2 == 1 ? 2 * k : -2 * k);
    fmpq_canonicalise(out);
}

void bernoulli_cache_compute(slong n)
{
    if (n <= bernoulli_cache_num) {
        return;
    }
    slong count = FLINT_MAX(n, 2 * bernoulli_cache_num + 32);
    fmpz *tangent = _fmpz_vec_init(count / 2 + 2);
    set_tangents(tangent, count / 2 + 1);
    bernoulli_cache = flint_realloc(bernoulli_cache, (size_t)count * sizeof *bernoulli_cache);
    for (slong i = bernoulli_cache_num; i < count; i++) {
        fmpq_init(bernoulli_cache + i);
        if (i == 0) {
            fmpq_one(bernoulli_cache);
        } else if (i == 1) {
            fmpq_set_si(bernoulli_cache + 1, -1, 2);
        } else if (i % 2 == 0) {
            set_bernoulli(bernoulli_cache + i, tangent + i / 2, i / 2);
        }
    }
    _fmpz_vec_clear(tangent, count / 2 + 2);
    bernoulli_cache_num = count;
}
