/*
 * A block is the largest over actions; an action is the label of one instance of a group:
 *
 *   out[.. J .. K .. rest] = max of  R(e) + sum over k of p_k * below[.. J - e .. K + next_k(e) ..
 * rest]
 *
 * for each distinct live class e of the group's multiset J, K being that of the group one deeper.
 * Each value is a maximum over sums taken in the order of og_layer's outcomes: the same bits as the
 * recursion's, whatever the order of actions.
 *
 * All other axes are copied, or mapped where a class has died. There are two ways through: along
 * the other axes for each (J, e, K), or along all (J, e) for each K and place on the other axes.
 * The first is best where the axes that run fastest are long; the second where few states share a
 * label.
 */
#include "dp/product/blocks/sweep.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/product/blocks/scratch.h"
#include "dp/product/price.h"

enum {
    CHUNK = 256, /* states whose sums are held at a time */
    OUTCOMES_MOST = OG_CLASSES_MAX,
};

typedef og_block_line axis;
typedef og_block_place place;

/* ---- a label, laid out ---- */

/* The group that is labelled, and those one and two deeper, which may be empty. */
typedef struct {
    const og_block_group *group;
    uint32_t copies;     /* 0: there is none */
    int32_t index;       /* among the type's groups; -1: none */
    uint32_t size;       /* of its axis here */
    uint32_t stride[3];  /* here; below with one instance less or more; and below that */
    const uint32_t *one; /* maps of its copies, */
    const uint32_t *two;
    const uint32_t *one_less; /* and of one less */
    const uint32_t *two_less;
} changed;

typedef struct {
    const og_block_sweep *sweep;
    og_block_scratch *s;
    const og_copies *list; /* [count] the type */
    int32_t count;
    double *out;
    const double *one, *two; /* the blocks below */
    changed from, next, after;
    int32_t axes;
    uint64_t unwritten; /* states of a block into which no label was put yet, else 0 */
} label;

static uint32_t mapped(const uint32_t *map, uint32_t rank)
{
    return map == NULL ? rank : map[rank];
}

static og_block_maps maps_of(const og_block_sweep *w, const og_block_group *group, uint32_t copies)
{
    bool none = copies == 0 || copies > (uint32_t)w->plan->copies_max;
    return none ? (og_block_maps){NULL, NULL} : group->maps[copies];
}

static changed changed_of(const label *l, int32_t index, uint32_t member)
{
    const og_block_sweep *w = l->sweep;
    changed c = {.group = &w->group[member], .index = -1, .size = 1};
    if (index < l->count && l->list[index].member == member) {
        c.index = index;
        c.copies = l->list[index].copies;
        c.size = l->s->size[0][index];
        og_block_maps maps = maps_of(w, c.group, c.copies);
        og_block_maps less = maps_of(w, c.group, c.copies - 1);
        c.one = maps.one;
        c.two = maps.two;
        c.one_less = less.one;
        c.two_less = less.two;
    }
    return c;
}

/* Strides in the layer `below`, with so many instances more in the three groups. */
static void take_strides(label *l, int32_t below, int32_t from, int32_t next, int32_t after)
{
    const og_block_ranks *ranks = l->sweep->ranks;
    const uint32_t *size = l->s->size[below];
    uint32_t *of = l->s->stride[below];
    changed *three[3] = {&l->from, &l->next, &l->after};
    const int32_t change[3] = {from, next, after};
    uint32_t stride = 1;
    int32_t i = 0;
    for (; i < l->from.index; i++) {
        of[i] = stride;
        stride *= size[i];
    }
    for (int32_t k = 0; k < 3; k++) {
        changed *c = three[k];
        uint32_t copies = (uint32_t)((int32_t)c->copies + change[k]);
        c->stride[below] = stride;
        if (c->index >= 0) {
            of[c->index] = stride;
            i++;
        }
        stride *= og_block_axis(ranks, c->group->classes[below], copies);
    }
    for (; i < l->count; i++) {
        of[i] = stride;
        stride *= size[i];
    }
}

