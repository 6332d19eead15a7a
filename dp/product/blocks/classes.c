/*
 * Partition refinement as in dp/product/layers.c, but only two layers are kept.
 *
 * Invariant: `class` numbers classes over all arms by their first nodes, class 0 holding the dead,
 * exactly as og_layers does. Outcomes are sorted by class and added up in that order. So sums over
 * outcomes are computed in the same order as in the recursion.
 */
#include "dp/product/blocks/classes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/product/blocks/classes_made.h"

static layer *at_hand(const og_block_classes *c)
{
    return &c->layer[c->hand];
}

static const layer *below(const og_block_classes *c)
{
    return og_block_layer_below(c, 1);
}

static og_block_depth *depth_of(const og_block_classes *c, const layer *l, int32_t arm,
                                int32_t depth)
{
    return &l->depth[(size_t)arm * ((size_t)c->arms->budget + 2) + (size_t)depth];
}

const og_block_depth *og_block_classes_depth(const og_block_classes *c, int32_t arm, int32_t depth)
{
    return depth_of(c, at_hand(c), arm, depth);
}

/* A settled layer also serves as the layer below it. */
static const layer *read_below(const og_block_classes *c)
{
    return c->left > c->made ? at_hand(c) : below(c);
}

const og_block_depth *og_block_classes_below(const og_block_classes *c, int32_t arm, int32_t depth)
{
    return depth_of(c, read_below(c), arm, depth);
}

const og_block_contracted *og_block_classes_contracted(const og_block_classes *c, int32_t next)
{
    return &read_below(c)->contracted[-1 - next];
}

int32_t og_block_classes_of(const og_block_classes *c, uint32_t global_node)
{
    return at_hand(c)->number[global_node];
}

/* ---- set-up ---- */

static void find_births(og_block_classes *c)
{
    const og_arms *arms = c->arms;
    if (c->costs.several) {
        og_block_actions_births(c);
        return;
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        size_t outcomes = (size_t)arm->outcome_count;
        uint32_t *number = &c->birth[arms->node_offset[a]];
        for (uint32_t node = arm->level[arms->budget]; node-- > 0;) {
            uint32_t least = 0;
            for (size_t k = 0; k < outcomes; k++) {
                uint32_t next = number[arm->next[node * outcomes + k]];
                least = next > 0 && (least == 0 || next < least) ? next : least;
            }
            bool live = arm->reward[node] > 0 || c->ranks != NULL;
            number[node] = live ? 1 : least > 0 ? least + 1 : 0;
        }
    }
}

/* Sorts each depth's nodes by birth, with a counting sort, so that equal ones keep their order. */
static bool sort_by_birth(og_block_classes *c)
{
    const og_arms *arms = c->arms;
    size_t births = (size_t)arms->budget + 1;
    uint32_t *first = calloc(births + 2, sizeof *first);
    for (int32_t a = 0; first != NULL && a < arms->arm_count; a++) {
        const uint32_t *level = arms->arm[a]->level;
        for (int32_t n = 0; n <= arms->budget; n++) {
            uint32_t begin = arms->node_offset[a] + level[n];
            uint32_t end = arms->node_offset[a] + level[n + 1];
            memset(first, 0, (births + 2) * sizeof *first);
            for (uint32_t x = begin; x < end; x++) {
                first[(c->birth[x] == 0 ? births : c->birth[x]) + 1]++;
            }
            for (size_t b = 1; b <= births + 1; b++) {
                first[b] += first[b - 1];
            }
            for (uint32_t x = begin; x < end; x++) {
                c->order[begin + first[c->birth[x] == 0 ? births : c->birth[x]]++] = x;
            }
        }
    }
    bool done = first != NULL;
    free(first);
    return done;
}

