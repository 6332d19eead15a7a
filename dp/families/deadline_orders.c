/*
 * Orders of many labels of a batch at once. Their number is counted before they are listed: it is a
 * coefficient of the product of 1 / (1 - x^k) over the items and k = 1 .. copies. If it is too
 * large, fewer labels are ordered at once, and the state after them is within the batch.
 */
#include "dp/families/deadline_orders.h"

#include <math.h>
#include <string.h>

#include "dp/families/deadline_gains.h"

enum {
    PRICES = 16,
    ACTS_MAX = 2048, /* also of items times labels */
    FIRST = 4,       /* acts in the order of their bounds; the others are rarely needed */
};

typedef struct og_orders_part {
    uint16_t item, labels; /* of one copy; labels 0: the act has no further part */
} part;

struct og_orders {
    const og_layers *layers;
    double *const *gain;
    form form;
    int32_t batch, instances;
    double price[PRICES];
    double ***worth; /* [batches ordered][w][class * PRICES] v_z */
    uint64_t bytes;
};

static const double nothing[PRICES];

/* ---- bounds ---- */

static int32_t batches_ordered(const og_orders *o, int32_t left)
{
    return (o->layers->budget - left + o->batch - 1) / o->batch;
}

/* v_z of a class of the layer left + w, at the end of a batch. */
static const double *worth_of(const og_orders *o, int32_t left, uint32_t class, int32_t w)
{
    return left > 0 ? &o->worth[batches_ordered(o, left)][w][(size_t) class * PRICES] : nothing;
}

static inline void raise_row(double *restrict out, const double *restrict v,
                             const double *restrict price, double gain, int32_t labels)
{
    for (int z = 0; z < PRICES; z++) {
        double x = gain - price[z] * labels + v[z];
        out[z] = x > out[z] ? x : out[z];
    }
}

/* The largest gain of an item with `rest` labels of the batch still to be ordered. Classes of fewer
 * labels are further down, so it begins with the most. */
static void price_rest(const og_orders *o, int32_t left, int32_t rest, uint32_t class, int32_t w,
                       double *out)
{
    double gain = 0;
    for (int32_t j = 0; j < rest; j++) {
        gain += og_deadline_gain(o->gain, o->form.bits, left - j, class, (uint32_t)(w + j));
    }
    for (int z = 0; z < PRICES; z++) {
        out[z] = -INFINITY;
    }
    uint32_t down = class;
    for (int32_t j = rest;; j--) {
        raise_row(out, worth_of(o, left - rest, down, w + j), o->price, gain, j);
        if (j == 0) {
            return;
        }
        gain -= og_deadline_gain(o->gain, o->form.bits, left - j + 1, class, (uint32_t)(w + j - 1));
        down = o->layers->layer[left + w - (rest - j)].down[down];
    }
}

static void expect_row(const og_orders *o, int32_t left, uint32_t class, int32_t w, double *out)
{
    const og_layer *layer = &o->layers->layer[left + w];
    memset(out, 0, PRICES * sizeof *out);
    for (uint32_t k = layer->outcome_first[class]; k < layer->outcome_first[class + 1]; k++) {
        const double *next = worth_of(o, left, layer->next[k], w - 1);
        for (int z = 0; z < PRICES; z++) {
            out[z] += layer->probability[k] * next[z];
        }
    }
}

/* The most labels under way when a batch has been ordered. */
static int32_t most_under_way(const og_orders *o, int32_t left)
{
    int32_t ordered = o->layers->budget - left;
    return ordered < o->batch ? ordered : o->batch;
}

static og_status fill_worths(og_orders *o, og_stop *stop)
{
    for (int32_t b = batches_ordered(o, 1); b >= 0; b--) {
        const int32_t left = o->layers->budget - b * o->batch;
        const int32_t rest = o->batch < left ? o->batch : left;
        for (int32_t w = 0; left > 0 && w <= most_under_way(o, left); w++) {
            if (og_stop_asked(stop)) {
                return OG_STOPPED;
            }
            for (uint32_t c = 0; c < o->layers->layer[left + w].class_count; c++) {
                double *row = &o->worth[b][w][(size_t)c * PRICES];
                w > 0 ? expect_row(o, left, c, w, row) : price_rest(o, left, rest, c, 0, row);
            }
        }
    }
    return OG_OK;
}

