/*
 * Plans the layers of a margin cut, and computes them from r = 0 up.
 *
 * Layers come in two kinds, with and without the instance in front of the bulk. A layer reads that
 * of its kind below; one with the front instance also reads those without it one and two labels
 * below. So four buffers hold all values: two of each kind, for even and odd r.
 */
#include "dp/product/margin/margin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/stop.h"
#include "dp/product/margin/made.h"

/* ---- the form of the starts ---- */

static const og_margin_node *node_of(const og_margin *g, int32_t node)
{
    return &g->nodes.node[node];
}

static bool is_near(const og_margin *g, const og_margin_node *x)
{
    return x->margin <= g->m;
}

/* The entry's list if it is a start. */
static const og_copies *start_at(const og_state_set *steps, uint32_t entry, int32_t *count,
                                 int32_t *left)
{
    const og_margin_step *step = og_state_set_payload(steps, entry);
    *left = step->left;
    return step->start < 0 ? NULL : og_state_set_at(steps, entry, count);
}

/* The bulk: the node of most instances at a start, of several the one of the least total. */
static void find_bulk(og_margin *g)
{
    uint32_t most = 0;
    g->bulk = -1;
    for (uint32_t entry = 0; entry < og_state_set_count(g->steps); entry++) {
        int32_t count = 0, left;
        const og_copies *list = start_at(g->steps, entry, &count, &left);
        for (int32_t i = 0; list != NULL && i < count; i++) {
            const og_margin_node *x = node_of(g, (int32_t)list[i].member);
            bool less = g->bulk >= 0 && x->total < node_of(g, g->bulk)->total;
            if (list[i].copies > most || (list[i].copies == most && less)) {
                most = list[i].copies;
                g->bulk = (int32_t)list[i].member;
            }
        }
    }
}

/* Whether a node can wait in front of the bulk: toward it is (k, k), which no other instance can
 * delay, and away it is the bulk or gone. */
static bool can_wait_in_front(const og_margin *g, int32_t node)
{
    const og_margin_node *x = node_of(g, node);
    if (x->margin != 1 || x->total >= g->total || x->after[OG_TOWARD] < 0) {
        return false;
    }
    const og_margin_node *diagonal = node_of(g, x->after[OG_TOWARD]);
    int32_t away = x->after[OG_AWAY];
    bool can = diagonal->total <= g->total && diagonal->level < INT32_MAX &&
               (away == g->bulk || (away >= 0 && !is_near(g, node_of(g, away))));
    size_t all = (size_t)g->nodes.kinds * (size_t)g->nodes.totals * (size_t)g->nodes.margins;
    for (size_t i = 0; can && i < all; i++) {
        const og_margin_node *y = &g->nodes.node[i];
        bool beside = y->level < INT32_MAX && (y->margin == g->m + 1 || (int32_t)i == g->bulk ||
                                               (is_near(g, y) && y->total > g->total));
        can = !beside || og_margin_is_beyond(y, diagonal);
    }
    return can;
}

/* What a start asks of the layers. */
typedef struct {
    bool front;
    int64_t most, slack; /* n0, s */
} form;

/* False: it does not fit. The instance in front is g->front, if that is known. */
static bool form_of(const og_margin *g, const og_copies *list, int32_t count, int32_t left,
                    form *out, int32_t *front)
{
    int64_t weight = 0, excess = 0, bulk = 0;
    *front = -1;
    for (int32_t i = 0; i < count; i++) {
        int32_t node = (int32_t)list[i].member;
        const og_margin_node *x = node_of(g, node);
        if (x->margin > g->m + 1) {
            return false;
        }
        if (node == g->bulk) {
            bulk = list[i].copies;
        } else if (x->total > g->total || !is_near(g, x)) {
            int32_t own = og_margin_weight(g, x);
            weight += (int64_t)own * list[i].copies;
            excess += (int64_t)og_margin_excess(own) * list[i].copies;
        } else if (*front >= 0 || list[i].copies > 1 || (g->front >= 0 && node != g->front) ||
                   !can_wait_in_front(g, node)) {
            return false;
        } else {
            *front = node;
        }
    }
    int64_t missing = g->has_axis ? left - node_of(g, g->bulk)->margin - bulk : 0;
    *out = (form){*front >= 0, weight + left, missing > 0 ? missing + excess : 0};
    return out->most <= INT16_MAX && out->slack <= INT16_MAX;
}

