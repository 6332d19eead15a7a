/*
 * Computes the finite-horizon Gittins index of one node x with r labels left.
 *
 * The best rule at price z continues at y with s labels left if gamma_s(y) > z, and these indices
 * are known for s < r. So the rule is a set S(z) of nodes that needs no evaluation. It has expected
 * earnings E and labels L, where the first label is always bought, and gamma_r(x) is the price z
 * with E(S(z)) = z L(S(z)). Newton's method [this is Dinkelbach's iteration, Management Science 13
 * (1967)] replaces z with the ratio E / L of S(z), until S no longer changes. It starts from an
 * estimate with gamma_{r-1}(x) and the growth of the indices after up to two labels, and needs only
 * one walk nine times in ten.
 *
 * If no reward is exactly r - 1 labels away, the last label has no value and the index is that for
 * r - 1: half of the cases, with whole parameters and threshold 1/2.
 *
 * The core. Let v(y, s) be the earnings of all s labels. If c v(y, s) >= z (c below), buying all of
 * them loses at most their prices, s z <= c s v(y, s). Then the walk ends, with v(y, s) as the
 * rule's earnings from there on and s as its labels. Two in five indices of the uniform prior are
 * below 1e-15 at T = 400, and seven in ten of the nodes on their walks are core.
 *
 * Rounding. Let m be the number of outcomes, u the unit roundoff, c = max(error of p, error of R) +
 * (m + 2) u the error of a node's sum.
 *
 *   (1) E and L are sums of products of numbers >= 0. So for a given rule each has a relative error
 *       of at most r c, and the ratio one of at most 2 r c + 2 u.
 *   (2) The ratio z* of S, computed exactly, is the index if S is the best rule at z*. It is if
 *       every node of S has an index above z*, and no node at which it stops does. With 8 times the
 *       stated error between price and index that is certain.
 *   (3) A rule that is best except in the core has a net worth at z* that is at most c r E below
 *       the best. The net worth falls by L per unit of price, so the index is within c r of the
 *       ratio.
 *
 * So the error is at most (3 r + 3) c. If another index is too close, the rule is not certain, and
 * the caller computes the index in another way. A nonzero index is never stored below
 * OG_GITTINS_FLOOR, since products of probabilities below it could leave the range of doubles.
 * Checked by tests/test_index.c: index_is_the_definition_within_the_stated_error
 */
#include "heuristics/index/fast/gittins_node.h"

#include <math.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "dp/base/vector.h"

/* A walk processes this many entries of a level at once; extra entries are harmless. */
enum { BLOCK = 8, WALKS_MAX = 40 };

/* Below this price OG_GITTINS_FLOOR is not negligible, and no rule is certain. */
static const double small_price = OG_GITTINS_FLOOR * 0x1p50;

/* S(z) from one node on. Places are positions of nodes within their level. */
typedef struct {
    double price;
    bool cored;          /* true if there may be a core */
    double core;         /* smallest value of all labels in the core */
    int32_t levels;      /* open[0 .. levels - 1] are filled */
    og_node_range *open; /* [left + 1] the first and the last node that continue, without core nodes
                            at the ends */
} rule;

/* A level after the nodes whose indices are computed, by place. */
typedef struct {
    const double *value;        /* the indices, with the labels left at this level */
    const double *all;          /* value of all labels left; set when there is a core */
    const double *plus, *minus; /* of a lattice */
    const double *reward;
    og_node_range paid; /* none: first > last */
    uint32_t base;      /* the first node */
    bool rises;         /* true if `value` rises and then falls */
} view;

struct og_gittins_space {
    const og_gittins_tables *tables;
    const og_arm *arm;
    const og_gittins_walked *walked;
    og_gittins_place at; /* the node whose index is computed */
    int32_t level;       /* the node's level */
    uint32_t place;
    double margin; /* relative margin: indices further apart are certainly in order */
    view *view;    /* [left + 1] for the level of `at` and the following ones */
    rule rule;
    double *earned, *labels;             /* [widest level plus a margin for blocks] */
    double *earned_below, *labels_below; /* likewise: walk_any swaps them with the others */
    double *all;                         /* value of all labels, by node, from level all_from on */
    int32_t all_arm, all_end, all_from;
};

