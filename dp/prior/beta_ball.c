/*
 * The ball number system of the walk: real parameters with rigorous error bounds [Johansson, "Arb:
 * efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Trans. Computers 66
 * (2017)]. A ball contains the exact value at every precision; only decisions need more bits.
 */
#include "dp/base/arb.h"
#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"

#include <stdarg.h>

/* Near the mean some sqrt(precision) a / sqrt(b) terms are needed: two million for (10^6, 1000) at
 * the last precision, which take a second. Arb has no trouble with smaller b. */
enum { SERIES_TERMS = 1 << 22 };

void og_balls_init(arb_ptr first, ...)
{
    va_list rest;
    va_start(rest, first);
    for (arb_ptr ball = first; ball != NULL; ball = va_arg(rest, arb_ptr)) {
        arb_init(ball);
    }
    va_end(rest);
}

void og_balls_clear(arb_ptr first, ...)
{
    va_list rest;
    va_start(rest, first);
    for (arb_ptr ball = first; ball != NULL; ball = va_arg(rest, arb_ptr)) {
        arb_clear(ball);
    }
    va_end(rest);
}

/* *part = A (outcome 0) or B (outcome 1) of the node, *total = A + B, times the unit. */
static void parts_of(const walk *w, const walk_node *node, int outcome, fmpz_t part, fmpz_t total)
{
    ulong first = (ulong)node->positives, second = (ulong)node->negatives;
    fmpz_add(total, w->a, w->b);
    fmpz_addmul_ui(total, w->unit, first + second);
    fmpz_set(part, outcome == 0 ? w->a : w->b);
    fmpz_addmul_ui(part, w->unit, outcome == 0 ? first : second);
}

bool og_ball_is_tiny(const arb_t ball, int bits)
{
    mag_t size;
    mag_init(size);
    arb_get_mag(size, ball);
    bool tiny = mag_cmp_2exp_si(size, -bits) < 0;
    mag_clear(size);
    return tiny;
}

bool og_nearest_of_ball(const arb_t ball, slong precision, int tiny_bits, double *out)
{
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    arb_get_interval_arf(low, high, ball, precision);
    *out = arf_get_d(low, ARF_RND_NEAR);
    bool unique = *out == arf_get_d(high, ARF_RND_NEAR);
    if (!unique && tiny_bits > 0 && og_ball_is_tiny(ball, tiny_bits)) {
        *out = 0;
        unique = true;
    } else if (!unique && tiny_bits > 0 && arb_rel_accuracy_bits(ball) >= tiny_bits) {
        /* Dropping the digits that may be wrong makes equal values equal. */
        arf_set_round(low, arb_midref(ball), tiny_bits / 2, ARF_RND_NEAR);
        *out = arf_get_d(low, ARF_RND_NEAR);
        unique = true;
    }
    arf_clear(low);
    arf_clear(high);
    return unique;
}

void og_set_fraction(arb_t out, og_fraction value, slong precision)
{
    og_arb_set(out, value.num);
    og_arb_div(out, out, value.den, precision);
}

/* d^a (1-d)^b Gamma(a+b) / (Gamma(a) Gamma(b)), by logarithms. */
static void weight_of(const arb_t a, const arb_t b, const arb_t d, const arb_t rest, arb_t out,
                      slong precision)
{
    arb_t term;
    arb_init(term);
    arb_add(term, a, b, precision);
    arb_lgamma(out, term, precision);
    arb_lgamma(term, a, precision);
    arb_sub(out, out, term, precision);
    arb_lgamma(term, b, precision);
    arb_sub(out, out, term, precision);
    arb_log(term, d, precision);
    arb_addmul(out, term, a, precision);
    arb_log(term, rest, precision);
    arb_addmul(out, term, b, precision);
    arb_exp(out, out, precision);
    arb_clear(term);
}

/*
 * I_d(a, b) = w/a 2F1(1, a+b; a+1; d), w = weight_of, by its series of positive terms [DLMF
 * 8.17.8]. The ratio of neighbours, (a+b+k) d / (a+1+k), moves towards d as k grows. So the rest
 * after a term t is at most t/(1-r), where r is the larger of the last ratio and d. Below the mean
 * r < 1. The ball is infinite if the terms run out before the sum has the precision.
 */
