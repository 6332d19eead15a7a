/* Fits the strength of a model's probabilities, and makes a prior for each of them. */
#include "bench/recorded/model_prior.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"

enum { A, B, STRENGTH, SIZE };

int32_t og_share_of(double probability)
{
    return isnan(probability) ? OG_SHARE_NONE : (int32_t)lround(100 * probability);
}

/* Tasks with the same probability and counts. */
typedef struct {
    int32_t share;
    int64_t positive, negative;
    int64_t tasks;
} group;

typedef struct {
    og_arena arena;
    group *group; /* [count] */
    size_t count;
    int64_t informed; /* tasks with labels and a probability */
    int64_t label_count;
    bool fixed[SIZE]; /* these are given */
} random_sample;

/* ln L at x = {a, b, N}, with gradient and Hessian in the logarithms of x. */
typedef struct {
    double x[SIZE];
    double value, gradient[SIZE], hessian[SIZE][SIZE];
} point;

/* ---- the likelihood ---- */

static int compare_groups(const void *x, const void *y)
{
    const group *a = x, *b = y;
    int order = (a->share > b->share) - (a->share < b->share);
    order = order != 0 ? order : (a->positive > b->positive) - (a->positive < b->positive);
    return order != 0 ? order : (a->negative > b->negative) - (a->negative < b->negative);
}

static og_status sample_init(const og_labels *labels, const int32_t *share, random_sample *out)
{
    group *all = og_arena_array(&out->arena, labels->task_count, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    out->group = all;
    out->label_count = labels->label_count;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        all[i].share = share[i];
        all[i].tasks = 1;
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        group *task = &all[labels->task[i]];
        *(og_labels_outcome(labels, i) == 0 ? &task->positive : &task->negative) += 1;
    }
    for (uint32_t i = 0; i < labels->task_count; i++) {
        out->informed += all[i].share >= 0 && all[i].positive + all[i].negative > 0;
    }
    qsort(all, labels->task_count, sizeof *all, compare_groups);
    for (uint32_t i = 0; i < labels->task_count; i++) {
        if (out->count > 0 && compare_groups(&all[out->count - 1], &all[i]) == 0) {
            all[out->count - 1].tasks++;
        } else {
            all[out->count++] = all[i];
        }
    }
    return OG_OK;
}

/* Add sign * sum over j < n of ln(y + j), where y = w . x, and its derivatives in x. */
static void add_sum(point *at, const double w[SIZE], int64_t n, double sign)
{
    double y = 0, first = 0, second = 0;
    for (int i = 0; i < SIZE; i++) {
        y += w[i] * at->x[i];
    }
    for (int64_t j = 0; j < n; j++) {
        double term = 1 / (y + (double)j);
        at->value += sign * log(y + (double)j);
        first += term;
        second -= term * term;
    }
    for (int i = 0; i < SIZE; i++) {
        at->gradient[i] += sign * first * w[i];
        for (int k = 0; k < SIZE; k++) {
            at->hessian[i][k] += sign * second * w[i] * w[k];
        }
    }
}

static point evaluate(const random_sample *sample, const double x[SIZE])
{
    point all = {.value = 0};
    memcpy(all.x, x, sizeof all.x);
    for (size_t g = 0; g < sample->count; g++) {
        const group *one = &sample->group[g];
        double share = one->share / 100.0, has = one->share >= 0 ? 1 : 0;
        const double up[SIZE] = {1, 0, has * share}, down[SIZE] = {0, 1, has * (1 - share)};
        const double whole[SIZE] = {1, 1, has};
        point here = {.value = 0};
        memcpy(here.x, x, sizeof here.x);
        add_sum(&here, up, one->positive, 1);
        add_sum(&here, down, one->negative, 1);
        add_sum(&here, whole, one->positive + one->negative, -1);
        all.value += (double)one->tasks * here.value;
        for (int i = 0; i < SIZE; i++) {
            all.gradient[i] += (double)one->tasks * here.gradient[i];
            for (int k = 0; k < SIZE; k++) {
                all.hessian[i][k] += (double)one->tasks * here.hessian[i][k];
            }
        }
    }
    for (int i = 0; i < SIZE; i++) { /* into logarithms */
        for (int k = 0; k < SIZE; k++) {
            all.hessian[i][k] *= x[i] * x[k];
        }
        all.gradient[i] *= x[i];
        all.hessian[i][i] += all.gradient[i];
    }
    for (int i = 0; i < SIZE; i++) {
        for (int k = 0; sample->fixed[i] && k < SIZE; k++) {
            all.hessian[i][k] = all.hessian[k][i] = i == k ? -1 : 0;
        }
        all.gradient[i] = sample->fixed[i] ? 0 : all.gradient[i];
    }
    return all;
}