typedef og_gittins_space seeker;

/* ---- tables ---- */

/* Finds the smallest number of labels, at most 5, of which a share as close as possible to the
 * threshold can be positive. */
static void find_step(const og_arm *arm, og_gittins_walked *out)
{
    double d = og_fraction_double(og_arm_prior(arm)->threshold), nearest = 1;
    for (int32_t step = 1; step <= 5; step++) {
        double away = fabs(step * d - round(step * d));
        if (away < nearest - 1e-9) {
            nearest = away;
            out->step = step;
            out->shift = (int32_t)round(step * d);
        }
    }
}

static void find_paid(const og_arm *arm, int32_t budget, og_gittins_walked *out)
{
    for (int32_t n = 0; n < budget; n++) {
        og_node_range *paid = &out->paid[n];
        *paid = (og_node_range){1, 0};
        for (uint32_t node = arm->level[n]; node < arm->level[n + 1]; node++) {
            uint32_t place = node - arm->level[n];
            if (arm->reward[node] > 0) {
                paid->first = paid->first > paid->last ? place : paid->first;
                paid->last = place;
                out->most = fmax(out->most, arm->reward[node]);
            }
        }
    }
}

static void walk_init(og_arena *arena, const og_arm *arm, int32_t budget, og_gittins_walked *out)
{
    size_t nodes = arm->level[budget];
    out->paid = og_arena_array(arena, (size_t)budget, sizeof *out->paid);
    if (arm->lattice) {
        out->plus = og_arena_array(arena, nodes + BLOCK, sizeof *out->plus);
        out->minus = og_arena_array(arena, nodes + BLOCK, sizeof *out->minus);
    }
    if (arena->failed) {
        return;
    }
    for (size_t i = 0; arm->lattice && i < nodes; i++) {
        out->plus[i] = arm->probability[2 * i];
        out->minus[i] = arm->probability[2 * i + 1];
    }
    find_step(arm, out);
    find_paid(arm, budget, out);
}

og_status og_gittins_tables_init(og_gittins_tables *tables, const og_gittins_known *known,
                                 double node_error, int32_t last)
{
    const og_arms *arms = known->arms;
    size_t arm_count = (size_t)arms->arm_count;
    og_arena *arena = &tables->arena;
    tables->known = *known;
    tables->node_error = node_error;
    tables->arm = og_arena_array(arena, arm_count, sizeof *tables->arm);
    tables->rising = og_arena_array(arena, ((size_t)last + 1) * arm_count, sizeof *tables->rising);
    for (size_t i = 0; !arena->failed && i < arm_count; i++) {
        walk_init(arena, arms->arm[i], arms->budget, &tables->arm[i]);
        for (int32_t left = 1; !arena->failed && left <= last; left++) {
            tables->rising[(size_t)left * arm_count + i] =
                og_arena_array(arena, (size_t)(arms->budget - left) + 1, sizeof **tables->rising);
        }
    }
    return og_arena_status(arena);
}

void og_gittins_tables_clear(og_gittins_tables *tables)
{
    og_arena_clear(&tables->arena);
}

typedef struct {
    og_gittins_tables *tables;
    int32_t left;
} look;

static bool rises_then_falls(const double *value, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && value[i] >= value[i - 1]) {
        i++;
    }
    while (i < count && value[i] <= value[i - 1]) {
        i++;
    }
    return i >= count;
}

