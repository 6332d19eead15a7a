/*
 * The sweep over the posteriors of a mixture, from the last level to the first; dp/prior/mixture.h
 * gives the numbers and their proofs.
 *
 * The last level. With A = a + s, B = b + D - s, J(A, B) the integral of t^(A-1) (1-t)^(B-1) from 0
 * to d, integration by parts gives
 *
 *   J(A-1, B+1) = (B J(A, B) + d^(A-1) (1-d)^B) / (A-1),
 *
 * so J follows in positive steps down from s = D, and its counterpart from d to 1 in the mirrored
 * steps up from s = 0.
 */
#include "dp/prior/mixture.h"

#include <stdlib.h>

#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/beta.h"
#include "dp/prior/mixture_sweep.h"
#include "dp/prior/tails.h"

static void level_init(sum_level *level, int32_t width)
{
    level->low = _arb_vec_init(width);
    level->up = _arb_vec_init(width);
    level->total = _arb_vec_init(width);
}

static void level_clear(sum_level *level, int32_t width)
{
    _arb_vec_clear(level->low, width);
    _arb_vec_clear(level->up, width);
    _arb_vec_clear(level->total, width);
}

/* out = w (a)_D / (a+b)_D, the probability of D positive labels. */
static void all_positive(const og_component *part, og_fraction a, int32_t depth, arb_t out,
                         slong precision)
{
    arb_t value, whole;
    og_balls_init(value, whole, NULL);
    og_set_fraction(out, part->weight, precision);
    og_set_fraction(value, a, precision);
    arb_rising_ui(whole, value, (uint32_t)depth, precision);
    arb_mul(out, out, whole, precision);
    og_set_fraction(value, part->a, precision);
    og_set_fraction(whole, part->b, precision);
    arb_add(value, value, whole, precision);
    arb_rising_ui(whole, value, (uint32_t)depth, precision);
    arb_div(out, out, whole, precision);
    og_balls_clear(value, whole, NULL);
}

/* One side of the threshold for one component, beginning at the node where it is lightest. */
typedef struct {
    og_fraction rising; /* the parameter that has all D labels there: a for t < d */
    og_fraction other;
    og_fraction share; /* d for t < d, else 1 - d */
} side;

/* The state of the recurrence of one side, at i labels of the other kind. */
typedef struct {
    arb_t mass;          /* w J(A, B) / B(a, b) */
    arb_t term;          /* w share^(A-1) (1-share)^B / B(a, b) */
    arb_t step;          /* (1-share) / share */
    arb_t before, other; /* A - 1, B */
} recurrence;

/* At i = 0, A = a + depth and B = b; r->before and r->step are scratch until they are set. */
static void recurrence_start(recurrence *r, const og_component *part, side which, int32_t depth,
                             slong precision)
{
    og_fraction end =
        og_fraction_make(which.rising.num + depth * which.rising.den, which.rising.den);
    og_group last = {.a = end, .b = which.other, .threshold = which.share}, first = last;
    first.a = which.rising;
    og_ball_tails(&last, r->mass, r->before, r->term, precision);
    all_positive(part, which.rising, depth, r->before, precision);
    arb_mul(r->mass, r->mass, r->before, precision);
    og_ball_weight(&first, r->term, precision);
    og_set_fraction(r->before, part->weight, precision);
    arb_mul(r->term, r->term, r->before, precision);
    og_set_fraction(r->step, which.share, precision);
    arb_pow_ui(r->before, r->step, (uint32_t)(depth > 0 ? depth - 1 : 0), precision);
    arb_mul(r->term, r->term, r->before, precision);
    og_set_fraction(r->step, (og_fraction){which.share.den - which.share.num, which.share.num},
                    precision);
    og_set_fraction(r->before, end, precision);
    arb_sub_ui(r->before, r->before, 1, precision);
    og_set_fraction(r->other, which.other, precision);
}

/* Adds the component's part to column[step * i], i = 0 .. depth, beginning at the node where
 * `rising` has all the labels: the recurrence at the head of the file. */
