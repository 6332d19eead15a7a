/*
 * Finds the largest posterior of log scores and its curvature. The reports of one worker about one
 * pair with the same winner are one entry with a weight; entries are sorted, so no sum depends on
 * the order of rows.
 */
#include "bench/recorded/pairs_belief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/crowd_coin.h"
#include "dp/base/vector.h"
#include "dp/prior/beta_nodes.h"
#include "heuristics/families/ranking_belief.h"

enum { STEPS = 500, AT_ONCE = 64, FEWEST_POINTS = 32, PIVOTS = 8 };

#define SURE UINT32_MAX /* no worker: the report is right */

typedef struct {
    double weight;   /* reports; half ones of draws */
    double r;        /* probability that the report is not the opposite one */
    uint32_t worker; /* from list_by_worker on the place among all reports by worker */
    bool low;        /* the winner is the item `low` */
} entry;

/* What a pass leaves of an entry by a worker. */
typedef struct {
    double weight, r;
    double from, step;   /* logit of r, and what was added to it */
    double change, lead; /* of the step, and of where it led, since the pass before */
} report;

/* The entries of a pair; and the curvature of all, the whole one and the part that is never
 * negative, as in expectation maximisation. */
typedef struct {
    uint32_t low, high;
    size_t first, end; /* entries */
    double win[2];     /* probabilities that `high` wins, and `low` */
    double weight;     /* of all entries */
    double whole, part;
} edge;

typedef struct {
    og_arena arena;
    og_stop *stop;
    uint32_t items, workers;
    double prior;
    const double *worker_prior; /* NULL: no workers */
    entry *entry;               /* [count] sorted by pair, worker and winner */
    size_t count;
    edge *edge; /* [edges] sorted */
    size_t edges;
    report *report;                       /* [first[workers]] by worker, then in order of entries */
    double *alpha;                        /* [first[workers]] messages to the workers */
    size_t *first;                        /* [workers + 2] of a worker */
    double *mode, *score;                 /* [items] */
    double *slope, *step, *next;          /* [items] */
    double *rest, *along, *image, *scale; /* [items] of the conjugate gradients */
    double shift; /* what each number of H has more, so that H is definite; changes no difference */
    double *matrix;  /* [items][items] or NULL */
    double *columns; /* with it, [PIVOTS][items] of the pivots, and [items][PIVOTS] their shares */
} state;

/* ---- entries ---- */

/* Draws are sure; `worker` is SURE already if all are. */
static uint32_t worker_of(const og_pair *pair)
{
    return pair->draw ? SURE : pair->worker;
}

static int compare_pairs(const void *x, const void *y)
{
    const og_pair *a = x, *b = y;
    for (int k = 0; k < 2; k++) {
        if (a->item[k] != b->item[k]) {
            return a->item[k] > b->item[k] ? 1 : -1;
        }
    }
    return (worker_of(a) > worker_of(b)) - (worker_of(a) < worker_of(b));
}

/* Adds the reports of one worker about one pair, with the wins of each item. */
static void add_entries(state *s, const og_pair *pair, const double wins[2])
{
    uint32_t worker = worker_of(pair);
    const double *prior = s->worker_prior;
    size_t first = s->count;
    for (int k = 0; k < 2; k++) {
        if (wins[k] > 0) {
            s->entry[s->count++] =
                (entry){.worker = worker,
                        .low = k == 0,
                        .weight = wins[k],
                        .r = worker == SURE ? 1 : prior[0] / (prior[0] + prior[1])};
        }
    }
    edge *last = s->edges > 0 ? &s->edge[s->edges - 1] : NULL;
    if (last == NULL || last->low != pair->item[0] || last->high != pair->item[1]) {
        last = &s->edge[s->edges++];
        *last = (edge){.low = pair->item[0], .high = pair->item[1], .first = first};
    }
    last->weight += wins[0] + wins[1];
    last->end = s->count;
}

