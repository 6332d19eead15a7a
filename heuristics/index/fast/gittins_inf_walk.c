/*
 * Walks over the table of an arm at eight prices at once (gittins_inf.c has the definition). Level
 * by level from the last one, a node's net worth at price z is
 *
 *   Q_z(x) = -z + R(x) + delta sum_k p_k v_z(next_k),   v_z = max(0, Q_z),
 *
 * and the labels of its rule are 1 + delta sum_k p_k labels(next_k); stopping takes none. What a
 * rule earns is its net worth plus the price times its labels, so two numbers for each price
 * suffice. A vector holds a node's numbers at the eight prices, so that no entry waits for a
 * neighbour's.
 *
 * Band. Only nodes with a reward above the lowest price, and parents of nodes that buy, may buy. So
 * a level's band is that of the next level and one node more at its start, cut to the nodes that
 * buy at some price. All other entries are 0. Levels below the budget are valued whole, since their
 * nodes are asked for.
 *
 * Fold. At threshold 1/2, (a, b) and (b, a) are the same process. If a - b is a whole number, both
 * are in the table, and only nodes with a >= b are valued. Both labels of a node with a = b lead to
 * the same node.
 *
 * Cut. Most of the look-ahead is far from the nodes that are asked for, and there two samples of a
 * grid of prices are enough: at a price z between theirs, the better of their two rules is worth at
 * most v_z, and the chord at least v_z, because v is convex in z. The error of a walk that follows
 * the better rule is at most the largest distance of the two, carried down through the nodes that
 * buy at the lower price: max(0, .) does not expand, and no other node buys at z. The samples'
 * rounding errors are those of the same levels of a whole walk.
 */
#include "heuristics/index/fast/gittins_inf_walk.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/vector.h"

enum { LANES = OG_INF_LANES };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), may_alias));
typedef int64_t lane_bits __attribute__((vector_size(LANES * sizeof(int64_t)), may_alias));

struct og_inf_walk {
    const og_inf_table *table;
    og_inf_table mirrored; /* of the mirrored prior, if b > a and it is folded */
    bool folded, swapped;
    int32_t diagonal; /* if folded, a - b of the root, >= 0 */
    int32_t budget;
    double *most;             /* [end] the largest reward of the levels from this one on */
    og_inf_span *paid;        /* [end] an arm's nodes with a reward; NULL for a Beta */
    int32_t cut[OG_INF_CUTS]; /* levels */
};

struct og_inf_space {
    og_arena arena;
    lanes *net, *labels;    /* [end + 2] of the level at hand; 0 between walks */
    double *p, *q, *reward; /* [end + 2] of its nodes; probabilities are discounted */
    og_inf_pair *pairs;
};

/* ---- the table ---- */

/* The first node of level n that is valued. */
static int32_t first_node(const og_inf_walk *walk, int32_t n)
{
    return walk->folded && n > walk->diagonal ? (n - walk->diagonal + 1) / 2 : 0;
}

int64_t og_inf_walk_node(const og_inf_walk *walk, int32_t n, int32_t s)
{
    s = walk->swapped ? n - s : s;
    s = s < first_node(walk, n) ? n - s - walk->diagonal : s;
    return og_inf_node(n, s);
}

double og_inf_walk_most(const og_inf_walk *walk)
{
    return walk->most[0];
}

/* Decides whether nodes are folded, and mirrors the table if b > a. */
static og_status fold(og_inf_walk *walk)
{
    const og_inf_table *table = walk->table;
    const og_group *group = table->beta != NULL ? &table->beta->group : NULL;
    int32_t distance;
    if (group == NULL || group->threshold.num * 2 != group->threshold.den ||
        !og_fraction_distance(group->a, group->b, &distance)) {
        return OG_OK;
    }
    walk->folded = true;
    walk->swapped = og_fraction_compare(group->a, group->b) < 0;
    walk->diagonal = abs(distance);
    if (!walk->swapped) {
        return OG_OK;
    }
    og_group other = *group;
    other.a = group->b;
    other.b = group->a;
    walk->mirrored = (og_inf_table){.end = table->end, .delta = table->delta};
    walk->table = &walk->mirrored;
    return og_inf_table_init_beta(&other, &walk->mirrored);
}

