/*
 * The recursions of heuristics/bounds/priced_arm.h in fractions. Most nodes and their successors
 * are worth 0; for these no fraction is computed.
 */
#include "heuristics/bounds/exact_bound.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "dp/arm/exact_names.h"
#include "dp/base/rational.h"
#include "dp/base/wide.h"

enum { LOOK_NODES = 32 }; /* nodes between two checks of the stop */

/* One arm at its prices. */
typedef struct {
    og_arena arena;
    const og_arm *arm;
    const og_exact_names *names;
    int32_t number; /* of the arm */
    mpq_t *worth;   /* [nodes] or, at one price, [two levels] */
    mpq_ptr sum, term;
    og_stop *stop;
    uint32_t looks;
} pricing;

static og_status pricing_init(pricing *p, const og_arms *arms, const og_exact_names *names,
                              int32_t number, size_t worth_count, og_stop *stop)
{
    *p = (pricing){.arm = arms->arm[number], .names = names, .number = number, .stop = stop};
    p->worth = og_arena_fractions(&p->arena, worth_count + 2);
    if (p->worth == NULL) {
        og_arena_clear(&p->arena);
        return OG_NO_MEMORY;
    }
    p->sum = p->worth[worth_count];
    p->term = p->worth[worth_count + 1];
    return OG_OK;
}

/* True if the stop is set. Called for each node, but checks only every LOOK_NODES nodes, because
 * most nodes take less time than a check. */
static bool is_over(pricing *p)
{
    return ++p->looks % LOOK_NODES == 0 && og_stop_asked(p->stop);
}

/* p->sum = -price + R + sum_k p_k next_k, where next[0] is the worth of the first node of the next
 * level. Returns false without computing p->sum if it cannot be positive. */
static bool buy(pricing *p, int32_t level, uint32_t node, const mpq_t price, mpq_t *next)
{
    const og_arm *arm = p->arm;
    const og_exact_names *names = p->names;
    uint32_t reward = names->reward_of[p->number][node];
    size_t first = (size_t)node * (size_t)arm->outcome_count;
    bool any = reward != 0;
    mpq_sub(p->sum, names->reward.value[reward], price);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        mpq_ptr worth = next[arm->next[first + (size_t)k] - arm->level[level + 1]];
        if (mpq_sgn(worth) > 0) {
            uint32_t name = names->probability_of[p->number][first + (size_t)k];
            mpq_mul(p->term, names->probability.value[name], worth);
            mpq_add(p->sum, p->sum, p->term);
            any = true;
        }
    }
    return any && mpq_sgn(p->sum) > 0;
}

/* One price: levels from the last but one to the first, each computed from the next. */
static og_status constant_gain(const og_arms *arms, const og_exact_names *names, int32_t number,
                               const mpq_t price, og_stop *stop, mpq_t gain)
{
    const og_arm *arm = arms->arm[number];
    size_t widest = 1;
    for (int32_t n = 0; n <= arm->depth; n++) {
        size_t width = arm->level[n + 1] - arm->level[n];
        widest = width > widest ? width : widest;
    }
    pricing p;
    OG_TRY(pricing_init(&p, arms, names, number, 2 * widest, stop));
    for (int32_t n = arm->depth - 1; n >= 0 && og_stop_status(stop) == OG_OK; n--) {
        mpq_t *here = p.worth + (n % 2 == 0 ? 0 : widest);
        mpq_t *next = p.worth + (n % 2 == 0 ? widest : 0);
        for (uint32_t node = arm->level[n]; node < arm->level[n + 1] && !is_over(&p); node++) {
            mpq_ptr worth = here[node - arm->level[n]];
            if (buy(&p, n, node, price, next)) {
                mpq_swap(worth, p.sum);
            } else {
                mpq_set_ui(worth, 0, 1);
            }
        }
    }
    mpq_set(gain, p.worth[0]);
    og_arena_clear(&p.arena);
    return og_stop_status(stop);
}

/* A price for each stage, from the last stage to the first; a node's worth is overwritten before
 * those of its successors. */
static og_status stages_gain(const og_arms *arms, const og_exact_names *names, int32_t number,
                             mpq_t *price, og_stop *stop, mpq_t gain)
{
    const og_arm *arm = arms->arm[number];
    pricing p;
    OG_TRY(pricing_init(&p, arms, names, number, arm->node_count, stop));
    for (int32_t stage = arm->depth; stage >= 1 && og_stop_status(stop) == OG_OK; stage--) {
        for (int32_t n = 0; n < stage; n++) {
            for (uint32_t node = arm->level[n]; node < arm->level[n + 1] && !is_over(&p); node++) {
                mpq_t *next = p.worth + arm->level[n + 1];
                if (buy(&p, n, node, price[stage - 1], next) && mpq_cmp(p.sum, p.worth[node]) > 0) {
                    mpq_swap(p.worth[node], p.sum);
                }
            }
        }
    }
    mpq_set(gain, p.worth[0]);
    og_arena_clear(&p.arena);
    return og_stop_status(stop);
}

static og_status check_prices(mpq_t *price, int32_t price_count, int32_t budget,
                              og_message *message)
{
    if (price_count != 1 && price_count != budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%d prices were given; a bound needs one, or %d, one for each label",
                              (int)price_count, (int)budget);
    }
    for (int32_t l = 0; l < price_count; l++) {
        if (mpq_sgn(price[l]) < 0) {
            return og_message_set(message, OG_BAD_INPUT, "price %d is negative", (int)l + 1);
        }
    }
    return OG_OK;
}

