/*
 * Locates the values of a label: strides of the axes here and in the layers below, and the rest of
 * a block without the labelled group and the groups one and two deeper.
 *
 * Invariant: og_block_label_begin is called first, and og_block_label_deeper before anything two
 * layers below is read.
 */
#include "dp/product/blocks/label.h"

typedef og_block_line axis;
typedef og_block_place place;
typedef og_block_changed changed;
typedef og_block_label label;

static og_block_maps maps_of(const og_block_sweep *w, const og_block_group *group, uint32_t copies)
{
    bool none = copies == 0 || copies > (uint32_t)w->plan->copies_max;
    return none ? (og_block_maps){NULL, NULL, NULL} : group->maps[copies];
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

/* Strides in the layer `below`, with so many more instances in the three groups. */
static void take_strides(label *l, int32_t below, int32_t from, int32_t next, int32_t after)
{
    const og_block_ranks *ranks = l->sweep->ranks;
    const uint32_t *size = l->s->size[below];
    uint32_t *number = l->s->stride[below];
    changed *three[3] = {&l->from, &l->next, &l->after};
    const int32_t change[3] = {from, next, after};
    uint32_t stride = 1;
    int32_t i = 0;
    for (; i < l->from.index; i++) {
        number[i] = stride;
        stride *= size[i];
    }
    for (int32_t k = 0; k < 3; k++) {
        changed *c = three[k];
        uint32_t copies = (uint32_t)((int32_t)c->copies + change[k]);
        c->stride[below] = stride;
        if (c->index >= 0) {
            number[c->index] = stride;
            i++;
        }
        stride *= og_block_axis(ranks, c->group->classes[below], copies);
    }
    for (; i < l->count; i++) {
        number[i] = stride;
        stride *= size[i];
    }
}

/* The same if the groups are not neighbours: none is contracted. */
static void take_strides_apart(label *l, int32_t below, int32_t from, int32_t next)
{
    const og_block_ranks *ranks = l->sweep->ranks;
    uint32_t *number = l->s->stride[below], stride = 1;
    uint32_t to = l->list[l->from.index].member + (uint32_t)l->sweep->cost;
    bool put = false;
    for (int32_t i = 0; i <= l->count; i++) {
        if (!put && (i == l->count || l->list[i].member >= to)) {
            put = true;
            l->next.stride[below] = stride;
            stride *= og_block_axis(ranks, l->next.group->classes[below],
                                    (uint32_t)((int32_t)l->next.copies + next));
        }
        if (i == l->count) {
            break;
        }
        if (i == l->next.index) {
            number[i] = l->next.stride[below];
            continue;
        }
        number[i] = stride;
        if (i == l->from.index) {
            l->from.stride[below] = stride;
            stride *= og_block_axis(ranks, l->from.group->classes[below],
                                    (uint32_t)((int32_t)l->from.copies + from));
        } else {
            stride *= l->s->size[below][i];
        }
    }
}

/* Adds an axis, or joins it to the last if both are one run. */
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

/* The axes that do not change; `upto`: number of the three groups that do. */
static void take_axes(label *l, uint32_t upto)
{
    const og_block_sweep *w = l->sweep;
    const og_block_scratch *s = l->s;
    bool one = w->left > w->cost, two = upto > 2 && w->left > 2;
    l->axes = 0;
    for (int32_t i = 0; i < l->count; i++) {
        uint32_t member = l->list[i].member;
        bool changes =
            i == l->from.index || i == l->next.index || (upto > 2 && i == l->after.index);
        if (changes || s->size[0][i] == 1) {
            continue;
        }
        og_block_maps maps = maps_of(w, &w->group[member], l->list[i].copies);
        uint32_t here = s->stride[0][i]; /* a layer that is not read takes this stride too, so that
                                          * axes join */
        axis a = {.size = s->size[0][i],
                  .here = here,
                  .one = one ? s->stride[1][i] : here,
                  .two = two ? s->stride[2][i] : here,
                  .map_one = one ? maps.one : NULL,
                  .map_two = two ? maps.two : NULL};
        add_axis(l, &a);
    }
}

uint32_t og_block_label_places(const label *l, int32_t without)
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
            uint32_t one = og_block_mapped(a->map_one, j) * a->one;
            uint32_t two = og_block_mapped(a->map_two, j) * a->two;
            place *to = &list[(size_t)j * count];
            for (uint32_t x = 0; x < count; x++) {
                to[x] = (place){list[x].here + here, list[x].one + one, list[x].two + two};
            }
        }
        if (og_block_mapped(a->map_one, 0) != 0 || og_block_mapped(a->map_two, 0) != 0) {
            uint32_t one = og_block_mapped(a->map_one, 0) * a->one;
            uint32_t two = og_block_mapped(a->map_two, 0) * a->two;
            for (uint32_t x = 0; x < count; x++) {
                list[x].one += one;
                list[x].two += two;
            }
        }
        count *= a->size;
    }
    return count;
}

