/*
 * Computes one layer from the one below and, within a layer, the instances with w workers at work
 * from those with w - 1. Equivalence is equality of signatures, looked up in a hash table: an
 * instance's gain, its classes below, its index, and the rates at which it leaves for other
 * classes.
 */
#include "dp/families/delayed_layers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "dp/families/delayed.h"

enum { SIGNATURE_HEAD = 4, SLOTS_FIRST = 1024 };

#define NO_CLASS UINT32_MAX

typedef struct {
    og_arena arena;
    const og_arms *arms;
    const og_delayed_layers_use *use;
    og_delayed_layers *out;

    uint64_t **offset; /* [arm_count][depth + 1] of rewards */
    double **reward;   /* [arm_count] */
    uint32_t **below;  /* [arm_count] classes in the layer below, in the order of `begin` */
    uint32_t **here;   /* [arm_count] and in the layer being built */

    /* The layer being built; its classes' signatures are stored one after the other. */
    og_delayed_layer *layer;
    int32_t left;
    size_t class_room, way_room;
    uint64_t *words;
    size_t *begin; /* [class_count + 1] */
    size_t word_room, begin_room;
    uint32_t *slot; /* [slots] a power of two, at most half full; NO_CLASS: free */
    size_t slots;

    /* The current instances, (., w) of one arm: their classes if one gets a worker, if another one
     * does, and the classes of those with one less at work. */
    const uint32_t *given, *down, *fewer;

    /* The policy's index of each node, and its error. */
    og_act_open *open; /* [nodes of the largest arm] */
    double *index;
    void *scratch;
    og_status status;
    og_message *message;

    /* The current instance. */
    og_delayed_way *ways;
    int32_t way_count;
    uint64_t *signature;
} builder;

/* D of all instances of an arm: reward[offset[w] + node] for the nodes of levels 0 .. depth - 1 -
 * w; offset: [depth + 1]. Relative error at most depth * (probability_error + 2^-52) +
 * reward_error. NULL: no memory. If stopped, it leaves them incomplete: each layer checks the stop
 * before its rows. */
static double *new_rewards(og_arena *arena, const og_arm *arm, og_stop *stop, uint64_t *offset)
{
    uint64_t total = 0;
    for (int32_t w = 0; w < arm->depth; w++) {
        offset[w] = total;
        total += arm->level[arm->depth - w];
    }
    offset[arm->depth] = total;
    double *reward = og_arena_array(arena, (size_t)total, sizeof *reward);
    size_t outcomes = (size_t)arm->outcome_count;
    for (int32_t w = 0; reward != NULL && w < arm->depth && !og_stop_asked(stop); w++) {
        for (uint32_t x = 0; x < arm->level[arm->depth - w]; x++) {
            double sum = w == 0 ? arm->reward[x] : 0;
            for (size_t k = 0; w > 0 && k < outcomes; k++) {
                sum += arm->probability[x * outcomes + k] *
                       reward[offset[w - 1] + arm->next[x * outcomes + k]];
            }
            reward[offset[w] + x] = sum;
        }
    }
    return reward;
}

/* The most labels that an instance of this arm can have with `left` workers to come. */
static int32_t spent_of(const og_delayed_layers *layers, int32_t arm, int32_t left)
{
    int32_t spent = layers->workers - left;
    return spent < layers->most[arm] ? spent : layers->most[arm];
}

/*
 * The begin of the instances with w at work among all of an arm in a layer, in which at most
 * `spent` labels have been given or are under way: they are the nodes of levels 0 .. spent - w.
 */
static size_t block(const og_arm *arm, int32_t spent, int32_t w)
{
    size_t total = 0;
    for (int32_t i = 0; i < w; i++) {
        total += arm->level[spent - i + 1];
    }
    return total;
}

static og_status refuse(const builder *b, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_NO_MEMORY,
                          "the tables of instances with workers at work for %d workers do not fit "
                          "the memory limit of %s",
                          (int)b->out->workers, og_bytes_format(b->use->memory_bytes, limit));
}

