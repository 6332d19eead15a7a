/*
 * Gauss's rule for a Beta. The monic orthogonal polynomials P_k satisfy
 *
 *   Q_k = P_k - z_(2k) Q_(k-1),   P_(k+1) = x Q_k - z_(2k+1) P_k,   P_0 = 1,
 *   z_j = (1 - p_(j-1)) p_j,   p_(2k-1) = (a+k-1) / (a+b+2k-2),   p_(2k) = k / (a+b+2k-1)
 *
 * with the canonical moments p_j (Dette and Studden, The Theory of Canonical Moments, 1997). The
 * weight of a root x is z_1 ... z_(2n-2) / (P_n'(x) P_(n-1)(x)). Roots above 1/2 are computed as
 * those of Beta(b, a) below it.
 */
#include "dp/prior/beta_nodes.h"

#include <math.h>
#include <stdlib.h>

static void fill_z(double a, double b, int32_t count, double *z)
{
    double rest = 1; /* 1 - p_(j-1) */
    for (int32_t j = 1; j < 2 * count; j++) {
        double k = (j - 1) / 2, sum = a + b + (j - 1);
        z[j] = rest * ((j % 2 == 1 ? a + k : k + 1) / sum);
        rest = (j % 2 == 1 ? b + k : a + b + k) / sum;
    }
    z[2 * count] = 0;
}

/* The number of roots below x: negative pivots of the Jacobi matrix minus x (Dhillon and Parlett,
 * "Multiple representations to compute orthogonal eigenvectors of symmetric tridiagonal matrices",
 * Linear Algebra and its Applications 387 (2004), the differential stationary qd transform). */
int32_t og_beta_roots_below(const double *z, int32_t count, double x)
{
    double shift = -x;
    int32_t below = 0;
    for (int32_t k = 0; k < count; k++) {
        double pivot = z[2 * k + 1] + shift;
        pivot = fabs(pivot) < 1e-300 ? -1e-300 : pivot;
        below += pivot < 0;
        shift = z[2 * k + 2] / pivot * shift - x;
    }
    return below;
}

double og_beta_root(const double *z, int32_t count, int32_t k, double low)
{
    double high = 1;
    while (high - low > high * 0x1p-51) {
        double middle = low + (high - low) / 2;
        if (og_beta_roots_below(z, count, middle) > k) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* ln |P_count'(x) P_(count-1)(x)|; the polynomials are kept from underflow. */
static double log_product(const double *z, int32_t count, double x)
{
    double value = 1, rise = 0, q = 0, q_rise = 0, last = 1, halvings = 0;
    for (int32_t k = 0; k < count; k++) {
        q = value - (k > 0 ? z[2 * k] * q : 0);
        q_rise = rise - (k > 0 ? z[2 * k] * q_rise : 0);
        last = value;
        double slope = q + x * q_rise - z[2 * k + 1] * rise;
        value = x * q - z[2 * k + 1] * value;
        rise = slope;
        if (fabs(last) + fabs(rise) + fabs(q) < 0x1p-200) {
            value *= 0x1p200, rise *= 0x1p200, last *= 0x1p200, q *= 0x1p200, q_rise *= 0x1p200;
            halvings += 200;
        }
    }
    return log(fabs(rise)) + log(fabs(last)) - 2 * halvings * M_LN2;
}

static void reverse(double *list, int32_t count)
{
    for (int32_t i = 0; i < count / 2; i++) {
        double first = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = first;
    }
}

/* The first `found` roots, in steps of `step` in the arrays. */
static void fill(const double *z, int32_t count, int32_t found, int32_t step, double *at,
                 double *rest, double *weight)
{
    double mass = 0, low = 0;
    for (int32_t j = 1; j < 2 * count - 1; j++) {
        mass += log(z[j]);
    }
    for (int32_t k = 0; k < found; k++) {
        low = og_beta_root(z, count, k, low);
        at[k * step] = low;
        rest[k * step] = 1 - low;
        weight[k * step] = mass - log_product(z, count, low);
    }
}

og_status og_beta_nodes(double a, double b, int32_t count, double *at, double *rest, double *weight)
{
    if (a > b) { /* which half a root near 1/2 belongs to is decided once */
        OG_TRY(og_beta_nodes(b, a, count, rest, at, weight));
        reverse(at, count);
        reverse(rest, count);
        reverse(weight, count);
        return OG_OK;
    }
    double *z = calloc(4 * (size_t)count + 2, sizeof *z), *mirrored = z + 2 * count + 1;
    OG_TRY(OG_ALLOCATED(z));
    int32_t last = count - 1;
    fill_z(a, b, count, z);
    fill_z(b, a, count, mirrored);
    int32_t below = og_beta_roots_below(z, count, 0.5);
    fill(z, count, below, 1, at, rest, weight);
    fill(mirrored, count, count - below, -1, rest + last, at + last, weight + last);
    free(z);
    return OG_OK;
}
