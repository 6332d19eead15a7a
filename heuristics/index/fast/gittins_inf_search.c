/*
 * Finds the infinite-horizon Gittins indices of many nodes from walks at shared prices
 * (gittins_inf_walk.c; gittins_inf.c has the definition and the errors).
 *
 * As a function of the price z, a node's net worth Q_z is convex and falls by the labels of its
 * best rule, at least 1; the index is where it is 0. Between a price with Q >= 0 and a price with Q
 * < 0
 *
 *   - the two tangents are the net worths of two rules: their zeros, the ratios of what these earn
 *     to their labels, are lower bounds;
 *   - the chord is above Q: its zero is an upper bound.
 *
 * These bounds differ by about the square of the distance of the prices, which are those of a grid
 * first. From then on each node wishes for a price on either side of where the cubic through both
 * points with both slopes is 0, as far apart as the tolerance allows. Prices serve all nodes whose
 * wishes they meet, and eight prices are one walk. One such round is enough for most nodes. Most
 * walks are short: each node has a first cut from which on the walk's error is small enough.
 *
 * Nodes keep the nearest of all prices, so the result does not depend on the number of threads.
 *
 * Rounding. Let D be the error of a net worth, as in gittins_inf.c but with the larger of the price
 * and the index g in its second term: D <= c m (N + 1 + z / g) g, where z <= 4 g by the grid. It
 * moves the zero of a tangent by at most D, since slopes are at least 1. It moves the zero of the
 * chord by at most D for its height, and by at most 2 D for its slope, since the zero is between
 * the two prices. Together this is at most 3 D.
 * Checked by tests/test_index.c: gittins_inf_is_the_definition_within_the_stated_error
 */
#include "heuristics/index/fast/gittins_inf_search.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "heuristics/index/fast/gittins_inf_walk.h"

enum { LANES = OG_INF_LANES, GRID = 8 * LANES, WHOLE = OG_INF_CUTS };
static const double least_index = OG_GITTINS_LEAST;

/* Any price between the two serves, in a walk from this cut, or over the WHOLE table. */
typedef struct {
    double from, to;
    int cut;
} wish;

struct og_inf_search {
    og_arena arena;
    const og_inf_table *table;
    int32_t budget;
    og_inf_target *targets;
    int64_t count, nodes;
    int threads;
    og_stop *stop;
    double tolerance;
    og_inf_walk *walk;
    og_inf_space **spaces; /* [threads] */
    og_inf_pair *pairs;    /* [nodes] the nearest of all threads */
    og_inf_pair *cells;    /* [nodes] the nearest of the grid */
    uint8_t *first_cut;    /* [nodes] or WHOLE */
    double *error;     /* [nodes] of a net worth from there on: it is too small by this at most */
    double *cut_error; /* [nodes] the same for `cut`; INFINITY: not known */
    int cut;
    int32_t
        *open_cells; /* [count + LANES] whole eights of the grid's cells that `cut` is tried for */
    wish *wishes;    /* [2 count] */
    wish *chosen;    /* [2 count + LANES (WHOLE + 1)] whole eights of the next walks */
    int64_t wish_count, chosen_count;
    og_inf_grid grid;
    int32_t capacity; /* of the grid */
};

/* ---- one node ---- */

static double zero_of_tangent(og_inf_point at)
{
    return at.price + at.net / at.labels;
}

/* Where the cubic in the net worth through both points with both slopes is 0. */
static double zero_of_cubic(og_inf_point low, og_inf_point high)
{
    double width = high.net - low.net, t = -low.net / width;
    double a = -width / low.labels, b = -width / high.labels, rise = high.price - low.price;
    return low.price + t * (a + t * ((3 * rise - 2 * a - b) + t * (a + b - 2 * rise)));
}

static int64_t node_of(const og_inf_search *work, const og_inf_target *target)
{
    return og_inf_walk_node(work->walk, target->n, target->s);
}

static double reward_of(const og_inf_search *work, const og_inf_target *target)
{
    return og_inf_reward(work->table, target->n, target->s);
}

