/*
 * The rules that look one label ahead [Chen, Lin and Zhou, sections 3 and 4], and strategies by a
 * rule. Each index has a proved radius, if the prospect's errors are proved.
 */
#include "heuristics/rule.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/base/arb.h"
#include "dp/prior/problem.h"

/* u: the relative error of rounding to nearest. */
static const double unit_roundoff = DBL_EPSILON / 2;

void og_prospect_pair(og_prospect *out, const double probability[2], const double gain[2])
{
    *out = (og_prospect){.probability = out->pair, .gain = out->pair + 2, .mean = NAN};
    for (int k = 0; k < 2; k++) {
        if (probability[k] > 0) {
            out->pair[out->count] = probability[k];
            out->pair[2 + out->count++] = gain[k];
        }
    }
}

/* ---- mean ---- */

static double mean(const og_prospect *at, const og_rule_use *use, double *radius)
{
    double value = 0, size = 0, filled = 0;
    (void)use;
    for (int32_t k = 0; isnan(at->mean) && k < at->count; k++) {
        value += at->probability[k] * at->gain[k];
    }
    for (int32_t k = 0; radius != NULL && k < at->count; k++) {
        size += at->probability[k] * fabs(at->gain[k]);
        filled += at->probability[k];
    }
    if (radius != NULL) {
        double relative = at->probability_error + at->gain_error + (at->count + 2) * DBL_EPSILON;
        *radius = isnan(at->mean) ? relative * size + at->gain_absolute * filled : at->mean_radius;
    }
    return isnan(at->mean) ? value : at->mean;
}

static void exact_mean(int32_t count, mpq_t *probability, mpq_t *gain, og_fraction parameter,
                       mpq_t out)
{
    (void)parameter;
    mpq_set_ui(out, 0, 1);
    for (int32_t k = 0; k < count; k++) {
        mpq_mul(gain[k], gain[k], probability[k]);
        mpq_add(out, out, gain[k]);
    }
}

/* ---- extremes ---- */

/* The proved error of the extreme gain sign * value. */
static double extreme_radius(const og_prospect *at, double sign, double value)
{
    double upper = -INFINITY, lower = -INFINITY;
    for (int32_t k = 0; k < at->count; k++) {
        double gain = sign * at->gain[k];
        double error = at->gain_error * fabs(gain) + at->gain_absolute;
        upper = fmax(upper, gain + error);
        lower = fmax(lower, gain - error);
    }
    /* The subtractions are exact, or have a relative error u of a number no larger than the radius.
     */
    double radius = fmax(upper - value, value - lower) * (1 + DBL_EPSILON);
    return radius + unit_roundoff * fabs(value);
}

/* sign = 1: the largest gain, -1: the smallest. */
static double extreme_gain(const og_prospect *at, double sign, double *radius)
{
    double value = -INFINITY;
    for (int32_t k = 0; k < at->count; k++) {
        double gain = sign * at->gain[k];
        value = gain > value ? gain : value;
    }
    if (radius != NULL) {
        *radius = extreme_radius(at, sign, value);
    }
    return sign * value;
}

static double largest_gain(const og_prospect *at, const og_rule_use *use, double *radius)
{
    (void)use;
    return extreme_gain(at, 1, radius);
}

static double smallest_gain(const og_prospect *at, const og_rule_use *use, double *radius)
{
    (void)use;
    return extreme_gain(at, -1, radius);
}

static void exact_extreme(int32_t count, mpq_t *gain, int sign, mpq_t out)
{
    for (int32_t k = 0; k < count; k++) {
        if (k == 0 || sign * mpq_cmp(gain[k], out) > 0) {
            mpq_set(out, gain[k]);
        }
    }
}

static void exact_largest(int32_t count, mpq_t *probability, mpq_t *gain, og_fraction parameter,
                          mpq_t out)
{
    (void)probability, (void)parameter;
    exact_extreme(count, gain, 1, out);
}

static void exact_smallest(int32_t count, mpq_t *probability, mpq_t *gain, og_fraction parameter,
                           mpq_t out)
{
    (void)probability, (void)parameter;
    exact_extreme(count, gain, -1, out);
}

/* ---- the mean over the best part ---- */