static void add_side(level_sweep *sweep, const og_component *part, side which, arb_ptr column,
                     slong step)
{
    int32_t depth = sweep->mixture->depth;
    slong precision = sweep->precision + 64;
    recurrence r;
    og_balls_init(r.mass, r.term, r.step, r.before, r.other, NULL);
    recurrence_start(&r, part, which, depth, precision);
    arb_add(column, column, r.mass, precision);
    for (int32_t i = 1; i <= depth; i++) {
        arb_mul(r.mass, r.mass, r.other, precision);
        arb_add(r.mass, r.mass, r.term, precision);
        arb_div(r.mass, r.mass, r.before, precision);
        arb_add(column + step * i, column + step * i, r.mass, precision);
        arb_mul(r.term, r.term, r.step, precision);
        arb_sub_ui(r.before, r.before, 1, precision);
        arb_add_ui(r.other, r.other, 1, precision);
    }
    og_balls_clear(r.mass, r.term, r.step, r.before, r.other, NULL);
}

/* The level after all the labels, in sweep->here. */
static void fill_last_level(level_sweep *sweep)
{
    const og_group *prior = &sweep->mixture->group;
    int32_t depth = sweep->mixture->depth;
    og_fraction d = prior->threshold, rest = {d.den - d.num, d.den};
    for (int32_t m = 0; m < prior->part_count; m++) {
        const og_component *part = &prior->component[m];
        add_side(sweep, part, (side){part->a, part->b, d}, sweep->here.low + depth, -1);
        add_side(sweep, part, (side){part->b, part->a, rest}, sweep->here.up, 1);
    }
    for (int32_t s = 0; s <= depth; s++) {
        arb_add(sweep->here.total + s, sweep->here.low + s, sweep->here.up + s, sweep->precision);
    }
}

/* The level before, from sweep->below. */
static void fill_level(level_sweep *sweep, int32_t n)
{
    for (int32_t s = 0; s <= n; s++) {
        arb_add(sweep->here.low + s, sweep->below.low + s, sweep->below.low + s + 1,
                sweep->precision);
        arb_add(sweep->here.up + s, sweep->below.up + s, sweep->below.up + s + 1, sweep->precision);
        arb_add(sweep->here.total + s, sweep->here.low + s, sweep->here.up + s, sweep->precision);
    }
}

/* Goes over all levels until the visits are decided; false if one was not. */
static bool sweep_once(level_sweep *sweep, visit_level *visit, void *data)
{
    int32_t depth = sweep->mixture->depth;
    level_init(&sweep->here, depth + 1);
    level_init(&sweep->below, depth + 1);
    og_balls_init(sweep->value, sweep->other, NULL);
    fill_last_level(sweep);
    visit(sweep, depth, data);
    for (int32_t n = depth - 1; n >= 0 && !sweep->undecided; n--) {
        sum_level done = sweep->below;
        sweep->below = sweep->here;
        sweep->here = done;
        fill_level(sweep, n);
        visit(sweep, n, data);
    }
    level_clear(&sweep->here, depth + 1);
    level_clear(&sweep->below, depth + 1);
    og_balls_clear(sweep->value, sweep->other, NULL);
    return !sweep->undecided;
}

og_status og_mixture_sweep(const og_mixture *mixture, visit_level *visit, void *data)
{
    bool decided = false;
    for (int i = 0; i < OG_PRECISION_COUNT && !decided; i++) {
        level_sweep sweep = {.mixture = mixture,
                             .payoff = og_payoff_in_whole(&mixture->group.payoff),
                             .precision = og_precisions[i],
                             .tiny_bits = i + 1 == OG_PRECISION_COUNT ? OG_BETA_TINY_BITS : 0};
        decided = sweep_once(&sweep, visit, data);
    }
    return decided ? OG_OK : OG_FAILED;
}

double og_sweep_nearest(level_sweep *sweep, exact_value *exact, int32_t n, int32_t s, int outcome)
{
    double result = 0;
    if (og_nearest_of_ball(sweep->value, sweep->precision, exact == NULL ? sweep->tiny_bits : 0,
                           &result)) {
        return result;
    }
    if (exact == NULL) {
        sweep->undecided = true;
        return 0;
    }
    mpq_t value;
    mpq_init(value);
    exact(sweep->mixture, n, s, outcome, value);
    result = og_nearest(value);
    mpq_clear(value);
    return result;
}

/* -- Calls, rewards, probabilities ------------------------------------------------------------ */

typedef struct {
    og_mixture *mixture;
    double *probability;
} tables;