static og_status find_rewards(og_inf_walk *walk)
{
    const og_inf_table *t = walk->table;
    walk->most = calloc((size_t)t->end + 1, sizeof *walk->most);
    walk->paid = t->arm != NULL ? calloc((size_t)t->end, sizeof *walk->paid) : NULL;
    if (walk->most == NULL || (t->arm != NULL && walk->paid == NULL)) {
        return OG_NO_MEMORY;
    }
    for (int32_t n = t->end - 1; n >= 0; n--) {
        double most = t->arm == NULL ? t->beta->reward[n] : 0;
        og_inf_span paid = {n + 1, -1};
        for (int32_t s = 0; t->arm != NULL && s <= n; s++) {
            double reward = t->arm->reward[og_inf_node(n, s)];
            paid.first = reward > 0 && s < paid.first ? s : paid.first;
            paid.last = reward > 0 ? s : paid.last;
            most = fmax(most, reward);
        }
        if (t->arm != NULL) {
            walk->paid[n] = paid;
        }
        walk->most[n] = fmax(most, walk->most[n + 1]);
    }
    return OG_OK;
}

/* The part of the look-ahead before each cut. */
static const double cut_part[OG_INF_CUTS] = {0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0.25, 0.375};

og_status og_inf_walk_new(const og_inf_table *table, int32_t budget, og_inf_walk **out)
{
    og_inf_walk *walk = calloc(1, sizeof *walk);
    OG_TRY(OG_ALLOCATED(walk));
    walk->table = table;
    walk->budget = budget;
    for (int k = 0; k < OG_INF_CUTS; k++) {
        walk->cut[k] = budget + (int32_t)ceil(cut_part[k] * (table->end - budget));
    }
    og_status status = fold(walk);
    OG_THEN(status, find_rewards(walk));
    return OG_MADE(status, walk, og_inf_walk_free, out);
}

void og_inf_walk_free(og_inf_walk *walk)
{
    if (walk != NULL) {
        og_inf_table_clear(&walk->mirrored);
        free(walk->most);
        free(walk->paid);
    }
    free(walk);
}

og_status og_inf_space_new(const og_inf_walk *walk, og_inf_space **out)
{
    og_inf_space *space = og_arena_new(sizeof *space);
    OG_TRY(OG_ALLOCATED(space));
    size_t width = (size_t)walk->table->end + 2, pairs = (size_t)og_inf_node(walk->budget, 0);
    space->net = og_arena_aligned(&space->arena, sizeof(lanes), width, sizeof(lanes));
    space->labels = og_arena_aligned(&space->arena, sizeof(lanes), width, sizeof(lanes));
    space->p = og_arena_array(&space->arena, width, sizeof(double));
    space->q = og_arena_array(&space->arena, width, sizeof(double));
    space->reward = og_arena_array(&space->arena, width, sizeof(double));
    space->pairs = og_arena_array(&space->arena, pairs, sizeof *space->pairs);
    OG_TRY(og_arena_whole(space));
    for (size_t i = 0; i < pairs; i++) {
        space->pairs[i].high.price = INFINITY;
    }
    *out = space;
    return OG_OK;
}

void og_inf_space_free(og_inf_space *space)
{
    og_arena_free(space);
}

og_inf_pair *og_inf_space_pairs(og_inf_space *space)
{
    return space->pairs;
}

/* ---- a level ---- */

/* The nodes of level n with a reward above the price; an arm's nodes with any. */
static og_inf_span paid_at(const og_inf_walk *walk, int32_t n, double price)
{
    if (walk->paid != NULL) {
        return walk->paid[n];
    }
    const og_beta *beta = walk->table->beta;
    bool paid = beta->reward[n] > price;
    return paid ? (og_inf_span){beta->flip[n], beta->flip[n]} : (og_inf_span){1, 0};
}

/* The nodes of level n that may buy; `next`: those of the next level that do. */
static og_inf_span candidates(const og_inf_walk *walk, int32_t n, double price, og_inf_span next)
{
    og_inf_span band = paid_at(walk, n, price);
    if (next.first <= next.last) {
        int32_t first = next.first - 1, last = next.last;
        bool paid = band.first <= band.last;
        band.first = paid && band.first < first ? band.first : first;
        band.last = paid && band.last > last ? band.last : last;
    }
    int32_t least = first_node(walk, n);
    band.first = band.first > least ? band.first : least;
    band.last = band.last < n ? band.last : n;
    return band;
}