/* ---- the search ---- */

/* Solve (damping - H) step = gradient by elimination; false if the matrix is not positive
 * definite. */
static bool solve(const point *at, double damping, double step[SIZE])
{
    double m[SIZE][SIZE + 1];
    for (int i = 0; i < SIZE; i++) {
        for (int k = 0; k < SIZE; k++) {
            m[i][k] = (i == k ? damping : 0) - at->hessian[i][k];
        }
        m[i][SIZE] = at->gradient[i];
    }
    for (int i = 0; i < SIZE; i++) {
        if (!(m[i][i] > 0)) {
            return false;
        }
        for (int row = i + 1; row < SIZE; row++) {
            double factor = m[row][i] / m[i][i];
            for (int k = i; k <= SIZE; k++) {
                m[row][k] -= factor * m[i][k];
            }
        }
    }
    for (int i = SIZE; i-- > 0;) {
        step[i] = m[i][SIZE];
        for (int k = i + 1; k < SIZE; k++) {
            step[i] -= m[i][k] * step[k];
        }
        step[i] /= m[i][i];
    }
    return true;
}

/* True if a parameter is at its upper limit, but for the last steps. */
static bool is_large(double parameter)
{
    return parameter > 0.99 * OG_PARAMETER_MAX;
}

/* True if no parameter within its limits can raise the likelihood, by the gradient. */
static bool is_top(const point *at, const random_sample *sample)
{
    double most = 1e-9 * (double)sample->label_count;
    for (int i = 0; i < SIZE; i++) {
        bool low = at->x[i] <= OG_PARAMETER_MIN && at->gradient[i] < 0;
        bool high = is_large(at->x[i]) && at->gradient[i] > 0;
        if (fabs(at->gradient[i]) > most && !low && !high) {
            return false;
        }
    }
    return true;
}

/* Newton's method with damping, which falls after each success. */
static bool climb(const random_sample *sample, const double start[SIZE], point *out)
{
    point at = evaluate(sample, start);
    double damping = 1;
    for (int round = 0; round < 500; round++) {
        double step[SIZE], x[SIZE];
        if (is_top(&at, sample)) {
            *out = at;
            return true;
        }
        bool fine = solve(&at, damping, step);
        for (int i = 0; fine && i < SIZE; i++) {
            double moved = at.x[i] * exp(fmax(-3, fmin(3, step[i])));
            x[i] =
                sample->fixed[i] ? at.x[i] : fmax(OG_PARAMETER_MIN, fmin(OG_PARAMETER_MAX, moved));
        }
        point other = fine ? evaluate(sample, x) : at;
        if (fine && other.value >= at.value) {
            at = other;
            damping /= 8;
        } else {
            damping = fmax(4 * damping, 1e-9);
        }
        if (damping > 1e15) {
            break; /* no step rises any more: rounding decides */
        }
    }
    *out = at;
    bool flat = true, limit = false; /* at a limit the others may rise slowly */
    for (int i = 0; i < SIZE; i++) {
        flat = flat && fabs(at.gradient[i]) <= 1e-6 * (double)sample->label_count;
        limit = limit || (!sample->fixed[i] && is_large(at.x[i]));
    }
    return flat || limit;
}