static void look_at_levels(void *context, int thread, int64_t begin, int64_t end)
{
    const look *l = context;
    const og_arms *arms = l->tables->known.arms;
    (void)thread;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const uint32_t *level = arms->arm[i]->level;
        const double *value = og_index_of(l->tables->known.index, i, l->left);
        uint8_t *rising = l->tables->rising[(int64_t)l->left * arms->arm_count + i];
        for (int64_t n = begin; n < end; n++) {
            rising[n] = arms->arm[i]->lattice &&
                        rises_then_falls(value + level[n], level[n + 1] - level[n]);
        }
    }
}

void og_gittins_tables_look(og_gittins_tables *tables, int threads, int32_t left)
{
    look l = {tables, left};
    og_parallel_ranges(threads, tables->known.arms->budget - left + 1, 64, look_at_levels, &l);
}

/* ---- work space ---- */

static size_t most_lattice_nodes(const og_arms *arms)
{
    size_t most = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        most = arm->lattice && arm->level[arms->budget] > most ? arm->level[arms->budget] : most;
    }
    return most;
}

og_gittins_space *og_gittins_space_new(og_arena *arena, const og_arms *arms)
{
    size_t width = og_gittins_width(arms), levels = (size_t)arms->budget + 1;
    og_gittins_space *space = og_arena_array(arena, 1, sizeof *space);
    if (space == NULL) {
        return NULL;
    }
    space->rule.open = og_arena_array(arena, levels, sizeof *space->rule.open);
    double **rows[] = {&space->earned, &space->labels, &space->earned_below, &space->labels_below};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i] = og_arena_array(arena, width + 2 * BLOCK, sizeof(double));
    }
    space->view = og_arena_array(arena, levels, sizeof *space->view);
    space->all = og_arena_array(arena, most_lattice_nodes(arms) + 2 * BLOCK, sizeof(double));
    space->all_arm = -1;
    return arena->failed ? NULL : space;
}

/* ---- values of all labels ---- */

OG_VECTOR_CLONES static void value_all_levels(const og_arm *arm, const og_gittins_walked *walked,
                                              int32_t first, int32_t end, double *all)
{
    for (int32_t n = end - 1; n >= first; n--) {
        const double *restrict plus = walked->plus + arm->level[n];
        const double *restrict minus = walked->minus + arm->level[n];
        const double *restrict reward = arm->reward + arm->level[n];
        const double *restrict next = all + arm->level[n + 1];
        double *restrict out = all + arm->level[n];
        uint32_t count = arm->level[n + 1] - arm->level[n];
        for (uint32_t i = 0; i < count; i++) {
            out[i] =
                n == end - 1 ? reward[i] : reward[i] + (plus[i] * next[i + 1] + minus[i] * next[i]);
        }
    }
}

/* True if there may be a core at this price; then the values of all labels are computed. */
static bool has_core(seeker *search, double price)
{
    int32_t left = search->at.left, end = search->level + left;
    double most = search->walked->most * left * (1 + 1e-6);
    if (!search->arm->lattice || left < 3 || search->tables->node_error * most < price) {
        return false;
    }
    if (search->all_arm != search->at.arm || search->all_end != end ||
        search->all_from > search->level + 1) {
        value_all_levels(search->arm, search->walked, search->level + 1, end, search->all);
        search->all_arm = search->at.arm;
        search->all_end = end;
        search->all_from = search->level + 1;
    }
    return true;
}

/* ---- rules ---- */

/* Places of level k that are successors of nodes of the level before. */
static og_node_range places_below(const seeker *search, int32_t k, og_node_range above)
{
    if (search->arm->lattice) {
        return (og_node_range){above.first, above.last + 1};
    }
    uint32_t base = search->view[k - 1].base, next = search->arm->level[search->level + k];
    og_node_range nodes =
        og_gittins_children(search->arm, (og_node_range){base + above.first, base + above.last});
    return (og_node_range){nodes.first - next, nodes.last - next};
}

/* True if a walk ends here: stopped, or in the core. */
static inline int ends_walk(const view *v, const rule *by, bool cored, uint32_t place)
{
    return (v->value[place] <= by->price) | (cored && v->all[place] >= by->core);
}

