/*
 * E max = the integral over 0 .. 1 of 1 - F, F the product of all distribution functions. With
 * whole parameters F is a polynomial with rational coefficients. With others F is analytic around
 * the segment, and Arb integrates it with a proved error [Johansson, "Numerical integration in
 * arbitrary-precision ball arithmetic", ICMS 2018]; only at two very short ends the bound 0 <= F <=
 * 1 is used.
 */
#include "dp/prior/largest.h"

#include <flint/fmpq.h>
#include <flint/fmpq_poly.h>
#include <math.h>

#include "dp/base/arb.h"
#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"

enum { PRECISION = 128, GOAL_BITS = 64, POOR_BITS = 60, EVALUATIONS = 20000 };

static int32_t parts_of(const og_group *group)
{
    return group->kind == OG_PRIOR_MIXTURE ? group->part_count : 1;
}

static og_component part_of(const og_group *group, int32_t k)
{
    return group->kind == OG_PRIOR_MIXTURE
               ? group->component[k]
               : (og_component){.weight = {1, 1}, .a = group->a, .b = group->b};
}

/* ---- whole parameters ---- */

static void set_fraction(fmpq_t out, og_fraction value)
{
    og_fmpz_set(fmpq_numref(out), value.num);
    og_fmpz_set(fmpq_denref(out), value.den);
}

/* I_x(a, b) = a binomial(a+b-1, a) sum over k < b of (-1)^k binomial(b-1, k) x^(a+k) / (a+k). */
static void set_beta(fmpq_poly_t out, ulong a, ulong b)
{
    fmpz_t first, factor;
    fmpq_t term;
    fmpz_init(first);
    fmpz_init(factor);
    fmpq_init(term);
    fmpq_poly_zero(out);
    fmpz_bin_uiui(first, a + b - 1, a);
    fmpz_mul_ui(first, first, a);
    for (ulong k = 0; k < b; k++) {
        fmpz_bin_uiui(factor, b - 1, k);
        fmpz_mul(fmpq_numref(term), first, factor);
        fmpz_set_ui(fmpq_denref(term), a + k);
        fmpq_canonicalise(term);
        if (k % 2 == 1) {
            fmpq_neg(term, term);
        }
        fmpq_poly_set_coeff_fmpq(out, (slong)(a + k), term);
    }
    fmpz_clear(first);
    fmpz_clear(factor);
    fmpq_clear(term);
}

static void set_distribution(fmpq_poly_t out, const og_group *group)
{
    fmpq_poly_t one;
    fmpq_t weight, sum;
    fmpq_poly_init(one);
    fmpq_init(weight);
    fmpq_init(sum);
    fmpq_poly_zero(out);
    for (int32_t k = 0; k < parts_of(group); k++) {
        og_component part = part_of(group, k);
        set_beta(one, (ulong)part.a.num, (ulong)part.b.num);
        set_fraction(weight, part.weight);
        fmpq_add(sum, sum, weight);
        fmpq_poly_scalar_mul_fmpq(one, one, weight);
        fmpq_poly_add(out, out, one);
    }
    fmpq_poly_scalar_div_fmpq(out, out, sum);
    fmpq_poly_clear(one);
    fmpq_clear(weight);
    fmpq_clear(sum);
}

/* True for whole parameters, and a product of no more than this degree. */
static bool is_polynomial(const og_groups *laws)
{
    double degree = 0;
    for (int32_t g = 0; g < laws->group_count; g++) {
        const og_group *group = og_groups_at(laws, g);
        double most = 0;
        for (int32_t k = 0; k < parts_of(group); k++) {
            og_component part = part_of(group, k);
            most = fmax(most, (double)part.a.num + (double)part.b.num - 1);
        }
        degree += most * (double)group->count;
        if (!og_group_is_whole(group)) {
            return false;
        }
    }
    return degree <= OG_LARGEST_DEGREE;
}

