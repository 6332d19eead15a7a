/*
 * Backward partition refinement: layer r is divided by a signature computed from layer r - 1.
 *
 * Invariant: two nodes of one class of layer r have, bit for bit, the same reward, rank, class
 * below and distribution over the classes below; so everything the recursion does with one of them
 * it would do with the other.
 *
 * Exact layers store the names of fractions in place of doubles, so they agree name for name.
 *
 * Several actions of a node are a row too (dp/product/layers_builder.h).
 */
#include "dp/product/layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/product/layers_builder.h"

enum { LOOK_NODES = 1024 };

static void layer_clear(og_layer *layer)
{
    free(layer->reward);
    free(layer->reach);
    free(layer->down);
    free(layer->first_live);
    free(layer->rank);
    free(layer->member);
    free(layer->action_first);
    free(layer->action_cost);
    free(layer->action_reward);
    free(layer->action_reward_name);
    free(layer->outcome_first);
    free(layer->probability);
    free(layer->next);
    free(layer->reward_name);
    free(layer->reach_name);
    free(layer->probability_name);
    memset(layer, 0, sizeof *layer);
}

static bool layer_reserve(og_layer *layer, uint32_t classes, uint32_t outcomes, bool ranked,
                          bool exact)
{
    return og_layers_resize(&layer->reward, classes, sizeof *layer->reward) &&
           og_layers_resize(&layer->reach, classes, sizeof *layer->reach) &&
           og_layers_resize(&layer->down, classes, sizeof *layer->down) &&
           og_layers_resize(&layer->first_live, classes, sizeof *layer->first_live) &&
           (!ranked || (og_layers_resize(&layer->rank, classes, sizeof *layer->rank) &&
                        og_layers_resize(&layer->member, classes, sizeof *layer->member))) &&
           og_layers_resize(&layer->outcome_first, (size_t)classes + 1,
                            sizeof *layer->outcome_first) &&
           og_layers_resize(&layer->probability, outcomes, sizeof *layer->probability) &&
           og_layers_resize(&layer->next, outcomes, sizeof *layer->next) &&
           (!exact || (og_layers_resize(&layer->reward_name, classes, sizeof *layer->reward_name) &&
                       og_layers_resize(&layer->reach_name, classes, sizeof *layer->reach_name) &&
                       og_layers_resize(&layer->probability_name, outcomes, sizeof(double))));
}

static uint64_t classes_and_outcomes_bytes(uint64_t classes, uint64_t outcomes, bool ranked,
                                           bool exact)
{
    uint64_t class_bytes = 2 * 8 + 3 * 4 + (ranked ? 8u : 0u) + (exact ? 16u : 0u);
    return classes * class_bytes + outcomes * (exact ? 20u : 12u);
}

static uint64_t layer_bytes(const og_layer *layer, bool ranked)
{
    uint32_t actions = og_layer_first_action(layer, layer->class_count);
    uint64_t action_bytes = layer->action_first == NULL ? 0 : 24;
    return classes_and_outcomes_bytes(layer->class_count, layer->outcome_first[actions], ranked,
                                      layer->reward_name != NULL) +
           actions * action_bytes + 64;
}

/* ---- signatures ---- */

/* False: out of memory. */
static bool signature_of(const builder *b, int32_t arm_number, uint32_t node, int32_t left,
                         signature *key)
{
    const og_arm *arm = b->arms->arm[arm_number];
    uint32_t offset = b->arms->node_offset[arm_number];
    uint32_t count = (uint32_t)arm->outcome_count;
    const og_exact_names *names = b->names;
    if (b->several) {
        return og_layers_signature(b, arm_number, node, left, key);
    }
    key->reward = names != NULL ? names->reward_of[arm_number][node]
                                : arm->reward[node] + 0.0; /* no negative zero */
    key->rank = b->ranks == NULL ? 0 : og_ranks_of(b->ranks, arm_number, left)[node];
    key->down = b->below[offset + node];
    key->node = b->merge ? 0 : offset + node;
    if (b->ends && key->rank == 0) {
        key->reward = 0;
        count = 0;
    }
    key->outcome_count = count;
    for (uint32_t k = 0; k < count; k++) {
        size_t at = (size_t)node * count + k;
        key->outcome[k].probability =
            names != NULL ? names->probability_of[arm_number][at] : arm->probability[at];
        key->outcome[k].next = b->below[offset + arm->next[at]];
    }
    return !b->merge || og_layers_merge(b->names, key->outcome, &key->outcome_count);
}

