/*
 * Computes the bound with known accuracies, cell by cell. With H(m) = Pr(q >= m) + Pr(q <= 1 - m)
 * the probability of a cell [l, u) of max(q, 1 - q) is H(l) - H(u); H(1/2) = 1, H(1) = 0. A tail is
 * rounded to nearest, or is 1 minus such a number, and a cell needs up to three sums of numbers up
 * to 2. So the error of a cell's probability is less than 8 * 2^-53, and the probability is raised
 * by this.
 */
#include "heuristics/bounds/sources_unknown_bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/prior/beta.h"
#include "heuristics/bounds/sources_bound.h"

enum {
    CELLS = 128,   /* largest number, for all sources together */
    FEW = 16,      /* smallest number */
    WORK = 150000, /* limit on cells times the work of og_bound_sources: some seconds */
    LAYERS = 2000,
    SPLITS = 24,     /* additional splits, since a part that is split off may be empty */
    WIDTH_BITS = 40, /* cell boundaries are multiples of 2^-41 */
};

static const double raise = 8 * DBL_EPSILON / 2;
static const double hardly = 2e-15; /* a cell with a smaller probability is not evaluated */

/* An interval of max(q, 1 - q), in units of 2^-41 above 1/2. */
typedef struct {
    int64_t from, to;
    double tail, next; /* H of both boundaries */
} cell;

typedef struct {
    int32_t count;
    cell cell[CELLS + SPLITS];
} grid;

/* ---- probabilities of cells ---- */

static og_fraction end_of(int64_t units)
{
    const int64_t half = INT64_C(1) << WIDTH_BITS;
    return og_fraction_make(half + units, 2 * half);
}

/* Pr(q >= x), 0 < x < 1. */
static og_status tail_of(og_fraction a, og_fraction b, og_fraction x, double *out)
{
    const og_group group = {.a = a, .b = b, .threshold = x, .count = 1, .kind = OG_PRIOR_BETA};
    og_beta *beta = NULL;
    OG_TRY(og_beta_new(&group, 0, &beta));
    *out = og_beta_positive(beta, 0, 0) ? beta->call : 1 - beta->call;
    og_beta_free(beta);
    return OG_OK;
}

static og_status both_tails(og_fraction a, og_fraction b, int64_t units, double *out)
{
    double above, not_below;
    OG_TRY(tail_of(a, b, end_of(units), &above));
    OG_TRY(tail_of(a, b, end_of(-units), &not_below));
    *out = above + (1 - not_below);
    return OG_OK;
}

/* The probability of a cell, raised by its error. */
static double chance_of(const cell *c)
{
    return fmax(c->tail - c->next, 0) + raise;
}

static bool counts(const cell *c)
{
    return chance_of(c) > hardly;
}

/* Halves the cell with the largest width times probability, if it can be halved. */
static og_status split(og_fraction a, og_fraction b, grid *g, bool *done)
{
    cell *low = NULL;
    double most = 0, tail;
    for (int32_t k = 0; k < g->count; k++) {
        cell *c = &g->cell[k];
        double size = chance_of(c) * (double)(c->to - c->from);
        if (c->to - c->from > 1 && counts(c) && size > most) {
            low = c;
            most = size;
        }
    }
    *done = low == NULL;
    if (low == NULL) {
        return OG_OK;
    }
    const int64_t middle = low->from + (low->to - low->from) / 2;
    OG_TRY(both_tails(a, b, middle, &tail));
    g->cell[g->count++] = (cell){middle, low->to, tail, low->next};
    low->to = middle;
    low->next = tail;
    return OG_OK;
}

/* Makes `wanted` cells with a relevant probability, or fewer if there are not as many. */
static og_status make_grid(og_fraction a, og_fraction b, int32_t wanted, grid *g)
{
    int32_t filled = 1;
    bool done = false;
    g->count = 1;
    g->cell[0] = (cell){0, INT64_C(1) << WIDTH_BITS, 1, 0};
    while (!done && filled < wanted && g->count < wanted + SPLITS) {
        OG_TRY(split(a, b, g, &done));
        filled = 0;
        for (int32_t k = 0; k < g->count; k++) {
            filled += counts(&g->cell[k]);
        }
    }
    return OG_OK;
}

