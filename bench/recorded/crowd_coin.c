/*
 * Densities as products of lines, and means without one of them. Sums that mirror images share are
 * sums of pairs from both ends; the products of both kinds of lines are separate for that.
 */
#include "bench/recorded/crowd_coin.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/base/vector.h"

enum {
    LANES = OG_COIN_LANES,
    MULTIPLIED = 16, /* lines, before a product is scaled: it may not underflow */
    MANY = 48        /* lines of which a fraction is made */
};

static const double negligible = 40; /* e^-40 of the largest */
static const double near = 1e-13;    /* relative error of a mean */

static const int32_t terms_tried[] = {6, 8, 10, 12, 16, 20, 24, OG_COIN_TERMS};

og_status og_coin_rule_new(og_arena *arena, int32_t points, og_coin_rule *out)
{
    size_t size = (size_t)points + LANES;
    double *all = og_arena_array(arena, 3 * size, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    *out = (og_coin_rule){points, true, all, all + size, all + 2 * size};
    return OG_OK;
}

og_status og_coin_init(og_arena *arena, int32_t points, og_coin *out)
{
    double **part[] = {&out->log, &out->density, &out->room[0], &out->room[1], &out->room[2]};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i] = og_arena_array(arena, (size_t)points + LANES, sizeof **part[i]);
    }
    return og_arena_status(arena);
}

/* ---- the density ---- */

/* Moves the powers of 2 of the factors to their sums; a factor of 0 gets a large negative one. */
static inline void scale(double *restrict factor, int64_t *restrict power)
{
    for (int32_t i = 0; i < LANES; i++) {
        uint64_t bits;
        memcpy(&bits, &factor[i], sizeof bits);
        int64_t exponent = (int64_t)(bits >> 52);
        power[i] += exponent == 0 ? -(1 << 24) : exponent - 1023;
        bits = (bits & 0xfffffffffffff) | (uint64_t)1023 << 52;
        memcpy(&factor[i], &bits, sizeof bits);
    }
}

/* out[LANES]: the logarithm of the product of lines at so many points. */
OG_VECTOR_CLONES static void multiply_lines(const og_crowd_line *line, uint32_t count,
                                            const double *restrict at, const double *restrict rest,
                                            double *restrict factor, int64_t *restrict power)
{
    double product[LANES], x[LANES], y[LANES];
    for (int32_t i = 0; i < LANES; i++) {
        product[i] = 1;
        power[i] = 0;
        x[i] = at[i];
        y[i] = rest[i];
    }
    for (uint32_t from = 0; from < count; from += MULTIPLIED) {
        uint32_t end = count - from < MULTIPLIED ? count : from + MULTIPLIED;
        for (uint32_t l = from; l < end; l++) {
            double a = line[l].at, b = line[l].rest;
            for (int32_t i = 0; i < LANES; i++) {
                product[i] *= a * x[i] + b * y[i];
            }
        }
        scale(product, power);
    }
    memcpy(factor, product, sizeof product);
}

/* The logarithms at the points from .. to - 1, and some behind them. */
static void find_logs(og_coin *coin, og_crowd_line *const line[2], const uint32_t count[2],
                      int32_t from, int32_t to)
{
    const og_coin_rule *rule = coin->rule;
    for (int32_t p = from; p < to; p += LANES) {
        double sum[2][LANES] = {{0}};
        for (int32_t kind = 0; kind < 2; kind++) {
            double factor[LANES];
            int64_t power[LANES];
            if (count[kind] > 0) {
                multiply_lines(line[kind], count[kind], (kind == 0 ? rule->at : rule->rest) + p,
                               (kind == 0 ? rule->rest : rule->at) + p, factor, power);
                for (int32_t i = 0; i < LANES && p + i < rule->count; i++) {
                    sum[kind][i] = log(factor[i]) + (double)power[i] * 0x1.62e42fefa39efp-1;
                }
            }
        }
        for (int32_t i = 0; i < LANES; i++) {
            coin->log[p + i] = sum[0][i] + sum[1][i];
        }
    }
}