static bool class_matches(const builder *b, uint32_t class, const signature *key)
{
    const og_layer *layer = &b->layer;
    const double *probability = b->several ? layer->probability : probabilities(layer);
    bool ranked = b->ranks != NULL;
    uint32_t first = layer->outcome_first[class];
    if (memcmp(&rewards(layer)[class], &key->reward, sizeof key->reward) != 0 ||
        layer->down[class] != key->down || (ranked && layer->rank[class] != key->rank) ||
        layer->outcome_first[class + 1] - first != key->outcome_count) {
        return false;
    }
    for (uint32_t k = 0; k < key->outcome_count; k++) {
        if (layer->next[first + k] != key->outcome[k].next ||
            memcmp(&probability[first + k], &key->outcome[k].probability, sizeof(double)) != 0) {
            return false;
        }
    }
    return true;
}

/* Stores the fractions of a class, which `reach` and the signature name, and their doubles. */
static void class_set_exact(builder *b, uint32_t class, const signature *key, double reach)
{
    og_layer *layer = &b->layer;
    const og_exact_names *names = b->names;
    uint32_t first = layer->outcome_first[class];
    layer->reward_name[class] = key->reward;
    layer->reach_name[class] = reach;
    layer->reward[class] = names->reward.nearest[(uint32_t)key->reward];
    layer->reach[class] = names->reward.nearest[(uint32_t)reach];
    for (uint32_t k = 0; k < key->outcome_count && !b->several; k++) {
        double name = key->outcome[k].probability;
        layer->probability_name[first + k] = name;
        layer->probability[first + k] = names->probability.nearest[(uint32_t)name];
    }
}

/* Appends the class with this signature to the layer being built. */
static bool class_add(builder *b, const signature *key, int32_t left)
{
    og_layer *layer = &b->layer;
    uint32_t class = layer->class_count;
    uint32_t first = layer->outcome_first[class];
    if (class == b->class_capacity || first + key->outcome_count > b->outcome_capacity) {
        uint32_t classes = b->class_capacity * 2 + 64;
        uint32_t outcomes = b->outcome_capacity * 2 + 128 + key->outcome_count;
        if (!layer_reserve(layer, classes, outcomes, b->ranks != NULL, b->names != NULL)) {
            return false;
        }
        b->class_capacity = classes;
        b->outcome_capacity = outcomes;
    }
    const og_layer *below = &b->layers->layer[left - 1];
    assert(key->down < below->class_count);
    double reach = key->reward;
    bool live = key->reward > 0;
    for (uint32_t k = 0; k < key->outcome_count; k++) {
        uint32_t next = (uint32_t)key->outcome[k].next;
        layer->probability[first + k] = key->outcome[k].probability;
        layer->next[first + k] = next;
        if (!b->several) {
            reach = reaches(below)[next] > reach ? reaches(below)[next] : reach;
            live = live || below->first_live[next] > 0;
        }
    }
    if (b->several) {
        og_layers_reach(b, key, left, &reach, &live);
    }
    int32_t live_below = below->first_live[key->down];
    layer->reward[class] = key->reward;
    layer->reach[class] = reach;
    layer->down[class] = key->down;
    layer->first_live[class] = !live ? 0 : live_below > 0 ? live_below : left;
    if (b->ranks != NULL) {
        layer->rank[class] = key->rank;
        layer->member[class] = b->node;
    }
    if (b->names != NULL) {
        class_set_exact(b, class, key, reach);
    }
    layer->outcome_first[class + 1] = first + key->outcome_count;
    layer->class_count = class + 1;
    return true;
}