/* Layer 0: everything is dead. */
static void begin_classes(og_block_classes *c)
{
    layer *l = at_hand(c);
    l->two[0] = OG_TWO_NONE;
    for (int32_t a = 0; a < c->arms->arm_count; a++) {
        for (int32_t n = 0; n <= c->arms->budget; n++) {
            og_block_depth *d = depth_of(c, l, a, n);
            *d = (og_block_depth){.count = 1,
                                  .same = true,
                                  .forces = true,
                                  .down = l->places,
                                  .rank = c->ranks != NULL ? l->ranks : NULL,
                                  .two = OG_TWO_NONE};
        }
    }
}

/* With several actions only the current layer has numbers that are read: all layers share the
 * arrays. */
static bool is_sharing(const og_block_classes *c, const layer *l)
{
    return c->costs.several && l != c->layer;
}

static bool layer_new(const og_block_classes *c, layer *l)
{
    size_t nodes = c->nodes, outcomes = (size_t)c->outcomes;
    size_t depths = (size_t)c->arms->arm_count * ((size_t)c->arms->budget + 2);
    l->class = calloc(nodes + 1, sizeof *l->class);
    l->number = calloc(nodes + 1, sizeof *l->number);
    l->reward = calloc(nodes + 1, sizeof *l->reward);
    l->reach = calloc(nodes + 1, sizeof *l->reach);
    l->two = calloc(c->ahead ? nodes + 1 : 1, sizeof *l->two);
    l->depth = calloc(depths + 1, sizeof *l->depth);
    if (is_sharing(c, l)) {
        l->numbers = c->layer->numbers;
        l->places = c->layer->places;
    } else {
        l->numbers = calloc((nodes + CONTRACTED_MOST) * (outcomes + 1), sizeof *l->numbers);
        l->places = calloc((nodes + CONTRACTED_MOST) * (outcomes + 1), sizeof *l->places);
    }
    l->rank = calloc(c->ranks != NULL ? nodes + 1 : 1, sizeof *l->rank);
    l->ranks = calloc(c->ranks != NULL ? nodes + 1 : 1, sizeof *l->ranks);
    return l->class != NULL && l->number != NULL && l->reward != NULL && l->reach != NULL &&
           l->two != NULL && l->depth != NULL && l->numbers != NULL && l->places != NULL &&
           l->rank != NULL && l->ranks != NULL;
}

double og_block_classes_bytes(const og_arms *arms, const og_ranks *ranks, bool ahead)
{
    double nodes = arms->node_offset[arms->arm_count];
    double depths = (double)arms->arm_count * (arms->budget + 2.0);
    double outcomes = 1;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        double count = arms->arm[a]->outcome_count;
        outcomes = count > outcomes ? count : outcomes;
    }
    double two = ahead ? sizeof(og_two_copies_class) : 0;
    double kept = 24 + two + (ranks != NULL ? 8 : 0), numbers = 12 * (outcomes + 1);
    double scratch = sizeof(outcome) * outcomes + 4 * 6 + 8 + two + 16;
    og_block_costs costs;
    if (!og_block_costs_of(arms, &costs) || !costs.several) {
        return nodes * (2 * (kept + numbers) + scratch) + 2 * depths * sizeof(og_block_depth) +
               65536;
    }
    double ring = og_block_costs_last(&costs) + 1.0;
    double row = sizeof(outcome) * costs.most * (outcomes + 1);
    return nodes * (ring * kept + numbers + scratch + row + 4) +
           ring * (depths * sizeof(og_block_depth) + sizeof(layer)) +
           og_block_lanes_bytes(arms, &costs, (int32_t)outcomes) + 65536;
}

