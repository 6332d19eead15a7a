/*
 * Upper bounds on the value of assigning workers to tasks. Rows of one task are numbers in base 3,
 * a digit a worker, so every row comes before the rows that follow it. Like tables, rows have
 * weights that are not normalised.
 */
#include "dp/families/assignment_bounds.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "dp/base/rational.h"

enum { PRICED = OG_ASSIGNMENT_PRICED_MAX, EVALUATIONS = 200 };

/* ---- rows of a context ---- */

typedef struct {
    int32_t workers;
    size_t rows;
    double *plus, *minus;   /* [rows] Pr(row and truth) */
    double *value, *labels; /* [rows] v_z and expected labels, times Pr(row) */
} rows_of;

static og_status rows_init(const og_assignment *assignment, int32_t s, og_arena *arena,
                           rows_of *out)
{
    size_t rows = 1;
    for (int32_t j = 0; j < assignment->workers; j++) {
        rows *= 3;
    }
    *out = (rows_of){.workers = assignment->workers, .rows = rows};
    out->plus = og_arena_array(arena, rows, sizeof *out->plus);
    out->minus = og_arena_array(arena, rows, sizeof *out->minus);
    out->value = og_arena_array(arena, rows, sizeof *out->value);
    out->labels = og_arena_array(arena, rows, sizeof *out->labels);
    OG_TRY(og_arena_status(arena));
    out->plus[0] = out->minus[0] = 0.5;
    size_t unit = 1;
    for (int32_t j = 0; j < assignment->workers; j++, unit *= 3) {
        const double *q = assignment->chance[(ptrdiff_t)s * assignment->workers + j];
        for (size_t row = 0; row < unit; row++) {
            out->plus[row + unit] = out->plus[row] * q[0];
            out->minus[row + unit] = out->minus[row] * q[1];
            out->plus[row + 2 * unit] = out->plus[row] * q[1];
            out->minus[row + 2 * unit] = out->minus[row] * q[0];
        }
    }
    return OG_OK;
}

/* v_z of all rows; labels are bought if their gain exceeds their price. */
static void price_rows(const rows_of *rows, double price)
{
    for (size_t row = rows->rows; row-- > 0;) {
        double mass = rows->plus[row] + rows->minus[row];
        double best = fmax(rows->plus[row], rows->minus[row]), labels = 0;
        size_t unit = 1;
        for (int32_t j = 0; j < rows->workers; j++, unit *= 3) {
            if (row / unit % 3 != 0) {
                continue;
            }
            double bought = rows->value[row + unit] + rows->value[row + 2 * unit] - price * mass;
            if (bought > best) {
                best = bought;
                labels = mass + rows->labels[row + unit] + rows->labels[row + 2 * unit];
            }
        }
        rows->value[row] = best;
        rows->labels[row] = labels;
    }
}

static size_t row_number(const og_assignment *assignment, const int8_t *label, int32_t i)
{
    size_t row = 0;
    for (int32_t j = assignment->workers; j-- > 0;) {
        int8_t said = label[(ptrdiff_t)i * assignment->workers + j];
        row = 3 * row + (said == 0 ? 0 : said == 1 ? 1 : 2);
    }
    return row;
}

/* ---- the Lagrangian ---- */

/* The tangent of the bound at a price: value there, slope. */
typedef struct {
    double price, value, slope;
} line;

typedef struct {
    og_arena arena;
    const og_assignment *assignment;
    const int8_t *label;
    int32_t labels, evaluations;
    rows_of *context; /* [contexts] */
} search;

static line evaluate(search *s, double price)
{
    const og_assignment *assignment = s->assignment;
    line out = {price, price * s->labels, s->labels};
    for (int32_t c = 0; c < assignment->contexts; c++) {
        price_rows(&s->context[c], price);
    }
    for (int32_t i = 0; i < assignment->tasks; i++) {
        const rows_of *rows = &s->context[assignment->context[i]];
        size_t row = row_number(assignment, s->label, i);
        double mass = rows->plus[row] + rows->minus[row];
        out.value += rows->value[row] / mass;
        out.slope -= rows->labels[row] / mass;
    }
    s->evaluations++;
    return out;
}