/* Fills the rows of level n for these nodes. */
OG_VECTOR_CLONES static void fill_rows(const og_inf_table *t, int32_t n, og_inf_span nodes,
                                       og_inf_space *space)
{
    double *restrict p = space->p, *restrict q = space->q, *restrict reward = space->reward;
    if (t->arm != NULL) {
        const double *probability = t->arm->probability + 2 * og_inf_node(n, 0);
        const double *rewards = t->arm->reward + og_inf_node(n, 0);
        for (int32_t s = nodes.first; s <= nodes.last; s++) {
            p[s] = probability[2 * s] * t->delta;
            q[s] = probability[2 * s + 1] * t->delta;
            reward[s] = rewards[s];
        }
        return;
    }
    const double *restrict plus = t->plus, *restrict minus = t->minus + (t->end - n);
    double scale = t->scale[n];
    for (int32_t s = nodes.first; s <= nodes.last; s++) {
        p[s] = plus[s] * scale;
        q[s] = minus[s] * scale;
        reward[s] = 0;
    }
    int32_t flip = t->beta->flip[n];
    if (flip >= nodes.first && flip <= nodes.last) {
        reward[flip] = t->beta->reward[n];
    }
}

/* True if some lane is not 0. */
static inline bool any(const lanes *net)
{
    const double *one = (const double *)net;
    bool some = false;
    for (int i = 0; i < LANES; i++) {
        some |= one[i] > 0;
    }
    return some;
}

/* Values the nodes of a level from the next one, in place; returns those that buy at some price. */
OG_VECTOR_CLONES static og_inf_span value_level(og_inf_span nodes, const double *price, double unit,
                                                og_inf_space *space)
{
    lanes *net = space->net, *labels = space->labels;
    const double *p = space->p, *q = space->q, *reward = space->reward;
    lanes z = *(const lanes *)price, net_here = net[nodes.first], labels_here = labels[nodes.first];
    for (int32_t s = nodes.first; s <= nodes.last; s++) {
        lanes net_next = net[s + 1], labels_next = labels[s + 1];
        lanes bought = (reward[s] - z) + (p[s] * net_next + q[s] * net_here);
        lanes taken = unit + (p[s] * labels_next + q[s] * labels_here);
        lane_bits buys = bought > 0;
        net[s] = (lanes)(buys & (lane_bits)bought);
        labels[s] = (lanes)(buys & (lane_bits)taken);
        net_here = net_next;
        labels_here = labels_next;
    }
    while (nodes.first <= nodes.last && !any(&net[nodes.last])) {
        nodes.last--;
    }
    while (nodes.first <= nodes.last && !any(&net[nodes.first])) {
        nodes.first++;
    }
    return nodes;
}

/* What is wanted of the levels below the budget. */
typedef struct {
    double price[LANES], least, most;
    double unit;              /* what each label adds to `labels` */
    int cut;                  /* of the walk, and */
    const uint8_t *first_cut; /* NULL, or as in og_inf_walk_cut */
    const double *above;      /* [LANES] the upper ends of the cells whose errors are wanted; NULL:
                                 the pairs are to be improved */
    double *error;
} wanted;

static inline void improve(og_inf_pair *pair, og_inf_point at)
{
    if (at.net >= 0 && at.price > pair->low.price) {
        pair->low = at;
    } else if (at.net < 0 && at.price < pair->high.price) {
        pair->high = at;
    }
}

static inline void keep_wanted(const wanted *w, int64_t node, const double *bought,
                               const double *taken, og_inf_space *space)
{
    og_inf_pair *pair = &space->pairs[node];
    if (w->above != NULL) {
        for (int i = 0; i < LANES; i++) {
            bool inside = pair->low.price == w->price[i] && pair->high.price == w->above[i];
            w->error[node] = inside ? taken[i] : w->error[node];
        }
        return;
    }
    bool between = w->most > pair->low.price && w->least < pair->high.price;
    if (between && (w->first_cut == NULL || w->first_cut[node] <= w->cut)) {
        for (int i = 0; i < LANES; i++) {
            improve(pair, (og_inf_point){w->price[i], bought[i], taken[i]});
        }
    }
}

