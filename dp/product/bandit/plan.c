/*
 * Lists the types with their places, and counts the values of all layers.
 *
 * Types are listed twice, first to count them.
 */
#include <string.h>

#include "dp/product/bandit/made.h"

/* The least number of labels of the last axis: that of an identical axis before it. */
static int32_t last_least(const og_bandit *b, const int32_t *labels)
{
    return b->axes > 1 && b->alike[b->axes - 2] ? labels[b->axes - 2] : 0;
}

/* Adds a type whose numbers have this sum. */
static void add_type(og_bandit *b, const int32_t *labels, int32_t sum)
{
    int32_t least = last_least(b, labels), most = b->budget - 1 - sum;
    if (least > most) {
        return;
    }
    double rows = 1;
    for (int32_t j = 0; j + 1 < b->axes; j++) {
        rows *= labels[j] + 1;
    }
    if (b->type != NULL) {
        og_bandit_type *type = &b->type[b->types];
        memcpy(type->labels, labels, sizeof type->labels);
        type->rows = (uint64_t)rows;
        type->first = b->places;
        uint64_t stride = 1;
        for (int32_t j = b->axes - 2; j >= 0; j--) {
            type->stride[j] = stride;
            stride *= (uint64_t)labels[j] + 1;
        }
    } else {
        b->size.states += rows * ((most + 1.0) * (most + 2.0) - least * (least + 1.0)) / 2;
        b->size.types += most - least + 1;
        b->size.layer_states += rows * (most + 1);
    }
    b->types++;
    b->places += b->type != NULL ? (uint64_t)rows * (uint64_t)(most + 1) : 0;
}

/* Lists all types of this sum, from axis j on; `left` of the sum is still to be given. False: too
 * many. */
static bool list_types(og_bandit *b, int32_t *labels, int32_t j, int32_t left, int32_t sum)
{
    if (j + 1 >= b->axes || j + 1 >= OG_BANDIT_INSTANCES) {
        if (left == 0) {
            add_type(b, labels, sum);
        }
        return b->size.states <= (double)b->settings.states_max &&
               b->size.layer_states * sizeof(double) <= (double)b->settings.memory_bytes;
    }
    bool last = j + 2 >= b->axes;
    int32_t least = j > 0 && b->alike[j - 1] ? labels[j - 1] : 0;
    bool good = true;
    for (int32_t n = last && left > least ? left : least; n <= left && good; n++) {
        labels[j] = n;
        good = list_types(b, labels, j + 1, left - n, sum);
    }
    return good;
}

static bool list_all(og_bandit *b)
{
    bool good = true;
    b->types = 0;
    for (int32_t sum = 0; sum < b->budget && good; sum++) {
        int32_t labels[OG_BANDIT_INSTANCES] = {0};
        if (b->first != NULL) {
            b->first[sum] = b->types;
        }
        good = list_types(b, labels, 0, sum, sum);
    }
    if (b->first != NULL) {
        b->first[b->budget] = b->types;
    }
    return good;
}

static uint32_t find_type(const og_bandit *b, const int32_t *labels, int32_t sum)
{
    uint32_t begin = b->first[sum], end = b->first[sum + 1];
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        int32_t order = 0;
        for (int32_t j = 0; j + 1 < b->axes && order == 0; j++) {
            order = labels[j] - b->type[middle].labels[j];
        }
        if (order == 0) {
            return middle;
        }
        begin = order > 0 ? middle + 1 : begin;
        end = order > 0 ? end : middle;
    }
    return UINT32_MAX; /* not in any layer, or not in ascending order */
}

static void link_types(og_bandit *b)
{
    for (int32_t sum = 0; sum + 1 < b->budget; sum++) {
        for (uint32_t t = b->first[sum]; t < b->first[sum + 1]; t++) {
            og_bandit_type *type = &b->type[t];
            for (int32_t j = 0; j + 1 < b->axes; j++) {
                int32_t labels[OG_BANDIT_INSTANCES];
                memcpy(labels, type->labels, sizeof labels);
                labels[j]++;
                type->next[j] = find_type(b, labels, sum + 1);
            }
        }
    }
}

