/*
 * Finds the largest posterior of log scores and its curvature. The reports of one worker about one
 * pair with the same winner are one entry with a weight; entries are sorted, so no sum depends on
 * the order of rows.
 */
#include "bench/recorded/pairs_belief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/vector.h"
#include "dp/prior/beta_nodes.h"
#include "heuristics/families/ranking_belief.h"

enum {
    STEPS = 500,
    DAMPED_FROM = 20,
    AT_ONCE = 64,
    FEWEST_POINTS = 32,
    MULTIPLIED = 32,
    LANES = 8
};

#define SURE UINT32_MAX /* no worker: the report is right */

typedef struct {
    uint32_t winner, loser, worker;
    double weight;    /* reports; half ones of draws */
    double r;         /* probability that the report is not the opposite one */
    double up, down;  /* sigma(d), sigma(-d) of the winner */
    double slope;     /* of the logarithm of a report's likelihood in d */
    double curvature; /* minus its second derivative */
    double alpha;     /* message to the worker */
} entry;

/* The curvature of all entries of a pair: the whole one, and the part that is never negative, as in
 * expectation maximisation. */
typedef struct {
    uint32_t low, high;
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
    uint32_t *by_worker;                  /* [count] entries of workers */
    size_t *first;                        /* [workers + 1] in by_worker */
    double *mode, *score;                 /* [items] */
    double *slope, *step, *next;          /* [items] */
    double *rest, *along, *image, *scale; /* [items] of the conjugate gradients */
    double shift; /* what each number of H has more, so that H is definite; changes no difference */
    double *matrix; /* [items][items] or NULL */
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
    for (int k = 0; k < 2; k++) {
        if (wins[k] > 0) {
            s->entry[s->count++] =
                (entry){.winner = pair->item[k],
                        .loser = pair->item[1 - k],
                        .worker = worker,
                        .weight = wins[k],
                        .r = worker == SURE ? 1 : prior[0] / (prior[0] + prior[1])};
        }
    }
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
    s->by_worker = og_arena_array(&s->arena, s->count, sizeof *s->by_worker);
    OG_TRY(og_arena_status(&s->arena));
    for (size_t k = 0; k < s->count; k++) {
        s->first[s->entry[k].worker != SURE ? s->entry[k].worker + 2 : 0]++;
    }
    s->first[0] = 0;
    for (uint32_t w = 0; w < s->workers; w++) {
        s->first[w + 2] += s->first[w + 1];
    }
    for (size_t k = 0; k < s->count; k++) {
        if (s->entry[k].worker != SURE) {
            s->by_worker[s->first[s->entry[k].worker + 1]++] = (uint32_t)k;
        }
    }
    return OG_OK;
}

/* ---- the maximum ---- */

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
    for (size_t k = 0; k < s->count; k++) {
        const entry *e = &s->entry[k];
        double d = mode[e->winner] - mode[e->loser], other = exp(-fabs(d));
        double likely = d >= 0 ? e->r + (1 - e->r) * other : e->r * other + (1 - e->r);
        density += e->weight * (log(likely) - log1p(other));
    }
    return density;
}

static void add_curvature(state *s, const entry *e)
{
    uint32_t low = e->winner < e->loser ? e->winner : e->loser, high = e->winner ^ e->loser ^ low;
    edge *last = s->edges > 0 ? &s->edge[s->edges - 1] : NULL;
    if (last == NULL || last->low != low || last->high != high) {
        last = &s->edge[s->edges++];
        *last = (edge){.low = low, .high = high};
    }
    last->whole += e->weight * e->curvature;
    last->part += e->weight * e->up * e->down;
}