static og_status add_up(const og_arms *arms, const og_exact_names *names, mpq_t *price,
                        int32_t price_count, og_stop *stop, mpq_t sum)
{
    og_status status = OG_OK;
    mpq_t gain;
    mpq_init(gain);
    og_arms_exact_call(arms, sum);
    for (int32_t l = 0; l < arms->budget; l++) {
        mpq_add(sum, sum, price[price_count == 1 ? 0 : l]);
    }
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = price_count == 1 ? constant_gain(arms, names, a, price[0], stop, gain)
                                  : stages_gain(arms, names, a, price, stop, gain);
        if (status == OG_OK) {
            og_add_multiple(sum, og_arms_copies(arms, a), gain);
        }
    }
    mpq_clear(gain);
    return status;
}

og_status og_exact_bound_evaluate(const og_arms *arms, mpq_t *price, int32_t price_count,
                                  uint64_t memory_bytes, og_stop *stop, mpq_t bound,
                                  og_message *message)
{
    og_exact_names *names;
    OG_TRY(check_prices(price, price_count, arms->budget, message));
    OG_TRY(og_exact_names_new(arms, memory_bytes, stop, &names, message));
    mpq_t sum;
    mpq_init(sum);
    og_status status = add_up(arms, names, price, price_count, stop, sum);
    if (status == OG_OK) {
        mpq_set(bound, sum);
    }
    mpq_clear(sum);
    og_exact_names_free(names);
    return status != OG_STOPPED
               ? status
               : og_message_set(message, status, "the bound in fractions was stopped");
}

/*
 * The simplest fraction of an interval, by continued fractions: a whole number if there is one,
 * else the whole part and the inverse of the simplest fraction of the inverted rest. With the
 * convergents p/q so far, the next is (a p + p')/(a q + q').
 */
void og_exact_bound_price(double price, mpq_t out)
{
    mpq_t low, high, part;
    mpz_t whole, p, q, p_before, q_before;
    mpq_inits(low, high, part, NULL);
    mpz_inits(whole, p, q, p_before, q_before, NULL);
    mpq_set_d(low, price);
    mpq_set_ui(part, 1, 1);
    og_mpz_set(mpq_denref(part), INT64_C(1000000000000));
    mpq_mul(part, part, low);
    mpq_add(high, low, part);
    mpq_sub(low, low, part);
    mpz_set_ui(p, 1);
    mpz_set_ui(q_before, 1);
    for (bool done = false; !done;) {
        mpz_cdiv_q(whole, mpq_numref(low), mpq_denref(low));
        done = mpq_cmp_z(high, whole) >= 0;
        if (!done) {
            mpz_sub_ui(whole, whole, 1);
        }
        mpz_addmul(p_before, whole, p);
        mpz_swap(p_before, p);
        mpz_addmul(q_before, whole, q);
        mpz_swap(q_before, q);
        if (!done) {
            mpq_set_z(part, whole);
            mpq_sub(low, low, part);
            mpq_sub(high, high, part);
            mpq_inv(low, low);
            mpq_inv(high, high);
            mpq_swap(low, high);
        }
    }
    mpz_set(mpq_numref(out), p);
    mpz_set(mpq_denref(out), q);
    mpq_clears(low, high, part, NULL);
    mpz_clears(whole, p, q, p_before, q_before, NULL);
}

/* ---- at the prices found in doubles ---- */

/* The smallest double that is not below the value. */
static double round_up(const mpq_t value)
{
    double nearest = og_nearest(value);
    mpq_t back;
    mpq_init(back);
    mpq_set_d(back, nearest);
    if (mpq_cmp(back, value) < 0) {
        nearest = nextafter(nearest, INFINITY);
    }
    mpq_clear(back);
    return nearest;
}

static void bound_round(const og_exact_bound *exact, og_upper_bound *bound)
{
    assert(bound->price_count == exact->price_count);
    for (int32_t i = 0; i < exact->price_count; i++) {
        bound->price[i] = og_nearest(exact->number[i]);
    }
    bound->value = round_up(exact->number[exact->price_count]);
    bound->error = bound->value - nextafter(bound->value, 0);
}

/* Replaces *out with the bound that has one price for all labels. */
static void take_least(const og_exact_bound *least, og_exact_bound *out)
{
    for (int32_t i = 0; i < out->price_count; i++) {
        mpq_set(out->number[i], least->number[0]);
    }
    mpq_set(out->number[out->price_count], og_exact_bound_value(least));
}

og_status og_exact_bound_find(const og_arms *arms, const og_settings *settings,
                              const og_exact_bound *least, og_upper_bound *bound,
                              og_exact_bound *out, og_message *message)
{
    og_exact_bound found = {.price_count = bound->price_count};
    found.number = og_arena_fractions(&found.arena, (size_t)found.price_count + 1);
    if (found.number == NULL) {
        og_exact_bound_clear(&found);
        return OG_NO_MEMORY;
    }
    mpq_ptr value = found.number[found.price_count];
    for (int32_t i = 0; i < found.price_count; i++) {
        og_exact_bound_price(bound->price[i], found.number[i]);
    }
    og_status status =
        og_exact_bound_evaluate(arms, found.number, found.price_count, settings->memory_bytes,
                                og_stop_of(settings), value, message);
    if (status != OG_OK) {
        og_exact_bound_clear(&found);
        return status;
    }
    if (least != NULL && least->number != NULL && mpq_cmp(value, og_exact_bound_value(least)) > 0) {
        take_least(least, &found);
    }
    bound_round(&found, bound);
    *out = found;
    return OG_OK;
}

mpq_srcptr og_exact_bound_value(const og_exact_bound *bound)
{
    return bound->number != NULL ? bound->number[bound->price_count] : NULL;
}

void og_exact_bound_clear(og_exact_bound *bound)
{
    og_arena_clear(&bound->arena);
    *bound = (og_exact_bound){0};
}
