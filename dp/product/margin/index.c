/* The places of a layer: their number, and the tables that find them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/product/margin/made.h"

/* ---- bounds ---- */

static int32_t cap_of(const og_margin *g, const og_margin_node *x, int32_t left)
{
    bool there = x->level <= g->arms->budget - left;
    return there && left > x->margin ? left - x->margin : 0;
}

/* A layer's bounds; caps [classes] are the caller's. */
static void bound(const og_margin *g, int32_t left, bool front, int32_t *cap, og_margin_layer *out)
{
    out->left = left;
    out->front = front;
    out->most = left > 0 && left < g->most[front] ? g->most[front] - left : 0;
    out->slack = left > 0 ? g->slack[front] : 0;
    out->bulk_cap = g->has_axis ? cap_of(g, &g->nodes.node[g->bulk], left) : 0;
    out->short_most = out->slack < out->bulk_cap ? out->slack : out->bulk_cap;
    out->cap = cap;
    for (int32_t c = 0; c < g->classes.count; c++) {
        bool fits = g->classes.weight[c] <= out->most;
        cap[c] = fits ? cap_of(g, &g->nodes.node[g->classes.node[c]], left) : 0;
    }
}

/* ---- counts ---- */

/* Multiplies a polynomial in t, of degree `most`, by 1 + t^w + ... + t^(w cap), up to that degree.
 */
static void times_copies(double *sum, int32_t most, int32_t weight, int32_t cap)
{
    for (int32_t i = weight; i <= most; i++) {
        sum[i] += sum[i - weight];
    }
    for (int64_t i = most, beyond = (int64_t)weight * (cap + 1); i >= beyond; i--) {
        sum[i] -= sum[i - beyond];
    }
}

/* The same for polynomials in two variables, [excess][weight]. */
static void times_copies_two(double *sum, int32_t few, int32_t most, int32_t weight, int32_t cap)
{
    int32_t excess = og_margin_excess(weight), stride = most + 1;
    int64_t beyond = cap + 1;
    for (int32_t v = excess; v <= few; v++) {
        for (int32_t i = weight; i <= most; i++) {
            sum[v * stride + i] += sum[(v - excess) * stride + i - weight];
        }
    }
    for (int64_t v = few; v >= excess * beyond; v--) {
        for (int64_t i = most; i >= weight * beyond; i--) {
            sum[v * stride + i] -= sum[(v - excess * beyond) * stride + i - weight * beyond];
        }
    }
}

static double total_of(const double *sum, int32_t count)
{
    double all = 0;
    for (int32_t i = 0; i < count; i++) {
        all += sum[i];
    }
    return all;
}

/* Multisets of the classes first .. end - 1; one [most + 1]. */
static double count_classes(const og_margin *g, const og_margin_layer *l, int32_t first,
                            int32_t end, double *one)
{
    memset(one, 0, ((size_t)l->most + 1) * sizeof *one);
    one[0] = 1;
    for (int32_t c = first; c < end; c++) {
        times_copies(one, l->most, g->classes.weight[c], l->cap[c]);
    }
    return total_of(one, l->most + 1);
}

/* Places of all f > 0; two [slack + 1][most + 1] is 0. */
static double count_short(const og_margin *g, const og_margin_layer *l, double *two)
{
    int32_t few = l->slack - 1; /* largest excess at f = 1 */
    double all = 0;
    two[0] = 1;
    for (int32_t c = 0; c < g->classes.count; c++) {
        if (og_margin_excess(g->classes.weight[c]) <= few) {
            times_copies_two(two, few, l->most, g->classes.weight[c], l->cap[c]);
        }
    }
    for (int32_t f = 1; f <= l->short_most; f++) {
        all += total_of(two, (l->slack - f + 1) * (l->most + 1));
    }
    return all;
}

double og_margin_count_classes(const og_margin *g, int32_t left, bool front, int32_t first,
                               int32_t end)
{
    og_arena arena = {0};
    og_margin_layer l = {0};
    int32_t *cap = og_arena_array(&arena, (size_t)g->classes.count + 1, sizeof *cap);
    double all = INFINITY;
    if (cap != NULL) {
        bound(g, left, front, cap, &l);
        double *one = og_arena_array(&arena, (size_t)l.most + 1, sizeof *one);
        all = one != NULL ? count_classes(g, &l, first, end, one) : INFINITY;
    }
    og_arena_clear(&arena);
    return all;
}