/* x_j - x_i, also if both are nearly 1. */
static double between(const og_coin_rule *rule, int32_t i, int32_t j)
{
    return rule->at[j] < rule->rest[j] ? rule->at[j] - rule->at[i] : rule->rest[i] - rule->rest[j];
}

/* The number of points beyond that end of the window which may matter, as far as the last one. */
static int32_t count_beyond(const og_coin *coin, double most, bool low)
{
    const og_coin_rule *rule = coin->rule;
    int32_t edge = low ? coin->window.first : coin->window.end - 1,
            inner = low ? edge + 1 : edge - 1;
    int32_t last = low ? 0 : rule->count - 1, step = low ? 1 : -1;
    if (last == edge) { /* there may be one point alone */
        return 0;
    }
    double slope = (coin->log[inner] - coin->log[edge]) / between(rule, edge, inner);
    for (; last != edge; last += step) {
        double bound = coin->log[edge] + slope * between(rule, edge, last);
        if (!(rule->weight[last] + bound < most - negligible)) {
            break;
        }
    }
    return low ? edge - last : last - edge;
}

static double largest(const og_coin *coin)
{
    double most = -INFINITY;
    for (int32_t p = coin->window.first; p < coin->window.end; p++) {
        most = fmax(most, coin->rule->weight[p] + coin->log[p]);
    }
    return most;
}

/* Finds logarithms until no other point can matter; returns the largest. */
static double find_window(og_coin *coin, og_crowd_line *const line[2], const uint32_t count[2])
{
    og_coin_window *window = &coin->window;
    find_logs(coin, line, count, window->first, window->end);
    for (;;) {
        double most = largest(coin);
        int32_t low = count_beyond(coin, most, true), high = count_beyond(coin, most, false);
        if (low == 0 && high == 0) {
            return most;
        }
        find_logs(coin, line, count, window->end, window->end + high);
        window->end += high;
        if (low > 0) { /* the points behind them, which are the window's, are found again */
            find_logs(coin, line, count, window->first - low, window->first);
        }
        window->first -= low;
    }
}

void og_coin_take(og_coin *coin, const og_coin_rule *rule, og_coin_window guess,
                  og_crowd_line *const line[2], const uint32_t count[2])
{
    const double *weight = rule->weight;
    bool narrow = rule->ordered && rule->count > LANES && guess.end > guess.first + 1;
    coin->rule = rule;
    coin->window = narrow ? guess : (og_coin_window){0, rule->count};
    double most = find_window(coin, line, count);
    og_coin_window *window = &coin->window;
    while (rule->ordered && window->end > window->first + 2 &&
           weight[window->first] + coin->log[window->first] < most - negligible) {
        window->first++;
    }
    while (rule->ordered && window->end > window->first + 2 &&
           weight[window->end - 1] + coin->log[window->end - 1] < most - negligible) {
        window->end--;
    }
    for (int32_t p = window->first; p < window->end; p++) {
        coin->density[p] = exp(weight[p] + coin->log[p] - most);
    }
    memset(coin->density + window->end, 0, LANES * sizeof *coin->density);
}

/* ---- means at the points ---- */

static og_crowd_pair mean_without(const og_coin *coin, int32_t kind, const og_crowd_line *own)
{
    const double *at = kind == 0 ? coin->rule->at : coin->rule->rest;
    const double *rest = kind == 0 ? coin->rule->rest : coin->rule->at;
    double *x = coin->room[0], *y = coin->room[1];
    int32_t first = coin->window.first, points = coin->window.end - first;
    for (int32_t i = first; i < coin->window.end; i++) {
        double weight = coin->density[i] / (own->at * at[i] + own->rest * rest[i]);
        x[i] = weight * at[i];
        y[i] = weight * rest[i];
    }
    double right = og_crowd_sum(x + first, points), wrong = og_crowd_sum(y + first, points);
    return (og_crowd_pair){right / (right + wrong), wrong / (right + wrong)};
}

