/* Worths that have a name; dp/prior/worth.h gives their formulas. */
#include "dp/prior/worth.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/mixture_sweep.h"
#include "dp/prior/tails.h"

/* ---- fractions ---- */

/* Minus the variance of Beta(a, b), with the parameters after these labels. */
static void exact_variance(og_fraction a, og_fraction b, mpq_t mean, mpq_t out)
{
    mpq_t total, part;
    mpq_inits(total, part, NULL);
    og_fraction_get_mpq(mean, a);
    og_fraction_get_mpq(part, b);
    mpq_add(total, mean, part);
    mpq_div(mean, mean, total);
    mpq_div(part, part, total);
    mpq_mul(out, mean, part); /* m (1-m) / (a+b+1) */
    mpq_set_ui(part, 1, 1);
    mpq_add(total, total, part);
    mpq_div(out, out, total);
    mpq_neg(out, out);
    mpq_clears(total, part, NULL);
}

/* The variance of a mixture: the mean of (variance + mean^2) less the square of the mean. */
static void exact_mixed_variance(const og_group *mixture, int32_t n, int32_t s, mpq_t out)
{
    mpq_t share, all, mean, own, sum;
    mpq_inits(share, all, mean, own, sum, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t k = 0; k < mixture->part_count; k++) {
        const og_component *part = &mixture->component[k];
        og_mixture_exact_share(part, s, n - s, share);
        mpq_add(all, all, share);
        exact_variance(og_fraction_plus(part->a, s), og_fraction_plus(part->b, n - s), mean, own);
        mpq_mul(own, own, share); /* minus the variance */
        mpq_sub(out, out, own);
        mpq_mul(share, share, mean);
        mpq_add(sum, sum, share);
        mpq_mul(share, share, mean);
        mpq_add(out, out, share);
    }
    mpq_div(out, out, all);
    mpq_div(sum, sum, all);
    mpq_mul(sum, sum, sum);
    mpq_sub(out, sum, out);
    mpq_clears(share, all, mean, own, sum, NULL);
}

static void exact_brier(const og_group *plain, int32_t n, int32_t s, mpq_t out)
{
    mpq_t below, above;
    mpq_inits(below, above, NULL);
    if (plain->kind == OG_PRIOR_MIXTURE) {
        og_mixture_exact_tails(plain, s, n - s, below, above);
    } else {
        og_group now = *plain;
        now.a = og_fraction_plus(plain->a, s);
        now.b = og_fraction_plus(plain->b, n - s);
        og_beta_exact_tails(&now, below, above);
    }
    mpq_mul(out, below, above);
    mpq_neg(out, out);
    mpq_clears(below, above, NULL);
}

bool og_worth_is_exact(const og_group *plain, int32_t depth)
{
    return plain->payoff.kind == OG_WORTH_SQUARED ||
           (plain->payoff.kind == OG_WORTH_BRIER &&
            (plain->kind == OG_PRIOR_MIXTURE ? og_mixture_tails_are_exact(plain, depth)
                                             : og_beta_tails_are_exact(plain, depth)));
}

void og_worth_exact(const og_group *plain, int32_t n, int32_t s, mpq_t out)
{
    if (plain->payoff.kind == OG_WORTH_BRIER) {
        exact_brier(plain, n, s, out);
    } else if (plain->kind == OG_PRIOR_MIXTURE) {
        exact_mixed_variance(plain, n, s, out);
    } else {
        mpq_t mean;
        mpq_init(mean);
        exact_variance(og_fraction_plus(plain->a, s), og_fraction_plus(plain->b, n - s), mean, out);
        mpq_clear(mean);
    }
}

/* ---- sweeps ---- */

/* What a level needs of the one after it: P and 1 - P with their logarithms, or the mean; and h. */
typedef struct {
    arb_ptr p, q, log_p, log_q, h; /* [width] */
} worth_level;

typedef struct {
    int32_t depth;                /* of the arm; the sweep may be deeper */
    double *call, *reward, *gain; /* outputs; NULL: not wanted */
    worth_level here, below;
    arb_t change[2], root, scratch;
} worth_sweep;

enum { VARIANCE_LEVELS = 2 }; /* after the last one, which its h needs */

static arb_ptr *column_of(worth_level *level, int i)
{
    arb_ptr *column[] = {&level->p, &level->q, &level->log_p, &level->log_q, &level->h};
    return column[i];
}

