/*
 * Tables of the gain of one instance at a price for each label, by class and labels left, for a few
 * dozen prices: the bounds that skip actions.
 */
#include "dp/product/price.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/state_set.h"
#include "dp/base/vector.h"

enum { FAVOURITE_ROUNDS = 4 }; /* each narrows the interval fifteenfold */

/*
 * Prices at which the bound is likely to be least: from the largest reward, at which nothing is
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

/*
 * Numbers of the classes of the layers to which actions can lead: `each` of the longest layer, for
 * one layer more than the largest cost.
 */
typedef struct {
    double *number;
    size_t each;
    int32_t layers;
} ring;

static size_t classes_max(const og_layers *layers)
{
    size_t count = 1;
    for (int32_t left = 0; left <= layers->budget; left++) {
        size_t classes = layers->layer[left].class_count;
        count = classes > count ? classes : count;
    }
    return count;
}

/* Allocates zeros, so many for each class; the caller frees them. */
static og_status ring_new(const og_layers *layers, size_t of_class, ring *out)
{
    int32_t rows = layers->cost[layers->cost_count - 1] + 1;
    *out = (ring){NULL, classes_max(layers) * of_class, rows};
    out->number = calloc((size_t)rows * out->each, sizeof *out->number);
    return OG_ALLOCATED(out->number);
}

static double *ring_of(const ring *r, int32_t left)
{
    return &r->number[(size_t)(left % r->layers) * r->each];
}

/* Upper bound on the expected gain of a class from all its labels. */
static double most_of_class(const og_layer *layer, const ring *r, int32_t left, uint32_t class)
{
    double most = 0;
    uint32_t end = og_layer_first_action(layer, class + 1);
    for (uint32_t i = og_layer_first_action(layer, class); i < end; i++) {
        const double *below = ring_of(r, left - og_layer_cost(layer, i));
        double sum = og_layer_reward(layer, i);
        for (uint32_t k = layer->outcome_first[i]; k < layer->outcome_first[i + 1]; k++) {
            sum += layer->probability[k] * below[layer->next[k]];
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/* The largest reward, and the largest expected gain of one instance from all its labels. */
static og_status largest(const og_layers *layers, double *reward_max, double *worth_max)
{
    ring r;
    *reward_max = 0;
    *worth_max = 0;
    OG_TRY(ring_new(layers, 1, &r));
    for (int32_t left = 1; left <= layers->budget; left++) {
        const og_layer *layer = &layers->layer[left];
        double *here = ring_of(&r, left);
        for (uint32_t c = 0; c < layer->class_count; c++) {
            here[c] = most_of_class(layer, &r, left, c);
            *worth_max = here[c] > *worth_max ? here[c] : *worth_max;
            *reward_max = layer->reward[c] > *reward_max ? layer->reward[c] : *reward_max;
        }
    }
    free(r.number);
    return OG_OK;
}

/* Value of an action of a class minus its price, for every price. */
static inline __attribute__((always_inline)) void
worths_of_action(const og_layer *layer, uint32_t action, const double *below, const double *charge,
                 double *restrict v)
{
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        v[z] = og_layer_reward(layer, action) - charge[z];
    }
    for (uint32_t k = layer->outcome_first[action]; k < layer->outcome_first[action + 1]; k++) {
        const double *next = &below[(size_t)layer->next[k] * OG_PRICE_COUNT];
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            v[z] += layer->probability[k] * next[z];
        }
    }
}

/* The worths of one layer whose classes have several actions. */
static void worths_of_actions(const og_layer *layer, const ring *r, int32_t left,
                              const double *price, double *here)
{
    double charge[OG_PRICE_COUNT], v[OG_PRICE_COUNT];
    for (uint32_t c = 0; c < layer->class_count; c++) {
        double *best = &here[(size_t)c * OG_PRICE_COUNT];
        memset(best, 0, OG_PRICE_COUNT * sizeof *best);
        for (uint32_t i = layer->action_first[c]; i < layer->action_first[c + 1]; i++) {
            int32_t cost = layer->action_cost[i];
            for (int z = 0; z < OG_PRICE_COUNT; z++) {
                charge[z] = price[z] * cost;
            }
            worths_of_action(layer, i, ring_of(r, left - cost), charge, v);
            for (int z = 0; z < OG_PRICE_COUNT; z++) {
                best[z] = v[z] > best[z] ? v[z] : best[z];
            }
        }
    }
}

/* The worths of one layer as doubles, from those of the layers below. */
static void worths_of_layer(const og_layer *layer, const ring *r, int32_t left, const double *price)
{
    double *here = ring_of(r, left);
    if (layer->action_first != NULL) {
        worths_of_actions(layer, r, left, price, here);
        return;
    }
    const double *below = ring_of(r, left - (left > 0 ? 1 : 0));
    for (uint32_t c = 0; c < layer->class_count; c++) {
        double *v = &here[(size_t)c * OG_PRICE_COUNT];
        worths_of_action(layer, c, below, price, v);
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            v[z] = v[z] > 0 ? v[z] : 0;
        }
    }
}

