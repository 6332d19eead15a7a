/*
 * Many indices of akg at once. After a comparison of i and j every other parameter is c times as
 * large, and the two are c x and c y. With above(u, v) the chance that the larger of two parameters
 * stands for the larger score, and R(x, c) its sum over all pairs (c x, c a_k), the new sum over
 * pairs is that of all parameters scaled by c, less R of the old two, plus R of x and of y, but for
 * terms of i and j. Where x passes an a_k above changes its branch: R is smooth between, and
 * interpolated there by polynomials in log x and log c, at Chebyshev's points.
 */
#include "heuristics/families/ranking_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "heuristics/families/ranking_belief.h"

enum { FEW = 16, NODES_MAX = 96 };

/* Points in [middle - half, middle + half], of a logarithm. */
typedef struct {
    double middle, half;
    int32_t count;
} range;

/* What a comparison with this outcome leaves; NAN: the belief leaves the range of doubles. */
typedef struct {
    double c, x, y;
} outcome;

/* R near an item: [branches][nodes of x][nodes of c], the first with `below` parameters smaller. */
typedef struct {
    range x;
    int32_t below;
    double *value;
} row;

typedef struct {
    og_arena arena;
    const double *a;
    int32_t items;
    double *sorted;   /* [items] a, ascending */
    outcome *outcome; /* [2 * count] */
    range c;
    double *still; /* [items][c.count] R of every item as it is */
    double *all;   /* [c.count] their sum over pairs */
    row *row;      /* [items] NULL, and those without values: summed directly */
} job;

/* ---- interpolation ---- */

static double node(int32_t count, int32_t k)
{
    return cos((2 * k + 1) * M_PI / (2 * count));
}

static double node_of(const range *r, int32_t k)
{
    return exp(r->middle + r->half * node(r->count, k));
}

/* Lagrange's polynomials at a point, by barycentric weights. */
static void weights(const range *r, double at, double *weight)
{
    double t = (log(at) - r->middle) / r->half, sum = 0;
    for (int32_t k = 0; k < r->count; k++) {
        double off = t - node(r->count, k);
        if (off == 0) {
            memset(weight, 0, (size_t)r->count * sizeof *weight);
            weight[k] = 1;
            return;
        }
        weight[k] = (k % 2 == 0 ? 1 : -1) * sin((2 * k + 1) * M_PI / (2 * r->count)) / off;
        sum += weight[k];
    }
    for (int32_t k = 0; k < r->count; k++) {
        weight[k] /= sum;
    }
}

/* The nearest singularities are where a parameter is negative, at pi i of its logarithm; `steep` is
 * how fast the exponent grows on the way. */
static range range_of(double low, double high, double steep)
{
    const double digits = 25; /* e^-25: sums are divided by many pairs */
    range r = {(log(low) + log(high)) / 2, fmax((log(high) - log(low)) / 2, 1e-9), 0};
    double reach = fmin(M_PI / r.half, 4 / (r.half * steep));
    r.count = (int32_t)fmin(NODES_MAX, 3 + ceil(digits / log(reach + hypot(reach, 1))));
    return r;
}

/* ---- sums ---- */

static double larger(double u, double v)
{
    return og_ranking_above(fmax(u, v), fmin(u, v));
}

static double sum_row(const job *of, double x, double c)
{
    double sum = 0;
    for (int32_t k = 0; k < of->items; k++) {
        sum += larger(c * x, c * of->a[k]);
    }
    return sum;
}