/*
 * Removes the places at both ends of the range where walks end. In a lattice these are mostly none,
 * one or two places, which is not predictable. So up to two places the code has no branches and no
 * dependent steps. `range` has two places or more.
 */
static inline og_node_range trim_lattice(const view *v, const rule *by, bool cored,
                                         og_node_range range)
{
    uint32_t first = range.first, last = range.last;
    uint32_t front = ends_walk(v, by, cored, first), back = ends_walk(v, by, cored, last);
    uint32_t front_two = front & ends_walk(v, by, cored, first + 1);
    uint32_t back_two = back & ends_walk(v, by, cored, last - 1);
    first += front + front_two;
    /* Neither end passes a place that continues; if they meet, no place continues. */
    if (first + back + back_two > last) {
        return (og_node_range){1, 0};
    }
    last -= back + back_two;
    while (front_two && first <= last && ends_walk(v, by, cored, first)) {
        first++;
    }
    while (back_two && first < last && ends_walk(v, by, cored, last)) {
        last--;
    }
    return (og_node_range){first, last};
}

/* The indices of one level determine the position in the next, so the indices of the level AHEAD
 * are prefetched; a strip moves by about one place in two levels. */
enum { AHEAD = 12 };

static inline void fetch_ahead(const view *v, og_node_range range)
{
    __builtin_prefetch(v->value + range.first + AHEAD / 2);
    __builtin_prefetch(v->value + range.last + AHEAD / 2);
}

static inline int32_t find_levels(const seeker *search, const rule *by, bool cored)
{
    int32_t k = 1, left = search->at.left;
    og_node_range range = by->open[0];
    for (; k < left; k++) {
        range.last++;
        if (k + AHEAD < left) {
            fetch_ahead(&search->view[k + AHEAD], range);
        }
        range = trim_lattice(&search->view[k], by, cored, range);
        if (range.first > range.last) {
            break;
        }
        by->open[k] = range;
    }
    return k;
}

static int32_t find_any_levels(const seeker *search, const rule *by)
{
    int32_t k = 1;
    for (; k < search->at.left; k++) {
        const view *v = &search->view[k];
        og_node_range range = places_below(search, k, by->open[k - 1]);
        while (range.first <= range.last && ends_walk(v, by, false, range.first)) {
            range.first++;
        }
        while (range.first < range.last && ends_walk(v, by, false, range.last)) {
            range.last--;
        }
        if (range.first > range.last) {
            break;
        }
        by->open[k] = range;
    }
    return k;
}

static void set_price(seeker *search, double price, rule *out)
{
    out->price = price;
    out->cored = has_core(search, price);
    out->core = price / search->tables->node_error;
}

static void find_rule(seeker *search, double price, rule *out)
{
    set_price(search, price, out);
    out->open[0] = (og_node_range){search->place, search->place};
    if (!search->arm->lattice) {
        out->levels = find_any_levels(search, out);
    } else {
        out->levels = out->cored ? find_levels(search, out, true) : find_levels(search, out, false);
    }
}

/* The test of whether a rule is certainly the same on a level at another price. */
typedef struct {
    double price; /* price of the rule */
    double low,
        high;    /* an index <= low is certainly at most the new price, > high certainly above it */
    double core; /* at the new price */
} test;

static inline int surely_ends(const view *v, const test *at, bool cored, uint32_t place)
{
    return (v->value[place] <= at->low) | (cored && v->all[place] >= at->core);
}

static inline int surely_goes_on(const view *v, const test *at, bool cored, uint32_t place)
{
    return (v->value[place] > at->high) & !(cored && v->all[place] >= at->core);
}

/* Indices rise and then fall within the range, so the test needs only the ends and their
 * neighbours. */
