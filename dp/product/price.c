/*
 * What one instance can gain at a price for each label, by class and labels left, for a few dozen
 * prices: the bounds that skip actions.
 */
#include "dp/product/price.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAVOURITE_ROUNDS = 5 }; /* each narrows the interval fifteenfold */

/*
 * Prices where the bound is likely to be least: from the largest reward, at which nothing is
 * bought, down by a constant factor, and zero. The factor was tuned on 10x1,1 T=40, 20x1,1 T=60 and
 * 50x1,1 T=100.
 */
static void choose_prices(og_prices *prices, double reward_max, double favourite)
{
    for (int z = 0; z < OG_PRICE_COUNT - 1; z++) {
        prices->price[z] = reward_max * pow(0.9, z);
    }
    prices->price[OG_PRICE_COUNT - 1] = 0;
    if (favourite > 0) {
        prices->price[OG_PRICE_COUNT - 2] = favourite;
    }
}

/* The largest reward, and the most one instance can expect to gain from all its labels. */
static og_status largest(const og_layers *layers, double *reward_max, double *worth_max)
{
    *reward_max = 0;
    *worth_max = 0;
    double *below = calloc(1, sizeof *below);
    for (int32_t left = 1; below != NULL && left <= layers->budget; left++) {
        const og_layer *layer = &layers->layer[left];
        double *here = calloc(layer->class_count, sizeof *here);
        for (uint32_t c = 0; here != NULL && c < layer->class_count; c++) {
            here[c] = layer->reward[c];
            for (uint32_t k = layer->outcome_first[c]; k < layer->outcome_first[c + 1]; k++) {
                here[c] += layer->probability[k] * below[layer->next[k]];
            }
            *worth_max = here[c] > *worth_max ? here[c] : *worth_max;
            *reward_max = layer->reward[c] > *reward_max ? layer->reward[c] : *reward_max;
        }
        free(below);
        below = here;
    }
    og_status status = below == NULL ? OG_NO_MEMORY : OG_OK;
    free(below);
    return status;
}

/* The worths of one layer as doubles, from those of the layer below. */
static void worths_of_layer(const og_layer *layer, const double *below, const double *price,
                            double *here)
{
    for (uint32_t c = 0; c < layer->class_count; c++) {
        double *v = &here[(size_t)c * OG_PRICE_COUNT];
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            v[z] = layer->reward[c] - price[z];
        }
        for (uint32_t k = layer->outcome_first[c]; k < layer->outcome_first[c + 1]; k++) {
            const double *next = &below[(size_t)layer->next[k] * OG_PRICE_COUNT];
            for (int z = 0; z < OG_PRICE_COUNT; z++) {
                v[z] += layer->probability[k] * next[z];
            }
        }
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            v[z] = v[z] > 0 ? v[z] : 0;
        }
    }
}

/* Units, rounded up; one more than the ceiling covers the rounding of the double (far below
 * 1/scale). */
static int32_t units_above(double value, double scale)
{
    return value > 0 ? (int32_t)ceil(value * scale) + 1 : 0;
}

/* Layer by layer; `below` and `here` are scratch for a layer's doubles each. */
static og_status fill(og_prices *prices, const og_layers *layers, uint64_t memory_bytes,
                      og_stop *stop, double *below, double *here)
{
    for (int32_t left = 0; left <= layers->budget; left++) {
        const og_layer *layer = &layers->layer[left];
        size_t count = (size_t)layer->class_count * OG_PRICE_COUNT;
        prices->bytes += count * sizeof(int32_t);
        if (prices->bytes > memory_bytes || og_stop_asked(stop)) {
            return OG_STOPPED;
        }
        prices->worth[left] = og_arena_aligned(&prices->arena, 64, count, sizeof(int32_t));
        OG_TRY(og_arena_status(&prices->arena));
        worths_of_layer(layer, below, prices->price, here);
        for (size_t i = 0; i < count; i++) {
            prices->worth[left][i] = units_above(here[i], prices->scale);
        }
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            prices->charge[(size_t)left * OG_PRICE_COUNT + (size_t)z] =
                units_above(prices->price[z] * left, prices->scale);
        }
        double *done = here;
        here = below;
        below = done;
    }
    return OG_OK;
}

static size_t classes_max(const og_layers *layers)
{
    size_t count = 1;
    for (int32_t left = 0; left <= layers->budget; left++) {
        size_t classes = layers->layer[left].class_count;
        count = classes > count ? classes : count;
    }
    return count;
}

/* Scratch for two layers, the second at *half; to be freed. */
static double *scratch_new(const og_layers *layers, size_t *half)
{
    *half = classes_max(layers) * OG_PRICE_COUNT;
    return calloc(2 * *half, sizeof(double));
}

