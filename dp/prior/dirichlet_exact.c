/*
 * Whole parameters (dp/prior/dirichlet.h): every integral is a finite sum of fractions. With
 * Q_j(x) = sum over i < a_j of x^i / i!, so that F_j = 1 - e^-x Q_j, the product of the F of the
 * other classes is the sum over m of (-1)^m e^(-mx) E_m(x), E_m the m-th elementary symmetric
 * polynomial of their Q, and
 *
 *   integral over x > 0 of x^(s-1) e^(-bx) x^d = (s+d-1)! / b^(s+d).
 */
#include "dp/prior/dirichlet.h"

#include <assert.h>
#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

int32_t og_dirichlet_leader(int32_t classes, const og_fraction *posterior)
{
    int32_t leader = 0;
    for (int32_t c = 1; c < classes; c++) {
        if (og_fraction_compare(posterior[c], posterior[leader]) > 0) {
            leader = c;
        }
    }
    return leader;
}

/* A posterior of whole numbers. */
typedef struct {
    int32_t classes;
    int32_t a[OG_CLASSES_MAX];
    int32_t leader;
} whole_node;

static whole_node whole_of(int32_t classes, const og_fraction *posterior)
{
    whole_node node = {.classes = classes, .leader = og_dirichlet_leader(classes, posterior)};
    for (int32_t c = 0; c < classes; c++) {
        assert(og_fraction_is_integer(posterior[c]));
        node.a[c] = (int32_t)posterior[c].num;
    }
    return node;
}

bool og_dirichlet_is_exact(int32_t classes, const og_fraction *alpha, int32_t depth)
{
    int64_t total = depth;
    for (int32_t c = 0; c < classes; c++) {
        if (!og_fraction_is_integer(alpha[c]) || alpha[c].num > OG_DIRICHLET_EXACT_TOTAL) {
            return false;
        }
        total += (int64_t)alpha[c].num;
    }
    return total <= OG_DIRICHLET_EXACT_TOTAL;
}

/* (a-1)! Q, whose coefficients (a-1)!/i! are whole. */
static void whole_exponential(slong a, fmpz_poly_t out)
{
    fmpz_t coefficient;
    fmpz_init_set_ui(coefficient, 1);
    fmpz_poly_zero(out);
    for (slong i = a - 1; i >= 0; i--) {
        fmpz_poly_set_coeff_fmpz(out, i, coefficient);
        fmpz_mul_si(coefficient, coefficient, i == 0 ? 1 : i);
    }
    fmpz_clear(coefficient);
}

/* sum over d of the coefficients times (s+d-1)! / ((s-1)! b^(s+d)), by Horner's rule with whole
 * numbers. */
static void integrate_polynomial(const fmpz_poly_t polynomial, slong s, slong b, mpq_t out)
{
    fmpz_t sum, power, part;
    slong degree = fmpz_poly_degree(polynomial);
    fmpz_init(sum);
    fmpz_init(part);
    fmpz_init_set_ui(power, 1);
    for (slong d = degree; d >= 0; d--) {
        /* sum = sum over e > d of c_e (s+d+1) .. (s+e-1) b^(degree-e). */
        fmpz_mul_si(sum, sum, s + d);
        fmpz_poly_get_coeff_fmpz(part, polynomial, d);
        fmpz_addmul(sum, part, power);
        fmpz_mul_si(power, power, b);
    }
    fmpz_set_si(power, b);
    fmpz_pow_ui(power, power, (uint32_t)(s + (degree < 0 ? 0 : degree)));
    fmpz_get_mpz(mpq_numref(out), sum);
    fmpz_get_mpz(mpq_denref(out), power);
    mpq_canonicalize(out);
    fmpz_clear(sum);
    fmpz_clear(power);
    fmpz_clear(part);
}

/*
 * E_m of the classes that are not `left_out`, times *scale, the product of their (a-1)!. Returns
 * the number of these classes, which is the largest m. Initialises the polynomials.
 */
static int32_t symmetric_polynomials(const whole_node *at, const bool *left_out,
                                     fmpz_poly_struct *E, fmpz_t scale)
{
    fmpz_poly_t Q, term;
    fmpz_t factorial;
    int32_t others = 0;
    fmpz_poly_init(Q);
    fmpz_poly_init(term);
    fmpz_init(factorial);
    fmpz_one(scale);
    fmpz_poly_init(E);
    fmpz_poly_one(E);
    for (int32_t c = 0; c < at->classes; c++) {
        if (left_out[c]) {
            continue;
        }
        whole_exponential(at->a[c], Q);
        fmpz_fac_ui(factorial, (uint32_t)at->a[c] - 1);
        fmpz_mul(scale, scale, factorial);
        fmpz_poly_init(E + ++others);
        for (int32_t m = others; m >= 0; m--) {
            fmpz_poly_scalar_mul_fmpz(E + m, E + m, factorial);
            if (m > 0) {
                fmpz_poly_mul(term, E + m - 1, Q);
                fmpz_poly_add(E + m, E + m, term);
            }
        }
    }
    fmpz_poly_clear(Q);
    fmpz_poly_clear(term);
    fmpz_clear(factorial);
    return others;
}

/*
 * The integral of x^(s-1) e^(-wx) (s-1)!^-1 times the F of the classes that are not `left_out`,
 * from the sum's alternating terms.
 */