/* Makes room for `need` elements; the increase counts against the limit. */
static bool make_room(builder *b, void **array, size_t *room, size_t need, size_t size)
{
    if (need <= *room) {
        return true;
    }
    size_t wanted = *room < 64 ? 64 : *room;
    while (wanted < need) {
        wanted *= 2;
    }
    void *grown = NULL;
    b->out->bytes += (wanted - *room) * size;
    if (b->out->bytes <= b->use->memory_bytes) {
        grown = realloc(*array, wanted * size);
    }
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *room = wanted;
    return true;
}

/* ---- classes ---- */

static size_t slot_of(const builder *b, const uint64_t *words, size_t count)
{
    return XXH3_64bits(words, count * sizeof *words) & (b->slots - 1);
}

static bool has_signature(const builder *b, uint32_t class, const uint64_t *words, size_t count)
{
    return b->begin[class + 1] - b->begin[class] == count &&
           memcmp(&b->words[b->begin[class]], words, count * sizeof *words) == 0;
}

static uint32_t find_class(const builder *b, const uint64_t *words, size_t count)
{
    size_t i = slot_of(b, words, count);
    while (b->slot[i] != NO_CLASS && !has_signature(b, b->slot[i], words, count)) {
        i = (i + 1) & (b->slots - 1);
    }
    return b->slot[i];
}

static void enter_class(builder *b, uint32_t class)
{
    size_t i = slot_of(b, &b->words[b->begin[class]], b->begin[class + 1] - b->begin[class]);
    while (b->slot[i] != NO_CLASS) {
        i = (i + 1) & (b->slots - 1);
    }
    b->slot[i] = class;
}

static bool grow_slots(builder *b)
{
    size_t room = b->slots;
    size_t need = b->slots == 0 ? SLOTS_FIRST : 2 * b->slots;
    if (!make_room(b, (void **)&b->slot, &room, need, sizeof *b->slot)) {
        return false;
    }
    b->slots = room;
    memset(b->slot, 0xff, b->slots * sizeof *b->slot);
    for (uint32_t c = 0; c < b->layer->class_count; c++) {
        enter_class(b, c);
    }
    return true;
}

/* The signature of the current instance without the ways to class `but`. */
static size_t sign(builder *b, const uint64_t head[SIGNATURE_HEAD], uint32_t but)
{
    memcpy(b->signature, head, SIGNATURE_HEAD * sizeof *head);
    size_t count = SIGNATURE_HEAD;
    for (int32_t i = 0; i < b->way_count; i++) {
        if (b->ways[i].to != but) {
            b->signature[count++] = b->ways[i].to;
            memcpy(&b->signature[count++], &b->ways[i].rate, sizeof(uint64_t));
        }
    }
    return count;
}

/* A new class of the current instance, whose signature has just been written. NO_CLASS: no
 * memory. */
static uint32_t add_class(builder *b, double reward, const uint32_t *below, double index,
                          size_t words)
{
    og_delayed_layer *l = b->layer;
    uint32_t c = l->class_count;
    uint32_t at = c == 0 ? 0 : l->row[c - 1].end;
    size_t used = c == 0 ? 0 : b->begin[c];
    if (!make_room(b, (void **)&l->row, &b->class_room, (size_t)c + 1, sizeof *l->row) ||
        !make_room(b, (void **)&l->way, &b->way_room, at + (size_t)b->way_count, sizeof *l->way) ||
        !make_room(b, (void **)&b->begin, &b->begin_room, (size_t)c + 2, sizeof *b->begin) ||
        !make_room(b, (void **)&b->words, &b->word_room, used + words, sizeof *b->words)) {
        return NO_CLASS;
    }
    const og_delayed_layer *lower = l - (b->left > 0);
    og_delayed_row *row = &l->row[c];
    *row = (og_delayed_row){.reward = reward,
                            .given = below[0],
                            .down = below[1],
                            .index = index,
                            .first = at,
                            .alive = reward > 0};
    row->alive =
        row->alive || (b->left > 0 && (lower->row[below[0]].alive || lower->row[below[1]].alive));
    for (int32_t i = 0; i < b->way_count; i++, at++) {
        l->way[at] = b->ways[i];
        row->rate_total += b->ways[i].rate;
        row->alive = row->alive || l->row[b->ways[i].to].alive;
    }
    row->end = at;
    memcpy(&b->words[used], b->signature, words * sizeof *b->words);
    b->begin[c] = used;
    b->begin[c + 1] = used + words;
    l->class_count = c + 1;
    if (2 * (size_t)l->class_count > b->slots) {
        return grow_slots(b) ? c : NO_CLASS;
    }
    enter_class(b, c);
    return c;
}

