/*
 * A block is the largest over actions; an action is the label of one instance of a group:
 *
 *   out[.. J .. K .. rest] = max of
 *     R(e) + sum over k of p_k * below[.. J - e .. K + next_k(e) .. rest]
 *
 * for each distinct live class e of the group's multiset J, where K is the multiset of the group
 * one deeper. Each value is a maximum over sums computed in the order of og_layer's outcomes: the
 * same bits as in the recursion, whatever the order of actions.
 *
 * All other axes are copied, or mapped if a class has died. There are two loops: along the other
 * axes for each (J, e, K), or along all (J, e) for each K and place on the other axes. The first is
 * best if the axes that run fastest are long; the second if few states share a label.
 *
 * Several actions: a label of cost c reads layer left - c and makes its instance c levels deeper,
 * so other groups may lie between the two that change. Each lane of a group is treated as a label
 * (dp/product/blocks/actions.h).
 */
#include "dp/product/blocks/sweep.h"

#include <string.h>

#include "dp/base/vector.h"
#include "dp/product/blocks/label.h"
#include "dp/product/blocks/play.h"
#include "dp/product/blocks/scratch.h"

typedef og_block_place place;
typedef og_block_changed changed;
typedef og_block_label label;

/* ---- inner loops ---- */

static inline void improve(double *out, double value)
{
    *out = value > *out ? value : *out;
}

/* A label with its outcomes, each with its values of a run of states. */
typedef struct {
    double reward;
    int32_t outcomes;
    double probability[OG_BLOCK_OUTCOMES];
    const double *below[OG_BLOCK_OUTCOMES];
} block_line;

/* A run of states that are contiguous in all layers. */
static inline void run_of_two(double *restrict out, uint32_t count, const block_line *line,
                              uint32_t shift)
{
    const double *restrict u = line->below[0] + shift, *restrict v = line->below[1] + shift;
    const double reward = line->reward, p = line->probability[0], q = line->probability[1];
    for (uint32_t x = 0; x < count; x++) {
        improve(&out[x], reward + p * u[x] + q * v[x]);
    }
}

/* The same if nothing has been written yet: the value of a label is at least 0. */
static inline void first_run_of_two(double *restrict out, uint32_t count, const block_line *line,
                                    uint32_t shift)
{
    const double *restrict u = line->below[0] + shift, *restrict v = line->below[1] + shift;
    const double reward = line->reward, p = line->probability[0], q = line->probability[1];
    for (uint32_t x = 0; x < count; x++) {
        out[x] = reward + p * u[x] + q * v[x];
    }
}

/* The same for states that are not contiguous. */
static inline void apart_of_two(double *restrict out, uint32_t stride, uint32_t count,
                                const block_line *line, uint32_t shift,
                                const uint32_t *restrict inside)
{
    const double *restrict u = line->below[0] + shift, *restrict v = line->below[1] + shift;
    const double reward = line->reward, p = line->probability[0], q = line->probability[1];
    for (uint32_t x = 0; x < count; x++) {
        improve(&out[(size_t)x * stride], reward + p * u[inside[x]] + q * v[inside[x]]);
    }
}

/* Either, with any number of outcomes. */
static inline void run_of_many(double *restrict out, uint32_t stride, uint32_t count,
                               const block_line *line, uint32_t shift, const uint32_t *inside)
{
    double sum[OG_BLOCK_CHUNK];
    for (uint32_t begin = 0; begin < count; begin += OG_BLOCK_CHUNK) {
        uint32_t some = count - begin < OG_BLOCK_CHUNK ? count - begin : OG_BLOCK_CHUNK;
        og_block_fill_line(sum, line->reward, some);
        for (int32_t k = 0; k < line->outcomes; k++) {
            const double *from = line->below[k] + shift + (inside == NULL ? begin : 0);
            og_block_add_line(sum, line->probability[k], from,
                              inside == NULL ? NULL : inside + begin, some);
        }
        for (uint32_t x = 0; x < some; x++) {
            improve(&out[(size_t)(begin + x) * stride], sum[x]);
        }
    }
}