/* Fills the slopes and curvatures of entries and edges, and the slope of the density. */
static void find_slopes(state *s)
{
    double all = s->prior * s->items;
    s->edges = 0;
    for (uint32_t i = 0; i < s->items; i++) {
        s->slope[i] = s->prior - all * s->score[i];
    }
    for (size_t k = 0; k < s->count; k++) {
        entry *e = &s->entry[k];
        double other = exp(-fabs(s->mode[e->winner] - s->mode[e->loser]));
        double large = 1 / (1 + other), small = other / (1 + other);
        bool ahead = s->mode[e->winner] >= s->mode[e->loser];
        e->up = ahead ? large : small;
        e->down = ahead ? small : large;
        double faithful = e->r * e->up, opposite = (1 - e->r) * e->down, both = faithful + opposite;
        e->slope = (2 * e->r - 1) * e->up * e->down / both;
        e->curvature = e->up * e->down - faithful * opposite / (both * both);
        s->slope[e->winner] += e->weight * e->slope;
        s->slope[e->loser] -= e->weight * e->slope;
        add_curvature(s, e);
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

/* Ends when log scores move by less than `near`, or no longer less than before. */
static og_status find_mode(state *s)
{
    const double near = 1e-12, nearly = 1e-9;
    double density = density_at(s, s->mode, s->score), moved = INFINITY, before = INFINITY;
    for (int n = 0; n < STEPS && moved > near && !(moved < nearly && moved > before / 2); n++) {
        find_slopes(s);
        if (!find_step(s, true) && !find_step(s, false)) {
            break;
        }
        before = moved;
        moved = move(s, &density);
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

OG_VECTOR_CLONES static void subtract(double *restrict row, const double *restrict column,
                                      double share, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        row[j] -= share * column[j];
    }
}

/* Inverts the matrix in place, by sweeps of its lower half; OG_FAILED: it is not positive definite.
 */
static og_status invert(const state *s)
{
    size_t n = s->items;
    double *column = s->along;
    for (size_t k = 0; k < n; k++) {
        double pivot = s->matrix[k * n + k];
        if (!(pivot > 0)) {
            return OG_FAILED;
        }
        for (size_t i = 0; i < n; i++) {
            column[i] = i < k ? s->matrix[k * n + i] : s->matrix[i * n + k];
        }
        for (size_t i = 0; i < n; i++) {
            subtract(s->matrix + i * n, column, column[i] / pivot, i != k ? i + 1 : 0);
        }
        for (size_t i = 0; i < n; i++) {
            *(i < k ? &s->matrix[k * n + i] : &s->matrix[i * n + k]) = column[i] / pivot;
        }
        s->matrix[k * n + k] = -1 / pivot;
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
    for (size_t k = 0; k < s->count; k++) {
        entry *e = &s->entry[k];
        double variance = variance_of(s->matrix, s->items, e->winner, e->loser);
        double size = (1 / variance - e->curvature) / (e->up * e->down);
        e->alpha = fmin(1 - least, fmax(least, e->up - e->slope / fmax(least, size)));
    }
}

/* The points of the workers' prior, for one of them with the most reports. */
typedef struct {
    int32_t points;
    double *at, *rest, *weight;
    double *sum, *density; /* [points] */
} worker_rule;

static og_status make_rule(state *s, worker_rule *rule)
{
    double most = 0;
    for (uint32_t w = 0; w < s->workers; w++) {
        double reports = 0;
        for (size_t k = s->first[w]; k < s->first[w + 1]; k++) {
            reports += s->entry[s->by_worker[k]].weight;
        }
        most = fmax(most, reports);
    }
    rule->points = FEWEST_POINTS;
    while (rule->points < 4 * sqrt(most)) {
        rule->points *= 2;
    }
    double **part[] = {&rule->at, &rule->rest, &rule->weight, &rule->sum, &rule->density};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i] = og_arena_array(&s->arena, (size_t)rule->points, sizeof **part[i]);
    }
    OG_TRY(og_arena_status(&s->arena));
    return og_beta_nodes(s->worker_prior[0], s->worker_prior[1], rule->points, rule->at, rule->rest,
                         rule->weight);
}

/* sum += logarithms of the product. */
static void add_product(const worker_rule *rule)
{
    for (int32_t p = 0; p < rule->points; p++) {
        rule->sum[p] += log(rule->density[p]);
        rule->density[p] = 1;
    }
}

OG_VECTOR_CLONES static void multiply_report(const worker_rule *rule, double alpha)
{
    double *restrict density = rule->density;
    const double *restrict at = rule->at, *restrict rest = rule->rest;
    double other = 1 - alpha;
    int32_t points = rule->points;
    for (int32_t p = 0; p < points; p++) {
        density[p] *= alpha * at[p] + other * rest[p];
    }
}

static void add_reports(const worker_rule *rule, const entry *e)
{
    for (int32_t p = 0; p < rule->points; p++) {
        rule->sum[p] += e->weight * log(e->alpha * rule->at[p] + (1 - e->alpha) * rule->rest[p]);
    }
}

/* The density of the worker's reliability at the points, relative to the largest. Single reports
 * are multiplied before a logarithm is taken: each is at least 1e-9. */
static void find_density(const state *s, uint32_t w, worker_rule *rule)
{
    double most = -INFINITY;
    memcpy(rule->sum, rule->weight, (size_t)rule->points * sizeof *rule->sum);
    for (int32_t p = 0; p < rule->points; p++) {
        rule->density[p] = 1;
    }
    for (size_t k = s->first[w]; k < s->first[w + 1]; k++) {
        const entry *e = &s->entry[s->by_worker[k]];
        if (e->weight == 1) {
            multiply_report(rule, e->alpha);
        } else {
            add_reports(rule, e);
        }
        if ((k - s->first[w]) % MULTIPLIED == 0) {
            add_product(rule);
        }
    }
    add_product(rule);
    for (int32_t p = 0; p < rule->points; p++) {
        most = fmax(most, rule->sum[p]);
    }
    for (int32_t p = 0; p < rule->points; p++) {
        rule->density[p] = exp(rule->sum[p] - most);
    }
}

static double sum_of(const double lane[LANES])
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* The mean of the reliability without one report of this entry: LANES sums, because one would wait
 * for each addition. */
OG_VECTOR_CLONES static double mean_without(const worker_rule *rule, double alpha)
{
    double right[LANES] = {0}, all[LANES] = {0};
    const double *density = rule->density, *at = rule->at, *rest = rule->rest;
    double other = 1 - alpha;
    for (int32_t p = 0; p < rule->points; p += LANES) { /* a multiple of LANES */
        for (int32_t k = 0; k < LANES; k++) {
            double without = density[p + k] / (alpha * at[p + k] + other * rest[p + k]);
            all[k] += without;
            right[k] += without * at[p + k];
        }
    }
    return sum_of(right) / sum_of(all);
}

/* Returns the largest move of an r. */
static double send_to_scores(const state *s, worker_rule *rule, bool damped)
{
    double moved = 0;
    for (uint32_t w = 0; w < s->workers && !og_stop_asked(s->stop); w++) {
        find_density(s, w, rule);
        for (size_t k = s->first[w]; k < s->first[w + 1]; k++) {
            entry *e = &s->entry[s->by_worker[k]];
            double r = mean_without(rule, e->alpha);
            moved = fmax(moved, fabs(r - e->r));
            e->r = damped ? (r + e->r) / 2 : r;
        }
    }
    return moved;
}

/* Keeps 40 bits. */
static double steady(double x)
{
    int exponent;
    double part = frexp(x, &exponent);
    return ldexp(rint(ldexp(part, 40)), exponent - 40);
}

static void match_workers(const state *s, worker_rule *rule, og_pairs_belief *out)
{
    for (uint32_t w = 0; w < s->workers; w++) {
        double all = 0, right = 0, wrong = 0, variance = 0;
        find_density(s, w, rule);
        for (int32_t p = 0; p < rule->points; p++) {
            all += rule->density[p];
            right += rule->density[p] * rule->at[p];
            wrong += rule->density[p] * rule->rest[p];
        }
        right /= all;
        wrong /= all;
        for (int32_t p = 0; p < rule->points; p++) {
            double off = right < wrong ? rule->at[p] - right : wrong - rule->rest[p];
            variance += rule->density[p] / all * off * off;
        }
        double size = right * wrong / variance - 1;
        out->worker[2 * (size_t)w] = steady(size * right);
        out->worker[2 * (size_t)w + 1] = steady(size * wrong);
    }
}

static og_status pass_messages(state *s, og_pairs_belief *out)
{
    const double still = 1e-9;
    worker_rule rule;
    double moved = INFINITY, before = INFINITY;
    OG_TRY(list_by_worker(s));
    OG_TRY(make_rule(s, &rule));
    for (int pass = 0; pass < OG_PAIRS_PASSES && moved > still; pass++) {
        OG_TRY(find_mode(s));
        OG_TRY(find_covariance(s));
        send_to_workers(s);
        bool slow = moved > 0.9 * before; /* perhaps because it oscillates */
        before = moved;
        moved = send_to_scores(s, &rule, pass >= DAMPED_FROM && slow);
    }
    out->settled = moved <= still;
    match_workers(s, &rule, out);
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