static void worth_level_init(worth_level *level, slong width)
{
    for (int i = 0; i < 5; i++) {
        *column_of(level, i) = _arb_vec_init(width);
    }
}

static void worth_level_clear(worth_level *level, slong width)
{
    for (int i = 0; i < 5; i++) {
        _arb_vec_clear(*column_of(level, i), width);
    }
}

/* ln x, where x and rest add up to 1: as exact as the smaller of them. */
static void log_of(const arb_t x, const arb_t rest, arb_t out, slong precision)
{
    if (arf_cmp(arb_midref(rest), arb_midref(x)) < 0) {
        arb_neg(out, rest);
        arb_log1p(out, out, precision);
    } else {
        arb_log(out, x, precision);
    }
}

/* The level's numbers. */
static void fill_worth_level(level_sweep *sweep, int32_t n, worth_sweep *w)
{
    const og_worth_kind kind = sweep->mixture->group.payoff.kind;
    const slong precision = sweep->precision;
    worth_level *here = &w->here;
    for (int32_t s = 0; s <= n; s++) {
        if (kind == OG_WORTH_SQUARED && n == sweep->mixture->depth) {
            continue;
        }
        if (kind == OG_WORTH_SQUARED) {
            arb_div(here->p + s, sweep->below.total + s + 1, sweep->here.total + s, precision);
            arb_div(here->q + s, sweep->below.total + s, sweep->here.total + s, precision);
            arb_sub(here->h + s, here->p + s, w->below.p + s + 1, precision);
            arb_mul(here->h + s, here->h + s, here->p + s, precision);
            continue;
        }
        arb_div(here->p + s, sweep->here.up + s, sweep->here.total + s, precision);
        arb_div(here->q + s, sweep->here.low + s, sweep->here.total + s, precision);
        if (kind == OG_WORTH_BRIER) {
            arb_mul(here->h + s, here->p + s, here->q + s, precision);
            arb_neg(here->h + s, here->h + s);
            continue;
        }
        log_of(here->p + s, here->q + s, here->log_p + s, precision);
        log_of(here->q + s, here->p + s, here->log_q + s, precision);
        arb_mul(here->h + s, here->p + s, here->log_p + s, precision);
        arb_addmul(here->h + s, here->q + s, here->log_q + s, precision);
    }
}

/* w->change[outcome] = P' - P of the node. */
static void find_changes(level_sweep *sweep, int32_t s, worth_sweep *w)
{
    const sum_level *next = &sweep->below;
    const slong precision = sweep->precision;
    arb_mul(w->root, next->up + s + 1, next->low + s, precision);
    arb_submul(w->root, next->up + s, next->low + s + 1, precision);
    arb_div(w->root, w->root, sweep->here.total + s, precision);
    arb_div(w->change[0], w->root, next->total + s + 1, precision);
    arb_div(w->change[1], w->root, next->total + s, precision);
    arb_neg(w->change[1], w->change[1]);
}

/* *out += q P' ln(P'/P), of P or 1 - P. */
static void add_divergence(const arb_t chance, const arb_t after, const arb_t log_after,
                           const arb_t log_before, arb_t room, arb_t out, slong precision)
{
    arb_sub(room, log_after, log_before, precision);
    arb_mul(room, room, after, precision);
    arb_addmul(out, room, chance, precision);
}

/* sweep->value = R. */
static void find_reward(level_sweep *sweep, int32_t s, worth_sweep *w)
{
    const og_worth_kind kind = sweep->mixture->group.payoff.kind;
    const slong precision = sweep->precision;
    if (kind == OG_WORTH_BRIER) {
        find_changes(sweep, s, w);
    }
    arb_zero(sweep->value);
    for (int32_t outcome = 0; outcome < 2; outcome++) {
        int32_t at = s + (outcome == 0);
        arb_div(sweep->other, sweep->below.total + at, sweep->here.total + s, precision);
        if (kind == OG_WORTH_LOG) {
            add_divergence(sweep->other, w->below.p + at, w->below.log_p + at, w->here.log_p + s,
                           w->scratch, sweep->value, precision);
            add_divergence(sweep->other, w->below.q + at, w->below.log_q + at, w->here.log_q + s,
                           w->scratch, sweep->value, precision);
            continue;
        }
        if (kind == OG_WORTH_SQUARED) {
            arb_sub(w->change[outcome], w->below.p + at, w->here.p + s, precision);
        }
        arb_mul(w->scratch, w->change[outcome], w->change[outcome], precision);
        arb_addmul(sweep->value, w->scratch, sweep->other, precision);
    }
}

