/*
 * nlu: label uncertainty with the workers' quality estimated from the labels [after Ipeirotis,
 * Provost, Sheng and Wang, Data Mining and Knowledge Discovery 28 (2014), 402-441; the estimation
 * is a reading of it]. Labels of a positive (negative) instance agree with its class at a rate that
 * is itself Beta(A+, D+) (Beta(A-, D-)); positives have share pi. An instance with l+ positive and
 * l- negative labels since the start, n in all, is positive with probability
 *
 *   w = pi * B(A+ + l+, D+ + l-)/B(A+, D+)  over the sum of that and
 *       (1 - pi) * B(A- + l-, D- + l+)/B(A-, D-).
 *
 * The first round starts from pi = 1/2, A = 2, D = 1 for both classes. Each round computes w of
 * every instance that has labels, then pi as their mean. Then A+ and D+ come from the moments of
 * the fractions l+/n under the weights w (A- and D- of l-/n under 1 - w). Rounds end when no w has
 * changed by more than 1e-9, or after 100. The score is min(w, 1 - w), 1/2 without labels; the
 * largest is labelled. Scores within 1e-9 of the largest, which is the accuracy of the rounds, tie;
 * this is part of the definition.
 *
 * No step cancels: B(A + x, D + y)/B(A, D) is a quotient of products such as A (A + 1) .. (A + x -
 * 1). With the weighted mean s of f(1 - f), q = m(1 - m)/v - 1 = s/v. The conditions 0 < v < m(1 -
 * m) mean that two of the fractions differ, and that one of them is not 0 or 1; both are decided by
 * counting.
 */
#include <math.h>
#include <stdbool.h>

#include "dp/product/chooser.h"
#include "heuristics/asking.h"

enum { ROUNDS_MAX = 100 };

static const double settled = 1e-9;

/* The product of three such mantissas and a share stays within the range of doubles. */
static const double mantissa_most = 1e75;

/* mantissa * 2^exponent, so that no product leaves the range of doubles. */
typedef struct {
    double mantissa;
    int exponent;
} scaled;

/* Instances with the same labels. */
typedef struct {
    int32_t positive; /* l+ */
    int32_t negative; /* l- */
    double copies;
    double fraction; /* l+/n */
    double w;
    double other; /* 1 - w */
} labelled;

/* The agreement rate of one class. */
typedef struct {
    double agree;    /* A */
    double disagree; /* D */
    scaled
        *rising[3]; /* [labels_max + 1] A (A + 1) .. (A + x - 1) for x = 0, 1, .., of D, of A + D */
} agreement_rate;

typedef struct {
    int32_t count;
    labelled *group; /* [count] that have labels */
    int32_t labels_max;
    bool fractions_differ;
    bool fraction_inside; /* not all are 0 or 1 */
    double share;         /* pi */
    double other_share;   /* 1 - pi */
    agreement_rate positive;
    agreement_rate negative;
} nlu_estimate;

static void fill_rising(double from, int32_t count, scaled *out)
{
    scaled product = {1, 0};
    for (int32_t x = 0; x <= count; x++) {
        out[x] = product;
        product.mantissa *= from + x;
        if (product.mantissa > mantissa_most || product.mantissa < 1 / mantissa_most) {
            int exponent;
            product.mantissa = frexp(product.mantissa, &exponent);
            product.exponent += exponent;
        }
    }
}

static void fill_rate(agreement_rate *rate, int32_t labels_max)
{
    fill_rising(rate->agree, labels_max, rate->rising[0]);
    fill_rising(rate->disagree, labels_max, rate->rising[1]);
    fill_rising(rate->agree + rate->disagree, labels_max, rate->rising[2]);
}

/* One side of the ratio w : 1 - w after both sides are multiplied out: a share, times the two
 * products in the numerator of B(A + x, D + y)/B(A, D) for one class, times the product in the
 * denominator for the other class. */
static scaled odds_part(double share, const agreement_rate *above, int32_t agreeing,
                        int32_t disagreeing, const agreement_rate *below)
{
    scaled a = above->rising[0][agreeing];
    scaled d = above->rising[1][disagreeing];
    scaled both = below->rising[2][agreeing + disagreeing];
    return (scaled){share * a.mantissa * d.mantissa * both.mantissa,
                    a.exponent + d.exponent + both.exponent};
}

/* Computes w of every group; returns the largest change. */
static double weigh(nlu_estimate *estimate)
{
    double moved = 0;
    fill_rate(&estimate->positive, estimate->labels_max);
    fill_rate(&estimate->negative, estimate->labels_max);
    for (int32_t i = 0; i < estimate->count; i++) {
        labelled *group = &estimate->group[i];
        scaled yes = odds_part(estimate->share, &estimate->positive, group->positive,
                               group->negative, &estimate->negative);
        scaled no = odds_part(estimate->other_share, &estimate->negative, group->negative,
                              group->positive, &estimate->positive);
        int exponent = yes.exponent - no.exponent;
        double high = exponent < 0 ? ldexp(yes.mantissa, exponent) : yes.mantissa;
        double low = exponent > 0 ? ldexp(no.mantissa, -exponent) : no.mantissa;
        double w = high / (high + low);
        moved = fmax(moved, fabs(w - group->w));
        group->w = w;
        group->other = low / (high + low);
    }
    return moved;
}

/* Method of moments. The condition fails only if weights exceed the range of doubles. */
static void set_rate(double mean, double rest, double q, agreement_rate *out)
{
    if (isfinite(q) && q > 0) {
        out->agree = mean * q;
        out->disagree = rest * q;
    }
}