/* Stopping after the first label is one of the rules. */
static void bound(const og_inf_search *work, og_inf_target *target)
{
    int64_t node = node_of(work, target);
    og_inf_point low = work->pairs[node].low, high = work->pairs[node].high;
    double least = fmax(fmax(reward_of(work, target), zero_of_tangent(high)), least_index);
    double most = high.price, best = 0;
    if (low.price > 0) {
        double slope = (low.net - high.net) / (high.price - low.price);
        least = fmax(least, zero_of_tangent(low));
        most = fmin(most, low.price + (low.net + work->error[node]) / slope);
        best = zero_of_cubic(low, high);
    }
    target->low = least;
    target->high = fmax(least, most);
    target->best = fmin(fmax(best, least), target->high);
}

/* Adds a wish that some price between the pair's two can meet. */
static void add_wish(og_inf_search *work, int64_t node, double from, double to)
{
    from = fmax(from, nextafter(work->pairs[node].low.price, INFINITY));
    to = fmin(to, nextafter(work->pairs[node].high.price, 0));
    if (from <= to) {
        work->wishes[work->wish_count++] = (wish){from, to, work->first_cut[node]};
    }
}

/* Adds the prices that would narrow a target's interval enough. */
static void add_wishes(og_inf_search *work, const og_inf_target *at)
{
    int64_t node = node_of(work, at);
    double low = work->pairs[node].low.price, high = work->pairs[node].high.price;
    double reward = reward_of(work, at), gap = at->high - at->low;
    if (gap <= work->tolerance * at->low) {
        return;
    }
    if (at->low == reward && reward > low) { /* the index, if going on gains nothing */
        add_wish(work, node, reward, reward);
        return;
    }
    double width = 0.4 * fmin((high - low) * sqrt(work->tolerance * at->low / gap), at->low);
    double off = fmin(0.02 * gap, width / 2); /* `best` is seldom worse */
    if (low < at->best - width) {
        add_wish(work, node, at->best - width, at->best - off);
    }
    if (high > at->best + width) {
        add_wish(work, node, at->best + off, at->best + width);
    }
}

/* ---- walks ---- */

/* Walks for all threads, which start from the same pairs; then each node has the nearest prices. */
static og_status walk_all(og_inf_search *work, int64_t walks, og_item_work *walk_one)
{
    size_t bytes = (size_t)work->nodes * sizeof *work->pairs;
    for (int i = 0; i < work->threads; i++) {
        memcpy(og_inf_space_pairs(work->spaces[i]), work->pairs, bytes);
    }
    OG_TRY(og_parallel_items(work->threads, walks, 1, walk_one, work));
    for (int i = 0; i < work->threads; i++) {
        const og_inf_pair *found = og_inf_space_pairs(work->spaces[i]);
        for (int64_t node = 0; node < work->nodes; node++) {
            og_inf_pair *pair = &work->pairs[node];
            pair->low = found[node].low.price > pair->low.price ? found[node].low : pair->low;
            pair->high = found[node].high.price < pair->high.price ? found[node].high : pair->high;
        }
    }
    for (int64_t i = 0; i < work->count; i++) {
        bound(work, &work->targets[i]);
    }
    return OG_OK;
}

/* ---- the grid ---- */

/* The steps grow, to a factor of 4: for low prices, few of a node's labels are near the limit of
 * its rule. */
static double next_price(double price)
{
    double step = fmin(fmax(1, -log2(price) / 16) / 8, 2);
    return fmax(price * exp2(-step), least_index);
}

static og_status walk_samples(void *context, int thread, int64_t i)
{
    const og_inf_search *work = context;
    og_inf_sample *out = &work->grid.sample[work->grid.count + i * LANES];
    double price[LANES];
    for (int k = 0; k < LANES; k++) {
        price[k] = out[k].price;
    }
    return og_stop_asked(work->stop)
               ? OG_STOPPED
               : og_inf_walk_whole(work->walk, price, work->spaces[thread], out);
}

static og_status reserve_samples(og_inf_search *work)
{
    int32_t needed = work->grid.count + GRID;
    if (needed > work->capacity) {
        int32_t capacity = 2 * needed;
        og_inf_sample *grown = realloc(work->grid.sample, (size_t)capacity * sizeof *grown);
        OG_TRY(OG_ALLOCATED(grown));
        memset(grown + work->capacity, 0, (size_t)(capacity - work->capacity) * sizeof *grown);
        work->grid.sample = grown;
        work->capacity = capacity;
    }
    return OG_OK;
}