uint32_t og_block_label_moves(const label *l)
{
    og_block_scratch *s = l->s;
    const og_block_depth *d = l->labelled;
    const og_block_ranks *ranks = l->sweep->ranks;
    uint32_t copies = l->from.copies;
    bool listed = d->count > 1 && copies > 1;
    bool read = l->sweep->left > l->sweep->cost;
    uint32_t all = listed ? ranks->move_count[copies] : (uint32_t)d->live;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; i++) {
        og_block_move move = listed ? ranks->move[copies][i] : (og_block_move){i, i, 0};
        if (move.to >= l->from.size) {
            break; /* the table covers more classes */
        }
        bool contracted = false;
        for (int32_t k = 0; k < l->sweep->outcomes && d->contracts; k++) {
            contracted = contracted || d->next[(size_t)k * (size_t)d->count + move.gone] < 0;
        }
        if (move.gone >= (uint32_t)d->live || d->reward[move.gone] < 0 || contracted) {
            continue;
        }
        s->to[count] = move.to;
        s->number[count] = move.gone;
        s->reward[count] = d->reward[move.gone];
        s->rest[count] = read ? og_block_mapped(l->from.one_less, move.rest) : 0;
        if (s->times != NULL) {
            s->times[count] = listed ? ranks->times[copies][i] : copies;
        }
        for (int32_t k = 0; k < l->sweep->outcomes; k++) {
            s->probability[(size_t)k * s->moves_max + count] =
                d->probability[(size_t)k * (size_t)d->count + move.gone];
        }
        count++;
    }
    return count;
}

int32_t og_block_label_innermost(const label *l, bool *side_by_side)
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

/* ---- a type ---- */

uint64_t og_block_at(const og_block_plan *plan, int32_t left, uint32_t type)
{
    return *(const uint64_t *)og_state_set_payload(plan->layer[left].set, type);
}

/* Sizes of the type's axes, with their own copies, in all layers from which it reads. */
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

og_block_label og_block_label_of(const og_block_sweep *w, uint32_t type, og_block_scratch *s,
                                 double *out)
{
    label l = {.sweep = w, .s = s, .out = out};
    l.list = og_state_set_at(w->plan->layer[w->left].set, type, &l.count);
    take_sizes(&l);
    return l;
}

/* Finds where the blocks of the layer of the cost begin. */
static void take_below(label *l, const og_block_action *action)
{
    const og_block_sweep *w = l->sweep;
    l->one = w->one_at != NULL ? w->one_at[action->one]
                               : w->one + og_block_at(w->plan, w->left - w->cost, action->one);
}

/* Begins a label that makes its instance several levels deeper. */
static void begin_apart(label *l, const og_block_action *action)
{
    uint32_t to = l->list[l->from.index].member + (uint32_t)l->sweep->cost;
    int32_t next = l->from.index + 1;
    while (next < l->count && l->list[next].member < to) {
        next++;
    }
    l->next = changed_of(l, next, to);
    l->after = (changed){.index = -1, .size = 1};
    take_strides_apart(l, 0, 0, 0);
    l->one = l->out; /* nothing is read with the last label */
    if (l->sweep->left > l->sweep->cost) {
        take_strides_apart(l, 1, -1, 1);
        take_below(l, action);
    }
    take_axes(l, 2);
}

void og_block_label_begin(label *l, const og_block_action *action)
{
    if (l->place != action->place) {
        l->place = action->place;
        l->sweep = &l->sweep->of_cost[action->place];
        take_sizes(l);
    }
    const og_block_sweep *w = l->sweep;
    int32_t from = (int32_t)action->group;
    uint32_t member = l->list[from].member;
    l->from = changed_of(l, from, member);
    l->labelled = l->from.group->depth;
    if (w->cost > 1) {
        begin_apart(l, action);
        return;
    }
    l->next = changed_of(l, from + 1, member + 1);
    l->after = changed_of(l, from + 1 + (l->next.index >= 0), member + 2);
    take_strides(l, 0, 0, 0, 0);
    l->one = l->out; /* nothing is read with the last label */
    if (w->left > 1) {
        take_strides(l, 1, -1, 1, 0);
        take_below(l, action);
    }
    take_axes(l, 2);
}

void og_block_label_deeper(label *l, const og_block_action *action)
{
    const og_block_sweep *w = l->sweep;
    if (w->left > 2) {
        take_strides(l, 2, -1, 0, 1);
        l->two = w->two_at != NULL ? w->two_at[action->two]
                                   : w->two + og_block_at(w->plan, w->left - 2, action->two);
    }
    take_axes(l, 3);
}