/* Fits both rates to the moments of l+/n under w, and of l-/n under 1 - w. */
static void fit(nlu_estimate *estimate)
{
    double weight[2] = {0, 0};
    double mean[2] = {0, 0};
    double rest[2] = {0, 0};   /* 1 - mean, which is tiny if workers nearly always agree */
    double inside[2] = {0, 0}; /* f(1 - f), the same for l+/n and l-/n */
    double variance[2] = {0, 0};
    for (int32_t i = 0; i < estimate->count; i++) {
        const labelled *group = &estimate->group[i];
        double f = group->fraction;
        double yes = group->copies * group->w;
        double no = group->copies * group->other;
        weight[0] += yes;
        weight[1] += no;
        mean[0] += yes * f;
        mean[1] += no * (1 - f);
        rest[0] += yes * (1 - f);
        rest[1] += no * f;
        inside[0] += yes * (f * (1 - f));
        inside[1] += no * (f * (1 - f));
    }
    estimate->share = weight[0] / (weight[0] + weight[1]);
    estimate->other_share = weight[1] / (weight[0] + weight[1]);
    if (!estimate->fractions_differ || !estimate->fraction_inside) {
        return;
    }
    mean[0] /= weight[0];
    mean[1] /= weight[1];
    for (int32_t i = 0; i < estimate->count; i++) {
        const labelled *group = &estimate->group[i];
        double yes = group->fraction - mean[0];
        double no = 1 - group->fraction - mean[1];
        variance[0] += group->copies * group->w * yes * yes;
        variance[1] += group->copies * group->other * no * no;
    }
    set_rate(mean[0], rest[0] / weight[0], inside[0] / variance[0], &estimate->positive);
    set_rate(mean[1], rest[1] / weight[1], inside[1] / variance[1], &estimate->negative);
}

static void run_rounds(nlu_estimate *estimate)
{
    estimate->share = estimate->other_share = 0.5;
    estimate->positive.agree = estimate->negative.agree = 2;
    estimate->positive.disagree = estimate->negative.disagree = 1;
    for (int round = 1; round <= ROUNDS_MAX; round++) {
        double moved = weigh(estimate);
        if (round > 1 && moved <= settled) {
            return;
        }
        fit(estimate);
    }
}

/* Collects the groups that have labels, and whether their fractions differ and lie inside 0 .. 1.
 */
static void gather(const og_arms *arms, const og_state *state, nlu_estimate *estimate)
{
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        int32_t counts[2];
        og_arm_counts(arms->arm[group->arm], group->node, counts);
        int32_t labels = counts[0] + counts[1];
        if (labels == 0) {
            continue;
        }
        estimate->group[estimate->count] = (labelled){.positive = counts[0],
                                                      .negative = counts[1],
                                                      .copies = (double)group->copies,
                                                      .fraction = (double)counts[0] / labels};
        const labelled *first = &estimate->group[0];
        estimate->count++;
        estimate->labels_max = labels > estimate->labels_max ? labels : estimate->labels_max;
        estimate->fraction_inside = estimate->fraction_inside || (counts[0] > 0 && counts[1] > 0);
        /* f = g  <=>  l+ * m- = m+ * l- */
        estimate->fractions_differ =
            estimate->fractions_differ ||
            (int64_t)counts[0] * first->negative != (int64_t)counts[1] * first->positive;
    }
}

static void make_rates(og_arena *arena, nlu_estimate *estimate)
{
    size_t row = (size_t)estimate->labels_max + 1;
    for (size_t i = 0; i < 3; i++) {
        estimate->positive.rising[i] = og_arena_array(arena, row, sizeof(scaled));
        estimate->negative.rising[i] = og_arena_array(arena, row, sizeof(scaled));
    }
}

static void score(const og_arms *arms, const og_state *state, const nlu_estimate *estimate,
                  double *answer)
{
    double top = 0;
    for (int32_t i = 0, next = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        bool fresh = arms->arm[group->arm]->level[1] > group->node;
        answer[i] = fresh ? 0.5 : fmin(estimate->group[next].w, estimate->group[next].other);
        next += !fresh;
        top = fmax(top, answer[i]);
    }
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = answer[i] >= top - settled ? top : answer[i];
    }
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    const og_arms *arms = self;
    og_arena arena = {0};
    (void)message;
    *kind = OG_ANSWER_INDEX;
    nlu_estimate estimate = {
        .group = og_arena_array(&arena, (size_t)state->count, sizeof *estimate.group)};
    if (estimate.group != NULL) {
        gather(arms, state, &estimate);
        make_rates(&arena, &estimate);
    }
    og_status status = og_arena_status(&arena);
    if (status == OG_OK && estimate.count > 0) {
        run_rounds(&estimate);
    }
    if (status == OG_OK) {
        score(arms, state, &estimate, answer);
    }
    og_arena_clear(&arena);
    return status;
}

og_status og_make_nlu(const og_policy_name *policy, const og_arms *arms, const og_policy_use *use,
                      og_ranks **out, og_message *message)
{
    (void)use;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (arms->arm[i]->outcome_count != 2) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "policy '%s' supports only labels of two classes; an instance has %d", policy->name,
                arms->arm[i]->outcome_count);
        }
    }
    og_chooser chooser = {
        .self = (void *)arms, .look = OG_LOOK_LABELS, .concurrent = true, .choose = choose};
    return og_ranks_new_chooser(arms, &chooser, out);
}
