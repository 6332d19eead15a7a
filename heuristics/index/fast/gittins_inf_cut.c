/*
 * Computes intervals of the infinite-horizon Gittins indices of all nodes of the levels below the
 * budget (gittins_inf.c has the definition, and the errors of truncation and rounding).
 *
 * The labels after the budget are most of the look-ahead, and all nodes share them: only their
 * values v_z on level `budget`, the cut, matter to the nodes before it. These are computed at
 * sample prices, for all nodes of the cut at once. As functions of z they are convex, so between
 * two samples
 *
 *   - the better of the two samples' rules, or no label, is a rule: a lower bound;
 *   - the chord is an upper bound.
 *
 * Dinkelbach's iteration on the levels between a node and the cut gives an interval of its index
 * from either bound: its value is linear in z, and as that of a rule with "earned" and "labels".
 * Below all samples the chord has the largest slope, the number of labels of a rule without end.
 *
 * The difference shrinks with the square of the distance of the samples. A sample at the lower end
 * of an interval makes the next one about as narrow as its square. So a few samples order most
 * indices (gittins_inf.c asks for more where intervals overlap).
 *
 * Rounding: a computed net worth has a relative error `relative` of what its rule earns. The
 * chord's ends are increased by it.
 */
#include "heuristics/index/fast/gittins_inf_cut.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/vector.h"

/* The best rule's worth on the cut at a price. */
typedef struct {
    double price;
    double *row; /* [3][budget + 1] net, earned, labels; NULL: all 0 */
} sample;

struct og_inf_cut {
    const og_inf_table *table;
    int32_t budget;
    double relative;
    double slope;      /* no rule's labels, discounted, are more than this */
    og_inf_span *paid; /* [end] an arm's nodes with a reward; NULL for a Beta */
    double *most;      /* [end] the largest reward of the levels from this one on */
    sample *sampled;   /* [count] by descending price */
    int32_t count, reserved, capacity;
};

/* The nodes of level n with a reward above the price. */
static og_inf_span paid_at(const og_inf_cut *cut, int32_t n, double price)
{
    if (cut->paid != NULL) {
        return cut->paid[n];
    }
    const og_beta *beta = cut->table->beta;
    bool paid = beta->reward[n] > price;
    return paid ? (og_inf_span){beta->flip[n], beta->flip[n]} : (og_inf_span){1, 0};
}

/* The nodes of level n, if any, whose best rule may buy: those with a reward above the price and
 * the parents of such nodes. */
static og_inf_span candidates(const og_inf_cut *cut, int32_t n, double price, og_inf_span next)
{
    og_inf_span paid = paid_at(cut, n, price);
    if (next.first > next.last) {
        return paid;
    }
    og_inf_span parents = {next.first > 0 ? next.first - 1 : 0, next.last < n ? next.last : n};
    if (paid.first > paid.last) {
        return parents;
    }
    return (og_inf_span){paid.first < parents.first ? paid.first : parents.first,
                         paid.last > parents.last ? paid.last : parents.last};
}

/* Clears those entries of a range that are not of nodes that buy. */
static void clear_around(og_worth w, og_inf_span range, og_inf_span open)
{
    if (open.first > open.last) {
        og_inf_clear(w, range.first, range.last);
        return;
    }
    og_inf_clear(w, range.first, open.first - 1 < range.last ? open.first - 1 : range.last);
    og_inf_clear(w, open.last + 1 > range.first ? open.last + 1 : range.first, range.last);
}

/* Values the candidates of level n within a range; returns those that buy. `next`: those of the
 * next level, outside of which the entries are old. */
static og_inf_span value_band(const og_inf_cut *cut, int32_t n, double price, og_inf_span within,
                              og_inf_span next, og_worth w)
{
    og_inf_span band = candidates(cut, n, price, next);
    band.first = band.first > within.first ? band.first : within.first;
    band.last = band.last < within.last ? band.last : within.last;
    if (band.first > band.last) {
        return (og_inf_span){1, 0};
    }
    clear_around(w, (og_inf_span){band.first, band.last + 1}, next); /* which the band reads */
    og_inf_value_level(cut->table, n, band, price, w);
    while (band.first <= band.last && !(w.net[band.first] > 0)) {
        band.first++;
    }
    while (band.first <= band.last && !(w.net[band.last] > 0)) {
        band.last--;
    }
    return band;
}

/* ---- samples ---- */