/* The share of positive labels, half a label of each kind added. */
static double mean_of(const random_sample *sample)
{
    double positive = 0.5, all = 1;
    for (size_t g = 0; g < sample->count; g++) {
        const group *one = &sample->group[g];
        positive += (double)(one->tasks * one->positive);
        all += (double)(one->tasks * (one->positive + one->negative));
    }
    return positive / all;
}

og_status og_model_prior_fit(const og_labels *labels, const int32_t *share, double a, double b,
                             double strength, og_model_prior *out, og_message *message)
{
    static const double sums[][2] = {{2, 2}, {1, 20}, {10, 0.1}, {0.3, 1}};
    random_sample sample = {.fixed = {a > 0, b > 0, strength >= 0}};
    point best = {.value = -INFINITY}, found;
    og_status status = sample_init(labels, share, &sample);
    if (status == OG_OK && strength < 0 && sample.informed < 2) {
        status = og_message_set(message, OG_BAD_INPUT,
                                "fewer than two tasks have labels and a probability p, so its "
                                "strength cannot be fitted; give --model-strength N");
    }
    double mean = status == OG_OK ? mean_of(&sample) : 0;
    for (size_t k = 0; status == OG_OK && k < sizeof sums / sizeof *sums; k++) {
        const double start[SIZE] = {sample.fixed[A] ? a : sums[k][0] * mean,
                                    sample.fixed[B] ? b : sums[k][0] * (1 - mean),
                                    sample.fixed[STRENGTH] ? strength : sums[k][1]};
        if (climb(&sample, start, &found) && found.value > best.value) {
            best = found;
        }
    }
    og_arena_clear(&sample.arena);
    for (int i = 0; i < SIZE && status == OG_OK; i++) {
        if (!sample.fixed[i] && best.value > -INFINITY && is_large(best.x[i])) {
            status = og_message_set(message, OG_BAD_INPUT,
                                    "the tasks differ from their probabilities p by no more than "
                                    "chance explains, so no prior fits best; give --prior A,B and "
                                    "--model-strength N");
        }
    }
    if (status == OG_OK && best.value == -INFINITY) {
        status = og_message_set(message, OG_FAILED,
                                "the search for the strength of the probabilities p did not "
                                "converge; give --model-strength N");
    }
    if (status == OG_OK) {
        bool none = strength < 0 && best.x[STRENGTH] < 1e-4;
        *out = (og_model_prior){best.x[A], best.x[B], none ? 0 : best.x[STRENGTH], best.value};
    }
    return status;
}

/* ---- the priors ---- */

/* Add to a parameter; decimals of 12 digits are enough for it. */
static og_status add_to(og_fraction *parameter, double more, og_message *message)
{
    char text[48];
    snprintf(text, sizeof text, "%.12g", og_fraction_double(*parameter) + more);
    if (og_fraction_parse(text, strlen(text), parameter) == OG_OK) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "the prior of a task would have the parameter %s; choose a smaller "
                          "--model-strength",
                          text);
}

og_status og_model_priors(const og_group *base, double strength, const int32_t *share,
                          uint32_t tasks, og_group *prior, int32_t *prior_count, int32_t *prior_of,
                          og_message *message)
{
    int32_t number[101];
    memset(number, 0, sizeof number);
    prior[0] = *base;
    *prior_count = 1;
    for (uint32_t i = 0; i < tasks; i++) {
        prior_of[i] = 0;
        if (share[i] == OG_SHARE_NONE || strength <= 0) {
            continue;
        }
        if (number[share[i]] == 0) {
            og_group *made = &prior[*prior_count];
            *made = *base;
            OG_TRY(add_to(&made->a, strength * share[i] / 100, message));
            OG_TRY(add_to(&made->b, strength * (100 - share[i]) / 100, message));
            number[share[i]] = (*prior_count)++;
        }
        prior_of[i] = number[share[i]];
    }
    return OG_OK;
}
