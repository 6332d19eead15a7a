/*
 * The arm of an instance whose labels are bought from sources of known accuracy.
 *
 * Invariant: nodes get their numbers in the order of their expansion, level by level, so all nodes
 * of a level are known when its first is expanded. An uncertain node is given by the differences of
 * its labels, and the number of labels of sources that can run out. Its odds are two whole numbers,
 * the weights of both truths. Every number of the arm is a quotient of sums of their products with
 * the accuracies.
 */
#include "dp/arm/sources.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/arm/arm.h"
#include "dp/arm/arm_builder.h"
#include "dp/base/rational.h"
#include "dp/base/wide.h"

static const double unit_roundoff = 0x1p-53;

enum {
    NONE = -1,
    CERTAIN_POSITIVE = INT32_MAX, /* the first difference after a label of a source that is never
                                   * wrong */
    CERTAIN_NEGATIVE = INT32_MIN,
};

/*
 * The data of a node: the differences of all sources, then the number of labels of each that can
 * run out. The layout gives the length and the place of each such number (NONE: the source cannot
 * run out).
 */
typedef struct {
    int32_t width;
    int32_t labels_at[OG_SOURCES_MAX];
} source_layout;

enum { WIDTH_MAX = 2 * OG_SOURCES_MAX };

/* The arm's data for exact values. */
typedef struct {
    og_arena arena;
    og_sources sources;
    source_layout layout;
    int32_t *known;     /* [node_count * layout.width] */
    uint8_t *source_of; /* [actions] */
} own_tables;

/* ---- range checks ---- */

og_status og_sources_check(const og_sources *sources, og_message *message)
{
    if (sources->count < 1 || sources->count > OG_SOURCES_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "the number of sources must be from 1 to %d",
                              OG_SOURCES_MAX);
    }
    for (int32_t j = 0; j < sources->count; j++) {
        og_fraction accuracy = sources->source[j].accuracy;
        if (accuracy.num < 0 || accuracy.num > accuracy.den) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the accuracy of a source must be from 0 to 1");
        }
        if (sources->source[j].most < 0) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "the number of labels of a source for one instance must be at least 1");
        }
        if (sources->source[j].price < 1 || sources->source[j].price > OG_ARM_COST_MAX) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the price of a source must be a whole number from 1 to %d",
                                  OG_ARM_COST_MAX);
        }
    }
    return OG_OK;
}

og_status og_sources_check_group(const og_group *group, og_message *message)
{
    bool plain =
        group->kind == OG_PRIOR_BETA && group->threshold.num == 1 && group->threshold.den == 2;
    return plain ? OG_OK
                 : og_message_set(
                       message, OG_BAD_INPUT,
                       "with sources an instance must be A,B, which is positive with probability "
                       "A/(A+B); mixtures, further classes and thresholds are not supported");
}

og_status og_sources_too_many(int32_t depth, uint64_t memory_bytes, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_STOPPED,
                          "the posteriors of an instance after labels for up to %" PRId32
                          " units take more than the memory limit of %s",
                          depth, og_bytes_format(memory_bytes, limit));
}

/* ---- weights ---- */

typedef struct {
    mpz_t positive, negative; /* of the two truths in a node */
    mpz_t power, x, y;        /* scratch */
} weights;

static void weights_init(weights *w)
{
    mpz_inits(w->positive, w->negative, w->power, w->x, w->y, NULL);
}

static void weights_clear(weights *w)
{
    mpz_clears(w->positive, w->negative, w->power, w->x, w->y, NULL);
}

static og_wide right_of(const og_label_source *source)
{
    return source->accuracy.num;
}

static og_wide wrong_of(const og_label_source *source)
{
    return source->accuracy.den - source->accuracy.num;
}

/* The prior a / (a + b) as whole weights. */
static void weights_of_prior(const og_group *group, weights *w)
{
    og_mpz_set(w->positive, group->a.num);
    og_mpz_mul(w->positive, w->positive, group->b.den);
    og_mpz_set(w->negative, group->b.num);
    og_mpz_mul(w->negative, w->negative, group->a.den);
}

