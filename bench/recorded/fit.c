/*
 * Fits a Beta prior to recorded labels. Whether a fit exists at all is decided by integers.
 *
 * Likelihood: a task with s ones and f zeros has probability
 *   prod_{j<s} (a + j) * prod_{j<f} (b + j) / prod_{j<s+f} (a + b + j),
 * so with S_j, F_j, N_j the numbers of tasks with more than j ones, zeros, labels
 *   ln L = sum_j S_j ln(a + j) + F_j ln(b + j) - N_j ln(a + b + j).
 * Sums over j replace differences of ln Gamma and its derivatives, which cancel, and cost
 * the largest number of labels on one task, however many tasks there are.
 */
#include "bench/recorded/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "dp/base/arena.h"
#include "dp/prior/problem.h"

typedef struct {
    og_arena arena; /* also of the tails */
    uint32_t task_count;
    int64_t label_count;
    int64_t *ones;  /* [task_count] */
    int64_t *total; /* [task_count] */
    int64_t all_ones;
    int64_t most; /* labels on one task */
    double mean;
    double variance;
} counts;

static void find_moments(counts *tasks)
{
    long double sum = 0, squares = 0, size = tasks->task_count;
    for (uint32_t i = 0; i < tasks->task_count; i++) {
        sum += (long double)tasks->ones[i] / (long double)tasks->total[i];
    }
    for (uint32_t i = 0; i < tasks->task_count; i++) {
        long double off = (long double)tasks->ones[i] / (long double)tasks->total[i] - sum / size;
        squares += off * off;
    }
    tasks->mean = (double)(sum / size);
    tasks->variance = (double)(squares / size);
}

static og_status counts_init(counts *tasks, const og_labels *labels)
{
    *tasks = (counts){.task_count = labels->task_count, .label_count = labels->label_count};
    tasks->ones = og_arena_array(&tasks->arena, labels->task_count, sizeof *tasks->ones);
    tasks->total = og_arena_array(&tasks->arena, labels->task_count, sizeof *tasks->total);
    OG_TRY(og_arena_status(&tasks->arena));
    og_labels_count(labels, tasks->ones, tasks->total);
    for (uint32_t i = 0; i < tasks->task_count; i++) {
        tasks->all_ones += tasks->ones[i];
        if (tasks->total[i] > tasks->most) {
            tasks->most = tasks->total[i];
        }
    }
    find_moments(tasks);
    return OG_OK;
}

static bool every_task_unanimous(const counts *tasks)
{
    for (uint32_t i = 0; i < tasks->task_count; i++) {
        if (tasks->ones[i] != 0 && tasks->ones[i] != tasks->total[i]) {
            return false;
        }
    }
    return true;
}

/* Cross products of counts below 2^31 fit. */
static bool all_fractions_alike(const counts *tasks)
{
    for (uint32_t i = 1; i < tasks->task_count; i++) {
        if (tasks->ones[i] * tasks->total[0] != tasks->ones[0] * tasks->total[i]) {
            return false;
        }
    }
    return true;
}

/* OG_OK if the labels say anything about both parameters. */
static og_status check(const counts *tasks, og_message *message)
{
    const char *own = "give a prior of your own";
    if (tasks->task_count < 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "one task only: a prior says how tasks differ, so a fit needs two or "
                              "more; %s, such as 1,1",
                              own);
    }
    if (tasks->all_ones == 0 || tasks->all_ones == tasks->label_count) {
        return og_message_set(message, OG_BAD_INPUT,
                              "every label is %d, so no Beta can be fitted; %s, such as %s",
                              tasks->all_ones != 0, own, tasks->all_ones != 0 ? "1,0.5" : "0.5,1");
    }
    if (every_task_unanimous(tasks)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "every task is unanimous%s, so the fit runs to Beta(0,0), which is "
                              "no prior; record more labels per task or %s, such as 0.5,0.5",
                              tasks->most == 1 ? " (none has two labels)" : "", own);
    }
    if (all_fractions_alike(tasks)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "every task has the same fraction of ones, %.4g: the variance is 0 "
                              "and no Beta has that; %s with this mean, such as %.4g,%.4g",
                              tasks->mean, own, 20 * tasks->mean, 20 * (1 - tasks->mean));
    }
    return OG_OK;
}