/* sweep->value = h' - h. Of brier it is (P' - P) (P' - (1 - P)). */
static void find_gain(level_sweep *sweep, int32_t s, int outcome, worth_sweep *w)
{
    int32_t at = s + (outcome == 0);
    if (sweep->mixture->group.payoff.kind == OG_WORTH_BRIER) {
        find_changes(sweep, s, w);
        arb_sub(sweep->value, w->below.p + at, w->here.q + s, sweep->precision);
        arb_mul(sweep->value, sweep->value, w->change[outcome], sweep->precision);
    } else {
        arb_sub(sweep->value, w->below.h + at, w->here.h + s, sweep->precision);
    }
}

static void exact_h(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out)
{
    (void)outcome;
    og_worth_exact(&mixture->group, n, s, out);
}

static void exact_gain(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out)
{
    mpq_t here;
    mpq_init(here);
    og_worth_exact(&mixture->group, n, s, here);
    og_worth_exact(&mixture->group, n + 1, s + (outcome == 0), out);
    mpq_sub(out, out, here);
    mpq_clear(here);
}

static void exact_reward(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out)
{
    mpq_t chance, gain;
    (void)outcome;
    mpq_inits(chance, gain, NULL);
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 2; k++) {
        og_mixture_exact_probability(mixture, n, s, k, chance);
        exact_gain(mixture, n, s, k, gain);
        mpq_mul(gain, gain, chance);
        mpq_add(out, out, gain);
    }
    mpq_clears(chance, gain, NULL);
}

static void visit_worth(level_sweep *sweep, int32_t n, void *data)
{
    worth_sweep *w = data;
    const bool exact = sweep->mixture->exact;
    worth_level done = w->below;
    w->below = w->here;
    w->here = done;
    fill_worth_level(sweep, n, w);
    size_t at = (size_t)n * ((size_t)n + 1) / 2;
    for (int32_t s = 0; n < w->depth && s <= n && !sweep->undecided; s++, at++) {
        if (w->reward != NULL) {
            find_reward(sweep, s, w);
            w->reward[at] =
                fmax(og_sweep_nearest(sweep, exact ? exact_reward : NULL, n, s, 0), DBL_MIN);
        }
        for (int outcome = 0; w->gain != NULL && outcome < 2; outcome++) {
            find_gain(sweep, s, outcome, w);
            w->gain[2 * at + (size_t)outcome] =
                og_sweep_nearest(sweep, exact ? exact_gain : NULL, n, s, outcome);
        }
    }
    if (n == 0 && w->call != NULL && !sweep->undecided) {
        arb_set(sweep->value, w->here.h);
        *w->call = og_sweep_nearest(sweep, exact ? exact_h : NULL, 0, 0, 0);
    }
}

/* Beta as a mixture of one. */
static og_group as_mixture(const og_group *plain)
{
    og_group mixture = *plain;
    if (plain->kind == OG_PRIOR_BETA) {
        mixture.kind = OG_PRIOR_MIXTURE;
        mixture.part_count = 1;
        mixture.component[0] = (og_component){{1, 1}, plain->a, plain->b};
    }
    return mixture;
}

static og_status sweep_worth(const og_group *plain, worth_sweep *w)
{
    const og_group group = as_mixture(plain);
    int32_t more = plain->payoff.kind == OG_WORTH_SQUARED ? VARIANCE_LEVELS : 0;
    og_mixture *mixture =
        og_beta_allocate(&group, w->depth + more, og_worth_is_exact(&group, w->depth));
    OG_TRY(OG_ALLOCATED(mixture));
    const slong width = mixture->depth + 1;
    worth_level_init(&w->here, width);
    worth_level_init(&w->below, width);
    og_balls_init(w->change[0], w->change[1], w->root, w->scratch, NULL);
    og_status status = og_mixture_sweep(mixture, visit_worth, w);
    og_balls_clear(w->change[0], w->change[1], w->root, w->scratch, NULL);
    worth_level_clear(&w->here, width);
    worth_level_clear(&w->below, width);
    og_beta_free(mixture);
    return status;
}

