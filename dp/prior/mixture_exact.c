/*
 * Values of single nodes of a mixture in fractions: sums over its components of closed forms.
 */
#include <assert.h>

#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/beta_walk.h"
#include "dp/prior/mixture.h"

/* (a)_s (b)_f / (a+b)_(s+f) in rising factorials. */
void og_mixture_exact_share(const og_component *part, int32_t s, int32_t f, mpq_t out)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    og_fraction_get_mpq(a, part->a);
    og_fraction_get_mpq(b, part->b);
    og_fraction_get_mpq(out, part->weight);
    og_times_rising(out, a, s, false);
    og_times_rising(out, b, f, false);
    mpq_add(a, a, b);
    og_times_rising(out, a, s + f, true);
    mpq_clears(a, b, NULL);
}

/* P of Beta(a + s, b + f), whole a and b. */
static void positive(const og_mixture *mixture, const og_component *part, int32_t s, int32_t f,
                     mpq_t out)
{
    uint32_t a = (uint32_t)(part->a.num + s), b = (uint32_t)(part->b.num + f);
    og_wide q = mixture->group.threshold.den;
    og_exact_tail(a, b, mixture->group.threshold.num, q, mpq_numref(out));
    og_mpz_set(mpq_denref(out), q);
    mpz_pow_ui(mpq_denref(out), mpq_denref(out), a + b - 1);
    mpq_canonicalize(out);
}

/* Z and, unless NULL, `up` of a node. */
static void measure(const og_mixture *mixture, int32_t n, int32_t s, mpq_t total, mpq_ptr up)
{
    mpq_t part, above;
    mpq_inits(part, above, NULL);
    mpq_set_ui(total, 0, 1);
    if (up != NULL) {
        mpq_set_ui(up, 0, 1);
    }
    for (int32_t m = 0; m < mixture->group.part_count; m++) {
        const og_component *component = &mixture->group.component[m];
        og_mixture_exact_share(component, s, n - s, part);
        mpq_add(total, total, part);
        if (up == NULL) {
            continue;
        }
        positive(mixture, component, s, n - s, above);
        mpq_mul(part, part, above);
        mpq_add(up, up, part);
    }
    mpq_clears(part, above, NULL);
}

/* out = (x up + y low) / den. */
static void weigh(mpq_srcptr up, mpq_srcptr low, const int64_t weight[2], int64_t den, mpq_t out)
{
    mpq_t factor;
    mpq_init(factor);
    og_fraction_get_mpq(factor, og_fraction_make(weight[0], den));
    mpq_mul(out, up, factor);
    og_fraction_get_mpq(factor, og_fraction_make(weight[1], den));
    mpq_mul(factor, factor, low);
    mpq_add(out, out, factor);
    mpq_clear(factor);
}

/* E of a node, and its Z. */
static void balance(const og_mixture *mixture, int32_t n, int32_t s, mpq_t total, mpq_t out)
{
    og_payoff_whole payoff = og_payoff_in_whole(&mixture->group.payoff);
    const int64_t weight[] = {payoff.up, -payoff.down};
    mpq_t up, low;
    mpq_inits(up, low, NULL);
    measure(mixture, n, s, total, up);
    mpq_sub(low, total, up);
    weigh(up, low, weight, payoff.den, out);
    mpq_clears(up, low, NULL);
}

/* h of a node: the better call. */
static void best_call(const og_mixture *mixture, int32_t n, int32_t s, mpq_t out)
{
    og_payoff_whole payoff = og_payoff_in_whole(&mixture->group.payoff);
    mpq_t total, up, low;
    mpq_inits(total, up, low, NULL);
    measure(mixture, n, s, total, up);
    mpq_div(up, up, total);
    mpq_set_ui(low, 1, 1);
    mpq_sub(low, low, up);
    weigh(up, low, payoff.worth[0], payoff.den, total);
    weigh(up, low, payoff.worth[1], payoff.den, out);
    if (mpq_cmp(total, out) > 0) {
        mpq_set(out, total);
    }
    mpq_clears(total, up, low, NULL);
}

int og_mixture_exact_sign(const og_mixture *mixture, int32_t n, int32_t s)
{
    mpq_t total, difference;
    mpq_inits(total, difference, NULL);
    balance(mixture, n, s, total, difference);
    int sign = mpq_sgn(difference);
    mpq_clears(total, difference, NULL);
    return sign;
}

