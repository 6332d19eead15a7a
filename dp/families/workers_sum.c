/*
 * Sums out instances and workers ("items") one by one. A label of a pair is taken into the table
 * once; an item is summed out with its integrals when its last label has been taken. The order is
 * greedy: the next item is the one that leaves the smallest table.
 *
 * Invariant: a cell holds the sum of all terms of the labels taken so far that have its numbers of
 * factors, with the integrals of items that are done. Next to it are, for each instance that is
 * done, the same sum multiplied by its probability of being positive, and of being negative.
 */
#include "dp/families/workers_sum.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    ITEMS_MAX = OG_WORKERS_INSTANCES_MAX + OG_WORKERS_MAX,
    LIVE_MAX = OG_WORKERS_LABELS_MAX + 2,
    TABLE_USUAL = 2048,  /* doubles on the stack */
    TABLE_MAX = 1 << 22, /* doubles */
};

/* The live items of an elimination: sizes alone, so that it can be tried without a table. */
typedef struct {
    double cells, most, steps;
    int16_t open[ITEMS_MAX]; /* labels of each item still to be taken */
    int16_t side[ITEMS_MAX]; /* largest index + 1: labels taken + 1; 1: not met, or done */
    uint64_t taken[OG_WORKERS_PAIRS_MAX / 64]; /* bits */
} shape;

typedef struct {
    const og_workers_posterior *posterior;
    const og_pair_counts *counts;
    int32_t stride[OG_WORKERS_MAX]; /* see index_of */
    int32_t order[ITEMS_MAX];       /* items, in the order in which their labels are taken */
    int32_t order_count;
    bool parts; /* positive and negative are wanted */
    /* The table: sides of live items, the slowest index first; `lanes` doubles a cell. */
    int32_t live[LIVE_MAX], size[LIVE_MAX], live_count;
    size_t lanes;
    int32_t done[OG_WORKERS_INSTANCES_MAX]; /* instances in the order of their lanes */
    double *table, *spare;
} elimination;

static int32_t labels_of(const og_pair_counts *counts, int32_t pair)
{
    return counts[pair].positive + counts[pair].negative;
}

/*
 * The index of a worker among whose labels s of the positive ones and u of the negative ones are
 * those of a reliable worker. One coin needs only s + u: the stride is 1. With two coins it is
 * greater than any u.
 */
static int32_t index_of(const elimination *e, int32_t worker, int32_t s, int32_t u)
{
    return s * e->stride[worker] + u;
}

static void find_strides(elimination *e)
{
    const og_workers_posterior *p = e->posterior;
    for (int32_t j = 0; j < p->workers; j++) {
        e->stride[j] = 1;
        for (int32_t i = 0; p->coin_of[j][0] != p->coin_of[j][1] && i < p->instances; i++) {
            e->stride[j] += e->counts[i * p->workers + j].negative;
        }
    }
}

static int32_t item_of_worker(const og_workers_posterior *p, int32_t worker)
{
    return p->instances + worker;
}

/* The pairs of an item: pair_of(p, item, 0), ... */
static int32_t pair_of(const og_workers_posterior *p, int32_t item, int32_t k)
{
    return item < p->instances ? item * p->workers + k : k * p->workers + item - p->instances;
}

static int32_t pairs_of(const og_workers_posterior *p, int32_t item)
{
    return item < p->instances ? p->workers : p->instances;
}

/* ---- the order ---- */

static void close_item(shape *s, int32_t item)
{
    if (s->open[item] == 0 && s->side[item] > 1) {
        s->steps += s->cells;
        s->cells /= s->side[item];
        s->side[item] = 1;
    }
}