static bool slots_rebuild(builder *b)
{
    uint32_t count = b->slot_count * 2;
    uint32_t *slot = calloc(count, 2 * sizeof *slot); /* pairs: class, high half of the hash */
    if (slot == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < b->slot_count; i++) {
        if (b->slot[2 * i] != 0) {
            uint32_t at = b->slot[2 * i + 1] & (count - 1);
            while (slot[2 * at] != 0) {
                at = (at + 1) & (count - 1);
            }
            memcpy(&slot[2 * at], &b->slot[2 * i], 2 * sizeof *slot);
        }
    }
    free(b->slot);
    b->slot = slot;
    b->slot_count = count;
    return true;
}

/* The class of the signature in the layer being built; adds it if new. */
static bool class_find(builder *b, const signature *key, int32_t left, uint32_t *class)
{
    if (!b->merge) { /* each node its own class */
        *class = b->layer.class_count;
        return class_add(b, key, left);
    }
    size_t length = sizeof *key + key->outcome_count * sizeof key->outcome[0];
    uint32_t hash = (uint32_t)XXH3_64bits(key, length);
    uint32_t at = hash & (b->slot_count - 1);
    for (; b->slot[2 * at] != 0; at = (at + 1) & (b->slot_count - 1)) {
        if (b->slot[2 * at + 1] == hash && class_matches(b, b->slot[2 * at], key)) {
            *class = b->slot[2 * at];
            return true;
        }
    }
    *class = b->layer.class_count;
    b->slot[2 * at] = *class;
    b->slot[2 * at + 1] = hash;
    return class_add(b, key, left) &&
           (b->layer.class_count < b->slot_count / 2 || slots_rebuild(b));
}

/* True if all outcomes are dead and there is no reward: class 0, unless a policy can distinguish
 * dead nodes. If values end where a policy stops: true if the node is done from now on. */
static bool signature_is_dead(const builder *b, const signature *key)
{
    if (b->ends) {
        return key->rank == 0 && key->down == 0;
    }
    if (!b->merge || b->ranks != NULL || key->reward > 0) {
        return false;
    }
    if (b->several) { /* actions without gain are omitted */
        return key->outcome_count == 0;
    }
    for (uint32_t k = 0; k < key->outcome_count; k++) {
        if (key->outcome[k].next != 0) {
            return false;
        }
    }
    return true;
}

/* Class 0: no reward, stays dead. */
static bool layer_begin(builder *b)
{
    memset(&b->layer, 0, sizeof b->layer);
    b->class_capacity = 64;
    b->outcome_capacity = 128;
    if (!layer_reserve(&b->layer, b->class_capacity, b->outcome_capacity, b->ranks != NULL,
                       b->names != NULL)) {
        return false;
    }
    og_layer *layer = &b->layer;
    layer->reward[0] = layer->reach[0] = 0;
    layer->down[0] = 0;
    layer->first_live[0] = 0;
    if (b->ranks != NULL) {
        layer->rank[0] = layer->member[0] = 0;
    }
    if (b->names != NULL) {
        layer->reward_name[0] = layer->reach_name[0] = 0;
    }
    layer->outcome_first[0] = layer->outcome_first[1] = 0;
    layer->class_count = 1;
    memset(b->slot, 0, (size_t)b->slot_count * 2 * sizeof *b->slot);
    return true;
}

/* Asks, once for LOOK_NODES nodes, whether the work should stop. */
static og_status ask_stop(const builder *b, size_t node, og_message *message)
{
    if (node % LOOK_NODES == 0 && og_stop_asked(b->stop)) {
        return og_stop_building(message);
    }
    return OG_OK;
}

