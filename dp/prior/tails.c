/*
 * Both tails of a Beta, and of a mixture of them: in exact integers if the parameters are whole,
 * else in balls of increasing precision. Computes one tail; the other is 1 minus it, and a ball of
 * the heavy tail loses no digits through that.
 */
#include "dp/prior/tails.h"

#include "dp/base/rational.h"
#include "dp/base/wide.h"
#include "dp/prior/beta.h"
#include "dp/prior/beta_walk.h"

bool og_beta_tails_are_exact(const og_group *group, int32_t labels)
{
    return og_beta_is_exact(group->a, group->b, group->threshold, labels);
}

bool og_beta_exact_tails(const og_group *group, mpq_t below, mpq_t above)
{
    if (!og_beta_tails_are_exact(group, 0)) {
        return false;
    }
    uint32_t a = (uint32_t)group->a.num, b = (uint32_t)group->b.num;
    og_exact_tail(a, b, group->threshold.num, group->threshold.den, mpq_numref(above));
    og_mpz_set(mpq_denref(above), group->threshold.den);
    mpz_pow_ui(mpq_denref(above), mpq_denref(above), a + b - 1);
    mpq_canonicalize(above);
    mpz_sub(mpq_numref(below), mpq_denref(above), mpq_numref(above));
    mpz_set(mpq_denref(below), mpq_denref(above));
    return true;
}

/* False: more digits are needed. */
static bool ball_tails(const og_group *group, slong precision, double *below, double *above)
{
    int tiny_bits = precision >= OG_BETA_PRECISION_MAX ? OG_BETA_TINY_BITS : 0;
    arb_t low, high, weight;
    og_balls_init(low, high, weight, NULL);
    og_ball_tails(group, low, high, weight, precision + 64); /* as og_ball_root */
    bool found = og_nearest_of_ball(low, precision, tiny_bits, below) &&
                 og_nearest_of_ball(high, precision, tiny_bits, above);
    og_balls_clear(low, high, weight, NULL);
    return found;
}

og_status og_beta_tails(const og_group *group, double *below, double *above)
{
    double low = 0, high = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    bool found = og_beta_exact_tails(group, exact[0], exact[1]);
    if (found) {
        low = og_nearest(exact[0]);
        high = og_nearest(exact[1]);
    }
    for (int i = 0; !found && i < OG_PRECISION_COUNT; i++) {
        found = ball_tails(group, og_precisions[i], &low, &high);
    }
    mpq_clears(exact[0], exact[1], NULL);
    if (!found) {
        return OG_FAILED;
    }
    *below = low;
    *above = high;
    return OG_OK;
}

/* ---- mixtures ---- */

/* A component after these labels; its parameters stay in the range of og_group_check. */
static og_group updated(const og_group *mixture, int32_t part, int32_t positive, int32_t negative)
{
    const og_component *component = &mixture->component[part];
    return (og_group){.a = og_fraction_plus(component->a, positive),
                      .b = og_fraction_plus(component->b, negative),
                      .threshold = mixture->threshold,
                      .count = 1};
}

bool og_mixture_tails_are_exact(const og_group *mixture, int32_t labels)
{
    bool exact = true;
    for (int32_t k = 0; k < mixture->part_count; k++) {
        const og_component *component = &mixture->component[k];
        exact = exact && og_beta_is_exact(component->a, component->b, mixture->threshold, labels);
    }
    return exact;
}

/* out *= from (from + 1) ... , so many factors */
static void multiply_rising(mpz_t out, uint32_t from, int32_t factors)
{
    for (int32_t i = 0; i < factors; i++) {
        mpz_mul_ui(out, out, from + (uint32_t)i);
    }
}

/* The component's weight times the probability of these labels in one order; whole parameters. */
static void exact_share(const og_component *component, int32_t positive, int32_t negative,
                        mpq_t out)
{
    uint32_t a = (uint32_t)component->a.num, b = (uint32_t)component->b.num;
    og_fraction_get_mpq(out, component->weight);
    multiply_rising(mpq_numref(out), a, positive);
    multiply_rising(mpq_numref(out), b, negative);
    multiply_rising(mpq_denref(out), a + b, positive + negative);
    mpq_canonicalize(out);
}