/* For an uncertain node. */
static void weights_of(const og_group *group, const og_sources *sources, const int32_t *known,
                       weights *w)
{
    weights_of_prior(group, w);
    for (int32_t j = 0; j < sources->count; j++) {
        int32_t d = known[j];
        if (d != 0) {
            uint32_t times = (uint32_t)abs(d);
            og_mpz_set(w->power, right_of(&sources->source[j]));
            mpz_pow_ui(w->power, w->power, times);
            mpz_mul(d > 0 ? w->positive : w->negative, d > 0 ? w->positive : w->negative, w->power);
            og_mpz_set(w->power, wrong_of(&sources->source[j]));
            mpz_pow_ui(w->power, w->power, times);
            mpz_mul(d > 0 ? w->negative : w->positive, d > 0 ? w->negative : w->positive, w->power);
        }
    }
}

/* den * (positive + negative): the denominator of probabilities and rewards of a label of this
 * source. */
static void total_of(const weights *w, const og_label_source *source, mpz_t total)
{
    mpz_add(total, w->positive, w->negative);
    og_mpz_mul(total, total, source->accuracy.den);
}

static void probability_part(weights *w, const og_label_source *source, int32_t outcome, mpz_t part)
{
    og_mpz_mul(part, w->positive, outcome == 0 ? right_of(source) : wrong_of(source));
    og_mpz_addmul(part, w->negative, outcome == 0 ? wrong_of(source) : right_of(source));
}

/* The sum of the weights called right after a positive label and after a negative one, minus the
 * weight called right now. 0 if neither changes the call. */
static void reward_part(weights *w, const og_label_source *source, mpz_t part)
{
    bool positive = mpz_cmp(w->positive, w->negative) >= 0;
    og_mpz_mul(part, positive ? w->positive : w->negative, source->accuracy.den);
    mpz_neg(part, part);
    for (int32_t outcome = 0; outcome < 2; outcome++) {
        og_mpz_mul(w->x, w->positive, outcome == 0 ? right_of(source) : wrong_of(source));
        og_mpz_mul(w->y, w->negative, outcome == 0 ? wrong_of(source) : right_of(source));
        mpz_add(part, part, mpz_cmp(w->x, w->y) > 0 ? w->x : w->y);
    }
}

/* ---- building ---- */

typedef struct {
    og_arm *arm;
    const og_group *group;
    const og_sources *sources;
    uint64_t memory_bytes;
    og_stop *stop;
    weights w;
    /* nodes in the order in which they were found */
    uint32_t count, room;
    source_layout layout;
    int32_t *known;        /* [room * layout.width] */
    int32_t *after;        /* [room] the next node of the same level; NONE for the last */
    uint32_t *number;      /* [room] of the node in the arm */
    int32_t *first, *last; /* [depth + 1] of each level */
    uint32_t *slot;        /* hash table of nodes + 1, all of one level, which `level_of` gives */
    int32_t *level_of;     /* [room] */
    uint32_t slot_count;
    /* actions in the arm's order; `next` refers to the order of discovery until the end */
    uint32_t action_count, action_room;
    double *reward, *probability;
    uint32_t *next;
    int32_t *cost;
    uint8_t *source_of;
} builder;

static bool resize(void *pointer, size_t count, size_t size)
{
    void **array = pointer;
    void *bigger = realloc(*array, count * size);
    *array = bigger != NULL ? bigger : *array;
    return bigger != NULL;
}

static source_layout layout_of(const og_sources *sources, int32_t depth)
{
    source_layout out = {.width = sources->count};
    for (int32_t j = 0; j < sources->count; j++) {
        const og_label_source *source = &sources->source[j];
        bool runs_out = source->most > 0 && source->most < depth / source->price;
        out.labels_at[j] = runs_out ? out.width++ : NONE;
    }
    return out;
}

static uint64_t bytes_of(uint64_t nodes, uint64_t actions, int32_t width)
{
    return nodes * (4 + 4 * (uint64_t)width) + actions * (8 + 2 * 8 + 2 * 4 + 4 + 1);
}

static uint32_t *slot_for(const builder *b, int32_t level, const int32_t *known)
{
    size_t bytes = (size_t)b->layout.width * sizeof *known;
    uint64_t hash = XXH3_64bits_withSeed(known, bytes, (uint64_t)level);
    uint32_t at = (uint32_t)hash & (b->slot_count - 1);
    for (; b->slot[at] != 0; at = (at + 1) & (b->slot_count - 1)) {
        uint32_t node = b->slot[at] - 1;
        size_t place = (size_t)node * (size_t)b->layout.width;
        if (b->level_of[node] == level && memcmp(&b->known[place], known, bytes) == 0) {
            break;
        }
    }
    return &b->slot[at];
}