og_status og_block_classes_new(const og_arms *arms, const og_ranks *ranks, const bool *contracted,
                               bool ahead, og_block_classes **out)
{
    og_block_classes *c = calloc(1, sizeof *c);
    OG_TRY(OG_ALLOCATED(c));
    c->arms = arms;
    c->ranks = ranks;
    c->is_contracted = contracted;
    c->ahead = ahead;
    c->nodes = arms->node_offset[arms->arm_count];
    c->outcomes = 1;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        int32_t count = arms->arm[a]->outcome_count;
        c->outcomes = count > c->outcomes ? count : c->outcomes;
    }
    bool few = og_block_costs_of(arms, &c->costs); /* every caller has checked it */
    assert(few && !(c->costs.several && (ranks != NULL || contracted != NULL)));
    c->ring = few ? og_block_costs_last(&c->costs) + 1 : 2;
    c->row = c->costs.several ? c->costs.most * (c->outcomes + 1) : c->outcomes;
    size_t nodes = (size_t)c->nodes + 1;
    c->slot_count = 256;
    while (c->slot_count / 2 < nodes) {
        c->slot_count *= 2;
    }
    c->birth = calloc(nodes, sizeof *c->birth);
    c->order = calloc(nodes, sizeof *c->order);
    c->outcome = calloc(nodes * (size_t)c->row, sizeof *c->outcome);
    c->outcome_count = calloc(nodes, sizeof *c->outcome_count);
    c->down = calloc(nodes, sizeof *c->down);
    c->stamp = calloc(nodes, sizeof *c->stamp);
    c->number = calloc(nodes, sizeof *c->number);
    c->slot = calloc(c->slot_count, sizeof *c->slot);
    c->scratch = calloc((size_t)c->row + (size_t)c->outcomes + 1, sizeof *c->scratch);
    c->reach = calloc(nodes, sizeof *c->reach);
    c->two = calloc(ahead ? nodes : 1, sizeof *c->two);
    c->first = calloc(nodes, sizeof *c->first);
    c->layer = calloc((size_t)c->ring, sizeof *c->layer);
    bool made = c->layer != NULL && c->first != NULL;
    for (int32_t i = 0; made && i < c->ring; i++) {
        made = layer_new(c, &c->layer[i]);
    }
    if (made && c->costs.several) {
        made = og_block_lanes_new(c, &c->lanes) == OG_OK;
    }
    if (!made || c->birth == NULL || c->order == NULL || c->outcome == NULL ||
        c->outcome_count == NULL || c->down == NULL || c->stamp == NULL || c->number == NULL ||
        c->slot == NULL || c->scratch == NULL || c->reach == NULL || c->two == NULL) {
        og_block_classes_free(c);
        return OG_NO_MEMORY;
    }
    find_births(c);
    if (!sort_by_birth(c)) {
        og_block_classes_free(c);
        return OG_NO_MEMORY;
    }
    begin_classes(c);
    *out = c;
    return OG_OK;
}

void og_block_classes_free(og_block_classes *c)
{
    if (c == NULL) {
        return;
    }
    for (int32_t i = 0; c->layer != NULL && i < c->ring; i++) {
        bool shared = is_sharing(c, &c->layer[i]);
        free(c->layer[i].class);
        free(c->layer[i].number);
        free(c->layer[i].reward);
        free(c->layer[i].reach);
        free(c->layer[i].two);
        free(c->layer[i].depth);
        free(shared ? NULL : c->layer[i].numbers);
        free(shared ? NULL : c->layer[i].places);
        free(c->layer[i].rank);
        free(c->layer[i].ranks);
    }
    free(c->birth);
    free(c->order);
    free(c->outcome);
    free(c->outcome_count);
    free(c->down);
    free(c->stamp);
    free(c->number);
    free(c->slot);
    free(c->scratch);
    free(c->reach);
    free(c->two);
    free(c->first);
    free(c->layer);
    og_block_lanes_free(c->lanes);
    free(c);
}

/* ---- classes over all arms ---- */