static bool in_range(double parameter)
{
    return parameter >= OG_PARAMETER_MIN && parameter <= OG_PARAMETER_MAX;
}

/* Tasks with more than j ones, zeros, labels. */
typedef struct {
    int64_t ones, zeros, total; /* S_j, F_j, N_j */
} tail;

typedef struct {
    int64_t most;
    tail *beyond; /* [most] by j */
} tails;

static og_status tails_init(tails *all, counts *tasks)
{
    tail *beyond = og_arena_array(&tasks->arena, (size_t)tasks->most, sizeof *beyond);
    *all = (tails){.most = tasks->most, .beyond = beyond};
    OG_TRY(og_arena_status(&tasks->arena));
    /* index n first counts the tasks with exactly n, at n - 1 after the shift by "more than j" */
    for (uint32_t i = 0; i < tasks->task_count; i++) {
        int64_t zeros = tasks->total[i] - tasks->ones[i];
        if (tasks->ones[i] > 0) {
            beyond[tasks->ones[i] - 1].ones++;
        }
        if (zeros > 0) {
            beyond[zeros - 1].zeros++;
        }
        beyond[tasks->total[i] - 1].total++;
    }
    for (int64_t j = all->most - 2; j >= 0; j--) {
        beyond[j].ones += beyond[j + 1].ones;
        beyond[j].zeros += beyond[j + 1].zeros;
        beyond[j].total += beyond[j + 1].total;
    }
    return OG_OK;
}

static double log_likelihood(const tails *all, double a, double b)
{
    long double sum = 0;
    for (int64_t j = 0; j < all->most; j++) {
        double step = (double)j;
        sum += (long double)all->beyond[j].ones * logl(a + step);
        sum += (long double)all->beyond[j].zeros * logl(b + step);
        sum -= (long double)all->beyond[j].total * logl((long double)a + b + step);
    }
    return (double)sum;
}

/* Gradient and second derivatives of ln L in x = ln a, y = ln b. */
typedef struct {
    double x, y, xx, xy, yy;
    double x_size, y_size; /* sums of the terms' sizes, for the rounding of x and y */
} slopes;

static slopes slopes_at(const tails *all, double a, double b)
{
    slopes at = {0};
    double both = a + b;
    for (int64_t j = 0; j < all->most; j++) {
        double step = (double)j, ones = (double)all->beyond[j].ones * a / (a + step),
               zeros = (double)all->beyond[j].zeros * b / (b + step),
               total = (double)all->beyond[j].total / (both + step);
        at.x += ones - total * a;
        at.y += zeros - total * b;
        at.x_size += ones + total * a;
        at.y_size += zeros + total * b;
        at.xx += ones * step / (a + step) - total * a * (b + step) / (both + step);
        at.yy += zeros * step / (b + step) - total * b * (a + step) / (both + step);
        at.xy += total * a * b / (both + step);
    }
    return at;
}

/* Newton's step, cut to a factor e; uphill along the gradient where ln L is not concave. */
static bool newton_step(const slopes *at, double *dx, double *dy)
{
    double determinant = at->xx * at->yy - at->xy * at->xy;
    bool concave = at->xx < 0 && determinant > 0;
    *dx = concave ? (at->xy * at->y - at->yy * at->x) / determinant : at->x;
    *dy = concave ? (at->xy * at->x - at->xx * at->y) / determinant : at->y;
    double longest = fmax(fabs(*dx), fabs(*dy));
    if (longest > 1) {
        *dx /= longest;
        *dy /= longest;
    }
    return concave;
}

/* The best of the Betas with the mean of all labels and a + b a power of two. */
static void best_of_grid(const tails *all, double mean, double *a, double *b)
{
    double best = -INFINITY;
    for (int power = -20; power <= 20; power++) {
        double both = ldexp(1, power);
        double here = log_likelihood(all, both * mean, both * (1 - mean));
        if (here > best) {
            best = here;
            *a = both * mean;
            *b = both * (1 - mean);
        }
    }
}

typedef enum { FOUND, OUT_OF_RANGE, LOST } climb_end;

/*
 * Climb from (a, b) to where a whole Newton step is nothing: that, unlike a small gradient alone,
 * tells a maximum from the plateau at large a + b.
 */