static int32_t count_below(const job *of, double x)
{
    int32_t low = 0, high = of->items;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (of->sorted[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* R(x, c) of item i, changed to x. */
static double changed_row(const job *of, int32_t i, double x, double c, const double *in_c)
{
    const row *r = of->row != NULL ? &of->row[i] : NULL;
    if (r == NULL || r->value == NULL) {
        return sum_row(of, x, c);
    }
    double in_x[NODES_MAX], sum = 0;
    size_t size = (size_t)r->x.count * (size_t)of->c.count;
    const double *value = r->value + (size_t)(count_below(of, x) - r->below) * size;
    weights(&r->x, x, in_x);
    for (int32_t n = 0; n < r->x.count; n++) {
        double part = 0;
        for (int32_t l = 0; l < of->c.count; l++) {
            part += in_c[l] * *value++;
        }
        sum += in_x[n] * part;
    }
    return sum;
}

/* One point of a row: every branch. */
static void fill_point(const job *of, const row *r, int32_t branches, int32_t n, int32_t l)
{
    double x = node_of(&r->x, n), c = node_of(&of->c, l), sum = 0;
    size_t size = (size_t)r->x.count * (size_t)of->c.count;
    double *value = r->value + (size_t)(n * of->c.count + l);
    for (int32_t k = 0; k < of->items; k++) {
        double above = og_ranking_above(c * x, c * of->sorted[k]);
        sum += k < r->below ? above : 1 - above;
    }
    value[0] = sum;
    for (int32_t b = 1; b < branches; b++) {
        double above = og_ranking_above(c * x, c * of->sorted[r->below + b - 1]);
        sum += 2 * above - 1;
        value[(size_t)b * size] = sum;
    }
}

static og_status fill_row(job *of, row *r, double low, double high)
{
    r->x = range_of(low * (1 - 1e-12), high * (1 + 1e-12), sqrt(high));
    r->below = count_below(of, low * (1 - 1e-12));
    if (r->x.count == NODES_MAX) { /* too wide for polynomials */
        return OG_OK;
    }
    int32_t branches = count_below(of, high * (1 + 1e-12)) - r->below + 1;
    size_t size = (size_t)r->x.count * (size_t)of->c.count;
    r->value = og_arena_array(&of->arena, (size_t)branches * size, sizeof *r->value);
    OG_TRY(OG_ALLOCATED(r->value));
    for (int32_t n = 0; n < r->x.count; n++) {
        for (int32_t l = 0; l < of->c.count; l++) {
            fill_point(of, r, branches, n, l);
        }
    }
    return OG_OK;
}

/* ---- what a comparison changes ---- */

static double at_c(const job *of, const double *table, const double *in_c)
{
    double sum = 0;
    for (int32_t l = 0; l < of->c.count; l++) {
        sum += in_c[l] * table[l];
    }
    return sum;
}

static double sorted_after(const job *of, int32_t i, int32_t j, const outcome *o)
{
    double in_c[NODES_MAX], c = o->c, a = c * of->a[i], b = c * of->a[j], x = c * o->x,
                            y = c * o->y;
    weights(&of->c, c, in_c);
    double sum = at_c(of, of->all, in_c);
    sum -= at_c(of, of->still + (ptrdiff_t)i * of->c.count, in_c) - 0.5;
    sum -= at_c(of, of->still + (ptrdiff_t)j * of->c.count, in_c) - 0.5;
    sum += larger(a, b);
    sum += changed_row(of, i, o->x, c, in_c) + changed_row(of, j, o->y, c, in_c);
    sum -= larger(x, a) + larger(x, b) + larger(y, a) + larger(y, b);
    sum += larger(x, y);
    return sum / ((double)of->items * (of->items - 1) / 2);
}

static outcome outcome_of(const job *of, const double *worker, int32_t i, int32_t j, bool first,
                          double *after)
{
    double same[2] = {1, 1};
    int32_t other = 0;
    while (other == i || other == j) {
        other++;
    }
    memcpy(after, of->a, (size_t)of->items * sizeof *after);
    if (worker != NULL) {
        memcpy(same, worker, sizeof same);
    }
    bool fine = og_ranking_match(after, of->items, worker != NULL ? same : NULL, first ? i : j,
                                 first ? j : i);
    double c = after[other] / of->a[other];
    return fine ? (outcome){c, after[i] / c, after[j] / c} : (outcome){NAN, NAN, NAN};
}

/* ---- the whole ---- */

static int compare_numbers(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static og_status fill_still(job *of)
{
    size_t nodes = (size_t)of->c.count, items = (size_t)of->items;
    of->still = og_arena_array(&of->arena, items * nodes, sizeof *of->still);
    of->all = og_arena_array(&of->arena, nodes, sizeof *of->all);
    OG_TRY(og_arena_status(&of->arena));
    for (int32_t l = 0; l < of->c.count; l++) {
        double c = node_of(&of->c, l);
        for (size_t i = 0; i < items; i++) {
            of->still[i * nodes + (size_t)l] += 0.5;
            for (size_t k = i + 1; k < items; k++) {
                double above = larger(c * of->a[i], c * of->a[k]);
                of->still[i * nodes + (size_t)l] += above;
                of->still[k * nodes + (size_t)l] += above;
                of->all[l] += above;
            }
        }
    }
    return OG_OK;
}

static og_status fill_rows(job *of, const og_open *open, int32_t count)
{
    size_t items = (size_t)of->items;
    double *low = og_arena_array(&of->arena, items, sizeof *low);
    double *high = og_arena_array(&of->arena, items, sizeof *high);
    of->row = og_arena_array(&of->arena, items, sizeof *of->row);
    OG_TRY(og_arena_status(&of->arena));
    for (int32_t k = 0; k < 2 * count; k++) {
        const outcome *o = &of->outcome[k];
        for (int32_t side = 0; !isnan(o->c) && side < 2; side++) {
            uint32_t i = open[k / 2].act.part[side];
            double at = side == 0 ? o->x : o->y;
            low[i] = high[i] == 0 ? at : fmin(low[i], at);
            high[i] = fmax(high[i], at);
        }
    }
    og_status status = OG_OK;
    for (size_t i = 0; i < items; i++) {
        if (high[i] > 0) {
            OG_THEN(status, fill_row(of, &of->row[i], low[i], high[i]));
        }
    }
    return status;
}

static og_status prepare(job *of, const double *worker, const og_open *open, int32_t count)
{
    const int64_t points = 80; /* of a row, about */
    double low = INFINITY, high = 0, largest = 0;
    double *after = og_arena_array(&of->arena, (size_t)of->items, sizeof *after);
    of->sorted = og_arena_copy(&of->arena, of->a, (size_t)of->items, sizeof *of->sorted);
    of->outcome = og_arena_array(&of->arena, 2 * (size_t)count, sizeof *of->outcome);
    OG_TRY(og_arena_status(&of->arena));
    qsort(of->sorted, (size_t)of->items, sizeof *of->sorted, compare_numbers);
    largest = of->sorted[of->items - 1];
    for (int32_t k = 0; k < 2 * count; k++) {
        const uint32_t *act = open[k / 2].act.part;
        outcome *o = &of->outcome[k];
        *o = outcome_of(of, worker != NULL ? worker + 2 * act[2] : NULL, (int32_t)act[0],
                        (int32_t)act[1], k % 2 == 0, after);
        low = fmin(low, o->c); /* which leave NAN out */
        high = fmax(high, o->c);
    }
    of->c = range_of(fmin(low, 1), fmax(high, 1), fmax(largest, 1));
    if (of->c.count == NODES_MAX) {
        return OG_OK; /* each by itself */
    }
    OG_TRY(fill_still(of));
    bool many = 4 * (int64_t)count > points * of->items;
    return many ? fill_rows(of, open, count) : OG_OK;
}

og_status og_ranking_rises(const double *a, int32_t items, const double *worker,
                           const og_open *open, int32_t count, double *rise)
{
    job of = {.a = a, .items = items};
    double now = og_ranking_sorted(a, items);
    double *after = og_arena_array(&of.arena, (size_t)items, sizeof *after);
    og_status status = og_arena_status(&of.arena);
    if (items > FEW) {
        OG_THEN(status, prepare(&of, worker, open, count));
    }
    for (int32_t k = 0; status == OG_OK && k < count; k++) {
        const uint32_t *act = open[k].act.part;
        const double *own = worker != NULL ? worker + 2 * act[2] : NULL;
        int32_t i = (int32_t)act[0], j = (int32_t)act[1];
        if (of.all == NULL) {
            rise[k] = og_ranking_rise(a, items, own, i, j, now, after);
            continue;
        }
        const outcome *o = &of.outcome[2 * k];
        rise[k] = isnan(o[0].c) || isnan(o[1].c) ? NAN : 0;
        if (own == NULL || own[0] != own[1]) {
            rise[k] += og_ranking_chance(a, own, i, j) * (sorted_after(&of, i, j, &o[0]) - now) +
                       og_ranking_chance(a, own, j, i) * (sorted_after(&of, i, j, &o[1]) - now);
        }
    }
    og_arena_clear(&of.arena);
    return status;
}
