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
    OG_TRY(og_labels_need_workers(labels, "task assignment", message));
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
    og_accuracy_count *count = calloc((size_t)problem->contexts * workers + 1, sizeof *count);
    OG_TRY(OG_ALLOCATED(count));
    og_accuracy_count_labels(problem, label, count);
    for (int32_t i = 0; i < problem->tasks; i++) {
        for (size_t j = 0; j < workers; j++) {
            int8_t *cell = &label[(size_t)i * workers + j];
            const og_accuracy_count *own = &count[(size_t)problem->context[i] * workers + j];
            uint64_t bits = og_draw(seed, OG_DRAW_GUESS, 0, (uint32_t)i, (uint32_t)j);
            if (*cell == 0) {
                *cell = og_label_drawn(og_draw_unit(bits), (own->ok + 1.) / (own->n + 2.),
                                       problem->classes, problem->gold[i]);
            }
        }
    }
    free(count);
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
static void orthonormalise(const grouse *completion)
{
    int32_t d = completion->rank, n = completion->problem->tasks;
    for (int32_t k = 0; k < 2 * d; k++) {
        int32_t c = k / 2;
        for (int32_t b = 0; b < c; b++) {
            double dot = 0;
            for (int32_t i = 0; i < n; i++) {
                dot +=
                    completion->basis[(int64_t)i * d + b] * completion->basis[(int64_t)i * d + c];
            }
            for (int32_t i = 0; i < n; i++) {
                completion->basis[(int64_t)i * d + c] -=
                    dot * completion->basis[(int64_t)i * d + b];
            }
        }
        double norm = 0;
        for (int32_t i = 0; i < n; i++) {
            norm += completion->basis[(int64_t)i * d + c] * completion->basis[(int64_t)i * d + c];
        }
        for (int32_t i = 0; i < n && norm > 0; i++) {
            completion->basis[(int64_t)i * d + c] /= sqrt(norm);
        }
    }
}

/* Draw normal variates with Box and Muller's method. */
static void draw_basis(const grouse *completion, uint64_t seed)
{
    const double turn = 2 * M_PI;
    for (int64_t k = 0; k < (int64_t)completion->problem->tasks * completion->rank; k++) {
        double u = og_draw_unit(og_draw(seed, OG_DRAW_GUESS, START, (uint32_t)k, 0));
        double v = og_draw_unit(og_draw(seed, OG_DRAW_GUESS, START, (uint32_t)k, 1));
        completion->basis[k] = sqrt(-2 * log1p(-u)) * cos(turn * v);
    }
    orthonormalise(completion);
}

/* Compute the weights of a worker: least squares of the basis over the worker's labels, with a
 * small ridge. */