static void find_means(og_coin *coin, int32_t kind, og_crowd_line *line, uint32_t count)
{
    for (uint32_t l = 0; l < count; l++) {
        bool same = l > 0 && og_crowd_lines_equal(&line[l], &line[l - 1]);
        line[l].mean = same ? line[l - 1].mean : mean_without(coin, kind, &line[l]);
    }
}

/* ---- means by the fraction ---- */

/* The sum of x[i] y[i] for a multiple of 8 points. */
OG_VECTOR_CLONES static double sum_of_products(const double *restrict x, const double *restrict y,
                                               int32_t count)
{
    double sum[8] = {0};
    for (int32_t i = 0; i < count; i += 8) {
        for (int32_t k = 0; k < 8; k++) {
            sum[k] += x[i + k] * y[i + k];
        }
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* out = (u - shift) x - size * before. */
OG_VECTOR_CLONES static void next_polynomial(const double *restrict u, const double *restrict x,
                                             double shift, double size, double *restrict before,
                                             int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        before[i] = (u[i] - shift) * x[i] - size * before[i];
    }
}

static void divide_all(double *x, double by, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        x[i] /= by;
    }
}

/* The recurrence of the density's orthogonal polynomials in u (Lanczos); returns the number of
 * coefficients. */
static int32_t find_recurrence(og_coin *coin, int32_t terms)
{
    int32_t first = coin->window.first, count = (coin->window.end - first + 7) / 8 * 8;
    const double *at = coin->rule->at + first, *rest = coin->rule->rest + first;
    const double *density = coin->density + first;
    double *u = coin->room[0], *now = coin->room[1], *before = coin->room[2];
    double sum = 0, size = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += density[i];
    }
    coin->mean = sum_of_products(density, at, count) / sum;
    coin->off = sum_of_products(density, rest, count) / sum;
    for (int32_t i = 0; i < count; i++) {
        u[i] = coin->mean < coin->off ? at[i] - coin->mean : coin->off - rest[i];
        now[i] = sqrt(density[i] / sum);
        before[i] = 0;
    }
    for (int32_t k = 0; k < terms; k++) {
        double *other = before;
        next_polynomial(u, now, 0, size, before, count);
        coin->shift[k] = sum_of_products(before, now, count);
        for (int32_t i = 0; i < count; i++) {
            before[i] -= coin->shift[k] * now[i];
        }
        coin->square[k] = sum_of_products(before, before, count);
        size = sqrt(coin->square[k]);
        if (!(size > DBL_MIN)) {
            return k;
        }
        divide_all(before, size, count);
        before = now;
        now = other;
    }
    return terms;
}

/* out[l] = the fraction b_1 / (c + s a_1 - ...), of that number of terms, for LANES lines. */
OG_VECTOR_CLONES static void find_fractions(const og_coin *coin, int32_t terms,
                                            const double *restrict c, const double *restrict s,
                                            double *restrict out)
{
    double now[LANES], before[LANES], square[LANES];
    for (int32_t l = 0; l < LANES; l++) {
        now[l] = c[l] + s[l] * coin->shift[terms - 1];
        before[l] = 1;
        square[l] = s[l] * s[l];
    }
    for (int32_t k = terms - 2; k > 0; k--) {
        double shift = coin->shift[k], step = coin->square[k];
        for (int32_t l = 0; l < LANES; l++) {
            double next = (c[l] + s[l] * shift) * now[l] - square[l] * step * before[l];
            before[l] = now[l];
            now[l] = next;
        }
    }
    for (int32_t l = 0; l < LANES; l++) {
        out[l] = coin->square[0] * (before[l] / now[l]);
    }
}

static void find_some(const og_coin *coin, int32_t terms, int32_t kind, og_crowd_line *line,
                      uint32_t count)
{
    double c[LANES], s[LANES], bend[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        const og_crowd_line *one = &line[l < count ? l : 0];
        double at = kind == 0 ? one->at : one->rest, rest = kind == 0 ? one->rest : one->at;
        c[l] = at * coin->mean + rest * coin->off;
        s[l] = at - rest;
    }
    find_fractions(coin, terms, c, s, bend);
    for (uint32_t l = 0; l < count; l++) {
        double x = coin->mean - s[l] * bend[l], rest = coin->off + s[l] * bend[l];
        line[l].mean = kind == 0 ? (og_crowd_pair){x, rest} : (og_crowd_pair){rest, x};
    }
}