static bool all_have_low(const og_inf_search *work)
{
    for (int64_t i = 0; i < work->count; i++) {
        if (!(work->pairs[node_of(work, &work->targets[i])].low.price > 0)) {
            return false;
        }
    }
    return true;
}

/* Walks at lower and lower prices until every target buys. */
static og_status walk_grid(og_inf_search *work)
{
    double price = fmax(1.0625 * og_inf_walk_most(work->walk), 2 * least_index); /* no node buys */
    do {
        OG_TRY(reserve_samples(work));
        for (int k = 0; k < GRID; k++) {
            work->grid.sample[work->grid.count + k].price = price;
            price = next_price(price);
        }
        OG_TRY(walk_all(work, GRID / LANES, walk_samples));
        work->grid.count += GRID;
    } while (!all_have_low(work) && price > least_index);
    memcpy(work->cells, work->pairs, (size_t)work->nodes * sizeof *work->cells);
    return OG_OK;
}

/* ---- cuts ---- */

static og_status walk_errors(void *context, int thread, int64_t i)
{
    const og_inf_search *work = context;
    if (og_stop_asked(work->stop)) {
        return OG_STOPPED;
    }
    og_inf_walk_errors(work->walk, &work->grid, work->cut, work->open_cells + i * LANES,
                       work->spaces[thread], work->cut_error);
    return OG_OK;
}

static int compare_cells(const void *x, const void *y)
{
    return *(const int32_t *)x - *(const int32_t *)y;
}

/* Finds the cells of the wanted targets that have no cut so far; returns the number of eights. */
static int64_t find_cells(og_inf_search *work)
{
    int64_t count = 0, kept = 0;
    int32_t *cells = work->open_cells;
    for (int64_t i = 0; i < work->count; i++) {
        int64_t node = node_of(work, &work->targets[i]);
        double low = work->cells[node].low.price;
        if (work->targets[i].wanted && work->first_cut[node] == WHOLE && low > 0) {
            cells[count++] = og_inf_grid_find(&work->grid, low) - 1;
        }
    }
    qsort(cells, (size_t)count, sizeof *cells, compare_cells);
    for (int64_t i = 0; i < count; i++) {
        if (kept == 0 || cells[i] != cells[kept - 1]) {
            cells[kept++] = cells[i];
        }
    }
    for (; kept % LANES != 0; kept++) {
        cells[kept] = cells[kept - 1];
    }
    return kept / LANES;
}

/* Finds the first cut for each wanted target whose error is a quarter of the tolerance. What is
 * known from other cuts is forgotten. */
static og_status choose_cuts(og_inf_search *work)
{
    for (int64_t i = 0; i < work->count; i++) {
        int64_t node = node_of(work, &work->targets[i]);
        if (work->targets[i].wanted) {
            work->pairs[node] = work->cells[node];
            work->first_cut[node] = WHOLE;
            work->error[node] = 0;
        }
    }
    for (work->cut = 0; work->cut < OG_INF_CUTS; work->cut++) {
        for (int64_t node = 0; node < work->nodes; node++) {
            work->cut_error[node] = INFINITY;
        }
        OG_TRY(walk_all(work, find_cells(work), walk_errors));
        for (int64_t i = 0; i < work->count; i++) {
            int64_t node = node_of(work, &work->targets[i]);
            const og_inf_pair *cell = &work->cells[node];
            double most = work->tolerance / 4 * cell->low.price * cell->high.labels;
            if (work->targets[i].wanted && work->first_cut[node] == WHOLE &&
                work->cut_error[node] <= most) {
                work->first_cut[node] = (uint8_t)work->cut;
                work->error[node] = work->cut_error[node];
            }
        }
    }
    return OG_OK;
}

/* ---- rounds ---- */

/* By cut and descending prices. */
static int compare_wishes(const void *x, const void *y)
{
    const wish *left = x, *right = y;
    if (left->cut != right->cut) {
        return left->cut - right->cut;
    }
    return (left->from < right->from) - (left->from > right->from);
}

/* Fills the last eight with copies. */
static void fill_eight(og_inf_search *work)
{
    for (; work->chosen_count % LANES != 0; work->chosen_count++) {
        work->chosen[work->chosen_count] = work->chosen[work->chosen_count - 1];
    }
}