/* The outcomes by gain, the smallest first. */
static void sort_by_gain(const og_prospect *at, int32_t *order)
{
    assert(at->count <= OG_NODE_OUTCOMES_MAX);
    for (int32_t i = 0; i < at->count; i++) {
        int32_t j = i;
        for (; j > 0 && at->gain[order[j - 1]] > at->gain[i]; j--) {
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
}

/*
 * Fills shares q_k <= p_k / alpha, from the outcome order[start] on in steps of `step`, until they
 * sum to `total`. Returns sum q_k R_k. Radius: each share has a relative error e (p, alpha,
 * roundings). The last share is the rest, so its error is the sum of those before; so is the error
 * of the next share, which a slightly larger rest would make positive.
 */
static double fill_shares(const og_prospect *at, const int32_t *order, double alpha, double total,
                          int32_t step, double *radius)
{
    double relative = at->probability_error + (at->count + 4) * unit_roundoff;
    double largest = 0, rest = total, value = 0, size = 0, filled = 0;
    for (int32_t k = 0; k < at->count; k++) {
        largest = fmax(largest, fabs(at->gain[k]));
    }
    for (int32_t i = step > 0 ? 0 : at->count - 1, n = 0; n < at->count && rest > 0;
         i += step, n++) {
        int32_t k = order[i];
        double share = fmin(at->probability[k] / alpha, rest);
        value += share * at->gain[k];
        size += share * fabs(at->gain[k]);
        filled += share;
        rest -= share;
    }
    *radius = (at->gain_error + 2 * relative) * size + 2 * relative * filled * largest +
              fmax(filled, 1) * at->gain_absolute;
    return value;
}

/* Of outcomes whose mean is only their sum; the last one takes the rest. */
static double fill_plainly(const og_prospect *at, const int32_t *order, double alpha)
{
    double rest = alpha, value = 0;
    for (int32_t i = at->count - 1; i >= 0; i--) {
        double share = i > 0 ? fmin(at->probability[order[i]], rest) : rest;
        value += share * at->gain[order[i]];
        rest -= share;
    }
    return value / alpha;
}

/*
 * Two forms of the same number, to avoid cancellation: filling from the largest gain, or
 * subtracting from R / alpha the outcomes that are not in the best part,
 *
 *   index = R / alpha - sum e_k R_k,   e_k <= p_k / alpha filled from the smallest gain to
 *   the total 1 / alpha - 1.
 *
 * The second form equals R at alpha = 1. Its terms have one sign if the smallest gain is negative
 * and the first form has terms of both signs.
 */
static double mean_of_best_part(const og_prospect *at, const og_rule_use *use, double *radius)
{
    const og_fraction exact = use->parameter;
    int32_t order[OG_NODE_OUTCOMES_MAX];
    double found, ignored;
    if (exact.num == 0) {
        return extreme_gain(at, 1, radius);
    }
    const bool wanted = radius != NULL;
    radius = wanted ? radius : &ignored;
    const double alpha = use->part;
    sort_by_gain(at, order);
    int32_t top = order[at->count - 1], bottom = order[0];
    double spread = at->gain[top] - at->gain[bottom];
    /* The form depends on p / alpha >= 1; if rounding decides, the two forms differ by at most
     * this. */
    double doubt = (at->probability_error + 4 * unit_roundoff) * spread;
    const bool filled = exact.num != exact.den && at->probability[top] >= alpha;
    if (!wanted && (filled || isnan(at->mean))) {
        return filled ? at->gain[top] : fill_plainly(at, order, alpha);
    }
    if (filled) {
        found = extreme_gain(at, 1, radius);
        bool certain =
            at->probability[top] * (1 - at->probability_error - 4 * unit_roundoff) > alpha;
        *radius += certain ? 0 : doubt;
        return found;
    }
    if (isnan(at->mean) || (exact.num != exact.den && at->gain[bottom] >= 0)) {
        found = fill_shares(at, order, alpha, 1, -1, radius);
        *radius += doubt;
        return isnan(at->mean) ? fill_plainly(at, order, alpha) : found;
    }
    double outside = (double)(exact.den - exact.num) / (double)exact.num;
    double taken = fill_shares(at, order, alpha, outside, 1, radius), share = at->mean / alpha;
    *radius += at->mean_radius / alpha + 4 * unit_roundoff * fabs(share);
    if (exact.num != exact.den) {
        *radius += doubt + 4 * unit_roundoff * (fabs(share) + fabs(taken)) + at->gain_absolute;
    }
    return share - taken;
}

/* sum q_k gain_k, filled from the largest gain. */
static void exact_best_part(int32_t count, mpq_t *probability, mpq_t *gain, og_fraction parameter,
                            mpq_t out)
{
    mpq_t rest, share;
    if (parameter.num == 0) {
        exact_extreme(count, gain, 1, out);
        return;
    }
    mpq_inits(rest, share, NULL);
    og_fraction_get_mpq(rest, parameter);
    mpq_set_ui(out, 0, 1);
    for (; count > 0 && mpq_sgn(rest) > 0; count--) { /* the best of the others comes last */
        int32_t best = 0, last = count - 1;
        for (int32_t k = 1; k < count; k++) {
            best = mpq_cmp(gain[k], gain[best]) > 0 ? k : best;
        }
        mpq_swap(gain[best], gain[last]);
        mpq_swap(probability[best], probability[last]);
        mpq_set(share, mpq_cmp(probability[last], rest) > 0 ? rest : probability[last]);
        mpq_sub(rest, rest, share);
        mpq_mul(share, share, gain[last]);
        mpq_add(out, out, share);
    }
    og_fraction_get_mpq(share, parameter);
    mpq_div(out, out, share);
    mpq_clears(rest, share, NULL);
}

/* ---- uncertainty of the next label ---- */

static double entropy(const og_prospect *at, const og_rule_use *use, double *radius)
{
    double sum = 0, filled = 0;
    (void)use;
    for (int32_t k = 0; k < at->count; k++) {
        sum -= at->probability[k] * log(at->probability[k]);
        filled += at->probability[k];
    }
    if (radius != NULL) { /* d(p ln p) = (ln p + 1) dp */
        *radius = at->probability_error * (sum + filled) + (at->count + 4) * DBL_EPSILON * sum;
    }
    return fmax(sum, 0);
}

/* Rounded to 2^-256, from the largest probability on: equal ones have the same bits. */
static void exact_entropy(int32_t count, mpq_t *probability, mpq_t *gain, og_fraction parameter,
                          mpq_t out)
{
    const slong places = 256, precision = 320;
    fmpz_t over, under;
    arb_t p, log, sum;
    (void)gain, (void)parameter;
    fmpz_init(over), fmpz_init(under);
    arb_init(p), arb_init(log), arb_init(sum);
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = k + 1; i < count; i++) {
            if (mpq_cmp(probability[i], probability[k]) > 0) {
                mpq_swap(probability[i], probability[k]);
            }
        }
        fmpz_set_mpz(over, mpq_numref(probability[k]));
        fmpz_set_mpz(under, mpq_denref(probability[k]));
        arb_fmpz_div_fmpz(p, over, under, precision);
        arb_log(log, p, precision);
        arb_submul(sum, p, log, precision);
    }
    arb_mul_2exp_si(sum, sum, places);
    arf_get_fmpz(over, arb_midref(sum), ARF_RND_NEAR);
    fmpz_get_mpz(mpq_numref(out), over);
    mpz_set_ui(mpq_denref(out), 1);
    mpz_mul_2exp(mpq_denref(out), mpq_denref(out), (mp_bitcnt_t)places);
    mpq_canonicalize(out);
    arb_clear(sum), arb_clear(log), arb_clear(p);
    fmpz_clear(under), fmpz_clear(over);
}

