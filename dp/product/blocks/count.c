/*
 * Counts the states of blocks without their types, as coefficients of a generating function.
 *
 * Depths are multiplied in from the deepest. At most S / n instances can be at least n deep, where
 * S is the number of labels given, so the tables stay small. Fresh instances add nothing to S and
 * are of one class; the remaining instances of an arm are fresh.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/product/blocks/blocks.h"
#include "dp/product/blocks/ranks.h"
#include "dp/product/blocks/types.h"

typedef struct {
    const og_block_summaries *summaries;
    int32_t budget;
    double *by_copies; /* [budget + 1][budget + 1] ways to have k instances with s labels */
    double *of_arm;    /* [budget + 1] ways to have s labels */
    double *of_all;
    double *product;
} counter;

static int32_t classes_of(const counter *c, int32_t left, int32_t arm, int32_t depth)
{
    return og_block_summary_of(c->summaries, left, arm, depth)->count;
}

/* Multiplies with all multisets of `classes` numbers, each of n labels, for up to `given` labels
 * and `most` instances. */
static void multiply(counter *c, int32_t classes, int32_t n, int32_t given, int32_t most)
{
    size_t row = (size_t)c->budget + 1;
    for (int32_t k = most; k >= 1; k--) { /* in place: fewer instances still have old counts */
        for (int32_t g = 1; g <= k && g * n <= given; g++) {
            double ways = og_block_rank_count(classes, g);
            double *to = &c->by_copies[(size_t)k * row];
            const double *from = &c->by_copies[(size_t)(k - g) * row];
            for (int32_t s = g * n; s <= given; s++) {
                to[s] += ways * from[s - g * n];
            }
        }
    }
}

/* of_arm[0 .. given]: number of ways for one arm in a layer. */
static void count_arm(counter *c, int32_t left, int32_t arm, int64_t instances, int32_t given)
{
    size_t row = (size_t)c->budget + 1;
    memset(c->by_copies, 0, row * row * sizeof *c->by_copies);
    c->by_copies[0] = 1;
    for (int32_t n = given; n >= 1; n--) {
        int64_t most = given / n < instances ? given / n : instances;
        multiply(c, classes_of(c, left, arm, n), n, given, (int32_t)most);
    }
    for (int32_t s = 0; s <= given; s++) {
        c->of_arm[s] = 0;
        for (int32_t k = 0; k <= given && k <= instances; k++) {
            c->of_arm[s] += c->by_copies[(size_t)k * row + (size_t)s];
        }
    }
}

/* of_all[0 .. given]: number of ways for all arms with the classes of a layer. */
static void count_layer(counter *c, const og_block_slots *slots, int32_t left, int32_t given)
{
    memset(c->of_all, 0, ((size_t)c->budget + 1) * sizeof *c->of_all);
    c->of_all[0] = 1;
    for (int32_t slot = 0; slot < slots->slot_count; slot++) {
        count_arm(c, left, slots->arm[slot], slots->count[slot], given);
        for (int32_t s = 0; s <= given; s++) {
            c->product[s] = 0;
            for (int32_t x = 0; x <= s; x++) {
                c->product[s] += c->of_arm[x] * c->of_all[s - x];
            }
        }
        memcpy(c->of_all, c->product, ((size_t)given + 1) * sizeof *c->product);
    }
}

/* True if a layer has the classes of another, for depths that `given` labels reach. */
static bool same_classes(const counter *c, int32_t left, int32_t other, int32_t given)
{
    bool same = true;
    for (int32_t a = 0; a < c->summaries->arm_count && same; a++) {
        for (int32_t n = 0; n <= given && same; n++) {
            same = classes_of(c, left, a, n) == classes_of(c, other, a, n);
        }
    }
    return same;
}

static void count_layers(counter *c, const og_block_slots *slots, double enough,
                         og_blocks_size *size)
{
    int32_t budget = c->budget;
    int32_t left = budget;
    while (left >= 1 && size->states <= enough) {
        int32_t last = left; /* the last layer for which one product is valid */
        while (last > 1 && same_classes(c, last, last - 1, budget - last)) {
            last--;
        }
        count_layer(c, slots, last, budget - last);
        for (; left >= last; left--) {
            double states = c->of_all[budget - left];
            size->states += states;
            size->layer_states = fmax(size->layer_states, states);
        }
    }
    size->bytes = 3 * sizeof(double) * size->layer_states;
}

og_status og_blocks_count(const og_arms *arms, double enough, const og_settings *settings,
                          og_blocks_size *out, og_message *message)
{
    og_settings own = og_settings_filled(settings);
    size_t row = (size_t)arms->budget + 1;
    double bytes = 8.0 * (double)row * ((double)row + 3) + (double)og_arms_bytes(arms);
    counter c = {.budget = arms->budget};
    og_block_slots slots = {0};
    og_block_summaries *summaries = NULL;
    og_status status =
        bytes < (double)own.memory_bytes ? og_block_slots_init(arms, true, &slots) : OG_STOPPED;
    if (status == OG_OK) {
        status = og_block_summaries_new(
            arms, &(og_layers_use){.memory_bytes = own.memory_bytes - (uint64_t)bytes}, NULL, false,
            &summaries);
    }
    if (status == OG_OK) {
        c.summaries = summaries;
        c.by_copies = calloc(row * row, sizeof *c.by_copies);
        c.of_arm = calloc(row, sizeof *c.of_arm);
        c.of_all = calloc(row, sizeof *c.of_all);
        c.product = calloc(row, sizeof *c.product);
        bool made =
            c.by_copies != NULL && c.of_arm != NULL && c.of_all != NULL && c.product != NULL;
        status = made ? OG_OK : OG_NO_MEMORY;
    }
    if (status == OG_OK) {
        og_blocks_size size = {0};
        count_layers(&c, &slots, enough, &size);
        *out = size;
    } else if (status == OG_STOPPED) {
        og_message_set(message, OG_STOPPED,
                       "the memory limit does not hold the tables of this problem's classes");
    }
    free(c.by_copies);
    free(c.of_arm);
    free(c.of_all);
    free(c.product);
    og_block_summaries_free(summaries);
    og_block_slots_clear(&slots);
    return status;
}