static void sum_series(const arb_t a, const arb_t b, const arb_t d, const arb_t weight, arb_t out,
                       slong precision)
{
    arb_t term, over, under, ratio;
    og_balls_init(term, over, under, ratio, NULL);
    arb_one(term);
    arb_one(out);
    arb_add(over, a, b, precision);
    arb_add_ui(under, a, 1, precision);
    bool done = false;
    for (int32_t k = 0; k < SERIES_TERMS && !done; k++) {
        arb_mul(ratio, over, d, precision);
        arb_div(ratio, ratio, under, precision);
        arb_mul(term, term, ratio, precision);
        done = arf_cmpabs_2exp_si(arb_midref(term), -precision) < 0;
        if (!done) {
            arb_add(out, out, term, precision);
        }
        arb_add_ui(over, over, 1, precision);
        arb_add_ui(under, under, 1, precision);
    }
    arb_max(ratio, ratio, d, precision);
    arb_sub_ui(ratio, ratio, 1, precision);
    arb_neg(ratio, ratio);
    arb_div(term, term, ratio, precision);
    if (done && arb_is_positive(ratio)) {
        arb_add_error(out, term);
    } else {
        arb_zero_pm_inf(out);
    }
    arb_mul(out, out, weight, precision);
    arb_div(out, out, a, precision);
    og_balls_clear(term, over, under, ratio, NULL);
}

/* I_d(a, b) below the mean. For many large parameters, such as (3674.5, 3674.5) at 0.437, Arb 2.23
 * returns a nan or a useless ball at every precision. */
static void light_tail(const arb_t a, const arb_t b, const arb_t d, const arb_t weight, arb_t out,
                       slong precision)
{
    arb_hypgeom_beta_lower(out, a, b, d, 1, precision);
    if (!arb_is_finite(out) || arb_rel_accuracy_bits(out) < precision / 2) {
        sum_series(a, b, d, weight, out, precision);
    }
}

/* True if threshold < a / (a + b): then the tail below the threshold is the light one. */
static bool below_mean(const og_group *group)
{
    mpq_t a, b, d;
    mpq_inits(a, b, d, NULL);
    og_fraction_get_mpq(a, group->a);
    og_fraction_get_mpq(b, group->b);
    og_fraction_get_mpq(d, group->threshold);
    mpq_add(b, b, a);
    mpq_mul(b, b, d);
    bool below = mpq_cmp(b, a) < 0;
    mpq_clears(a, b, d, NULL);
    return below;
}

void og_ball_weight(const og_group *group, arb_t weight, slong precision)
{
    og_fraction below = {group->threshold.den - group->threshold.num, group->threshold.den};
    arb_t a, b, d, rest;
    og_balls_init(a, b, d, rest, NULL);
    og_set_fraction(a, group->a, precision);
    og_set_fraction(b, group->b, precision);
    og_set_fraction(d, group->threshold, precision);
    og_set_fraction(rest, below, precision);
    weight_of(a, b, d, rest, weight, precision);
    og_balls_clear(a, b, d, rest, NULL);
}

/* Computes the light tail: for the heavy one of a skewed prior, such as (1, 1e6) at 1/2, Arb takes
 * minutes. */
void og_ball_tails(const og_group *group, arb_t below, arb_t above, arb_t weight, slong precision)
{
    bool lower = below_mean(group);
    arb_ptr light = lower ? below : above, heavy = lower ? above : below;
    arb_t a, b, d;
    og_balls_init(a, b, d, NULL);
    og_ball_weight(group, weight, precision);
    og_set_fraction(a, lower ? group->a : group->b, precision);
    og_set_fraction(b, lower ? group->b : group->a, precision);
    og_arb_set(d, lower ? group->threshold.num : group->threshold.den - group->threshold.num);
    og_arb_div(d, d, group->threshold.den, precision);
    light_tail(a, b, d, weight, light, precision);
    arb_sub_si(heavy, light, 1, precision);
    arb_neg(heavy, heavy);
    og_balls_clear(a, b, d, NULL);
}

void og_ball_root(const og_group *group, arb_t excess, arb_t weight, slong precision)
{
    /* The logarithms reach 10^8: 32 more bits for them, and some for the many terms. */
    slong work = precision + 64;
    og_payoff_whole payoff = og_payoff_in_whole(&group->payoff);
    arb_t below, above;
    og_balls_init(below, above, NULL);
    og_ball_tails(group, below, above, weight, work);
    og_arb_mul(above, above, payoff.up, work);
    og_arb_mul(below, below, payoff.down, work);
    arb_sub(excess, above, below, precision);
    og_balls_clear(below, above, NULL);
}

static int compare_parts(walk *w, const walk_node *node)
{
    parts_of(w, node, 0, w->part, w->total);
    parts_of(w, node, 1, w->rest, w->total);
    return fmpz_cmp(w->part, w->rest);
}

static void settle_tie(walk *w, walk_node *node)
{
    if (w->fair && compare_parts(w, node) == 0) {
        arb_zero(node->excess);
    }
}

static void ball_root(walk *w, walk_node *node)
{
    node->positives = node->negatives = 0;
    og_ball_root(w->group, node->excess, node->weight, w->precision);
    settle_tie(w, node);
}

static void ball_copy(walk_node *to, const walk_node *from)
{
    to->positives = from->positives;
    to->negatives = from->negatives;
    arb_set(to->excess, from->excess);
    arb_set(to->weight, from->weight);
}