bool og_mixture_exact_tails(const og_group *mixture, int32_t positive, int32_t negative,
                            mpq_t below, mpq_t above)
{
    if (!og_mixture_tails_are_exact(mixture, positive + negative)) {
        return false;
    }
    mpq_t share, low, high;
    mpq_inits(share, low, high, NULL);
    mpq_set_ui(below, 0, 1);
    mpq_set_ui(above, 0, 1);
    for (int32_t k = 0; k < mixture->part_count; k++) {
        const og_group now = updated(mixture, k, positive, negative);
        exact_share(&mixture->component[k], positive, negative, share);
        og_beta_exact_tails(&now, low, high);
        mpq_mul(low, low, share);
        mpq_mul(high, high, share);
        mpq_add(below, below, low);
        mpq_add(above, above, high);
    }
    mpq_add(share, below, above);
    mpq_div(below, below, share);
    mpq_div(above, above, share);
    mpq_clears(share, low, high, NULL);
    return true;
}

/* The same in balls, for any parameters; value and more are scratch. */
static void ball_share(const og_component *component, int32_t positive, int32_t negative, arb_t out,
                       arb_t value, arb_t more, slong precision)
{
    og_set_fraction(out, component->weight, precision);
    og_set_fraction(value, component->a, precision);
    arb_rising_ui(more, value, (uint32_t)positive, precision);
    arb_mul(out, out, more, precision);
    og_set_fraction(more, component->b, precision);
    arb_add(value, value, more, precision);
    arb_rising_ui(more, value, (uint32_t)(positive + negative), precision);
    arb_div(out, out, more, precision);
    og_set_fraction(value, component->b, precision);
    arb_rising_ui(more, value, (uint32_t)negative, precision);
    arb_mul(out, out, more, precision);
}

/* False: more digits are needed. */
static bool mixed_ball_tails(const og_group *mixture, int32_t positive, int32_t negative,
                             slong precision, double *below, double *above)
{
    const slong digits = precision + 64; /* as og_ball_root */
    int tiny_bits = precision >= OG_BETA_PRECISION_MAX ? OG_BETA_TINY_BITS : 0;
    arb_t low, high, share, one_low, one_high, scratch;
    og_balls_init(low, high, share, one_low, one_high, scratch, NULL);
    for (int32_t k = 0; k < mixture->part_count; k++) {
        const og_group now = updated(mixture, k, positive, negative);
        ball_share(&mixture->component[k], positive, negative, share, one_low, one_high, digits);
        og_ball_tails(&now, one_low, one_high, scratch, digits);
        arb_addmul(low, one_low, share, digits);
        arb_addmul(high, one_high, share, digits);
    }
    arb_add(share, low, high, digits);
    arb_div(low, low, share, digits);
    arb_div(high, high, share, digits);
    bool found = og_nearest_of_ball(low, precision, tiny_bits, below) &&
                 og_nearest_of_ball(high, precision, tiny_bits, above);
    og_balls_clear(low, high, share, one_low, one_high, scratch, NULL);
    return found;
}

og_status og_mixture_tails(const og_group *mixture, int32_t positive, int32_t negative,
                           double *below, double *above)
{
    double low = 0, high = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    bool found = og_mixture_exact_tails(mixture, positive, negative, exact[0], exact[1]);
    if (found) {
        low = og_nearest(exact[0]);
        high = og_nearest(exact[1]);
    }
    for (int i = 0; !found && i < OG_PRECISION_COUNT; i++) {
        found = mixed_ball_tails(mixture, positive, negative, og_precisions[i], &low, &high);
    }
    mpq_clears(exact[0], exact[1], NULL);
    if (!found) {
        return OG_FAILED;
    }
    *below = low;
    *above = high;
    return OG_OK;
}