/* Takes a start into account; false: it does not fit. */
static bool fit_start(og_margin *g, const og_copies *list, int32_t count, int32_t left)
{
    form own;
    int32_t front;
    if (!form_of(g, list, count, left, &own, &front)) {
        return false;
    }
    g->front = own.front ? front : g->front;
    g->most[own.front] = own.most > g->most[own.front] ? (int32_t)own.most : g->most[own.front];
    g->slack[own.front] =
        own.slack > g->slack[own.front] ? (int32_t)own.slack : g->slack[own.front];
    g->left_most[own.front] = left > g->left_most[own.front] ? left : g->left_most[own.front];
    return true;
}

static bool fit_starts(og_margin *g)
{
    bool fits = g->bulk >= 0;
    g->front = -1;
    for (int k = 0; k < 2; k++) {
        g->most[k] = g->left_most[k] = -1;
        g->slack[k] = 0;
    }
    if (fits) {
        g->total = node_of(g, g->bulk)->total;
        g->has_axis = is_near(g, node_of(g, g->bulk));
    }
    for (uint32_t entry = 0; fits && entry < og_state_set_count(g->steps); entry++) {
        int32_t count = 0, left;
        const og_copies *list = start_at(g->steps, entry, &count, &left);
        fits = list == NULL || fit_start(g, list, count, left);
    }
    if (fits && g->front >= 0) { /* states that it leaves: one label, or two and a weight of 1 */
        g->most[0] = g->most[1] - 1 > g->most[0] ? g->most[1] - 1 : g->most[0];
        int32_t slack = g->slack[1] - (node_of(g, g->front)->after[OG_AWAY] == g->bulk ? 2 : 1);
        g->slack[0] = slack > g->slack[0] ? slack : g->slack[0];
        g->left_most[0] =
            g->left_most[1] - 1 > g->left_most[0] ? g->left_most[1] - 1 : g->left_most[0];
    }
    return fits;
}

/* ---- classes ---- */

static int compare_nodes(const void *x, const void *y)
{
    const og_margin_node *const *a = x, *const *b = y;
    int32_t total = (*a)->total - (*b)->total, kind = (*a)->kind - (*b)->kind;
    return total != 0 ? total : kind != 0 ? kind : (*a)->margin - (*b)->margin;
}

/* The (k, k) whose label is forced wherever it is, in layers without or with the front; NULL: none.
 */
static const og_margin_node *forced_diagonal(const og_margin *g, og_margin_node *const *near,
                                             int32_t count, bool front)
{
    const og_margin_node *least = NULL;
    for (int32_t c = 0; c < count && least == NULL; c++) {
        least = near[c]->margin == 0 ? near[c] : NULL;
    }
    bool forced = least != NULL &&
                  (!g->has_axis || og_margin_is_beyond(node_of(g, g->bulk), least)) &&
                  (!front || og_margin_is_beyond(node_of(g, g->front), least));
    for (int32_t c = 0; forced && c < count; c++) {
        forced = og_margin_is_beyond(near[c], least);
    }
    for (int32_t i = 0; forced && i < g->supplies; i++) {
        forced = og_margin_is_beyond(node_of(g, g->supply[i]), least);
    }
    return forced ? least : NULL;
}

static void number_class(og_margin *g, og_margin_node *x)
{
    int32_t c = g->classes.count++;
    x->class = c;
    g->classes.node[c] = (int32_t)(x - g->nodes.node);
    g->classes.weight[c] = og_margin_weight(g, x);
}

static og_status ask(const og_margin *g)
{
    return og_stop_asked(og_stop_of(&g->settings)) ? OG_STOPPED : OG_OK;
}

/* Counts the layers up to `most` without the front. *out: the most multisets of a suffix, a list
 * that fits into the cache, and takes less than the places. */
static og_status list_most(og_margin *g, int32_t most, double *out)
{
    double largest = 0;
    for (int32_t left = 0; left <= most; left++) {
        OG_TRY(ask(g));
        g->places[left] = og_margin_count(g, left, false);
        largest = left > 0 ? fmax(largest, g->places[left]) : 0;
    }
    *out = fmin(fmax(largest / 128, 64), 16384);
    return OG_OK;
}

/* Whether the lists of the suffix are longer than that in some layer. */
static og_status is_long(const og_margin *g, int32_t most, double lists_most, bool *out)
{
    *out = false;
    for (int32_t left = 1; left <= most && !*out; left++) {
        OG_TRY(ask(g));
        *out = og_margin_count_classes(g, left, false, 0, g->classes.suffix) > lists_most;
    }
    return OG_OK;
}