static inline int ends_are_sure(const view *v, const test *at, bool cored, og_node_range reached,
                                og_node_range open)
{
    uint32_t before = open.first - (open.first != reached.first);
    uint32_t after = open.last + (open.last != reached.last);
    return surely_goes_on(v, at, cored, open.first) & surely_goes_on(v, at, cored, open.last) &
           ((before == open.first) | surely_ends(v, at, cored, before)) &
           ((after == open.last) | surely_ends(v, at, cored, after));
}

static bool all_are_sure(const view *v, const test *at, bool cored, og_node_range reached,
                         og_node_range open)
{
    bool sure = surely_goes_on(v, at, cored, open.first) & surely_goes_on(v, at, cored, open.last);
    for (uint32_t i = reached.first; i <= reached.last; i++) {
        if (i < open.first || i > open.last) {
            sure = sure && surely_ends(v, at, cored, i);
        } else {
            sure =
                sure && (v->value[i] > at->price ? v->value[i] > at->high : v->value[i] <= at->low);
        }
    }
    return sure;
}

static inline bool levels_are_sure(const seeker *search, const rule *by, const test *at, bool cored)
{
    bool sure = true;
    int32_t k = 1;
    for (; k < by->levels; k++) {
        const view *v = &search->view[k];
        og_node_range reached = places_below(search, k, by->open[k - 1]);
        sure &= v->rises ? ends_are_sure(v, at, cored, reached, by->open[k])
                         : all_are_sure(v, at, cored, reached, by->open[k]);
    }
    if (k < search->at.left) {
        og_node_range reached = places_below(search, k, by->open[k - 1]);
        for (uint32_t i = reached.first; i <= reached.last; i++) {
            sure &= surely_ends(&search->view[k], at, cored, i);
        }
    }
    return sure;
}

/* True if it is certainly also the rule at this price. */
static bool is_surely_rule(seeker *search, const rule *by, double price)
{
    const test at = {.price = by->price,
                     .low = price * (1 - search->margin),
                     .high = price * (1 + search->margin),
                     .core = price / search->tables->node_error};
    if (price < small_price || has_core(search, price) != by->cored) {
        return false;
    }
    return by->cored ? levels_are_sure(search, by, &at, true)
                     : levels_are_sure(search, by, &at, false);
}

/* ---- earnings of a rule ---- */

/* Fills the entries begin .. end - 1 of a level that do not continue: 0, or all labels from there
 * on. */
static inline void end_walk(const rule *by, const view *v, int32_t left, uint32_t begin,
                            uint32_t end, double *earned, double *labels)
{
    for (uint32_t i = begin; i < end; i++) {
        bool buys_all = by->cored && left > 0 && v->all[i] >= by->core;
        earned[i] = buys_all ? v->all[i] : 0;
        labels[i] = buys_all ? left : 0;
    }
}

/* Computes a level in place, in whole blocks; entries after the last one are overwritten. */
static inline void walk_level(const double *restrict plus, const double *restrict minus,
                              uint32_t count, double *restrict earned, double *restrict labels)
{
    for (uint32_t i = 0; i < count; i += BLOCK) {
        double earned_on[BLOCK], labels_on[BLOCK];
        for (int j = 0; j < BLOCK; j++) {
            earned_on[j] = plus[i + j] * earned[i + j + 1] + minus[i + j] * earned[i + j];
            labels_on[j] = 1 + (plus[i + j] * labels[i + j + 1] + minus[i + j] * labels[i + j]);
        }
        for (int j = 0; j < BLOCK; j++) {
            earned[i + j] = earned_on[j];
            labels[i + j] = labels_on[j];
        }
    }
}

static inline void add_rewards(const double *reward, og_node_range paid, og_node_range open,
                               double *earned)
{
    uint32_t first = paid.first > open.first ? paid.first : open.first;
    uint32_t last = paid.last < open.last ? paid.last : open.last;
    for (uint32_t i = first; first <= last && i <= last; i++) {
        earned[i] += reward[i];
    }
}

