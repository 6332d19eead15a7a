/*
 * Functions of a price as polygons, processed from corner to corner; and ranks of the resulting
 * indices.
 */
#include "heuristics/families/polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"

/* Makes room for `count` more corners. */
static bool make_room(og_polygon_draft *to, size_t count)
{
    og_corner *grown = og_grown(to->corner, &to->room, to->count + count, sizeof *grown);
    to->corner = grown != NULL ? grown : to->corner;
    return grown != NULL;
}

/* Appends a corner; there must be room. */
static void push(og_polygon_draft *to, double price, double value)
{
    to->corner[to->count++] = (og_corner){price, value};
}

/* A position on a polygon that only moves to larger prices. */
typedef struct {
    const og_corner *corner, *next, *end; /* `next` is the first corner after the position */
} walker;

static walker walk_from(const og_polygon *on)
{
    return (walker){on->corner, on->corner, on->count > 0 ? on->corner + on->count : on->corner};
}

static inline double value_at(walker *w, double price)
{
    const og_corner *b = w->next;
    while (b < w->end && b->price <= price) {
        b++;
    }
    w->next = b;
    if (b == w->end || b == w->corner) {
        return 0;
    }
    const og_corner *a = b - 1;
    return a->price == price
               ? a->value
               : a->value + (b->value - a->value) * ((price - a->price) / (b->price - a->price));
}

/* The price of the next corner of either polygon; INFINITY: none. */
static inline double next_price(const walker *a, const walker *b)
{
    double x = a->next < a->end ? a->next->price : INFINITY;
    double y = b->next < b->end ? b->next->price : INFINITY;
    return x < y ? x : y;
}

/* Merges corners closer than the slack, removes corners where the slope does not change, and sets
 * everything after the first 0 to 0. */
static void tidy(double slack, og_polygon_draft *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++) {
        og_corner c = d->corner[i];
        if (kept > 0 && c.price - d->corner[kept - 1].price <= slack) {
            if (c.value <= 0) {
                d->corner[kept - 1].value = 0;
            }
            continue;
        }
        while (kept >= 2) {
            const og_corner *a = &d->corner[kept - 2], *b = &d->corner[kept - 1];
            double line =
                a->value + (c.value - a->value) * ((b->price - a->price) / (c.price - a->price));
            if (fabs(line - b->value) > slack / 16) {
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

bool og_polygon_store(const og_polygon_draft *d, og_polygon *out)
{
    *out = (og_polygon){.count = d->count};
    if (d->count == 0) {
        return true;
    }
    out->corner = malloc(d->count * sizeof *d->corner);
    if (out->corner == NULL) {
        return false;
    }
    memcpy(out->corner, d->corner, d->count * sizeof *d->corner);
    return true;
}

bool og_polygon_add(double slack, og_polygon_draft *d, double a, double b, const og_polygon *f)
{
    og_polygon old = {d->count, d->corner};
    og_polygon_draft both = {NULL, 0, 0};
    walker x = walk_from(&old), y = walk_from(f);
    if (!make_room(&both, 1 + old.count + f->count)) {
        return false;
    }
    if (old.count == 0 && f->count > 0) { /* starts with the corner of f at price 0 */
        for (size_t i = 0; i < f->count; i++) {
            push(&both, f->corner[i].price, b * (i + 1 < f->count ? f->corner[i].value : 0));
        }
    } else {
        for (double price = 0; price < INFINITY; price = next_price(&x, &y)) {
            double at_x = value_at(&x, price);
            push(&both, price, a * at_x + b * value_at(&y, price));
        }
    }
    tidy(slack, &both);
    free(d->corner);
    *d = both;
    return true;
}

bool og_polygon_larger(double slack, const og_polygon *f, const og_polygon *g, double reward,
                       og_polygon_draft *out, double *index)
{
    walker x = walk_from(f), y = walk_from(g);
    double last_price = 0, last_wait = 0, last_buy = 0;
    double price = 0;
    bool last_beyond = false;
    out->count = 0;
    *index = 0;
    if (!make_room(out, 2 * (2 + f->count + g->count))) { /* a crossing before each corner */
        return false;
    }
    while (!last_beyond) {
        double wait = value_at(&x, price), buy = reward - price + value_at(&y, price);
        double ahead = buy - wait, before = last_buy - last_wait;
        bool crosses =
            price > 0 && ((ahead > slack && before < -slack) || (ahead < -slack && before > slack));
        if (crosses) {
            double share = before / (before - ahead);
            double at = last_price + (price - last_price) * share;
            push(out, at, last_wait + (wait - last_wait) * share);
            if (ahead < 0) {
                *index = at;
            }
        }
        if (ahead >= -slack) {
            *index = price;
        }
        push(out, price, wait > buy ? wait : buy);
        last_price = price;
        last_wait = wait;
        last_buy = buy;
        price = next_price(&x, &y);
        /* After all corners the value of buying is reward - price. */
        last_beyond = !isfinite(price) && last_price >= reward;
        if (!isfinite(price)) {
            price = reward;
        }
    }
    tidy(slack, out);
    return true;
}

typedef struct {
    double index;
    size_t number;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    int order = (a->index > b->index) - (a->index < b->index);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

bool og_price_ranks(const double *index, size_t count, double tolerance, uint32_t *rank,
                    uint64_t *tolerance_ties)
{
    place *order = calloc(count + 1, sizeof *order);
    if (order == NULL) {
        return false;
    }
    for (size_t c = 0; c < count; c++) {
        order[c] = (place){index[c], c};
    }
    qsort(order, count, sizeof *order, compare_places);
    uint32_t above = 0;
    for (size_t i = 0; i < count; i++) {
        double step = i > 0 ? order[i].index - order[i - 1].index : 0;
        above += step > tolerance;
        *tolerance_ties += step > 0 && step <= tolerance;
        rank[order[i].number] = above;
    }
    free(order);
    return true;
}