/* ---- the sum over cells ---- */

typedef struct {
    const og_groups *problem;
    const og_crowd_sources *sources;
    og_stop *stop;
    double instances;
    grid grid[OG_SOURCES_MAX];
    og_fraction accuracy[OG_SOURCES_MAX];
    og_upper_bound sum;
} sums;

/* The number of cells of each source: adds one for the source with fewest while the work limit
 * allows. */
static void share_cells(const sums *s, int32_t cells_max, int32_t cells[OG_SOURCES_MAX])
{
    const int32_t count = s->sources->sources.count, budget = s->problem->budget;
    double tables = (double)count * (budget < LAYERS ? budget + 1 : LAYERS);
    int32_t all = 1;
    for (int32_t j = 0; j < count; j++) {
        const og_label_source *source = &s->sources->sources.source[j];
        bool limited = source->most > 0 && source->most < budget / source->price;
        tables *= limited ? source->most + 1.0 : 1;
        cells[j] = 1;
    }
    int32_t most = (int32_t)(WORK / tables);
    most = most > CELLS ? CELLS : most < FEW ? FEW : most;
    most = cells_max > 0 && cells_max < CELLS ? cells_max : most;
    for (;;) {
        int32_t next = -1;
        for (int32_t j = 0; j < count; j++) {
            if (s->sources->wrong[j].den > 0 && (next < 0 || cells[j] < cells[next])) {
                next = j;
            }
        }
        if (next < 0 || all / cells[next] * (cells[next] + 1) > most) {
            return;
        }
        all = all / cells[next] * (cells[next] + 1);
        cells[next]++;
    }
}

/* Adds the bound of a cell with this probability and known accuracies. */
static og_status add_cell(sums *s, double chance)
{
    const og_sources known = og_crowd_as_known(s->sources, s->accuracy);
    og_upper_bound found;
    OG_TRY(og_bound_sources(s->problem, &known, s->stop, &found));
    s->sum.value += chance * fmin(found.value, s->instances);
    s->sum.error += chance * found.error;
    s->sum.evaluations += found.evaluations;
    s->sum.converged = s->sum.converged && found.converged;
    og_bound_clear(&found);
    return OG_OK;
}

/* Adds all cells of the sources from j on. */
static og_status add_cells(sums *s, int32_t j, double chance)
{
    while (j < s->sources->sources.count && s->sources->wrong[j].den == 0) {
        j++;
    }
    if (j == s->sources->sources.count) {
        return add_cell(s, chance);
    }
    for (int32_t k = 0; k < s->grid[j].count; k++) {
        const cell *c = &s->grid[j].cell[k];
        s->accuracy[j] = end_of(c->to);
        if (counts(c)) {
            OG_TRY(add_cells(s, j + 1, chance * chance_of(c)));
        } else { /* bounded by all instances called correctly */
            s->sum.value += chance * chance_of(c) * s->instances;
        }
    }
    return OG_OK;
}

/* Raises the sum by the possible error of the probabilities, their products and sums. */
static void raise_sum(sums *s, double cells)
{
    const double u = DBL_EPSILON / 2, steps = cells + s->sources->sources.count + 8;
    double rounding = 1.02 * u * steps * s->sum.value;
    s->sum.value += rounding;
    s->sum.error += 2 * rounding + cells * raise * s->instances;
    s->sum.value = fmin(s->sum.value, s->instances);
}

og_status og_bound_sources_unknown(const og_groups *problem, const og_crowd_sources *sources,
                                   int32_t cells_max, og_stop *stop, og_upper_bound *out)
{
    sums s = {.problem = problem, .sources = sources, .stop = stop, .sum.converged = true};
    int32_t cells[OG_SOURCES_MAX];
    double all = 1;
    s.instances = (double)og_groups_size(problem);
    share_cells(&s, cells_max, cells);
    for (int32_t j = 0; j < sources->sources.count; j++) {
        if (sources->wrong[j].den > 0) {
            OG_TRY(make_grid(sources->sources.source[j].accuracy, sources->wrong[j], cells[j],
                             &s.grid[j]));
            all *= s.grid[j].count;
        }
    }
    OG_TRY(add_cells(&s, 0, 1));
    raise_sum(&s, all);
    *out = s.sum;
    return OG_OK;
}