/* Is the fraction nearly the mean at the points? */
static bool is_near(og_coin *coin, int32_t terms, int32_t kind, const og_crowd_line *line,
                    og_crowd_pair mean)
{
    og_crowd_line one = *line;
    find_some(coin, terms, kind, &one, 1);
    return fabs(one.mean.right - mean.right) <= near * mean.right &&
           fabs(one.mean.wrong - mean.wrong) <= near * mean.wrong;
}

/* The lines whose zeros are nearest to 0 and to 1: the first and the last by rest / at. */
static void find_extremes(og_crowd_line *const line[2], const uint32_t count[2],
                          og_crowd_line extreme[2])
{
    bool any = false;
    for (int32_t kind = 0; kind < 2; kind++) {
        for (uint32_t l = 0; l < count[kind]; l++) {
            og_crowd_line one = line[kind][l];
            if (kind == 1) {
                one.at = line[1][l].rest;
                one.rest = line[1][l].at;
            }
            for (int32_t end = 0; end < 2; end++) {
                double left = one.rest * extreme[end].at, right = one.at * extreme[end].rest;
                if (!any || (end == 0 ? left < right : left > right)) {
                    extreme[end] = one;
                }
            }
            any = true;
        }
    }
}

static void find_fraction(og_coin *coin, og_crowd_line *const line[2], const uint32_t count[2])
{
    og_crowd_line extreme[2];
    og_crowd_pair mean[2];
    find_extremes(line, count, extreme);
    for (int32_t end = 0; end < 2; end++) {
        mean[end] = mean_without(coin, 0, &extreme[end]);
    }
    int32_t most = find_recurrence(coin, OG_COIN_TERMS);
    coin->terms = 0;
    for (size_t i = 0; i < sizeof terms_tried / sizeof *terms_tried && terms_tried[i] <= most;
         i++) {
        if (is_near(coin, terms_tried[i], 0, &extreme[0], mean[0]) &&
            is_near(coin, terms_tried[i], 0, &extreme[1], mean[1])) {
            coin->terms = terms_tried[i];
            return;
        }
    }
}

void og_coin_means(og_coin *coin, bool mirrored, og_crowd_line *const line[2],
                   const uint32_t count[2])
{
    coin->terms = 0;
    if (!mirrored && count[0] + count[1] >= MANY && coin->rule->count > LANES) {
        find_fraction(coin, line, count);
    }
    for (int32_t kind = 0; kind < 2; kind++) {
        if (coin->terms == 0) {
            find_means(coin, kind, line[kind], count[kind]);
        }
        for (uint32_t l = 0; coin->terms > 0 && l < count[kind]; l += LANES) {
            uint32_t some = count[kind] - l < LANES ? count[kind] - l : LANES;
            find_some(coin, coin->terms, kind, &line[kind][l], some);
        }
    }
}

void og_coin_beta(const og_coin *coin, double out[2])
{
    const og_coin_rule *rule = coin->rule;
    const og_coin_window *window = &coin->window;
    double sum = 0, mean = 0, rest = 0, variance = 0;
    for (int32_t i = window->first; i < window->end; i++) {
        sum += coin->density[i];
        mean += coin->density[i] * rule->at[i];
        rest += coin->density[i] * rule->rest[i];
    }
    mean /= sum;
    rest /= sum;
    for (int32_t i = window->first; i < window->end; i++) {
        double off = mean < rest ? rule->at[i] - mean : rest - rule->rest[i];
        variance += coin->density[i] * off * off / sum;
    }
    double size = rule->count > 1 ? mean * rest / variance - 1 : 1;
    out[0] = size * mean;
    out[1] = size * rest;
}