/* Goes to the crossing of the tangents at no price and at a price at which nothing is bought,
 * replaces one of them by the tangent there, and repeats until the bound touches the crossing. */
static og_status find_corner(search *s, og_stop *stop, line *out)
{
    line left = evaluate(s, 0), right = evaluate(s, 1);
    line best = left.value < right.value ? left : right;
    while (left.slope < 0 && right.slope > left.slope && s->evaluations < EVALUATIONS) {
        double price =
            (left.value - left.slope * left.price - right.value + right.slope * right.price) /
            (right.slope - left.slope);
        double below = left.value + left.slope * (price - left.price);
        if (!(price > left.price && price < right.price)) {
            break;
        }
        if (og_stop_asked(stop)) {
            return OG_STOPPED;
        }
        line here = evaluate(s, price);
        best = here.value < best.value ? here : best;
        if (here.value <= below * (1 + 4 * DBL_EPSILON)) {
            break;
        }
        *(here.slope < 0 ? &left : &right) = here;
    }
    *out = best;
    return OG_OK;
}

/*
 * In units of u, for a task and a price of at most 1. A weight has an error of 3 for each worker.
 * Each label adds two sums, a product and that of the mass, whose weights have errors as well; then
 * comes a quotient. The sum over tasks adds one each, and the price of the budget 4.
 */
static double rounding(const search *s)
{
    double workers = s->assignment->workers, tasks = s->assignment->tasks;
    double each = 3 * workers + workers * (6 + 3 * workers) + 8;
    return 1.02 * DBL_EPSILON / 2 * (tasks * (each + tasks + 4) + 4.0 * (1 + s->labels));
}

og_status og_assignment_lagrangian(const og_assignment *assignment, const int8_t *label,
                                   int32_t labels, og_stop *stop, og_assignment_bound *out)
{
    line best;
    if (!assignment->known || assignment->workers > PRICED) {
        return OG_STOPPED;
    }
    search s = {.assignment = assignment, .label = label, .labels = labels};
    s.context = og_arena_array(&s.arena, (size_t)assignment->contexts, sizeof *s.context);
    og_status status = og_arena_status(&s.arena);
    for (int32_t c = 0; status == OG_OK && c < assignment->contexts; c++) {
        status = rows_init(assignment, c, &s.arena, &s.context[c]);
    }
    OG_THEN(status, find_corner(&s, stop, &best));
    if (status == OG_OK) {
        double error = rounding(&s) / assignment->tasks;
        *out = (og_assignment_bound){.value = best.value / assignment->tasks + error,
                                     .error = error,
                                     .price = best.price,
                                     .evaluations = s.evaluations};
    }
    og_arena_clear(&s.arena);
    return status;
}

/* ---- the same in fractions ---- */

typedef struct {
    og_arena arena;
    const og_assignment *assignment;
    size_t rows;
    mpq_t *plus, *minus, *value; /* [rows] */
    mpq_t *scratch;              /* [2] */
} exact_rows;

static void weigh_exact(const exact_rows *e, int32_t s)
{
    mpq_set_ui(e->plus[0], 1, 2);
    mpq_set_ui(e->minus[0], 1, 2);
    size_t unit = 1;
    for (int32_t j = 0; j < e->assignment->workers; j++, unit *= 3) {
        const og_fraction *q = e->assignment->accuracy[(ptrdiff_t)s * e->assignment->workers + j];
        og_fraction_get_mpq(e->scratch[0], q[0]);
        og_fraction_get_mpq(e->scratch[1], q[1]);
        for (size_t row = 0; row < unit; row++) {
            mpq_mul(e->plus[row + unit], e->plus[row], e->scratch[0]);
            mpq_mul(e->minus[row + unit], e->minus[row], e->scratch[1]);
            mpq_mul(e->plus[row + 2 * unit], e->plus[row], e->scratch[1]);
            mpq_mul(e->minus[row + 2 * unit], e->minus[row], e->scratch[0]);
        }
    }
}

