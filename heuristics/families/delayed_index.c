/*
 * Functions of the price are polygons: corners in ascending order of price, the first at 0, the
 * last where the function becomes 0 and stays so. No corners: 0 everywhere.
 *
 * Where waiting and buying are worth the same over a whole interval of prices (the label can as
 * well be bought next time) rounding decides nothing: buying counts as no worse if it is within
 * `slack` of waiting.
 */
#include "heuristics/families/delayed_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"

typedef struct {
    double price;
    double value;
} corner;

typedef struct {
    size_t count;
    corner *corner;
} polygon;

/* Room for the function being made. */
typedef struct {
    corner *corner;
    size_t count, room;
} draft;

typedef struct {
    const og_delayed_layers *layers;
    double arrival_rate, service_rate;
    double slack;   /* of values and prices: rounding */
    polygon *below; /* [classes of the layer below] */
    polygon *here;  /* [classes of this layer] */
    int32_t made;   /* the layer that `below` is of, once it has been replaced */
    draft better;   /* scratch */
    uint64_t bytes, memory_bytes;
} maker;

static bool push(draft *to, double price, double value)
{
    corner *grown = og_grown(to->corner, &to->room, to->count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    to->corner = grown;
    to->corner[to->count++] = (corner){price, value};
    return true;
}

/* A place on a polygon that only moves to larger prices. */
typedef struct {
    const polygon *on;
    size_t next; /* the first corner beyond the place */
} walker;

static double value_at(walker *w, double price)
{
    const polygon *p = w->on;
    while (w->next < p->count && p->corner[w->next].price <= price) {
        w->next++;
    }
    if (w->next == p->count || w->next == 0) {
        return 0;
    }
    const corner *a = &p->corner[w->next - 1], *b = &p->corner[w->next];
    if (a->price == price) {
        return a->value;
    }
    return a->value + (b->value - a->value) * ((price - a->price) / (b->price - a->price));
}

/* The next corner of either beyond the walkers' places; INFINITY: none. */
static double next_price(const walker *a, const walker *b)
{
    double x = a->next < a->on->count ? a->on->corner[a->next].price : INFINITY;
    double y = b->next < b->on->count ? b->on->corner[b->next].price : INFINITY;
    return fmin(x, y);
}

/* Corners closer than the slack are one; a corner that is none is left out; what follows the first
 * 0 is 0. */
static void tidy(const maker *m, draft *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++) {
        corner c = d->corner[i];
        if (kept > 0 && c.price - d->corner[kept - 1].price <= m->slack) {
            if (c.value <= 0) {
                d->corner[kept - 1].value = 0;
            }
            continue;
        }
        while (kept >= 2) {
            const corner *a = &d->corner[kept - 2], *b = &d->corner[kept - 1];
            double line =
                a->value + (c.value - a->value) * ((b->price - a->price) / (c.price - a->price));
            if (fabs(line - b->value) > m->slack / 16) {
                break;
            }
            kept--;
        }
        d->corner[kept++] = c;
        if (c.value <= 0) {
            break;
        }
    }
    if (kept > 0 && d->corner[0].value <= 0) {
        kept = 0;
    }
    d->count = kept;
}

static bool store(maker *m, const draft *d, polygon *out)
{
    m->bytes += d->count * sizeof *d->corner;
    out->count = d->count;
    out->corner = NULL;
    if (d->count == 0) {
        return true;
    }
    out->corner = m->bytes <= m->memory_bytes ? malloc(d->count * sizeof *d->corner) : NULL;
    if (out->corner == NULL) {
        return false;
    }
    memcpy(out->corner, d->corner, d->count * sizeof *d->corner);
    return true;
}

/* d := a * d + b * f; d and f are polygons, prices without end excluded. */
static bool add(const maker *m, draft *d, double a, double b, const polygon *f)
{
    polygon old = {d->count, d->corner};
    draft both = {NULL, 0, 0};
    walker x = {&old, 0}, y = {f, 0};
    bool good = true;
    for (double price = 0; good && isfinite(price); price = next_price(&x, &y)) {
        double at_x = value_at(&x, price);
        good = push(&both, price, a * at_x + b * value_at(&y, price));
    }
    if (good) {
        tidy(m, &both);
        free(d->corner);
        *d = both;
    } else {
        free(both.corner);
    }
    return good;
}

/*
 * The larger of waiting f and of buying, reward - price + g; *index is the largest price at which
 * buying is no worse.
 */
static bool larger(const maker *m, const polygon *f, const polygon *g, double reward, draft *out,
                   double *index)
{
    walker x = {f, 0}, y = {g, 0};
    double last_price = 0, last_wait = 0, last_buy = 0;
    bool last_beyond = false, good = true;
    out->count = 0;
    *index = 0;
    for (double price = 0; good && !last_beyond;) {
        double wait = value_at(&x, price), buy = reward - price + value_at(&y, price);
        double ahead = buy - wait, before = last_buy - last_wait;
        bool crosses = price > 0 && ((ahead > m->slack && before < -m->slack) ||
                                     (ahead < -m->slack && before > m->slack));
        if (crosses) {
            double share = before / (before - ahead);
            double at = last_price + (price - last_price) * share;
            good = push(out, at, last_wait + (wait - last_wait) * share);
            if (ahead < 0) {
                *index = at;
            }
        }
        if (ahead >= -m->slack) {
            *index = price;
        }
        good = good && push(out, price, fmax(wait, buy));
        last_price = price;
        last_wait = wait;
        last_buy = buy;
        price = next_price(&x, &y);
        /* Beyond all corners buying is reward - price. */
        last_beyond = !isfinite(price) && last_price >= reward;
        if (!isfinite(price)) {
            price = reward;
        }
    }
    if (good) {
        tidy(m, out);
    }
    return good;
}