/*
 * The suffix: the lightest classes, as long as their lists are short, without the one that is
 * forced, so that a row has it in all of its places or in none.
 */
static og_status number_classes(og_margin *g, og_margin_node **near, int32_t count, int32_t most)
{
    const og_margin_node *forced[2] = {forced_diagonal(g, near, count, false),
                                       g->front >= 0 ? forced_diagonal(g, near, count, true)
                                                     : NULL};
    double lists_most;
    for (int32_t c = 0; c < count; c++) {
        number_class(g, near[c]);
    }
    OG_TRY(list_most(g, most, &lists_most));
    g->classes.count = 0;
    for (int32_t c = 0; c < count; c++) {
        near[c]->class = OG_MARGIN_NO_CLASS;
    }
    bool enough = false;
    for (int32_t c = 0; c < count && !enough; c++) {
        if (near[c] == forced[0] || near[c] == forced[1]) {
            continue;
        }
        number_class(g, near[c]);
        g->classes.suffix = g->classes.count;
        OG_TRY(is_long(g, most, lists_most, &enough));
        if (enough) {
            near[c]->class = OG_MARGIN_NO_CLASS;
            g->classes.suffix = --g->classes.count;
        }
    }
    for (int32_t c = 0; c < count; c++) {
        if (near[c]->class == OG_MARGIN_NO_CLASS) {
            number_class(g, near[c]);
        }
    }
    for (int k = 0; k < 2; k++) {
        g->forced[k] = forced[k] != NULL ? forced[k]->class : OG_MARGIN_NO_CLASS;
    }
    return OG_OK;
}

/* Classes of the layers, and the nodes that SUPPLY may label. False: a supply leads into the bulk.
 */
static og_status make_classes(og_margin *g, bool *fits)
{
    int32_t most = g->most[0] > g->most[1] ? g->most[0] : g->most[1];
    size_t all = (size_t)g->nodes.kinds * (size_t)g->nodes.totals * (size_t)g->nodes.margins;
    int32_t count = 0;
    og_margin_node **near = og_arena_array(&g->arena, all, sizeof *near);
    g->supply = og_arena_array(&g->arena, all, sizeof *g->supply);
    OG_TRY(og_arena_status(&g->arena));
    for (size_t i = 0; i < all; i++) {
        og_margin_node *x = &g->nodes.node[i];
        if (x->level == INT32_MAX || og_margin_weight(g, x) > most) {
            continue;
        }
        if (is_near(g, x) && x->total > g->total) {
            near[count++] = x;
        } else if (x->margin == g->m + 1) {
            *fits = *fits && x->total >= g->total;
            g->supply[g->supplies++] = (int32_t)i;
        }
    }
    qsort(near, (size_t)count, sizeof *near, compare_nodes);
    g->classes.node = og_arena_array(&g->arena, (size_t)count + 1, sizeof *g->classes.node);
    g->classes.weight = og_arena_array(&g->arena, (size_t)count + 1, sizeof *g->classes.weight);
    g->places = og_arena_array(&g->arena, (size_t)most + 1, sizeof *g->places);
    OG_TRY(og_arena_status(&g->arena));
    *fits = *fits && count < UINT8_MAX;
    return *fits ? number_classes(g, near, count, most) : OG_OK;
}

/* ---- sizes ---- */

/* Bytes of a layer's index, and of its maps. */
static double index_bytes(const og_margin *g, double rows, double lists, int32_t most,
                          int32_t slack)
{
    double parts = 0, width = g->classes.suffix;
    for (int32_t weight = 0, c = g->classes.suffix; c < g->classes.count && weight <= most; c++) {
        weight += g->classes.weight[c];
        parts++;
    }
    double tables = 0;
    for (int32_t c = 0; c < g->classes.count; c++) {
        tables += 4.0 * (most + 1) * (most / g->classes.weight[c] + 1);
    }
    return rows * (20 + 4 * parts + (slack > 0 ? 4 + 8 : 0)) +
           lists * (2 * width + 12 + 8.0 * slack + 4 * (3 * width + 6) + 12 * width) + tables;
}