static og_status nodes_grow(builder *b)
{
    uint32_t room = b->room == 0 ? 64 : 2 * b->room;
    size_t width = (size_t)b->layout.width;
    if (room > UINT32_MAX / 4 ||
        bytes_of(b->count, b->action_count, b->layout.width) > b->memory_bytes) {
        return OG_STOPPED;
    }
    if (!resize(&b->known, room * width, sizeof *b->known) ||
        !resize(&b->after, room, sizeof *b->after) || !resize(&b->number, room, sizeof(uint32_t)) ||
        !resize(&b->level_of, room, sizeof *b->level_of)) {
        return OG_NO_MEMORY;
    }
    uint32_t *slot = calloc(2 * (size_t)room, sizeof *slot);
    OG_TRY(OG_ALLOCATED(slot));
    free(b->slot);
    b->room = room;
    b->slot = slot;
    b->slot_count = 2 * room;
    for (uint32_t node = 0; node < b->count; node++) {
        *slot_for(b, b->level_of[node], &b->known[node * width]) = node + 1;
    }
    return OG_OK;
}

/* The node of a level with these differences; made if it is new. */
static og_status find_node(builder *b, int32_t level, const int32_t *known, uint32_t *node)
{
    size_t width = (size_t)b->layout.width;
    if (b->count == b->room) {
        OG_TRY(nodes_grow(b));
    }
    uint32_t *slot = slot_for(b, level, known);
    if (*slot == 0) {
        uint32_t fresh = b->count++;
        memcpy(&b->known[fresh * width], known, width * sizeof *known);
        b->level_of[fresh] = level;
        b->after[fresh] = NONE;
        if (b->first[level] == NONE) {
            b->first[level] = (int32_t)fresh;
        } else {
            b->after[b->last[level]] = (int32_t)fresh;
        }
        b->last[level] = (int32_t)fresh;
        *slot = fresh + 1;
    }
    *node = *slot - 1;
    return OG_OK;
}

/* The data of a node after a label of source j. */
static void known_after(const builder *b, const int32_t *known, int32_t j, int32_t outcome,
                        int32_t *after)
{
    const og_label_source *source = &b->sources->source[j];
    size_t bytes = (size_t)b->layout.width * sizeof *after;
    bool never_wrong = right_of(source) == 0 || wrong_of(source) == 0;
    bool says_positive = (outcome == 0) == (wrong_of(source) < right_of(source));
    if (never_wrong) {
        memset(after, 0, bytes);
        after[0] = says_positive ? CERTAIN_POSITIVE : CERTAIN_NEGATIVE;
        return;
    }
    memcpy(after, known, bytes);
    if (right_of(source) != wrong_of(source)) { /* an accuracy of 1/2 gives no information */
        after[j] += outcome == 0 ? 1 : -1;
    }
    if (b->layout.labels_at[j] != NONE) {
        after[b->layout.labels_at[j]]++;
    }
}

static og_status actions_grow(builder *b)
{
    uint32_t room = b->action_room == 0 ? 64 : 2 * b->action_room;
    bool done = room <= UINT32_MAX / 4 && resize(&b->reward, room, sizeof *b->reward) &&
                resize(&b->probability, 2 * (size_t)room, sizeof *b->probability) &&
                resize(&b->next, 2 * (size_t)room, sizeof *b->next) &&
                resize(&b->cost, room, sizeof *b->cost) &&
                resize(&b->source_of, room, sizeof *b->source_of);
    b->action_room = done ? room : b->action_room;
    return done ? OG_OK : OG_NO_MEMORY;
}

static og_status add_action(builder *b, int32_t level, const int32_t *known, int32_t j)
{
    const og_label_source *source = &b->sources->source[j];
    if (b->action_count == b->action_room) {
        OG_TRY(actions_grow(b));
    }
    uint32_t action = b->action_count++;
    mpz_t total, part;
    mpz_inits(total, part, NULL);
    total_of(&b->w, source, total);
    reward_part(&b->w, source, part);
    double reward = og_nearest_quotient(part, total);
    b->reward[action] = reward;
    bool lost = mpz_sgn(part) > 0 && reward < 0x1p-1022;
    for (int32_t k = 0; k < 2; k++) {
        probability_part(&b->w, source, k, part);
        b->probability[2 * (size_t)action + (size_t)k] = og_nearest_quotient(part, total);
    }
    mpz_clears(total, part, NULL);
    b->cost[action] = source->price;
    b->source_of[action] = (uint8_t)j;
    for (int32_t k = 0; k < 2; k++) {
        int32_t after[WIDTH_MAX];
        known_after(b, known, j, k, after);
        OG_TRY(
            find_node(b, level + source->price, after, &b->next[2 * (size_t)action + (size_t)k]));
    }
    return lost ? OG_FAILED : OG_OK;
}

