/* Builds tables of recorded labels and fills their empty cells. */
#include "bench/recorded/missing_labels.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/accuracy.h"
#include "bench/recorded/classes.h"
#include "dp/base/arena.h"
#include "dp/base/number.h"

og_status og_fill_parse(const char *text, og_fill *out, og_message *message)
{
    int64_t rank = 1;
    bool low = strncmp(text, "grouse", 6) == 0;
    bool fine = low && (text[6] == '\0' ||
                        (text[6] == ':' && og_number_parse(text + 7, 1, OG_FILL_RANK_MAX, &rank)));
    if (!fine && strcmp(text, "none") != 0 && strcmp(text, "accuracy") != 0) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--fill must be none, accuracy, grouse or grouse:D with D from 1 to %d, not '%.40s'",
            OG_FILL_RANK_MAX, text);
    }
    *out = (og_fill){low              ? OG_FILL_GROUSE
                     : text[0] == 'n' ? OG_FILL_NONE
                                      : OG_FILL_ACCURACY,
                     (int32_t)rank};
    return OG_OK;
}

og_status og_fill_table(const og_labels *labels, int8_t *label, og_message *message)
{
    if (labels->worker == NULL || labels->worker_count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "task assignment requires labels with a column 'worker'");
    }
    memset(label, 0, (size_t)labels->task_count * labels->worker_count);
    for (int64_t k = 0; k < labels->label_count; k++) {
        int8_t *cell = &label[(size_t)labels->task[k] * labels->worker_count + labels->worker[k]];
        if (*cell != 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "worker '%.40s' has two labels for task '%.40s'",
                                  og_labels_worker_name(labels, labels->worker[k]),
                                  og_labels_task_name(labels, labels->task[k]));
        }
        *cell = og_class_code(labels->class_count, labels->label[k]);
    }
    return OG_OK;
}

/* ---- filling from accuracies ---- */

int8_t og_label_drawn(double u, double accuracy, int32_t classes, int8_t truth)
{
    if (u < accuracy || truth == 0) {
        return truth;
    }
    if (classes <= 2) {
        return (int8_t)-truth;
    }
    int32_t others = classes - 1, other = (int32_t)((u - accuracy) / (1 - accuracy) * others) + 1;
    other = other < others ? other : others; /* the quotient may round to 1 */
    return (int8_t)(other + (other >= truth));
}

