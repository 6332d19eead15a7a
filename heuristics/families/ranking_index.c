/*
 * Computes many indices of akg at once. After a comparison of i and j every other parameter is
 * multiplied by c, and the two become c x and c y. Let above(u, v) be the probability that the item
 * with the larger of two parameters has the larger score, and R(x, c) the sum of above over all
 * pairs (c x, c a_k). The new sum over pairs is that of all parameters scaled by c, minus R of the
 * two old parameters, plus R of x and of y, up to terms between i and j. When x passes an a_k,
 * above changes its branch; between these points R is smooth. There it is interpolated with
 * polynomials in log x and log c, at Chebyshev points. R is the same function for all items, so the
 * range of x is divided into a few cells.
 */
#include "heuristics/families/ranking_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "heuristics/families/ranking_belief.h"

enum { FEW = 16, NODES_MAX = 96, CELL_NODES = 24, CELLS_MAX = 64, AT_ONCE = 16, TERMS = 6 };

/* Chebyshev points in [middle - half, middle + half], in logarithms, and their weights. */
typedef struct {
    double middle, half;
    int32_t count;
    double node[NODES_MAX], weight[NODES_MAX];
} range;

/* The parameters after a comparison with one outcome; NAN: outside the range of doubles. */
typedef struct {
    double c, x, y;
} outcome;

/* R up to x = high: [branches][nodes of x][nodes of c]; in the first branch `below` parameters are
 * smaller than x.
 */
typedef struct {
    range x;
    double high;
    int32_t below;
    double *value;
} cell;

typedef struct {
    og_arena arena;
    const double *a;
    int32_t items;
    double *sorted;               /* [items] a, ascending */
    double *left, *right, *above; /* [items or AT_ONCE * 2 * TERMS] scratch */
    outcome *outcome;             /* [2 * count] */
    range c;
    double *still; /* [items][c.count] R of every item before the comparison; NULL: sums are
                      computed directly */
    double *all;   /* [c.count] their sum over pairs */
    cell *cell;    /* [cells] in ascending order of x; none: rows are summed directly */
    int32_t cells;
    double now; /* og_ranking_sorted */
    og_stop *stop;
} ranking_job;

/* Looks once in 64 acts. */
static og_status is_over(const ranking_job *job, int32_t act)
{
    return act % 64 == 0 && og_stop_asked(job->stop) ? OG_STOPPED : OG_OK;
}

/* ---- interpolation ---- */

static double node_of(const range *r, int32_t k)
{
    return exp(r->middle + r->half * r->node[k]);
}

/* Lagrange polynomials at a point, from barycentric weights. */
static void weights(const range *r, double at, double *weight)
{
    double t = (log(at) - r->middle) / r->half, sum = 0;
    for (int32_t k = 0; k < r->count; k++) {
        double off = t - r->node[k];
        if (off == 0) {
            memset(weight, 0, (size_t)r->count * sizeof *weight);
            weight[k] = 1;
            return;
        }
        weight[k] = r->weight[k] / off;
        sum += weight[k];
    }
    for (int32_t k = 0; k < r->count; k++) {
        weight[k] /= sum;
    }
}

/* The nearest singularities are at negative parameters, a distance pi i away in the logarithm;
 * `steep` is the growth of the exponent on the way. */
static void set_range(range *r, double low, double high, double steep)
{
    const double digits =
        25; /* accuracy e^-25, enough since sums are divided by the number of pairs */
    r->middle = (log(low) + log(high)) / 2;
    r->half = fmax((log(high) - log(low)) / 2, 1e-9);
    double reach = fmin(M_PI / r->half, 4 / (r->half * steep));
    r->count = (int32_t)fmin(NODES_MAX, 3 + ceil(digits / log(reach + hypot(reach, 1))));
    for (int32_t k = 0; k < r->count; k++) {
        double at = (2 * k + 1) * M_PI / (2 * r->count);
        r->node[k] = cos(at);
        r->weight[k] = (k % 2 == 0 ? 1 : -1) * sin(at);
    }
}

/* ---- sums ---- */

/* Fills above[count] for these pairs, with the larger parameter first. */
static void larger(const ranking_job *job, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        double u = job->left[k], v = job->right[k];
        job->left[k] = fmax(u, v);
        job->right[k] = fmin(u, v);
    }
    og_ranking_above(job->left, job->right, count, job->above);
}