double og_margin_count(const og_margin *g, int32_t left, bool front)
{
    og_arena arena = {0};
    og_margin_layer l = {0};
    int32_t *cap = og_arena_array(&arena, (size_t)g->classes.count + 1, sizeof *cap);
    double all = og_margin_count_classes(g, left, front, 0, g->classes.count);
    if (cap != NULL) {
        bound(g, left, front, cap, &l);
    }
    if (l.short_most > 0) {
        size_t places = ((size_t)l.most + 1) * ((size_t)l.slack + 1);
        double *two = og_arena_array(&arena, places, sizeof *two);
        all += two != NULL ? count_short(g, &l, two) : INFINITY;
    }
    og_arena_clear(&arena);
    return all;
}

/* ---- ranks ---- */

static bool ranks_init(og_margin_ranks *out, const int32_t *weight, const int32_t *cap,
                       int32_t count, int32_t most, og_arena *arena)
{
    *out = (og_margin_ranks){.count = count, .most = most, .weight = weight, .cap = cap};
    out->before = og_arena_array(arena, (size_t)count + 1, sizeof *out->before);
    out->stride = og_arena_array(arena, (size_t)count + 1, sizeof *out->stride);
    out->last = og_arena_array(arena, (size_t)most + 1, sizeof *out->last);
    uint32_t *after = og_arena_array(arena, (size_t)most + 1, sizeof *after);
    uint32_t *here = og_arena_array(arena, (size_t)most + 1, sizeof *here);
    if (og_arena_status(arena) != OG_OK) {
        return false;
    }
    for (int32_t room = 0; room <= most; room++) {
        after[room] = 1;
        out->last[room] = -1;
        for (int32_t c = 0; c < count; c++) {
            out->last[room] = cap[c] > 0 && weight[c] <= room ? c : out->last[room];
        }
    }
    for (int32_t c = count - 1; c >= 0; c--) {
        if (cap[c] == 0) {
            continue;
        }
        out->stride[c] = most / weight[c] + 1;
        uint32_t *before =
            og_arena_array(arena, ((size_t)most + 1) * (size_t)out->stride[c], sizeof *before);
        if (before == NULL) {
            return false;
        }
        out->before[c] = before;
        for (int32_t room = 0; room <= most; room++) {
            uint32_t sum = 0;
            for (int32_t n = 0; n <= cap[c] && n * weight[c] <= room; n++) {
                before[room * out->stride[c] + n] = sum;
                sum += after[room - n * weight[c]];
            }
            here[room] = sum;
        }
        memcpy(after, here, ((size_t)most + 1) * sizeof *after);
    }
    out->all = after[most];
    return true;
}

/* ---- multisets in order ---- */

/* Calls `found` with each multiset, in the order of ranks. */
typedef struct {
    const og_margin_ranks *ranks;
    void (*found)(void *context, const og_margin_part *part, int32_t count, int32_t room);
    void *context;
    og_margin_part *part; /* [most + 1] */
} visit;

static void visit_from(const visit *v, int32_t first, int32_t count, int32_t room)
{
    const og_margin_ranks *ranks = v->ranks;
    v->found(v->context, v->part, count, room);
    for (int32_t c = ranks->last[room]; c >= first; c--) {
        for (int32_t n = 1; n <= ranks->cap[c] && n * ranks->weight[c] <= room; n++) {
            v->part[count] = (og_margin_part){(uint16_t)c, (uint16_t)n};
            visit_from(v, c + 1, count + 1, room - n * ranks->weight[c]);
        }
    }
}

/* ---- the suffix ---- */

typedef struct {
    og_margin_layer *layer;
    uint16_t *weight, *copies; /* by rank: [all], [all][suffix] */
    uint32_t next;
} listing;

static void list_suffix(void *context, const og_margin_part *part, int32_t count, int32_t room)
{
    listing *s = context;
    const og_margin_ranks *ranks = &s->layer->suffix;
    s->weight[s->next] = (uint16_t)(ranks->most - room);
    for (int32_t i = 0; i < count; i++) {
        s->copies[(size_t)s->next * (size_t)ranks->count + part[i].class] = part[i].copies;
    }
    s->next++;
}