/* The price, of those of the tables, at which the bound on the problem itself is least. */
static double best_price(const og_orders *o, const og_arms *arms)
{
    double least = INFINITY, best = 0;
    for (int z = 0; z < PRICES; z++) {
        double bound = o->price[z] * arms->budget;
        for (int32_t g = 0; g < arms->group_count; g++) {
            const uint32_t class = o->layers->root_class[arms->arm_of_group[g]];
            bound += (double)arms->group_size[g] * o->worth[0][0][(size_t) class * PRICES + z];
        }
        best = bound < least ? o->price[z] : best;
        least = bound < least ? bound : least;
    }
    return best;
}

static void choose_prices(og_orders *o, double top, double ratio)
{
    for (int z = 0; z < PRICES; z++) {
        o->price[z] = top * pow(ratio, z);
    }
}

/* First prices from the largest reward on, at which nothing is ordered, then some around the best
 * of them: the best prices of states that matter are near the problem's. */
static og_status fill_tables(og_orders *o, const og_arms *arms, og_stop *stop)
{
    double most = 0;
    for (int32_t left = 1; left <= arms->budget; left++) {
        const og_layer *layer = &o->layers->layer[left];
        for (uint32_t c = 0; c < layer->class_count; c++) {
            most = fmax(most, layer->reward[c]);
        }
    }
    choose_prices(o, most, 0.7);
    OG_TRY(fill_worths(o, stop));
    choose_prices(o, best_price(o, arms) * pow(1.15, PRICES / 2), 1 / 1.15);
    return fill_worths(o, stop);
}

og_status og_orders_new(const og_arms *arms, const og_layers *layers, const og_deadline *deadline,
                        double *const *gain, uint64_t memory_bytes, og_stop *stop, og_arena *arena,
                        og_orders **out)
{
    const int32_t batch = og_deadline_at_once(deadline);
    const int64_t instances = og_arms_capped(arms);
    og_orders *o = og_arena_array(arena, 1, sizeof *o);
    OG_TRY(og_arena_status(arena));
    *o = (og_orders){.layers = layers,
                     .gain = gain,
                     .form = form_of(deadline, layers->budget),
                     .batch = batch,
                     .instances = instances < ACTS_MAX ? (int32_t)instances : ACTS_MAX};
    const int32_t batches = batches_ordered(o, 1);
    o->worth = og_arena_array(arena, (size_t)batches + 1, sizeof *o->worth);
    for (int32_t b = 0; b <= batches && og_arena_status(arena) == OG_OK; b++) {
        const int32_t left = layers->budget - b * batch;
        o->worth[b] = og_arena_array(arena, (size_t)batch + 1, sizeof **o->worth);
        OG_TRY(og_arena_status(arena));
        for (int32_t w = 0; left > 0 && w <= most_under_way(o, left); w++) {
            const size_t numbers = (size_t)layers->layer[left + w].class_count * PRICES;
            o->bytes += numbers * sizeof(double);
            if (o->bytes > memory_bytes) {
                return OG_OK;
            }
            o->worth[b][w] = og_arena_aligned(arena, 64, numbers, sizeof(double));
        }
    }
    OG_TRY(og_arena_status(arena));
    OG_TRY(fill_tables(o, arms, stop));
    *out = o;
    return OG_OK;
}

uint64_t og_orders_bytes(const og_orders *o)
{
    return o != NULL ? o->bytes : 0;
}

/* ---- acts ---- */

static int32_t rest_of(const og_orders *o, const moment *at)
{
    const int32_t rest = o->batch - at->come;
    return rest < at->left ? rest : at->left;
}

/* Multiplies the coefficients of x^0 .. x^most by 1 / (1 - x^k) for k up to `copies`: the ways to
 * divide labels among so many equal instances. */
static void count_ways(double *ways, int32_t most, uint32_t copies)
{
    for (int32_t k = 1; k <= most && (uint32_t)k <= copies; k++) {
        for (int32_t j = k; j <= most; j++) {
            ways[j] += ways[j - k];
        }
    }
}

/* The number of labels to order at once, of `rest`; `ways` is scratch. */
static int32_t labels_at_once(const og_items *items, int32_t rest, double *ways)
{
    int32_t labels = rest;
    memset(ways, 0, ((size_t)rest + 1) * sizeof *ways);
    ways[0] = 1;
    for (int32_t i = 0; i < items->count; i++) {
        count_ways(ways, rest, pair_at(items, i).copies);
    }
    while (labels > 1 && (ways[labels] > ACTS_MAX || labels * items->count > ACTS_MAX)) {
        labels--;
    }
    return labels;
}