/* Add an axis, joined to the last where that is one run with it. */
static void add_axis(label *l, const axis *a)
{
    axis *last = l->axes > 0 ? &l->s->axis[l->axes - 1] : NULL;
    bool plain = a->map_one == NULL && a->map_two == NULL && last != NULL &&
                 last->map_one == NULL && last->map_two == NULL;
    if (plain && last->here * last->size == a->here && last->one * last->size == a->one &&
        last->two * last->size == a->two) {
        last->size *= a->size;
    } else {
        l->s->axis[l->axes++] = *a;
    }
}

/* The axes that do not change; `upto`: how many of the three groups do. */
static void take_axes(label *l, uint32_t upto)
{
    const og_block_sweep *w = l->sweep;
    const og_block_scratch *s = l->s;
    bool one = w->left > 1, two = upto > 2 && w->left > 2;
    l->axes = 0;
    for (int32_t i = 0; i < l->count; i++) {
        uint32_t member = l->list[i].member;
        bool changes = member >= l->list[l->from.index].member &&
                       member - l->list[l->from.index].member < upto;
        if (changes || s->size[0][i] == 1) {
            continue;
        }
        og_block_maps maps = maps_of(w, &w->group[member], l->list[i].copies);
        uint32_t here = s->stride[0][i]; /* where a layer does not count, so that axes join */
        axis a = {.size = s->size[0][i],
                  .here = here,
                  .one = one ? s->stride[1][i] : here,
                  .two = two ? s->stride[2][i] : here,
                  .map_one = one ? maps.one : NULL,
                  .map_two = two ? maps.two : NULL};
        add_axis(l, &a);
    }
}

/* All places on the axes but one (-1: on all). */
static uint32_t take_places(const label *l, int32_t without)
{
    place *list = l->s->place;
    uint32_t count = 1;
    list[0] = (place){0, 0, 0};
    for (int32_t i = 0; i < l->axes; i++) {
        const axis *a = &l->s->axis[i];
        if (i == without) {
            continue;
        }
        for (uint32_t j = 1; j < a->size; j++) {
            uint32_t here = j * a->here;
            uint32_t one = mapped(a->map_one, j) * a->one;
            uint32_t two = mapped(a->map_two, j) * a->two;
            place *to = &list[(size_t)j * count];
            for (uint32_t x = 0; x < count; x++) {
                to[x] = (place){list[x].here + here, list[x].one + one, list[x].two + two};
            }
        }
        if (mapped(a->map_one, 0) != 0 || mapped(a->map_two, 0) != 0) {
            uint32_t one = mapped(a->map_one, 0) * a->one;
            uint32_t two = mapped(a->map_two, 0) * a->two;
            for (uint32_t x = 0; x < count; x++) {
                list[x].one += one;
                list[x].two += two;
            }
        }
        count *= a->size;
    }
    return count;
}

/* ---- inner loops ---- */

static inline void improve(double *out, double value)
{
    *out = value > *out ? value : *out;
}

/* sum[x] += p * from[inside[x]]; inside NULL: from[x]. */
static inline void add_line(double *restrict sum, double p, const double *restrict from,
                            const uint32_t *restrict inside, uint32_t count)
{
    if (inside == NULL) {
        for (uint32_t x = 0; x < count; x++) {
            sum[x] += p * from[x];
        }
    } else {
        for (uint32_t x = 0; x < count; x++) {
            sum[x] += p * from[inside[x]];
        }
    }
}

static inline void fill_line(double *sum, double value, uint32_t count)
{
    for (uint32_t x = 0; x < count; x++) {
        sum[x] = value;
    }
}

/* A run of states that lie side by side in all layers. */
static inline void run_of_two(double *restrict out, uint32_t count, double reward, double p,
                              const double *restrict u, double q, const double *restrict v)
{
    for (uint32_t x = 0; x < count; x++) {
        improve(&out[x], reward + p * u[x] + q * v[x]);
    }
}

/* The same where nothing has been written yet: a label is worth 0 or more. */
static inline void first_run_of_two(double *restrict out, uint32_t count, double reward, double p,
                                    const double *restrict u, double q, const double *restrict v)
{
    for (uint32_t x = 0; x < count; x++) {
        out[x] = reward + p * u[x] + q * v[x];
    }
}

