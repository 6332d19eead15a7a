/*
 * The values of a layer from those of the layers below it.
 *
 * A label changes a row p, a multiset q of the suffix, or both. Which row it leads to is found once
 * a row; which q, once a layer, in maps that hold for all rows. So the inner loops read values at
 * places of two rows, and nothing else depends on the state.
 *
 * Invariant: all places of a row are written by one call, which reads only layers below.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/base/vector.h"
#include "dp/product/margin/made.h"

/* ---- maps of the suffix ---- */

/* Places of q with a copy of one class less and one of another more, in a layer below. */
typedef struct {
    int32_t *to;   /* [q_count] in list 0; -1: there is none */
    uint32_t same; /* so many places stay as they are */
} map;

typedef struct {
    const og_margin_layer *from, *to;
    map *map; /* [(suffix + 1)^2], by the class less and the class more, after none */
} maps;

enum { NONE = -1 };

static int32_t place_after(const og_margin_layer *from, const og_margin_layer *to, uint32_t q,
                           int32_t less, int32_t more)
{
    const og_margin_ranks *ranks = &to->suffix;
    const uint16_t *copies = &from->copies[(size_t)q * (size_t)ranks->count];
    uint32_t rank = 0;
    int32_t room = ranks->most;
    if (less != NONE && copies[less] == 0) {
        return -1;
    }
    for (int32_t c = 0; c < ranks->count; c++) {
        int32_t n = copies[c] - (c == less) + (c == more);
        n = n < ranks->cap[c] ? n : ranks->cap[c];
        if (n * ranks->weight[c] > room) {
            return -1;
        }
        rank += og_margin_rank_step(ranks, c, n, &room);
    }
    return (int32_t)to->by_rank[rank];
}

static const map *map_of(const maps *all, og_arena *arena, int32_t less, int32_t more)
{
    int32_t width = all->to->suffix.count + 1;
    map *m = &all->map[(less + 1) * width + more + 1];
    if (m->to == NULL) {
        uint32_t count = all->from->q_count;
        m->to = og_arena_array(arena, count, sizeof *m->to);
        for (uint32_t q = 0; m->to != NULL && q < count; q++) {
            m->to[q] = place_after(all->from, all->to, q, less, more);
            m->same += m->same == q && m->to[q] == (int32_t)q;
        }
    }
    return m;
}

/* ---- labels ---- */

/* Where an outcome leads. */
typedef struct {
    const og_margin_layer *to;
    const map *map;
    int32_t less, more; /* classes of the row; NONE */
    int32_t fall;       /* f falls by so much, to 0 at least */
} way;

typedef struct {
    double reward;
    double chance[2];
    way way[2];
    uint32_t *q, *to[2];    /* of a label of a suffix class: where it is, and leads to in list 0 */
    uint32_t *up_to;        /* [most + 1] entries of at most this weight */
    int32_t weight, excess; /* of a supply's node */
} label;

typedef struct {
    og_margin *g;
    og_margin_layer *layer;
    const og_margin_layer *const *below;
    og_arena arena;
    maps maps[3];
    label *label; /* [classes] */
    label bulk, front;
    label *supply; /* [supplies] those that could be there */
    int32_t supplies;
    struct scratch {
        double *lower, *upper; /* [q_count] */
        uint32_t *q, *to[2];
    } * scratch; /* [threads] */
} sweep;

/* An outcome of a node to a class of a layer, or out of all (NONE). */
static way way_to(sweep *s, int32_t below, int32_t less, int32_t class, int32_t fall)
{
    int32_t suffix = s->g->classes.suffix;
    bool from_suffix = less != NONE && less < suffix, to_suffix = class != NONE && class < suffix;
    return (way){.to = s->below[below],
                 .map = map_of(&s->maps[below], &s->arena, from_suffix ? less : NONE,
                               to_suffix ? class : NONE),
                 .less = less == NONE || from_suffix ? NONE : less - suffix,
                 .more = class == NONE || to_suffix ? NONE : class - suffix,
                 .fall = fall};
}

static int32_t class_of(const og_margin *g, int32_t node)
{
    return node < 0 ? NONE : g->nodes.node[node].class;
}