int32_t og_orders_acts(const og_orders *o, int32_t items_max)
{
    double ways = 1;
    for (int32_t j = 1; j <= o->batch && ways <= ACTS_MAX; j++) {
        ways = ways * (o->instances + j - 1) / j;
    }
    const int32_t acts = ways < ACTS_MAX ? (int32_t)ways : ACTS_MAX;
    return acts > items_max ? acts : items_max;
}

void og_orders_init(const og_orders *o, int32_t items_max, og_arena *arena, og_orders_room *out)
{
    const size_t batch = (size_t)o->batch + 1, items = (size_t)items_max;
    const size_t acts = (size_t)og_orders_acts(o, items_max);
    const size_t rows = items * batch < ACTS_MAX + items ? items * batch : ACTS_MAX + items;
    out->parts_max = o->batch < o->instances ? o->batch : o->instances;
    const size_t parts = (size_t)out->parts_max;
    out->part = og_arena_array(arena, (acts + 1) * parts, sizeof *out->part);
    out->gain = og_arena_array(arena, rows, sizeof *out->gain);
    out->row = og_arena_array(arena, rows * PRICES, sizeof *out->row);
    out->sum = og_arena_array(arena, (parts + 1) * PRICES, sizeof *out->sum);
    out->ways = og_arena_array(arena, 2 * batch, sizeof *out->ways);
}

/* What is listed: the acts of one state. */
typedef struct {
    const og_orders *o;
    const moment *at;
    const og_items *items;
    og_orders_room *room;
    og_expansion *x;
} list;

/* Gains of 0, 1, .. labels for the item. */
static void own_gains(const og_orders *o, int32_t left, const pair *item, int32_t most,
                      double *gain)
{
    gain[0] = 0;
    for (int32_t w = 0; w < most; w++) {
        gain[w + 1] = gain[w] + og_deadline_gain(o->gain, o->form.bits, left - w, item->class,
                                                 (uint32_t)item->under_way + (uint32_t)w);
    }
}

/* The last batch: the largest sum of gains, instance by instance. */
static double last_batch(const list *l, int32_t rest)
{
    double *best = l->room->ways, *own = best + l->o->batch + 1;
    memset(best, 0, ((size_t)rest + 1) * sizeof *best);
    for (int32_t i = 0; i < l->items->count; i++) {
        const pair item = pair_at(l->items, i);
        own_gains(l->o, l->at->left, &item, rest, own);
        for (uint32_t c = 0; c < item.copies && c < (uint32_t)rest; c++) {
            for (int32_t j = rest; j > 0; j--) {
                for (int32_t w = 1; w <= j; w++) {
                    best[j] = best[j - w] + own[w] > best[j] ? best[j - w] + own[w] : best[j];
                }
            }
        }
    }
    return best[rest];
}

static void fill_rows(const list *l, int32_t rest)
{
    const og_orders *o = l->o;
    og_orders_room *room = l->room;
    const int32_t labels = room->labels, left = l->at->left - labels;
    for (int32_t i = 0; i < l->items->count; i++) {
        const pair item = pair_at(l->items, i);
        const int32_t under_way = (int32_t)item.under_way;
        double *gain = &room->gain[i * (labels + 1)];
        own_gains(o, l->at->left, &item, labels, gain);
        uint32_t class = item.class;
        for (int32_t w = labels; w >= 0; w--) {
            double *row = &room->row[(i * (labels + 1) + w) * PRICES];
            price_rest(o, left, rest - labels, class, under_way + w, row);
            for (int z = 0; z < PRICES; z++) {
                row[z] += gain[w];
            }
            if (w > 0) {
                class = o->layers->layer[l->at->left + under_way - (labels - w)].down[class];
            }
        }
    }
}

/* The first row of sums: no item gets a label. */
static void begin_sums(const list *l)
{
    const og_orders_room *room = l->room;
    for (int z = 0; z < PRICES; z++) {
        room->sum[z] = l->o->price[z] * (l->at->left - room->labels);
    }
    for (int32_t i = 0; i < l->items->count; i++) {
        const double copies = pair_at(l->items, i).copies;
        const double *row = &room->row[i * (room->labels + 1) * PRICES];
        for (int z = 0; z < PRICES; z++) {
            room->sum[z] += copies * row[z];
        }
    }
}