/* Outcomes of a node with one action, into c->scratch. */
static int32_t outcomes_of(const og_block_classes *c, int32_t a, uint32_t node)
{
    return og_block_outcomes_of(c, a, node, below(c), c->scratch);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* The data that must agree, in addition to the outcomes in c->scratch. */
typedef struct {
    double reward;
    uint32_t rank; /* 0 for the optimum */
    uint32_t down;
    int32_t count; /* outcomes */
} signature;

/* True if a class of the layer being built has this signature. */
static bool matches(const og_block_classes *c, uint32_t class, const signature *key)
{
    const outcome *there = &c->outcome[(size_t) class * (size_t)c->row];
    bool same = bits_of(at_hand(c)->reward[class]) == bits_of(key->reward) &&
                c->down[class] == key->down && c->outcome_count[class] == key->count &&
                (c->ranks == NULL || at_hand(c)->rank[class] == key->rank);
    for (int32_t k = 0; same && k < key->count; k++) {
        same = there[k].class == c->scratch[k].class &&
               bits_of(there[k].probability) == bits_of(c->scratch[k].probability);
    }
    return same;
}

/* Finds the largest reward within reach of a class of the current layer, from its outcomes in the
 * layers below. */
static void look_ahead(const og_block_classes *c, uint32_t class, const outcome *list,
                       const double *reward, const double *reach, const og_two_copies_class *two)
{
    layer *l = at_hand(c);
    if (c->costs.several) {
        l->reach[class] = og_block_actions_reach(c, list, c->outcome_count[class]);
        l->two[class] = OG_TWO_NONE;
        return;
    }
    double most = l->reward[class];
    og_two_copies_class ahead = OG_TWO_NONE;
    for (int32_t k = 0; k < c->outcome_count[class]; k++) {
        uint32_t next = list[k].class;
        most = reach[next] > most ? reach[next] : most;
        og_two_copies_add(&ahead, list[k].probability, reward[next], &two[next]);
    }
    og_two_copies_end(&ahead, l->reward[class]);
    l->reach[class] = most;
    l->two[class] = ahead;
}

/* The class of a node whose outcomes are in c->scratch; a new class gets the number *classes. */
static uint32_t find_class(og_block_classes *c, const signature *key, uint32_t *classes)
{
    uint64_t hash = mix(bits_of(key->reward), key->down + ((uint64_t)key->rank << 32));
    for (int32_t k = 0; k < key->count; k++) {
        hash = mix(hash, bits_of(c->scratch[k].probability));
        hash = mix(hash, c->scratch[k].class);
    }
    uint32_t at = (uint32_t)(hash >> 32) & (c->slot_count - 1);
    for (; c->slot[at] != 0; at = (at + 1) & (c->slot_count - 1)) {
        if (matches(c, c->slot[at], key)) {
            return c->slot[at];
        }
    }
    uint32_t class = (*classes)++;
    c->slot[at] = class;
    at_hand(c)->reward[class] = key->reward;
    if (c->ranks != NULL) {
        at_hand(c)->rank[class] = key->rank;
    }
    c->down[class] = key->down;
    c->outcome_count[class] = key->count;
    memcpy(&c->outcome[(size_t) class * (size_t)c->row], c->scratch,
           (size_t)key->count * sizeof *c->scratch);
    if (c->ahead) {
        look_ahead(c, class, c->scratch, below(c)->reward, below(c)->reach, below(c)->two);
    }
    return class;
}

/* Finds the classes of all nodes of the current layer. */
static void refine(og_block_classes *c)
{
    layer *l = at_hand(c);
    const layer *last = below(c);
    uint32_t classes = 1;
    memset(c->slot, 0, c->slot_count * sizeof *c->slot);
    l->reach[0] = 0;
    l->two[0] = OG_TWO_NONE;
    for (int32_t a = 0; a < c->arms->arm_count; a++) {
        const og_arm *arm = c->arms->arm[a];
        uint32_t offset = c->arms->node_offset[a];
        uint32_t count = arm->level[c->arms->budget - c->left + 1];
        const uint32_t *rank = c->ranks != NULL ? og_ranks_of(c->ranks, a, c->left) : NULL;
        for (uint32_t node = 0; node < count; node++) {
            uint32_t birth = c->birth[offset + node];
            if (birth == 0 || birth > (uint32_t)c->left) {
                l->class[offset + node] = 0;
                continue;
            }
            signature key = {.rank = rank != NULL ? rank[node] : 0,
                             .down = last->class[offset + node]};
            if (c->costs.several) {
                key.count = og_block_actions_row(c, a, node, &key.reward);
            } else {
                key.reward = arm->reward[node] + 0.0; /* no negative zero */
                key.count = outcomes_of(c, a, node);
            }
            l->class[offset + node] = find_class(c, &key, &classes);
        }
    }
    c->classes = classes;
}

/* ---- numbers within a depth ---- */

/* The arrays of a layer, as they are cut from one block of memory. */
typedef struct {
    double *numbers;
    int32_t *places;
    uint32_t *ranks;
} cutter;

/* Writes the outcomes of a node, `count` apart. */
static void write_outcomes(const og_block_classes *c, int32_t a, uint32_t global_node, size_t count,
                           double *probability, int32_t *next)
{
    const int32_t *number = below(c)->number;
    int32_t kept = outcomes_of(c, a, global_node - c->arms->node_offset[a]);
    for (int32_t k = 0; k < c->outcomes; k++) {
        probability[(size_t)k * count] = k < kept ? c->scratch[k].probability : 0;
        next[(size_t)k * count] = k < kept ? number[c->scratch[k].node] : 0;
    }
}

/* Adds the contracted nodes of a depth, once all others have their numbers. */
static void number_contracted(og_block_classes *c, int32_t a, uint32_t begin, uint32_t end,
                              uint32_t stamp, cutter *cut)
{
    layer *l = at_hand(c);
    for (uint32_t x = begin; x < end; x++) {
        uint32_t class = l->class[x];
        if (!c->is_contracted[x]) {
            continue;
        }
        if (class > 0 && c->stamp[class] != stamp) {
            assert(l->contracted_count < CONTRACTED_MOST);
            og_block_contracted *item = &l->contracted[l->contracted_count++];
            *item = (og_block_contracted){x, l->reward[class], cut->numbers, cut->places};
            cut->numbers += c->outcomes;
            cut->places += c->outcomes;
            write_outcomes(c, a, x, 1, item->probability, item->next);
            c->stamp[class] = stamp;
            c->number[class] = -l->contracted_count;
        }
        l->number[x] = c->number[class];
    }
}

/* Adds a class to the common data of its depth. */
static void see_depth(og_block_depth *d, const layer *l, uint32_t class)
{
    const og_two_copies_class *two = &l->two[class];
    d->reach = l->reach[class] > d->reach ? l->reach[class] : d->reach;
    d->two.target_reach = fmax(d->two.target_reach, two->target_reach);
    d->two.gain_reach = fmax(d->two.gain_reach, two->gain_reach);
    d->two.fits = d->two.fits && two->fits;
    d->two.chance = two->chance; /* used for depths of one class only */
    d->two.target = two->target;
    d->two.gain = two->gain;
}

/* Sets the ranks of a depth; the first nodes of its numbers are visited in order. */
static void take_rank(og_block_depth *d, int32_t number, uint32_t rank)
{
    d->rank[number] = rank;
    d->rank_least = number == 0 || rank < d->rank_least ? rank : d->rank_least;
    d->rank_most = number == 0 || rank > d->rank_most ? rank : d->rank_most;
}

/* For several actions, once the numbers are known. */
static void number_actions(og_block_classes *c, int32_t a, int32_t n, og_block_depth *d)
{
    const layer *l = at_hand(c);
    for (int32_t i = 0; i < d->count; i++) {
        d->reward[i] = i < d->live ? l->reward[l->class[c->first[i]]] : 0;
    }
    d->next = NULL;
    d->probability = NULL;
    og_block_lanes_fill(c, a, n, d, c->first);
}

/* The same for one action. */
static void number_outcomes(const og_block_classes *c, int32_t a, og_block_depth *d)
{
    const layer *l = at_hand(c);
    size_t count = (size_t)d->count;
    for (int32_t i = 0; i < d->live; i++) {
        uint32_t x = c->first[i];
        d->reward[i] = l->reward[l->class[x]];
        if (c->ranks != NULL) {
            take_rank(d, i, l->rank[l->class[x]]);
        }
        write_outcomes(c, a, x, count, &d->probability[i], &d->next[i]);
        for (int32_t k = 0; k < c->outcomes; k++) {
            d->contracts = d->contracts || d->next[(size_t)k * count + (size_t)i] < 0;
        }
    }
    for (int32_t k = 0; d->live < d->count && k < c->outcomes; k++) {
        d->reward[d->live] = 0;
        d->probability[(size_t)k * count + (size_t)d->live] = 0;
        d->next[(size_t)k * count + (size_t)d->live] = 0;
    }
}

static void number_depth(og_block_classes *c, int32_t a, int32_t n, uint32_t stamp, cutter *cut)
{
    layer *l = at_hand(c);
    const layer *last = below(c);
    uint32_t begin = c->arms->node_offset[a] + c->arms->arm[a]->level[n];
    uint32_t end = c->arms->node_offset[a] + c->arms->arm[a]->level[n + 1];
    og_block_depth *d = depth_of(c, l, a, n);
    *d = (og_block_depth){.down = cut->places, .forces = true, .two = OG_TWO_NONE};
    bool dead = false;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t x = c->order[i];
        uint32_t class = l->class[x];
        if (c->is_contracted != NULL && c->is_contracted[x]) {
            continue;
        }
        if (class == 0) {
            l->number[x] = d->live; /* the rest of the depth is dead too: no more live classes
                                     * follow */
            d->down[d->live] = last->number[x];
            c->first[d->live] = x;
            dead = true;
            continue;
        }
        if (c->stamp[class] != stamp) {
            c->stamp[class] = stamp;
            c->number[class] = d->live;
            c->first[d->live] = x;
            d->down[d->live++] = last->number[x];
            if (c->ahead) {
                see_depth(d, l, class);
            }
        }
        l->number[x] = c->number[class];
    }
    d->count = d->live + dead;
    size_t count = (size_t)d->count;
    d->next = d->down + count;
    d->reward = cut->numbers;
    d->probability = d->reward + count;
    if (c->ranks != NULL) {
        d->rank = cut->ranks;
        cut->ranks += count;
    }
    cut->numbers += count * (size_t)(c->outcomes + 1);
    cut->places += count * (size_t)(c->outcomes + 1);
    d->same = true;
    for (int32_t i = 0; i < d->count; i++) {
        d->same = d->same && d->down[i] == i;
    }
    if (c->costs.several) {
        number_actions(c, a, n, d);
        return;
    }
    number_outcomes(c, a, d);
    if (c->is_contracted != NULL) {
        number_contracted(c, a, begin, end, stamp, cut);
    }
}