static og_status make_entries(state *s, const og_pairs *pairs)
{
    size_t count = (size_t)pairs->count, groups = 0;
    og_arena arena = {0};
    og_pair *sorted = og_arena_copy(&arena, pairs->pair, count, sizeof *sorted);
    OG_TRY(og_arena_status(&arena));
    for (size_t k = 0; s->worker_prior == NULL && k < count; k++) {
        sorted[k].worker = SURE;
    }
    qsort(sorted, count, sizeof *sorted, compare_pairs);
    for (size_t k = 0; k < count; k++) {
        groups += k == 0 || compare_pairs(&sorted[k], &sorted[k - 1]) != 0;
    }
    s->entry = og_arena_array(&s->arena, 2 * groups, sizeof *s->entry);
    s->edge = og_arena_array(&s->arena, groups, sizeof *s->edge);
    double wins[2] = {0, 0};
    for (size_t k = 0; og_arena_status(&s->arena) == OG_OK && k < count; k++) {
        wins[0] += sorted[k].draw ? 0.5 : sorted[k].first;
        wins[1] += sorted[k].draw ? 0.5 : !sorted[k].first;
        if (k + 1 == count || compare_pairs(&sorted[k], &sorted[k + 1]) != 0) {
            add_entries(s, &sorted[k], wins);
            wins[0] = wins[1] = 0;
        }
    }
    og_arena_clear(&arena);
    return og_arena_status(&s->arena);
}

static og_status list_by_worker(state *s)
{
    s->first = og_arena_array(&s->arena, s->workers + (size_t)2, sizeof *s->first);
    s->report = og_arena_array(&s->arena, s->count, sizeof *s->report);
    s->alpha = og_arena_array(&s->arena, s->count, sizeof *s->alpha);
    OG_TRY(og_arena_status(&s->arena));
    for (size_t k = 0; k < s->count; k++) {
        s->first[s->entry[k].worker != SURE ? s->entry[k].worker + 2 : 0]++;
    }
    s->first[0] = 0;
    for (uint32_t w = 0; w < s->workers; w++) {
        s->first[w + 2] += s->first[w + 1];
    }
    for (size_t k = 0; k < s->count; k++) {
        entry *e = &s->entry[k];
        if (e->worker != SURE) {
            size_t place = s->first[e->worker + 1]++;
            s->report[place] = (report){.weight = e->weight, .r = e->r};
            e->worker = (uint32_t)place;
        }
    }
    return OG_OK;
}

/* ---- the maximum ---- */