static og_status expand_node(builder *b, int32_t level, uint32_t node)
{
    int32_t known[WIDTH_MAX]; /* a copy: the nodes may move in memory */
    size_t width = (size_t)b->layout.width;
    memcpy(known, &b->known[node * width], width * sizeof *known);
    if (known[0] == CERTAIN_POSITIVE || known[0] == CERTAIN_NEGATIVE) {
        return OG_OK;
    }
    weights_of(b->group, b->sources, known, &b->w);
    for (int32_t j = 0; j < b->sources->count; j++) {
        const og_label_source *source = &b->sources->source[j];
        int32_t labels_at = b->layout.labels_at[j];
        bool left = labels_at == NONE || known[labels_at] < source->most;
        if (left && level + source->price <= b->arm->depth) {
            OG_TRY(add_action(b, level, known, j));
        }
    }
    return OG_OK;
}

/* Expands all levels; writes action_first[n] and level[n] as nodes get their numbers. */
static og_status expand_all(builder *b, uint32_t *level, uint32_t **action_first)
{
    const int32_t origin[WIDTH_MAX] = {0};
    uint32_t node, numbered = 0;
    OG_TRY(find_node(b, 0, origin, &node));
    for (int32_t n = 0; n <= b->arm->depth; n++) {
        level[n] = numbered;
        for (int32_t i = b->first[n]; i != NONE; i = b->after[i]) {
            if ((numbered & (numbered + 1)) == 0 && /* powers of two: room for twice as many */
                !resize(action_first, 2 * ((size_t)numbered + 1), sizeof **action_first)) {
                return OG_NO_MEMORY;
            }
            (*action_first)[numbered] = b->action_count;
            b->number[i] = numbered++;
            if (og_stop_asked(b->stop)) {
                return OG_STOPPED;
            }
            OG_TRY(expand_node(b, n, (uint32_t)i));
        }
    }
    level[b->arm->depth + 1] = numbered;
    (*action_first)[level[b->arm->depth]] = b->action_count;
    return OG_OK;
}

/* Copies the builder's arrays into the arm. */
static og_status copy_arrays(builder *b, const uint32_t *action_first)
{
    og_arm *arm = b->arm;
    own_tables *own = arm->own;
    og_arena *arena = &arm->arena;
    size_t width = (size_t)b->layout.width, actions = b->action_count;
    for (size_t i = 0; i < 2 * actions; i++) {
        b->next[i] = b->number[b->next[i]];
    }
    arm->node_count = b->count;
    arm->reward = og_arena_copy(arena, b->reward, actions, sizeof *b->reward);
    arm->probability = og_arena_copy(arena, b->probability, 2 * actions, sizeof *b->probability);
    arm->next = og_arena_copy(arena, b->next, 2 * actions, sizeof *b->next);
    arm->cost = og_arena_copy(arena, b->cost, actions, sizeof *b->cost);
    arm->action_first = og_arena_copy(arena, action_first, (size_t)arm->level[arm->depth] + 1,
                                      sizeof *action_first);
    own->source_of = og_arena_copy(&own->arena, b->source_of, actions, sizeof *b->source_of);
    own->known = og_arena_array(&own->arena, b->count * width, sizeof *own->known);
    OG_TRY(og_arena_status(arena));
    OG_TRY(og_arena_status(&own->arena));
    for (uint32_t i = 0; i < b->count; i++) {
        memcpy(&own->known[b->number[i] * width], &b->known[i * width], width * sizeof *own->known);
    }
    arm->bytes = bytes_of(b->count, actions, b->layout.width);
    return arm->bytes <= b->memory_bytes ? OG_OK : OG_STOPPED;
}

static void builder_clear(builder *b)
{
    weights_clear(&b->w);
    free(b->known);
    free(b->after);
    free(b->number);
    free(b->level_of);
    free(b->slot);
    free(b->reward);
    free(b->probability);
    free(b->next);
    free(b->cost);
    free(b->source_of);
}