/*
 * True if the current layer has the same classes and numbers as the one below. Then so has the next
 * layer: rewards, classes here and the classes to which labels lead separate two nodes there, and
 * these already separated them here. No class has been split, and no node was born. Contracted
 * classes must be in the same places: those of a depth that only the layer below has come before
 * those of the next arm.
 */
static bool is_settled(og_block_classes *c)
{
    const layer *here = at_hand(c), *last = below(c);
    bool same = here->contracted_count == last->contracted_count;
    for (int32_t i = 0; same && i < here->contracted_count; i++) {
        same = here->contracted[i].node == last->contracted[i].node;
    }
    if (!same) {
        return false;
    }
    /* Each class alone has its class below, and in the same order, because outcomes are added up in
     * it. */
    for (uint32_t class = 1; class < c->classes; class ++) {
        if (c->down[class] <= (class > 1 ? c->down[class - 1] : 0)) {
            return false;
        }
    }
    for (int32_t a = 0; a < c->arms->arm_count; a++) {
        for (int32_t n = 0; n <= c->arms->budget - c->left; n++) {
            const og_block_depth *d = depth_of(c, here, a, n);
            const og_block_depth *under = depth_of(c, last, a, n);
            if (!d->same || d->count != under->count || d->live != under->live) {
                return false;
            }
        }
    }
    return true;
}