static og_status count_places(og_margin *g)
{
    const double place_bytes = sizeof(double) + sizeof(float);
    double states = 0, tables = 0, kept = 0;
    for (int k = 0; k < 2; k++) {
        for (int32_t left = 0; left <= g->left_most[k]; left++) {
            OG_TRY(ask(g));
            int32_t suffix = g->classes.suffix;
            double lists = og_margin_count_classes(g, left, k, 0, suffix);
            double rows = og_margin_count_classes(g, left, k, suffix, g->classes.count);
            double places = k == 0 ? g->places[left] : og_margin_count(g, left, true);
            double own = index_bytes(g, rows, lists, g->most[k] - left, g->slack[k]);
            states += left > 0 ? places : 0;
            g->largest[k][left % 2] = fmax(g->largest[k][left % 2], places);
            tables = fmax(tables, own);
            kept += place_bytes * places + own;
        }
    }
    const double *a = g->largest[0], *b = g->largest[1];
    g->size = (og_margin_size){.states = states,
                               .bytes = place_bytes * (a[0] + a[1] + b[0] + b[1]) + 5 * tables,
                               .kept_bytes = kept + 5 * tables};
    return OG_OK;
}

/* ---- new ---- */

static og_status plan(og_margin *g, const og_state *root)
{
    bool fits = og_margin_nodes_init(g->arms, g->m + 1, &g->arena, &g->nodes);
    OG_TRY(og_arena_status(&g->arena));
    g->size = og_margin_none;
    if (!fits) {
        return OG_OK;
    }
    og_status status =
        og_margin_starts(g, root, g->root_count, g->root_entry, &g->start_count, &g->steps);
    if (status == OG_STOPPED && og_stop_limit(og_stop_of(&g->settings)) == OG_LIMIT_NONE) {
        return OG_OK;
    }
    OG_TRY(status);
    find_bulk(g);
    if (g->start_count == 0) { /* all labels are forced */
        g->left_most[0] = g->left_most[1] = -1;
        g->size = (og_margin_size){0, 0, 0};
        g->fits = true;
        return OG_OK;
    }
    fits = fit_starts(g);
    if (fits) {
        OG_TRY(make_classes(g, &fits));
    }
    if (fits) {
        OG_TRY(count_places(g));
        g->fits = true;
    }
    return OG_OK;
}

og_status og_margin_new(const og_arms *arms, const og_state *root, int32_t count, int32_t m,
                        const og_settings *settings, og_margin **out)
{
    og_margin *g = calloc(1, sizeof *g);
    OG_TRY(OG_ALLOCATED(g));
    g->start = og_seconds();
    g->arms = arms;
    g->settings = og_settings_filled(settings);
    g->m = m;
    g->root_count = root != NULL ? count : 1;
    g->root_entry = og_arena_array(&g->arena, (size_t)g->root_count, sizeof *g->root_entry);
    og_state_group *group = og_arena_array(&g->arena, (size_t)arms->group_count, sizeof *group);
    og_status status = og_arena_status(&g->arena);
    if (status == OG_OK) {
        for (int32_t i = 0; i < arms->group_count; i++) {
            group[i] = (og_state_group){arms->arm_of_group[i], 0, arms->group_size[i]};
        }
        const og_state whole = {arms->budget, arms->budget, arms->group_count, group};
        status = plan(g, root != NULL ? root : &whole);
    }
    return OG_MADE(status, g, og_margin_free, out);
}

void og_margin_get_size(const og_margin *g, og_margin_size *out)
{
    *out = g->size;
}

void og_margin_keep(og_margin *g)
{
    g->keep = true;
}

/* ---- solve ---- */

struct og_margin_run {
    og_margin *g;
    int32_t depth;             /* as many layers of a kind are held, at left % depth */
    int32_t rooms;             /* and their values, at left % rooms */
    og_margin_layer *layer[2]; /* [kind][depth] */
    double **lower[2];         /* [kind][rooms] NULL: not allocated yet */
    float **more[2];
    og_margin_ends *of_start; /* [entries] */
};

static og_status run_init(og_margin_run *r)
{
    const og_margin *g = r->g;
    int32_t last = g->left_most[0] > g->left_most[1] ? g->left_most[0] : g->left_most[1];
    bool made = true;
    r->depth = g->keep && last > 2 ? last + 1 : 3;
    r->rooms = g->keep ? r->depth : 2;
    for (int k = 0; k < 2; k++) {
        r->layer[k] = calloc((size_t)r->depth, sizeof *r->layer[k]);
        r->lower[k] = calloc((size_t)r->rooms, sizeof *r->lower[k]);
        r->more[k] = calloc((size_t)r->rooms, sizeof *r->more[k]);
        made = made && r->layer[k] != NULL && r->lower[k] != NULL && r->more[k] != NULL;
    }
    r->of_start = calloc((size_t)og_state_set_count(g->steps) + 1, sizeof *r->of_start);
    return made && r->of_start != NULL ? OG_OK : OG_NO_MEMORY;
}

