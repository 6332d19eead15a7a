/*
 * Evaluates a policy's block: in a state the policy labels the instances of the largest rank, which
 * is stored for each state first.
 *
 * Invariant: a value is added to a state if and only if the label's class has the state's largest
 * rank. Sums over outcomes are computed as in sweep.c, so values for ties best, worst and first
 * have the bits of the recursion. Sums over ties are computed group by group, each class of a group
 * separately, whereas the recursion joins classes of several groups.
 */
#include "dp/product/blocks/play.h"

#include <math.h>

#include "dp/base/vector.h"

typedef og_block_label label;

/* The largest rank of each multiset of a group, or its ranks for at most one copy or class; NULL:
 * the group is empty. */
static const uint32_t *tops_of(const og_block_group *group, uint32_t copies)
{
    const og_block_depth *d = group->depth;
    bool plain = copies < 2 || d == NULL || d->count < 2;
    return d == NULL || d->count == 0 || copies == 0 ? NULL
           : plain                                   ? d->rank
                                                     : group->maps[copies].top;
}

/* Combines `top`, which holds `states` places, with the ranks of one more axis. */
static void take_tops(uint32_t *top, uint32_t states, const uint32_t *number, uint32_t size)
{
    for (uint32_t j = size; j-- > 0;) {
        uint32_t most = number == NULL ? 0 : number[j];
        for (uint32_t x = 0; x < states; x++) {
            top[(size_t)j * states + x] = top[x] > most ? top[x] : most;
        }
    }
}

void og_block_play_begin(const label *l, uint32_t states)
{
    static const double unset[OG_TIES_COUNT] = {[OG_TIES_RANDOM] = 0,
                                                [OG_TIES_FIRST] = -1,
                                                [OG_TIES_BEST] = -1,
                                                [OG_TIES_WORST] = INFINITY};
    const og_block_scratch *s = l->s;
    uint32_t done = 1;
    s->top[0] = 0;
    for (int32_t i = 0; i < l->count; i++) {
        const og_block_group *group = &l->sweep->group[l->list[i].member];
        take_tops(s->top, done, tops_of(group, l->list[i].copies), s->size[0][i]);
        done *= s->size[0][i];
    }
    for (uint32_t x = 0; x < states; x++) {
        l->out[x] = unset[l->sweep->ties];
        s->weight[x] = 0;
    }
}

/* States that no label reaches get the value 0, so that 0 is never multiplied by infinity. */
void og_block_play_end(const label *l, uint32_t states)
{
    double *out = l->out;
    const double *weight = l->s->weight;
    bool random = l->sweep->ties == OG_TIES_RANDOM;
    for (uint32_t x = 0; x < states; x++) {
        if (random) {
            out[x] = weight[x] > 0 ? out[x] / weight[x] : 0;
        } else {
            out[x] = out[x] >= 0 && isfinite(out[x]) ? out[x] : 0;
        }
    }
}

og_block_pick og_block_play_pick(const label *l, uint32_t k, const og_block_move *move)
{
    const og_block_depth *d = l->from.group->depth;
    uint32_t copies = l->from.copies;
    bool listed = d->count > 1 && copies > 1;
    return (og_block_pick){d->rank[move->gone],
                           listed ? l->sweep->ranks->times[copies][k] : copies};
}

bool og_block_play_takes(const label *l, uint32_t to, uint32_t rank)
{
    return tops_of(l->from.group, l->from.copies)[to] == rank;
}

static inline void merge(const label *l, double *restrict out, uint32_t stride,
                         const double *restrict value, uint32_t count, og_block_pick pick)
{
    size_t begin = (size_t)(out - l->out);
    const uint32_t *restrict top = l->s->top + begin;
    double *restrict weight = l->s->weight + begin;
    double copies = pick.copies;
    switch (l->sweep->ties) {
    case OG_TIES_RANDOM:
        for (size_t x = 0, i = 0; x < count; x++, i += stride) {
            bool hit = top[i] == pick.rank;
            out[i] += hit ? copies * value[x] : 0;
            weight[i] += hit ? copies : 0;
        }
        break;
    case OG_TIES_FIRST:
        for (size_t x = 0, i = 0; x < count; x++, i += stride) {
            out[i] = top[i] == pick.rank && out[i] < 0 ? value[x] : out[i];
        }
        break;
    case OG_TIES_BEST:
        for (size_t x = 0, i = 0; x < count; x++, i += stride) {
            out[i] = top[i] == pick.rank && value[x] > out[i] ? value[x] : out[i];
        }
        break;
    case OG_TIES_WORST:
        for (size_t x = 0, i = 0; x < count; x++, i += stride) {
            out[i] = top[i] == pick.rank && value[x] < out[i] ? value[x] : out[i];
        }
        break;
    }
}