static void integrate_others(const whole_node *at, const bool *left_out, slong s, slong w,
                             mpq_t out)
{
    fmpz_poly_struct E[OG_CLASSES_MAX + 1];
    fmpz_t scale;
    mpq_t part;
    mpq_init(part);
    fmpz_init(scale);
    int32_t others = symmetric_polynomials(at, left_out, E, scale);
    mpq_set_ui(out, 0, 1);
    for (int32_t m = 0; m <= others; m++) {
        integrate_polynomial(E + m, s, w + m, part);
        if (m % 2 == 0) {
            mpq_add(out, out, part);
        } else {
            mpq_sub(out, out, part);
        }
        fmpz_poly_clear(E + m);
    }
    fmpz_get_mpz(mpq_numref(part), scale);
    mpz_set_ui(mpq_denref(part), 1);
    mpq_div(out, out, part);
    fmpz_clear(scale);
    mpq_clear(part);
}

static void exact_chance(const whole_node *at, int32_t class_, mpq_t out)
{
    bool left_out[OG_CLASSES_MAX] = {false};
    left_out[class_] = true;
    integrate_others(at, left_out, at->a[class_], 1, out);
}

/* *sum += U / a_divisor. U = (s-1)! / ((a_i - 1)! (a_j - 1)!) times the integral, s = a_i + a_j,
 * because x f_i f_j has the power x^(s-1). */
static void add_pair(const whole_node *at, int32_t i, int32_t j, int32_t divisor, mpq_t sum)
{
    bool left_out[OG_CLASSES_MAX] = {false};
    mpq_t pair, factor;
    mpq_inits(pair, factor, NULL);
    left_out[i] = left_out[j] = true;
    integrate_others(at, left_out, at->a[i] + at->a[j], 2, pair);
    /* (s-1)! / ((a_i - 1)! (a_j - 1)!) = a_j * binomial(s-1, a_j) */
    mpz_bin_uiui(mpq_numref(factor), (uint32_t)(at->a[i] + at->a[j] - 1), (uint32_t)at->a[j]);
    mpz_mul_si(mpq_numref(factor), mpq_numref(factor), at->a[j]);
    mpz_set_si(mpq_denref(factor), at->a[divisor]);
    mpq_canonicalize(factor);
    mpq_mul(pair, pair, factor);
    mpq_add(sum, sum, pair);
    mpq_clears(pair, factor, NULL);
}

/* I_k(a + e_k) - I_k(a). */
static void exact_rise(const whole_node *at, int32_t k, mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    for (int32_t c = 0; c < at->classes; c++) {
        if (c != k) {
            add_pair(at, c, k, k, out);
        }
    }
}

void og_dirichlet_exact_call(int32_t classes, const og_fraction *posterior, mpq_t out)
{
    whole_node at = whole_of(classes, posterior);
    exact_chance(&at, at.leader, out);
}

/* Whole parameters: a label changes the leader only by breaking a tie. */
void og_dirichlet_exact_reward(int32_t classes, const og_fraction *posterior, mpq_t out)
{
    whole_node at = whole_of(classes, posterior);
    mpq_t lead, share;
    int32_t total = 0, ties = 0;
    int32_t other = -1;
    for (int32_t c = 0; c < classes; c++) {
        total += at.a[c];
        if (c != at.leader && at.a[c] == at.a[at.leader]) {
            ties++;
            other = c;
        }
    }
    mpq_set_ui(out, 0, 1);
    if (ties == 0) {
        return;
    }
    mpq_inits(lead, share, NULL);
    exact_rise(&at, other, lead);
    add_pair(&at, at.leader, other, other, lead);
    mpq_set_si(share, ties * at.a[other], (uint32_t)total);
    mpq_canonicalize(share);
    mpq_mul(out, lead, share);
    mpq_clears(lead, share, NULL);
}

void og_dirichlet_exact_gain(int32_t classes, const og_fraction *posterior, int32_t class_,
                             mpq_t out)
{
    whole_node at = whole_of(classes, posterior);
    if (at.a[class_] == at.a[at.leader]) {
        exact_rise(&at, class_, out);
        return;
    }
    mpq_set_ui(out, 0, 1);
    add_pair(&at, at.leader, class_, class_, out);
    mpq_neg(out, out);
}

/* -S / (A^2 (A+1)) */
static void exact_variances(int32_t classes, const og_fraction *posterior, mpq_t out)
{
    mpq_t total, part;
    mpq_inits(total, part, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t c = 0; c < classes; c++) {
        og_fraction_get_mpq(part, posterior[c]);
        mpq_add(total, total, part);
        mpq_mul(part, part, part);
        mpq_add(out, out, part);
    }
    mpq_mul(part, total, total);
    mpq_sub(out, out, part);
    mpq_div(out, out, part);
    mpq_set_ui(part, 1, 1);
    mpq_add(total, total, part);
    mpq_div(out, out, total);
    mpq_clears(total, part, NULL);
}

void og_dirichlet_exact_worth(og_worth_kind worth, int32_t classes, const og_fraction *posterior,
                              mpq_t out)
{
    mpq_t chance, rest;
    if (worth == OG_WORTH_SQUARED) {
        exact_variances(classes, posterior, out);
        return;
    }
    assert(worth == OG_WORTH_BRIER);
    whole_node at = whole_of(classes, posterior);
    mpq_inits(chance, rest, NULL);
    mpq_set_ui(out, 0, 1);
    for (int32_t c = 0; c < classes; c++) {
        exact_chance(&at, c, chance);
        mpq_set_ui(rest, 1, 1);
        mpq_sub(rest, chance, rest);
        mpq_mul(rest, rest, chance);
        mpq_add(out, out, rest);
    }
    mpq_clears(chance, rest, NULL);
}