/* Of the reports of a pair, without the divisors: `ahead` is the item that is first in them. */
static double log_likelihood(const state *s, const edge *pair, bool ahead, double other)
{
    double sum = 0, product = 1;
    for (size_t k = pair->first; k < pair->end; k++) {
        const entry *e = &s->entry[k];
        double likely = e->low == ahead ? e->r + (1 - e->r) * other : e->r * other + (1 - e->r);
        if (e->weight != 1) {
            sum += e->weight * log(likely);
        } else if ((product *= likely) < 1e-200) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

/* Normalises log scores, computes the scores, and returns the logarithm of the density. */
static double density_at(const state *s, double *mode, double *score)
{
    double most = -INFINITY, sum = 0, density = 0;
    for (uint32_t i = 0; i < s->items; i++) {
        most = fmax(most, mode[i]);
    }
    for (uint32_t i = 0; i < s->items; i++) {
        sum += exp(mode[i] - most);
    }
    for (uint32_t i = 0; i < s->items; i++) {
        mode[i] -= most + log(sum);
        score[i] = exp(mode[i]);
        density += s->prior * mode[i];
    }
    for (size_t k = 0; k < s->edges; k++) {
        const edge *pair = &s->edge[k];
        double d = mode[pair->low] - mode[pair->high], other = exp(-fabs(d));
        density += log_likelihood(s, pair, d >= 0, other) - pair->weight * log1p(other);
    }
    return density;
}

/* Slope of the logarithm of the likelihood of a report in d, and minus its second derivative. */
static void bend_of(const entry *e, double up, double down, double *slope, double *curvature)
{
    double faithful = e->r * up, opposite = (1 - e->r) * down, both = faithful + opposite;
    *slope = (2 * e->r - 1) * up * down / both;
    *curvature = up * down - faithful * opposite / (both * both);
}

/* Fills the curvatures of pairs, and the slope of the density. */
static void find_slopes(state *s)
{
    double all = s->prior * s->items;
    for (uint32_t i = 0; i < s->items; i++) {
        s->slope[i] = s->prior - all * s->score[i];
    }
    for (size_t k = 0; k < s->edges; k++) {
        edge *pair = &s->edge[k];
        double d = s->mode[pair->low] - s->mode[pair->high], other = exp(-fabs(d)), sum = 0;
        double large = 1 / (1 + other), small = other / (1 + other);
        pair->win[1] = d >= 0 ? large : small;
        pair->win[0] = d >= 0 ? small : large;
        pair->whole = 0;
        pair->part = pair->weight * large * small;
        for (size_t i = pair->first; i < pair->end; i++) {
            const entry *e = &s->entry[i];
            double slope, curvature;
            bend_of(e, pair->win[e->low], pair->win[!e->low], &slope, &curvature);
            sum += e->low ? e->weight * slope : -e->weight * slope;
            pair->whole += e->weight * curvature;
        }
        s->slope[pair->low] += sum;
        s->slope[pair->high] -= sum;
    }
}

static double curvature_of(const edge *e, bool whole)
{
    return whole ? e->whole : e->part;
}

static double product(const state *s, const double *x, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->items; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* image = H along. */
static void apply(const state *s, bool whole, const double *along, double *image)
{
    double all = s->prior * s->items, mean = product(s, s->score, along), sum = 0;
    for (uint32_t i = 0; i < s->items; i++) {
        sum += along[i];
    }
    for (uint32_t i = 0; i < s->items; i++) {
        image[i] = all * s->score[i] * (along[i] - mean) + s->shift * sum;
    }
    for (size_t k = 0; k < s->edges; k++) {
        const edge *e = &s->edge[k];
        double force = curvature_of(e, whole) * (along[e->low] - along[e->high]);
        image[e->low] += force;
        image[e->high] -= force;
    }
}

/* Finds the diagonal of H, and its shift. */
static void find_scale(state *s, bool whole)
{
    double all = s->prior * s->items, trace = 0;
    for (uint32_t i = 0; i < s->items; i++) {
        s->scale[i] = all * s->score[i] * (1 - s->score[i]);
    }
    for (size_t k = 0; k < s->edges; k++) {
        const edge *e = &s->edge[k];
        s->scale[e->low] += curvature_of(e, whole);
        s->scale[e->high] += curvature_of(e, whole);
    }
    for (uint32_t i = 0; i < s->items; i++) {
        trace += s->scale[i];
    }
    s->shift = trace / s->items / s->items;
    for (uint32_t i = 0; i < s->items; i++) {
        s->scale[i] += s->shift;
    }
}

/* Solves H step = slope by conjugate gradients, scaled by the diagonal. False: H is not positive
 * definite. */
static bool find_step(state *s, bool whole)
{
    find_scale(s, whole);
    for (uint32_t i = 0; i < s->items; i++) {
        if (!(s->scale[i] > 0)) {
            return false;
        }
        s->step[i] = 0;
        s->rest[i] = s->slope[i];
        s->along[i] = s->rest[i] / s->scale[i];
    }
    double size = product(s, s->rest, s->along), first = size;
    for (uint32_t n = 0; n < 2 * s->items + 50 && size > 1e-28 * first; n++) {
        apply(s, whole, s->along, s->image);
        double bend = product(s, s->along, s->image);
        if (!(bend > 0)) {
            return false;
        }
        double length = size / bend, before = size;
        size = 0;
        for (uint32_t i = 0; i < s->items; i++) {
            s->step[i] += length * s->along[i];
            s->rest[i] -= length * s->image[i];
            size += s->rest[i] * (s->rest[i] / s->scale[i]);
        }
        for (uint32_t i = 0; i < s->items; i++) {
            s->along[i] = s->rest[i] / s->scale[i] + size / before * s->along[i];
        }
    }
    return true;
}

/* Moves along the step, as far as the density rises, but for its rounding. Returns the largest move
 * of a log score. */
static double move(state *s, double *density)
{
    const double longest = 4, shortest = 1e-6, rounding = 1e-13;
    double most = 0, now;
    for (uint32_t i = 0; i < s->items; i++) {
        most = fmax(most, fabs(s->step[i]));
    }
    double part = 2 * fmin(1, longest / most);
    do {
        part /= 2;
        for (uint32_t i = 0; i < s->items; i++) {
            s->next[i] = s->mode[i] + part * s->step[i];
        }
        now = density_at(s, s->next, s->score);
    } while (now < *density - rounding * fabs(*density) && part > shortest);
    double *old = s->mode;
    s->mode = s->next;
    s->next = old;
    *density = now;
    return part * most;
}

/* Ends when log scores move by less than `near`, would do so in the next step (convergence is
 * quadratic), or move no longer less than before. */
static og_status find_mode(state *s)
{
    const double near = 1e-12, nearly = 1e-9;
    double density = density_at(s, s->mode, s->score), moved = INFINITY, before = INFINITY;
    bool more = true;
    for (int n = 0; n < STEPS && more; n++) {
        find_slopes(s);
        if (!find_step(s, true) && !find_step(s, false)) {
            break;
        }
        before = moved;
        moved = move(s, &density);
        double next = n > 0 ? moved * (moved / before) * (moved / before) : moved;
        more = fmin(moved, next) > near && !(moved < nearly && moved > before / 2);
        if (og_stop_asked(s->stop)) {
            return og_stop_status(s->stop);
        }
    }
    find_slopes(s);
    return OG_OK;
}

/* ---- the covariance ---- */

/* The lower half of H. */
static void fill_matrix(state *s, bool whole)
{
    size_t n = s->items;
    double all = s->prior * (double)n;
    find_scale(s, whole);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            s->matrix[i * n + j] = s->shift - all * s->score[i] * s->score[j];
        }
        s->matrix[i * n + i] = s->scale[i];
    }
    for (size_t k = 0; k < s->edges; k++) {
        const edge *e = &s->edge[k];
        s->matrix[e->high * n + e->low] -= curvature_of(e, whole);
    }
}

/* row -= sum of share[b] * column[b]. */
OG_VECTOR_CLONES static void subtract(double *restrict row, const double *restrict column,
                                      size_t size, const double *share, size_t count)
{
    const double *c[PIVOTS], *w = share;
    for (size_t b = 0; b < PIVOTS; b++) {
        c[b] = column + b * size;
    }
    for (size_t j = 0; j < count; j++) {
        row[j] -= ((w[0] * c[0][j] + w[1] * c[1][j]) + (w[2] * c[2][j] + w[3] * c[3][j])) +
                  ((w[4] * c[4][j] + w[5] * c[5][j]) + (w[6] * c[6][j] + w[7] * c[7][j]));
    }
}

/* Inverts the pivots' block of `count` rows, in the first columns of block[PIVOTS][PIVOTS]. */
static bool invert_block(double block[PIVOTS][PIVOTS], size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double pivot = block[k][k];
        if (!(pivot > 0)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; i != k && j < count; j++) {
                block[i][j] -= j != k ? block[i][k] * block[k][j] / pivot : 0;
            }
        }
        for (size_t i = 0; i < count; i++) {
            block[i][k] /= i != k ? pivot : -pivot * pivot;
            block[k][i] = block[i][k];
        }
    }
    for (size_t i = 0; i < count * PIVOTS; i++) {
        block[i / PIVOTS][i % PIVOTS] = -block[i / PIVOTS][i % PIVOTS];
    }
    return true;
}