static og_status layer_build(builder *b, int32_t left, og_message *message)
{
    og_layers *layers = b->layers;
    assert(left >= 1 && left <= layers->budget && layers->layer[left - 1].class_count > 0);
    if (!layer_begin(b)) {
        return OG_NO_MEMORY;
    }
    for (int32_t a = 0; a < b->arms->arm_count; a++) {
        const og_arm *arm = b->arms->arm[a];
        uint32_t count = arm->level[layers->budget - left + 1];
        for (uint32_t node = 0; node < count; node++) {
            uint32_t *class = &b->here[b->arms->node_offset[a] + node];
            b->node = b->arms->node_offset[a] + node;
            OG_TRY(ask_stop(b, node, message));
            if (!signature_of(b, a, node, left, b->key)) {
                return OG_NO_MEMORY;
            }
            if (signature_is_dead(b, b->key)) {
                *class = 0;
            } else if (!class_find(b, b->key, left, class)) {
                return OG_NO_MEMORY;
            }
        }
    }
    og_layer *layer = &b->layer;
    if (!layer_reserve(layer, layer->class_count, layer->outcome_first[layer->class_count],
                       b->ranks != NULL, b->names != NULL) ||
        (b->several && !og_layers_unpack(b))) {
        return OG_NO_MEMORY;
    }
    layers->layer[left] = *layer;
    memset(layer, 0, sizeof *layer);
    layers->bytes += layer_bytes(&layers->layer[left], b->ranks != NULL);
    uint64_t grown = b->names == NULL ? 0 : og_exact_names_bytes(b->names) - b->names_bytes;
    if (layers->bytes + grown > b->memory_bytes) {
        char limit[OG_BYTES_TEXT_BYTES];
        return og_message_set(
            message, OG_STOPPED,
            "the tables of equivalent posteriors passed the %s that the memory limit "
            "leaves them, with %d of %d layers built",
            og_bytes_format(b->memory_bytes, limit), left, layers->budget);
    }
    return OG_OK;
}

/* Keeps the classes of the layer just built. */
static og_status classes_keep(const builder *b, int32_t left)
{
    for (int32_t a = 0; b->classes != NULL && a < b->arms->arm_count; a++) {
        size_t count = b->arms->arm[a]->level[b->layers->budget - left + 1];
        b->classes->class_of[(int64_t)left * b->arms->arm_count + a] = og_arena_copy(
            &b->classes->arena, &b->here[b->arms->node_offset[a]], count, sizeof *b->here);
    }
    return b->classes == NULL ? OG_OK : og_arena_status(&b->classes->arena);
}

/* ---- least size of the layers ---- */

/*
 * A node that is live with r labels left and dead with r - 1 is born in layer r. In that layer only
 * those of its outcomes matter that were born in layer r - 1: the others are dead. So each node's
 * class in the layer of its birth follows from the classes of its outcomes in theirs. This takes
 * one look at each node, instead of one for every number of labels left.
 *
 * Layers separate all that the layers below them separate: two nodes with different births, or
 * different classes at birth, never share a class again. A class at birth that has a node of level
 * d is met in all layers from r to budget - d, each time as at least one class, with at least as
 * many outcomes.
 */

/* The layer in which each node before the last level is born; 0: none. */
static void find_births(const builder *b, uint32_t *birth)
{
    for (int32_t a = 0; a < b->arms->arm_count; a++) {
        const og_arm *arm = b->arms->arm[a];
        uint32_t *number = &birth[b->arms->node_offset[a]];
        for (uint32_t node = arm->level[b->layers->budget]; node-- > 0;) {
            uint32_t least = 0;
            for (int32_t k = 0; k < arm->outcome_count; k++) {
                uint32_t next =
                    number[arm->next[(size_t)node * (size_t)arm->outcome_count + (size_t)k]];
                least = next > 0 && (least == 0 || next < least) ? next : least;
            }
            number[node] = arm->reward[node] > 0 ? 1 : least > 0 ? least + 1 : 0;
        }
    }
}

/* Builds the classes of the nodes born in a layer, given in ascending order; `below` has the
 * classes of the nodes born before. Writes their names into `here` and adds their bytes in all
 * layers to `bytes`. */