static label label_of(sweep *s, const og_margin_node *x, int32_t class, int32_t fall)
{
    label l = {.reward = x->reward, .chance = {x->chance[0], x->chance[1]}};
    int32_t below = s->layer->front ? 1 : 0;
    for (int k = 0; k < 2; k++) {
        int32_t to = x->chance[k] > 0 ? class_of(s->g, x->after[k]) : NONE;
        l.way[k] = way_to(s, below, class, to, fall);
    }
    if (l.chance[OG_TOWARD] == 0) {
        l.way[OG_TOWARD] = l.way[OG_AWAY];
    }
    return l;
}

/* The front instance: toward is labelled once more at once. */
static label front_label(sweep *s)
{
    const og_margin *g = s->g;
    const og_margin_node *x = &g->nodes.node[g->front];
    const og_margin_node *diagonal = &g->nodes.node[x->after[OG_TOWARD]];
    bool to_bulk = g->has_axis && x->after[OG_AWAY] == g->bulk;
    label l = {.reward = x->reward + x->chance[OG_TOWARD] * diagonal->reward,
               .chance = {x->chance[0], x->chance[1]}};
    l.way[OG_TOWARD] = way_to(s, 2, NONE, class_of(g, diagonal->after[OG_AWAY]), 2);
    l.way[OG_AWAY] = way_to(s, 0, NONE, NONE, to_bulk ? 2 : 1);
    return l;
}

/* Where a suffix class is, and where its label leads to. */
static void list_entries(sweep *s, label *l)
{
    const og_margin_layer *from = s->layer;
    const int32_t *toward = l->way[0].map->to, *away = l->way[1].map->to;
    l->q = og_arena_array(&s->arena, from->q_count, sizeof *l->q);
    l->to[0] = og_arena_array(&s->arena, from->q_count, sizeof *l->to[0]);
    l->to[1] = og_arena_array(&s->arena, from->q_count, sizeof *l->to[1]);
    l->up_to = og_arena_array(&s->arena, (size_t)from->most + 1, sizeof *l->up_to);
    if (og_arena_status(&s->arena) != OG_OK) {
        return;
    }
    uint32_t count = 0, q = 0;
    for (int32_t room = 0; room <= from->most; room++) {
        for (; q < from->up_to[room]; q++) {
            if (toward[q] >= 0 && away[q] >= 0) {
                l->q[count] = q;
                l->to[0][count] = (uint32_t)toward[q];
                l->to[1][count] = (uint32_t)away[q];
                count++;
            }
        }
        l->up_to[room] = count;
    }
}

static void make_supplies(sweep *s)
{
    const og_margin *g = s->g;
    const og_margin_layer *from = s->layer;
    int32_t below = from->front ? 1 : 0;
    s->supply = og_arena_array(&s->arena, (size_t)g->supplies + 1, sizeof *s->supply);
    for (int32_t i = 0; og_arena_status(&s->arena) == OG_OK && i < g->supplies; i++) {
        const og_margin_node *x = &g->nodes.node[g->supply[i]];
        int32_t weight = og_margin_weight(g, x);
        bool there = x->level <= g->arms->budget - from->left && weight <= from->most;
        if (there && from->left > x->margin) {
            label *l = &s->supply[s->supplies++];
            *l = (label){.chance = {x->chance[0], x->chance[1]},
                         .weight = weight,
                         .excess = og_margin_excess(weight)};
            l->way[OG_TOWARD] = way_to(s, below, NONE, class_of(g, x->after[OG_TOWARD]), 1);
            l->way[OG_AWAY] = way_to(s, below, NONE, NONE, 1);
        }
    }
}

