/*
 * Computes the index lagrangian, a policy of optgap with the prices of a bound of [Hu and Frazier,
 * section 5]: the advantage of buying a label now over waiting, for a single instance at the prices
 * p_1 .. p_T that minimise the relaxed problem's bound. With left = T - l + 1, in the notation of
 * heuristics/bounds/priced_arm.h,
 *
 *   index(x) = -p_l + R(x) + sum_k p_k f(next_k, l + 1) - f(x, l + 1),
 *   f(x, l)  = f(x, l + 1) + max(0, index(x)).
 *
 * The relaxed problem buys if the index is positive and waits if it is negative. If the index is 0
 * both are optimal, and the solution buys with a probability that makes the expected number of
 * labels of a stage one. Ties at 0 are frequent: while prices stay the same, waiting costs nothing,
 * so all instances that will be bought in that time tie. Among tied instances the one with the
 * larger probability in the relaxed solution goes first (heuristics/index/draw.h defines the
 * solution and its probabilities for states that it never reaches). Those with odds within
 * OG_SECOND_TIE of each other still tie, and --ties decides. All instances that would never be
 * bought tie at the bottom, at -p_l, with probability 0.
 *
 * Rounding. Let m be the number of outcomes, u the unit roundoff, c = max(error of p, error of R) +
 * (m + 6) u, M the largest R, F_l the largest f with l labels left, E_l the error of f. The value
 * of a label, R + sum p f, has the error E_{l-1} plus a part c of M + F. After subtracting the
 * price (which is rounded) and f(x), the error of the index is
 *
 *   A_l = 2 (1 + 2c) E_{l-1} + 2 c (M + p_l + 2 F_{l-1}),
 *
 * and that of f, the larger of two values, is E_l = (1 + 2c) E_{l-1} + the same.
 *
 * An f that may be nonzero is never stored as 0, so a stored 0 is exact, and so is the index -p_l
 * of a node without a gain whose successors have f = 0. The radius omits only the rounding of -p_l,
 * which is the same for all nodes with as many labels left.
 * Checked by tests/test_index_lagrangian.c: index_is_the_definition_within_the_stated_error
 */
#include "heuristics/index/lagrangian.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dp/base/wide.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/index/draw.h"
#include "heuristics/index/finite_horizon.h"

/* The first convergent of the continued fraction of x >= 0 within `reach` of x; since reach > 1e-13
 * x, its terms are small. */
static void fraction_near(double x, double reach, mpq_t out)
{
    int64_t before_num = 0, before_den = 1, num = 1, den = 0;
    double rest = x;
    do {
        int64_t whole = (int64_t)rest;
        int64_t next_num = whole * num + before_num, next_den = whole * den + before_den;
        before_num = num;
        before_den = den;
        num = next_num;
        den = next_den;
        rest = 1 / (rest - (double)whole);
    } while (fabs((double)num / (double)den - x) > reach);
    og_mpz_set(mpq_numref(out), num);
    og_mpz_set(mpq_denref(out), den);
    mpq_canonicalize(out);
}

/* The nearest double, for fractions with small terms and for doubles. */
static double price_double(const mpq_t price)
{
    return mpz_get_d(mpq_numref(price)) / mpz_get_d(mpq_denref(price));
}

/*
 * True if the fraction is closer to x than expected by chance. For all convergents, den^2 times the
 * distance is below 1; about one in a thousand is this close.
 */
static bool is_remarkable(const mpq_t fraction, double x)
{
    double den = mpz_get_d(mpq_denref(fraction));
    return den * den * fabs(price_double(fraction) - x) <= 1e-3;
}

/* Replaces prices with fractions within this part of the largest price, if all fractions are
 * remarkable and the bound is not worse there. */
static og_status try_fractions(const og_arms *arms, int threads, const og_upper_bound *best,
                               double part, mpq_t *price, double *value, bool *good)
{
    double largest = 0, error;
    bool remarkable = true;
    double *tried = malloc(((size_t)arms->budget + 1) * sizeof *tried);
    OG_TRY(OG_ALLOCATED(tried));
    for (int32_t l = 0; l < arms->budget; l++) {
        largest = fmax(largest, best->price[l]);
    }
    for (int32_t l = 0; l < arms->budget; l++) {
        fraction_near(best->price[l], part * largest, price[l]);
        tried[l] = price_double(price[l]);
        remarkable = remarkable && is_remarkable(price[l], best->price[l]);
    }
    og_status status = og_bound_evaluate(arms, tried, arms->budget, threads, value, &error);
    free(tried);
    *good = status == OG_OK && remarkable && *value <= best->value + best->error;
    return status;
}