static og_status born_build(builder *b, int32_t left, const uint32_t *node, size_t count,
                            uint64_t *bytes, og_message *message)
{
    const og_arms *arms = b->arms;
    int32_t arm = 0, level = 0;
    if (!layer_begin(b)) {
        return OG_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        OG_TRY(ask_stop(b, i, message));
        while (node[i] >= arms->node_offset[arm + 1]) {
            arm++;
            level = 0;
        }
        uint32_t own = node[i] - arms->node_offset[arm];
        while (own >= arms->arm[arm]->level[level + 1]) {
            level++;
        }
        uint32_t classes = b->layer.class_count;
        if (!signature_of(b, arm, own, left, b->key) ||
            !class_find(b, b->key, left, &b->here[node[i]])) {
            return OG_NO_MEMORY;
        }
        if (b->layer.class_count > classes) {
            int32_t layers = arms->budget - level - left + 1;
            *bytes += (uint64_t)layers *
                      classes_and_outcomes_bytes(1, b->key->outcome_count, false, b->names != NULL);
        }
    }
    b->layers->layer[left] = b->layer;
    memset(&b->layer, 0, sizeof b->layer);
    return OG_OK;
}

/* Lower bound of the layers' bytes; stops counting at many times the memory limit. */
static og_status least_bytes(builder *b, uint64_t *bytes, og_message *message)
{
    const uint64_t enough = b->memory_bytes < UINT64_MAX / 16 ? 16 * b->memory_bytes : UINT64_MAX;
    int32_t budget = b->layers->budget;
    uint32_t nodes = b->arms->node_offset[b->arms->arm_count];
    uint32_t *birth = b->here; /* no longer used when classes are stored there */
    og_arena arena = {0};
    uint32_t *order = og_arena_array(&arena, nodes, sizeof *order);
    size_t *first = og_arena_array(&arena, (size_t)budget + 3, sizeof *first); /* of each layer */
    og_status status = og_arena_status(&arena);
    *bytes = 0;
    if (status == OG_OK) {
        find_births(b, birth);
        for (uint32_t i = 0; i < nodes; i++) {
            first[birth[i] + 2]++;
        }
        for (int32_t left = 0; left <= budget; left++) {
            first[left + 2] += first[left + 1];
        }
        for (uint32_t i = 0; i < nodes; i++) {
            order[first[birth[i] + 1]++] = i;
        }
    }
    for (int32_t left = 1; status == OG_OK && left <= budget && *bytes <= enough; left++) {
        const uint32_t *born = &order[first[left]];
        size_t count = first[left + 1] - first[left];
        status = born_build(b, left, born, count, bytes, message);
        for (size_t i = 0; status == OG_OK && i < count; i++) {
            b->below[born[i]] = b->here[born[i]];
        }
    }
    for (int32_t left = 1; left <= budget; left++) {
        layer_clear(&b->layers->layer[left]);
    }
    memset(b->below, 0, nodes * sizeof *b->below);
    og_arena_clear(&arena);
    return status;
}

double og_layers_nodes(const og_arms *arms)
{
    double nodes = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (int32_t left = 1; left <= arms->budget; left++) {
            nodes += arms->arm[a]->level[arms->budget - left + 1];
        }
    }
    return nodes;
}

/*
 * Refuses layers that cannot fit before they are built, which may take minutes and all of the
 * memory. A policy's layers separate all that the optimum's layers do, so they take no less:
 * classes merged in a policy's layers because of equal sums of probabilities are also merged in the
 * optimum's. That is certain only if sums are exact or have two terms; three may be added in
 * another order there and round differently.
 */