/* And of states that do not. */
static inline void apart_of_two(double *restrict out, uint32_t stride, uint32_t count,
                                double reward, double p, const double *restrict u, double q,
                                const double *restrict v, const uint32_t *restrict inside)
{
    for (uint32_t x = 0; x < count; x++) {
        improve(&out[(size_t)x * stride], reward + p * u[inside[x]] + q * v[inside[x]]);
    }
}

/* Either, with any number of outcomes. */
static inline void run_of_many(double *restrict out, uint32_t stride, uint32_t count, double reward,
                               int32_t outcomes, const double *probability,
                               const double *const *below, uint32_t shift, const uint32_t *inside)
{
    double sum[CHUNK];
    for (uint32_t begin = 0; begin < count; begin += CHUNK) {
        uint32_t some = count - begin < CHUNK ? count - begin : CHUNK;
        fill_line(sum, reward, some);
        for (int32_t k = 0; k < outcomes; k++) {
            const double *from = below[k] + shift + (inside == NULL ? begin : 0);
            add_line(sum, probability[k], from, inside == NULL ? NULL : inside + begin, some);
        }
        for (uint32_t x = 0; x < some; x++) {
            improve(&out[(size_t)(begin + x) * stride], sum[x]);
        }
    }
}

/* ---- labels without contracted outcomes ---- */

/* The moves of the labelled group that lead to no contracted node: rewards, chances and all, into
 * the scratch. Returns how many. */
static uint32_t take_moves(const label *l)
{
    og_block_scratch *s = l->s;
    const og_block_depth *d = l->from.group->depth;
    const og_block_ranks *ranks = l->sweep->ranks;
    uint32_t copies = l->from.copies;
    bool listed = d->count > 1 && copies > 1;
    uint32_t all = listed ? ranks->move_count[copies] : (uint32_t)d->live;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++) {
        og_block_move move = listed ? ranks->move[copies][i] : (og_block_move){i, i, 0};
        if (move.to >= l->from.size) {
            break; /* the table is for more classes */
        }
        bool contracted = false;
        for (int32_t k = 0; k < l->sweep->outcomes && d->contracts; k++) {
            contracted = contracted || d->next[(size_t)k * (size_t)d->count + move.gone] < 0;
        }
        if (move.gone >= (uint32_t)d->live || contracted) {
            continue;
        }
        s->to[count] = move.to;
        s->number[count] = move.gone;
        s->reward[count] = d->reward[move.gone];
        s->rest[count] = l->sweep->left > 1 ? mapped(l->from.one_less, move.rest) : 0;
        for (int32_t k = 0; k < l->sweep->outcomes; k++) {
            s->probability[(size_t)k * s->moves_max + count] =
                d->probability[(size_t)k * (size_t)d->count + move.gone];
        }
        count++;
    }
    return count;
}

/* Where the k-th outcome of a move leads in the block below, with K of the group one deeper. */
static inline uint32_t place_of(const label *l, uint32_t move, int32_t k, uint32_t rank)
{
    const og_block_depth *d = l->from.group->depth;
    uint32_t number = (uint32_t)d->next[(size_t)k * (size_t)d->count + l->s->number[move]];
    return l->s->rest[move] * l->from.stride[1] +
           og_block_plus(l->sweep->ranks, l->next.group->classes[1], l->next.copies, rank, number) *
               l->next.stride[1];
}

/* The axis to run along inside: side by side if there is one, else the longest; -1: none. */
static int32_t innermost(const label *l, bool *side_by_side)
{
    int32_t best = -1;
    *side_by_side = false;
    for (int32_t i = 0; i < l->axes; i++) {
        const axis *a = &l->s->axis[i];
        bool plain =
            a->here == 1 && a->one == 1 && a->two == 1 && a->map_one == NULL && a->map_two == NULL;
        double gain = (double)a->size * (plain ? 4 : 1);
        if (best < 0 || gain > (double)l->s->axis[best].size * (*side_by_side ? 4 : 1)) {
            best = i;
            *side_by_side = plain;
        }
    }
    return best;
}

