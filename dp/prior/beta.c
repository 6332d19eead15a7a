/*
 * Walks along the boundary where calls change, in O(depth) steps, and computes the gains of all
 * nodes. dp/prior/beta.h gives the numbers and their proofs; dp/prior/beta_walk.h the number
 * systems.
 */
#include "dp/prior/beta.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"

const slong og_precisions[OG_PRECISION_COUNT] = {128, 384, OG_BETA_PRECISION_MAX};

void og_walk_init(walk *w, const og_group *group, bool exact, slong precision)
{
    *w = (walk){.system = exact ? &og_walk_exact : &og_walk_ball,
                .group = group,
                .x = group->threshold.num,
                .y = group->threshold.den - group->threshold.num,
                .q = group->threshold.den,
                .precision = precision,
                .tiny_bits = precision == OG_BETA_PRECISION_MAX ? OG_BETA_TINY_BITS : 0};
    w->payoff = og_payoff_in_whole(&group->payoff);
    w->fair = w->x == w->y && w->payoff.up == w->payoff.down;
    mpz_inits(w->scratch, w->other, w->move, NULL);
    og_mpz_set(w->move, w->payoff.up + w->payoff.down);
    fmpz_init(w->part);
    fmpz_init(w->rest);
    fmpz_init(w->total);
    arb_init(w->ball);
    fmpz_init(w->a);
    fmpz_init(w->b);
    og_fmpz_set(w->a, group->a.den);
    og_fmpz_set(w->b, group->b.den);
    fmpz_init(w->unit);
    fmpz_lcm(w->unit, w->a, w->b);
    fmpz_divexact(w->a, w->unit, w->a);
    fmpz_divexact(w->b, w->unit, w->b);
    og_fmpz_mul(w->a, w->a, group->a.num);
    og_fmpz_mul(w->b, w->b, group->b.num);
}

void og_walk_clear(walk *w)
{
    mpz_clears(w->scratch, w->other, w->move, NULL);
    fmpz_clear(w->part);
    fmpz_clear(w->rest);
    fmpz_clear(w->total);
    fmpz_clear(w->unit);
    fmpz_clear(w->a);
    fmpz_clear(w->b);
    arb_clear(w->ball);
}

static void node_init(walk_node *node)
{
    mpz_inits(node->whole_excess, node->whole_weight, node->power, NULL);
    og_balls_init(node->excess, node->weight, NULL);
    node->positives = node->negatives = 0;
}

static void node_clear(walk_node *node)
{
    mpz_clears(node->whole_excess, node->whole_weight, node->power, NULL);
    og_balls_clear(node->excess, node->weight, NULL);
}

/* The nodes of the walk: the lowest positive node of the level (the last one, s = n, if all are
 * negative), its successor after one label, and the node below the boundary. */
typedef struct {
    walk_node here, next, below;
} walk_nodes;

static void keep_flip(og_beta *beta, int32_t n, int32_t s, flip_value value)
{
    beta->flip[n] = s;
    beta->reward[n] = value.reward;
    beta->gain[2 * n] = value.gain[0];
    beta->gain[2 * n + 1] = value.gain[1];
}

/*
 * One level. Returns by how much the boundary moves. With nodes->here = (n, s):
 *
 * s = boundary, called positive: a negative label leads to the node (n+1, s). If that is negative,
 * this label flips `here` and the boundary moves. If it is positive, the boundary stays, and a
 * positive label flips the node below, (n, s-1), since it leads to (n+1, s) as well.
 *
 * s = n, and all negative: a positive label leads to the only candidate, (n+1, n+1).
 */
static int walk_level(walk *w, walk_nodes *nodes, og_beta *beta, int32_t n, int32_t boundary)
{
    const walk_system *system = w->system;
    walk_node *here = &nodes->here, *next = &nodes->next, *below = &nodes->below;
    int outcome = boundary <= n ? 1 : 0;
    system->copy(next, here);
    system->step(w, next, outcome);
    int sign = system->sign(w, next);
    beta->flip[n] = -1;
    if (outcome == 0) {
        if (sign > 0) {
            keep_flip(beta, n, n, system->value(w, here, next, 0));
        }
    } else if (sign < 0) {
        keep_flip(beta, n, boundary, system->value(w, here, next, 1));
        system->step(w, here, 0);
        return 1;
    } else if (sign > 0 && boundary > 0) {
        system->copy(below, next);
        system->step_back(w, below);
        keep_flip(beta, n, boundary - 1, system->value(w, below, next, 0));
    }
    system->copy(here, next);
    return sign < 0;
}