/* out = the integral of 1 - F. */
static void integrate(fmpq_poly_t F, mpq_t out)
{
    fmpq_t at_one;
    fmpz_t one;
    fmpq_init(at_one);
    fmpz_init_set_ui(one, 1);
    fmpq_poly_integral(F, F);
    fmpq_poly_evaluate_fmpz(at_one, F, one);
    fmpq_neg(at_one, at_one);
    fmpq_add_fmpz(at_one, at_one, one);
    fmpz_get_mpz(mpq_numref(out), fmpq_numref(at_one));
    fmpz_get_mpz(mpq_denref(out), fmpq_denref(at_one));
    fmpq_clear(at_one);
    fmpz_clear(one);
}

bool og_largest_exact(const og_groups *laws, mpq_t out)
{
    fmpq_poly_t F, one;
    if (!is_polynomial(laws)) {
        return false;
    }
    fmpq_poly_init(F);
    fmpq_poly_init(one);
    fmpq_poly_set_si(F, 1);
    for (int32_t g = 0; g < laws->group_count; g++) {
        set_distribution(one, og_groups_at(laws, g));
        fmpq_poly_pow(one, one, (ulong)og_groups_at(laws, g)->count);
        fmpq_poly_mul(F, F, one);
    }
    integrate(F, out);
    fmpq_poly_clear(F);
    fmpq_poly_clear(one);
    return true;
}

/* ---- any parameters ---- */

static void set_ball(acb_t out, og_fraction value)
{
    acb_zero(out);
    og_set_fraction(acb_realref(out), value, PRECISION);
}

/* I_x(a, b) = x^a (1-x)^b / (a B(a, b)) 2F1(1, a+b; a+1; x), from its series [DLMF 8.17.8]. */
static void set_series(acb_t out, const acb_t a, const acb_t b, const acb_t x, slong precision)
{
    acb_t term, rest;
    acb_ptr upper = _acb_vec_init(2), lower = _acb_vec_init(2);
    acb_init(term);
    acb_init(rest);
    acb_one(upper);
    acb_add(upper + 1, a, b, precision);
    acb_one(lower);
    acb_add_ui(lower + 1, a, 1, precision);
    acb_hypgeom_pfq_direct(out, upper, 2, lower, 2, x, -1, precision);
    acb_log(term, x, precision);
    acb_mul(rest, term, a, precision);
    acb_sub_ui(term, x, 1, precision);
    acb_neg(term, term);
    acb_log(term, term, precision);
    acb_addmul(rest, term, b, precision);
    acb_lgamma(term, upper + 1, precision);
    acb_add(rest, rest, term, precision);
    acb_lgamma(term, lower + 1, precision);
    acb_sub(rest, rest, term, precision);
    acb_lgamma(term, b, precision);
    acb_sub(rest, rest, term, precision);
    acb_exp(rest, rest, precision);
    acb_mul(out, out, rest, precision);
    acb_clear(term);
    acb_clear(rest);
    _acb_vec_clear(upper, 2);
    _acb_vec_clear(lower, 2);
}

static slong bits_of(const acb_t ball)
{
    return acb_is_finite(ball) ? acb_rel_accuracy_bits(ball) : -ARF_PREC_EXACT;
}

/* I_x(a, b), from the series of its lighter tail, or from Arb's function if the series is
 * useless. */
static void set_tail(acb_t out, const acb_t a, const acb_t b, const acb_t x, slong precision)
{
    slong wanted = bits_of(x) < POOR_BITS ? bits_of(x) : POOR_BITS;
    acb_t other;
    acb_init(other);
    acb_add(other, a, b, precision);
    acb_div(other, a, other, precision);
    bool below = arf_cmp(arb_midref(acb_realref(x)), arb_midref(acb_realref(other))) < 0;
    acb_sub_ui(other, x, 1, precision);
    acb_neg(other, other);
    set_series(out, below ? a : b, below ? b : a, below ? x : other, precision);
    if (!below) {
        acb_sub_ui(out, out, 1, precision);
        acb_neg(out, out);
    }
    if (bits_of(out) < wanted) {
        acb_hypgeom_beta_lower(other, a, b, x, 1, precision);
        if (bits_of(other) > bits_of(out)) {
            acb_swap(out, other);
        }
    }
    acb_clear(other);
}

