/* Gauss's rule for a Beta. Each root is computed in the half of the line where neither it nor its
 * rest cancels. */
#include "dp/prior/beta_rule.h"

#include <math.h>
#include <stdbool.h>

#include "dp/base/arena.h"
#include "dp/base/wide.h"
#include "dp/prior/beta_nodes.h"
#include "dp/prior/beta_walk.h"

enum {
    START_BITS = 32, /* good bits of a bisected root */
    GOOD_BITS = 64,  /* of a ball that is rounded to a double */
    BITS_MAX = 1 << 16,
};

typedef struct {
    og_fraction a, b;
    int32_t count;
    double *rounded; /* [2 count + 1] z_j; the last is 0 */
    arb_ptr z;       /* [2 count] */
    slong precision;
    arb_t mass;              /* z_1 ... z_(2 count - 2) */
    arb_t x;                 /* a root or a point near it, and there: */
    arb_t last, value, rise; /* P_(count-1), P_count, P_count' */
} rule;

/* ---- the polynomials ---- */

/* out = (x + more) / (y + less) */
static void divide(arb_t out, const arb_t x, int32_t more, const arb_t y, int32_t less,
                   slong precision)
{
    arb_t divisor;
    arb_init(divisor);
    arb_add_si(divisor, y, less, precision);
    arb_add_si(out, x, more, precision);
    arb_div(out, out, divisor, precision);
    arb_clear(divisor);
}

static void set_precision(rule *r, slong precision)
{
    arb_t a, b, sum, none, rest; /* rest = 1 - p_(j-1) */
    og_balls_init(a, b, sum, none, rest, NULL);
    og_set_fraction(a, r->a, precision);
    og_set_fraction(b, r->b, precision);
    arb_add(sum, a, b, precision);
    arb_one(rest);
    arb_one(r->mass);
    for (int32_t j = 1; j < 2 * r->count; j++) {
        bool odd = j % 2 == 1;
        divide(&r->z[j], odd ? a : none, j / 2, sum, j - 1, precision);
        arb_mul(&r->z[j], &r->z[j], rest, precision);
        divide(rest, odd ? b : sum, (j - 1) / 2, sum, j - 1, precision);
        if (j < 2 * r->count - 1) {
            arb_mul(r->mass, r->mass, &r->z[j], precision);
        }
        r->rounded[j] = arf_get_d(arb_midref(&r->z[j]), ARF_RND_NEAR);
    }
    og_balls_clear(a, b, sum, none, rest, NULL);
    r->precision = precision;
}

/* out = from - out * factor */
static void subtract_from(arb_t out, const arb_t from, const arb_t factor, slong precision)
{
    arb_mul(out, out, factor, precision);
    arb_sub(out, from, out, precision);
}

static void evaluate(rule *r)
{
    arb_t q, q_rise, next;
    og_balls_init(q, q_rise, next, NULL);
    arb_one(r->value);
    arb_zero(r->rise);
    for (int32_t k = 0; k < r->count; k++) {
        subtract_from(q, r->value, &r->z[2 * k], r->precision);
        subtract_from(q_rise, r->rise, &r->z[2 * k], r->precision);
        arb_set(r->last, r->value);
        arb_mul(next, r->x, q, r->precision);
        subtract_from(r->value, next, &r->z[2 * k + 1], r->precision);
        arb_mul(next, r->x, q_rise, r->precision);
        arb_add(next, next, q, r->precision);
        subtract_from(r->rise, next, &r->z[2 * k + 1], r->precision);
    }
    og_balls_clear(q, q_rise, next, NULL);
}

/* ---- a root ---- */

static int sign_at(rule *r, const arf_t x)
{
    arb_set_arf(r->x, x);
    evaluate(r);
    return arb_sgn_nonzero(r->value);
}

/* Makes r->x a small ball around the root near `start`; false: it is not proved to hold one. */
static bool enclose(rule *r, double start)
{
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    arb_set_d(r->x, start);
    for (slong good = START_BITS; good < r->precision; good *= 2) {
        evaluate(r);
        arb_div(r->value, r->value, r->rise, r->precision);
        arb_sub(r->x, r->x, r->value, r->precision);
        mag_zero(arb_radref(r->x));
    }
    arf_mul_2exp_si(high, arb_midref(r->x), -(r->precision / 2));
    arf_sub(low, arb_midref(r->x), high, r->precision, ARF_RND_DOWN);
    arf_add(high, arb_midref(r->x), high, r->precision, ARF_RND_UP);
    bool proved = sign_at(r, low) * sign_at(r, high) < 0;
    arb_set_interval_arf(r->x, low, high, r->precision);
    arf_clear(low);
    arf_clear(high);
    return proved;
}

static bool round_ball(const arb_t ball, double *out)
{
    *out = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
    return arb_rel_accuracy_bits(ball) >= GOOD_BITS;
}

/* The numbers of the root near `start`; false: the precision was too low. */
static bool find(rule *r, double start, double *point, double *rest, double *weight)
{
    if (!enclose(r, start)) {
        return false;
    }
    evaluate(r);
    arb_mul(r->rise, r->rise, r->last, r->precision);
    arb_div(r->rise, r->mass, r->rise, r->precision);
    arb_sub_ui(r->value, r->x, 1, r->precision);
    arb_neg(r->value, r->value);
    return round_ball(r->x, point) && round_ball(r->value, rest) && round_ball(r->rise, weight);
}

/* ---- all of them ---- */

static void rule_clear(rule *r)
{
    _arb_vec_clear(r->z, 2 * r->count);
    og_balls_clear(r->mass, r->x, r->last, r->value, r->rise, NULL);
}

static void rule_init(rule *r)
{
    r->z = _arb_vec_init(2 * r->count);
    og_balls_init(r->mass, r->x, r->last, r->value, r->rise, NULL);
    set_precision(r, 128 + 8 * r->count);
}

/* The first `found` roots, in steps of `step` in the arrays. */
static og_status fill(rule *r, int32_t found, int32_t step, double *point, double *rest,
                      double *weight, og_message *message)
{
    for (int32_t k = 0; k < found; k++) {
        double start = og_beta_root(r->rounded, r->count, k, 0);
        while (!find(r, start, &point[k * step], &rest[k * step], &weight[k * step])) {
            if (r->precision >= BITS_MAX) {
                return og_message_set(message, OG_STOPPED,
                                      "the integrals over a Beta distribution were not proved");
            }
            set_precision(r, 2 * r->precision);
        }
    }
    return OG_OK;
}

og_status og_beta_rule(og_fraction a, og_fraction b, int32_t count, double *point, double *rest,
                       double *weight, og_message *message)
{
    og_arena arena = {0};
    double *rounded = og_arena_array(&arena, 2 * (size_t)count + 1, sizeof *rounded);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        rule low = {.a = a, .b = b, .count = count, .rounded = rounded};
        rule_init(&low);
        int32_t below = og_beta_roots_below(low.rounded, count, 0.5), last = count - 1;
        status = fill(&low, below, 1, point, rest, weight, message);
        rule_clear(&low);
        rule high = {.a = b, .b = a, .count = count, .rounded = rounded};
        rule_init(&high);
        OG_THEN(status,
                fill(&high, count - below, -1, rest + last, point + last, weight + last, message));
        rule_clear(&high);
    }
    og_arena_clear(&arena);
    return status;
}