static double unsure(const og_prospect *at, const og_rule_use *use, double *radius)
{
    double sum = 0;
    int32_t likely = 0;
    (void)use;
    for (int32_t k = 1; k < at->count; k++) {
        likely = at->probability[k] > at->probability[likely] ? k : likely;
    }
    for (int32_t k = 0; k < at->count; k++) {
        sum += k != likely ? at->probability[k] : 0;
    }
    if (radius != NULL) { /* near a tie another one may be the likely outcome */
        *radius = 2 * at->probability_error + (at->count + 2) * DBL_EPSILON;
    }
    return sum;
}

static void exact_unsure(int32_t count, mpq_t *probability, mpq_t *gain, og_fraction parameter,
                         mpq_t out)
{
    (void)gain, (void)parameter;
    exact_extreme(count, probability, 1, out);
    mpz_sub(mpq_numref(out), mpq_denref(out), mpq_numref(out));
    mpq_canonicalize(out);
}

const og_rule og_rule_any = {NULL, NULL, false};
const og_rule og_rule_mean = {mean, exact_mean, false};
const og_rule og_rule_best = {largest_gain, exact_largest, false};
const og_rule og_rule_worst = {smallest_gain, exact_smallest, false};
const og_rule og_rule_best_part = {mean_of_best_part, exact_best_part, false};
const og_rule og_rule_entropy = {entropy, exact_entropy, true};
const og_rule og_rule_unsure = {unsure, exact_unsure, true};

/* ---- strategies ---- */

og_status og_ruled_tie(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                       og_message *message)
{
    (void)self, (void)message;
    memset(answer, 0, (size_t)view->count * sizeof *answer);
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const og_ruled *ruled = self;
    *kind = OG_ANSWER_INDEX;
    for (int32_t k = 0; k < view->count; k++) {
        og_prospect at;
        OG_TRY(ruled->prospect(self, view, k, &at, message));
        answer[k] = og_rule_value(&ruled->use, &at);
    }
    return OG_OK;
}

og_status og_ruled_new(size_t size, const og_rule_use *use, og_prospect_of *prospect,
                       og_strategy *out)
{
    og_ruled *ruled = og_arena_new(size);
    OG_TRY(OG_ALLOCATED(ruled));
    ruled->use = *use;
    ruled->prospect = prospect;
    *out =
        (og_strategy){.self = ruled, .concurrent = true, .choose = choose, .free = og_arena_free};
    return OG_OK;
}