static void make_orders(og_bandit *b)
{
    for (int32_t j = 0; j < b->axes; j++) {
        og_bandit_order *order = &b->order[j];
        size_t nodes = (size_t)b->arm[j]->level[b->budget] + 1;
        if (j > 0 && b->alike[j - 1]) {
            *order = b->order[j - 1];
            continue;
        }
        order->chance[0] = og_arena_array(&b->arena, nodes, sizeof(double));
        order->chance[1] = og_arena_array(&b->arena, nodes, sizeof(double));
        order->positive = og_arena_array(&b->arena, nodes, sizeof *order->positive);
        order->any = og_arena_array(&b->arena, (size_t)b->budget + 1, sizeof *order->any);
    }
}

/* Finds the order for the arm's nodes of so many labels. */
static void take_order(og_bandit *b, int32_t arm, const og_bandit_order *order, int32_t labels)
{
    const uint32_t *level = b->arms->arm[arm]->level;
    order->any[labels] = false;
    for (uint32_t x = level[labels]; x < level[labels + 1]; x++) {
        double chance[2];
        bool positive = og_block_classes_order(b->classes, arm, x, chance) == 0;
        order->chance[0][x] = chance[0];
        order->chance[1][x] = chance[1];
        order->positive[x] = positive ? -1 : 0;
        order->any[labels] = order->any[labels] || positive;
    }
}

void og_bandit_step_order(og_bandit *b)
{
    if (b->classes == NULL) {
        return;
    }
    og_block_classes_step(b->classes);
    b->left++;
    for (int32_t a = 0; a < b->arms->arm_count; a++) {
        int32_t j = 0;
        while (b->arm[j] != b->arms->arm[a]) {
            j++;
        }
        for (int32_t labels = 0; labels <= b->budget - b->left; labels++) {
            take_order(b, a, &b->order[j], labels);
        }
    }
    if (og_block_classes_settled(b->classes)) {
        og_block_classes_free(b->classes);
        b->classes = NULL;
    }
}

/* All bytes except those of the arms. */
static double count_bytes(const og_bandit *b)
{
    double bytes = (double)b->types * sizeof *b->type + sizeof(double) * b->size.layer_states;
    for (int32_t j = 0; j < b->axes; j++) {
        bytes += j == 0 || !b->alike[j - 1] ? 24.0 * b->arm[j]->level[b->budget] + b->budget : 0;
    }
    bytes += og_block_classes_bytes(b->arms, NULL, false);
    return bytes + sizeof *b + (b->budget + 1.0) * sizeof *b->first;
}

og_status og_bandit_plan(og_bandit *b, bool *too_many, og_message *message)
{
    bool listed = list_all(b);
    *too_many = b->size.states > (double)b->settings.states_max;
    b->size.bytes = count_bytes(b);
    if (*too_many) {
        return og_message_set(message, OG_STOPPED, "the limit on states was reached");
    }
    double held = b->size.bytes + (double)og_arms_bytes(b->arms);
    if (!listed || held > (double)b->settings.memory_bytes) {
        char limit[OG_BYTES_TEXT_BYTES];
        return og_message_set(message, OG_STOPPED,
                              "the memory limit of %s does not hold the layers of this problem",
                              og_bytes_format(b->settings.memory_bytes, limit));
    }
    b->first = og_arena_array(&b->arena, (size_t)b->budget + 1, sizeof *b->first);
    b->type = og_arena_array(&b->arena, (size_t)b->types + 1, sizeof *b->type);
    make_orders(b);
    OG_TRY(og_arena_status(&b->arena));
    list_all(b);
    link_types(b);
    return OG_OK;
}
