/*
 * Indices of the thresholding bandit, where an instance's own labels are compared with its
 * threshold D: n labels since the start, of which the share m is positive, d = |m - D|.
 *
 *   apt[:E]   -sqrt(n) (d + E), E = 0 [Locatelli, Gutzeit and Carpentier, "An optimal algorithm for
 *             the thresholding bandit problem", ICML 2016]
 *   lsa[:A]   -(A n d^2 + ln(n)/2), A = 1.35 [Tao, Blanco, Peng and Zhou, "Thresholding bandit with
 *             optimal aggregate regret", NeurIPS 2019, whose experiments use this A]
 *
 * Both papers first label every instance once: without labels the index is 1, above all others.
 * Neither sees the prior.
 *
 * The order is exact. If doubles do not decide it, fractions do; for lsa and different numbers of
 * labels, balls of Arb. These end, because the indices then differ: A n d^2 is a fraction, but the
 * logarithm of a fraction other than 1 is not [Lindemann].
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dp/base/sort.h"
#include "dp/base/wide.h"
#include "heuristics/index/index.h"

typedef struct {
    bool logarithm;        /* lsa */
    og_fraction parameter; /* E or A */
    double number;         /* the same, to the nearest double */
    double error;          /* |stored - exact| of every index */
} formula;

typedef struct {
    double value;
    int32_t labels, positive;
    const og_fraction *threshold;
    const formula *by;
    uint32_t class;
} item;

static double index_of(const item *at)
{
    const double n = at->labels;
    if (at->labels == 0) {
        return 1;
    }
    double distance = fabs(at->positive / n - og_fraction_double(*at->threshold));
    return at->by->logarithm ? 0 - (at->by->number * n * distance * distance + log(n) / 2)
                             : 0 - sqrt(n) * (distance + at->by->number);
}

/* The part of -index that is a fraction: n (d + E)^2, the square of apt's, or A n d^2. */
static void exact_part(const item *at, mpq_t out)
{
    mpq_t other;
    mpq_init(other);
    og_fraction_get_mpq(other, *at->threshold);
    mpq_set_ui(out, (uint32_t)at->positive, (uint32_t)at->labels);
    mpq_canonicalize(out);
    mpq_sub(out, out, other);
    mpq_abs(out, out);
    og_fraction_get_mpq(other, at->by->parameter);
    if (!at->by->logarithm) {
        mpq_add(out, out, other);
    }
    mpq_mul(out, out, out);
    if (at->by->logarithm) {
        mpq_mul(out, out, other);
    }
    mpq_set_ui(other, (uint32_t)at->labels, 1);
    mpq_mul(out, out, other);
    mpq_clear(other);
}

/* The sign of `part` + ln(n)/2 - ln(m)/2, n != m. */
static int sign_with_logarithms(mpq_t part, int32_t n, int32_t m)
{
    fmpz_t over, under;
    arb_t sum, log;
    fmpz_init(over), fmpz_init(under);
    arb_init(sum), arb_init(log);
    fmpz_set_mpz(over, mpq_numref(part));
    fmpz_set_mpz(under, mpq_denref(part));
    for (slong precision = 128; arb_contains_zero(sum); precision *= 2) {
        arb_fmpz_div_fmpz(sum, over, under, precision);
        arb_mul_2exp_si(sum, sum, 1);
        arb_log_ui(log, (uint32_t)n, precision);
        arb_add(sum, sum, log, precision);
        arb_log_ui(log, (uint32_t)m, precision);
        arb_sub(sum, sum, log, precision);
    }
    int sign = arb_is_positive(sum) ? 1 : -1;
    arb_clear(log), arb_clear(sum);
    fmpz_clear(under), fmpz_clear(over);
    return sign;
}

/* By -index: the smallest index is the largest of these. */
static int compare_exactly(const item *x, const item *y)
{
    const og_fraction *d = x->threshold;
    mpq_t one, other;
    if (x->labels == y->labels && og_fraction_compare(*d, *y->threshold) == 0) {
        og_wide apart = x->positive - y->positive, sum = (og_wide)x->positive + y->positive;
        og_wide side = sum * d->den - 2 * (og_wide)x->labels * d->num;
        return ((apart > 0) - (apart < 0)) * ((side > 0) - (side < 0));
    }
    mpq_inits(one, other, NULL);
    exact_part(x, one);
    exact_part(y, other);
    mpq_sub(one, one, other);
    int sign = x->by->logarithm && x->labels != y->labels
                   ? sign_with_logarithms(one, x->labels, y->labels)
                   : mpq_sgn(one);
    mpq_clears(one, other, NULL);
    return sign;
}