static void take_sizes(const elimination *e, shape *s, int32_t pair)
{
    const og_workers_posterior *p = e->posterior;
    int32_t labels = labels_of(e->counts, pair);
    int32_t positives = e->counts[pair].positive, negatives = e->counts[pair].negative;
    const int32_t item[] = {pair / p->workers, item_of_worker(p, pair % p->workers)};
    const int32_t more[] = {labels, index_of(e, pair % p->workers, positives, negatives)};
    s->steps += s->cells * (positives + 1) * (negatives + 1);
    s->taken[pair / 64] |= UINT64_C(1) << pair % 64;
    for (int k = 0; k < 2; k++) {
        s->cells *= (double)(s->side[item[k]] + more[k]) / s->side[item[k]];
        s->side[item[k]] = (int16_t)(s->side[item[k]] + more[k]);
        s->open[item[k]] = (int16_t)(s->open[item[k]] - labels);
    }
    s->most = s->cells > s->most ? s->cells : s->most;
    close_item(s, item[0]);
    close_item(s, item[1]);
}

static bool is_left(const elimination *e, const shape *s, int32_t pair)
{
    return labels_of(e->counts, pair) > 0 && (s->taken[pair / 64] >> pair % 64 & 1) == 0;
}

/* Takes all remaining labels of an item. */
static void take_item_sizes(const elimination *e, shape *s, int32_t item)
{
    for (int32_t k = 0; k < pairs_of(e->posterior, item); k++) {
        int32_t pair = pair_of(e->posterior, item, k);
        if (is_left(e, s, pair)) {
            take_sizes(e, s, pair);
        }
    }
}

static void shape_begin(const elimination *e, shape *s)
{
    const og_workers_posterior *p = e->posterior;
    memset(s, 0, sizeof *s);
    s->cells = s->most = 1;
    for (int32_t i = 0; i < p->instances + p->workers; i++) {
        s->side[i] = 1;
    }
    for (int32_t pair = 0; pair < p->instances * p->workers; pair++) {
        int32_t ends[] = {pair / p->workers, item_of_worker(p, pair % p->workers)};
        for (int k = 0; k < 2; k++) {
            s->open[ends[k]] = (int16_t)(s->open[ends[k]] + labels_of(e->counts, pair));
        }
    }
}

/* Fills `order`; false if it would take at least `steps_max` steps. */
static bool find_order(elimination *e, double steps_max, shape *whole)
{
    int32_t items = e->posterior->instances + e->posterior->workers;
    shape_begin(e, whole);
    for (;;) {
        double cells = DBL_MAX, steps = 0; /* of the best item so far */
        int32_t chosen = -1;
        for (int32_t item = 0; item < items; item++) {
            if (whole->open[item] > 0) {
                shape trial = *whole;
                take_item_sizes(e, &trial, item);
                if (trial.cells < cells || (trial.cells <= cells && trial.steps < steps)) {
                    cells = trial.cells;
                    steps = trial.steps;
                    chosen = item;
                }
            }
        }
        if (chosen < 0) {
            return true;
        }
        take_item_sizes(e, whole, chosen);
        e->order[e->order_count++] = chosen;
        if (whole->steps >= steps_max) {
            return false;
        }
    }
}

/* ---- the table ---- */

static void swap_tables(elimination *e)
{
    double *swap = e->table;
    e->table = e->spare;
    e->spare = swap;
}

static int32_t place_of(const elimination *e, int32_t item)
{
    int32_t at = 0;
    while (at < e->live_count && e->live[at] != item) {
        at++;
    }
    return at;
}

static size_t product(const int32_t *size, int32_t from, int32_t to)
{
    size_t cells = 1;
    for (int32_t i = from; i < to; i++) {
        cells *= (size_t)size[i];
    }
    return cells;
}

/* A new item is the slowest index, so that the data after it stay contiguous. */
static void meet(elimination *e, int32_t item)
{
    if (place_of(e, item) == e->live_count) {
        memmove(&e->live[1], e->live, (size_t)e->live_count * sizeof *e->live);
        memmove(&e->size[1], e->size, (size_t)e->live_count * sizeof *e->size);
        e->live[0] = item;
        e->size[0] = 1;
        e->live_count++;
    }
}

static void add_run(double *restrict to, const double *restrict from, size_t count, double weight)
{
    for (size_t i = 0; i < count; i++) {
        to[i] += weight * from[i];
    }
}

/* The targets of a pair's labels: steps of the two indices, and the number of ways. */
typedef struct {
    size_t first, second; /* of the item with the slower index, and of the other */
    double ways;
} shift;