/* Sweeps the lower half of the matrix by the `count` rows and columns from `first` on: with their
 * block P, A - C P^-1 C^T, C P^-1 and -P^-1. OG_FAILED: it is not positive definite. */
static og_status sweep(const state *s, size_t first, size_t count)
{
    size_t n = s->items, end = first + count;
    double block[PIVOTS][PIVOTS] = {{0}}, *share = s->columns + PIVOTS * n;
    for (size_t b = 0; b < count; b++) {
        double *column = s->columns + b * n;
        for (size_t i = 0; i < n; i++) {
            size_t k = first + b;
            column[i] = i < k ? s->matrix[k * n + i] : s->matrix[i * n + k];
        }
        memcpy(block[b], column + first, count * sizeof *column);
    }
    if (!invert_block(block, count)) {
        return OG_FAILED;
    }
    for (size_t i = 0; i < n; i++) {
        double *own = share + i * PIVOTS;
        for (size_t b = 0; b < PIVOTS; b++) {
            own[b] = 0;
            for (size_t k = 0; k < count; k++) {
                own[b] += block[b][k] * s->columns[k * n + i];
            }
        }
        subtract(s->matrix + i * n, s->columns, n, own, i < first || i >= end ? i + 1 : 0);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t b = 0; b < count; b++) {
            size_t k = first + b;
            double inside = i >= first && i < end ? -block[b][i - first] : share[i * PIVOTS + b];
            *(i < k ? &s->matrix[k * n + i] : &s->matrix[i * n + k]) = inside;
        }
    }
    return OG_OK;
}

