/*
 * Finds the nodes that are the same process: the same posterior, threshold and payoff, or the
 * mirror image; or the same node of a table.
 *
 * Arms whose parameters differ by whole numbers share posteriors. Such arms form a family, and
 * within a family a posterior is a pair of integers (its distance from the family's first arm). The
 * mirror image is in the same family if the threshold is 1/2, a - b is whole, and positive and
 * negative calls have equal payoffs. Then the pair with the larger first number represents both.
 * Sorting the nodes by family and pair makes twins adjacent.
 */
#include "heuristics/index/symmetry.h"

#include <stdbool.h>
#include <stdlib.h>

#include "dp/base/sort.h"

/*
 * Dirichlet posteriors that are permutations of each other. Two priors can have such posteriors if
 * the fractional parts of their parameters are the same multiset. A posterior's key is the list of
 * its parameters' whole parts, sorted by fractional part and then by size. Posteriors have the same
 * key if and only if their parameters are the same multiset.
 */
typedef struct {
    int32_t classes;
    int32_t order[OG_CLASSES_MAX];    /* classes by fractional part */
    int32_t end[OG_CLASSES_MAX];      /* of a place in `order`: the end of the classes with its
                                         fractional part */
    int32_t whole[OG_CLASSES_MAX];    /* whole part of a class's prior parameter */
    og_fraction rest[OG_CLASSES_MAX]; /* fractional parts, in the order of `order` */
} class_order;

static og_fraction fractional_part(og_fraction value)
{
    return (og_fraction){value.num % value.den, value.den};
}

static void order_init(class_order *order, const og_group *prior)
{
    *order = (class_order){.classes = prior->part_count};
    for (int32_t c = 0; c < order->classes; c++) {
        og_fraction rest = fractional_part(prior->alpha[c]);
        int32_t at = c;
        for (; at > 0 && og_fraction_compare(order->rest[at - 1], rest) > 0; at--) {
            order->rest[at] = order->rest[at - 1];
            order->order[at] = order->order[at - 1];
        }
        order->rest[at] = rest;
        order->order[at] = c;
        order->whole[c] = (int32_t)(prior->alpha[c].num / prior->alpha[c].den);
    }
    for (int32_t i = order->classes; i-- > 0;) {
        bool last =
            i + 1 == order->classes || og_fraction_compare(order->rest[i], order->rest[i + 1]) != 0;
        order->end[i] = last ? i + 1 : order->end[i + 1];
    }
}

/* True if they can share posteriors. */
static bool orders_match(const class_order *x, const class_order *y)
{
    bool same = x->classes == y->classes;
    for (int32_t i = 0; same && i < x->classes; i++) {
        same = og_fraction_compare(x->rest[i], y->rest[i]) == 0;
    }
    return same;
}

/* Computes key[classes] of the posterior after counts[classes]. */
static void order_key(const class_order *order, const int32_t *counts, int32_t *key)
{
    for (int32_t start = 0; start < order->classes; start = order->end[start]) {
        for (int32_t i = start; i < order->end[start]; i++) {
            int32_t value = order->whole[order->order[i]] + counts[order->order[i]], at = i;
            for (; at > start && key[at - 1] > value; at--) {
                key[at] = key[at - 1];
            }
            key[at] = value;
        }
    }
}

typedef struct {
    int32_t family;
    int32_t first, second; /* the posterior, as a distance from the family's first arm */
    int32_t level;
    int32_t arm;
    uint32_t node;
    int32_t classes; /* 0, or the number of classes of a Dirichlet, whose first and second are 0 */
    const int32_t *key; /* [classes] order_key */
} entry;

/* The position of an arm in its family. */
typedef struct {
    int32_t family;
    bool mirrored;              /* positive labels increase `second` */
    int32_t first, second;      /* the arm's prior */
    bool symmetric;             /* the family contains mirror images */
    int32_t symmetric_distance; /* a - b of the family's first arm, if symmetric */
    class_order classes;        /* of a Dirichlet */
} place;

static bool is_half(og_fraction x)
{
    return x.num == 1 && x.den == 2;
}