/* Renames the outcomes of a settled layer's classes to that layer's own classes. Outcomes outside
 * the layer are of the last depth, which no later layer has. */
static void rename_outcomes(og_block_classes *c)
{
    uint32_t *up = c->stamp; /* class of the layer for each class below */
    memset(up, 0, ((size_t)c->nodes + 1) * sizeof *up);
    for (uint32_t class = 1; class < c->classes; class ++) {
        up[c->down[class]] = class;
    }
    for (uint32_t class = 1; class < c->classes; class ++) {
        outcome *list = &c->outcome[(size_t) class * (size_t)c->row];
        for (int32_t k = 0; k < c->outcome_count[class]; k++) {
            list[k].class = up[list[k].class];
        }
    }
}

/* Goes one layer on from a settled one: labels reach further, nothing else changes. */
static void reach_further(og_block_classes *c)
{
    layer *l = at_hand(c);
    memcpy(c->reach, l->reach, c->classes * sizeof *c->reach);
    memcpy(c->two, l->two, c->classes * sizeof *c->two);
    for (uint32_t class = 1; class < c->classes; class ++) {
        look_ahead(c, class, &c->outcome[(size_t) class * (size_t)c->row], l->reward, c->reach,
                   c->two);
    }
    for (int32_t a = 0; a < c->arms->arm_count; a++) {
        for (int32_t n = 0; n <= c->arms->budget - c->left; n++) {
            og_block_depth *d = depth_of(c, l, a, n);
            uint32_t begin = c->arms->node_offset[a] + c->arms->arm[a]->level[n];
            uint32_t end = c->arms->node_offset[a] + c->arms->arm[a]->level[n + 1];
            d->two = OG_TWO_NONE;
            for (uint32_t x = begin; x < end; x++) {
                if (l->number[x] >= 0 && l->class[x] > 0) {
                    see_depth(d, l, l->class[x]);
                }
            }
        }
    }
}