/* Sorts multisets by weight; equal ones stay in the order of ranks. */
static void sort_suffix(const listing *s, og_margin_layer *l)
{
    size_t width = (size_t)l->suffix.count;
    for (uint32_t i = 0; i < l->q_count; i++) {
        l->up_to[s->weight[i]]++;
    }
    for (int32_t room = 1; room <= l->most; room++) {
        l->up_to[room] += l->up_to[room - 1];
    }
    for (uint32_t i = l->q_count; i-- > 0;) {
        l->by_rank[i] = --l->up_to[s->weight[i]];
    }
    for (uint32_t i = 0; i < l->q_count; i++) {
        uint32_t q = l->by_rank[i];
        const uint16_t *copies = &s->copies[i * width];
        memcpy(&l->copies[q * width], copies, width * sizeof *copies);
        for (size_t c = 0; c < width; c++) {
            l->q_excess[q] += copies[c] * og_margin_excess(l->suffix.weight[c]);
        }
        l->up_to[s->weight[i]]++;
    }
}

/* The lists of little excess. */
static bool make_lists(og_margin_layer *l, const listing *s)
{
    size_t stride = (size_t)l->most + 1;
    uint16_t *weight = og_arena_array(&l->arena, (size_t)l->q_count + 1, sizeof *weight);
    if (weight == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < l->q_count; i++) {
        weight[l->by_rank[i]] = s->weight[i];
    }
    for (uint32_t list = 1; list < l->lists; list++) {
        uint32_t *member = og_arena_array(&l->arena, l->q_count, sizeof *member);
        int32_t *place = og_arena_array(&l->arena, l->q_count, sizeof *place);
        if (og_arena_status(&l->arena) != OG_OK) {
            return false;
        }
        uint32_t *up_to = &l->up_to[list * stride], count = 0;
        for (uint32_t q = 0; q < l->q_count; q++) {
            bool in = l->q_excess[q] <= (int32_t)list - 1;
            place[q] = in ? (int32_t)count : -1;
            if (in) {
                member[count++] = q;
                up_to[weight[q]] = count;
            }
        }
        for (size_t room = 1; room < stride; room++) {
            up_to[room] = up_to[room] > 0 ? up_to[room] : up_to[room - 1];
        }
        l->member[list] = member;
        l->place[list] = place;
    }
    return true;
}

static bool make_suffix(const og_margin *g, og_margin_layer *l)
{
    og_arena *arena = &l->arena, own = {0};
    int32_t width = g->classes.suffix;
    if (!ranks_init(&l->suffix, g->classes.weight, l->cap, width, l->most, arena)) {
        return false;
    }
    uint32_t all = l->suffix.all;
    l->q_count = all;
    l->lists = l->short_most > 0 ? 1 + (uint32_t)l->slack : 1;
    l->copies = og_arena_array(arena, (size_t)all * (size_t)width + 1, sizeof *l->copies);
    l->q_excess = og_arena_array(arena, all, sizeof *l->q_excess);
    l->by_rank = og_arena_array(arena, all, sizeof *l->by_rank);
    l->member = og_arena_array(arena, l->lists, sizeof *l->member);
    l->place = og_arena_array(arena, l->lists, sizeof *l->place);
    l->up_to = og_arena_array(arena, l->lists * ((size_t)l->most + 1), sizeof *l->up_to);
    listing s = {l, og_arena_array(&own, all, sizeof *s.weight),
                 og_arena_array(&own, (size_t)all * (size_t)width + 1, sizeof *s.copies), 0};
    og_margin_part *part = og_arena_array(&own, (size_t)l->most + 2, sizeof *part);
    bool made = og_arena_status(arena) == OG_OK && og_arena_status(&own) == OG_OK;
    if (made) {
        visit_from(&(visit){&l->suffix, list_suffix, &s, part}, 0, 0, l->most);
        sort_suffix(&s, l);
        made = make_lists(l, &s);
    }
    og_arena_clear(&own);
    return made;
}

/* ---- rows ---- */

typedef struct {
    og_margin_layer *layer;
    const int32_t *weight;
    uint32_t row, part_count, part_most;
    bool failed;
} rows;

static void count_row(void *context, const og_margin_part *part, int32_t count, int32_t room)
{
    (void)part;
    (void)room;
    rows *made = context;
    made->row++;
    made->part_count += (uint32_t)count;
}