static og_status sweep_init(sweep *s, int threads)
{
    const og_margin *g = s->g;
    const og_margin_layer *from = s->layer;
    size_t width = (size_t)g->classes.suffix + 1;
    for (int b = 0; b < 3; b++) {
        s->maps[b] = (maps){from, s->below[b],
                            og_arena_array(&s->arena, width * width, sizeof *s->maps[b].map)};
    }
    s->label = og_arena_array(&s->arena, (size_t)g->classes.count + 1, sizeof *s->label);
    s->scratch = og_arena_array(&s->arena, (size_t)threads, sizeof *s->scratch);
    OG_TRY(og_arena_status(&s->arena));
    for (int t = 0; t < threads; t++) {
        struct scratch *own = &s->scratch[t];
        own->lower = og_arena_array(&s->arena, from->q_count, sizeof *own->lower);
        own->upper = og_arena_array(&s->arena, from->q_count, sizeof *own->upper);
        own->q = og_arena_array(&s->arena, from->q_count, sizeof *own->q);
        own->to[0] = og_arena_array(&s->arena, from->q_count, sizeof *own->to[0]);
        own->to[1] = og_arena_array(&s->arena, from->q_count, sizeof *own->to[1]);
    }
    for (int32_t c = 0; c < g->classes.count; c++) {
        if (from->cap[c] > 0) {
            s->label[c] = label_of(s, &g->nodes.node[g->classes.node[c]], c, 1);
            OG_TRY(og_arena_status(&s->arena));
            if (c < g->classes.suffix) {
                list_entries(s, &s->label[c]);
            }
        }
    }
    if (from->bulk_cap > 0) {
        s->bulk = label_of(s, &g->nodes.node[g->bulk], NONE, 0);
    }
    if (from->front && from->left >= 2) {
        s->front = front_label(s);
    }
    make_supplies(s);
    return og_arena_status(&s->arena);
}

/* ---- rows ---- */

/* A row, or the list of one with f > 0, in a layer. */
typedef struct {
    const double *lower;
    const float *more;
    const int32_t *place; /* of q in its list; NULL: list 0 */
} target;

typedef struct {
    const og_margin_part *part;
    int32_t count;
    int32_t f;
    int32_t room;   /* for q */
    int32_t excess; /* for q: at most so much; -1: any */
    uint32_t length;
    const uint32_t *member; /* q of each place; NULL: the same */
    struct scratch *own;
} row;

typedef struct {
    const og_margin_layer *layer;
    uint32_t rank;
    int32_t room;
} cursor;

static void count_in(cursor *at, int32_t class, int32_t copies)
{
    const og_margin_ranks *ranks = &at->layer->prefix;
    int32_t n = copies < ranks->cap[class] ? copies : ranks->cap[class];
    at->rank += og_margin_rank_step(ranks, class, n, &at->room);
    assert(at->room >= 0);
}

/* The rank of a row with a copy of `less` less and one of `more` more, within the layer's caps. */
static uint32_t rank_of(const og_margin_layer *layer, const og_margin_part *part, int32_t count,
                        int32_t less, int32_t more)
{
    cursor at = {layer, 0, layer->prefix.most};
    for (int32_t i = 0; i < count; i++) {
        int32_t class = part[i].class;
        if (more != NONE && more < class) {
            count_in(&at, more, 1);
            more = NONE;
        }
        count_in(&at, class, part[i].copies - (class == less) + (class == more));
        more = class == more ? NONE : more;
    }
    if (more != NONE) {
        count_in(&at, more, 1);
    }
    return at.rank;
}

static target target_in(const og_margin_layer *layer, uint32_t rank, int32_t f)
{
    uint64_t first = layer->first[rank];
    const int32_t *place = NULL;
    if (f > 0) {
        assert(f <= layer->short_most && layer->few[rank] != UINT32_MAX);
        first = layer->first_short[(size_t)(f - 1) * layer->few_count + layer->few[rank]];
        place = layer->place[1 + layer->slack - f - layer->row_excess[rank]];
    }
    return (target){layer->lower + first, layer->more + first, place};
}

static target target_of(const row *r, const way *w)
{
    int32_t f = r->f > w->fall ? r->f - w->fall : 0;
    return target_in(w->to, rank_of(w->to, r->part, r->count, w->less, w->more), f);
}

/* The places that both outcomes read, in order. */
typedef struct {
    const double *lower[2];
    const float *more[2];
    double reward, chance[2];
} pair;

/* One label at consecutive places. */
OG_VECTOR_CLONES
static void take_run(uint32_t count, const pair *p, double *restrict lower, double *restrict upper)
{
    const double *l0 = p->lower[0], *l1 = p->lower[1];
    const float *m0 = p->more[0], *m1 = p->more[1];
    double reward = p->reward, toward = p->chance[0], away = p->chance[1];
    for (uint32_t i = 0; i < count; i++) {
        double low = reward + toward * l0[i] + away * l1[i];
        double high = reward + toward * (l0[i] + (double)m0[i]) + away * (l1[i] + (double)m1[i]);
        lower[i] = low > lower[i] ? low : lower[i];
        upper[i] = high > upper[i] ? high : upper[i];
    }
}