static void add_act(const list *l, int32_t parts)
{
    og_orders_room *room = l->room;
    const int32_t a = l->x->action_count++;
    const double *sum = &room->sum[parts * PRICES];
    part *to = &room->part[(size_t)a * (size_t)room->parts_max], *now = to;
    double gain = 0, bound = INFINITY;
    for (int32_t i = 0; i < parts; i++) {
        gain += room->gain[now[i].item * (room->labels + 1) + now[i].labels];
    }
    for (int z = 0; z < PRICES; z++) {
        bound = sum[z] < bound ? sum[z] : bound;
    }
    if (parts < room->parts_max) {
        now[parts].labels = 0;
    }
    l->x->action[a] = (og_action){
        .reward = gain, .weight = 1, .bound = bound, .outcome_first = a, .outcome_count = 1};
    l->x->outcome[a] = (og_outcome){.probability = 1, .bound = bound - gain, .from = (uint32_t)a};
    memcpy(to + room->parts_max, to, (size_t)parts * sizeof *to); /* the next one begins as this */
}

/* Lists the acts that begin with these parts: the next goes to item `first` or later, of which so
 * many copies have one, and is not larger than `most` there. */
static void list_acts(const list *l, int32_t parts, int32_t first, uint32_t taken, int32_t most,
                      int32_t labels)
{
    og_orders_room *room = l->room;
    if (labels == 0) {
        add_act(l, parts);
        return;
    }
    const double *sum = &room->sum[parts * PRICES];
    for (int32_t i = first; i < l->items->count; i++, taken = 0, most = labels) {
        const double *row = &room->row[i * (room->labels + 1) * PRICES];
        for (int32_t w = most < labels ? most : labels;
             w > 0 && taken < pair_at(l->items, i).copies; w--) {
            for (int z = 0; z < PRICES; z++) {
                room->sum[(parts + 1) * PRICES + z] = sum[z] + row[w * PRICES + z] - row[z];
            }
            room->part[(size_t)l->x->action_count * (size_t)room->parts_max + (size_t)parts] =
                (part){(uint16_t)i, (uint16_t)w};
            list_acts(l, parts + 1, i, taken + 1, w, labels - w);
        }
    }
}

/* The most promising acts first. */
static void put_first(og_expansion *x)
{
    for (int32_t i = 0; i < FIRST && i < x->action_count; i++) {
        int32_t best = i;
        for (int32_t a = i + 1; a < x->action_count; a++) {
            best = x->action[a].bound > x->action[best].bound ? a : best;
        }
        const og_action action = x->action[i];
        x->action[i] = x->action[best];
        x->action[best] = action;
    }
}

void og_orders_expand(const og_orders *o, const moment *at, const og_items *items,
                      og_orders_room *room, og_expansion *x)
{
    const int32_t rest = rest_of(o, at);
    const list l = {o, at, items, room, x};
    x->combine = OG_COMBINE_MAX;
    x->action_count = 0;
    if (rest == at->left) {
        x->action[x->action_count++] =
            (og_action){.weight = 1, .bound = INFINITY, .reward = last_batch(&l, rest)};
        return;
    }
    room->labels = labels_at_once(items, rest, room->ways);
    fill_rows(&l, rest);
    begin_sums(&l);
    list_acts(&l, 0, 0, 0, room->labels, room->labels);
    put_first(x);
}

/* Puts copies of an item that get so many labels each. */
static void put_labelled(const og_orders *o, const moment *at, pair item, uint32_t copies,
                         int32_t labels, int32_t whole, og_items *next)
{
    if (copies > 0) {
        item.class = og_layers_down(o->layers, at->left + (int32_t)item.under_way, item.class,
                                    whole - labels);
        item.under_way += (uint64_t)labels;
        item.copies = copies;
        put_pair(next, next->count++, &item);
    }
}

void og_orders_apply(const og_orders *o, const moment *at, const og_items *items,
                     const og_orders_room *room, const og_outcome *outcome, og_items *next)
{
    const part *now = &room->part[(size_t)outcome->from * (size_t)room->parts_max];
    const part *end = now;
    while (end < now + room->parts_max && end->labels > 0) {
        end++;
    }
    next->count = 0;
    for (int32_t i = 0; i < items->count; i++) {
        const pair item = pair_at(items, i);
        uint32_t rest = item.copies;
        while (now < end && now->item == i) { /* equal parts are neighbours */
            const int32_t labels = now->labels;
            uint32_t copies = 0;
            for (; now < end && now->item == i && now->labels == labels; now++) {
                copies++;
            }
            put_labelled(o, at, item, copies, labels, room->labels, next);
            rest -= copies;
        }
        put_labelled(o, at, item, rest, 0, room->labels, next);
    }
}