/* ---- labels without contracted outcomes ---- */

OG_VECTOR_CLONES static void along_axis(const label *l, uint32_t moves, int32_t inner,
                                        bool side_by_side)
{
    const og_block_scratch *s = l->s;
    int32_t outcomes = l->sweep->left > l->sweep->cost ? l->sweep->outcomes : 0;
    uint32_t places = og_block_label_places(l, inner);
    uint32_t length = inner < 0 ? 1 : s->axis[inner].size;
    uint32_t stride = inner < 0 ? 1 : s->axis[inner].here;
    for (uint32_t x = 0; x < length && !side_by_side; x++) {
        s->inside[x] =
            inner < 0 ? 0 : og_block_mapped(s->axis[inner].map_one, x) * s->axis[inner].one;
    }
    for (uint32_t i = 0; i < moves; i++) {
        block_line line = {.reward = s->reward[i], .outcomes = outcomes};
        for (int32_t k = 0; k < outcomes; k++) {
            line.probability[k] = s->probability[(size_t)k * s->moves_max + i];
        }
        for (uint32_t rank = 0; rank < l->next.size; rank++) {
            uint32_t rank_below = og_block_mapped(l->next.one, rank);
            double *out =
                l->out + (size_t)s->to[i] * l->from.stride[0] + (size_t)rank * l->next.stride[0];
            for (int32_t k = 0; k < outcomes; k++) {
                line.below[k] = l->one + og_block_label_place(l, i, k, rank_below);
            }
            if (outcomes == 2 && side_by_side && l->unwritten > 0) {
                for (uint32_t y = 0; y < places; y++) {
                    place at = s->place[y];
                    first_run_of_two(out + at.here, length, &line, at.one);
                }
            } else if (outcomes == 2 && side_by_side) {
                for (uint32_t y = 0; y < places; y++) {
                    place at = s->place[y];
                    run_of_two(out + at.here, length, &line, at.one);
                }
            } else if (outcomes == 2) {
                for (uint32_t y = 0; y < places; y++) {
                    place at = s->place[y];
                    apart_of_two(out + at.here, stride, length, &line, at.one, s->inside);
                }
            } else {
                for (uint32_t y = 0; y < places; y++) {
                    place at = s->place[y];
                    run_of_many(out + at.here, stride, length, &line, at.one,
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
typedef struct {
    uint32_t moves;
    const double *reward, *p, *up, *q, *down;
} moves_row;

/* Handles `width` to twice as many moves, as two runs that may overlap: faster than a loop of any
 * length. Without unrolling, compilers vectorise the loops. */
static inline void moves_in_two(double *out, const moves_row *r, uint32_t width)
{
    double first[8], last[8];
    uint32_t end = r->moves - width;
#pragma GCC unroll 1
    for (uint32_t j = 0; j < width; j++) {
        first[j] = r->reward[j] + r->p[j] * r->up[j] + r->q[j] * r->down[j];
        improve(&first[j], out[j]);
    }
#pragma GCC unroll 1
    for (uint32_t j = 0; j < width; j++) {
        uint32_t i = end + j;
        last[j] = r->reward[i] + r->p[i] * r->up[i] + r->q[i] * r->down[i];
        improve(&last[j], out[i]);
    }
    memcpy(out, first, width * sizeof *out);
    memcpy(out + end, last, width * sizeof *out);
}

static inline void moves_in_a_row(double *restrict out, const moves_row *r)
{
    const double *restrict reward = r->reward, *restrict p = r->p, *restrict q = r->q;
    const double *restrict up = r->up, *restrict down = r->down;
    if (r->moves >= 8 && r->moves <= 16) {
        moves_in_two(out, r, 8);
    } else if (r->moves >= 4 && r->moves < 8) {
        moves_in_two(out, r, 4);
    } else {
        for (uint32_t i = 0; i < r->moves; i++) {
            improve(&out[i], reward[i] + p[i] * up[i] + q[i] * down[i]);
        }
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

/* The begin of the last run of neighbours. */
static uint32_t row_begin(const uint32_t *at, uint32_t count)
{
    uint32_t begin = count - 1;
    while (begin > 0 && at[begin - 1] + 1 == at[begin]) {
        begin--;
    }
    return begin;
}

OG_VECTOR_CLONES static void along_moves(const label *l, uint32_t moves)
{
    const og_block_scratch *s = l->s;
    int32_t outcomes = l->sweep->left > l->sweep->cost ? l->sweep->outcomes : 0;
    uint32_t places = og_block_label_places(l, -1);
    bool ones = s->to[0] == 0 && row_begin(s->to, moves) == 0;
    for (uint32_t rank = 0; rank < l->next.size; rank++) {
        uint32_t below = og_block_mapped(l->next.one, rank);
        uint32_t begin = 0;
        bool in_row = ones && l->from.stride[0] == 1 && outcomes == 2;
        for (int32_t k = 0; k < outcomes; k++) {
            uint32_t *at = &s->at[(size_t)k * s->moves_max];
            for (uint32_t i = 0; i < moves; i++) {
                at[i] = og_block_label_place(l, i, k, below);
            }
            uint32_t b = in_row ? row_begin(at, moves) : 0;
            begin = b > begin ? b : begin;
        }
        in_row = in_row && begin <= 1; /* the first may have merged */
        double *to = l->out + (size_t)rank * l->next.stride[0];
        for (uint32_t y = 0; y < places; y++) {
            double *out = to + s->place[y].here;
            const double *one = l->one + s->place[y].one;
            if (in_row) {
                moves_of_one(out, 1, one, s, begin, 2);
                moves_in_a_row(out + begin,
                               &(moves_row){.moves = moves - begin,
                                            .reward = s->reward + begin,
                                            .p = s->probability + begin,
                                            .up = one + s->at[begin],
                                            .q = s->probability + s->moves_max + begin,
                                            .down = one + s->at[s->moves_max + begin]});
            } else if (ones) {
                moves_of_one(out, l->from.stride[0], one, s, moves, outcomes);
            } else {
                moves_of_many(out, l->from.stride[0], one, s, moves, outcomes);
            }
        }
    }
}

/* Prepares a block for a label that does not overwrite all states. */
static void begin_block(label *l)
{
    memset(l->out, 0, (size_t)l->unwritten * sizeof *l->out);
    l->unwritten = 0;
}

/* The same for a label of a single copy that overwrites all states with a labelled class: prepares
 * only the others. */
static void begin_others(label *l, uint32_t moves)
{
    const uint32_t *to = l->s->to;
    size_t stride = l->from.stride[0], whole = stride * l->from.size;
    for (uint32_t i = 0; i <= moves; i++) {
        uint32_t begin = i > 0 ? to[i - 1] + 1 : 0, end = i < moves ? to[i] : l->from.size;
        for (size_t at = 0; begin < end && at < l->unwritten; at += whole) {
            memset(l->out + at + begin * stride, 0, (end - begin) * stride * sizeof *l->out);
        }
    }
}

/* Both ways give the same bits; chooses the cheaper one from estimates in nanoseconds. */
static void value_label(label *l)
{
    uint32_t moves = og_block_label_moves(l);
    if (moves == 0) {
        return;
    }
    bool side_by_side;
    int32_t inner = og_block_label_innermost(l, &side_by_side);
    double length = inner < 0 ? 1 : l->s->axis[inner].size;
    double along = 5 / length + (side_by_side ? 0.3 : 1.5);
    double across = 5.0 / moves + (l->from.copies != 1 ? 2.5 : l->from.stride[0] != 1 ? 1.2 : 0.8);
    bool over = l->from.copies == 1 && along <= across && side_by_side && l->sweep->outcomes == 2 &&
                l->sweep->left > l->sweep->cost;
    if (over && l->unwritten > 0) { /* no state twice */
        begin_others(l, moves);
    } else {
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
 * the groups one and two deeper at `rank` and `rank_after`. Each outcome has its block and place
 * or, if it is contracted, all of its outcomes two layers below.
 */
typedef struct {
    uint32_t gone, rest;
    uint32_t rank, rank_after;
    og_block_pick pick; /* for a policy */
} contracted_at;

/* An outcome of a class: the begin of its values in the layer below or, if it is contracted, the
 * begin of the values of its outcomes two layers below. */
typedef struct {
    double probability;
    const double *one;
    const og_block_contracted *item; /* NULL: not contracted */
    const double *two[OG_BLOCK_OUTCOMES];
} contracted_outcome;

static void take_contracted(const label *l, const contracted_at *at, contracted_outcome *out)
{
    const og_block_sweep *w = l->sweep;
    const og_block_depth *d = l->from.group->depth;
    uint32_t after_one = og_block_mapped(l->after.one, at->rank_after);
    uint32_t after_two = og_block_mapped(l->after.two, at->rank_after);
    uint32_t next_one = og_block_mapped(l->next.one, at->rank);
    const double *one = l->one +
                        (size_t)og_block_mapped(l->from.one_less, at->rest) * l->from.stride[1] +
                        (size_t)after_one * l->after.stride[1];
    const double *two = l->two;
    if (w->left > 2) {
        two += (size_t)og_block_mapped(l->from.two_less, at->rest) * l->from.stride[2] +
               (size_t)og_block_mapped(l->next.two, at->rank) * l->next.stride[2];
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

/* Some states along the inner axis, beginning at `begin`. */
static inline void contracted_run(const label *l, const contracted_outcome *outcome,
                                  const place *at, double reward, uint32_t begin, uint32_t count,
                                  bool side_by_side, double *sum)
{
    const og_block_sweep *w = l->sweep;
    const uint32_t *inside = side_by_side ? NULL : &l->s->inside[begin];
    const uint32_t *inside_two = side_by_side ? NULL : &l->s->inside_two[begin];
    size_t shift = side_by_side ? begin : 0;
    double mixed[OG_BLOCK_CHUNK];
    og_block_fill_line(sum, reward, count);
    for (int32_t k = 0; k < w->outcomes; k++) {
        double p = outcome[k].probability;
        const og_block_contracted *item = outcome[k].item;
        if (item == NULL) {
            og_block_add_line(sum, p, outcome[k].one + at->one + shift, inside, count);
            continue;
        }
        og_block_fill_line(mixed, item->reward, count);
        for (int32_t j = 0; j < w->outcomes && w->left > 2; j++) {
            og_block_add_line(mixed, item->probability[j], outcome[k].two[j] + at->two + shift,
                              inside_two, count);
        }
        og_block_add_line(sum, p, mixed, NULL, count);
    }
}

OG_VECTOR_CLONES static void value_contracted_at(const label *l, const contracted_at *at,
                                                 uint32_t places, int32_t inner, bool side_by_side,
                                                 double *out)
{
    const og_block_scratch *s = l->s;
    contracted_outcome outcome[OG_BLOCK_OUTCOMES];
    take_contracted(l, at, outcome);
    double reward = l->from.group->depth->reward[at->gone];
    uint32_t length = inner < 0 ? 1 : s->axis[inner].size;
    uint32_t stride = inner < 0 ? 1 : s->axis[inner].here;
    for (uint32_t y = 0; y < places; y++) {
        for (uint32_t begin = 0; begin < length; begin += OG_BLOCK_CHUNK) {
            uint32_t count = length - begin < OG_BLOCK_CHUNK ? length - begin : OG_BLOCK_CHUNK;
            double sum[OG_BLOCK_CHUNK];
            double *to = out + s->place[y].here + (size_t)begin * stride;
            contracted_run(l, outcome, &s->place[y], reward, begin, count, side_by_side, sum);
            if (l->sweep->policy) {
                og_block_play_merge(l, to, stride, sum, count, at->pick);
                continue;
            }
            for (uint32_t x = 0; x < count; x++) {
                improve(&to[(size_t)x * stride], sum[x]);
            }
        }
    }
}

static void value_contracted(const label *l)
{
    const og_block_scratch *s = l->s;
    const og_block_depth *d = l->from.group->depth;
    const og_block_ranks *ranks = l->sweep->ranks;
    bool side_by_side;
    int32_t inner = og_block_label_innermost(l, &side_by_side);
    uint32_t places = og_block_label_places(l, inner);
    uint32_t length = inner < 0 ? 1 : s->axis[inner].size;
    for (uint32_t x = 0; x < length; x++) {
        s->inside[x] =
            inner < 0 ? 0 : og_block_mapped(s->axis[inner].map_one, x) * s->axis[inner].one;
        s->inside_two[x] =
            inner < 0 ? 0 : og_block_mapped(s->axis[inner].map_two, x) * s->axis[inner].two;
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
        contracted = contracted && move.to < l->from.size;
        og_block_pick pick = {0, 0};
        if (contracted && l->sweep->policy) {
            pick = og_block_play_pick(l, i, &move);
            contracted = og_block_play_takes(l, move.to, pick.rank);
        }
        for (uint32_t rank = 0; rank < l->next.size && contracted; rank++) {
            for (uint32_t after = 0; after < l->after.size; after++) {
                contracted_at at = {move.gone, move.rest, rank, after, pick};
                value_contracted_at(l, &at, places, inner, side_by_side,
                                    l->out + (size_t)move.to * l->from.stride[0] +
                                        (size_t)rank * l->next.stride[0] +
                                        (size_t)after * l->after.stride[0]);
            }
        }
    }
}

/* ---- a type ---- */

static void sweep_action(label *l, const og_block_action *action)
{
    og_block_label_begin(l, action);
    if (l->sweep->policy) {
        og_block_play_label(l);
    } else {
        value_label(l);
    }
    for (int32_t lane = 1; lane < l->from.group->lanes; lane++) {
        l->labelled = &l->from.group->depth[lane];
        value_label(l);
    }
    if (action->two != OG_BLOCK_NONE) {
        og_block_label_deeper(l, action);
        begin_block(l);
        value_contracted(l);
    }
}

void og_block_sweep_action(const og_block_sweep *w, uint32_t type, const og_block_action *action,
                           og_block_scratch *scratch, double *out)
{
    label l = og_block_label_of(w, type, scratch, out);
    sweep_action(&l, action);
}

void og_block_sweep_type(const og_block_sweep *w, uint32_t type, og_block_scratch *scratch)
{
    const og_block_types *layer = &w->plan->layer[w->left];
    uint64_t begin = og_block_at(w->plan, w->left, type);
    uint64_t end = type + 1 < og_state_set_count(layer->set)
                       ? og_block_at(w->plan, w->left, type + 1)
                       : layer->states;
    uint64_t first = layer->first[type], last = layer->first[type + 1];
    double *out = w->here_at != NULL ? w->here_at[type] : w->here + (begin - w->from);
    label l = og_block_label_of(w, type, scratch, out);
    if (w->policy) {
        og_block_play_begin(&l, (uint32_t)(end - begin));
        for (uint64_t a = first; a < last; a++) {
            sweep_action(&l, &layer->action[a]);
        }
        og_block_play_end(&l, (uint32_t)(end - begin));
        return;
    }
    l.unwritten = end - begin;
    for (uint64_t a = last; a-- > first;) { /* the longest runs first */
        sweep_action(&l, &layer->action[a]);
    }
    begin_block(&l);
}
