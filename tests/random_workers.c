#include "tests/random_workers.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "heuristics/policy.h"
#include "tests/fractions.h"

random_market market_of(const og_arms *arms, int threads)
{
    random_market out = {.budget = arms->budget};
    out.price = malloc(((size_t)out.budget + 1) * sizeof *out.price);
    for (int l = 0; l < out.budget; l++) {
        mpq_init(out.price[l]);
    }
    ck_assert_int_eq(og_lagrangian_prices(arms, threads, NULL, out.price, &out.found), OG_OK);
    ck_assert(out.found.converged);
    return out;
}

void market_clear(random_market *market)
{
    for (int l = 0; l < market->budget; l++) {
        mpq_clear(market->price[l]);
    }
    free(market->price);
}

double market_nil(const random_market *market)
{
    double largest = 0;
    for (int l = 0; l < market->budget; l++) {
        largest = fmax(largest, mpq_get_d(market->price[l]));
    }
    /* The rounding of small problems. */
    return fmax(1e-13, OG_LAGRANGIAN_NIL * largest);
}

static int8_t **signs_of(const og_index_job *job, const og_index *index, double nil,
                         og_arena *arena)
{
    const og_twins *twins = job->twins;
    const int32_t budget = job->arms->budget;
    int8_t **sign = og_arena_array(arena, (size_t)budget + 1, sizeof *sign);
    for (int32_t left = 1; left <= budget; left++) {
        const uint32_t classes = og_twins_with_left(twins, budget, left);
        sign[left] = og_arena_array(arena, classes, sizeof **sign);
        for (uint32_t c = 0; c < classes; c++) {
            double x = og_index_of(index, twins->first_arm[c], left)[twins->first_node[c]];
            sign[left][c] = (int8_t)((x > nil) - (x < -nil));
        }
    }
    return sign;
}

og_draw *market_draw(const random_market *market, const og_arms *arms, og_twins **twins)
{
    return market_draw_for(market, arms, false, twins);
}

og_draw *market_draw_for(const random_market *market, const og_arms *arms, bool first,
                         og_twins **twins)
{
    og_policy_name policy;
    og_index *index = NULL;
    og_draw *draw = NULL;
    double *price = calloc((size_t)market->budget + 1, sizeof *price);
    for (int l = 0; l < market->budget; l++) {
        price[market->budget - l] = mpq_get_d(market->price[l]);
    }
    ck_assert_int_eq(og_policy_name_parse("lagrangian", &policy, NULL), OG_OK);
    ck_assert_int_eq(
        og_policy_name_index(&policy, arms,
                             &(og_policy_use){.whole_budget = market->budget, .threads = 1}, &index,
                             NULL),
        OG_OK);
    ck_assert_int_eq(og_twins_new(arms, OG_TWINS_ALL, NULL, twins), OG_OK);
    const og_index_job job = {.arms = arms, .twins = *twins, .threads = 1, .first = first};
    og_arena arena = {0};
    int8_t **sign = signs_of(&job, index, market_nil(market), &arena);
    ck_assert_int_eq(og_draw_new(&job, sign, price, market_nil(market), &draw), OG_OK);
    og_arena_clear(&arena);
    og_index_free(index);
    free(price);
    return draw;
}

static void worth(const random_market *at, const oracle_arm *arm, int s, int f, int left,
                  mpq_t out);

/* Buying at stage T - left + 1, and the best from there. */
static void worth_bought(const random_market *at, const oracle_arm *arm, int s, int f, int left,
                         mpq_t out)
{
    OWN_MPQ one = MPQ_NEW, zero = MPQ_NEW;
    worth(at, arm, s + 1, f, left - 1, one);
    worth(at, arm, s, f + 1, left - 1, zero);
    mpq_sub(one, one, zero);
    mpq_mul(one, one, arm->p1[oracle_node(s, f)]);
    mpq_add(out, one, zero);
    mpq_sub(out, out, at->price[at->budget - left]);
}

static void worth(const random_market *at, const oracle_arm *arm, int s, int f, int left, mpq_t out)
{
    if (left == 0) {
        mpq_set(out, arm->h[oracle_node(s, f)]);
        return;
    }
    OWN_MPQ bought = MPQ_NEW;
    worth_bought(at, arm, s, f, left, bought);
    worth(at, arm, s, f, left - 1, out);
    if (mpq_cmp(bought, out) > 0) {
        mpq_set(out, bought);
    }
}

void market_advantage(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    OWN_MPQ waited = MPQ_NEW;
    worth_bought(data, arm, s, f, left, out);
    worth(data, arm, s, f, left - 1, waited);
    mpq_sub(out, out, waited);
}