/* A value in units, rounded up. One more than the ceiling covers the rounding of the double (far
 * below 1/scale). */
static int32_t units_above(double value, double scale)
{
    return value > 0 ? (int32_t)ceil(value * scale) + 1 : 0;
}

/* The rows of worths while they are collected: each is kept once. */
typedef struct {
    og_state_set *set;
    uint64_t room; /* memory left for rows, in bytes */
} row_set;

enum { ROW_PAIRS = OG_PRICE_COUNT * sizeof(int32_t) / sizeof(og_copies) };

/* Worths as units, for every price. */
OG_VECTOR_CLONES static void round_row(const double *restrict worth, double scale,
                                       int32_t *restrict units)
{
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        units[z] = units_above(worth[z], scale);
    }
}

/* The number of a row, which often equals `likely`. */
static og_status find_row(const row_set *rows, const int32_t *units, uint32_t likely, uint32_t *row)
{
    og_copies list[ROW_PAIRS];
    int32_t pairs;
    bool added;
    memcpy(list, units, sizeof list);
    if (likely < og_state_set_count(rows->set) &&
        memcmp(og_state_set_at(rows->set, likely, &pairs), list, sizeof list) == 0) {
        *row = likely;
        return OG_OK;
    }
    return og_state_set_put(rows->set, list, ROW_PAIRS, rows->room, row, &added);
}

/* Fills the tables layer by layer. */
static og_status fill_prices(og_prices *prices, const og_layers *layers, og_stop *stop,
                             const ring *r, const row_set *rows)
{
    for (int32_t left = 0; left <= layers->budget; left++) {
        const og_layer *layer = &layers->layer[left];
        const double *here = ring_of(r, left);
        if (og_stop_asked(stop)) {
            return OG_STOPPED;
        }
        worths_of_layer(layer, r, left, prices->price);
        for (uint32_t c = 0; c < layer->class_count; c++) {
            int32_t units[OG_PRICE_COUNT];
            uint32_t likely = left > 0 ? prices->row[left - 1][layer->down[c]] : UINT32_MAX;
            round_row(&here[(size_t)c * OG_PRICE_COUNT], prices->scale, units);
            OG_TRY(find_row(rows, units, likely, &prices->row[left][c]));
        }
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            prices->charge[(size_t)left * OG_PRICE_COUNT + (size_t)z] =
                units_above(prices->price[z] * left, prices->scale);
        }
    }
    return OG_OK;
}

/* Copies the rows into one array. */
static og_status keep_rows(og_prices *prices, const row_set *rows)
{
    size_t count = og_state_set_count(rows->set) * (size_t)OG_PRICE_COUNT;
    prices->worth = og_arena_aligned(&prices->arena, 64, count, sizeof *prices->worth);
    OG_TRY(og_arena_status(&prices->arena));
    for (uint32_t i = 0; i < og_state_set_count(rows->set); i++) {
        int32_t pairs;
        memcpy(&prices->worth[(size_t)i * OG_PRICE_COUNT], og_state_set_at(rows->set, i, &pairs),
               OG_PRICE_COUNT * sizeof *prices->worth);
    }
    prices->bytes += count * sizeof *prices->worth;
    return OG_OK;
}

/* Bytes of the numbers of all rows. */
static uint64_t row_bytes(const og_layers *layers)
{
    uint64_t classes = 0;
    for (int32_t left = 0; left <= layers->budget; left++) {
        classes += layers->layer[left].class_count;
    }
    return classes * sizeof(uint32_t);
}