OG_VECTOR_CLONES static void along_axis(const label *l, uint32_t moves, int32_t inner,
                                        bool side_by_side)
{
    const og_block_scratch *s = l->s;
    int32_t outcomes = l->sweep->left > 1 ? l->sweep->outcomes : 0;
    uint32_t places = take_places(l, inner);
    uint32_t length = inner < 0 ? 1 : s->axis[inner].size;
    uint32_t stride = inner < 0 ? 1 : s->axis[inner].here;
    for (uint32_t x = 0; x < length && !side_by_side; x++) {
        s->inside[x] = inner < 0 ? 0 : mapped(s->axis[inner].map_one, x) * s->axis[inner].one;
    }
    for (uint32_t i = 0; i < moves; i++) {
        double probability[OUTCOMES_MOST];
        for (int32_t k = 0; k < outcomes; k++) {
            probability[k] = s->probability[(size_t)k * s->moves_max + i];
        }
        for (uint32_t rank = 0; rank < l->next.size; rank++) {
            const double *below[OUTCOMES_MOST];
            uint32_t rank_below = mapped(l->next.one, rank);
            double *out =
                l->out + (size_t)s->to[i] * l->from.stride[0] + (size_t)rank * l->next.stride[0];
            for (int32_t k = 0; k < outcomes; k++) {
                below[k] = l->one + place_of(l, i, k, rank_below);
            }
            if (outcomes == 2 && side_by_side && l->unwritten > 0) {
                for (uint32_t y = 0; y < places; y++) {
                    place at = s->place[y];
                    first_run_of_two(out + at.here, length, s->reward[i], probability[0],
                                     below[0] + at.one, probability[1], below[1] + at.one);
                }
            } else if (outcomes == 2 && side_by_side) {
                for (uint32_t y = 0; y < places; y++) {
                    place at = s->place[y];
                    run_of_two(out + at.here, length, s->reward[i], probability[0],
                               below[0] + at.one, probability[1], below[1] + at.one);
                }
            } else if (outcomes == 2) {
                for (uint32_t y = 0; y < places; y++) {
                    place at = s->place[y];
                    apart_of_two(out + at.here, stride, length, s->reward[i], probability[0],
                                 below[0] + at.one, probability[1], below[1] + at.one, s->inside);
                }
            } else {
                for (uint32_t y = 0; y < places; y++) {
                    run_of_many(out + s->place[y].here, stride, length, s->reward[i], outcomes,
                                probability, below, s->place[y].one,
                                side_by_side ? NULL : s->inside);
                }
            }
        }
    }
}

/* Moves of a group of one: their places here are all different, and `step` apart. */
static inline void moves_of_one(double *restrict out, uint32_t step, const double *restrict one,
                                const og_block_scratch *s, uint32_t moves, int32_t outcomes)
{
    const double *restrict reward = s->reward;
    if (outcomes != 2) {
        for (uint32_t i = 0; i < moves; i++) {
            double sum = reward[i];
            for (int32_t k = 0; k < outcomes; k++) {
                size_t at = (size_t)k * s->moves_max + i;
                sum += s->probability[at] * one[s->at[at]];
            }
            improve(&out[(size_t)i * step], sum);
        }
        return;
    }
    const double *restrict p = s->probability, *restrict q = p + s->moves_max;
    const uint32_t *restrict up = s->at, *restrict down = up + s->moves_max;
    for (uint32_t i = 0; i < moves; i++) {
        improve(&out[(size_t)i * step], reward[i] + p[i] * one[up[i]] + q[i] * one[down[i]]);
    }
}

/* Two outcomes, and neighbouring moves lead to neighbouring places. */
static inline void moves_in_a_row(double *restrict out, const double *restrict up,
                                  const double *restrict down, const og_block_scratch *s,
                                  uint32_t moves)
{
    const double *restrict reward = s->reward;
    const double *restrict p = s->probability, *restrict q = p + s->moves_max;
    for (uint32_t i = 0; i < moves; i++) {
        improve(&out[i], reward[i] + p[i] * up[i] + q[i] * down[i]);
    }
}