/* sweep->value = x up + y low of a node, whole x and y. */
static void weigh(level_sweep *sweep, const sum_level *at, int32_t s, int64_t x, int64_t y)
{
    og_arb_mul(sweep->value, at->up + s, x, sweep->precision);
    og_arb_mul(sweep->other, at->low + s, y, sweep->precision);
    arb_add(sweep->value, sweep->value, sweep->other, sweep->precision);
}

/* sweep->value = E m of a node, m the payoff's denominator. */
static void weigh_calls(level_sweep *sweep, const sum_level *at, int32_t s)
{
    weigh(sweep, at, s, sweep->payoff.up, -sweep->payoff.down);
}

/* The sign of E of a node of the current level or the one below it. */
static int sign_at(level_sweep *sweep, const sum_level *at, int32_t n, int32_t s)
{
    const og_mixture *mixture = sweep->mixture;
    if (mixture->symmetric && 2 * s - n == mixture->diagonal) {
        return 0;
    }
    weigh_calls(sweep, at, s);
    if (arb_is_positive(sweep->value)) {
        return 1;
    }
    if (arb_is_negative(sweep->value)) {
        return -1;
    }
    if (mixture->exact) {
        return og_mixture_exact_sign(mixture, n, s);
    }
    arb_div(sweep->value, sweep->value, at->total + s, sweep->precision);
    sweep->undecided |= !(sweep->tiny_bits > 0 && og_ball_is_tiny(sweep->value, sweep->tiny_bits));
    return 0;
}