/* Half of the memory, because rows are copied at the end. */
static og_status fill_with_scratch(og_prices *prices, const og_layers *layers,
                                   uint64_t memory_bytes, og_stop *stop)
{
    ring r;
    size_t layer_count = (size_t)layers->budget + 1;
    row_set rows = {NULL, (memory_bytes - prices->bytes) / 2};
    prices->row = og_arena_array(&prices->arena, layer_count, sizeof *prices->row);
    prices->charge =
        og_arena_array(&prices->arena, layer_count * OG_PRICE_COUNT, sizeof *prices->charge);
    OG_TRY(og_arena_status(&prices->arena));
    for (int32_t left = 0; left <= layers->budget; left++) {
        prices->row[left] = og_arena_array(&prices->arena, layers->layer[left].class_count,
                                           sizeof *prices->row[left]);
    }
    OG_TRY(og_arena_status(&prices->arena));
    OG_TRY(og_state_set_new(0, &rows.set));
    og_status status = ring_new(layers, OG_PRICE_COUNT, &r);
    if (status == OG_OK) {
        status = fill_prices(prices, layers, stop, &r, &rows);
        free(r.number);
    }
    status = status == OG_OK ? keep_rows(prices, &rows) : status;
    og_state_set_free(rows.set);
    return status;
}

/* The bound on the problem itself at every price; scratch as for fill. */
static void root_bounds(const og_layers *layers, const og_arms *arms, const double *price,
                        og_stop *stop, const ring *r, double *bound)
{
    for (int32_t left = 0; left <= layers->budget && !og_stop_asked(stop); left++) {
        worths_of_layer(&layers->layer[left], r, left, price);
    }
    for (int z = 0; z < OG_PRICE_COUNT; z++) {
        bound[z] = price[z] * layers->budget;
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        int64_t size = arms->group_size[g];
        double copies = (double)(size < layers->budget ? size : layers->budget);
        const double *worth = &ring_of(
            r, layers->budget)[(size_t)layers->root_class[arms->arm_of_group[g]] * OG_PRICE_COUNT];
        for (int z = 0; z < OG_PRICE_COUNT; z++) {
            bound[z] += copies * worth[z];
        }
    }
}

/* The bound is convex in the price: narrow the interval around the least of a row of prices. */
static double best_price(const og_layers *layers, const og_arms *arms, double reward_max,
                         og_stop *stop, const ring *r)
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
        root_bounds(layers, arms, price, stop, r, bound);
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
    ring r;
    OG_TRY(largest(layers, &reward_max, &worth_max));
    OG_TRY(ring_new(layers, OG_PRICE_COUNT, &r));
    *price = best_price(layers, arms, reward_max, stop, &r);
    free(r.number);
    return og_stop_status(stop);
}

og_status og_prices_new(const og_layers *layers, int64_t instances, double favourite,
                        uint64_t memory_bytes, og_stop *stop, og_prices **out)
{
    double reward_max;
    double worth_max;
    uint64_t bytes = row_bytes(layers);
    if (bytes > memory_bytes) {
        return OG_STOPPED;
    }
    OG_TRY(largest(layers, &reward_max, &worth_max));
    og_prices *prices = og_arena_new(sizeof *prices);
    OG_TRY(OG_ALLOCATED(prices));
    prices->bytes = bytes;
    choose_prices(prices, reward_max, favourite);
    /* The most any sum of worths and charges can reach, with a little for rounding up. */
    double most = (double)instances * worth_max + (double)layers->budget * reward_max + 1;
    prices->scale = exp2(floor(log2((double)(INT32_MAX / 2) / most)));
    assert(prices->scale > 0 && most * prices->scale <= INT32_MAX);
    og_status status = fill_with_scratch(prices, layers, memory_bytes, stop);
    return OG_MADE(status, prices, og_prices_free, out);
}

og_status og_prices_new_for(const og_layers *layers, const og_arms *arms, bool capped,
                            uint64_t memory_bytes, og_stop *stop, og_prices **out)
{
    double favourite;
    if (row_bytes(layers) > memory_bytes) { /* refuse before the work is done in vain */
        return OG_STOPPED;
    }
    OG_TRY(og_prices_favourite(layers, arms, stop, &favourite));
    return og_prices_new(layers, capped ? og_arms_capped(arms) : og_arms_instances(arms), favourite,
                         memory_bytes, stop, out);
}

void og_prices_free(og_prices *prices)
{
    og_arena_free(prices);
}
