/* Products of distributions, truncated at the budget: sums of positive terms in one fixed order. */
#include "dp/product/stationary/law.h"

#include <assert.h>
#include <string.h>

#include "dp/base/vector.h"

void og_law_none(int32_t budget, double *out)
{
    memset(out, 0, ((size_t)budget + 1) * sizeof *out);
    out[0] = 1;
}

/* y is 0 below `first`; with many instances that all have had labels this is often half of it. */
OG_VECTOR_CLONES
static void multiply(int32_t budget, const double *restrict x, const double *restrict y,
                     int32_t first, double *restrict out)
{
    for (int32_t i = 0; i < budget; i++) {
        double factor = x[i];
        if (factor == 0) {
            continue;
        }
        for (int32_t j = first; j < budget - i; j++) {
            out[i + j] += factor * y[j];
        }
    }
}

void og_law_times(int32_t budget, const double *x, const double *y, double *out)
{
    memset(out, 0, ((size_t)budget + 1) * sizeof *out);
    int32_t first = 0;
    while (first < budget && y[first] == 0) {
        first++;
    }
    multiply(budget, x, y, first, out);
    double beyond = x[budget];
    double rest = 0; /* sum of y from budget - i on */
    for (int32_t i = 0; i < budget; i++) {
        rest += y[budget - i];
        beyond += x[i] * rest;
    }
    out[budget] = beyond;
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

void og_law_power(int32_t budget, const double *x, int64_t count, double *out, double *scratch)
{
    size_t size = (size_t)budget + 1;
    double *power = scratch, *next = scratch + size;
    og_law_none(budget, power);
    int bit = 0;
    while (count >> bit > 0) {
        bit++;
    }
    while (bit-- > 0) {
        og_law_times(budget, power, power, next);
        swap(&power, &next);
        if ((count >> bit & 1) != 0) {
            og_law_times(budget, power, x, next);
            swap(&power, &next);
        }
    }
    memcpy(out, power, size * sizeof *out);
}

/* With s, p, q = S_m, x^m, y^m:  S_2m = s (p + q),  S_(m+1) = s x + q. */
void og_law_power_sum(int32_t budget, const double *x, const double *y, int64_t count, double *out,
                      double *scratch)
{
    assert(count >= 1);
    size_t size = (size_t)budget + 1;
    double *s = scratch, *p = s + size, *q = p + size, *next = q + size, *both = next + size;
    int bit = 0;
    while (count >> (bit + 1) > 0) {
        bit++;
    }
    og_law_none(budget, s);
    memcpy(p, x, size * sizeof *p);
    memcpy(q, y, size * sizeof *q);
    while (bit-- > 0) {
        for (size_t n = 0; n < size; n++) {
            both[n] = p[n] + q[n];
        }
        og_law_times(budget, s, both, next);
        swap(&s, &next);
        og_law_times(budget, p, p, next);
        swap(&p, &next);
        og_law_times(budget, q, q, next);
        swap(&q, &next);
        if ((count >> bit & 1) != 0) {
            og_law_times(budget, s, x, next);
            for (size_t n = 0; n < size; n++) {
                next[n] += q[n];
            }
            swap(&s, &next);
            og_law_times(budget, p, x, next);
            swap(&p, &next);
            og_law_times(budget, q, y, next);
            swap(&q, &next);
        }
    }
    memcpy(out, s, size * sizeof *out);
}
