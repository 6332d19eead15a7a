/*
 * Both tails of a Beta: in exact integers where the parameters are whole, else in balls of more and
 * more digits. Only one tail is computed, the other is what is missing to 1; a ball of the heavy
 * one loses no digits by that.
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