static climb_end climb(const tails *all, double *a, double *b)
{
    double value = log_likelihood(all, *a, *b);
    for (int round = 0; round < 200; round++) {
        slopes at = slopes_at(all, *a, *b);
        double dx, dy;
        bool concave = newton_step(&at, &dx, &dy);
        if (concave && fmax(fabs(dx), fabs(dy)) < 1e-9) {
            return fabs(at.x) <= 1e-9 * at.x_size && fabs(at.y) <= 1e-9 * at.y_size ? FOUND : LOST;
        }
        double part = 1, rounding = 1e-15 * (at.x_size + at.y_size + fabs(value)), next = -INFINITY;
        for (; part > 1e-10; part /= 2) {
            next = log_likelihood(all, *a * exp(part * dx), *b * exp(part * dy));
            if (next >= value - rounding) {
                break;
            }
        }
        *a *= exp(part * dx);
        *b *= exp(part * dy);
        value = next;
        if (!in_range(*a) || !in_range(*b)) {
            return OUT_OF_RANGE;
        }
    }
    return LOST;
}

static og_status maximise(const counts *tasks, const tails *all, double *a, double *b,
                          og_message *message)
{
    best_of_grid(all, (double)tasks->all_ones / (double)tasks->label_count, a, b);
    switch (climb(all, a, b)) {
    case FOUND:
        return OG_OK;
    case LOST:
        return og_message_set(message, OG_FAILED,
                              "maximum likelihood: no maximum reached near Beta(%.6g,%.6g)", *a,
                              *b);
    case OUT_OF_RANGE:
        break;
    }
    if (*a + *b < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "almost every task is unanimous: the likelihood leads to "
                              "Beta(%.3g,%.3g), below the least parameter %g; give a prior of "
                              "your own, such as 0.01,0.01",
                              *a, *b, OG_PARAMETER_MIN);
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "the tasks differ by no more than chance explains: the likelihood grows "
                          "with a and b past %g; fit by moments instead (--method moments), or "
                          "give a prior of your own with the mean %.4g",
                          OG_PARAMETER_MAX, tasks->mean);
}

static og_status by_moments(const counts *tasks, double *a, double *b, og_message *message)
{
    double mean = tasks->mean, spread = tasks->variance;
    double both = mean * (1 - mean) / spread - 1;
    *a = mean * both;
    *b = (1 - mean) * both;
    if (in_range(*a) && in_range(*b)) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "the moments give Beta(%.6g,%.6g), outside %g .. %g: the tasks' "
                          "fractions of ones are almost all %s; give a prior of your own",
                          *a, *b, OG_PARAMETER_MIN, OG_PARAMETER_MAX,
                          both < 1 ? "0 or 1" : "the same");
}

static og_status fit_counts(counts *tasks, bool likeliest, og_fit *out, og_message *message)
{
    OG_TRY(check(tasks, message));
    tails all;
    double a = 0, b = 0;
    og_status status = tails_init(&all, tasks);
    if (status != OG_OK) {
        og_message_set(message, status, "out of memory for %" PRId64 " labels", tasks->label_count);
    } else if (likeliest) {
        status = maximise(tasks, &all, &a, &b, message);
    } else {
        status = by_moments(tasks, &a, &b, message);
    }
    if (status == OG_OK) {
        *out = (og_fit){.a = a,
                        .b = b,
                        .label_count = tasks->label_count,
                        .task_count = tasks->task_count,
                        .mean = tasks->mean,
                        .variance = tasks->variance,
                        .log_likelihood = log_likelihood(&all, a, b)};
    }
    return status;
}

static og_status fit(const og_labels *labels, bool likeliest, og_fit *out, og_message *message)
{
    counts tasks;
    og_status status = counts_init(&tasks, labels);
    if (status == OG_OK) {
        status = fit_counts(&tasks, likeliest, out, message);
    } else {
        og_message_set(message, status, "out of memory for %" PRIu32 " tasks", labels->task_count);
    }
    og_arena_clear(&tasks.arena);
    return status;
}

og_status og_fit_moments(const og_labels *labels, og_fit *out, og_message *message)
{
    return fit(labels, false, out, message);
}

og_status og_fit_ml(const og_labels *labels, og_fit *out, og_message *message)
{
    return fit(labels, true, out, message);
}
