/*
 * The belief that stands in for the posterior of a ranking. Every number is a sum, a product or a
 * quotient of positive ones, what complements another is computed by itself and never as a
 * difference from 1, so that tiny parameters keep their digits.
 */
#include "heuristics/families/ranking_belief.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Positive, and no digits are lost. */
static bool in_range(double parameter)
{
    return parameter >= DBL_MIN && isfinite(parameter);
}

/* A Beta {mu, nu} after the answer was right with probability f, and wrong with 1 - f = g: its mean
 * and variance. */
static bool match_worker(double *worker, double f, double g)
{
    double mu = worker[0], nu = worker[1], n = mu + nu + 1;
    double right = (mu + f) / n, wrong = (nu + g) / n;
    double variance = (f * (mu + 1) * nu + g * mu * (nu + 1)) / (n * n * (n + 1)) + f * g / (n * n);
    double size = right * wrong / variance - 1;
    worker[0] = size * right;
    worker[1] = size * wrong;
    return in_range(worker[0]) && in_range(worker[1]);
}

bool og_ranking_match(double *a, int32_t items, double *worker, int32_t winner, int32_t loser)
{
    double up = 1, down = 0; /* chances that the winner, and the loser, was favoured */
    double rest = 0, pairs = 0, before = 0, centre = 0;
    double x = a[winner], y = a[loser], s = x + y;
    if (worker != NULL) {
        double both = worker[0] * x + worker[1] * y;
        up = worker[0] * x / both;
        down = worker[1] * y / both;
    }
    for (int32_t k = 0; k < items; k++) {
        if (k != winner && k != loser) {
            pairs += rest * a[k];
            rest += a[k];
        }
    }
    double whole = s + rest;
    double won = (x + up) / (s + 1), lost = (y + down) / (s + 1);
    double within = (up * (x + 1) * y + down * x * (y + 1)) / ((s + 1) * (s + 1) * (s + 2)) +
                    up * down / ((s + 1) * (s + 1));
    double variance = 2 * s * (s + 1) / (whole * (whole + 1)) * within +
                      s * rest / (whole * whole * (whole + 1)) * (won * won + lost * lost) +
                      (rest * s + 2 * pairs) / (whole * whole * (whole + 1));
    a[winner] = s * won;
    a[loser] = s * lost;
    for (int32_t k = 0; k < items; k++) {
        a[k] /= whole;
        centre += 2 * before * a[k];
        before += a[k];
    }
    double size = centre / variance - 1;
    bool fine = worker == NULL || match_worker(worker, up, down);
    for (int32_t k = 0; k < items; k++) {
        a[k] *= size;
        fine = fine && in_range(a[k]);
    }
    return fine;
}

double og_ranking_chance(const double *a, const double *worker, int32_t winner, int32_t loser)
{
    double s = a[winner] + a[loser];
    return worker == NULL
               ? a[winner] / s
               : (worker[0] * a[winner] + worker[1] * a[loser]) / ((worker[0] + worker[1]) * s);
}

/* log Gamma(x) less Stirling's (x - 1/2) log x - x + log(2 pi)/2, x >= 10: to 2e-14. */
static double beside_stirling(double x)
{
    double y = 1 / (x * x);
    return (1. / 12 - y * (1. / 360 - y * (1. / 1260 - y * (1. / 1680 - y / 1188)))) / x;
}

/* log of Gamma(p + q) / (Gamma(p) Gamma(q) 2^(p + q)), p >= q: no large numbers cancel. */
static double log_density(double p, double q)
{
    const double large = 10;
    double s = p + q, from = (p - q) / s;
    int sign;
    if (q < large) {
        return lgamma_r(s, &sign) - lgamma_r(p, &sign) - lgamma_r(q, &sign) - s * M_LN2;
    }
    return log(p * q / (2 * M_PI * s)) / 2 - p * log1p(from) - q * log1p(-from) +
           beside_stirling(s) - beside_stirling(p) - beside_stirling(q);
}

/*
 * The chance that Beta(p, q), p >= q, has less than 1/2. A sum of positive terms, each less than
 * the one before; of many terms the signed root of the deviance, which is almost normal [Lugannani
 * and Rice, Advances in Applied Probability 12 (1980), 475-490], is nearer than 1e-13.
 */
static double less_than_half(double p, double q)
{
    const double many = 1e6, digits = DBL_EPSILON / 8, least = 0x1p-900;
    double s = p + q, square = (p - q) / s * ((p - q) / s);
    if (s > many) {
        double root = sqrt(s * square * (1 + square / 6 + square * square / 15));
        return root > 40 ? 0
                         : erfc(root * M_SQRT1_2) / 2 -
                               exp(-root * root / 2) / sqrt(2 * M_PI) * 5 * root / (12 * s);
    }
    double term = exp(log_density(p, q)) / p, sum = term;
    if (term < least) { /* the smallest doubles are rounded up to themselves, without an end */
        return 0;
    }
    for (int32_t n = 0; term * 2 * (p + 1 + n) > digits * sum * (p + 2 - q + n); n++) {
        term *= (s + n) / (2 * (p + 1 + n));
        sum += term;
    }
    return sum;
}

double og_ranking_above(double a_i, double a_j)
{
    if (a_i == a_j) {
        return 0.5;
    }
    return a_i > a_j ? 1 - less_than_half(a_i, a_j) : less_than_half(a_j, a_i);
}

double og_ranking_sorted(const double *a, int32_t items)
{
    double sum = 0;
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = i + 1; j < items; j++) {
            sum += og_ranking_above(fmax(a[i], a[j]), fmin(a[i], a[j]));
        }
    }
    return sum / (items * (items - 1) / 2);
}

bool og_ranking_outcomes(const double *a, int32_t items, const double *worker, int32_t i, int32_t j,
                         double *after, double sorted[2])
{
    for (int32_t side = 0; side < 2; side++) {
        double same[2] = {1, 1};
        memcpy(after, a, (size_t)items * sizeof *after);
        if (worker != NULL) {
            memcpy(same, worker, sizeof same);
        }
        if (!og_ranking_match(after, items, worker != NULL ? same : NULL, side == 0 ? i : j,
                              side == 0 ? j : i)) {
            return false;
        }
        sorted[side] = og_ranking_sorted(after, items);
    }
    return true;
}

double og_ranking_rise(const double *a, int32_t items, const double *worker, int32_t i, int32_t j,
                       double now, double *after)
{
    double sorted[2];
    if (worker != NULL && worker[0] == worker[1]) {
        return 0;
    }
    if (!og_ranking_outcomes(a, items, worker, i, j, after, sorted)) {
        return NAN;
    }
    return og_ranking_chance(a, worker, i, j) * (sorted[0] - now) +
           og_ranking_chance(a, worker, j, i) * (sorted[1] - now);
}