static inline void moves_of_many(double *restrict out, uint32_t step, const double *restrict one,
                                 const og_block_scratch *s, uint32_t moves, int32_t outcomes)
{
    for (uint32_t i = 0; i < moves; i++) {
        double sum = s->reward[i];
        for (int32_t k = 0; k < outcomes; k++) {
            size_t at = (size_t)k * s->moves_max + i;
            sum += s->probability[at] * one[s->at[at]];
        }
        improve(&out[(size_t)s->to[i] * step], sum);
    }
}

static bool in_a_row(const uint32_t *at, uint32_t count)
{
    bool row = true;
    for (uint32_t i = 1; i < count; i++) {
        row = row && at[i] == at[0] + i;
    }
    return row;
}

OG_VECTOR_CLONES static void along_moves(const label *l, uint32_t moves)
{
    const og_block_scratch *s = l->s;
    int32_t outcomes = l->sweep->left > 1 ? l->sweep->outcomes : 0;
    uint32_t places = take_places(l, -1);
    bool ones = in_a_row(s->to, moves) && s->to[0] == 0;
    for (uint32_t rank = 0; rank < l->next.size; rank++) {
        uint32_t below = mapped(l->next.one, rank);
        bool row = ones && l->from.stride[0] == 1 && outcomes == 2;
        for (int32_t k = 0; k < outcomes; k++) {
            uint32_t *at = &s->at[(size_t)k * s->moves_max];
            for (uint32_t i = 0; i < moves; i++) {
                at[i] = place_of(l, i, k, below);
            }
            row = row && in_a_row(at, moves);
        }
        double *to = l->out + (size_t)rank * l->next.stride[0];
        for (uint32_t y = 0; y < places; y++) {
            double *out = to + s->place[y].here;
            const double *one = l->one + s->place[y].one;
            if (row) {
                moves_in_a_row(out, one + s->at[0], one + s->at[s->moves_max], s, moves);
            } else if (ones) {
                moves_of_one(out, l->from.stride[0], one, s, moves, outcomes);
            } else {
                moves_of_many(out, l->from.stride[0], one, s, moves, outcomes);
            }
        }
    }
}

/* Before a label that is not put into all states, or not by writing over them. */
static void begin_block(label *l)
{
    memset(l->out, 0, l->unwritten * sizeof *l->out);
    l->unwritten = 0;
}

/* Both ways give the same bits; which one costs less? In nanoseconds, about. */
static void value_label(label *l)
{
    uint32_t moves = take_moves(l);
    if (moves == 0) {
        return;
    }
    bool side_by_side;
    int32_t inner = innermost(l, &side_by_side);
    double length = inner < 0 ? 1 : l->s->axis[inner].size;
    double along = 5 / length + (side_by_side ? 0.3 : 1.5);
    double across = 5.0 / moves + (l->from.copies == 1 ? 1.2 : 2.5);
    bool all = l->from.copies == 1 && moves == l->from.size; /* each state once */
    if (!all || along > across || !side_by_side || l->sweep->outcomes != 2 || l->sweep->left < 2) {
        begin_block(l);
    }
    if (along <= across) {
        along_axis(l, moves, inner, side_by_side);
    } else {
        along_moves(l, moves);
    }
    l->unwritten = 0;
}

/* ---- labels with contracted outcomes ---- */

/*
 * The outcomes of class `gone` of the labelled group that is at `to` here and leaves `rest`, with
 * the groups one and two deeper at `rank` and `rank_after`: for each outcome its own block and
 * place, or, where it is contracted, all of its outcomes two layers below.
 */
typedef struct {
    uint32_t gone, rest;
    uint32_t rank, rank_after;
} contracted_at;

/* An outcome of a class: where its values begin in the layer below, or, of a contracted one, where
 * those of its own outcomes begin two layers below. */
typedef struct {
    double probability;
    const double *one;
    const og_block_contracted *item; /* NULL: not contracted */
    const double *two[OUTCOMES_MOST];
} contracted_outcome;