static int32_t shifts_of(const elimination *e, int32_t pair, bool instance_first, shift *out)
{
    const og_pair_counts counts = e->counts[pair];
    int positives = counts.positive, negatives = counts.negative;
    int32_t used = 0;
    double choose_s = 1;
    for (int s = 0; s <= positives; s++) {
        double choose_u = 1;
        for (int u = 0; u <= negatives; u++) {
            size_t yes = (size_t)(s + negatives - u);
            size_t same = (size_t)index_of(e, pair % e->posterior->workers, s, u);
            out[used++] = (shift){instance_first ? yes : same, instance_first ? same : yes,
                                  choose_s * choose_u};
            choose_u = choose_u * (negatives - u) / (u + 1);
        }
        choose_s = choose_s * (positives - s) / (s + 1);
    }
    return used;
}

/* Of the positive labels of a pair, s were answered as a reliable worker would, and of its negative
 * ones u: s + negatives - u factors theta, s + u factors rho of one coin. */
static void take_pair(elimination *e, int32_t pair)
{
    const og_workers_posterior *p = e->posterior;
    int32_t labels = labels_of(e->counts, pair), instance = pair / p->workers;
    int32_t worker = item_of_worker(p, pair % p->workers);
    int32_t places =
        index_of(e, pair % p->workers, e->counts[pair].positive, e->counts[pair].negative);
    shift shifts[(OG_WORKERS_LABELS_MAX / 2 + 1) * (OG_WORKERS_LABELS_MAX / 2 + 1)];
    meet(e, instance);
    meet(e, worker);
    int32_t a = place_of(e, instance), b = place_of(e, worker);
    int32_t count = shifts_of(e, pair, a < b, shifts);
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t outer = product(e->size, 0, low), middle = product(e->size, low + 1, high);
    size_t run = product(e->size, high + 1, e->live_count) * e->lanes;
    size_t from_low = (size_t)e->size[low], from_high = (size_t)e->size[high];
    size_t to_low = from_low + (size_t)(a < b ? labels : places);
    size_t to_high = from_high + (size_t)(a < b ? places : labels);
    const double *from = e->table;
    memset(e->spare, 0, outer * to_low * middle * to_high * run * sizeof *e->spare);
    for (size_t o = 0; o < outer * from_low * middle * from_high; o++, from += run) {
        size_t h = o % from_high, m = o / from_high % middle;
        size_t l = o / from_high / middle % from_low, out = o / from_high / middle / from_low;
        for (int32_t k = 0; k < count; k++) {
            size_t cell = ((out * to_low + l + shifts[k].first) * middle + m) * to_high + h +
                          shifts[k].second;
            add_run(&e->spare[cell * run], from, run, shifts[k].ways);
        }
    }
    e->size[low] = (int32_t)to_low;
    e->size[high] = (int32_t)to_high;
    swap_tables(e);
}

/* One cell of an item that is summed out. */
static void add_cell(const elimination *e, double weight, const double *chance, const double *from,
                     double *to)
{
    add_run(to, from, e->lanes, weight);
    if (chance != NULL) {
        double term = weight * from[0];
        to[e->lanes] += term * *chance;
        to[e->lanes + 1] += term * (1 - *chance);
    }
}

/* The factors of all coins of a worker at this index, when its last label has been taken. */
static double factor_of(const elimination *e, int32_t worker, int32_t size, int32_t index)
{
    const og_workers_posterior *p = e->posterior;
    int32_t up = p->coin_of[worker][0], down = p->coin_of[worker][1], stride = e->stride[worker];
    if (up == down) {
        return p->coin[up][index * p->side + size - 1 - index];
    }
    int32_t negatives = stride - 1, positives = (size - 1) / stride;
    int32_t s = index / stride, u = index % stride;
    return p->coin[up][s * p->side + negatives - u] * p->coin[down][u * p->side + positives - s];
}