/* Inverts the matrix in place, by sweeps; OG_FAILED: it is not positive definite. */
static og_status invert(const state *s)
{
    size_t n = s->items;
    for (size_t first = 0; first < n; first += PIVOTS) {
        OG_TRY(sweep(s, first, n - first < PIVOTS ? n - first : PIVOTS));
        if (og_stop_asked(s->stop)) {
            return og_stop_status(s->stop);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            s->matrix[i * n + j] = s->matrix[j * n + i] = -s->matrix[i * n + j];
        }
    }
    return OG_OK;
}

static og_status find_covariance(state *s)
{
    fill_matrix(s, true);
    og_status status = invert(s);
    if (status == OG_FAILED) {
        fill_matrix(s, false);
        status = invert(s);
    }
    return status;
}

static double variance_of(const double *covariance, size_t n, size_t i, size_t j)
{
    return covariance[i * n + i] + covariance[j * n + j] - 2 * covariance[i * n + j];
}

/* ---- workers ---- */

/* alpha: sigma(d) at the maximum without one report, of the Beta with this mode and curvature. */
static void send_to_workers(const state *s)
{
    const double least = 1e-9;
    for (size_t k = 0; k < s->edges; k++) {
        const edge *pair = &s->edge[k];
        double variance = variance_of(s->matrix, s->items, pair->low, pair->high);
        for (size_t i = pair->first; i < pair->end; i++) {
            const entry *e = &s->entry[i];
            double up = pair->win[e->low], down = pair->win[!e->low], slope, curvature;
            if (e->worker == SURE) {
                continue;
            }
            bend_of(e, up, down, &slope, &curvature);
            double size = (1 / variance - curvature) / (up * down);
            s->alpha[e->worker] = fmin(1 - least, fmax(least, up - slope / fmax(least, size)));
        }
    }
}

/* The density of a worker's reliability, with the points of their prior for the most reports. */
typedef struct {
    og_coin_rule rule;
    og_coin coin;
    og_coin_window *window; /* [workers] of the last pass */
    og_crowd_line *line;    /* [the most reports] */
    uint32_t count;
} workers;

static og_status make_crowd(state *s, workers *out)
{
    double most = 0;
    for (uint32_t w = 0; w < s->workers; w++) {
        double reports = 0;
        for (size_t k = s->first[w]; k < s->first[w + 1]; k++) {
            reports += s->report[k].weight;
        }
        most = fmax(most, reports);
    }
    int32_t points = FEWEST_POINTS;
    while (points < 4 * sqrt(most)) {
        points += points / 4 * 2;
    }
    out->line = og_arena_array(&s->arena, (size_t)most, sizeof *out->line);
    out->window = og_arena_array(&s->arena, s->workers, sizeof *out->window);
    OG_TRY(og_arena_status(&s->arena));
    OG_TRY(og_coin_rule_new(&s->arena, points, &out->rule));
    OG_TRY(og_coin_init(&s->arena, points, &out->coin));
    return og_beta_nodes(s->worker_prior[0], s->worker_prior[1], points, out->rule.at,
                         out->rule.rest, out->rule.weight);
}