static void take_contracted(const label *l, const contracted_at *at, contracted_outcome *out)
{
    const og_block_sweep *w = l->sweep;
    const og_block_depth *d = l->from.group->depth;
    uint32_t after_one = mapped(l->after.one, at->rank_after);
    uint32_t after_two = mapped(l->after.two, at->rank_after);
    uint32_t next_one = mapped(l->next.one, at->rank);
    const double *one = l->one + (size_t)mapped(l->from.one_less, at->rest) * l->from.stride[1] +
                        (size_t)after_one * l->after.stride[1];
    const double *two = l->two;
    if (w->left > 2) {
        two += (size_t)mapped(l->from.two_less, at->rest) * l->from.stride[2] +
               (size_t)mapped(l->next.two, at->rank) * l->next.stride[2];
    }
    for (int32_t k = 0; k < w->outcomes; k++) {
        size_t outcome = (size_t)k * (size_t)d->count + at->gone;
        int32_t number = d->next[outcome];
        out[k].probability = d->probability[outcome];
        out[k].item = NULL;
        if (number >= 0) {
            out[k].one = one + (size_t)og_block_plus(w->ranks, l->next.group->classes[1],
                                                     l->next.copies, next_one, (uint32_t)number) *
                                   l->next.stride[1];
            continue;
        }
        out[k].item = og_block_classes_contracted(w->classes, number);
        for (int32_t j = 0; j < w->outcomes && w->left > 2; j++) {
            out[k].two[j] =
                two + (size_t)og_block_plus(w->ranks, l->after.group->classes[2], l->after.copies,
                                            after_two, (uint32_t)out[k].item->next[j]) *
                          l->after.stride[2];
        }
    }
}

/* Some states along the inner axis, from its place `begin` on. */
static inline void contracted_run(const label *l, const contracted_outcome *outcome,
                                  const place *at, double reward, uint32_t begin, uint32_t count,
                                  bool side_by_side, double *out, uint32_t stride)
{
    const og_block_sweep *w = l->sweep;
    const uint32_t *inside = side_by_side ? NULL : &l->s->inside[begin];
    const uint32_t *inside_two = side_by_side ? NULL : &l->s->inside_two[begin];
    size_t shift = side_by_side ? begin : 0;
    double sum[CHUNK], mixed[CHUNK];
    fill_line(sum, reward, count);
    for (int32_t k = 0; k < w->outcomes; k++) {
        double p = outcome[k].probability;
        const og_block_contracted *item = outcome[k].item;
        if (item == NULL) {
            add_line(sum, p, outcome[k].one + at->one + shift, inside, count);
            continue;
        }
        fill_line(mixed, item->reward, count);
        for (int32_t j = 0; j < w->outcomes && w->left > 2; j++) {
            add_line(mixed, item->probability[j], outcome[k].two[j] + at->two + shift, inside_two,
                     count);
        }
        add_line(sum, p, mixed, NULL, count);
    }
    for (uint32_t x = 0; x < count; x++) {
        improve(&out[(size_t)x * stride], sum[x]);
    }
}

OG_VECTOR_CLONES static void value_contracted_at(const label *l, const contracted_at *at,
                                                 uint32_t places, int32_t inner, bool side_by_side,
                                                 double *out)
{
    const og_block_scratch *s = l->s;
    contracted_outcome outcome[OUTCOMES_MOST];
    take_contracted(l, at, outcome);
    double reward = l->from.group->depth->reward[at->gone];
    uint32_t length = inner < 0 ? 1 : s->axis[inner].size;
    uint32_t stride = inner < 0 ? 1 : s->axis[inner].here;
    for (uint32_t y = 0; y < places; y++) {
        for (uint32_t begin = 0; begin < length; begin += CHUNK) {
            uint32_t count = length - begin < CHUNK ? length - begin : CHUNK;
            contracted_run(l, outcome, &s->place[y], reward, begin, count, side_by_side,
                           out + s->place[y].here + (size_t)begin * stride, stride);
        }
    }
}