/*
 * A lower bound on the number of nodes: every vector of differences of unlimited, informative
 * sources, as soon as it is affordable, and again for each two labels of the cheapest of them
 * later.
 */
static og_status least_nodes(const og_sources *sources, const source_layout *layout, int32_t depth,
                             double *nodes)
{
    double *ways = calloc((size_t)depth + 1, sizeof *ways); /* vectors that cost so many units */
    int32_t cheapest = INT32_MAX / 2;
    OG_TRY(OG_ALLOCATED(ways));
    ways[0] = 1;
    for (int32_t j = 0; j < sources->count; j++) {
        const og_label_source *source = &sources->source[j];
        og_wide right = right_of(source), wrong = wrong_of(source);
        if (layout->labels_at[j] != NONE || right == wrong || right == 0 || wrong == 0) {
            continue;
        }
        cheapest = source->price < cheapest ? source->price : cheapest;
        double fewer[OG_ARM_COST_MAX] = {0}; /* of this source, for each number of units modulo its
                                              * price */
        for (int32_t units = 0; units <= depth; units++) {
            double without = ways[units], *with_fewer = &fewer[units % source->price];
            ways[units] += 2 * *with_fewer;
            *with_fewer += without;
        }
    }
    *nodes = 0;
    for (int32_t units = 0; units <= depth; units++) {
        *nodes += ways[units] * ((depth - units) / (2 * cheapest) + 1);
    }
    free(ways);
    return OG_OK;
}

static og_status build(og_arm *arm, const og_group *group, const og_sources *sources,
                       uint64_t memory_bytes, og_stop *stop)
{
    size_t levels = (size_t)arm->depth + 1;
    uint32_t *level = og_arena_array(&arm->arena, levels + 1, sizeof *level);
    own_tables *own = og_arena_new(sizeof *own);
    arm->own = own;
    arm->level = level;
    arm->outcome_count = 2;
    OG_TRY(og_arena_status(&arm->arena));
    OG_TRY(OG_ALLOCATED(own));
    own->sources = *sources;
    own->layout = layout_of(sources, arm->depth);
    og_arena lists = {0};
    uint32_t *action_first = NULL;
    builder b = {.arm = arm,
                 .group = group,
                 .sources = sources,
                 .layout = own->layout,
                 .memory_bytes = memory_bytes,
                 .stop = stop};
    b.first = og_arena_array(&lists, levels, sizeof *b.first);
    b.last = og_arena_array(&lists, levels, sizeof *b.last);
    weights_init(&b.w);
    og_status status = og_arena_status(&lists);
    for (size_t n = 0; status == OG_OK && n < levels; n++) {
        b.first[n] = NONE;
    }
    OG_THEN(status, expand_all(&b, level, &action_first));
    OG_THEN(status, copy_arrays(&b, action_first));
    free(action_first);
    builder_clear(&b);
    og_arena_clear(&lists);
    return status;
}

/* ---- exact values ---- */

static bool is_certain(const int32_t *known)
{
    return known[0] == CERTAIN_POSITIVE || known[0] == CERTAIN_NEGATIVE;
}

void og_sources_exact_call(const og_arm *arm, uint32_t node, mpq_t out)
{
    const own_tables *own = arm->own;
    const int32_t *known = &own->known[node * (size_t)own->layout.width];
    weights w;
    if (is_certain(known)) {
        mpq_set_ui(out, 1, 1);
        return;
    }
    weights_init(&w);
    weights_of(&arm->prior, &own->sources, known, &w);
    bool positive = mpz_cmp(w.positive, w.negative) >= 0;
    mpz_add(w.x, w.positive, w.negative);
    mpq_set_num(out, positive ? w.positive : w.negative);
    mpq_set_den(out, w.x);
    mpq_canonicalize(out);
    weights_clear(&w);
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    og_sources_exact_call(arm, 0, out);
}