static void run_free(og_margin_run *r)
{
    for (int k = 0; r != NULL && k < 2; k++) {
        for (int32_t i = 0; r->layer[k] != NULL && i < r->depth; i++) {
            og_margin_layer_clear(&r->layer[k][i]);
        }
        for (int32_t i = 0; r->lower[k] != NULL && r->more[k] != NULL && i < r->rooms; i++) {
            free(r->lower[k][i]);
            free(r->more[k][i]);
        }
        free(r->layer[k]);
        free(r->lower[k]);
        free(r->more[k]);
    }
    if (r != NULL) {
        free(r->of_start);
    }
    free(r);
}

/* Room for the values of a layer. */
static og_status take_rooms(og_margin_run *r, og_margin_layer *layer)
{
    double **lower = &r->lower[layer->front][layer->left % r->rooms];
    float **more = &r->more[layer->front][layer->left % r->rooms];
    double places =
        r->g->keep ? (double)layer->places : r->g->largest[layer->front][layer->left % 2];
    if (*lower == NULL) {
        *lower = og_room(places, sizeof **lower);
        *more = og_room(places, sizeof **more);
    }
    layer->lower = *lower;
    layer->more = *more;
    return *lower != NULL && *more != NULL ? OG_OK : OG_NO_MEMORY;
}

static og_status compute(og_margin_run *r, int32_t left, bool front)
{
    og_margin *g = r->g;
    int32_t depth = r->depth;
    og_margin_layer *layer = &r->layer[front][left % depth];
    og_margin_layer_clear(layer);
    OG_TRY(og_margin_layer_init(g, left, front, layer));
    OG_TRY(take_rooms(r, layer));
    if (left == 0) {
        layer->lower[0] = 0;
        layer->more[0] = 0;
        return OG_OK;
    }
    const og_margin_layer *below[3] = {&r->layer[0][(left + depth - 1) % depth],
                                       &r->layer[1][(left + depth - 1) % depth],
                                       &r->layer[0][(left + depth - 2) % depth]};
    return og_margin_layer_values(g, layer, below);
}

/* Reads the starts of this layer. */
static void read_starts(og_margin_run *r, int32_t left)
{
    og_margin *g = r->g;
    for (uint32_t entry = 0; entry < og_state_set_count(g->steps); entry++) {
        int32_t count = 0, own;
        const og_copies *list = start_at(g->steps, entry, &count, &own);
        bool front = false;
        for (int32_t i = 0; list != NULL && own == left && i < count; i++) {
            front = front || (int32_t)list[i].member == g->front;
        }
        if (list != NULL && own == left) {
            r->of_start[entry] = og_margin_at(g, &r->layer[front][left % r->depth], list, count);
        }
    }
}

/* With the front first: it reads the layer without it two below, whose place the next one takes. */
static og_status sweep_layers(og_margin_run *r)
{
    const og_margin *g = r->g;
    int32_t last = g->left_most[0] > g->left_most[1] ? g->left_most[0] : g->left_most[1];
    for (int32_t left = 0; left <= last; left++) {
        for (int k = 1; k >= 0; k--) {
            if (left <= g->left_most[k]) {
                OG_TRY(compute(r, left, k));
            }
        }
        read_starts(r, left);
    }
    return OG_OK;
}

/* Goes back from the starts to the states that lead to them: of_start [entries]. */
static void go_back(const og_state_set *steps, og_margin_ends *of_start)
{
    for (uint32_t entry = og_state_set_count(steps); entry-- > 0;) {
        const og_margin_step *step = og_state_set_payload(steps, entry);
        og_margin_ends *own = &of_start[entry];
        if (step->start >= 0 || step->left == 0) {
            continue;
        }
        *own = (og_margin_ends){step->reward, step->reward};
        for (int k = 0; k < 2; k++) {
            if (step->chance[k] > 0) {
                own->lower += step->chance[k] * of_start[step->after[k]].lower;
                own->upper += step->chance[k] * of_start[step->after[k]].upper;
            }
        }
    }
}