static og_status check_size(builder *b, og_message *message)
{
    double nodes = og_layers_nodes(b->arms); /* there are at most so many classes */
    uint64_t each = classes_and_outcomes_bytes(1, (uint64_t)b->layers->outcome_max,
                                               b->ranks != NULL, b->names != NULL);
    if (nodes * (double)each <= (double)b->memory_bytes || !b->merge || b->several || b->ends ||
        (b->ranks != NULL && b->names == NULL && b->layers->outcome_max > 2)) {
        return OG_OK;
    }
    const og_ranks *ranks = b->ranks;
    uint64_t bytes = 0;
    b->ranks = NULL;
    og_status status = least_bytes(b, &bytes, message);
    b->ranks = ranks;
    if (status != OG_OK || bytes <= b->memory_bytes) {
        return status;
    }
    char needed[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_STOPPED,
                          "the tables of equivalent posteriors take %s or more; the memory limit "
                          "leaves them %s",
                          og_bytes_format(bytes, needed), og_bytes_format(b->memory_bytes, limit));
}

/* Counts the actions of nodes, their outcomes, and their costs. */
static og_status count_actions(builder *b)
{
    og_layers *layers = b->layers;
    bool costs[OG_ARM_COST_MAX + 1] = {false};
    layers->outcome_max = layers->action_max = 1;
    for (int32_t a = 0; a < b->arms->arm_count; a++) {
        const og_arm *arm = b->arms->arm[a];
        layers->outcome_max =
            arm->outcome_count > layers->outcome_max ? arm->outcome_count : layers->outcome_max;
        costs[1] = costs[1] || arm->cost == NULL;
        b->several = b->several || arm->cost != NULL || arm->action_first != NULL;
        for (uint32_t i = 0; arm->cost != NULL && i < og_arm_action_count(arm); i++) {
            costs[arm->cost[i]] = true;
        }
        for (uint32_t x = 0; arm->action_first != NULL && x < arm->level[arm->depth]; x++) {
            int32_t count = (int32_t)(arm->action_first[x + 1] - arm->action_first[x]);
            layers->action_max = count > layers->action_max ? count : layers->action_max;
        }
    }
    layers->cost = og_arena_array(&layers->arena, OG_ARM_COST_MAX + 1, sizeof *layers->cost);
    layers->cost_place = og_arena_array(&layers->arena, OG_ARM_COST_MAX + 1, sizeof(int32_t));
    OG_TRY(og_arena_status(&layers->arena));
    for (int32_t cost = 1; cost <= OG_ARM_COST_MAX; cost++) {
        if (costs[cost]) {
            layers->cost_place[cost] = layers->cost_count;
            layers->cost[layers->cost_count++] = cost;
        }
    }
    if (layers->cost_count == 0) { /* no action is affordable */
        layers->cost[layers->cost_count++] = 1;
    }
    return OG_OK;
}

/* Goes one layer down: `here` becomes `below`. */
static void turn_past(builder *b)
{
    int32_t oldest = b->layers->cost[b->layers->cost_count - 1];
    uint32_t *room = b->past[oldest];
    memmove(&b->past[1], &b->past[0], (size_t)oldest * sizeof *b->past);
    b->past[0] = room;
    b->here = b->past[0];
    b->below = b->past[1];
}

static og_status layers_fill(builder *b, og_message *message)
{
    uint32_t nodes = b->arms->node_offset[b->arms->arm_count];
    OG_TRY(ask_stop(b, 0, message)); /* zeros take time */
    OG_TRY(count_actions(b));
    size_t oldest = (size_t)b->layers->cost[b->layers->cost_count - 1];
    size_t outcomes = (size_t)b->layers->outcome_max;
    outcomes = b->several ? (size_t)b->layers->action_max * (outcomes + 1) : outcomes;
    b->slot_count = 256;
    b->slot = calloc(b->slot_count, 2 * sizeof *b->slot);
    b->past = og_arena_array(&b->arena, oldest + 1, sizeof *b->past);
    for (size_t i = 0; !b->arena.failed && i <= oldest; i++) {
        b->past[i] = og_arena_array(&b->arena, nodes, sizeof **b->past);
    }
    b->key = og_arena_array(&b->arena, 1, sizeof *b->key + outcomes * sizeof *b->key->outcome);
    if (b->slot == NULL || b->arena.failed || !layer_begin(b)) {
        return OG_NO_MEMORY;
    }
    b->here = b->past[0];
    b->below = b->past[1];
    if (b->several && !og_layers_unpack(b)) {
        return OG_NO_MEMORY;
    }
    b->layers->layer[0] = b->layer;
    memset(&b->layer, 0, sizeof b->layer);
    OG_TRY(check_size(b, message));
    for (int32_t left = 1; left <= b->layers->budget; left++) {
        OG_TRY(layer_build(b, left, message));
        OG_TRY(classes_keep(b, left));
        turn_past(b);
    }
    for (int32_t a = 0; a < b->arms->arm_count; a++) {
        b->layers->root_class[a] = b->below[b->arms->node_offset[a]];
    }
    return OG_OK;
}