/* Fills the entries that stop between the first and the last that continue. */
static inline void clear_holes(const view *v, double price, og_node_range open, double *earned,
                               double *labels)
{
    for (uint32_t i = open.first; !v->rises && i <= open.last; i++) {
        bool stops = v->value[i] <= price;
        earned[i] = stops ? 0 : earned[i];
        labels[i] = stops ? 0 : labels[i];
    }
}

/* Walks back to the level after the node's, by place. */
OG_VECTOR_CLONES static void walk_lattice(const seeker *search, const rule *by, double *earned,
                                          double *labels)
{
    int32_t k = by->levels, left = search->at.left;
    end_walk(by, &search->view[k], left - k, by->open[k - 1].first, by->open[k - 1].last + 2,
             earned, labels);
    for (k--; k > 0; k--) {
        const view *v = &search->view[k];
        og_node_range open = by->open[k], above = by->open[k - 1];
        walk_level(v->plus + open.first, v->minus + open.first, open.last - open.first + 1,
                   earned + open.first, labels + open.first);
        add_rewards(v->reward, v->paid, open, earned);
        clear_holes(v, by->price, open, earned, labels);
        end_walk(by, v, left - k, above.first, open.first, earned, labels);
        end_walk(by, v, left - k, open.last + 1, above.last + 2, earned, labels);
    }
}

/* The same for any arm: one level, from the values of the next level. */
static void walk_any_level(seeker *search, const rule *by, int32_t k)
{
    const og_arm *arm = search->arm;
    const view *v = &search->view[k];
    uint32_t next = arm->level[search->level + k + 1];
    size_t outcomes = (size_t)arm->outcome_count;
    og_node_range reached = places_below(search, k, by->open[k - 1]);
    for (uint32_t i = reached.first; i <= reached.last; i++) {
        double earned = 0, labels = 0;
        bool open = i >= by->open[k].first && i <= by->open[k].last && v->value[i] > by->price;
        size_t first = (v->base + i) * outcomes;
        for (size_t j = first; open && j < first + outcomes; j++) {
            earned += arm->probability[j] * search->earned_below[arm->next[j] - next];
            labels += arm->probability[j] * search->labels_below[arm->next[j] - next];
        }
        search->earned[i] = open ? v->reward[i] + earned : 0;
        search->labels[i] = open ? 1 + labels : 0;
    }
}

static void walk_any(seeker *search, const rule *by)
{
    int32_t k = by->levels;
    og_node_range reached = places_below(search, k, by->open[k - 1]);
    for (uint32_t i = reached.first; i <= reached.last; i++) {
        search->earned[i] = search->labels[i] = 0;
    }
    for (k--; k > 0; k--) {
        double *earned = search->earned, *labels = search->labels;
        search->earned = search->earned_below;
        search->labels = search->labels_below;
        search->earned_below = earned;
        search->labels_below = labels;
        walk_any_level(search, by, k);
    }
}

/* Earnings divided by labels; the first label is always bought. */
static double ratio_of(seeker *search, const rule *by)
{
    const og_arm *arm = search->arm;
    uint32_t next = arm->level[search->level + 1];
    double earned = 0, labels = 0;
    if (arm->lattice) {
        walk_lattice(search, by, search->earned, search->labels);
    } else {
        walk_any(search, by);
    }
    for (size_t k = 0; k < (size_t)arm->outcome_count; k++) {
        size_t outcome = search->at.node * (size_t)arm->outcome_count + k;
        earned += arm->probability[outcome] * search->earned[arm->next[outcome] - next];
        labels += arm->probability[outcome] * search->labels[arm->next[outcome] - next];
    }
    return (arm->reward[search->at.node] + earned) / (1 + labels);
}

/* ---- the index ---- */

/* The ratio of indices with one label more and less, at the node after `times` steps; 0: unknown.
 */