void og_mixture_exact_call(const og_mixture *mixture, mpq_t out)
{
    assert(mixture->exact);
    best_call(mixture, 0, 0, out);
}

void og_mixture_exact_reward(const og_mixture *mixture, int32_t n, int32_t s, mpq_t out)
{
    assert(mixture->exact && n < mixture->depth);
    if (mixture->flip[n] != s) {
        mpq_set_ui(out, 0, 1);
        return;
    }
    mpq_t total, after;
    mpq_inits(total, after, NULL);
    balance(mixture, n + 1, s + (og_beta_flip_outcome(mixture, n) == 0), after, out);
    measure(mixture, n, s, total, NULL);
    mpq_div(out, out, total);
    mpq_abs(out, out);
    mpq_clears(total, after, NULL);
}

void og_mixture_exact_gain(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out)
{
    mpq_t here;
    assert(mixture->exact && n < mixture->depth);
    mpq_init(here);
    best_call(mixture, n, s, here);
    best_call(mixture, n + 1, s + (outcome == 0), out);
    mpq_sub(out, out, here);
    mpq_clear(here);
}

void og_mixture_exact_probability(const og_mixture *mixture, int32_t n, int32_t s, int outcome,
                                  mpq_t out)
{
    mpq_t total;
    mpq_init(total);
    measure(mixture, n, s, total, NULL);
    measure(mixture, n + 1, s + (outcome == 0), out, NULL);
    mpq_div(out, out, total);
    mpq_clear(total);
}

/* True if y is the mirror image of x after s positive and f negative labels, with the same weight
 * then. */
static bool is_mirror(const og_component *x, const og_component *y, int32_t s, int32_t f)
{
    mpq_t own, other;
    if (og_fraction_compare(og_fraction_plus(x->a, s), og_fraction_plus(y->b, f)) != 0 ||
        og_fraction_compare(og_fraction_plus(x->b, f), og_fraction_plus(y->a, s)) != 0) {
        return false;
    }
    mpq_inits(own, other, NULL);
    og_mixture_exact_share(x, s, f, own);
    og_mixture_exact_share(y, s, f, other);
    bool mirror = mpq_equal(own, other) != 0;
    mpq_clears(own, other, NULL);
    return mirror;
}

/* The only e = s - f at which the parameters a + s and b + f have the same sum over the components;
 * false if it is not whole or not within the depth. */
static bool balanced_difference(const og_mixture *mixture, int32_t *out)
{
    mpq_t sum, value;
    mpq_inits(sum, value, NULL);
    for (int32_t m = 0; m < mixture->group.part_count; m++) {
        og_fraction_get_mpq(value, mixture->group.component[m].b);
        mpq_add(sum, sum, value);
        og_fraction_get_mpq(value, mixture->group.component[m].a);
        mpq_sub(sum, sum, value);
    }
    mpq_set_si(value, mixture->group.part_count, 1);
    mpq_div(sum, sum, value);
    bool found = mpz_cmp_ui(mpq_denref(sum), 1) == 0 &&
                 mpz_cmpabs_ui(mpq_numref(sum), (uint32_t)mixture->depth) <= 0;
    if (found) {
        *out = (int32_t)mpz_get_si(mpq_numref(sum));
    }
    mpq_clears(sum, value, NULL);
    return found;
}

/* Along a diagonal the weights of mirror images grow by the same factor, ab / ((a+b)(a+b+1)), so
 * its first node decides for all. */
void og_mixture_find_diagonal(og_mixture *mixture)
{
    const og_group *prior = &mixture->group;
    int32_t e = 0;
    mixture->symmetric = false;
    if (prior->threshold.num != 1 || prior->threshold.den != 2 ||
        !og_payoff_is_even(&prior->payoff) || !balanced_difference(mixture, &e)) {
        return;
    }
    for (int32_t m = 0; m < prior->part_count; m++) {
        bool found = false;
        for (int32_t k = 0; k < prior->part_count && !found; k++) {
            found = is_mirror(&prior->component[m], &prior->component[k], e > 0 ? e : 0,
                              e < 0 ? -e : 0);
        }
        if (!found) {
            return;
        }
    }
    mixture->symmetric = true;
    mixture->diagonal = e;
}