static void solve_weights(const grouse *completion, int32_t worker)
{
    const double ridge = 1e-6;
    int32_t d = completion->rank;
    memset(completion->normal, 0, (size_t)d * (size_t)d * sizeof *completion->normal);
    memset(completion->weight, 0, (size_t)d * sizeof *completion->weight);
    for (int32_t a = 0; a < d; a++) {
        completion->normal[a * d + a] = ridge;
    }
    for (int32_t i = 0; i < completion->problem->tasks; i++) {
        const double *row = &completion->basis[(int64_t)i * d];
        int8_t given = completion->label[(int64_t)i * completion->problem->workers + worker];
        for (int32_t a = 0; given != 0 && a < d; a++) {
            completion->weight[a] += row[a] * given;
            for (int32_t b = 0; b < d; b++) {
                completion->normal[a * d + b] += row[a] * row[b];
            }
        }
    }
    gsl_matrix_view normal = gsl_matrix_view_array(completion->normal, (size_t)d, (size_t)d);
    gsl_vector_view weight = gsl_vector_view_array(completion->weight, (size_t)d);
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
static void fit(const grouse *completion, int32_t worker)
{
    for (int32_t i = 0; i < completion->problem->tasks; i++) {
        int8_t given = completion->label[(int64_t)i * completion->problem->workers + worker];
        completion->fit[i] = 0;
        for (int32_t a = 0; a < completion->rank; a++) {
            completion->fit[i] +=
                completion->basis[(int64_t)i * completion->rank + a] * completion->weight[a];
        }
        completion->residual[i] = given != 0 ? given - completion->fit[i] : 0;
    }
}

/* Take one step on the Grassmannian. */
static void turn_basis(const grouse *completion, int32_t worker, int32_t pass)
{
    const double nothing = 1e-12, rate = 0.1;
    int32_t n = completion->problem->tasks, d = completion->rank;
    solve_weights(completion, worker);
    fit(completion, worker);
    double r = norm_of(completion->residual, n), p = norm_of(completion->fit, n),
           w = norm_of(completion->weight, d);
    if (r < nothing || p < nothing) {
        return;
    }
    double x = fmin(rate * r * p / pass, M_PI / 2);
    for (int32_t i = 0; i < n; i++) {
        double along = (cos(x) - 1) * completion->fit[i] / p + sin(x) * completion->residual[i] / r;
        for (int32_t a = 0; a < d; a++) {
            completion->basis[(int64_t)i * d + a] += along * completion->weight[a] / w;
        }
    }
}

static void shuffle(const grouse *completion, uint64_t seed, int32_t pass)
{
    for (int32_t j = 0; j < completion->problem->workers; j++) {
        completion->order[j] = j;
    }
    for (int32_t j = completion->problem->workers - 1; j > 0; j--) {
        uint64_t bits = og_draw(seed, OG_DRAW_GUESS, ORDER, (uint32_t)pass, (uint32_t)j);
        int32_t other = (int32_t)og_draw_below(bits, (uint32_t)j + 1), was = completion->order[j];
        completion->order[j] = completion->order[other];
        completion->order[other] = was;
    }
}

static void fill_holes(const grouse *completion, uint64_t seed, int8_t *label)
{
    for (int32_t j = 0; j < completion->problem->workers; j++) {
        solve_weights(completion, j);
        fit(completion, j);
        for (int32_t i = 0; i < completion->problem->tasks; i++) {
            int8_t *cell = &label[(int64_t)i * completion->problem->workers + j];
            bool coin = og_draw(seed, OG_DRAW_GUESS, 0, (uint32_t)i, (uint32_t)j) >> 63 != 0;
            if (*cell == 0) {
                *cell = completion->fit[i] > 0 || (completion->fit[i] == 0 && coin) ? 1 : -1;
            }
        }
    }
}

static og_status fill_by_grouse(const og_fill *fill, const og_fill_problem *problem, uint64_t seed,
                                og_stop *stop, int8_t *label)
{
    const int32_t passes = 100, tidy = 10;
    size_t tasks = (size_t)problem->tasks, rank = (size_t)fill->rank;
    grouse completion = {.problem = problem, .label = label, .rank = fill->rank};
    completion.basis = og_arena_array(&completion.arena, tasks * rank, sizeof *completion.basis);
    completion.weight = og_arena_array(&completion.arena, rank, sizeof *completion.weight);
    completion.normal = og_arena_array(&completion.arena, rank * rank, sizeof *completion.normal);
    completion.fit = og_arena_array(&completion.arena, tasks, sizeof *completion.fit);
    completion.residual = og_arena_array(&completion.arena, tasks, sizeof *completion.residual);
    completion.order =
        og_arena_array(&completion.arena, (size_t)problem->workers, sizeof *completion.order);
    og_status status = og_arena_status(&completion.arena);
    if (status == OG_OK) {
        draw_basis(&completion, seed);
        for (int32_t pass = 1; pass <= passes; pass++) {
            shuffle(&completion, seed, pass);
            for (int32_t k = 0; k < problem->workers && !og_stop_asked(stop); k++) {
                turn_basis(&completion, completion.order[k], pass);
            }
            if (pass % tidy == 0) {
                orthonormalise(&completion);
            }
        }
        fill_holes(&completion, seed, label);
        status = og_stop_status(stop);
    }
    og_arena_clear(&completion.arena);
    return status;
}

og_status og_fill_in(const og_fill *fill, const og_fill_problem *problem, uint64_t seed,
                     og_stop *stop, int8_t *label)
{
    switch (fill->kind) {
    case OG_FILL_ACCURACY:
        return fill_by_accuracy(problem, seed, label);
    case OG_FILL_GROUSE:
        return fill_by_grouse(fill, problem, seed, stop, label);
    case OG_FILL_NONE:
        break;
    }
    return OG_OK;
}