static og_status layers_new(const og_arms *arms, const og_layers_use *use, og_classes *classes,
                            og_layers **out, og_message *message)
{
    og_layers *layers = og_arena_new(sizeof *layers);
    OG_TRY(OG_ALLOCATED(layers));
    size_t count = (size_t)arms->budget + 1;
    layers->layer = og_arena_array(&layers->arena, count, sizeof *layers->layer);
    layers->root_class =
        og_arena_array(&layers->arena, (size_t)arms->arm_count, sizeof *layers->root_class);
    layers->budget = arms->budget;
    layers->bytes = count * sizeof *layers->layer;
    builder b = {.arms = arms,
                 .ranks = use->ranks,
                 .merge = use->merge,
                 .ends = use->ends && use->merge && use->ranks != NULL && use->ranks->stops,
                 .memory_bytes = use->memory_bytes,
                 .stop = use->stop,
                 .names = use->names,
                 .names_bytes = use->names == NULL ? 0 : og_exact_names_bytes(use->names),
                 .layers = layers,
                 .classes = classes};
    og_status status = og_arena_status(&layers->arena);
    OG_THEN(status, layers_fill(&b, message));
    layer_clear(&b.layer);
    free(b.slot);
    og_arena_clear(&b.arena);
    return OG_MADE(status, layers, og_layers_free, out);
}

og_status og_layers_new(const og_arms *arms, const og_layers_use *use, og_layers **out,
                        og_message *message)
{
    return layers_new(arms, use, NULL, out, message);
}

void og_layers_free(og_layers *layers)
{
    bool made = layers != NULL && layers->layer != NULL;
    for (int32_t left = 0; made && left <= layers->budget; left++) {
        layer_clear(&layers->layer[left]);
    }
    og_arena_free(layers);
}

/* Saturates; it is only compared with a limit. */
static uint64_t classes_bytes(const og_arms *arms)
{
    double bytes = 4 * og_layers_nodes(arms) + 24.0 * arms->arm_count * arms->budget;
    return bytes < 0x1p63 ? (uint64_t)bytes : UINT64_MAX;
}

og_status og_classes_new(const og_arms *arms, const og_layers_use *use, og_classes **out,
                         og_message *message)
{
    og_layers_use rest = *use;
    uint64_t bytes = classes_bytes(arms);
    if (bytes >= use->memory_bytes) {
        char needed[OG_BYTES_TEXT_BYTES];
        return og_message_set(message, OG_STOPPED,
                              "the classes of all posteriors need %s, more than the memory limit "
                              "leaves them",
                              og_bytes_format(bytes, needed));
    }
    og_classes *classes = og_arena_new(sizeof *classes);
    OG_TRY(OG_ALLOCATED(classes));
    classes->bytes = bytes;
    classes->arm_count = arms->arm_count;
    size_t arrays = ((size_t)arms->budget + 1) * (size_t)arms->arm_count;
    classes->class_of = og_arena_array(&classes->arena, arrays, sizeof *classes->class_of);
    og_layers *layers = NULL;
    og_status status = og_arena_status(&classes->arena);
    if (status == OG_OK) {
        rest.memory_bytes -= bytes;
        status = layers_new(arms, &rest, classes, &layers, message);
    }
    og_layers_free(layers);
    return OG_MADE(status, classes, og_classes_free, out);
}

void og_classes_free(og_classes *classes)
{
    og_arena_free(classes);
}