static void price_exact(const exact_rows *e, const mpq_t price)
{
    for (size_t row = e->rows; row-- > 0;) {
        size_t unit = 1;
        bool plus = mpq_cmp(e->plus[row], e->minus[row]) > 0;
        mpq_set(e->value[row], plus ? e->plus[row] : e->minus[row]);
        mpq_add(e->scratch[0], e->plus[row], e->minus[row]);
        mpq_mul(e->scratch[0], e->scratch[0], price);
        for (int32_t j = 0; j < e->assignment->workers; j++, unit *= 3) {
            if (row / unit % 3 == 0) {
                mpq_add(e->scratch[1], e->value[row + unit], e->value[row + 2 * unit]);
                mpq_sub(e->scratch[1], e->scratch[1], e->scratch[0]);
                if (mpq_cmp(e->scratch[1], e->value[row]) > 0) {
                    mpq_set(e->value[row], e->scratch[1]);
                }
            }
        }
    }
}

static void add_tasks(const exact_rows *e, int32_t s, const int8_t *label, mpq_t sum)
{
    for (int32_t i = 0; i < e->assignment->tasks; i++) {
        if (e->assignment->context[i] == s) {
            size_t row = row_number(e->assignment, label, i);
            mpq_add(e->scratch[0], e->plus[row], e->minus[row]);
            mpq_div(e->scratch[0], e->value[row], e->scratch[0]);
            mpq_add(sum, sum, e->scratch[0]);
        }
    }
}

og_status og_assignment_lagrangian_exact(const og_assignment *assignment, const int8_t *label,
                                         int32_t labels, const mpq_t price, mpq_t value)
{
    if (!assignment->known || assignment->workers > OG_ASSIGNMENT_PRICED_EXACT_MAX) {
        return OG_STOPPED;
    }
    exact_rows e = {.assignment = assignment, .rows = 1};
    for (int32_t j = 0; j < assignment->workers; j++) {
        e.rows *= 3;
    }
    e.plus = og_arena_fractions(&e.arena, e.rows);
    e.minus = og_arena_fractions(&e.arena, e.rows);
    e.value = og_arena_fractions(&e.arena, e.rows);
    e.scratch = og_arena_fractions(&e.arena, 2);
    og_status status = og_arena_status(&e.arena);
    if (status == OG_OK) {
        mpq_set_ui(value, 0, 1);
        og_add_multiple(value, labels, price);
        for (int32_t s = 0; s < assignment->contexts; s++) {
            weigh_exact(&e, s);
            price_exact(&e, price);
            add_tasks(&e, s, label, value);
        }
        mpq_set_si(e.scratch[0], 1, (uint32_t)assignment->tasks);
        mpq_mul(value, value, e.scratch[0]);
    }
    og_arena_clear(&e.arena);
    return status;
}

/* ---- the full table ---- */

typedef struct {
    const og_assignment_posterior *posterior; /* for one context, all tasks alike */
    int8_t *label;                            /* [tasks * workers] */
    double *plus, *minus, value;
    og_stop *stop;
} full;

/* The number of multisets of so many tasks' rows that differ, up to signs. */
static double full_tables(int32_t tasks, int32_t workers)
{
    double rows = ldexp(1, workers - 1), count = 1;
    for (int32_t i = 1; i <= tasks; i++) {
        count *= (rows + i - 1) / i;
    }
    return count;
}

/*
 * Gives tasks from `at` on rows in ascending order, with +1 from the first worker. Each table
 * occurs `ways` times: 2 for the signs of each task, and the orders of different rows. `alike`
 * tasks before have row `from`.
 */