/* The same at places of these numbers. */
OG_VECTOR_CLONES
static void take_mapped(uint32_t count, const pair *p, const int32_t *to0, const int32_t *to1,
                        double *restrict lower, double *restrict upper)
{
    const double *l0 = p->lower[0], *l1 = p->lower[1];
    const float *m0 = p->more[0], *m1 = p->more[1];
    double reward = p->reward, toward = p->chance[0], away = p->chance[1];
    for (uint32_t i = 0; i < count; i++) {
        double a = l0[to0[i]], b = l1[to1[i]];
        double low = reward + toward * a + away * b;
        double high = reward + toward * (a + (double)m0[to0[i]]) + away * (b + (double)m1[to1[i]]);
        lower[i] = low > lower[i] ? low : lower[i];
        upper[i] = high > upper[i] ? high : upper[i];
    }
}

/* The same for some of the places. */
static void take_some(uint32_t count, const pair *p, const uint32_t *q, const uint32_t *to0,
                      const uint32_t *to1, double *restrict lower, double *restrict upper)
{
    const double *l0 = p->lower[0], *l1 = p->lower[1];
    const float *m0 = p->more[0], *m1 = p->more[1];
    double reward = p->reward, toward = p->chance[0], away = p->chance[1];
    for (uint32_t i = 0; i < count; i++) {
        double a = l0[to0[i]], b = l1[to1[i]];
        double low = reward + toward * a + away * b;
        double high = reward + toward * (a + (double)m0[to0[i]]) + away * (b + (double)m1[to1[i]]);
        lower[q[i]] = low > lower[q[i]] ? low : lower[q[i]];
        upper[q[i]] = high > upper[q[i]] ? high : upper[q[i]];
    }
}

/* For SUPPLY alone. */
OG_VECTOR_CLONES
static void take_upper(uint32_t count, const pair *p, const int32_t *to0, const int32_t *to1,
                       double *restrict upper)
{
    const double *l0 = p->lower[0], *l1 = p->lower[1];
    const float *m0 = p->more[0], *m1 = p->more[1];
    double toward = p->chance[0], away = p->chance[1];
    for (uint32_t i = 0; i < count; i++) {
        double high =
            toward * (l0[to0[i]] + (double)m0[to0[i]]) + away * (l1[to1[i]] + (double)m1[to1[i]]);
        upper[i] = high > upper[i] ? high : upper[i];
    }
}

OG_VECTOR_CLONES
static void take_upper_run(uint32_t count, const pair *p, double *restrict upper)
{
    const double *l0 = p->lower[0], *l1 = p->lower[1];
    const float *m0 = p->more[0], *m1 = p->more[1];
    double toward = p->chance[0], away = p->chance[1];
    for (uint32_t i = 0; i < count; i++) {
        double high = toward * (l0[i] + (double)m0[i]) + away * (l1[i] + (double)m1[i]);
        upper[i] = high > upper[i] ? high : upper[i];
    }
}

/* Stores values; `more` is rounded up: SUPPLY is at most lower + more. */
OG_VECTOR_CLONES
static void store(uint32_t count, const double *restrict lower, const double *restrict upper,
                  double *restrict to_lower, float *restrict to_more)
{
    for (uint32_t i = 0; i < count; i++) {
        double more = upper[i] - lower[i];
        to_lower[i] = lower[i];
        to_more[i] = (float)(more * (1 + 0x1p-22) + (more > 0 ? 0x1p-140 : 0));
    }
}

static pair pair_of(const label *l, const target to[2])
{
    return (pair){{to[0].lower, to[1].lower},
                  {to[0].more, to[1].more},
                  l->reward,
                  {l->chance[0], l->chance[1]}};
}

/* For rows with f > 0: lists the places of at most this excess, whose outcomes exist. */
static uint32_t list_places(const row *r, const og_margin_layer *layer, const label *l,
                            const target to[2], uint32_t length, int32_t excess)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t q = r->member != NULL ? r->member[i] : i;
        int32_t at[2] = {l->way[0].map->to[q], l->way[1].map->to[q]};
        if (at[0] >= 0 && at[1] >= 0 && (excess < 0 || layer->q_excess[q] <= excess)) {
            r->own->q[count] = i;
            for (int k = 0; k < 2; k++) {
                int32_t place = to[k].place != NULL ? to[k].place[at[k]] : at[k];
                assert(place >= 0);
                r->own->to[k][count] = (uint32_t)place;
            }
            count++;
        }
    }
    return count;
}