/* True if posteriors of `own` are also posteriors of `first`, or mirror images of them. */
static bool join_family(const og_group *own, const og_group *first, place *out)
{
    og_fraction mirror =
        og_fraction_make(first->threshold.den - first->threshold.num, first->threshold.den);
    og_payoff mirror_payoff = og_payoff_mirror(&first->payoff);
    out->mirrored = false;
    if (og_fraction_compare(own->threshold, first->threshold) == 0 &&
        og_payoff_compare(&own->payoff, &first->payoff) == 0 &&
        og_fraction_distance(own->a, first->a, &out->first) &&
        og_fraction_distance(own->b, first->b, &out->second)) {
        return true;
    }
    out->mirrored = true;
    return og_fraction_compare(own->threshold, mirror) == 0 &&
           og_payoff_compare(&own->payoff, &mirror_payoff) == 0 &&
           og_fraction_distance(own->b, first->a, &out->first) &&
           og_fraction_distance(own->a, first->b, &out->second);
}

/* Finds the place of an arm, given those before it. An arm that is not Beta has a separate family,
 * in which a mixture may have mirror images. */
static place find_place(const og_arms *arms, const place *places, int32_t arm)
{
    place own = {.family = arm};
    const og_group *group = og_arm_group(arms->arm[arm]);
    if (group == NULL) {
        int32_t diagonal = 0;
        own.symmetric = og_arm_mirror(arms->arm[arm], &diagonal);
        own.symmetric_distance = -diagonal;
        return own;
    }
    for (int32_t i = 0; i < arm; i++) {
        const og_group *first = og_arm_group(arms->arm[i]);
        if (places[i].family == i && first != NULL && join_family(group, first, &own)) {
            own.family = i;
            own.symmetric = places[i].symmetric;
            own.symmetric_distance = places[i].symmetric_distance;
            return own;
        }
    }
    own = (place){.family = arm};
    own.symmetric = is_half(group->threshold) && og_payoff_is_symmetric(&group->payoff) &&
                    og_fraction_distance(group->a, group->b, &own.symmetric_distance);
    return own;
}

static entry lattice_entry(const place *where, int32_t arm, uint32_t node, int32_t level, int32_t s)
{
    int32_t f = level - s;
    entry e = {.family = where->family, .level = level, .arm = arm, .node = node};
    e.first = where->first + (where->mirrored ? f : s);
    e.second = where->second + (where->mirrored ? s : f);
    if (where->symmetric) {
        int32_t mirror_first = e.second - where->symmetric_distance;
        int32_t mirror_second = e.first + where->symmetric_distance;
        if (mirror_first > e.first) {
            e.first = mirror_first;
            e.second = mirror_second;
        }
    }
    return e;
}

/* Finds the place of a Dirichlet; in such a family all permutations are the same. */
static place find_classes(const og_arms *arms, const place *places, int32_t arm)
{
    place own = {.family = arm};
    const og_payoff *payoff = &og_arm_prior(arms->arm[arm])->payoff;
    order_init(&own.classes, og_arm_prior(arms->arm[arm]));
    for (int32_t i = 0; i < arm; i++) {
        if (places[i].family == i && orders_match(&places[i].classes, &own.classes) &&
            og_payoff_compare(payoff, &og_arm_prior(arms->arm[i])->payoff) == 0) {
            own.family = i;
            break;
        }
    }
    return own;
}

/* True for a Dirichlet whose worth is the same for all permutations. */
static bool is_dirichlet(const og_arm *arm)
{
    const og_group *prior = og_arm_prior(arm);
    return prior->kind == OG_PRIOR_DIRICHLET && prior->payoff.kind != OG_WORTH_VALUES;
}

/* The caller owns `key`. */
static entry classes_entry(const place *where, const og_arm *arm, int32_t number, uint32_t node,
                           int32_t level, int32_t *key)
{
    int32_t counts[OG_CLASSES_MAX];
    og_arm_counts(arm, node, counts);
    order_key(&where->classes, counts, key);
    return (entry){.family = where->family,
                   .level = level,
                   .arm = number,
                   .node = node,
                   .classes = where->classes.classes,
                   .key = key};
}