og_status og_lagrangian_prices(const og_arms *arms, int threads, og_stop *stop, mpq_t *price,
                               og_market *out)
{
    static const double parts[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12};
    og_upper_bound best;
    bool good = false;
    double value = 0;
    OG_TRY(og_bound_lagrangian_vector(arms, threads, stop, &best));
    og_status status = og_stop_status(stop);
    for (size_t i = 0; status == OG_OK && !good && i < sizeof parts / sizeof parts[0]; i++) {
        status = try_fractions(arms, threads, &best, parts[i], price, &value, &good);
    }
    for (int32_t l = 0; status == OG_OK && !good && l < arms->budget; l++) {
        mpq_set_d(price[l], best.price[l]);
    }
    if (status == OG_OK) {
        *out = (og_market){good ? value : best.value, best.converged, good};
    }
    og_bound_clear(&best);
    return status;
}

/* Arrays by the number of labels left; entry 0 is not used. */
typedef struct {
    og_arena arena;
    mpq_t *exact;   /* [budget + 1] */
    double *price;  /* [budget + 1] */
    double *radius; /* [budget + 1] A_l */
    bool tidy;      /* as in og_market */
    double nil;     /* an advantage within this of 0 may be 0 */
    int8_t **sign;  /* [budget + 1] of the advantages of each class, 0 if they may be 0 */
    og_draw *draw;  /* breaks ties */
} prices;

static void free_prices(void *object)
{
    prices *p = object;
    if (p != NULL) {
        og_draw_free(p->draw);
    }
    og_arena_free(p);
}

static prices *new_prices(const og_index_job *job)
{
    const int32_t budget = job->arms->budget;
    size_t count = (size_t)budget + 1;
    prices *p = og_arena_new(sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->exact = og_arena_fractions(&p->arena, count);
    p->price = og_arena_array(&p->arena, count, sizeof *p->price);
    p->radius = og_arena_array(&p->arena, count, sizeof *p->radius);
    p->sign = og_arena_array(&p->arena, count, sizeof *p->sign);
    for (int32_t left = 1; !p->arena.failed && left <= budget; left++) {
        size_t classes = og_twins_with_left(job->twins, budget, left);
        p->sign[left] = og_arena_array(&p->arena, classes, sizeof **p->sign);
    }
    if (p->arena.failed) {
        og_arena_free(p);
        return NULL;
    }
    return p;
}

static void state_errors(const og_arms *arms, prices *p)
{
    double c = og_node_error(arms, 6), largest = 0, error = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        for (uint32_t node = 0; node < arm->level[arms->budget]; node++) {
            largest = fmax(largest, arm->reward[node]);
        }
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        p->nil = fmax(p->nil, OG_LAGRANGIAN_NIL * p->price[left]);
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        double worth = (left - 1) * largest;
        double carried = (1 + 2 * c) * error;
        double own = 2 * c * (largest + p->price[left] + 2 * worth) + DBL_MIN;
        p->radius[left] = 2 * carried + own;
        p->nil = fmax(p->nil, p->radius[left]);
        error = carried + own;
    }
}

static void advantage(const og_stage *stage, const void *data)
{
    const prices *p = data;
    double price = p->price[stage->left], radius = p->radius[stage->left];
    double index = stage->expected - price - stage->before;
    bool nothing = stage->expected == 0 && stage->before == 0;
    double value = index > 0 ? stage->before + index : stage->before;
    if (value == 0 && !nothing && index + radius > 0) {
        value = DBL_MIN;
    }
    *stage->value = value;
    *stage->index = index;
    p->sign[stage->left][stage->class] = (int8_t)((index > p->nil) - (index < -p->nil));
    *stage->radius = nothing ? 0 : radius;
}

static void exact_advantage(const og_exact_stage *stage, const void *data)
{
    const prices *p = data;
    mpq_sub(stage->expected, stage->expected, p->exact[stage->left]);
    mpq_sub(stage->index, stage->expected, stage->before);
    mpq_set(stage->value, mpq_sgn(stage->index) > 0 ? stage->expected : stage->before);
}

static og_status places(const og_index_job *job, const og_scored *scored, og_take_places *take,
                        void *sink)
{
    return og_stages_places(job, exact_advantage, scored->own, take, sink);
}

/* ---- only the first label ---- */

/*
 * The instances at the start are all that a policy needs which looks at the first label only. Their
 * advantages at tidy prices are above `nil`, below -nil, or 0 [OG_LAGRANGIAN_NIL], as in the
 * relaxed solution. So fractions are needed only if others are too close to be in order.
 */