/* Sums out an item that has no label left to take. */
static void sum_out(elimination *e, int32_t item)
{
    const og_workers_posterior *p = e->posterior;
    bool is_instance = item < p->instances;
    int32_t at = place_of(e, item), side = e->size[at];
    int32_t group = is_instance ? p->instance_group[item] : -1;
    const double *chances = is_instance && e->parts ? p->chance[group] : NULL;
    size_t outer = product(e->size, 0, at), inner = product(e->size, at + 1, e->live_count);
    size_t lanes = e->lanes + (chances != NULL ? 2 : 0);
    const double *from = e->table;
    memset(e->spare, 0, outer * inner * lanes * sizeof *e->spare);
    for (size_t o = 0; o < outer; o++) {
        for (int32_t yes = 0; yes < side; yes++) {
            int32_t cell = yes * p->side + side - 1 - yes;
            double weight = is_instance ? p->instance[group][cell]
                                        : factor_of(e, item - p->instances, side, yes);
            double *to = &e->spare[o * inner * lanes];
            for (size_t i = 0; i < inner; i++, from += e->lanes, to += lanes) {
                add_cell(e, weight, chances != NULL ? &chances[cell] : NULL, from, to);
            }
        }
    }
    if (chances != NULL) {
        e->done[(e->lanes - 1) / 2] = item;
    }
    e->lanes = lanes;
    e->live_count--;
    memmove(&e->live[at], &e->live[at + 1], (size_t)(e->live_count - at) * sizeof *e->live);
    memmove(&e->size[at], &e->size[at + 1], (size_t)(e->live_count - at) * sizeof *e->size);
    swap_tables(e);
}

static void take_and_close(elimination *e, shape *s, int32_t pair)
{
    const og_workers_posterior *p = e->posterior;
    const int32_t item[] = {pair / p->workers, item_of_worker(p, pair % p->workers)};
    take_pair(e, pair);
    take_sizes(e, s, pair);
    for (int k = 0; k < 2; k++) {
        if (s->open[item[k]] == 0) {
            sum_out(e, item[k]);
        }
    }
}

static void run(elimination *e, shape *s)
{
    const og_workers_posterior *p = e->posterior;
    shape_begin(e, s);
    e->lanes = 1;
    e->table[0] = 1;
    for (int32_t o = 0; o < e->order_count; o++) {
        for (int32_t k = 0; k < pairs_of(p, e->order[o]); k++) {
            int32_t pair = pair_of(p, e->order[o], k);
            if (is_left(e, s, pair)) {
                take_and_close(e, s, pair);
            }
        }
    }
}

static void read_sums(const elimination *e, double *evidence, double *positive, double *negative)
{
    const og_workers_posterior *p = e->posterior;
    *evidence = e->table[0];
    for (int32_t i = 0; e->parts && i < p->instances; i++) { /* others are unchanged */
        double chance = p->chance[p->instance_group[i]][0];
        positive[i] = *evidence * chance;
        negative[i] = *evidence * (1 - chance);
    }
    for (size_t d = 0; d < (e->lanes - 1) / 2; d++) {
        positive[e->done[d]] = e->table[1 + 2 * d];
        negative[e->done[d]] = e->table[2 + 2 * d];
    }
}

bool og_workers_eliminate(const og_workers_posterior *posterior, const og_pair_counts *counts,
                          double steps_max, double *evidence, double *positive, double *negative)
{
    elimination e = {.posterior = posterior, .counts = counts, .parts = positive != NULL};
    shape whole;
    double usual[2 * TABLE_USUAL], *more = NULL;
    find_strides(&e);
    if (!find_order(&e, steps_max, &whole)) {
        return false;
    }
    double lanes = e.parts ? 1 + 2 * posterior->instances : 1;
    if (whole.most * lanes > TABLE_MAX) {
        return false;
    }
    size_t doubles = (size_t)(whole.most * lanes + 1.5); /* the sizes come from rounded divisions */
    if (doubles > TABLE_USUAL) {
        more = malloc(2 * doubles * sizeof *more);
        if (more == NULL) {
            return false;
        }
    }
    e.table = more != NULL ? more : usual;
    e.spare = e.table + (more != NULL ? doubles : TABLE_USUAL);
    run(&e, &whole);
    read_sums(&e, evidence, positive, negative);
    free(more);
    return true;
}