/* Fills left[count] and right[count]: x paired with each of these, all scaled by c. */
static void against(const ranking_job *job, double c, double x, const double *those, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        job->left[k] = c * x;
        job->right[k] = c * those[k];
    }
}

static double sum_row(const ranking_job *job, double x, double c)
{
    double sum = 0;
    against(job, c, x, job->a, job->items);
    larger(job, job->items);
    for (int32_t k = 0; k < job->items; k++) {
        sum += job->above[k];
    }
    return sum;
}

static int32_t count_below(const ranking_job *job, double x)
{
    int32_t low = 0, high = job->items;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (job->sorted[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* R(x, c) for the new parameter of an item. */
static double changed_row(const ranking_job *job, double x, double c, const double *in_c)
{
    if (job->cells == 0) {
        return sum_row(job, x, c);
    }
    const cell *in = job->cell;
    while (x > in->high) {
        in++;
    }
    double in_x[NODES_MAX], sum = 0;
    size_t size = (size_t)in->x.count * (size_t)job->c.count;
    const double *value = in->value + (size_t)(count_below(job, x) - in->below) * size;
    weights(&in->x, x, in_x);
    for (int32_t n = 0; n < in->x.count; n++) {
        double part = 0;
        for (int32_t l = 0; l < job->c.count; l++) {
            part += in_c[l] * *value++;
        }
        sum += in_x[n] * part;
    }
    return sum;
}

/* Fills one point of a cell, for every branch. */
static void fill_point(const ranking_job *job, const cell *in, int32_t branches, int32_t n,
                       int32_t l)
{
    double sum = 0;
    size_t size = (size_t)in->x.count * (size_t)job->c.count;
    double *value = in->value + (size_t)(n * job->c.count + l);
    against(job, node_of(&job->c, l), node_of(&in->x, n), job->sorted, job->items);
    og_ranking_above(job->left, job->right, job->items, job->above);
    for (int32_t k = 0; k < job->items; k++) {
        sum += k < in->below ? job->above[k] : 1 - job->above[k];
    }
    value[0] = sum;
    for (int32_t b = 1; b < branches; b++) {
        sum += 2 * job->above[in->below + b - 1] - 1;
        value[(size_t)b * size] = sum;
    }
}

static og_status fill_cell(ranking_job *job, cell *in)
{
    int32_t branches = count_below(job, in->high) - in->below + 1;
    size_t size = (size_t)in->x.count * (size_t)job->c.count;
    in->value = og_arena_array(&job->arena, (size_t)branches * size, sizeof *in->value);
    OG_TRY(OG_ALLOCATED(in->value));
    for (int32_t n = 0; n < in->x.count; n++) {
        for (int32_t l = 0; l < job->c.count; l++) {
            fill_point(job, in, branches, n, l);
        }
    }
    return OG_OK;
}

/* A cell from `low` on, as wide as its polynomials allow. */
static void set_cell(const ranking_job *job, double low, double most, cell *in)
{
    double width = 4;
    do {
        width *= 0.8;
        in->high = fmin(low * exp(width), most);
        set_range(&in->x, low, in->high, sqrt(in->high));
    } while (in->x.count > CELL_NODES && width > 1e-6);
    in->below = count_below(job, low);
}

/* ---- the change of a comparison ---- */

static double at_c(const ranking_job *job, const double *table, const double *in_c)
{
    double sum = 0;
    for (int32_t l = 0; l < job->c.count; l++) {
        sum += in_c[l] * table[l];
    }
    return sum;
}

/* Writes the terms between i and j: left and right. */
static void put_terms(const ranking_job *job, int32_t i, int32_t j, const outcome *o, int32_t at)
{
    double a = o->c * job->a[i], b = o->c * job->a[j], x = o->c * o->x, y = o->c * o->y;
    memcpy(job->left + at, (double[TERMS]){a, x, x, x, y, y}, TERMS * sizeof *job->left);
    memcpy(job->right + at, (double[TERMS]){b, y, a, b, a, b}, TERMS * sizeof *job->right);
}

/* Uses the terms in the order of put_terms. */
static double sorted_after(const ranking_job *job, int32_t i, int32_t j, const outcome *o,
                           const double *terms)
{
    double in_c[NODES_MAX];
    weights(&job->c, o->c, in_c);
    double sum = at_c(job, job->all, in_c);
    sum -= at_c(job, job->still + (ptrdiff_t)i * job->c.count, in_c) - 0.5;
    sum -= at_c(job, job->still + (ptrdiff_t)j * job->c.count, in_c) - 0.5;
    sum += terms[0] + terms[1] - (terms[2] + terms[3] + terms[4] + terms[5]);
    sum += changed_row(job, o->x, o->c, in_c) + changed_row(job, o->y, o->c, in_c);
    return sum / ((double)job->items * (job->items - 1) / 2);
}

static outcome outcome_of(const ranking_job *job, const double *worker, int32_t i, int32_t j,
                          bool first, double *after)
{
    double same[2] = {1, 1};
    int32_t other = 0;
    while (other == i || other == j) {
        other++;
    }
    memcpy(after, job->a, (size_t)job->items * sizeof *after);
    if (worker != NULL) {
        memcpy(same, worker, sizeof same);
    }
    bool fine = og_ranking_match(after, job->items, worker != NULL ? same : NULL, first ? i : j,
                                 first ? j : i);
    double c = after[other] / job->a[other];
    fine = fine && c > 0 && after[i] > 0 && after[j] > 0;
    return fine ? (outcome){c, after[i] / c, after[j] / c} : (outcome){NAN, NAN, NAN};
}

/* ---- all acts ---- */

static int compare_numbers(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static og_status fill_still(ranking_job *job)
{
    size_t nodes = (size_t)job->c.count, items = (size_t)job->items;
    job->still = og_arena_array(&job->arena, items * nodes, sizeof *job->still);
    job->all = og_arena_array(&job->arena, nodes, sizeof *job->all);
    OG_TRY(og_arena_status(&job->arena));
    for (size_t l = 0; l < nodes; l++) {
        double c = node_of(&job->c, (int32_t)l);
        OG_TRY(is_over(job, 0));
        for (size_t i = 0; i < items; i++) {
            int32_t more = (int32_t)(items - i) - 1;
            against(job, c, job->a[i], job->a + i + 1, more);
            larger(job, more);
            job->still[i * nodes + l] += 0.5;
            for (size_t k = i + 1; k < items; k++) {
                double above = job->above[k - i - 1];
                job->still[i * nodes + l] += above;
                job->still[k * nodes + l] += above;
                job->all[l] += above;
            }
        }
    }
    return OG_OK;
}

/* Builds cells if they need fewer probabilities than direct sums. */
static og_status fill_cells(ranking_job *job, int32_t count)
{
    double low = INFINITY, most = 0;
    int64_t points = 0;
    for (int32_t k = 0; k < 2 * count; k++) {
        const outcome *o = &job->outcome[k];
        low = fmin(low, fmin(o->x, o->y)); /* fmin ignores NAN */
        most = fmax(most, fmax(o->x, o->y));
    }
    low *= 1 - 1e-12;
    job->cell = og_arena_array(&job->arena, CELLS_MAX, sizeof *job->cell);
    OG_TRY(OG_ALLOCATED(job->cell));
    int32_t cells = 0;
    for (; low < most && cells < CELLS_MAX && points < 4 * (int64_t)count; cells++) {
        cell *in = &job->cell[cells];
        set_cell(job, low, most, in);
        points += in->x.count > CELL_NODES ? INT32_MAX : in->x.count * job->c.count;
        low = in->high;
    }
    if (low < most || points >= 4 * (int64_t)count) {
        return OG_OK;
    }
    for (int32_t k = 0; k < cells; k++) {
        OG_TRY(is_over(job, 0));
        OG_TRY(fill_cell(job, &job->cell[k]));
    }
    job->cells = cells;
    return OG_OK;
}

static og_status prepare(ranking_job *job, const double *worker, const og_act_open *open,
                         int32_t count)
{
    double low = 1, high = 1;
    size_t items = (size_t)job->items, room = 2 * (size_t)TERMS * AT_ONCE;
    room = items > room ? items : room;
    double *after = og_arena_array(&job->arena, items, sizeof *after);
    job->sorted = og_arena_copy(&job->arena, job->a, items, sizeof *job->sorted);
    job->left = og_arena_array(&job->arena, room, sizeof *job->left);
    job->right = og_arena_array(&job->arena, room, sizeof *job->right);
    job->above = og_arena_array(&job->arena, room, sizeof *job->above);
    job->outcome = og_arena_array(&job->arena, 2 * (size_t)count, sizeof *job->outcome);
    OG_TRY(og_arena_status(&job->arena));
    qsort(job->sorted, items, sizeof *job->sorted, compare_numbers);
    for (int32_t k = 0; k < 2 * count; k++) {
        const uint32_t *act = open[k / 2].act.part;
        OG_TRY(is_over(job, k));
        outcome *o = &job->outcome[k];
        *o = outcome_of(job, worker != NULL ? worker + 2 * act[2] : NULL, (int32_t)act[0],
                        (int32_t)act[1], k % 2 == 0, after);
        low = fmin(low, o->c); /* fmin ignores NAN */
        high = fmax(high, o->c);
    }
    set_range(&job->c, low, high, fmax(job->sorted[items - 1], 1));
    if (job->c.count == NODES_MAX) {
        return OG_OK; /* every act is computed separately */
    }
    OG_TRY(fill_still(job));
    return fill_cells(job, count);
}

/* Fills rise[count <= AT_ONCE] from the prepared tables. */
static void put_rises(const ranking_job *job, const double *worker, const og_act_open *open,
                      const outcome *outcomes, int32_t count, double *rise)
{
    double terms[2 * TERMS * AT_ONCE];
    for (int32_t k = 0; k < 2 * count; k++) {
        const uint32_t *act = open[k / 2].act.part;
        put_terms(job, (int32_t)act[0], (int32_t)act[1], &outcomes[k], k * TERMS);
    }
    larger(job, 2 * count * TERMS);
    memcpy(terms, job->above, 2 * (size_t)count * TERMS * sizeof *terms);
    for (int32_t k = 0; k < count; k++) {
        const uint32_t *act = open[k].act.part;
        const double *own = worker != NULL ? worker + 2 * act[2] : NULL, *t = &terms[2 * TERMS * k];
        int32_t i = (int32_t)act[0], j = (int32_t)act[1];
        const outcome *o = &outcomes[2 * k];
        rise[k] = isnan(o[0].c) || isnan(o[1].c) ? NAN : 0;
        if (rise[k] == 0 && (own == NULL || own[0] != own[1])) {
            rise[k] = og_ranking_chance(job->a, own, i, j) *
                          (sorted_after(job, i, j, &o[0], t) - job->now) +
                      og_ranking_chance(job->a, own, j, i) *
                          (sorted_after(job, i, j, &o[1], t + TERMS) - job->now);
        }
    }
}

og_status og_ranking_rises(const double *a, int32_t items, const double *worker,
                           const og_act_open *open, int32_t count, og_stop *stop, double *rise)
{
    ranking_job job = {.a = a, .items = items, .stop = stop, .now = og_ranking_sorted(a, items)};
    double least = a[0];
    double *after = og_arena_array(&job.arena, (size_t)items, sizeof *after);
    og_status status = og_arena_status(&job.arena);
    for (int32_t k = 1; k < items; k++) {
        least = fmin(least, a[k]);
    }
    if (items > FEW && least > 0x1p-1000) { /* c a_k keeps all digits */
        OG_THEN(status, prepare(&job, worker, open, count));
    }
    for (int32_t k = 0; status == OG_OK && k < count; k++) {
        const uint32_t *act = open[k].act.part;
        status = is_over(&job, k);
        if (job.all != NULL && k % AT_ONCE == 0) {
            put_rises(&job, worker, open + k, job.outcome + 2 * (ptrdiff_t)k,
                      count - k < AT_ONCE ? count - k : AT_ONCE, rise + k);
        }
        if (job.all == NULL || isnan(rise[k])) {
            rise[k] = og_ranking_rise(
                &(og_ranking_match_up){a, items, worker != NULL ? worker + 2 * act[2] : NULL,
                                       (int32_t)act[0], (int32_t)act[1]},
                job.now, after);
        }
    }
    og_arena_clear(&job.arena);
    return status;
}
