/*
 * Computes with the approximate posterior of a ranking. Every number is a sum, a product or a
 * quotient of positive ones, and complements are computed directly, never as a difference from 1,
 * so that tiny parameters keep their digits.
 */
#include "heuristics/families/ranking_belief.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/base/vector.h"
#include "heuristics/families/ranking_tiny.h"

/* True if the parameter is positive and has all digits. */
static bool in_range(double parameter)
{
    return parameter >= DBL_MIN && isfinite(parameter);
}

/* Updates a Beta {mu, nu} after an answer that was right with probability f, and wrong with g = 1 -
 * f, by matching mean and variance. */
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

/* The update in doubles; false, with a unchanged, if doubles do not suffice. */
static bool match_plain(double *a, int32_t items, const double favoured[2], int32_t winner,
                        int32_t loser)
{
    double up = favoured[0], down = favoured[1];
    double rest = 0, pairs = 0, before = 0, centre = 0, least = INFINITY, most = 0;
    double x = a[winner], y = a[loser], s = x + y;
    for (int32_t k = 0; k < items; k++) {
        if (k != winner && k != loser) {
            pairs += rest * a[k];
            rest += a[k];
            least = a[k] < least ? a[k] : least; /* fmin is a call */
            most = a[k] > most ? a[k] : most;
        }
    }
    if (x < 0 || y < 0 || least < 0) {
        return false;
    }
    double whole = s + rest;
    double won = (x + up) / (s + 1), lost = (y + down) / (s + 1);
    double within = (up * (x + 1) * y + down * x * (y + 1)) / ((s + 1) * (s + 1) * (s + 2)) +
                    up * down / ((s + 1) * (s + 1));
    double variance = 2 * s * (s + 1) / (whole * (whole + 1)) * within +
                      s * rest / (whole * whole * (whole + 1)) * (won * won + lost * lost) +
                      (rest * s + 2 * pairs) / (whole * whole * (whole + 1));
    x = s * won;
    y = s * lost;
    for (int32_t k = 0; k < items; k++) {
        double part = (k == winner ? x : k == loser ? y : a[k]) / whole;
        centre += 2 * before * part;
        before += part;
    }
    double size = centre / variance - 1;
    if (!in_range(fmin(least, fmin(x, y)) / whole * size) ||
        !in_range(fmax(most, fmax(x, y)) / whole * size)) {
        return false;
    }
    for (int32_t k = 0; k < items; k++) {
        a[k] = (k == winner ? x : k == loser ? y : a[k]) / whole * size;
    }
    return true;
}

bool og_ranking_match(double *a, int32_t items, double *worker, int32_t winner, int32_t loser)
{
    double favoured[2] = {1,
                          0}; /* probabilities that the winner, and the loser, was the better one */
    if (worker != NULL) {
        double x = a[winner], y = a[loser], both = worker[0] * x + worker[1] * y;
        favoured[0] = worker[0] * x / both;
        favoured[1] = worker[1] * y / both;
    }
    bool fine = match_plain(a, items, favoured, winner, loser) ||
                og_ranking_match_tiny(a, items, worker, winner, loser, favoured);
    return fine && (worker == NULL || match_worker(worker, favoured[0], favoured[1]));
}

bool og_ranking_draw(double *a, int32_t items, int32_t i, int32_t j)
{
    double even[2] = {0.5, 0.5};
    return match_plain(a, items, even, i, j) || og_ranking_match_tiny(a, items, NULL, i, j, even);
}

double og_ranking_chance(const double *a, const double *worker, int32_t winner, int32_t loser)
{
    double x = a[winner], y = a[loser];
    if (worker == NULL) {
        return og_ranking_share(x, y);
    }
    if (x < 0 || y < 0) {
        double up = og_ranking_share(x, y), down = og_ranking_share(y, x);
        x = up;
        y = down;
    }
    return (worker[0] * x + worker[1] * y) / ((worker[0] + worker[1]) * (x + y));
}

/* log Gamma(x) minus Stirling's (x - 1/2) log x - x + log(2 pi)/2, for x >= 10, to 1e-15. */
static double beside_stirling(double x)
{
    double y = 1 / (x * x), tail = 1. / 1188 - y * 691 / 360360;
    return (1. / 12 - y * (1. / 360 - y * (1. / 1260 - y * (1. / 1680 - y * tail)))) / x;
}

/*
 * The probability that Beta(p, q), p >= q, is below 1/2 is a sum of positive terms. With s = p + q,
 * the first is Gamma(s) / (Gamma(p + 1) Gamma(q) 2^s), and each other is (s + n) / (2 (p + 1 + n))
 * < 1 times the one before. Many sums are computed in parallel.
 */
enum { LANES = 8, TERMS = 4, SHIFT = 10 };

typedef struct {
    double p[LANES], q[LANES], sum[LANES];
} vector_lanes;

/* The ratio of a first term to that of p + SHIFT and q + SHIFT, without Gamma(p + 1). */
OG_VECTOR_CLONES static void shift_lanes(const vector_lanes *lanes, double *restrict factor)
{
    for (int32_t k = 0; k < LANES; k++) {
        double p = lanes->p[k], q = lanes->q[k], s = p + q, up = q, down = s;
        for (int32_t n = 1; n < SHIFT; n++) {
            up *= 4 * ((p + n) * (q + n));
            down *= (s + 2 * n - 1) * (s + 2 * n);
        }
        factor[k] = 4 * up / (down * (s + 2 * SHIFT - 1));
    }
}