static bool stays(const way *w, uint32_t length)
{
    return length <= w->map->same;
}

/* Labels in a row; a suffix class is not in every q. */
static void take(const sweep *s, const row *r, const label *l, bool some)
{
    target to[2] = {target_of(r, &l->way[0]), target_of(r, &l->way[1])};
    pair p = pair_of(l, to);
    double *lower = r->own->lower, *upper = r->own->upper;
    if (r->f > 0) {
        uint32_t count = list_places(r, s->layer, l, to, r->length, -1);
        take_some(count, &p, r->own->q, r->own->to[0], r->own->to[1], lower, upper);
    } else if (some) {
        take_some(l->up_to[r->room], &p, l->q, l->to[0], l->to[1], lower, upper);
    } else if (stays(&l->way[0], r->length) && stays(&l->way[1], r->length)) {
        take_run(r->length, &p, lower, upper);
    } else {
        take_mapped(r->length, &p, l->way[0].map->to, l->way[1].map->to, lower, upper);
    }
}

static void take_supply(const sweep *s, const row *r, const label *l)
{
    const og_margin_layer *layer = s->layer;
    if (l->weight > r->room || (r->excess >= 0 && l->excess > r->excess)) {
        return;
    }
    target to[2] = {target_of(r, &l->way[0]), target_of(r, &l->way[1])};
    pair p = pair_of(l, to);
    size_t stride = (size_t)layer->most + 1;
    size_t list = r->excess >= 0 ? 1 + (size_t)r->excess : 0;
    uint32_t length = layer->up_to[list * stride + (size_t)(r->room - l->weight)];
    if (r->f > 0) {
        uint32_t count = list_places(r, layer, l, to, length, r->excess - l->excess);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t a = r->own->to[0][i], b = r->own->to[1][i];
            double high = p.chance[0] * (p.lower[0][a] + (double)p.more[0][a]) +
                          p.chance[1] * (p.lower[1][b] + (double)p.more[1][b]);
            double *upper = &r->own->upper[r->own->q[i]];
            *upper = high > *upper ? high : *upper;
        }
    } else if (stays(&l->way[0], length) && stays(&l->way[1], length)) {
        take_upper_run(length, &p, r->own->upper);
    } else {
        take_upper(length, &p, l->way[0].map->to, l->way[1].map->to, r->own->upper);
    }
}

/* The forced class of the row; -1: none. */
static int32_t forced_in(const sweep *s, const row *r)
{
    int32_t forced = s->g->forced[s->layer->front], suffix = s->g->classes.suffix;
    for (int32_t i = 0; forced >= suffix && i < r->count; i++) {
        if (r->part[i].class + suffix == forced) {
            return forced;
        }
    }
    return -1;
}

static void label_all(const sweep *s, const row *r)
{
    const og_margin *g = s->g;
    const og_margin_layer *layer = s->layer;
    int32_t forced = forced_in(s, r);
    if (forced >= 0) {
        take(s, r, &s->label[forced], false);
        return;
    }
    if (layer->front && layer->left >= 2) {
        take(s, r, &s->front, false);
    }
    if (layer->bulk_cap - r->f >= 1) {
        take(s, r, &s->bulk, false);
    }
    for (int32_t c = 0; c < g->classes.suffix; c++) {
        int32_t weight = g->classes.weight[c];
        bool fits = weight <= r->room && (r->f == 0 || og_margin_excess(weight) <= r->excess);
        if (layer->cap[c] > 0 && fits) {
            take(s, r, &s->label[c], true);
        }
    }
    for (int32_t i = 0; i < r->count; i++) {
        take(s, r, &s->label[g->classes.suffix + r->part[i].class], false);
    }
    for (int32_t i = 0; i < s->supplies; i++) {
        take_supply(s, r, &s->supply[i]);
    }
}

