/*
 * Updates a ranking's belief with parameters below the range of doubles: the formulas of
 * heuristics/families/ranking_belief.c on doubles with a separate exponent. It takes some ten times
 * as long, and is used only if doubles do not suffice.
 */
#include "heuristics/families/ranking_tiny.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define LEAST (-0x1p40)

/* digits * 2^exponent, 1/2 <= digits < 1, or 0. */
typedef struct {
    double digits;
    int64_t exponent;
} number;

static number scaled(double digits, int64_t exponent)
{
    int more;
    double own = frexp(digits, &more);
    return (number){own, exponent + more};
}

static number plus(number x, number y)
{
    const int64_t beyond = 200;
    if (x.digits == 0 || (y.digits != 0 && x.exponent < y.exponent)) {
        number was = x;
        x = y;
        y = was;
    }
    int64_t less = x.exponent - y.exponent;
    return y.digits == 0 || less > beyond
               ? x
               : scaled(x.digits + ldexp(y.digits, -(int)less), x.exponent);
}

static number times(number x, number y)
{
    return scaled(x.digits * y.digits, x.exponent + y.exponent);
}

static number over(number x, number y)
{
    return scaled(x.digits / y.digits, x.exponent - y.exponent);
}

/* Converts to a double: 0 below the range, infinite above. */
static double value_of(number x)
{
    const int64_t most = 4000;
    int64_t held = x.exponent < -most ? -most : x.exponent > most ? most : x.exponent;
    return ldexp(x.digits, (int)held);
}

static number number_of(double parameter)
{
    double whole = floor(parameter);
    return parameter < 0 ? scaled(exp2(parameter - whole), (int64_t)whole) : scaled(parameter, 0);
}

static double parameter_of(number x)
{
    return x.exponent < DBL_MIN_EXP ? (double)x.exponent + log2(x.digits) : value_of(x);
}

double og_ranking_plain(double parameter)
{
    return parameter < 0 ? 0 : parameter;
}

double og_ranking_share(double x, double y)
{
    if (x >= 0 && y >= 0) {
        return x / (x + y);
    }
    number part = number_of(x);
    return value_of(over(part, plus(part, number_of(y))));
}

/* Two compared items, their sum, the sum of all others, and the sum of the others' products by
 * pairs. */
typedef struct {
    number x, y, s, rest, pairs, whole;
    number up, down;  /* probabilities that x, and y, was favoured */
    number won, lost; /* the new shares in s */
} comparison;

static comparison start(const double *a, int32_t items, const double *worker, int32_t winner,
                        int32_t loser, const double favoured[2])
{
    comparison c = {
        .x = number_of(a[winner]), .y = number_of(a[loser]), .up = scaled(favoured[0], 0)};
    c.down = favoured[1] > 0 ? scaled(favoured[1], 0) : c.down;
    c.s = plus(c.x, c.y);
    if (worker != NULL) {
        number right = times(scaled(worker[0], 0), c.x), wrong = times(scaled(worker[1], 0), c.y);
        c.up = over(right, plus(right, wrong));
        c.down = over(wrong, plus(right, wrong));
    }
    for (int32_t k = 0; k < items; k++) {
        if (k != winner && k != loser) {
            c.pairs = plus(c.pairs, times(c.rest, number_of(a[k])));
            c.rest = plus(c.rest, number_of(a[k]));
        }
    }
    number next = plus(c.s, scaled(1, 0));
    c.whole = plus(c.s, c.rest);
    c.won = over(plus(c.x, c.up), next);
    c.lost = over(plus(c.y, c.down), next);
    return c;
}

/* The sum of the new parameters. */
static double size_of(const comparison *c)
{
    const number one = scaled(1, 0), two = scaled(2, 0);
    number next = plus(c->s, one), square = times(c->whole, c->whole);
    number below = times(square, plus(c->whole, one));
    number mixed = plus(times(times(c->up, plus(c->x, one)), c->y),
                        times(times(c->down, c->x), plus(c->y, one)));
    number within = plus(over(mixed, times(times(next, next), plus(c->s, two))),
                         over(times(c->up, c->down), times(next, next)));
    number squares = plus(times(c->won, c->won), times(c->lost, c->lost));
    number across = times(c->s, c->rest);
    number variance = times(times(two, times(c->s, next)), times(within, c->whole));
    variance = plus(variance, plus(times(across, squares), plus(across, times(two, c->pairs))));
    number centre = plus(plus(times(times(c->s, c->won), times(c->s, c->lost)), across), c->pairs);
    return value_of(over(times(times(two, centre), below), times(square, variance))) - 1;
}

bool og_ranking_match_tiny(double *a, int32_t items, const double *worker, int32_t winner,
                           int32_t loser, double favoured[2])
{
    const comparison c = start(a, items, worker, winner, loser, favoured);
    double size = size_of(&c);
    if (!(size >= DBL_MIN && isfinite(size))) {
        return false;
    }
    number by = over(scaled(size, 0), c.whole);
    for (int32_t pass = 0; pass < 2;
         pass++) { /* the first pass checks that all fit, the second writes */
        for (int32_t k = 0; k < items; k++) {
            number was = k == winner  ? times(c.s, c.won)
                         : k == loser ? times(c.s, c.lost)
                                      : number_of(a[k]);
            double now = parameter_of(times(was, by));
            if (!(now > LEAST && isfinite(now) && now != 0)) {
                return false;
            }
            a[k] = pass == 1 ? now : a[k];
        }
    }
    favoured[0] = value_of(c.up);
    favoured[1] = value_of(c.down);
    return true;
}