static og_status add_tables(full *f, int32_t at, uint32_t from, int32_t alike, double ways)
{
    const og_assignment *assignment = f->posterior->assignment;
    if (at == assignment->tasks) {
        og_assignment_weigh(f->posterior, f->label, f->plus, f->minus);
        f->value += ways * og_assignment_called(assignment->tasks, f->plus, f->minus);
        return og_stop_asked(f->stop) ? OG_STOPPED : OG_OK;
    }
    for (uint32_t row = from; row < UINT32_C(1) << (assignment->workers - 1); row++) {
        int32_t same = row == from && at > 0 ? alike + 1 : 1;
        for (int32_t j = 0; j < assignment->workers; j++) {
            bool minus = j > 0 && (row >> (j - 1) & 1) != 0;
            f->label[(ptrdiff_t)at * assignment->workers + j] = minus ? -1 : 1;
        }
        OG_TRY(add_tables(f, at + 1, row, same, ways * 2 * (at + 1) / same));
    }
    return OG_OK;
}

/* Expected number of tasks of context s called correctly, if it has so many tasks. */
static og_status full_context(const og_assignment *assignment, int32_t s, int32_t tasks,
                              og_stop *stop, double *value, double *error)
{
    og_arena arena = {0};
    og_assignment *alone = NULL;
    og_assignment_posterior posterior = {.assignment = NULL};
    const size_t cells = (size_t)tasks * (size_t)assignment->workers;
    int32_t *context = og_arena_array(&arena, (size_t)tasks, sizeof *context);
    full f = {.posterior = &posterior, .stop = stop};
    f.label = og_arena_array(&arena, cells, sizeof *f.label);
    f.plus = og_arena_array(&arena, (size_t)tasks, sizeof *f.plus);
    f.minus = og_arena_array(&arena, (size_t)tasks, sizeof *f.minus);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_assignment_new(
                        &(og_assignment_given){
                            tasks, context, 1, assignment->workers, false,
                            (const og_fraction(*)[2]) &
                                assignment->accuracy[(ptrdiff_t)s * assignment->workers]},
                        &alone, NULL));
    OG_THEN(status, og_assignment_posterior_init(alone, (int32_t)cells, &posterior, NULL));
    OG_THEN(status, add_tables(&f, 0, 0, 0, 1));
    if (status == OG_OK) {
        double roundings = full_tables(tasks, assignment->workers) + 4.0 * tasks;
        *value += f.value;
        *error += f.value * 1.02 * (posterior.error + roundings * DBL_EPSILON / 2);
    }
    og_assignment_posterior_clear(&posterior);
    og_assignment_free(alone);
    og_arena_clear(&arena);
    return status;
}

og_status og_assignment_everything(const og_assignment *assignment, og_stop *stop,
                                   og_assignment_bound *out)
{
    double value = 0, error = 0;
    if (assignment->known) {
        return OG_STOPPED;
    }
    for (int32_t s = 0; s < assignment->contexts; s++) {
        int32_t tasks = 0;
        for (int32_t i = 0; i < assignment->tasks; i++) {
            tasks += assignment->context[i] == s;
        }
        if (tasks > OG_ASSIGNMENT_TOGETHER_MAX || assignment->workers > OG_ASSIGNMENT_WORKERS_MAX ||
            full_tables(tasks, assignment->workers) > OG_ASSIGNMENT_FULL_MAX) {
            return OG_STOPPED;
        }
        OG_TRY(tasks > 0 ? full_context(assignment, s, tasks, stop, &value, &error) : OG_OK);
    }
    error += value * 1.02 * DBL_EPSILON * (assignment->contexts + 2);
    *out = (og_assignment_bound){.value = (value + error) / assignment->tasks,
                                 .error = error / assignment->tasks};
    return OG_OK;
}