/* ---- the variance of a Beta ---- */

/* With A, B and N whole multiples of 1/c: h = -ABc / (N^2 (N+c)), R = A B c^2 / (N (N+c))^2. */
typedef struct {
    mpz_t a, b, c, total, next, num, den;
} whole_beta;

static void whole_beta_init(whole_beta *w, const og_group *beta)
{
    mpz_inits(w->a, w->b, w->c, w->total, w->next, w->num, w->den, NULL);
    og_mpz_set(w->c, beta->a.den);
    og_mpz_lcm(w->c, w->c, beta->b.den);
    og_mpz_divexact(w->a, w->c, beta->a.den);
    og_mpz_mul(w->a, w->a, beta->a.num);
    og_mpz_divexact(w->b, w->c, beta->b.den);
    og_mpz_mul(w->b, w->b, beta->b.num);
    mpz_add(w->total, w->a, w->b);
}

static void whole_beta_clear(whole_beta *w)
{
    mpz_clears(w->a, w->b, w->c, w->total, w->next, w->num, w->den, NULL);
}

/* The quotient of R of a node whose A is in `a` and whose N is in `total`; `b` is scratch. */
static double whole_reward(whole_beta *w)
{
    mpz_sub(w->b, w->total, w->a);
    mpz_mul(w->num, w->a, w->b);
    mpz_mul(w->num, w->num, w->c);
    mpz_mul(w->num, w->num, w->c);
    mpz_add(w->next, w->total, w->c);
    mpz_mul(w->den, w->total, w->next);
    mpz_mul(w->den, w->den, w->den);
    return og_nearest_quotient(w->num, w->den);
}

static void variance_rewards(const og_group *beta, int32_t depth, double *reward)
{
    whole_beta w;
    mpz_t first;
    whole_beta_init(&w, beta);
    mpz_init_set(first, w.a);
    for (int32_t n = 0; n < depth; n++, mpz_add(w.total, w.total, w.c)) {
        mpz_set(w.a, first);
        for (int32_t s = 0; s <= n; s++, mpz_add(w.a, w.a, w.c)) {
            *reward++ = whole_reward(&w);
        }
    }
    mpz_clear(first);
    whole_beta_clear(&w);
}

static void variance_gains(const og_group *beta, int32_t depth, double *gain)
{
    mpq_t here, next;
    mpq_inits(here, next, NULL);
    for (int32_t n = 0; n < depth; n++) {
        for (int32_t s = 0; s <= n; s++) {
            og_worth_exact(beta, n, s, here);
            for (int32_t outcome = 0; outcome < 2; outcome++) {
                og_worth_exact(beta, n + 1, s + (outcome == 0), next);
                mpq_sub(next, next, here);
                *gain++ = og_nearest(next);
            }
        }
    }
    mpq_clears(here, next, NULL);
}

/* ---- both ---- */

static bool is_variance(const og_group *plain)
{
    return plain->payoff.kind == OG_WORTH_SQUARED && plain->kind == OG_PRIOR_BETA;
}

og_status og_worth_rewards(const og_group *plain, int32_t depth, double *call, double *reward)
{
    worth_sweep w = {.depth = depth, .call = call, .reward = reward};
    if (is_variance(plain)) {
        mpq_t value;
        mpq_init(value);
        og_worth_exact(plain, 0, 0, value);
        *call = og_nearest(value);
        mpq_clear(value);
        variance_rewards(plain, depth, reward);
    } else {
        OG_TRY(sweep_worth(plain, &w));
    }
    return fabs(*call) < 0x1p-900 ? OG_FAILED : OG_OK;
}

og_status og_worth_gains(const og_group *plain, int32_t depth, double *gain)
{
    worth_sweep w = {.depth = depth, .gain = gain};
    if (is_variance(plain)) {
        variance_gains(plain, depth, gain);
        return OG_OK;
    }
    return sweep_worth(plain, &w);
}

/* Two levels of ten balls a node, as og_mixture_bytes. */
uint64_t og_worth_bytes(int32_t depth)
{
    const uint64_t balls = 10 * (sizeof(arb_struct) + OG_BETA_PRECISION_MAX / 8 + 16);
    return og_mixture_bytes(depth + VARIANCE_LEVELS) + ((uint64_t)depth + 3) * balls;
}