static uint32_t node_of_action(const og_arm *arm, uint32_t action)
{
    uint32_t low = 0, high = arm->level[arm->depth] - 1;
    while (low < high) { /* the last node whose actions begin at or before this one */
        uint32_t middle = high - (high - low) / 2;
        if (arm->action_first[middle] <= action) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static void exact_action(const og_arm *arm, uint32_t action, int32_t outcome, mpq_t out)
{
    const own_tables *own = arm->own;
    const og_label_source *source = &own->sources.source[own->source_of[action]];
    size_t node = node_of_action(arm, action);
    weights w;
    weights_init(&w);
    weights_of(&arm->prior, &own->sources, &own->known[node * (size_t)own->layout.width], &w);
    if (outcome < 0) {
        reward_part(&w, source, mpq_numref(out));
    } else {
        probability_part(&w, source, outcome, mpq_numref(out));
    }
    total_of(&w, source, mpq_denref(out));
    mpq_canonicalize(out);
    weights_clear(&w);
}

static const og_arm_builder og_arm_sources = {.exact_call = exact_call,
                                              .exact_action = exact_action};

int32_t og_sources_of_action(const og_arm *arm, uint32_t action)
{
    assert(arm->builder == &og_arm_sources);
    return ((const own_tables *)arm->own)->source_of[action];
}

double og_sources_positive(const og_arm *arm, uint32_t node)
{
    const own_tables *own = arm->own;
    const int32_t *known = &own->known[node * (size_t)own->layout.width];
    weights w;
    assert(arm->builder == &og_arm_sources);
    if (is_certain(known)) {
        return known[0] == CERTAIN_POSITIVE ? 1 : 0;
    }
    weights_init(&w);
    weights_of(&arm->prior, &own->sources, known, &w);
    mpz_add(w.x, w.positive, w.negative);
    double positive = og_nearest_quotient(w.positive, w.x);
    weights_clear(&w);
    return positive;
}

/* The labels of a node; `turns`: with answers exchanged if the first difference is negative. */
static void labels_of(const own_tables *own, uint32_t node, bool turns, int32_t *known)
{
    int32_t j = 0, count = own->sources.count;
    size_t width = (size_t)own->layout.width;
    memcpy(known, &own->known[node * width], width * sizeof *known);
    while (j < count && known[j] == 0) {
        j++;
    }
    bool turned = turns && j < count && known[j] < 0 && known[j] != CERTAIN_NEGATIVE;
    for (; turned && j < count; j++) {
        known[j] = -known[j];
    }
}

og_status og_sources_first_alike(const og_arm *arm, bool mirrored, uint32_t *first)
{
    const own_tables *own = arm->own;
    size_t bytes = (size_t)own->layout.width * sizeof *own->known, slots = 64;
    bool turns = mirrored && og_fraction_compare(arm->prior.a, arm->prior.b) == 0;
    int32_t known[WIDTH_MAX], there[WIDTH_MAX];
    assert(arm->builder == &og_arm_sources);
    while (slots < 2 * (size_t)arm->node_count) {
        slots *= 2;
    }
    uint32_t *slot = calloc(slots, sizeof *slot); /* nodes + 1 */
    OG_TRY(OG_ALLOCATED(slot));
    for (uint32_t node = 0; node < arm->node_count; node++) {
        labels_of(own, node, turns, known);
        size_t at = XXH3_64bits(known, bytes) & (slots - 1);
        for (; slot[at] != 0; at = (at + 1) & (slots - 1)) {
            labels_of(own, slot[at] - 1, turns, there);
            if (memcmp(there, known, bytes) == 0) {
                break;
            }
        }
        slot[at] = slot[at] != 0 ? slot[at] : node + 1;
        first[node] = slot[at] - 1;
    }
    free(slot);
    return OG_OK;
}

og_status og_arm_new_sources(const og_group *group, const og_sources *sources, int32_t depth,
                             const og_settings *settings, og_arm **out, og_message *message)
{
    OG_TRY(og_sources_check(sources, message));
    OG_TRY(og_sources_check_group(group, message));
    og_arm *arm = og_arena_new(sizeof *arm);
    OG_TRY(OG_ALLOCATED(arm));
    arm->builder = &og_arm_sources;
    arm->prior = *group;
    arm->depth = depth;
    arm->rational = true;
    arm->call_error = arm->reward_error = arm->probability_error = unit_roundoff;
    const source_layout known = layout_of(sources, depth);
    double least = 0;
    og_status status = least_nodes(sources, &known, depth, &least);
    if (status == OG_OK &&
        least * (double)bytes_of(1, 0, known.width) > (double)settings->memory_bytes) {
        status = OG_STOPPED;
    }
    OG_THEN(status, build(arm, group, sources, settings->memory_bytes, og_stop_of(settings)));
    if (status == OG_OK) {
        mpq_t call;
        mpq_init(call);
        exact_call(arm, call);
        arm->call = og_nearest(call);
        mpq_clear(call);
    }
    return OG_MADE(status, arm, og_arm_free, out);
}