/* Values all nodes of level n from the next one, and keeps what is wanted of them. */
OG_VECTOR_CLONES static void value_wanted(int32_t n, og_inf_span nodes, const wanted *w,
                                          og_inf_space *space)
{
    lanes *net = space->net, *labels = space->labels, z;
    const double *p = space->p, *q = space->q, *reward = space->reward;
    lanes net_here = net[nodes.first], labels_here = labels[nodes.first];
    memcpy(&z, w->price, sizeof z);
    for (int32_t s = nodes.first; s <= nodes.last; s++) {
        lanes net_next = net[s + 1], labels_next = labels[s + 1];
        lanes bought = (reward[s] - z) + (p[s] * net_next + q[s] * net_here);
        lanes taken = w->unit + (p[s] * labels_next + q[s] * labels_here);
        lane_bits buys = bought > 0;
        net[s] = (lanes)(buys & (lane_bits)bought);
        labels[s] = (lanes)(buys & (lane_bits)taken);
        net_here = net_next;
        labels_here = labels_next;
        keep_wanted(w, og_inf_node(n, s), (const double *)&bought, (const double *)&taken, space);
    }
}

/* ---- the walk ---- */

/* The first level from which on no reward is above the price. */
static int32_t levels_at(const og_inf_walk *walk, double price)
{
    int32_t low = 0, high = walk->table->end;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (walk->most[middle] > price) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* If level n has a node with a = b, both labels lead to the next node of the next level. */
static void mirror(const og_inf_walk *walk, int32_t n, og_inf_space *space)
{
    if (walk->folded && n >= walk->diagonal && (n - walk->diagonal) % 2 == 0) {
        int32_t s = first_node(walk, n);
        space->net[s] = space->net[s + 1];
        space->labels[s] = space->labels[s + 1];
    }
}

/* Copies a lane of a level. */
static og_status keep(const og_inf_space *space, int lane, og_inf_span open, og_inf_row *out)
{
    while (open.first <= open.last && space->net[open.last][lane] <= 0) {
        open.last--;
    }
    while (open.first <= open.last && space->net[open.first][lane] <= 0) {
        open.first++;
    }
    size_t count = open.first <= open.last ? (size_t)(open.last - open.first) + 1 : 0;
    out->open = open;
    out->net = malloc((2 * count + 1) * sizeof *out->net);
    OG_TRY(OG_ALLOCATED(out->net));
    out->labels = out->net + count;
    for (size_t i = 0; i < count; i++) {
        out->net[i] = space->net[(size_t)open.first + i][lane];
        out->labels[i] = space->labels[(size_t)open.first + i][lane];
    }
    return OG_OK;
}

void og_inf_sample_clear(og_inf_sample *sample)
{
    for (int k = 0; k < OG_INF_CUTS; k++) {
        free(sample->row[k].net);
    }
}

/* Walks from level `from` down to the budget; `open`: the nodes of that level that buy. */
static og_status walk_down(const og_inf_walk *walk, int32_t from, og_inf_span open, const wanted *w,
                           og_inf_space *space, og_inf_sample *out)
{
    lanes z;
    memcpy(&z, w->price, sizeof z);
    int k = OG_INF_CUTS - 1;
    og_status status = OG_OK;
    for (int32_t n = from - 1; n >= walk->budget; n--) {
        mirror(walk, n, space);
        og_inf_span band = candidates(walk, n, w->least, open);
        open = (og_inf_span){1, 0};
        if (band.first <= band.last) {
            fill_rows(walk->table, n, band, space);
            open = value_level(band, (const double *)&z, w->unit, space);
        }
        space->net[n + 1] = space->labels[n + 1] = (lanes){0}; /* no level before has it */
        for (; out != NULL && k >= 0 && walk->cut[k] >= n; k--) {
            for (int i = 0; walk->cut[k] == n && i < LANES; i++) {
                OG_THEN(status, keep(space, i, open, &out[i].row[k]));
            }
        }
    }
    return status;
}

/* From the budget to the root. */
static void walk_wanted(const og_inf_walk *walk, const wanted *w, og_inf_space *space)
{
    for (int32_t n = walk->budget - 1; n >= 0; n--) {
        mirror(walk, n, space);
        og_inf_span whole = {first_node(walk, n), n};
        fill_rows(walk->table, n, whole, space);
        value_wanted(n, whole, w, space);
    }
    for (int32_t s = 0; s <= walk->budget; s++) {
        space->net[s] = space->labels[s] = (lanes){0};
    }
}

static wanted wanted_at(const double *price)
{
    wanted w = {.least = INFINITY, .unit = 1};
    for (int i = 0; i < LANES; i++) {
        w.price[i] = price[i];
        w.least = fmin(w.least, price[i]);
        w.most = fmax(w.most, price[i]);
    }
    return w;
}

og_status og_inf_walk_whole(const og_inf_walk *walk, const double *price, og_inf_space *space,
                            og_inf_sample *out)
{
    wanted w = wanted_at(price);
    for (int i = 0; out != NULL && i < LANES; i++) {
        out[i] = (og_inf_sample){.price = price[i]};
        for (int k = 0; k < OG_INF_CUTS; k++) {
            out[i].row[k].open = (og_inf_span){1, 0};
        }
    }
    og_status status =
        walk_down(walk, levels_at(walk, w.least), (og_inf_span){1, 0}, &w, space, out);
    walk_wanted(walk, &w, space);
    return status;
}

/* ---- from a cut ---- */

static og_inf_span join(og_inf_span x, og_inf_span y)
{
    if (x.first > x.last || y.first > y.last) {
        return x.first > x.last ? y : x;
    }
    return (og_inf_span){x.first < y.first ? x.first : y.first, x.last > y.last ? x.last : y.last};
}

/* Node s of a row; stopping is worth 0. */
static og_inf_point point_at(const og_inf_sample *sample, int cut, int32_t s)
{
    const og_inf_row *row = &sample->row[cut];
    bool buys = s >= row->open.first && s <= row->open.last;
    return buys ? (og_inf_point){sample->price, row->net[s - row->open.first],
                                 row->labels[s - row->open.first]}
                : (og_inf_point){sample->price, 0, 0};
}

int32_t og_inf_grid_find(const og_inf_grid *grid, double price)
{
    int32_t low = 0, high = grid->count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (grid->sample[middle].price > price) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void og_inf_walk_cut(const og_inf_walk *walk, const og_inf_grid *grid, int cut, const double *price,
                     const uint8_t *first_cut, og_inf_space *space)
{
    wanted w = wanted_at(price);
    w.cut = cut;
    w.first_cut = first_cut;
    og_inf_span open = {1, 0};
    for (int i = 0; i < LANES; i++) {
        int32_t number = og_inf_grid_find(grid, price[i]);
        const og_inf_sample *low = &grid->sample[number], *high = low - (number > 0);
        open = join(open, low->row[cut].open);
        for (int32_t s = low->row[cut].open.first; s <= low->row[cut].open.last; s++) {
            og_inf_point x = point_at(low, cut, s), y = point_at(high, cut, s);
            double first = x.net - (price[i] - x.price) * x.labels;
            double second = y.net - (price[i] - y.price) * y.labels;
            double best = fmax(first, second);
            space->net[s][i] = best > 0 ? best : 0;
            space->labels[s][i] = best > 0 ? (first >= second ? x.labels : y.labels) : 0;
        }
    }
    walk_down(walk, walk->cut[cut], open, &w, space, NULL);
    walk_wanted(walk, &w, space);
}

/* The largest distance of the chord from the better of the two tangents. */
static double chord_error(og_inf_point low, og_inf_point high)
{
    double width = high.price - low.price, slope = (low.net - high.net) / width;
    double more = low.labels - slope, less = slope - high.labels;
    return more > 0 && less > 0 ? width * more * less / (more + less) : 0;
}

void og_inf_walk_errors(const og_inf_walk *walk, const og_inf_grid *grid, int cut,
                        const int32_t *cell, og_inf_space *space, double *error)
{
    double price[LANES], above[LANES];
    og_inf_span open = {1, 0};
    for (int i = 0; i < LANES; i++) {
        const og_inf_sample *upper = &grid->sample[cell[i]], *lower = upper + 1;
        og_inf_span nodes = lower->row[cut].open;
        price[i] = lower->price;
        above[i] = upper->price;
        open = join(open, nodes);
        for (int32_t s = nodes.first; s <= nodes.last; s++) {
            og_inf_point x = point_at(lower, cut, s);
            space->net[s][i] = x.net;
            space->labels[s][i] = chord_error(x, point_at(upper, cut, s));
        }
    }
    wanted w = wanted_at(price);
    w.unit = 0;
    w.above = above;
    w.error = error;
    walk_down(walk, walk->cut[cut], open, &w, space, NULL);
    walk_wanted(walk, &w, space);
}