static void value_contracted(const label *l)
{
    const og_block_scratch *s = l->s;
    const og_block_depth *d = l->from.group->depth;
    const og_block_ranks *ranks = l->sweep->ranks;
    bool side_by_side;
    int32_t inner = innermost(l, &side_by_side);
    uint32_t places = take_places(l, inner);
    uint32_t length = inner < 0 ? 1 : s->axis[inner].size;
    for (uint32_t x = 0; x < length; x++) {
        s->inside[x] = inner < 0 ? 0 : mapped(s->axis[inner].map_one, x) * s->axis[inner].one;
        s->inside_two[x] = inner < 0 ? 0 : mapped(s->axis[inner].map_two, x) * s->axis[inner].two;
    }
    uint32_t copies = l->from.copies;
    bool listed = d->count > 1 && copies > 1;
    uint32_t all = listed ? ranks->move_count[copies] : (uint32_t)d->live;
    for (uint32_t i = 0; i < all; i++) {
        og_block_move move = listed ? ranks->move[copies][i] : (og_block_move){i, i, 0};
        bool contracted = false;
        for (int32_t k = 0; k < l->sweep->outcomes && move.gone < (uint32_t)d->live; k++) {
            contracted = contracted || d->next[(size_t)k * (size_t)d->count + move.gone] < 0;
        }
        for (uint32_t rank = 0; rank < l->next.size && contracted && move.to < l->from.size;
             rank++) {
            for (uint32_t after = 0; after < l->after.size; after++) {
                contracted_at at = {move.gone, move.rest, rank, after};
                value_contracted_at(l, &at, places, inner, side_by_side,
                                    l->out + (size_t)move.to * l->from.stride[0] +
                                        (size_t)rank * l->next.stride[0] +
                                        (size_t)after * l->after.stride[0]);
            }
        }
    }
}

/* ---- a type ---- */

static uint64_t block_at(const og_block_plan *plan, int32_t left, uint32_t type)
{
    return *(const uint64_t *)og_multisets_payload(plan->layer[left].set, type);
}

/* Sizes of the type's axes, with their own copies, in all layers that it is read in. */
static void take_sizes(label *l)
{
    const og_block_sweep *w = l->sweep;
    for (int32_t i = 0; i < l->count; i++) {
        const og_block_group *group = &w->group[l->list[i].member];
        for (int32_t below = 0; below < 3; below++) {
            l->s->size[below][i] =
                og_block_axis(w->ranks, group->classes[below], l->list[i].copies);
        }
    }
}

static void sweep_action(label *l, const og_block_action *action)
{
    const og_block_sweep *w = l->sweep;
    int32_t from = (int32_t)action->group;
    uint32_t member = l->list[from].member;
    l->from = changed_of(l, from, member);
    l->next = changed_of(l, from + 1, member + 1);
    l->after = changed_of(l, from + 1 + (l->next.index >= 0), member + 2);
    take_strides(l, 0, 0, 0, 0);
    l->one = l->out; /* nothing is read with the last label */
    if (w->left > 1) {
        take_strides(l, 1, -1, 1, 0);
        l->one = w->one + block_at(w->plan, w->left - 1, action->one);
    }
    take_axes(l, 2);
    value_label(l);
    if (action->two == OG_BLOCK_NONE) {
        return;
    }
    if (w->left > 2) {
        take_strides(l, 2, -1, 0, 1);
        l->two = w->two + block_at(w->plan, w->left - 2, (uint32_t)action->two);
    }
    take_axes(l, 3);
    begin_block(l);
    value_contracted(l);
}

static label label_of(const og_block_sweep *w, uint32_t type, og_block_scratch *s, double *out)
{
    label l = {.sweep = w, .s = s, .out = out};
    l.list = og_multisets_at(w->plan->layer[w->left].set, type, &l.count);
    take_sizes(&l);
    return l;
}

void og_block_sweep_action(const og_block_sweep *w, uint32_t type, const og_block_action *action,
                           og_block_scratch *scratch, double *out)
{
    label l = label_of(w, type, scratch, out);
    sweep_action(&l, action);
}

void og_block_sweep_type(const og_block_sweep *w, uint32_t type, og_block_scratch *scratch)
{
    const og_block_types *layer = &w->plan->layer[w->left];
    uint64_t begin = block_at(w->plan, w->left, type);
    uint64_t end = type + 1 < og_multisets_count(layer->set) ? block_at(w->plan, w->left, type + 1)
                                                             : layer->states;
    label l = label_of(w, type, scratch, w->here + begin);
    l.unwritten = end - begin;
    for (uint64_t a = layer->first[type + 1];
         a-- > layer->first[type];) { /* the longest runs first */
        sweep_action(&l, &layer->action[a]);
    }
    begin_block(&l);
}