/* The first level from which on no reward is above the price. */
static int32_t levels_at(const og_inf_cut *cut, double price)
{
    int32_t low = cut->budget, high = cut->table->end;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (cut->most[middle] > price) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void og_inf_cut_sample(og_inf_cut *cut, int32_t slot, double price, og_worth w)
{
    size_t width = (size_t)cut->budget + 1;
    sample *out = &cut->sampled[cut->count + slot];
    og_inf_span open = {1, 0};
    out->price = price;
    for (int32_t n = levels_at(cut, price) - 1; n >= cut->budget; n--) {
        open = value_band(cut, n, price, (og_inf_span){0, n}, open, w);
    }
    memset(out->row, 0, 3 * width * sizeof *out->row);
    for (int32_t s = open.first; s <= open.last; s++) {
        out->row[s] = w.net[s];
        out->row[width + (size_t)s] = w.earned[s];
        out->row[2 * width + (size_t)s] = w.labels[s];
    }
}

og_status og_inf_cut_reserve(og_inf_cut *cut, int32_t count)
{
    int32_t needed = cut->count + count;
    if (needed > cut->capacity) {
        int32_t capacity = needed + needed / 2;
        sample *grown = realloc(cut->sampled, (size_t)capacity * sizeof *grown);
        OG_TRY(OG_ALLOCATED(grown));
        memset(grown + cut->capacity, 0, (size_t)(capacity - cut->capacity) * sizeof *grown);
        cut->sampled = grown;
        cut->capacity = capacity;
    }
    for (int32_t i = cut->count; i < needed; i++) {
        if (cut->sampled[i].row == NULL) {
            cut->sampled[i].row = malloc(3 * ((size_t)cut->budget + 1) * sizeof(double));
            OG_TRY(OG_ALLOCATED(cut->sampled[i].row));
        }
    }
    cut->reserved = count;
    return OG_OK;
}

static int compare_samples(const void *x, const void *y)
{
    const sample *left = x, *right = y;
    return (left->price < right->price) - (left->price > right->price);
}

void og_inf_cut_merge(og_inf_cut *cut)
{
    cut->count += cut->reserved;
    cut->reserved = 0;
    qsort(cut->sampled, (size_t)cut->count, sizeof *cut->sampled, compare_samples);
}

/* True if every node of the cut buys at the lowest price. */
static bool all_buy(const og_inf_cut *cut)
{
    const double *net = cut->sampled[cut->count - 1].row;
    for (int32_t s = 0; s <= cut->budget; s++) {
        if (!(net[s] > 0)) {
            return false;
        }
    }
    return true;
}

/* The steps grow: for low prices, few of a node's labels are near the limit of its rule. */
static double next_price(double price)
{
    return price * exp2(-fmax(1, -log2(price) / 8));
}

og_status og_inf_cut_start(og_inf_cut *cut, og_stop *stop, og_worth w)
{
    double price = cut->most[cut->budget];
    OG_TRY(og_inf_cut_reserve(cut, 1));
    og_inf_cut_sample(cut, 0, price, w); /* all 0 */
    og_inf_cut_merge(cut);
    while (price > OG_GITTINS_LEAST && !all_buy(cut)) {
        price = fmax(next_price(price), OG_GITTINS_LEAST);
        OG_TRY(og_stop_asked(stop) ? OG_STOPPED : OG_OK);
        OG_TRY(og_inf_cut_reserve(cut, 1));
        og_inf_cut_sample(cut, 0, price, w);
        og_inf_cut_merge(cut);
    }
    return OG_OK;
}

/* ---- intervals ---- */

/* The number of samples with a price > z. */
static int32_t above(const og_inf_cut *cut, double z)
{
    int32_t low = 0, high = cut->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (cut->sampled[middle].price > z) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Sets entries first .. last of a worth to the sample's rule at a price if that is better. */
static void use_rule(const og_inf_cut *cut, const sample *by, double price, og_inf_span nodes,
                     og_worth w)
{
    const double *earned = by->row + (cut->budget + 1), *labels = earned + (cut->budget + 1);
    for (int32_t s = nodes.first; s <= nodes.last; s++) {
        double net = earned[s] - price * labels[s];
        bool better = net > w.net[s];
        w.net[s] = better ? net : w.net[s];
        w.earned[s] = better ? earned[s] : w.earned[s];
        w.labels[s] = better ? labels[s] : w.labels[s];
    }
}

static void fill_low(const og_inf_cut *cut, double price, og_inf_span nodes, og_worth w)
{
    int32_t i = above(cut, price);
    og_inf_clear(w, nodes.first, nodes.last);
    if (i > 0) {
        use_rule(cut, &cut->sampled[i - 1], price, nodes, w);
    }
    if (i < cut->count) {
        use_rule(cut, &cut->sampled[i], price, nodes, w);
    }
}

/* Sets entries to the chord at a price; its slope is the number of labels. */
static void fill_high(const og_inf_cut *cut, double price, og_inf_span nodes, og_worth w)
{
    int32_t i = above(cut, price), width = cut->budget + 1;
    double more = cut->relative;
    if (i == 0) {
        og_inf_clear(w, nodes.first, nodes.last);
        return;
    }
    const sample *high = &cut->sampled[i - 1];
    const sample *low = i < cut->count ? &cut->sampled[i] : NULL;
    const double *net = high->row, *earned = high->row + width;
    double over = low != NULL ? 1 / (high->price - low->price) : 0;
    for (int32_t s = nodes.first; s <= nodes.last; s++) {
        double at_high = net[s] + more * earned[s];
        double at_low = low != NULL ? low->row[s] + more * low->row[width + s] : 0;
        double slope = low != NULL ? fmax(0, (at_low - at_high) * over) : cut->slope;
        w.net[s] = at_high + slope * (high->price - price);
        w.labels[s] = slope;
        w.earned[s] = at_high + slope * high->price;
    }
}

/* The ratio of the best rule at a price, and its net worth. */
static double ratio_at(const og_inf_cut *cut, int32_t n, int32_t s, double price, bool upper,
                       og_worth w, double *net)
{
    og_inf_span open = {s, s + cut->budget - n};
    if (upper) {
        fill_high(cut, price, open, w);
    } else {
        fill_low(cut, price, open, w);
    }
    for (int32_t m = cut->budget - 1; m > n; m--) {
        open = value_band(cut, m, price, (og_inf_span){s, s + m - n}, open, w);
    }
    clear_around(w, (og_inf_span){s, s + 1}, open);
    return og_inf_first_ratio(cut->table, n, s, price, w, net);
}

void og_inf_cut_bracket(const og_inf_cut *cut, int32_t n, int32_t s, og_worth w, double *low,
                        double *high)
{
    double first = fmax(og_inf_reward(cut->table, n, s), OG_GITTINS_LEAST), net, ratio;
    double price = fmax(first, *low);
    price = fmax(first, ratio_at(cut, n, s, price, false, w, &net)); /* the guess may be too high */
    for (;;) {
        ratio = ratio_at(cut, n, s, price, false, w, &net);
        if (ratio <= price) {
            break;
        }
        price = ratio;
    }
    *low = price;
    for (;;) {
        ratio = ratio_at(cut, n, s, price, true, w, &net);
        if (ratio <= price || net <= cut->relative / 8 * price) {
            break;
        }
        price = ratio;
    }
    *high = fmax(*low, price + fmax(net, 0));
}

/* ---- making ---- */

/* The largest reward of each level, and of an arm the nodes with one. */
static void find_rewards(og_inf_cut *cut)
{
    const og_inf_table *t = cut->table;
    for (int32_t n = t->end - 1; n >= 0; n--) {
        double most = t->arm == NULL ? t->beta->reward[n] : 0;
        og_inf_span paid = {n + 1, -1};
        for (int32_t s = 0; t->arm != NULL && s <= n; s++) {
            double reward = t->arm->reward[og_inf_node(n, s)];
            paid.first = reward > 0 && s < paid.first ? s : paid.first;
            paid.last = reward > 0 ? s : paid.last;
            most = fmax(most, reward);
        }
        if (cut->paid != NULL) {
            cut->paid[n] = paid;
        }
        cut->most[n] = n + 1 < t->end ? fmax(most, cut->most[n + 1]) : most;
    }
}

og_status og_inf_cut_new(const og_inf_table *table, int32_t budget, double relative,
                         og_inf_cut **out)
{
    og_inf_cut *cut = calloc(1, sizeof *cut);
    OG_TRY(OG_ALLOCATED(cut));
    *cut = (og_inf_cut){.table = table,
                        .budget = budget,
                        .relative = relative,
                        .slope = fmin(table->end, 1 / (1 - table->delta)) * (1 + 1e-9)};
    size_t end = (size_t)table->end + 1;
    cut->most = calloc(end, sizeof *cut->most);
    cut->paid = table->arm != NULL ? calloc(end, sizeof *cut->paid) : NULL;
    if (cut->most == NULL || (table->arm != NULL && cut->paid == NULL)) {
        og_inf_cut_free(cut);
        return OG_NO_MEMORY;
    }
    find_rewards(cut);
    *out = cut;
    return OG_OK;
}

void og_inf_cut_free(og_inf_cut *cut)
{
    for (int32_t i = 0; cut != NULL && i < cut->capacity; i++) {
        free(cut->sampled[i].row);
    }
    if (cut != NULL) {
        free(cut->sampled);
        free(cut->paid);
        free(cut->most);
    }
    free(cut);
}