static double growth_after(const seeker *search, int32_t times)
{
    int32_t labels = times * search->walked->step, left = search->at.left - labels;
    uint32_t place = search->place + (uint32_t)(times * search->walked->shift);
    if (!search->arm->lattice || left < 2) {
        return 0;
    }
    const og_index *index = search->tables->known.index;
    uint32_t node = search->arm->level[search->level + labels] + place;
    double before = og_index_of(index, search->at.arm, left - 1)[node];
    return before > 0 ? og_index_of(index, search->at.arm, left)[node] / before : 0;
}

/* Estimates the price: in logarithms, the growth from one label more is extrapolated from the
 * growths after one and two steps. */
static double likely_price(const seeker *search, double before)
{
    double one = growth_after(search, 1), two = growth_after(search, 2);
    double growth = two > 0 ? one * one / two : one;
    return before * fmin(fmax(growth, 1), 4);
}

/* True if a reward can be reached. Otherwise the index is exactly 0. */
static bool is_live(const seeker *search)
{
    const og_arm *arm = search->arm;
    const og_gittins_place *at = &search->at;
    bool live = arm->reward[at->node] > 0;
    for (size_t k = 0; !live && at->left > 1 && k < (size_t)arm->outcome_count; k++) {
        uint32_t next = arm->next[at->node * (size_t)arm->outcome_count + k];
        live = og_index_of(search->tables->known.index, at->arm, at->left - 1)[next] > 0;
    }
    return live;
}

/* True if the last label can gain something. */
static bool last_label_pays(const seeker *search)
{
    int32_t ahead = search->at.left - 1;
    og_node_range paid = search->walked->paid[search->level + ahead];
    if (paid.first > paid.last || !search->arm->lattice) {
        return paid.first <= paid.last;
    }
    return paid.first <= search->place + (uint32_t)ahead && paid.last >= search->place;
}

static bool seek(seeker *search, double least, double likely, double *index)
{
    find_rule(search, fmax(least, likely), &search->rule);
    for (int walks = 0; walks < WALKS_MAX; walks++) {
        double price = fmax(ratio_of(search, &search->rule), least);
        if (is_surely_rule(search, &search->rule, price)) {
            *index = price;
            return true;
        }
        if (price == search->rule.price) {
            break; /* the rule, as far as doubles can determine it */
        }
        find_rule(search, price, &search->rule);
    }
    *index = least;
    return false;
}

void og_gittins_space_enter(const og_gittins_tables *tables, const og_gittins_place *at,
                            og_gittins_space *space)
{
    const og_arm *arm = space->arm = tables->known.arms->arm[at->arm];
    const int64_t arm_count = tables->known.arms->arm_count;
    space->tables = tables;
    space->walked = &tables->arm[at->arm];
    space->at = *at;
    space->level = og_arm_level(arm, at->node);
    space->margin = 8 * tables->known.left_error[at->left];
    for (int32_t k = 0; k < at->left; k++) {
        int32_t left = at->left - k, level = space->level + k;
        uint32_t base = arm->level[level];
        view *v = &space->view[k];
        *v = (view){.value = og_index_of(tables->known.index, at->arm, left) + base,
                    .reward = arm->reward + base,
                    .paid = space->walked->paid[level],
                    .base = base,
                    .rises = k > 0 && tables->rising[left * arm_count + at->arm][level]};
        if (arm->lattice) {
            v->all = space->all + base;
            v->plus = space->walked->plus + base;
            v->minus = space->walked->minus + base;
        }
    }
}

bool og_gittins_node_index(og_gittins_space *space, uint32_t node, double *index)
{
    space->at.node = node;
    space->place = node - space->view[0].base;
    *index = 0;
    if (!is_live(space)) {
        return true;
    }
    double least = *index = fmax(space->arm->reward[node], OG_GITTINS_FLOOR);
    if (space->at.left == 1) {
        return true;
    }
    double before =
        og_index_of(space->tables->known.index, space->at.arm, space->at.left - 1)[node];
    if (before > 0 && !last_label_pays(space)) {
        *index = before;
        return true;
    }
    return seek(space, fmax(least, before), likely_price(space, before), index);
}