void og_block_classes_step(og_block_classes *c)
{
    assert(c->left < c->arms->budget);
    c->left++;
    if (c->settled) {
        if (c->ahead) {
            reach_further(c);
        }
        return;
    }
    c->hand = (c->hand + 1) % c->ring;
    c->made = c->left;
    refine(c);
    layer *l = at_hand(c);
    l->contracted_count = 0;
    cutter cut = {l->numbers, l->places, l->ranks};
    uint32_t stamp = 0;
    memset(c->stamp, 0, ((size_t)c->nodes + 1) * sizeof *c->stamp);
    if (c->costs.several) {
        og_block_lanes_begin(c->lanes);
    }
    for (int32_t a = 0; a < c->arms->arm_count; a++) {
        for (int32_t n = 0; n <= c->arms->budget - c->left; n++) {
            number_depth(c, a, n, ++stamp, &cut);
        }
    }
    c->settled = !c->costs.several && (c->ranks == NULL || !c->ranks->by_left) && is_settled(c);
    if (c->settled) {
        rename_outcomes(c);
    }
}

int32_t og_block_classes_order(const og_block_classes *c, int32_t arm, uint32_t node,
                               double probability[2])
{
    int32_t kept = outcomes_of(c, arm, node);
    probability[0] = c->scratch[0].probability;
    probability[1] = kept > 1 ? c->scratch[1].probability : 0;
    uint32_t first = c->scratch[0].node - c->arms->node_offset[arm];
    return first == c->arms->arm[arm]->next[2 * (size_t)node] ? 0 : 1;
}

bool og_block_classes_settled(const og_block_classes *c)
{
    return c->settled;
}