static og_status fill_with_scratch(og_prices *prices, const og_layers *layers,
                                   uint64_t memory_bytes, og_stop *stop)
{
    size_t half;
    size_t layer_count = (size_t)layers->budget + 1;
    prices->worth = og_arena_array(&prices->arena, layer_count, sizeof *prices->worth);
    prices->charge =
        og_arena_array(&prices->arena, layer_count * OG_PRICE_COUNT, sizeof *prices->charge);
    OG_TRY(og_arena_status(&prices->arena));
    double *scratch = scratch_new(layers, &half);
    if (scratch == NULL) {
        return OG_NO_MEMORY;
    }
    og_status status = fill(prices, layers, memory_bytes, stop, scratch, scratch + half);
    free(scratch);
    return status;
}

/* The bound on the problem itself at every price; scratch as for fill. */
static void root_bounds(const og_layers *layers, const og_arms *arms, const double *price,
                        og_stop *stop, double *below, double *here, double *bound)
{
    for (int32_t left = 0; left <= layers->budget && !og_stop_asked(stop); left++) {
        worths_of_layer(&layers->layer[left], below, price, here);
        double *done = here;
        here = below;
        below = done;
    }
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        bound[z] = price[z] * layers->budget;
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        int64_t size = arms->group_size[g];
        double copies = (double)(size < layers->budget ? size : layers->budget);
        const double *worth =
            &below[(size_t)layers->root_class[arms->arm_of_group[g]] * OG_PRICE_COUNT];
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            bound[z] += copies * worth[z];
        }
    }
}

/* The bound is convex in the price: narrow the interval around the least of a row of prices. */
static double best_price(const og_layers *layers, const og_arms *arms, double reward_max,
                         og_stop *stop, double *below, double *here)
{
    double low = 0;
    double high = reward_max;
    for (int round = 0; round < FAVOURITE_ROUNDS; round++) {
        double price[OG_PRICE_COUNT];
        double bound[OG_PRICE_COUNT] = {0};
        double step = (high - low) / (OG_PRICE_COUNT - 1);
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            price[z] = low + step * z;
        }
        root_bounds(layers, arms, price, stop, below, here, bound);
        int least = 0;
        for (int z = 1; z < OG_PRICE_COUNT; z++) {
            least = bound[z] < bound[least] ? z : least;
        }
        low = price[least > 0 ? least - 1 : 0];
        high = price[least < OG_PRICE_COUNT - 1 ? least + 1 : least];
    }
    return (low + high) / 2;
}

og_status og_prices_favourite(const og_layers *layers, const og_arms *arms, og_stop *stop,
                              double *price)
{
    double reward_max;
    double worth_max;
    size_t half;
    OG_TRY(largest(layers, &reward_max, &worth_max));
    double *scratch = scratch_new(layers, &half);
    if (scratch == NULL) {
        return OG_NO_MEMORY;
    }
    *price = best_price(layers, arms, reward_max, stop, scratch, scratch + half);
    free(scratch);
    return og_stop_status(stop);
}

og_status og_prices_new(const og_layers *layers, int64_t instances, double favourite,
                        uint64_t memory_bytes, og_stop *stop, og_prices **out)
{
    double reward_max;
    double worth_max;
    OG_TRY(largest(layers, &reward_max, &worth_max));
    og_prices *prices = og_arena_new(sizeof *prices);
    if (prices == NULL) {
        return OG_NO_MEMORY;
    }
    prices->budget = layers->budget;
    choose_prices(prices, reward_max, favourite);
    /* The most any sum of worths and charges can reach, with a little for rounding up. */
    double most = (double)instances * worth_max + (double)layers->budget * reward_max + 1;
    prices->scale = exp2(floor(log2((double)(INT32_MAX / 2) / most)));
    assert(prices->scale > 0 && most * prices->scale <= INT32_MAX);
    og_status status = fill_with_scratch(prices, layers, memory_bytes, stop);
    if (status != OG_OK) {
        og_prices_free(prices);
        return status;
    }
    *out = prices;
    return OG_OK;
}

og_status og_prices_new_for(const og_layers *layers, const og_arms *arms, bool capped,
                            uint64_t memory_bytes, og_stop *stop, og_prices **out)
{
    double favourite;
    OG_TRY(og_prices_favourite(layers, arms, stop, &favourite));
    return og_prices_new(layers, capped ? og_arms_capped(arms) : og_arms_instances(arms), favourite,
                         memory_bytes, stop, out);
}

void og_prices_free(og_prices *prices)
{
    og_arena_free(prices);
}