static void list_row(void *context, const og_margin_part *part, int32_t count, int32_t room)
{
    rows *made = context;
    og_margin_layer *l = made->layer;
    int32_t excess = 0;
    for (int32_t i = 0; i < count; i++) {
        excess += part[i].copies * og_margin_excess(made->weight[part[i].class]);
    }
    memcpy(&l->part[made->part_count], part, (size_t)count * sizeof *part);
    l->part_first[made->row] = made->part_count;
    l->row_weight[made->row] = (uint16_t)(l->most - room);
    l->row_excess[made->row] = (uint16_t)excess;
    made->part_count += (uint32_t)count;
    made->row++;
    l->part_first[made->row] = made->part_count;
}

static void place_rows(og_margin_layer *l)
{
    uint64_t next = 0;
    size_t stride = (size_t)l->most + 1;
    for (uint32_t row = 0; row < l->rows; row++) {
        l->first[row] = next;
        next += l->up_to[l->most - l->row_weight[row]];
    }
    for (int32_t f = 1; f <= l->short_most; f++) {
        for (uint32_t row = 0; row < l->rows; row++) {
            int32_t list = 1 + l->slack - f - l->row_excess[row];
            if (list >= 1) {
                l->first_short[(size_t)(f - 1) * l->few_count + l->few[row]] = next;
                next += l->up_to[(size_t)list * stride + (size_t)(l->most - l->row_weight[row])];
            }
        }
    }
    l->places = next;
}

static bool make_few(og_margin_layer *l)
{
    l->few = og_arena_array(&l->arena, l->rows, sizeof *l->few);
    for (uint32_t row = 0; l->few != NULL && row < l->rows; row++) {
        l->few[row] = l->row_excess[row] < l->slack ? l->few_count++ : UINT32_MAX;
    }
    l->first_short = og_arena_array(&l->arena, (size_t)l->few_count * (size_t)l->short_most + 1,
                                    sizeof *l->first_short);
    return l->first_short != NULL;
}

static bool make_rows(const og_margin *g, og_margin_layer *l)
{
    int32_t suffix = g->classes.suffix, width = g->classes.count - suffix;
    const int32_t *weight = g->classes.weight + suffix;
    if (!ranks_init(&l->prefix, weight, l->cap + suffix, width, l->most, &l->arena)) {
        return false;
    }
    og_margin_part *part = og_arena_array(&l->arena, (size_t)l->most + 2, sizeof *part);
    if (part == NULL) {
        return false;
    }
    rows made = {.layer = l, .weight = weight};
    visit_from(&(visit){&l->prefix, count_row, &made, part}, 0, 0, l->most);
    l->rows = made.row;
    l->part = og_arena_array(&l->arena, (size_t)made.part_count + 1, sizeof *l->part);
    l->part_first = og_arena_array(&l->arena, (size_t)l->rows + 1, sizeof *l->part_first);
    l->row_weight = og_arena_array(&l->arena, l->rows, sizeof *l->row_weight);
    l->row_excess = og_arena_array(&l->arena, l->rows, sizeof *l->row_excess);
    l->first = og_arena_array(&l->arena, l->rows, sizeof *l->first);
    if (og_arena_status(&l->arena) != OG_OK) {
        return false;
    }
    made.row = made.part_count = 0;
    visit_from(&(visit){&l->prefix, list_row, &made, part}, 0, 0, l->most);
    if (l->short_most > 0 && !make_few(l)) {
        return false;
    }
    place_rows(l);
    return true;
}

og_status og_margin_layer_init(const og_margin *g, int32_t left, bool front, og_margin_layer *out)
{
    og_margin_layer l = {0};
    int32_t *cap = og_arena_array(&l.arena, (size_t)g->classes.count + 1, sizeof *cap);
    bool made = cap != NULL;
    if (made) {
        bound(g, left, front, cap, &l);
        made = make_suffix(g, &l) && make_rows(g, &l);
    }
    return OG_MADE_IN(made ? OG_OK : OG_NO_MEMORY, l, og_margin_layer_clear, out);
}

void og_margin_layer_clear(og_margin_layer *layer)
{
    og_arena_clear(&layer->arena);
    *layer = (og_margin_layer){0};
}