/* ---- instances ---- */

/* The ways of an instance with w at work, combined by class and in the order of classes. */
static void find_ways(builder *b, int32_t a, uint32_t x, int32_t w)
{
    const og_arm *arm = b->arms->arm[a];
    b->way_count = 0;
    for (int32_t k = 0; w > 0 && k < arm->outcome_count; k++) {
        size_t edge = (size_t)x * (size_t)arm->outcome_count + (size_t)k;
        uint32_t to = b->fewer[arm->next[edge]];
        double rate = w * arm->probability[edge];
        int32_t at = 0;
        while (at < b->way_count && b->ways[at].to < to) {
            at++;
        }
        if (at < b->way_count && b->ways[at].to == to) {
            b->ways[at].rate += rate;
        } else {
            memmove(&b->ways[at + 1], &b->ways[at], (size_t)(b->way_count - at) * sizeof *b->ways);
            b->ways[at] = (og_delayed_way){to, rate};
            b->way_count++;
        }
    }
}

/* The class of an instance, which is full if it cannot be given a worker; made if there is none
 * yet. NO_CLASS: no memory. */
static uint32_t class_of(builder *b, int32_t a, uint32_t x, int32_t w, bool full)
{
    double reward = full ? 0 : b->reward[a][b->offset[a][w] + x];
    uint32_t below[2] = {full ? b->down[x] : b->given[x], b->down[x]};
    double index = b->use->by != NULL ? b->index[x] + 0.0 : 0; /* no -0.0 */
    uint64_t head[SIGNATURE_HEAD] = {0, (uint64_t)below[0] << 32 | below[1], 0, 0};
    memcpy(&head[0], &reward, sizeof reward);
    memcpy(&head[2], &index, sizeof index);
    if (!b->use->merge) { /* no other instance is in this class */
        head[3] = 1 + b->offset[a][w] + x + ((uint64_t)a << 48);
    }
    find_ways(b, a, x, w);
    for (int32_t i = 0; b->use->merge && i < b->way_count; i++) {
        uint32_t c = b->ways[i].to;
        size_t words = sign(b, head, c);
        if (has_signature(b, c, b->signature, words)) {
            return c;
        }
    }
    size_t words = sign(b, head, NO_CLASS);
    uint32_t c = b->slots > 0 ? find_class(b, b->signature, words) : NO_CLASS;
    return c != NO_CLASS ? c : add_class(b, reward, below, index, words);
}

/* Adds class 0, for instances that can gain nothing, to the empty current layer. */
static bool add_dead(builder *b)
{
    const uint64_t head[SIGNATURE_HEAD] = {0};
    const uint32_t below[2] = {0, 0};
    b->way_count = 0;
    return add_class(b, 0, below, 0, sign(b, head, NO_CLASS)) != NO_CLASS;
}

/* Keeps the layer just built, now `below`, for og_delayed_class. */
static bool keep_layer(builder *b)
{
    for (int32_t a = 0; a < b->arms->arm_count; a++) {
        int32_t spent = spent_of(b->out, a, b->left);
        size_t bytes = block(b->arms->arm[a], spent, spent + 1) * sizeof(uint32_t);
        b->out->bytes += bytes;
        uint32_t *kept = b->out->bytes <= b->use->memory_bytes
                             ? og_arena_copy(&b->out->arena, b->below[a], bytes, 1)
                             : NULL;
        if (kept == NULL) {
            return false;
        }
        b->out->class[(size_t)b->left * (size_t)b->arms->arm_count + (size_t)a] = kept;
    }
    return true;
}

uint32_t og_delayed_class(const og_delayed_layers *layers, const og_arms *arms, int32_t arm,
                          uint32_t node, int32_t at_work, int32_t left)
{
    const uint32_t *class = layers->class[(size_t)left * (size_t)arms->arm_count + (size_t)arm];
    return class[block(arms->arm[arm], spent_of(layers, arm, left), at_work) + node];
}