static og_status fill_by_accuracy(const og_fill_problem *problem, uint64_t seed, int8_t *label)
{
    size_t workers = (size_t)problem->workers;
    og_accuracy_count *of = calloc((size_t)problem->contexts * workers + 1, sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    og_accuracy_count_labels(problem, label, of);
    for (int32_t i = 0; i < problem->tasks; i++) {
        for (size_t j = 0; j < workers; j++) {
            int8_t *cell = &label[(size_t)i * workers + j];
            const og_accuracy_count *own = &of[(size_t)problem->context[i] * workers + j];
            uint64_t bits = og_draw(seed, OG_DRAW_GUESS, 0, (uint32_t)i, (uint32_t)j);
            if (*cell == 0) {
                *cell = og_label_drawn(og_draw_unit(bits), (own->ok + 1.) / (own->n + 2.),
                                       problem->classes, problem->gold[i]);
            }
        }
    }
    free(of);
    return OG_OK;
}

/* ---- filling from a matrix of low rank ---- */

typedef struct {
    og_arena arena;
    const og_fill_problem *problem;
    const int8_t *label;
    int32_t rank;
    double *basis;          /* [tasks * rank] U, its columns orthonormal */
    double *weight;         /* [rank] of a worker */
    double *normal;         /* [rank * rank] */
    double *fit, *residual; /* [tasks] */
    int32_t *order;         /* [workers] */
} grouse;

enum { START = 1, ORDER }; /* addresses of random numbers */

/* Gram-Schmidt, applied twice for accuracy; a zero column remains zero. */
static void orthonormalise(const grouse *of)
{
    int32_t d = of->rank, n = of->problem->tasks;
    for (int32_t k = 0; k < 2 * d; k++) {
        int32_t c = k / 2;
        for (int32_t b = 0; b < c; b++) {
            double dot = 0;
            for (int32_t i = 0; i < n; i++) {
                dot += of->basis[(int64_t)i * d + b] * of->basis[(int64_t)i * d + c];
            }
            for (int32_t i = 0; i < n; i++) {
                of->basis[(int64_t)i * d + c] -= dot * of->basis[(int64_t)i * d + b];
            }
        }
        double norm = 0;
        for (int32_t i = 0; i < n; i++) {
            norm += of->basis[(int64_t)i * d + c] * of->basis[(int64_t)i * d + c];
        }
        for (int32_t i = 0; i < n && norm > 0; i++) {
            of->basis[(int64_t)i * d + c] /= sqrt(norm);
        }
    }
}

/* Draw normal variates with Box and Muller's method. */
static void draw_basis(const grouse *of, uint64_t seed)
{
    const double turn = 2 * M_PI;
    for (int64_t k = 0; k < (int64_t)of->problem->tasks * of->rank; k++) {
        double u = og_draw_unit(og_draw(seed, OG_DRAW_GUESS, START, (uint32_t)k, 0));
        double v = og_draw_unit(og_draw(seed, OG_DRAW_GUESS, START, (uint32_t)k, 1));
        of->basis[k] = sqrt(-2 * log1p(-u)) * cos(turn * v);
    }
    orthonormalise(of);
}

/* Compute the weights of a worker: least squares of the basis over the worker's labels, with a
 * small ridge. */
static void solve_weights(const grouse *of, int32_t worker)
{
    const double ridge = 1e-6;
    int32_t d = of->rank;
    memset(of->normal, 0, (size_t)d * (size_t)d * sizeof *of->normal);
    memset(of->weight, 0, (size_t)d * sizeof *of->weight);
    for (int32_t a = 0; a < d; a++) {
        of->normal[a * d + a] = ridge;
    }
    for (int32_t i = 0; i < of->problem->tasks; i++) {
        const double *row = &of->basis[(int64_t)i * d];
        int8_t given = of->label[(int64_t)i * of->problem->workers + worker];
        for (int32_t a = 0; given != 0 && a < d; a++) {
            of->weight[a] += row[a] * given;
            for (int32_t b = 0; b < d; b++) {
                of->normal[a * d + b] += row[a] * row[b];
            }
        }
    }
    gsl_matrix_view normal = gsl_matrix_view_array(of->normal, (size_t)d, (size_t)d);
    gsl_vector_view weight = gsl_vector_view_array(of->weight, (size_t)d);
    gsl_linalg_cholesky_decomp1(&normal.matrix); /* positive definite because of the ridge */
    gsl_linalg_cholesky_svx(&normal.matrix, &weight.vector);
}

static double norm_of(const double *x, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* Compute the fit and residual of a worker from the weights. */
static void fit(const grouse *of, int32_t worker)
{
    for (int32_t i = 0; i < of->problem->tasks; i++) {
        int8_t given = of->label[(int64_t)i * of->problem->workers + worker];
        of->fit[i] = 0;
        for (int32_t a = 0; a < of->rank; a++) {
            of->fit[i] += of->basis[(int64_t)i * of->rank + a] * of->weight[a];
        }
        of->residual[i] = given != 0 ? given - of->fit[i] : 0;
    }
}

/* Take one step on the Grassmannian. */
static void turn_basis(const grouse *of, int32_t worker, int32_t pass)
{
    const double nothing = 1e-12, rate = 0.1;
    int32_t n = of->problem->tasks, d = of->rank;
    solve_weights(of, worker);
    fit(of, worker);
    double r = norm_of(of->residual, n), p = norm_of(of->fit, n), w = norm_of(of->weight, d);
    if (r < nothing || p < nothing) {
        return;
    }
    double x = fmin(rate * r * p / pass, M_PI / 2);
    for (int32_t i = 0; i < n; i++) {
        double along = (cos(x) - 1) * of->fit[i] / p + sin(x) * of->residual[i] / r;
        for (int32_t a = 0; a < d; a++) {
            of->basis[(int64_t)i * d + a] += along * of->weight[a] / w;
        }
    }
}

static void shuffle(const grouse *of, uint64_t seed, int32_t pass)
{
    for (int32_t j = 0; j < of->problem->workers; j++) {
        of->order[j] = j;
    }
    for (int32_t j = of->problem->workers - 1; j > 0; j--) {
        uint64_t bits = og_draw(seed, OG_DRAW_GUESS, ORDER, (uint32_t)pass, (uint32_t)j);
        int32_t other = (int32_t)og_draw_below(bits, (uint32_t)j + 1), was = of->order[j];
        of->order[j] = of->order[other];
        of->order[other] = was;
    }
}

static void fill_holes(const grouse *of, uint64_t seed, int8_t *label)
{
    for (int32_t j = 0; j < of->problem->workers; j++) {
        solve_weights(of, j);
        fit(of, j);
        for (int32_t i = 0; i < of->problem->tasks; i++) {
            int8_t *cell = &label[(int64_t)i * of->problem->workers + j];
            bool coin = og_draw(seed, OG_DRAW_GUESS, 0, (uint32_t)i, (uint32_t)j) >> 63 != 0;
            if (*cell == 0) {
                *cell = of->fit[i] > 0 || (of->fit[i] == 0 && coin) ? 1 : -1;
            }
        }
    }
}

static og_status fill_by_grouse(const og_fill *fill, const og_fill_problem *problem, uint64_t seed,
                                int8_t *label)
{
    const int32_t passes = 100, tidy = 10;
    size_t tasks = (size_t)problem->tasks, rank = (size_t)fill->rank;
    grouse of = {.problem = problem, .label = label, .rank = fill->rank};
    of.basis = og_arena_array(&of.arena, tasks * rank, sizeof *of.basis);
    of.weight = og_arena_array(&of.arena, rank, sizeof *of.weight);
    of.normal = og_arena_array(&of.arena, rank * rank, sizeof *of.normal);
    of.fit = og_arena_array(&of.arena, tasks, sizeof *of.fit);
    of.residual = og_arena_array(&of.arena, tasks, sizeof *of.residual);
    of.order = og_arena_array(&of.arena, (size_t)problem->workers, sizeof *of.order);
    og_status status = og_arena_status(&of.arena);
    if (status == OG_OK) {
        draw_basis(&of, seed);
        for (int32_t pass = 1; pass <= passes; pass++) {
            shuffle(&of, seed, pass);
            for (int32_t k = 0; k < problem->workers; k++) {
                turn_basis(&of, of.order[k], pass);
            }
            if (pass % tidy == 0) {
                orthonormalise(&of);
            }
        }
        fill_holes(&of, seed, label);
    }
    og_arena_clear(&of.arena);
    return status;
}

og_status og_fill_in(const og_fill *fill, const og_fill_problem *problem, uint64_t seed,
                     int8_t *label)
{
    switch (fill->kind) {
    case OG_FILL_ACCURACY:
        return fill_by_accuracy(problem, seed, label);
    case OG_FILL_GROUSE:
        return fill_by_grouse(fill, problem, seed, label);
    case OG_FILL_NONE:
        break;
    }
    return OG_OK;
}