/* Computes a row with this f; returns its number of places. */
static uint32_t do_row(const sweep *s, struct scratch *own, uint32_t number, int32_t f)
{
    const og_margin_layer *l = s->layer;
    int32_t room = l->most - l->row_weight[number];
    int32_t excess = f > 0 ? l->slack - f - l->row_excess[number] : -1;
    size_t list = f > 0 ? 1 + (size_t)excess : 0;
    uint32_t length = l->up_to[list * ((size_t)l->most + 1) + (size_t)room];
    uint64_t first =
        f > 0 ? l->first_short[(size_t)(f - 1) * l->few_count + l->few[number]] : l->first[number];
    uint32_t part = l->part_first[number];
    const row r = {.part = &l->part[part],
                   .count = (int32_t)(l->part_first[number + 1] - part),
                   .f = f,
                   .room = room,
                   .excess = excess,
                   .length = length,
                   .member = l->member[list],
                   .own = own};
    memset(own->lower, 0, length * sizeof *own->lower);
    memset(own->upper, 0, length * sizeof *own->upper);
    label_all(s, &r);
    store(length, own->lower, own->upper, l->lower + first, l->more + first);
    return length;
}

/* Adds `done` places, and asks the watch. */
static void tell(og_margin *g, int thread, uint64_t done)
{
    done += atomic_fetch_add_explicit(&g->done, done, memory_order_relaxed);
    if (thread == 0 && g->settings.watch != NULL && og_seconds() - g->start - g->told >= 0.1) {
        g->told = og_seconds() - g->start;
        og_progress progress = {.states = done,
                                .memory_bytes = og_arms_bytes(g->arms) + g->bytes,
                                .settled = (double)done / g->size.states,
                                .seconds = g->told};
        if (!g->settings.watch(g->settings.watch_user, &progress)) {
            atomic_store(&g->stopped, true);
        }
    }
}

static void do_rows(void *context, int thread, int64_t begin, int64_t end)
{
    const sweep *s = context;
    const og_margin_layer *l = s->layer;
    uint64_t done = 0;
    for (int64_t i = begin; i < end && !atomic_load_explicit(&s->g->stopped, memory_order_relaxed);
         i++) {
        uint32_t number = (uint32_t)i;
        int32_t most = l->slack - l->row_excess[number];
        most = most < l->short_most ? most : l->short_most;
        for (int32_t f = 0; f <= (most > 0 ? most : 0); f++) {
            done += do_row(s, &s->scratch[thread], number, f);
        }
        if (done >= 1 << 16) {
            tell(s->g, thread, done);
            done = 0;
        }
    }
    tell(s->g, thread, done);
}

og_status og_margin_layer_values(og_margin *g, og_margin_layer *layer,
                                 const og_margin_layer *const below[3])
{
    enum { GRAIN = 64 };
    int threads =
        og_threads_worth(og_thread_count(g->settings.threads), 20.0 * (double)layer->places);
    sweep s = {.g = g, .layer = layer, .below = below};
    og_status status = sweep_init(&s, threads);
    if (status == OG_OK) {
        og_parallel_ranges(threads, layer->rows, GRAIN, do_rows, &s);
        status = atomic_load(&g->stopped) ? OG_STOPPED : OG_OK;
    }
    og_arena_clear(&s.arena);
    return status;
}

/* ---- a place ---- */

og_margin_ends og_margin_at(const og_margin *g, const og_margin_layer *layer, const og_copies *list,
                            int32_t count)
{
    int32_t bulk = 0, suffix = g->classes.suffix;
    int32_t room = layer->suffix.most, row_room = layer->prefix.most;
    uint32_t rank = 0, row_rank = 0;
    for (int32_t c = 0; c < g->classes.count; c++) {
        for (int32_t i = 0; i < count; i++) {
            int32_t n = (int32_t)list[i].copies;
            n = n < layer->cap[c] ? n : layer->cap[c];
            if (g->nodes.node[list[i].member].class != c) {
                continue;
            }
            if (c >= suffix) {
                row_rank += og_margin_rank_step(&layer->prefix, c - suffix, n, &row_room);
            } else {
                rank += og_margin_rank_step(&layer->suffix, c, n, &room);
            }
        }
    }
    for (int32_t i = 0; i < count; i++) {
        bulk = g->has_axis && (int32_t)list[i].member == g->bulk ? (int32_t)list[i].copies : bulk;
    }
    int32_t f = layer->bulk_cap > bulk ? layer->bulk_cap - bulk : 0;
    target to = target_in(layer, row_rank, f);
    uint32_t q = layer->by_rank[rank];
    uint32_t at = to.place != NULL ? (uint32_t)to.place[q] : q;
    return (og_margin_ends){to.lower[at], to.lower[at] + (double)to.more[at]};
}