/* Follows the order in which build_layer makes them. */
og_delayed_instance og_delayed_instance_of(const og_delayed_layers *layers, const og_arms *arms,
                                           uint32_t class, int32_t left)
{
    int32_t spent = layers->workers - left;
    og_delayed_instance instances = {0, class, 0};
    assert(left > 0 && !layers->dead_first && class < layers->layer[left].class_count);
    while (instances.node >= arms->arm[instances.arm]->level[spent - instances.at_work + 1]) {
        instances.node -= arms->arm[instances.arm]->level[spent - instances.at_work + 1];
        instances.arm++;
        if (instances.arm == arms->arm_count) {
            instances.arm = 0;
            instances.at_work++;
        }
    }
    return instances;
}

/* The policy's index of the instances (x, w) of an arm, into b->index. */
static bool ask_policy(builder *b, int32_t a, int32_t w, uint32_t nodes)
{
    const og_strategy *by = b->use->by;
    const og_delayed_state state = {.left = b->left};
    og_answer kind = OG_ANSWER_INDEX;
    for (uint32_t x = 0; x < nodes; x++) {
        b->open[x] = (og_act_open){{{(uint32_t)a, x, (uint32_t)w}}, 1};
    }
    const og_strategy_view view = {b->scratch, &state, NULL, b->open, (int32_t)nodes};
    b->index[nodes] = -INFINITY;
    b->status = by->choose(by->self, &view, b->index, &kind, b->message);
    if (b->status == OG_OK && kind != OG_ANSWER_INDEX) {
        b->status = og_message_set(b->message, OG_BAD_INPUT,
                                   "labels that take time support only index policies");
    }
    for (uint32_t x = 0; b->status == OG_OK && x < nodes; x++) {
        if (isnan(b->index[x])) {
            b->status =
                og_message_set(b->message, OG_FAILED, "the policy's index is not a number (NaN)");
        }
    }
    return b->status == OG_OK;
}

/* Builds the classes of the instances of an arm with w at work. */
static bool build_instances(builder *b, int32_t a, int32_t w)
{
    const og_arm *arm = b->arms->arm[a];
    int32_t spent = spent_of(b->out, a, b->left);
    if (w > spent) {
        return true;
    }
    uint32_t *here = b->here[a] + block(arm, spent, w);
    if (b->left > 0) {
        int32_t lower = spent_of(b->out, a, b->left - 1);
        b->given = b->below[a] + block(arm, lower, w + 1);
        b->down = b->below[a] + block(arm, lower, w);
        b->fewer = w > 0 ? b->here[a] + block(arm, spent, w - 1) : NULL;
    }
    uint32_t nodes = arm->level[spent - w + 1];
    uint32_t open = spent < b->out->most[a] ? nodes : arm->level[spent - w];
    if (b->left > 0 && b->use->by != NULL && !ask_policy(b, a, w, nodes)) {
        return false;
    }
    for (uint32_t x = 0; x < nodes; x++) {
        here[x] = b->left == 0 ? 0 : class_of(b, a, x, w, x >= open);
        if (here[x] == NO_CLASS) {
            return false;
        }
    }
    return true;
}

static bool build_layer(builder *b)
{
    b->layer = &b->out->layer[b->left];
    b->class_room = 0;
    b->way_room = 0;
    if (b->slots > 0) {
        memset(b->slot, 0xff, b->slots * sizeof *b->slot);
    }
    if ((b->left == 0 || b->out->dead_first) && !add_dead(b)) {
        return false;
    }
    for (int32_t w = 0; w <= b->out->workers - b->left; w++) {
        for (int32_t a = 0; a < b->arms->arm_count; a++) {
            if (og_stop_asked(b->use->stop)) {
                b->status = og_stop_building(b->message);
                return false;
            }
            if (!build_instances(b, a, w)) {
                return false;
            }
        }
    }
    for (int32_t a = 0; b->left == b->out->workers && a < b->arms->arm_count; a++) {
        b->out->root[a] = b->here[a][0];
    }
    uint32_t **swap = b->below;
    b->below = b->here;
    b->here = swap;
    return !b->use->keep || keep_layer(b);
}

/* ---- setting up ---- */