/* value *= num / den. */
static void scale(arb_t value, const fmpz_t num, const fmpz_t den, slong precision)
{
    arb_mul_fmpz(value, value, num, precision);
    arb_div_fmpz(value, value, den, precision);
}

static void ball_step(walk *w, walk_node *node, int outcome)
{
    slong precision = w->precision;
    parts_of(w, node, outcome, w->part, w->total);
    arb_div_fmpz(node->weight, node->weight, w->part, precision);
    arb_mul_fmpz(w->ball, node->weight, w->unit, precision);
    og_arb_mul(w->ball, w->ball, w->payoff.up + w->payoff.down, precision);
    if (outcome == 0) {
        arb_add(node->excess, node->excess, w->ball, precision);
    } else {
        arb_sub(node->excess, node->excess, w->ball, precision);
    }
    arb_mul_fmpz(node->weight, node->weight, w->total, precision);
    og_arb_mul(node->weight, node->weight, outcome == 0 ? w->x : w->y, precision);
    og_arb_div(node->weight, node->weight, w->q, precision);
    *(outcome == 0 ? &node->positives : &node->negatives) += 1;
    settle_tie(w, node);
}

static void ball_step_back(walk *w, walk_node *node)
{
    slong precision = w->precision;
    node->positives--;
    parts_of(w, node, 0, w->part, w->total);
    scale(node->weight, w->part, w->total, precision);
    og_arb_mul(node->weight, node->weight, w->q, precision);
    og_arb_div(node->weight, node->weight, w->x, precision);
    arb_set(w->ball, node->weight);
    scale(w->ball, w->unit, w->part, precision);
    og_arb_mul(w->ball, w->ball, w->payoff.up + w->payoff.down, precision);
    arb_sub(node->excess, node->excess, w->ball, precision);
    settle_tie(w, node);
}

static int ball_sign(walk *w, const walk_node *node)
{
    if (w->fair) {
        int order = compare_parts(w, node);
        return (order > 0) - (order < 0);
    }
    if (arb_is_positive(node->excess)) {
        return 1;
    }
    if (arb_is_negative(node->excess)) {
        return -1;
    }
    w->undecided |= !(w->tiny_bits > 0 && og_ball_is_tiny(node->excess, w->tiny_bits));
    return 0;
}

static double nearest(walk *w, const arb_t ball)
{
    double value = 0;
    w->undecided |= !og_nearest_of_ball(ball, w->precision, w->tiny_bits, &value);
    return value;
}

/* As whole_call (dp/prior/beta_exact.c), with power 1. */
static double ball_call(walk *w, const walk_node *root)
{
    const og_payoff_whole *payoff = &w->payoff;
    const int64_t *worth = payoff->worth[ball_sign(w, root) >= 0 ? 0 : 1];
    slong precision = w->precision;
    arb_t part;
    arb_init(part);
    og_arb_set(w->ball, payoff->down);
    arb_add(w->ball, w->ball, root->excess, precision);
    og_arb_mul(w->ball, w->ball, worth[0], precision);
    og_arb_set(part, payoff->up);
    arb_sub(part, part, root->excess, precision);
    og_arb_mul(part, part, worth[1], precision);
    arb_add(w->ball, w->ball, part, precision);
    og_arb_div(w->ball, w->ball, payoff->up + payoff->down, precision);
    og_arb_div(w->ball, w->ball, payoff->den, precision);
    arb_clear(part);
    return nearest(w, w->ball);
}

/* As exact_value there: the gain of a label of the flip node. */
static double ball_gain(walk *w, const walk_node *node, int outcome, bool flips)
{
    const int64_t *worth = w->payoff.worth[outcome];
    parts_of(w, node, outcome, w->part, w->total);
    arb_set(w->ball, node->weight);
    scale(w->ball, w->unit, w->part, w->precision);
    og_arb_mul(w->ball, w->ball, worth[0] - worth[1], w->precision);
    if (flips) {
        arb_add(w->ball, w->ball, node->excess, w->precision);
    }
    if (outcome == 1) {
        arb_neg(w->ball, w->ball);
    }
    og_arb_div(w->ball, w->ball, w->payoff.den, w->precision);
    return nearest(w, w->ball);
}

static flip_value ball_value(walk *w, const walk_node *node, const walk_node *next, int outcome)
{
    flip_value value;
    parts_of(w, node, outcome, w->part, w->total);
    arb_abs(w->ball, next->excess);
    scale(w->ball, w->part, w->total, w->precision);
    og_arb_div(w->ball, w->ball, w->payoff.den, w->precision);
    value.reward = nearest(w, w->ball);
    value.gain[outcome] = ball_gain(w, node, outcome, true);
    value.gain[1 - outcome] = ball_gain(w, node, 1 - outcome, false);
    return value;
}

const walk_system og_walk_ball = {
    .root = ball_root,
    .copy = ball_copy,
    .step = ball_step,
    .step_back = ball_step_back,
    .sign = ball_sign,
    .call = ball_call,
    .value = ball_value,
};