static int compare_int(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

/* Compares entries of one family. */
static int compare_keys(const entry *x, const entry *y)
{
    int order = 0;
    for (int32_t i = 0; order == 0 && i < x->classes; i++) {
        order = compare_int(x->key[i], y->key[i]);
    }
    return order;
}

static bool are_twins(const entry *x, const entry *y, og_twins_kind kind)
{
    return x->family == y->family && x->first == y->first && x->second == y->second &&
           compare_keys(x, y) == 0 && (kind != OG_TWINS_OF_A_LEVEL || x->level == y->level);
}

static int compare_first_members(const void *left, const void *right)
{
    const entry *x = left, *y = right;
    int order = compare_int(x->level, y->level);
    order = order != 0 ? order : compare_int(x->arm, y->arm);
    return order != 0 ? order : compare_int(x->node, y->node);
}

static int compare_entries(const void *left, const void *right)
{
    const entry *x = left, *y = right;
    int order = compare_int(x->family, y->family);
    order = order != 0 ? order : compare_int(x->first, y->first);
    order = order != 0 ? order : compare_int(x->second, y->second);
    order = order != 0 ? order : compare_keys(x, y);
    return order != 0 ? order : compare_first_members(x, y);
}

/* An entry whose only twins have the same name in the arm. */
static entry named_entry(int32_t arm, uint32_t node, uint32_t name, int32_t level)
{
    return (entry){.family = arm,
                   .first = (int32_t)(name >> 16),
                   .second = (int32_t)(name & 0xffff),
                   .level = level,
                   .arm = arm,
                   .node = node};
}

/* Total length of the keys of all Dirichlet nodes in this number of levels. */
static size_t key_length(const og_arms *arms, int32_t levels)
{
    size_t length = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (is_dirichlet(arms->arm[i])) {
            length += (size_t)arms->arm[i]->level[levels] * (size_t)arms->arm[i]->outcome_count;
        }
    }
    return length;
}

/* `apart`: no twins at all. Twins in the arm of a table are the same node of the table; others
 * without posterior parameters have none. `keys` has room for key_length. */
static uint64_t fill_entries(const og_arms *arms, int32_t levels, const place *places, bool apart,
                             int32_t *keys, entry *entries)
{
    uint64_t count = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        bool classes = !apart && is_dirichlet(arm);
        bool alone = apart || !arm->lattice;
        for (int32_t level = 0; level < levels; level++) {
            for (uint32_t node = arm->level[level]; node < arm->level[level + 1]; node++) {
                int32_t s = (int32_t)(node - arm->level[level]);
                if (classes) {
                    entries[count++] = classes_entry(&places[i], arm, i, node, level, keys);
                    keys += arm->outcome_count;
                    continue;
                }
                uint32_t name = apart ? node : og_arm_alike(arm, node);
                entries[count++] = alone ? named_entry(i, node, name, level)
                                         : lattice_entry(&places[i], i, node, level, s);
            }
        }
    }
    return count;
}

/* Keeps the first of each run of twins, which is their class for now. `entries` is sorted. */
static uint32_t keep_firsts(const og_arms *arms, og_twins_kind kind, entry *entries, uint64_t count,
                            og_twins *twins)
{
    uint32_t classes = 0;
    for (uint64_t i = 0; i < count; i++) {
        const entry now = entries[i];
        if (classes == 0 || !are_twins(&now, &entries[classes - 1], kind)) {
            entries[classes++] = now;
        }
        twins->class_of[arms->node_offset[now.arm] + now.node] = classes - 1;
    }
    return classes;
}