/* The fewest prices that meet all wishes, in walks of one cut each. */
static void choose_prices(og_inf_search *work)
{
    wish last = {.cut = -1};
    qsort(work->wishes, (size_t)work->wish_count, sizeof *work->wishes, compare_wishes);
    work->chosen_count = 0;
    for (int64_t i = 0; i < work->wish_count; i++) {
        const wish *at = &work->wishes[i];
        if (at->cut != last.cut) {
            fill_eight(work);
        }
        if (at->cut != last.cut || at->to < last.from) {
            work->chosen[work->chosen_count++] = last = *at;
        }
    }
    fill_eight(work);
}

static og_status walk_chosen(void *context, int thread, int64_t i)
{
    const og_inf_search *work = context;
    const wish *chosen = &work->chosen[i * LANES];
    double price[LANES];
    if (og_stop_asked(work->stop)) {
        return OG_STOPPED;
    }
    for (int k = 0; k < LANES; k++) {
        price[k] = chosen[k].from;
    }
    if (chosen->cut == WHOLE) {
        return og_inf_walk_whole(work->walk, price, work->spaces[thread], NULL);
    }
    og_inf_walk_cut(work->walk, &work->grid, chosen->cut, price, work->first_cut,
                    work->spaces[thread]);
    return OG_OK;
}

og_status og_inf_search_narrow(og_inf_search *work, double tolerance)
{
    work->tolerance = tolerance;
    OG_TRY(choose_cuts(work));
    for (;;) {
        work->wish_count = 0;
        for (int64_t i = 0; i < work->count; i++) {
            if (work->targets[i].wanted) {
                add_wishes(work, &work->targets[i]);
            }
        }
        if (work->wish_count == 0) {
            return OG_OK;
        }
        choose_prices(work);
        OG_TRY(walk_all(work, work->chosen_count / LANES, walk_chosen));
    }
}

/* ---- making ---- */

static og_status allocate(og_inf_search *work)
{
    og_arena *arena = &work->arena;
    size_t count = (size_t)work->count, nodes = (size_t)work->nodes;
    work->spaces = og_arena_array(arena, (size_t)work->threads, sizeof(og_inf_space *));
    work->pairs = og_arena_array(arena, nodes, sizeof *work->pairs);
    work->cells = og_arena_array(arena, nodes, sizeof *work->cells);
    work->first_cut = og_arena_array(arena, nodes, sizeof *work->first_cut);
    work->error = og_arena_array(arena, nodes, sizeof *work->error);
    work->cut_error = og_arena_array(arena, nodes, sizeof *work->cut_error);
    work->open_cells = og_arena_array(arena, count + LANES, sizeof *work->open_cells);
    work->wishes = og_arena_array(arena, 2 * count, sizeof *work->wishes);
    work->chosen =
        og_arena_array(arena, 2 * count + (size_t)LANES * (WHOLE + 1), sizeof *work->chosen);
    OG_TRY(og_arena_status(arena));
    for (size_t i = 0; i < nodes; i++) {
        work->pairs[i].high.price = INFINITY;
    }
    OG_TRY(og_inf_walk_new(work->table, work->budget, &work->walk));
    for (int i = 0; i < work->threads; i++) {
        OG_TRY(og_inf_space_new(work->walk, &work->spaces[i]));
    }
    return OG_OK;
}

og_status og_inf_search_new(const og_inf_table *table, int32_t budget, og_inf_target *targets,
                            int64_t count, int threads, og_stop *stop, og_inf_search **out)
{
    og_inf_search *work = og_arena_new(sizeof *work);
    OG_TRY(OG_ALLOCATED(work));
    work->table = table;
    work->budget = budget;
    work->targets = targets;
    work->count = count;
    work->nodes = og_inf_node(budget, 0);
    work->threads = threads;
    work->stop = stop;
    og_status status = allocate(work);
    OG_THEN(status, walk_grid(work));
    return OG_MADE(status, work, og_inf_search_free, out);
}

void og_inf_search_free(og_inf_search *work)
{
    if (work == NULL) {
        return;
    }
    for (int i = 0; work->spaces != NULL && i < work->threads; i++) {
        og_inf_space_free(work->spaces[i]);
    }
    for (int32_t i = 0; i < work->capacity; i++) {
        og_inf_sample_clear(&work->grid.sample[i]);
    }
    free(work->grid.sample);
    og_inf_walk_free(work->walk);
    og_arena_free(work);
}