/* The whole walk; false if the precision was too low. */
static bool walk_along(walk *w, og_beta *beta)
{
    walk_nodes nodes;
    node_init(&nodes.here);
    node_init(&nodes.next);
    node_init(&nodes.below);
    w->system->root(w, &nodes.here);
    beta->boundary[0] = w->system->sign(w, &nodes.here) < 0;
    beta->call = w->system->call(w, &nodes.here);
    for (int32_t n = 0; n < beta->depth && !w->undecided; n++) {
        beta->boundary[n + 1] =
            beta->boundary[n] + walk_level(w, &nodes, beta, n, beta->boundary[n]);
    }
    node_clear(&nodes.here);
    node_clear(&nodes.next);
    node_clear(&nodes.below);
    return !w->undecided;
}

bool og_beta_is_exact(og_fraction a, og_fraction b, og_fraction threshold, int32_t depth)
{
    int bits = 0; /* threshold.den <= 2^bits */
    while ((og_wide)1 << bits < threshold.den) {
        bits++;
    }
    return og_fraction_is_integer(a) && og_fraction_is_integer(b) &&
           (a.num + b.num + depth) * bits <= OG_BETA_EXACT_BITS;
}

static bool walk_until_decided(og_beta *beta)
{
    bool decided = false;
    for (int i = 0; i < OG_PRECISION_COUNT && !decided; i++) {
        walk w;
        og_walk_init(&w, &beta->group, beta->exact, og_precisions[i]);
        decided = walk_along(&w, beta);
        og_walk_clear(&w);
    }
    return decided;
}

bool og_rewards_are_normal(const og_beta *beta)
{
    for (int32_t n = 0; n < beta->depth; n++) {
        if (beta->flip[n] >= 0 && beta->reward[n] < DBL_MIN) {
            return false;
        }
    }
    return true;
}

og_beta *og_beta_allocate(const og_group *group, int32_t depth, bool exact)
{
    og_beta *beta = og_arena_new(sizeof *beta);
    if (beta == NULL) {
        return NULL;
    }
    size_t levels = (size_t)depth + 1;
    beta->group = *group;
    beta->depth = depth;
    beta->exact = exact;
    beta->boundary = og_arena_array(&beta->arena, levels, sizeof *beta->boundary);
    beta->flip = og_arena_array(&beta->arena, levels, sizeof *beta->flip);
    beta->reward = og_arena_array(&beta->arena, levels, sizeof *beta->reward);
    if (group->kind == OG_PRIOR_BETA) {
        beta->gain = og_arena_array(&beta->arena, 2 * levels, sizeof *beta->gain);
    }
    if (beta->arena.failed) {
        og_beta_free(beta);
        return NULL;
    }
    return beta;
}

og_status og_beta_new(const og_group *group, int32_t depth, og_beta **out)
{
    bool exact = og_beta_is_exact(group->a, group->b, group->threshold, depth);
    og_beta *beta = og_beta_allocate(group, depth, exact);
    OG_TRY(OG_ALLOCATED(beta));
    bool good = walk_until_decided(beta) && og_rewards_are_normal(beta);
    return OG_MADE(good ? OG_OK : OG_FAILED, beta, og_beta_free, out);
}

void og_beta_free(og_beta *beta)
{
    og_arena_free(beta);
}

uint64_t og_beta_bytes(int32_t depth)
{
    const uint64_t level = 2 * sizeof(int32_t) + 3 * sizeof(double);
    return sizeof(og_beta) + ((uint64_t)depth + 1) * level;
}

/* mantissa * 2^exponent, mantissa in [1/2, 1): factors such as Gamma(1200) exceed the range of
 * double. */
typedef struct {
    double mantissa;
    int64_t exponent;
} factor;

/* The factors of w/A and w/B; A = a+s, B = b+f, N = a+b+n. */
typedef struct {
    factor *plus[2];  /* [s] d^A / Gamma(A), d^A / Gamma(A+1) */
    factor *minus[2]; /* [f] (1-d)^B / Gamma(B), (1-d)^B / Gamma(B+1) */
    factor *total;    /* [n] Gamma(N) */
} factors;

static bool nearest_factor(const arb_t ball, slong precision, int tiny_bits, factor *out)
{
    arb_t scaled;
    fmpz_t exponent;
    arf_t mantissa;
    arb_init(scaled);
    arf_init(mantissa);
    fmpz_init(exponent);
    arf_frexp(mantissa, exponent, arb_midref(ball));
    fmpz_neg(exponent, exponent);
    arb_mul_2exp_fmpz(scaled, ball, exponent);
    out->exponent = -fmpz_get_si(exponent);
    bool unique = og_nearest_of_ball(scaled, precision, tiny_bits, &out->mantissa);
    arb_clear(scaled);
    arf_clear(mantissa);
    fmpz_clear(exponent);
    return unique;
}

static void set_scaled(arb_t out, const fmpz_t value, const fmpz_t unit, slong precision)
{
    arb_set_fmpz(out, value);
    arb_div_fmpz(out, out, unit, precision);
}