/* Numbers the classes in the order of their first members; number[] is for those of before. */
static void number_classes(const og_arms *arms, const entry *firsts, uint32_t *number,
                           og_twins *twins)
{
    const uint32_t classes = twins->class_count, nodes = arms->node_offset[arms->arm_count];
    for (uint32_t c = 0; c < classes; c++) {
        twins->first_node[c] = firsts[c].node;
        twins->first_arm[c] = firsts[c].arm;
        number[twins->class_of[arms->node_offset[firsts[c].arm] + firsts[c].node]] = c;
    }
    for (int32_t level = 0, c = 0; level <= arms->budget; level++) {
        while ((uint32_t)c < classes && firsts[c].level < level) {
            c++;
        }
        twins->count_before_level[level] = (uint32_t)c;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t *class = &twins->class_of[i];
        *class = *class == OG_TWIN_NONE ? OG_TWIN_NONE : number[*class];
    }
}

/* Finds the classes; overwrites the entries. */
static og_status find_classes_of(const og_arms *arms, og_twins_kind kind, entry *entries,
                                 uint64_t count, og_stop *stop, og_twins *twins)
{
    OG_TRY(og_sort(entries, count, sizeof *entries, compare_entries, stop));
    twins->class_count = keep_firsts(arms, kind, entries, count, twins);
    OG_TRY(og_sort(entries, twins->class_count, sizeof *entries, compare_first_members, stop));
    uint32_t *number = malloc(((size_t)twins->class_count + 1) * sizeof *number);
    OG_TRY(OG_ALLOCATED(number));
    number_classes(arms, entries, number, twins);
    free(number);
    return OG_OK;
}

/* Allocates an og_twins without classes. */
static og_twins *allocate(const og_arms *arms, size_t labelled)
{
    size_t nodes = arms->node_offset[arms->arm_count];
    og_twins *twins = og_arena_new(sizeof *twins);
    if (twins == NULL) {
        return NULL;
    }
    twins->class_of = og_arena_array(&twins->arena, nodes, sizeof *twins->class_of);
    twins->first_node = og_arena_array(&twins->arena, labelled, sizeof *twins->first_node);
    twins->first_arm = og_arena_array(&twins->arena, labelled, sizeof *twins->first_arm);
    twins->count_before_level =
        og_arena_array(&twins->arena, (size_t)arms->budget + 1, sizeof(uint32_t));
    for (size_t i = 0; !twins->arena.failed && i < nodes; i++) {
        twins->class_of[i] = OG_TWIN_NONE;
    }
    return twins;
}

/* Finds the twins among the nodes of this number of levels. */
static og_status twins_of(const og_arms *arms, int32_t levels, og_twins_kind kind, og_stop *stop,
                          og_twins **out)
{
    bool apart = kind == OG_TWINS_APART;
    size_t nodes = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        nodes += arms->arm[i]->level[levels];
    }
    og_twins *twins = allocate(arms, nodes);
    og_arena arena = {0};
    place *places = og_arena_array(&arena, (size_t)arms->arm_count, sizeof *places);
    entry *entries = og_arena_array(&arena, nodes, sizeof *entries);
    int32_t *keys = og_arena_array(&arena, key_length(arms, levels), sizeof *keys);
    bool complete = twins != NULL && !twins->arena.failed && !arena.failed;
    og_status status = complete ? OG_OK : OG_NO_MEMORY;
    if (complete) {
        for (int32_t i = 0; !apart && i < arms->arm_count; i++) {
            places[i] = is_dirichlet(arms->arm[i]) ? find_classes(arms, places, i)
                                                   : find_place(arms, places, i);
        }
        uint64_t count = fill_entries(arms, levels, places, apart, keys, entries);
        status = find_classes_of(arms, kind, entries, count, stop, twins);
    }
    og_arena_clear(&arena);
    return OG_MADE(status, twins, og_twins_free, out);
}

og_status og_twins_new(const og_arms *arms, og_twins_kind kind, og_stop *stop, og_twins **out)
{
    return twins_of(arms, arms->budget, kind, stop, out);
}

og_status og_twins_new_roots(const og_arms *arms, og_twins_kind kind, og_twins **out)
{
    return twins_of(arms, arms->budget > 0 ? 1 : 0, kind, NULL, out);
}

void og_twins_free(og_twins *twins)
{
    og_arena_free(twins);
}