OG_VECTOR_CLONES static void merge_clones(const label *l, double *out, uint32_t stride,
                                          const double *value, uint32_t count, og_block_pick pick)
{
    if (stride == 1) {
        merge(l, out, 1, value, count, pick);
    } else {
        merge(l, out, stride, value, count, pick);
    }
}

/* Separate from `merge`, because the clones of a function with outside callers would be exported
 * from the library. */
void og_block_play_merge(const label *l, double *out, uint32_t stride, const double *value,
                         uint32_t count, og_block_pick pick)
{
    merge_clones(l, out, stride, value, count, pick);
}

/* Keeps those moves in the scratch that the policy makes. Returns their number. */
static uint32_t keep_taken(const label *l, uint32_t moves)
{
    const og_block_scratch *s = l->s;
    const og_block_depth *d = l->from.group->depth;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < moves; i++) {
        if (!og_block_play_takes(l, s->to[i], d->rank[s->number[i]])) {
            continue;
        }
        s->reward[kept] = s->reward[i];
        s->to[kept] = s->to[i];
        s->rest[kept] = s->rest[i];
        s->number[kept] = s->number[i];
        s->times[kept] = s->times[i];
        for (int32_t k = 0; k < l->sweep->outcomes; k++) {
            size_t row = (size_t)k * s->moves_max;
            s->probability[row + kept] = s->probability[row + i];
        }
        kept++;
    }
    return kept;
}

/* The inner axis, and the places of its values in the layer below. */
typedef struct {
    uint32_t length, stride;
    const uint32_t *inside; /* NULL: contiguous */
} inner_axis;

static inner_axis take_inner(const label *l, int32_t inner, bool side_by_side)
{
    const og_block_scratch *s = l->s;
    if (inner < 0) {
        s->inside[0] = 0;
        return (inner_axis){1, 1, s->inside};
    }
    const og_block_line *axis = &s->axis[inner];
    for (uint32_t x = 0; x < axis->size && !side_by_side; x++) {
        s->inside[x] = og_block_mapped(axis->map_one, x) * axis->one;
    }
    return (inner_axis){axis->size, axis->here, side_by_side ? NULL : s->inside};
}

/* A move, at one place of the group one deeper and any place of the others. */
OG_VECTOR_CLONES static void value_along_axis(const label *l, uint32_t move, uint32_t rank,
                                              uint32_t places, const inner_axis *in)
{
    const og_block_scratch *s = l->s;
    int32_t outcomes = l->sweep->left > 1 ? l->sweep->outcomes : 0;
    uint32_t rank_below = og_block_mapped(l->next.one, rank);
    double *to =
        l->out + (size_t)s->to[move] * l->from.stride[0] + (size_t)rank * l->next.stride[0];
    og_block_pick pick = {l->from.group->depth->rank[s->number[move]], s->times[move]};
    const double *below[OG_BLOCK_OUTCOMES];
    for (int32_t k = 0; k < outcomes; k++) {
        below[k] = l->one + og_block_label_place(l, move, k, rank_below);
    }
    for (uint32_t y = 0; y < places; y++) {
        for (uint32_t begin = 0; begin < in->length; begin += OG_BLOCK_CHUNK) {
            uint32_t rest = in->length - begin;
            uint32_t count = rest < OG_BLOCK_CHUNK ? rest : OG_BLOCK_CHUNK;
            double sum[OG_BLOCK_CHUNK];
            og_block_fill_line(sum, s->reward[move], count);
            for (int32_t k = 0; k < outcomes; k++) {
                og_block_add_line(sum, s->probability[(size_t)k * s->moves_max + move],
                                  below[k] + s->place[y].one + (in->inside == NULL ? begin : 0),
                                  in->inside == NULL ? NULL : in->inside + begin, count);
            }
            double *out = to + s->place[y].here + (size_t)begin * in->stride;
            if (in->stride == 1) {
                merge(l, out, 1, sum, count, pick);
            } else {
                merge(l, out, in->stride, sum, count, pick);
            }
        }
    }
}

void og_block_play_label(const label *l)
{
    const og_block_scratch *s = l->s;
    uint32_t moves = keep_taken(l, og_block_label_moves(l));
    if (moves == 0) {
        return;
    }
    bool side_by_side;
    int32_t inner = og_block_label_innermost(l, &side_by_side);
    inner_axis in = take_inner(l, inner, side_by_side);
    uint32_t places = og_block_label_places(l, inner);
    const uint32_t *tops = l->next.copies > 0 ? tops_of(l->next.group, l->next.copies) : NULL;
    for (uint32_t i = 0; i < moves; i++) {
        uint32_t own = l->from.group->depth->rank[s->number[i]];
        for (uint32_t rank = 0; rank < l->next.size; rank++) {
            if (tops == NULL || tops[rank] <= own) {
                value_along_axis(l, i, rank, places, &in);
            }
        }
    }
}