/* The least s that is called positive: P grows with s. */
static int32_t find_boundary(level_sweep *sweep, int32_t n)
{
    int32_t low = 0, high = n + 1;
    while (low < high && !sweep->undecided) {
        int32_t middle = low + (high - low) / 2;
        if (sign_at(sweep, &sweep->here, n, middle) >= 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void exact_reward(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out)
{
    (void)outcome;
    og_mixture_exact_reward(mixture, n, s, out);
}

/* Finds the node whose call a label can flip, and its reward. */
static void find_flip(level_sweep *sweep, og_mixture *mixture, int32_t n)
{
    int32_t boundary = mixture->boundary[n], s = -1, next = -1;
    mixture->flip[n] = -1;
    if (mixture->boundary[n + 1] > boundary) {
        if (boundary <= n) { /* a negative label flips it */
            s = next = boundary;
        }
    } else if (boundary > 0 && sign_at(sweep, &sweep->below, n + 1, boundary) > 0) {
        s = boundary - 1; /* a positive label flips it */
        next = boundary;
    }
    if (s < 0 || sweep->undecided) {
        return;
    }
    mixture->flip[n] = s;
    weigh_calls(sweep, &sweep->below, next);
    arb_abs(sweep->value, sweep->value);
    arb_div(sweep->value, sweep->value, sweep->here.total + s, sweep->precision);
    og_arb_div(sweep->value, sweep->value, sweep->payoff.den, sweep->precision);
    mixture->reward[n] = og_sweep_nearest(sweep, mixture->exact ? exact_reward : NULL, n, s, 0);
}

static void fill_probabilities(level_sweep *sweep, int32_t n, double *probability)
{
    double *at = probability + (size_t)n * ((size_t)n + 1);
    for (int32_t s = 0; s <= n; s++, at += 2) {
        for (int outcome = 0; outcome < 2; outcome++) {
            arb_div(sweep->value, sweep->below.total + s + (outcome == 0), sweep->here.total + s,
                    sweep->precision);
            at[outcome] = og_sweep_nearest(sweep, og_mixture_exact_probability, n, s, outcome);
        }
    }
}

static void exact_call(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out)
{
    (void)n;
    (void)s;
    (void)outcome;
    og_mixture_exact_call(mixture, out);
}

/* h = (T up + F low) / Z, where T and F are the values of the call. */
static void find_call(level_sweep *sweep, og_mixture *mixture)
{
    const int64_t *worth = sweep->payoff.worth[og_beta_positive(mixture, 0, 0) ? 0 : 1];
    weigh(sweep, &sweep->here, 0, worth[0], worth[1]);
    arb_div(sweep->value, sweep->value, sweep->here.total, sweep->precision);
    og_arb_div(sweep->value, sweep->value, sweep->payoff.den, sweep->precision);
    mixture->call = og_sweep_nearest(sweep, mixture->exact ? exact_call : NULL, 0, 0, 0);
}

static void visit_tables(level_sweep *sweep, int32_t n, void *data)
{
    tables *to = data;
    to->mixture->boundary[n] = find_boundary(sweep, n);
    if (n < to->mixture->depth && !sweep->undecided) {
        find_flip(sweep, to->mixture, n);
        fill_probabilities(sweep, n, to->probability);
    }
    if (n == 0 && !sweep->undecided) {
        find_call(sweep, to->mixture);
    }
}

og_status og_mixture_new(const og_group *prior, int32_t depth, double *probability,
                         og_mixture **out)
{
    og_mixture *mixture = og_beta_allocate(prior, depth, og_mixture_tails_are_exact(prior, depth));
    OG_TRY(OG_ALLOCATED(mixture));
    og_mixture_find_diagonal(mixture);
    og_status status = og_mixture_sweep(mixture, visit_tables, &(tables){mixture, probability});
    if (status == OG_OK && !og_rewards_are_normal(mixture)) {
        status = OG_FAILED;
    }
    return OG_MADE(status, mixture, og_beta_free, out);
}

/* Two levels of three balls a node, each with a midpoint of at most the last precision. */
uint64_t og_mixture_bytes(int32_t depth)
{
    const uint64_t table = 2 * sizeof(int32_t) + sizeof(double);
    const uint64_t balls = 6 * (sizeof(arb_struct) + OG_BETA_PRECISION_MAX / 8 + 16);
    return sizeof(og_mixture) + ((uint64_t)depth + 1) * (table + balls);
}

/* -- Gains ------------------------------------------------------------------------------------ */

/*
 * A label changes P by up'/Z' - up/Z, which is (up1 low2 - up2 low1) / (Z Z') for a positive label
 * and the opposite for a negative one, where 1 and 2 are the nodes after them. It is positive,
 * since P grows with s. A call that stays gains its slope in P times that.
 */
static void plain_gain(level_sweep *sweep, int32_t s, int outcome, int call)
{
    const sum_level *next = &sweep->below;
    const int64_t *worth = sweep->payoff.worth[call];
    arb_mul(sweep->value, next->up + s + 1, next->low + s, sweep->precision);
    arb_submul(sweep->value, next->up + s, next->low + s + 1, sweep->precision);
    arb_div(sweep->value, sweep->value, sweep->here.total + s, sweep->precision);
    arb_div(sweep->value, sweep->value, next->total + s + (outcome == 0), sweep->precision);
    og_arb_mul(sweep->value, sweep->value, worth[0] - worth[1], sweep->precision);
    if (outcome == 1) {
        arb_neg(sweep->value, sweep->value);
    }
}

/* A label that flips the call leads to the call of its own sign. Its gain is that of this call,
 * plus its lead over the other call before the label, D = E/Z or -E/Z. */
static void flip_gain(level_sweep *sweep, int32_t s, int outcome)
{
    arb_t difference;
    arb_init(difference);
    weigh_calls(sweep, &sweep->here, s);
    arb_div(difference, sweep->value, sweep->here.total + s, sweep->precision);
    plain_gain(sweep, s, outcome, outcome);
    if (outcome == 0) {
        arb_add(sweep->value, sweep->value, difference, sweep->precision);
    } else {
        arb_sub(sweep->value, sweep->value, difference, sweep->precision);
    }
    arb_clear(difference);
}

static void visit_gains(level_sweep *sweep, int32_t n, void *data)
{
    const og_mixture *mixture = sweep->mixture;
    if (n == mixture->depth) {
        return;
    }
    double *gain = (double *)data + (size_t)n * ((size_t)n + 1);
    for (int32_t s = 0; s <= n && !sweep->undecided; s++) {
        bool flips = mixture->flip[n] == s;
        int call = og_beta_positive(mixture, n, s) ? 0 : 1;
        for (int outcome = 0; outcome < 2; outcome++) {
            if (flips && og_beta_flip_outcome(mixture, n) == outcome) {
                flip_gain(sweep, s, outcome);
            } else {
                plain_gain(sweep, s, outcome, call);
            }
            og_arb_div(sweep->value, sweep->value, sweep->payoff.den, sweep->precision);
            *gain++ = og_sweep_nearest(sweep, mixture->exact ? og_mixture_exact_gain : NULL, n, s,
                                       outcome);
        }
    }
}

og_status og_mixture_gains(const og_mixture *mixture, double *gain, double *error)
{
    OG_TRY(og_mixture_sweep(mixture, visit_gains, gain));
    *error = 0x1p-53;
    return OG_OK;
}