static bool make_class(maker *m, int32_t left, uint32_t c, double *index)
{
    const og_delayed_layer *layer = &m->layers->layer[left];
    double q = m->arrival_rate + m->service_rate * layer->row[c].rate_total;
    draft *d = &m->better;
    bool good = larger(m, &m->below[layer->row[c].down], &m->below[layer->row[c].given],
                       layer->row[c].reward, d, index);
    for (uint32_t k = layer->row[c].first; good && k < layer->row[c].end; k++) {
        /* The first term also gives the arrival its weight. */
        double scale = k == layer->row[c].first ? m->arrival_rate / q : 1;
        good =
            add(m, d, scale, m->service_rate * layer->way[k].rate / q, &m->here[layer->way[k].to]);
    }
    return good && store(m, d, &m->here[c]);
}

static void free_polygons(maker *m, polygon *polygons, uint32_t count)
{
    for (uint32_t c = 0; polygons != NULL && c < count; c++) {
        m->bytes -= polygons[c].corner != NULL ? polygons[c].count * sizeof(corner) : 0;
        free(polygons[c].corner);
    }
    free(polygons);
}

static bool make_layers(maker *m, og_delayed_index *out)
{
    const og_delayed_layer *layer = m->layers->layer;
    m->below = calloc(layer[0].class_count, sizeof *m->below);
    bool good = m->below != NULL;
    for (int32_t left = 1; good && left <= m->layers->workers; left++) {
        m->here = calloc(layer[left].class_count, sizeof *m->here);
        good = m->here != NULL;
        for (uint32_t c = 0; good && c < layer[left].class_count; c++) {
            good = make_class(m, left, c, &out->index[out->first[left] + c]);
        }
        free_polygons(m, m->below, layer[left - 1].class_count);
        m->below = m->here;
        m->here = NULL;
        m->made = left;
    }
    free_polygons(m, m->below, layer[m->made].class_count);
    free(m->better.corner);
    return good;
}

typedef struct {
    double index;
    size_t class;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    int order = (a->index > b->index) - (a->index < b->index);
    return order != 0 ? order : (a->class > b->class) - (a->class < b->class);
}

static bool make_ranks(og_delayed_index *out, size_t count, double tolerance)
{
    place *order = calloc(count + 1, sizeof *order);
    if (order == NULL) {
        return false;
    }
    for (size_t c = 0; c < count; c++) {
        order[c] = (place){out->index[c], c};
    }
    qsort(order, count, sizeof *order, compare_places);
    uint32_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        double step = i > 0 ? order[i].index - order[i - 1].index : 0;
        rank += step > tolerance;
        out->tolerance_ties += step > 0 && step <= tolerance;
        out->rank[order[i].class] = rank;
    }
    free(order);
    return true;
}

static og_status refuse(int32_t workers, uint64_t memory_bytes, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_NO_MEMORY,
                          "its index for %d workers does not fit the memory limit of %s",
                          (int)workers, og_bytes_format(memory_bytes, limit));
}

/* The tables, the layers being made. */
static og_status fill(og_delayed_index *made, const og_delay *delay, uint64_t memory_bytes,
                      og_message *message)
{
    double dearest;
    og_arena *arena = &made->arena;
    made->first = og_arena_array(arena, (size_t)made->arms->budget + 1, sizeof *made->first);
    OG_TRY(og_arena_status(arena));
    size_t count = og_delayed_layers_first(made->layers, made->first, &dearest);
    made->index = og_arena_array(arena, count, sizeof *made->index);
    made->rank = og_arena_array(arena, count, sizeof *made->rank);
    maker m = {.layers = made->layers,
               .arrival_rate = og_fraction_double(delay->arrival_rate),
               .service_rate = og_fraction_double(delay->service_rate),
               .slack = 1e-13 * dearest,
               .bytes = made->layers->bytes,
               .memory_bytes = memory_bytes};
    return !arena->failed && make_layers(&m, made) &&
                   make_ranks(made, count, OG_DELAYED_TIE * dearest)
               ? OG_OK
               : refuse(made->arms->budget, memory_bytes, message);
}

og_status og_delayed_index_new(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                               og_delayed_index **out, og_message *message)
{
    const og_delayed_layers_use use = {.merge = true, .keep = true, .memory_bytes = memory_bytes};
    og_delayed_index *made = og_arena_new(sizeof *made);
    OG_TRY(og_allocated(made));
    made->arms = arms;
    og_status status = og_delayed_layers_new(arms, &use, &made->layers, message);
    OG_THEN(status, fill(made, delay, memory_bytes, message));
    return OG_MADE(status, made, og_delayed_index_free, out);
}

void og_delayed_index_free(og_delayed_index *index)
{
    if (index != NULL) {
        og_delayed_layers_free(index->layers);
    }
    og_arena_free(index);
}

static size_t class_at(const og_delayed_index *index, int32_t arm, uint32_t node, int32_t at_work,
                       int32_t left)
{
    return index->first[left] +
           og_delayed_class(index->layers, index->arms, arm, node, at_work, left);
}

double og_delayed_index_at(const og_delayed_index *index, int32_t arm, uint32_t node,
                           int32_t at_work, int32_t left)
{
    return index->index[class_at(index, arm, node, at_work, left)];
}

uint32_t og_delayed_index_rank(const og_delayed_index *index, int32_t arm, uint32_t node,
                               int32_t at_work, int32_t left)
{
    return index->rank[class_at(index, arm, node, at_work, left)];
}