/* Finds the density of the worker. Each report is a line. */
static void take_worker(const state *s, uint32_t w, workers *all)
{
    all->count = 0;
    for (size_t k = s->first[w]; k < s->first[w + 1]; k++) {
        for (double n = 0; n < s->report[k].weight; n++) {
            all->line[all->count++] = (og_crowd_line){.at = s->alpha[k], .rest = 1 - s->alpha[k]};
        }
    }
    og_coin_take(&all->coin, &all->rule, all->window[w], (og_crowd_line *[2]){all->line},
                 (uint32_t[2]){all->count});
    all->window[w] = all->coin.window;
}

static double logit(double r)
{
    return log(r / (1 - r));
}

/* Returns the largest move of an r, which is made. */
static double send_to_scores(const state *s, workers *all)
{
    double moved = 0;
    for (uint32_t w = 0; w < s->workers && !og_stop_asked(s->stop); w++) {
        const og_crowd_line *line = all->line;
        take_worker(s, w, all);
        og_coin_means(&all->coin, false, (og_crowd_line *[2]){all->line},
                      (uint32_t[2]){all->count});
        for (size_t k = s->first[w]; k < s->first[w + 1]; k++) {
            report *e = &s->report[k];
            double r = line->mean.right, from = logit(e->r), step = logit(r) - from;
            moved = fmax(moved, fabs(r - e->r));
            e->r = r;
            e->lead = step - e->step + from - e->from;
            e->change = step - e->step;
            e->from = from;
            e->step = step;
            line += (size_t)e->weight;
        }
    }
    return moved;
}

/* Moves each r on to where the last two steps lead, if they change along a line (Anderson,
 * "Iterative procedures for nonlinear integral equations", J. ACM 12 (1965)). */
static void lead_on(const state *s)
{
    double size = 0, along = 0;
    for (size_t k = 0; k < s->first[s->workers]; k++) {
        const report *e = &s->report[k];
        size += e->change * e->change;
        along += e->change * e->step;
    }
    double share = size > 0 ? along / size : 0;
    for (size_t k = 0; k < s->first[s->workers]; k++) {
        report *e = &s->report[k];
        e->r = 1 / (1 + exp(-(e->from + e->step - share * e->lead)));
    }
}

/* The entries' r are those of the reports. */
static void take_reports(const state *s)
{
    for (size_t k = 0; k < s->count; k++) {
        entry *e = &s->entry[k];
        e->r = e->worker != SURE ? s->report[e->worker].r : e->r;
    }
}

/* Keeps 40 bits. */
static double steady(double x)
{
    int exponent;
    double part = frexp(x, &exponent);
    return ldexp(rint(ldexp(part, 40)), exponent - 40);
}

static void match_workers(const state *s, workers *all, og_pairs_belief *out)
{
    for (uint32_t w = 0; w < s->workers; w++) {
        double *beta = &out->worker[2 * (size_t)w];
        take_worker(s, w, all);
        og_coin_beta(&all->coin, beta);
        beta[0] = steady(beta[0]);
        beta[1] = steady(beta[1]);
    }
}

static og_status pass_messages(state *s, og_pairs_belief *out)
{
    const double still = 1e-9;
    workers all;
    double moved = INFINITY, before = INFINITY;
    OG_TRY(list_by_worker(s));
    OG_TRY(make_crowd(s, &all));
    for (int pass = 0; pass < OG_PAIRS_PASSES && moved > still; pass++) {
        OG_TRY(find_mode(s));
        OG_TRY(find_covariance(s));
        send_to_workers(s);
        before = moved;
        moved = send_to_scores(s, &all);
        if (pass > 0 && moved < 2 * before) {
            lead_on(s);
        }
        take_reports(s);
    }
    out->settled = moved <= still;
    match_workers(s, &all, out);
    return OG_OK;
}

/* ---- all of it ---- */