static bool builder_init(builder *b)
{
    const og_arms *arms = b->arms;
    og_arena *arena = &b->arena;
    size_t count = (size_t)arms->arm_count + 1;
    size_t workers = (size_t)arms->budget;
    b->out->workers = arms->budget;
    b->out->layer = og_arena_array(&b->out->arena, workers + 1, sizeof *b->out->layer);
    b->out->root = og_arena_array(&b->out->arena, count, sizeof *b->out->root);
    b->out->most = og_arena_array(&b->out->arena, count, sizeof *b->out->most);
    b->out->class = og_arena_array(&b->out->arena, b->use->keep ? (workers + 1) * count : 0,
                                   sizeof *b->out->class);
    b->offset = og_arena_array(arena, count, sizeof *b->offset);
    b->reward = og_arena_array(arena, count, sizeof *b->reward);
    b->below = og_arena_array(arena, count, sizeof *b->below);
    b->here = og_arena_array(arena, count, sizeof *b->here);
    if (b->out->arena.failed || arena->failed) {
        return false;
    }
    int32_t outcomes = 1;
    size_t nodes = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        b->out->most[a] = b->use->most != NULL ? b->use->most[a] : arms->budget;
        size_t most = block(arm, b->out->most[a], b->out->most[a] + 1);
        b->out->bytes += most * (sizeof(double) + 2 * sizeof(uint32_t));
        if (b->out->bytes > b->use->memory_bytes) {
            return false;
        }
        b->offset[a] = og_arena_array(arena, (size_t)arm->depth + 1, sizeof *b->offset[a]);
        b->below[a] = og_arena_array(arena, most, sizeof *b->below[a]);
        b->here[a] = og_arena_array(arena, most, sizeof *b->here[a]);
        b->reward[a] = arena->failed ? NULL : new_rewards(arena, arm, b->use->stop, b->offset[a]);
        outcomes = arm->outcome_count > outcomes ? arm->outcome_count : outcomes;
        nodes = b->use->by != NULL && arm->node_count > nodes ? arm->node_count : nodes;
    }
    b->out->outcome_max = outcomes;
    b->ways = og_arena_array(arena, (size_t)outcomes + 1, sizeof *b->ways);
    b->signature =
        og_arena_array(arena, SIGNATURE_HEAD + 2 * (size_t)outcomes, sizeof *b->signature);
    b->open = og_arena_array(arena, nodes, sizeof *b->open);
    b->index = og_arena_array(arena, nodes + 1, sizeof *b->index);
    b->scratch = og_arena_array(arena, b->use->by != NULL ? b->use->by->scratch_bytes : 0, 1);
    return og_arena_status(arena) == OG_OK;
}

static void builder_clear(builder *b)
{
    free(b->words);
    free(b->begin);
    free(b->slot);
    og_arena_clear(&b->arena);
}

og_status og_delayed_layers_new(const og_arms *arms, const og_delayed_layers_use *use,
                                og_delayed_layers **out, og_message *message)
{
    builder b = {.arms = arms, .use = use, .message = message};
    b.out = og_arena_new(sizeof *b.out);
    OG_TRY(OG_ALLOCATED(b.out));
    assert(use->merge || use->most == NULL);
    b.out->dead_first = use->merge && use->by == NULL;
    bool built = builder_init(&b);
    for (b.left = 0; built && b.left <= arms->budget; b.left++) {
        built = build_layer(&b);
    }
    og_status status = built ? OG_OK : b.status != OG_OK ? b.status : refuse(&b, message);
    builder_clear(&b);
    return OG_MADE(status, b.out, og_delayed_layers_free, out);
}

void og_delayed_layers_free(og_delayed_layers *layers)
{
    if (layers == NULL) {
        return;
    }
    for (int32_t left = 0; layers->layer != NULL && left <= layers->workers; left++) {
        free(layers->layer[left].row);
        free(layers->layer[left].way);
    }
    og_arena_free(layers);
}

size_t og_delayed_layers_first(const og_delayed_layers *layers, size_t *first, double *dearest)
{
    size_t total = 0;
    *dearest = 0;
    for (int32_t left = 0; left <= layers->workers; left++) {
        const og_delayed_layer *layer = &layers->layer[left];
        first[left] = total;
        total += layer->class_count;
        for (uint32_t c = 0; c < layer->class_count; c++) {
            *dearest = fmax(*dearest, layer->row[c].reward);
        }
    }
    return total;
}