static int compare_indices(const item *x, const item *y)
{
    bool sure = x->labels == 0 || y->labels == 0 || fabs(x->value - y->value) > 2 * x->by->error;
    return sure ? (x->value > y->value) - (x->value < y->value) : -compare_exactly(x, y);
}

static int compare_items(const void *x, const void *y)
{
    const item *one = x, *other = y;
    int order = compare_indices(one, other);
    return order != 0 ? order : (one->class > other->class) - (one->class < other->class);
}

static item item_of(const og_index_job *job, const formula *by, uint32_t class)
{
    const og_arm *arm = job->arms->arm[job->twins->first_arm[class]];
    item at = {.threshold = &og_arm_prior(arm)->threshold, .by = by, .class = class};
    int32_t counts[2];
    og_arm_counts(arm, job->twins->first_node[class], counts);
    at.labels = counts[0] + counts[1];
    at.positive = counts[0];
    at.value = index_of(&at);
    return at;
}

static og_status places(const og_index_job *job, const og_scored *scored, og_take_places *take,
                        void *sink)
{
    const uint32_t count = job->twins->class_count;
    og_arena arena = {0};
    item *items = og_arena_array(&arena, count, sizeof *items);
    uint32_t *place = og_arena_array(&arena, count, sizeof *place), next = 0;
    og_status status = og_arena_status(&arena);
    for (uint32_t c = 0; status == OG_OK && c < count; c++) {
        items[c] = item_of(job, scored->own, c);
    }
    OG_THEN(status, og_sort(items, count, sizeof *items, compare_items, job->stop));
    for (uint32_t i = 0; status == OG_OK && i < count; i++) {
        next += i > 0 && compare_indices(&items[i - 1], &items[i]) != 0;
        place[items[i].class] = next;
    }
    OG_THEN(status, take(sink, 1, place, 0));
    og_arena_clear(&arena);
    return status;
}

static og_status check_arms(const og_index_job *job, og_message *message)
{
    for (int32_t a = 0; a < job->arms->arm_count; a++) {
        if (og_arm_prior(job->arms->arm[a])->kind == OG_PRIOR_DIRICHLET) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%s' compares labels with a threshold, which several "
                                  "classes do not have; omit it, or give instances A,B",
                                  job->policy->name);
        }
    }
    return OG_OK;
}

static og_status score(const og_index_job *job, formula by, og_scored *out, og_message *message)
{
    const double labels = fmax(job->arms->budget, 1);
    OG_TRY(check_arms(job, message));
    OG_TRY(og_scored_init(job, false, false, out));
    formula *own = out->own = og_arena_array(&out->arena, 1, sizeof *own);
    OG_TRY(og_arena_status(&out->arena));
    *own = by;
    /* d is off by at most 2 units, and each of the other operations by one more. */
    own->error = 8 * DBL_EPSILON *
                 (by.logarithm ? by.number * labels + log(labels) : sqrt(labels) * (1 + by.number));
    for (uint32_t c = 0; c < job->twins->class_count; c++) {
        out->index->index[job->twins->first_arm[c]][job->twins->first_node[c]] =
            item_of(job, own, c).value;
    }
    out->index->absolute_error = own->error;
    out->places = places;
    return OG_OK;
}

og_status og_score_apt(const og_index_job *job, og_scored *out, og_message *message)
{
    const og_fraction none = {0, 1};
    og_fraction e = job->policy->has_parameter ? job->policy->parameter_exact : none;
    return score(job, (formula){false, e, og_fraction_double(e), 0}, out, message);
}

og_status og_score_lsa(const og_index_job *job, og_scored *out, og_message *message)
{
    const og_fraction usual = {27, 20};
    og_fraction a = job->policy->has_parameter ? job->policy->parameter_exact : usual;
    return score(job, (formula){true, a, og_fraction_double(a), 0}, out, message);
}