static og_status prepare(state *s, const og_pairs *pairs, og_pairs_belief *out)
{
    double **part[] = {&s->mode, &s->next,  &s->score, &s->slope, &s->step,
                       &s->rest, &s->along, &s->image, &s->scale};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i] = og_arena_array(&s->arena, s->items, sizeof **part[i]);
    }
    out->items = s->items;
    out->mode = og_arena_array(&out->arena, s->items, sizeof *out->mode);
    if (s->items <= OG_PAIRS_SPREAD_MAX) {
        out->covariance =
            og_arena_array(&out->arena, (size_t)s->items * s->items, sizeof *out->covariance);
    }
    if (s->worker_prior != NULL) {
        out->worker = og_arena_array(&out->arena, 2 * (size_t)s->workers, sizeof *out->worker);
    }
    s->columns = og_arena_array(&s->arena, out->covariance != NULL ? 2 * PIVOTS * s->items : 0,
                                sizeof *s->columns);
    OG_TRY(og_arena_status(&s->arena));
    OG_TRY(og_arena_status(&out->arena));
    s->matrix = out->covariance;
    return make_entries(s, pairs);
}

/* The Dirichlet's size: (1 - sum p^2) over the sum of the variances of p. */
static double size_of(const state *s)
{
    double square = 0, spread = 0, mean = 0;
    size_t n = s->items;
    for (size_t i = 0; i < n; i++) {
        s->along[i] = 0;
        for (size_t j = 0; j < n; j++) {
            s->along[i] += s->matrix[i * n + j] * s->score[j];
        }
        mean += s->score[i] * s->along[i];
        square += s->score[i] * s->score[i];
    }
    for (size_t i = 0; i < n; i++) {
        double variance = s->matrix[i * n + i] - 2 * s->along[i] + mean;
        spread += s->score[i] * s->score[i] * variance;
    }
    return (1 - square) / spread;
}

static og_status believe(state *s, const og_pairs *pairs, og_pairs_belief *out)
{
    const double grid = 0x1p36;
    OG_TRY(prepare(s, pairs, out));
    if (s->worker_prior != NULL) {
        OG_TRY(pass_messages(s, out));
    }
    OG_TRY(find_mode(s));
    OG_TRY(s->matrix != NULL ? find_covariance(s) : OG_OK);
    out->size = s->matrix != NULL ? steady(size_of(s)) : NAN;
    for (uint32_t i = 0; i < s->items; i++) {
        out->mode[i] = rint(s->mode[i] * grid) / grid;
    }
    return OG_OK;
}

og_status og_pairs_believe(const og_pairs *pairs, const og_pairs_prior *prior, og_stop *stop,
                           og_pairs_belief *out, og_message *message)
{
    bool crowd = prior->worker[0] > 0;
    if (crowd && pairs->item_count > OG_PAIRS_SPREAD_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--workers-prior supports comparisons of at most %d items, not %u; "
                              "omit it",
                              OG_PAIRS_SPREAD_MAX, pairs->item_count);
    }
    state s = {.stop = stop,
               .items = pairs->item_count,
               .workers = crowd ? pairs->worker_count : 0,
               .prior = prior->item,
               .worker_prior = crowd ? prior->worker : NULL};
    og_pairs_belief made = {.settled = true};
    og_status status = believe(&s, pairs, &made);
    og_arena_clear(&s.arena);
    return OG_MADE_IN(status, made, og_pairs_belief_clear, out);
}

void og_pairs_above(const og_pairs_belief *belief, const uint32_t *item, const uint32_t *other,
                    int32_t count, double *above)
{
    for (int32_t from = 0; from < count; from += AT_ONCE) {
        double x[AT_ONCE], y[AT_ONCE], normal[AT_ONCE];
        int32_t some = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (int32_t k = 0; k < some; k++) {
            uint32_t i = item[from + k], j = other[from + k];
            double d = fmin(700, fmax(-700, belief->mode[i] - belief->mode[j]));
            double variance = steady(variance_of(belief->covariance, belief->items, i, j));
            normal[k] = erfc(-d / sqrt(2 * variance)) / 2;
            x[k] = (1 + exp(d)) / variance;
            y[k] = (1 + exp(-d)) / variance;
        }
        og_ranking_above(x, y, some, above + from);
        for (int32_t k = 0; k < some; k++) {
            above[from + k] = (above[from + k] + normal[k]) / 2;
        }
    }
}

void og_pairs_belief_clear(og_pairs_belief *belief)
{
    og_arena_clear(&belief->arena);
    *belief = (og_pairs_belief){.items = 0};
}