typedef enum { TIES_NONE, TIES_AT_0, TIES_OTHER } ties;

typedef struct {
    double value, radius;
} first_advantage;

static first_advantage first_of(const og_index_job *job, const og_scored *scored, uint32_t class)
{
    int32_t arm = job->twins->first_arm[class], left = job->arms->budget;
    uint32_t node = job->twins->first_node[class];
    return (first_advantage){og_index_of(scored->index, arm, left)[node],
                             og_scored_radius(scored, arm, node, left)};
}

static ties first_ties(const og_index_job *job, const og_scored *scored)
{
    const prices *p = scored->own;
    uint32_t count = og_twins_with_left(job->twins, job->arms->budget, job->arms->budget);
    ties found = TIES_NONE;
    for (uint32_t c = 0; c < count; c++) {
        first_advantage x = first_of(job, scored, c);
        for (uint32_t d = 0; d < c; d++) {
            first_advantage y = first_of(job, scored, d);
            double distance = fabs(x.value - y.value), error = x.radius + y.radius;
            if (fabs(x.value) <= p->nil && fabs(y.value) <= p->nil) {
                found = found == TIES_NONE ? TIES_AT_0 : found;
            } else if (nextafter(distance, 0) <= error && error > 0) {
                found = TIES_OTHER;
            }
        }
    }
    return found;
}

/* The places of the classes at the start, if no two are too close but at 0. */
static og_status first_places(const og_index_job *job, const og_scored *scored,
                              og_take_places *take, void *sink)
{
    const prices *p = scored->own;
    uint32_t count = og_twins_with_left(job->twins, job->arms->budget, job->arms->budget);
    uint32_t *place = calloc((size_t)count + 1, sizeof *place);
    OG_TRY(OG_ALLOCATED(place));
    for (uint32_t c = 0; c < count; c++) {
        double x = first_of(job, scored, c).value;
        bool counted = false; /* those at 0 have one place */
        for (uint32_t d = 0; d < count; d++) {
            double y = first_of(job, scored, d).value;
            bool at_0 = fabs(y) <= p->nil, below = y < x && !(at_0 && fabs(x) <= p->nil);
            place[c] += below && !(at_0 && counted);
            counted = counted || (below && at_0);
        }
    }
    og_status status = take(sink, job->arms->budget, place, 0);
    free(place);
    return status;
}

static const double *leans(const og_scored *scored, int32_t left)
{
    const prices *p = scored->own;
    return p->draw->lean[left];
}

static og_status find_prices(const og_index_job *job, prices *p, char *note, size_t note_bytes)
{
    const og_arms *arms = job->arms;
    og_market market;
    mpq_t *in_order = og_arena_fractions(&p->arena, (size_t)arms->budget);
    OG_TRY(og_arena_status(&p->arena));
    OG_TRY(og_lagrangian_prices(arms, job->threads, job->stop, in_order, &market));
    for (int32_t l = 0; l < arms->budget; l++) {
        mpq_set(p->exact[arms->budget - l], in_order[l]);
        p->price[arms->budget - l] = price_double(in_order[l]);
    }
    p->tidy = market.tidy;
    snprintf(note, note_bytes,
             "lagrangian: advantages at prices with the bound %.10g%s; the relaxed solution's "
             "probabilities, not shown, break ties",
             market.bound, market.converged ? "" : ", which could be tighter");
    return OG_OK;
}

og_status og_score_lagrangian(const og_index_job *job, og_scored *out, og_message *message)
{
    const og_arms *arms = job->arms;
    prices *p = new_prices(job);
    *out = (og_scored){.own = p, .free_own = free_prices};
    OG_TRY(OG_ALLOCATED(p));
    OG_TRY(og_scored_init_needed(job, out));
    og_status status = find_prices(job, p, out->index->note, sizeof out->index->note);
    if (status != OG_OK) {
        return og_message_set(message, status, "the prices of the relaxed problem: %s",
                              og_status_text(status));
    }
    state_errors(arms, p);
    OG_TRY(og_stages_score(job, advantage, p, out));
    out->index->absolute_error = p->radius[arms->budget];
    ties found = job->first && arms->budget > 0 ? first_ties(job, out) : TIES_OTHER;
    if (found == TIES_NONE) {
        return OG_OK;
    }
    OG_TRY(og_draw_new(job, p->sign, p->price, p->nil, &p->draw));
    if (p->tidy && og_stages_exact_possible(job)) {
        out->places = found == TIES_AT_0 ? first_places : places;
    }
    out->second = leans;
    return OG_OK;
}
