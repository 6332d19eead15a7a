/*
 * Computes the number of points that a coordinate of a ranking's integrals needs, with proof.
 *
 * Let z be coordinate k, weight z^(A-1), and fix the others in [0,1]. The rest of the integrand is,
 * up to a constant,
 *
 *   f(z) = z^e * product over comparisons of 1 / (1 + t_j z) * (1 + t_0 z)^-A0,
 *
 * over the comparisons between a place up to k and one after it. Of these, at most N, e were won by
 * the lower item. t_j is a product of the other ratios, in [0,1]. t_0, the sum of scores after
 * place k divided by the sum up to it, at z = 1, is at most tau = (K - k) / k, because the latter
 * scores are not smaller. f is analytic except for z <= -1 and z <= -1 / tau.
 *
 * Gauss's rule with n points has positive weights, which sum to 1/A, and is exact for polynomials
 * of degree 2n - 1. If |f| <= M on the ellipse of foci 0 and 1 whose half axes are (rho +- 1/rho) /
 * 4, one of these is within 2 M rho^-(2n-1) / (rho - 1) of f on [0,1] (Trefethen, Approximation
 * Theory and Approximation Practice, theorem 8.2), and so
 *
 *   |rule - integral| <= 4 M rho^-(2n-1) / ((rho - 1) A).
 *
 * The relative error needs M divided by the integral I. For s <= r, f(s) >= f(r) (s/r)^e, so I >=
 * f(r) r^A / (A + e) for every r in (0,1], and at a point z of the ellipse
 *
 *   |f(z)| / I <= (|z|/r)^e m(1)^N m(tau)^A0 (A + e) r^-A,
 *   m(t) = max over s <= t of (1 + r s) / |1 + z s|.
 *
 * The bound is the least over some r, and then the largest over all z and e. Its logarithm is a sum
 * of e ln|z|, with |z| = (rho + 1/rho) / 4 + cos(angle) / 2, and of a rest. The rest grows by at
 * most N / (1 - d) + A0 tau / (1 - tau d) for each unit of distance, where d is the distance of the
 * ellipse from 0. So points on the ellipse are enough, with an allowance for the arcs between them.
 *
 * With several coordinates: the bound is relative to I at all values of the others, so it holds for
 * f integrated, or summed with positive weights, over any of them. So one coordinate after the
 * other can be replaced by its rule: the relative errors multiply as (1 + error). In the same way
 * it holds for sums of such f with positive factors, which workers of unknown reliability lead to.
 */
#include <math.h>
#include <stdbool.h>

#include "dp/families/ranking_rule.h"

enum { ANGLES = 64, RADII = 16, RHOS = 9 };

/* One coordinate. */
typedef struct {
    int32_t labels; /* N */
    double below;   /* A */
    double whole;   /* A0 */
    double tau;
} coordinate;

/* The largest (1 + r s) / |1 + z s|, 0 <= s <= most: at an end, or at a stationary point. */
static double largest_quotient(double x, double y, double r, double most)
{
    double end = (1 + r * most) / hypot(1 + x * most, y * most);
    double flat = (r - x) / (x * x + y * y - x * r);
    bool between = flat > 0 && flat < most;
    return fmax(fmax(1, end), between ? hypot(x - r, y) / y : 1);
}

/* ln of the largest over e of the least over r, at one point of the ellipse; log_z: of |z|, and at
 * least as large as anywhere on the arc around it. */
static double largest_over_wins(const coordinate *c, double x, double y, double log_z)
{
    double log_r[RADII], rest[RADII], largest = -INFINITY;
    double step = -log(2 * (c->labels + c->whole + 2)) / (RADII - 1);
    for (int32_t i = 0; i < RADII; i++) {
        double r = exp(i * step);
        log_r[i] = i * step;
        rest[i] = c->labels * log(largest_quotient(x, y, r, 1)) +
                  c->whole * log(largest_quotient(x, y, r, c->tau)) - c->below * log_r[i];
    }
    for (int32_t e = 0; e <= c->labels; e++) {
        double least = INFINITY;
        for (int32_t i = 0; i < RADII; i++) {
            least = fmin(least, e * (log_z - log_r[i]) + rest[i]);
        }
        largest = fmax(largest, least + log1p(e / c->below));
    }
    return largest;
}

/* Upper bound of ln(M / (A I)); INFINITY if f is not analytic. */
static double growth(const coordinate *c, double rho)
{
    const double rounding = 1e-6; /* for these sums of at most some thousands */
    double major = (rho + 1 / rho) / 4, minor = (rho - 1 / rho) / 4, away = major - 0.5;
    double step = M_PI / ANGLES, largest = -INFINITY;
    if (away >= 1 || away * c->tau >= 1) {
        return INFINITY;
    }
    double slope = c->labels / (1 - away) + c->whole * c->tau / (1 - c->tau * away);
    for (int32_t i = 0; i < ANGLES; i++) { /* the other half is its mirror image */
        double angle = (i + 0.5) * step;
        double log_z = log(major + cos(i * step) / 2);
        largest = fmax(largest,
                       largest_over_wins(c, 0.5 + major * cos(angle), minor * sin(angle), log_z));
    }
    return largest + slope * major * step / 2 + rounding;
}

int32_t og_ranking_nodes_needed(const og_ranking_prior *prior, int32_t labels, int32_t k,
                                double below, double wanted, double *error)
{
    static const double rhos[RHOS] = {1.4, 1.7, 2, 2.3, 2.6, 2.9, 3.3, 4, 5};
    coordinate c = {.labels = labels, .below = below};
    double largest[RHOS];
    c.tau = (double)(prior->items - 1 - k) / (k + 1);
    for (int32_t i = 0; i < prior->items; i++) {
        c.whole += prior->item[i];
    }
    for (int32_t i = 0; i < RHOS; i++) {
        largest[i] = growth(&c, rhos[i]);
    }
    for (int32_t n = 4; n <= OG_RANKING_NODES_MAX; n++) {
        double least = INFINITY;
        for (int32_t i = 0; i < RHOS; i++) {
            least = fmin(least, largest[i] + log(4 / (rhos[i] - 1)) - (2 * n - 1) * log(rhos[i]));
        }
        if (exp(least) <= wanted) {
            *error = exp(least);
            return n;
        }
    }
    return 0;
}