/* Avoids cancellation of large numbers. */
static double shifted_density(double p, double q)
{
    double s = p + q, from = (p - q) / s;
    return sqrt(p * q / (2 * M_PI * s)) *
           exp(beside_stirling(s) - beside_stirling(p) - beside_stirling(q) - p * log1p(from) -
               q * log1p(-from));
}

/*
 * Extends the first terms, in `sum`, to the whole sums: four terms with one quotient at a time,
 * until the rest of each sum is below its last digit.
 *
 * First terms are 0 or far above the smallest doubles, where halving rounds up to the same number
 * and the loop would not end. So terms of an unfinished sum keep their digits. Each is less than 1
 * - 1/(p + 1) times the one before, a factor that rounding cannot hide for p <= 1e6, and in the end
 * about 1/2 times. So every sum ends. Terms that are added while other sums continue are less than
 * half of its last digit and do not change it, so no sum depends on its neighbours.
 */
OG_VECTOR_CLONES static void sum_lanes(vector_lanes *lanes)
{
    const double digits = DBL_EPSILON / 8;
    double term[LANES], open = 1;
    memcpy(term, lanes->sum, sizeof term);
    for (double n = 0; open > 0; n += TERMS) {
        open = 0;
        for (int32_t k = 0; k < LANES; k++) {
            double p = lanes->p[k], q = lanes->q[k];
            double up = p + q + n, down = 2 * (p + 1 + n);
            double last = down + 6, last_two = (down + 4) * last;
            double last_three = (down + 2) * last_two;
            double two = up * (up + 1), three = two * (up + 2), four = three * (up + 3);
            double share = term[k] / (down * last_three);
            lanes->sum[k] += share * (up * last_three + two * last_two + three * last + four);
            term[k] = share * four;
            double rest = term[k] * (down + 2 * TERMS);
            open += rest > digits * lanes->sum[k] * (p + 2 - q + n + TERMS) ? 1 : 0;
        }
    }
}

static void less_than_half(vector_lanes *lanes)
{
    const double least = 0x1p-900;
    double factor[LANES];
    shift_lanes(lanes, factor);
    for (int32_t k = 0; k < LANES; k++) {
        double first = factor[k] * shifted_density(lanes->p[k] + SHIFT, lanes->q[k] + SHIFT);
        lanes->sum[k] = first < least ? 0 : first;
    }
    sum_lanes(lanes);
}

/* The same for sums with many terms: the signed root of the deviance is almost normal [Lugannani
 * and Rice, Advances in Applied Probability 12 (1980), 475-490], with an error below 1e-13. */
static double less_of_many(double p, double q)
{
    double s = p + q, square = (p - q) / s * ((p - q) / s);
    double root = sqrt(s * square * (1 + square / 6 + square * square / 15));
    return root > 40 ? 0
                     : erfc(root * M_SQRT1_2) / 2 -
                           exp(-root * root / 2) / sqrt(2 * M_PI) * 5 * root / (12 * s);
}

void og_ranking_above(const double *x, const double *y, int32_t count, double *above)
{
    const double many = 1e6;
    for (int32_t at = 0; at < count; at += LANES) {
        vector_lanes l;
        for (int32_t k = 0; k < LANES; k++) {
            int32_t from = at + k < count ? at + k : at;
            bool few = x[from] + y[from] <= many && x[from] > 0 && y[from] > 0;
            l.p[k] = few ? fmax(x[from], y[from]) : 1;
            l.q[k] = few ? fmin(x[from], y[from]) : 1;
        }
        less_than_half(&l);
        for (int32_t k = at; k < count && k < at + LANES; k++) {
            double p = fmax(x[k], y[k]), q = fmin(x[k], y[k]);
            double less = q > 0 && x[k] + y[k] > many ? less_of_many(p, q) : l.sum[k - at];
            above[k] = x[k] == y[k] ? 0.5 : x[k] > y[k] ? 1 - less : less;
            above[k] = q < 0 ? og_ranking_share(x[k], y[k]) : above[k];
        }
    }
}

double og_ranking_sorted(const double *a, int32_t items)
{
    enum { AT_ONCE = 8 * LANES };
    double larger[AT_ONCE], smaller[AT_ONCE], above[AT_ONCE], sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = i + 1; j < items; j++) {
            larger[count] = fmax(a[i], a[j]);
            smaller[count++] = fmin(a[i], a[j]);
            if (count == AT_ONCE || i == items - 2) {
                og_ranking_above(larger, smaller, count, above);
                for (int32_t k = 0; k < count; k++) {
                    sum += above[k];
                }
                count = 0;
            }
        }
    }
    return sum / (items * (items - 1) / 2);
}

bool og_ranking_outcomes(const og_ranking_match_up *match, double *after, double sorted[2])
{
    for (int32_t side = 0; side < 2; side++) {
        double same[2] = {1, 1};
        memcpy(after, match->a, (size_t)match->items * sizeof *after);
        if (match->worker != NULL) {
            memcpy(same, match->worker, sizeof same);
        }
        if (!og_ranking_match(after, match->items, match->worker != NULL ? same : NULL,
                              side == 0 ? match->i : match->j, side == 0 ? match->j : match->i)) {
            return false;
        }
        sorted[side] = og_ranking_sorted(after, match->items);
    }
    return true;
}

double og_ranking_rise(const og_ranking_match_up *match, double now, double *after)
{
    double sorted[2];
    if (match->worker != NULL && match->worker[0] == match->worker[1]) {
        return 0;
    }
    if (!og_ranking_outcomes(match, after, sorted)) {
        return NAN;
    }
    return og_ranking_chance(match->a, match->worker, match->i, match->j) * (sorted[0] - now) +
           og_ranking_chance(match->a, match->worker, match->j, match->i) * (sorted[1] - now);
}
