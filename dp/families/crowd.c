/*
 * Factors of voices of unknown accuracy. With A = a / g and B = b / g,
 *
 *   a (a + g) ... (a + (r - 1) g) * b (b + g) ... (b + (n - r - 1) g)
 *     divided by (a + b) (a + b + g) ... (a + b + (n - 1) g);
 *
 * a known accuracy is the same with 0 in place of the g that is added.
 */
#include "dp/families/crowd.h"

#include "dp/base/wide.h"

void og_crowd_factors(const double beta[2], int32_t most, double *factor)
{
    for (int32_t n = 0; n <= most; n++) {
        for (int32_t r = 0; r <= n; r++) {
            double value = 1;
            for (int32_t k = 0; k < n; k++) {
                value *= (k < r ? beta[0] + k : beta[1] + (k - r)) / (beta[0] + beta[1] + k);
            }
            factor[n * (most + 1) + r] = value;
        }
    }
}

void og_crowd_factors_exact(const og_fraction pair[2], bool known, int32_t n, mpq_t *factor,
                            mpz_ptr under, mpq_t *scratch)
{
    mpz_ptr from[2] = {mpq_numref(scratch[0]), mpq_numref(scratch[1])};
    mpz_ptr sum = mpq_numref(scratch[2]), step = mpq_numref(scratch[3]);
    mpz_ptr product = mpq_numref(scratch[4]);
    og_mpz_set_pair(pair[0], pair[1], from[0], from[1], step);
    mpz_add(sum, from[0], from[1]);
    if (known) {
        mpz_set_ui(step, 0);
    }
    for (int side = 0; side < 2; side++) {
        mpz_set_ui(product, 1);
        for (int32_t k = 0; k <= n; k++) {
            mpz_ptr to = mpq_numref(factor[side == 0 ? k : n - k]);
            if (side == 0) {
                mpz_set(to, product);
            } else {
                mpz_mul(to, to, product);
            }
            mpz_mul(product, product, from[side]);
            mpz_add(from[side], from[side], step);
        }
    }
    for (int32_t k = 0; k < n; k++) {
        mpz_mul(under, under, sum);
        mpz_add(sum, sum, step);
    }
}