/* The distribution function at x, whose ball lies between the ends. */
static void set_ball_distribution(acb_t out, const og_group *group, const acb_t x, slong precision)
{
    acb_t one, a, b, sum;
    acb_init(one);
    acb_init(a);
    acb_init(b);
    acb_init(sum);
    acb_zero(out);
    for (int32_t k = 0; k < parts_of(group); k++) {
        og_component part = part_of(group, k);
        set_ball(a, part.a);
        set_ball(b, part.b);
        set_tail(one, a, b, x, precision);
        set_ball(a, part.weight);
        acb_addmul(out, one, a, precision);
        acb_add(sum, sum, a, precision);
    }
    acb_div(out, out, sum, precision);
    acb_clear(one);
    acb_clear(a);
    acb_clear(b);
    acb_clear(sum);
}

/* An acb_calc_func_t: F is analytic except on two cuts, up to 0 and from 1 on. */
static int product(acb_ptr out, const acb_t x, void *laws, slong order, slong precision)
{
    const og_groups *groups = laws;
    acb_t one;
    (void)order;
    acb_init(one);
    acb_sub_ui(one, x, 1, precision);
    bool inside = arb_is_positive(acb_realref(x)) && arb_is_negative(acb_realref(one));
    acb_one(out);
    for (int32_t g = 0; inside && g < groups->group_count; g++) {
        set_ball_distribution(one, og_groups_at(groups, g), x, precision);
        acb_pow_ui(one, one, (ulong)og_groups_at(groups, g)->count, precision);
        acb_mul(out, out, one, precision);
    }
    if (!inside) {
        acb_indeterminate(out);
    }
    acb_clear(one);
    return 0;
}

static bool in_range(const og_groups *laws)
{
    const og_fraction most = {OG_LARGEST_PARAMETER, 1};
    bool ok = true;
    for (int32_t g = 0; g < laws->group_count; g++) {
        for (int32_t k = 0; k < parts_of(og_groups_at(laws, g)); k++) {
            og_component part = part_of(og_groups_at(laws, g), k);
            ok = ok && og_fraction_compare(part.a, most) <= 0 &&
                 og_fraction_compare(part.b, most) <= 0;
        }
    }
    return ok;
}

/* The ball holds the mean. */
static void integrate_balls(const og_groups *laws, arb_t out)
{
    acb_calc_integrate_opt_t options;
    acb_t from, to, integral;
    mag_t tolerance;
    acb_init(from);
    acb_init(to);
    acb_init(integral);
    mag_init(tolerance);
    acb_calc_integrate_opt_init(options);
    options->eval_limit = EVALUATIONS;
    mag_set_ui_2exp_si(tolerance, 1, -GOAL_BITS);
    acb_one(from);
    acb_mul_2exp_si(from, from, -GOAL_BITS);
    acb_sub_ui(to, from, 1, PRECISION);
    acb_neg(to, to);
    acb_calc_integrate(integral, product, (void *)laws, from, to, GOAL_BITS, tolerance, options,
                       PRECISION);
    arb_sub_ui(out, acb_realref(integral), 1, PRECISION);
    arb_neg(out, out);
    arb_add_error_2exp_si(out, 1 - GOAL_BITS);
    acb_clear(from);
    acb_clear(to);
    acb_clear(integral);
    mag_clear(tolerance);
}

double og_largest_mean(const og_groups *laws, double *mean)
{
    const double unit = 0x1p-53;
    double error = NAN;
    mpq_t exactly;
    arb_t ball;
    mpq_init(exactly);
    arb_init(ball);
    *mean = NAN;
    if (og_largest_exact(laws, exactly)) {
        *mean = og_nearest(exactly);
        error = unit * *mean;
    } else if (in_range(laws)) {
        integrate_balls(laws, ball);
        if (arb_is_finite(ball)) {
            *mean = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
            error = 1.01 * mag_get_d(arb_radref(ball)) + unit * *mean;
        }
    }
    mpq_clear(exactly);
    arb_clear(ball);
    return error;
}
