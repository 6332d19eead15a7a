/*
 * Lagrangian bounds as fractions, at fractions with small terms near the prices that doubles
 * found.
 */
#include "heuristics/bounds/exact_bounds.h"

#include <assert.h>
#include <math.h>

#include "dp/base/rational.h"
#include "heuristics/bounds/exact_bound.h"

/* The nearest double that is not below. */
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

/* One price for all labels instead of one for each. */
static void take_least(const og_exact_bound *least, og_exact_bound *out)
{
    for (int32_t i = 0; i < out->price_count; i++) {
        mpq_set(out->number[i], least->number[0]);
    }
    mpq_set(out->number[out->price_count], og_exact_bound_value(least));
}

og_status og_exact_bound_find(const og_arms *arms, uint64_t memory_bytes,
                              const og_exact_bound *least, og_upper_bound *bound,
                              og_exact_bound *out, og_message *message)
{
    og_exact_bound found = {.price_count = bound->price_count};
    found.number = og_arena_fractions(&found.arena, (size_t)found.price_count + 1);
    if (found.number == NULL) {
        og_exact_bound_clear(&found);
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    mpq_ptr value = found.number[found.price_count];
    for (int32_t i = 0; i < found.price_count; i++) {
        og_exact_bound_price(bound->price[i], found.number[i]);
    }
    og_status status = og_exact_bound_evaluate(arms, found.number, found.price_count, memory_bytes,
                                               value, message);
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