/*
 * As og_solver_relative_error, of two outcomes, with the labels that two copies force. A value of
 * SUPPLY is stored as a sum: one more rounding of it, and one of the difference, which is rounded
 * up.
 */
double og_margin_relative_error(const og_margin *g)
{
    const double u = 0x1p-53;
    double p_error = 0, r_error = 0;
    for (int32_t a = 0; a < g->arms->arm_count; a++) {
        p_error = fmax(p_error, g->arms->arm[a]->probability_error);
        r_error = fmax(r_error, g->arms->arm[a]->reward_error);
    }
    return 1.01 * (g->arms->budget * (p_error + u * (2.0 * 2 + 16 + 2)) + r_error);
}

static og_status stopped(const og_margin *g, og_message *message)
{
    char held[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_STOPPED, "the work was stopped after %llu states and %s",
                          (unsigned long long)atomic_load(&g->done),
                          og_bytes_format(og_arms_bytes(g->arms) + g->bytes, held));
}

og_status og_margin_solve(og_margin *g, og_margin_ends *ends, og_result *result,
                          og_message *message)
{
    double needed = g->keep ? g->size.kept_bytes : g->size.bytes;
    if (!g->fits || (double)og_arms_bytes(g->arms) + needed > (double)g->settings.memory_bytes) {
        return og_message_set(message, OG_STOPPED,
                              "layers of the margin cut do not fit into the memory limit");
    }
    og_margin_run *r = calloc(1, sizeof *r);
    OG_TRY(OG_ALLOCATED(r));
    r->g = g;
    atomic_store(&g->done, 0);
    atomic_store(&g->stopped, false);
    g->bytes = (uint64_t)needed;
    og_status status = run_init(r);
    OG_THEN(status, sweep_layers(r));
    if (status == OG_OK) {
        go_back(g->steps, r->of_start);
        for (int32_t i = 0; i < g->root_count; i++) {
            ends[i] = r->of_start[g->root_entry[i]];
        }
    } else if (status == OG_STOPPED) {
        stopped(g, message);
    }
    run_free(g->kept);
    g->kept = g->keep && status == OG_OK ? r : NULL;
    if (g->kept == NULL) {
        run_free(r);
    }
    uint64_t done = atomic_load(&g->done);
    *result = (og_result){.states = done,
                          .expanded = done,
                          .memory_bytes = og_arms_bytes(g->arms) + g->bytes,
                          .seconds = og_seconds() - g->start};
    return status;
}

void og_margin_free(og_margin *g)
{
    if (g != NULL) {
        run_free(g->kept);
        og_state_set_free(g->steps);
        og_arena_clear(&g->arena);
    }
    free(g);
}

/* ---- later states ---- */

/* The ends of a state in which no label is forced. False: the layers do not hold it. */
static bool ends_of_start(const og_margin *g, const og_copies *list, int32_t count, int32_t left,
                          og_margin_ends *out)
{
    form own;
    int32_t front;
    if (g->bulk < 0 || !form_of(g, list, count, left, &own, &front) ||
        (own.front && front != g->front) || left > g->left_most[own.front] ||
        own.most > g->most[own.front] || own.slack > g->slack[own.front]) {
        return false;
    }
    *out = og_margin_at(g, &g->kept->layer[own.front][left % g->kept->depth], list, count);
    return true;
}

og_status og_margin_ends_of(const og_margin *g, const og_state *state, og_margin_ends *ends)
{
    uint32_t root;
    int32_t starts;
    og_state_set *steps = NULL;
    og_status status = og_margin_starts(g, state, 1, &root, &starts, &steps);
    if (status != OG_OK) {
        return status == OG_STOPPED ? OG_BAD_INPUT : status;
    }
    uint32_t entries = og_state_set_count(steps);
    og_margin_ends *of_start = calloc((size_t)entries + 1, sizeof *of_start);
    status = OG_ALLOCATED(of_start);
    for (uint32_t entry = 0; status == OG_OK && entry < entries; entry++) {
        int32_t count = 0, left;
        const og_copies *list = start_at(steps, entry, &count, &left);
        bool held = list == NULL || ends_of_start(g, list, count, left, &of_start[entry]);
        status = held ? OG_OK : OG_BAD_INPUT;
    }
    if (status == OG_OK) {
        go_back(steps, of_start);
        *ends = of_start[root];
    }
    free(of_start);
    og_state_set_free(steps);
    return status;
}