/* share^A / Gamma(A) for A = start, start + 1, ..., and the same divided by A. */
static bool fill_powers(const walk *w, const fmpz_t start, og_wide num, factor *const table[2],
                        int32_t count)
{
    slong precision = w->precision, work = precision + 64;
    bool decided = true;
    fmpz_t part;
    arb_t value, term, share;
    fmpz_init_set(part, start);
    og_balls_init(value, term, share, NULL);
    set_scaled(term, start, w->unit, work);
    og_arb_set(share, num);
    og_arb_div(share, share, w->q, work);
    arb_pow(value, share, term, work);
    arb_rgamma(term, term, work);
    arb_mul(value, value, term, precision);
    for (int32_t i = 0; i < count && decided; i++) {
        decided = nearest_factor(value, precision, w->tiny_bits, &table[0][i]);
        arb_mul_fmpz(value, value, w->unit, precision);
        arb_div_fmpz(value, value, part, precision);
        decided = decided && nearest_factor(value, precision, w->tiny_bits, &table[1][i]);
        og_arb_mul(value, value, num, precision);
        og_arb_div(value, value, w->q, precision);
        fmpz_add(part, part, w->unit);
    }
    fmpz_clear(part);
    og_balls_clear(value, term, share, NULL);
    return decided;
}

/* Gamma(N) for N = a + b, a + b + 1, ... */
static bool fill_totals(const walk *w, factor *table, int32_t count)
{
    slong precision = w->precision, work = precision + 64;
    bool decided = true;
    fmpz_t part;
    arb_t value;
    fmpz_init(part);
    arb_init(value);
    fmpz_add(part, w->a, w->b);
    set_scaled(value, part, w->unit, work);
    arb_gamma(value, value, work);
    for (int32_t i = 0; i < count && decided; i++) {
        decided = nearest_factor(value, precision, w->tiny_bits, &table[i]);
        arb_mul_fmpz(value, value, part, precision);
        arb_div_fmpz(value, value, w->unit, precision);
        fmpz_add(part, part, w->unit);
    }
    fmpz_clear(part);
    arb_clear(value);
    return decided;
}

static bool fill_factors(const og_beta *beta, factors *f)
{
    bool decided = false;
    for (int i = 0; i < OG_PRECISION_COUNT && !decided; i++) {
        walk w;
        og_walk_init(&w, &beta->group, false, og_precisions[i]);
        decided = fill_powers(&w, w.a, w.x, f->plus, beta->depth) &&
                  fill_powers(&w, w.b, w.y, f->minus, beta->depth) &&
                  fill_totals(&w, f->total, beta->depth);
        og_walk_clear(&w);
    }
    return decided;
}

/* Multiplication commutes, so mirror images get the same bits. */
static double product(factor plus, factor minus, factor total)
{
    int64_t exponent = plus.exponent + minus.exponent + total.exponent;
    if (exponent < -2000) {
        return 0;
    }
    return ldexp(plus.mantissa * minus.mantissa * total.mantissa, (int)exponent);
}

static void fill_gains(const og_beta *beta, const factors *f, double *gain)
{
    og_payoff_whole payoff = og_payoff_in_whole(&beta->group.payoff);
    double slope[2]; /* of a call's value in P; usually 1 and -1 */
    for (int call = 0; call < 2; call++) {
        slope[call] = (double)(payoff.worth[call][0] - payoff.worth[call][1]) / (double)payoff.den;
    }
    for (int32_t n = 0; n < beta->depth; n++) {
        for (int32_t s = 0; s <= n; s++, gain += 2) {
            double rise = slope[og_beta_positive(beta, n, s) ? 0 : 1];
            /* "+ 0": no negative zero. */
            gain[0] = rise * product(f->plus[1][s], f->minus[0][n - s], f->total[n]) + 0;
            gain[1] = -rise * product(f->plus[0][s], f->minus[1][n - s], f->total[n]) + 0;
        }
        if (beta->flip[n] >= 0) {
            double *flip = gain - 2 * (n + 1 - beta->flip[n]);
            flip[0] = beta->gain[2 * n];
            flip[1] = beta->gain[2 * n + 1];
        }
    }
}

og_status og_beta_gains(const og_beta *beta, double *gain, double *error)
{
    size_t count = (size_t)beta->depth;
    factor *all = calloc(5 * count + 1, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    factors f = {.plus = {all, all + count},
                 .minus = {all + 2 * count, all + 3 * count},
                 .total = all + 4 * count};
    bool decided = fill_factors(beta, &f);
    if (decided) {
        fill_gains(beta, &f, gain);
    }
    free(all);
    if (!decided) {
        return OG_FAILED;
    }
    /* Three rounded factors and two multiplications: (1+u)^5 - 1 < 5.001 u, u = 2^-53; a slope
     * other than 1 is rounded and multiplied as well. */
    *error = (beta->group.payoff.given ? 7.001 : 5.001) * 0x1p-53;
    return OG_OK;
}
