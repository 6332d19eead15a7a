/*
 * Fits a prior to recorded labels. Integers decide if a fit exists at all.
 *
 * Likelihood: a task with n labels, c_k of class k, has probability
 *   prod_k prod_{j<c_k} (alpha_k + j) / prod_{j<n} (q + j),  q = sum_k alpha_k,
 * so with C_kj, N_j the numbers of tasks with more than j labels of class k, more than j labels,
 *   ln L = sum_j (sum_k C_kj ln(alpha_k + j) - N_j ln(q + j)).
 * Sums over j replace differences of ln Gamma and its derivatives, which suffer from cancellation.
 * Their cost is the largest number of labels of a task, independent of the number of tasks.
 */
#include "bench/recorded/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/arena.h"

enum { EXAMPLE_BYTES = 16 * OG_CLASSES_MAX };

typedef struct {
    og_arena arena; /* holds the tails too */
    int32_t classes;
    uint32_t task_count;
    int64_t label_count;
    int64_t *count; /* [task_count][classes] */
    int64_t *total; /* [task_count] */
    int64_t all[OG_CLASSES_MAX];
    int64_t most; /* most labels of one task */
    double mean[OG_CLASSES_MAX];
    double variance;
} counts;

static long double share(const counts *tasks, uint32_t task, int32_t class)
{
    return (long double)tasks->count[(size_t)task * (size_t)tasks->classes + (size_t) class] /
           (long double)tasks->total[task];
}

static void find_moments(counts *tasks)
{
    long double squares = 0, size = tasks->task_count;
    for (int32_t k = 0; k < tasks->classes; k++) {
        long double sum = 0;
        for (uint32_t i = 0; i < tasks->task_count; i++) {
            sum += share(tasks, i, k);
        }
        tasks->mean[k] = (double)(sum / size);
        /* for two classes one is enough */
        for (uint32_t i = 0; i < tasks->task_count && (tasks->classes > 2 || k == 0); i++) {
            long double off = share(tasks, i, k) - sum / size;
            squares += off * off;
        }
    }
    tasks->variance = (double)(squares / size);
}

static og_status counts_init(counts *tasks, const og_labels *labels)
{
    *tasks = (counts){.classes = og_labels_classes(labels),
                      .task_count = labels->task_count,
                      .label_count = labels->label_count};
    size_t classes = (size_t)tasks->classes;
    tasks->count =
        og_arena_array(&tasks->arena, labels->task_count * classes, sizeof *tasks->count);
    tasks->total = og_arena_array(&tasks->arena, labels->task_count, sizeof *tasks->total);
    OG_TRY(og_arena_status(&tasks->arena));
    for (int64_t i = 0; i < labels->label_count; i++) {
        int32_t outcome = og_labels_outcome(labels, i);
        tasks->count[labels->task[i] * classes + (size_t)outcome]++;
        tasks->all[outcome]++;
        int64_t total = ++tasks->total[labels->task[i]];
        tasks->most = total > tasks->most ? total : tasks->most;
    }
    find_moments(tasks);
    return OG_OK;
}

static bool every_task_unanimous(const counts *tasks)
{
    size_t classes = (size_t)tasks->classes;
    for (size_t i = 0; i < tasks->task_count * classes; i++) {
        if (tasks->count[i] != 0 && tasks->count[i] != tasks->total[i / classes]) {
            return false;
        }
    }
    return true;
}

/* Cross products of counts below 2^31 do not overflow. */
static bool all_fractions_alike(const counts *tasks)
{
    size_t classes = (size_t)tasks->classes;
    for (size_t i = classes; i < tasks->task_count * classes; i++) {
        if (tasks->count[i] * tasks->total[0] !=
            tasks->count[i % classes] * tasks->total[i / classes]) {
            return false;
        }
    }
    return true;
}

/* The text of a prior with nearly the mean of the tasks and this sum of parameters. */
static const char *example(const counts *tasks, double sum, char text[EXAMPLE_BYTES])
{
    size_t used = 0;
    for (int32_t k = 0; k < tasks->classes; k++) {
        used += (size_t)snprintf(text + used, EXAMPLE_BYTES - used, "%s%.4g", k > 0 ? "," : "",
                                 fmax(0.01, sum * tasks->mean[k]));
    }
    return text;
}

/* "1,1" or "1,1,1". */
static const char *uniform(int32_t classes, char text[EXAMPLE_BYTES])
{
    for (int32_t k = 0; k < classes; k++) {
        memcpy(text + 2 * k, k + 1 < classes ? "1," : "1", 2);
    }
    text[2 * classes - 1] = '\0';
    return text;
}

/* OG_OK if the labels determine all parameters. */
static og_status check(const counts *tasks, const og_labels *labels, og_message *message)
{
    const char *own = "give a prior of your own";
    char words[EXAMPLE_BYTES];
    if (tasks->label_count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "there are no labels to fit a prior to; %s, such as %s", own,
                              uniform(tasks->classes, words));
    }
    if (tasks->task_count < 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "only one task: a prior describes how tasks differ, so a fit "
                              "requires at least two; %s, such as %s",
                              own, uniform(tasks->classes, words));
    }
    for (int32_t k = 0; k < 2; k++) {
        if (tasks->all[k] == tasks->label_count) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "every label is '%.40s', so no Beta can be fitted; %s, such as "
                                  "%s",
                                  og_labels_outcome_name(labels, k), own,
                                  k == 0 ? "1,0.5" : "0.5,1");
        }
    }
    for (int32_t k = 0; k < tasks->classes; k++) {
        if (tasks->all[k] == 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "no label is '%.40s' yet, so the parameter of this class tends "
                                  "to 0; %s, such as %s",
                                  og_labels_outcome_name(labels, k), own,
                                  uniform(tasks->classes, words));
        }
    }
    if (every_task_unanimous(tasks)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "every task is unanimous%s, so the parameters tend to 0, which is "
                              "not a prior; record more labels per task or %s, such as %s",
                              tasks->most == 1 ? " (none has two labels)" : "", own,
                              example(tasks, 1, words));
    }
    if (all_fractions_alike(tasks)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "every task has the same fraction of %s, %.4g: no prior has variance "
                              "0; %s with this mean, such as %s",
                              tasks->classes == 2 ? "ones" : "the first class", tasks->mean[0], own,
                              example(tasks, 20, words));
    }
    return OG_OK;
}

static bool in_range(const double *parameter, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        if (!(parameter[k] >= OG_PARAMETER_MIN && parameter[k] <= OG_PARAMETER_MAX)) {
            return false;
        }
    }
    return true;
}

static og_status fail_by_chance(const counts *tasks, og_message *message)
{
    char words[EXAMPLE_BYTES];
    return og_message_set(message, OG_BAD_INPUT,
                          "the tasks differ by no more than chance explains, so no prior fits "
                          "best; record more labels per task, or give a prior of your own with "
                          "their mean, such as %s",
                          example(tasks, 20, words));
}

/* ---- maximum likelihood ---- */

typedef struct {
    int32_t classes;
    int64_t most;
    double *beyond; /* [most][classes + 1] tasks with more than j labels of each class, and in
                       all */
} tails;

static const double *tails_at(const tails *all, int64_t j)
{
    return all->beyond + (size_t)j * ((size_t)all->classes + 1);
}

static og_status tails_init(tails *all, counts *tasks)
{
    size_t classes = (size_t)tasks->classes, width = classes + 1;
    double *beyond = og_arena_array(&tasks->arena, (size_t)tasks->most * width, sizeof *beyond);
    *all = (tails){.classes = tasks->classes, .most = tasks->most, .beyond = beyond};
    OG_TRY(og_arena_status(&tasks->arena));
    /* at first an entry counts the tasks with exactly n labels; "more than j" shifts n to n - 1 */
    for (uint32_t i = 0; i < tasks->task_count; i++) {
        for (size_t k = 0; k < classes; k++) {
            int64_t count = tasks->count[i * classes + k];
            if (count > 0) {
                beyond[(size_t)(count - 1) * width + k]++;
            }
        }
        beyond[(size_t)(tasks->total[i] - 1) * width + classes]++;
    }
    for (size_t at = (size_t)(all->most - 1) * width; at-- > 0;) {
        beyond[at] += beyond[at + width];
    }
    return OG_OK;
}

static double sum_of(const double *parameter, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += parameter[k];
    }
    return sum;
}

static double log_likelihood(const tails *all, const double *parameter)
{
    long double sum = 0, both = 0;
    for (int32_t k = 0; k < all->classes; k++) {
        both += parameter[k];
    }
    for (int64_t j = 0; j < all->most; j++) {
        const double *beyond = tails_at(all, j);
        for (int32_t k = 0; k < all->classes; k++) {
            sum += beyond[k] * logl(parameter[k] + (double)j);
        }
        sum -= beyond[all->classes] * logl(both + (double)j);
    }
    return (double)sum;
}

/*
 * Gradient and second derivatives of ln L in x_k = ln alpha_k: the diagonal matrix of `own` plus
 * shared * alpha alpha^T, which is inverted explicitly.
 */
typedef struct {
    int32_t classes;
    double slope[OG_CLASSES_MAX];
    double size[OG_CLASSES_MAX]; /* sums of the terms' sizes, for rounding errors of the slopes */
    long double own[OG_CLASSES_MAX];
    long double shared;
    long double remains; /* 1 + shared * sum of alpha_k^2 / own_k */
    bool concave;
} slopes;

static slopes slopes_at(const tails *all, const double *parameter)
{
    slopes at = {.classes = all->classes, .remains = 1, .concave = true};
    long double first[OG_CLASSES_MAX] = {0}, all_first = 0;
    double both = sum_of(parameter, all->classes);
    for (int64_t j = 0; j < all->most; j++) {
        const double *beyond = tails_at(all, j);
        double step = (double)j;
        long double total = beyond[all->classes] / ((long double)both + step);
        all_first += total;
        at.shared += total / ((long double)both + step);
        for (int32_t k = 0; k < all->classes; k++) {
            long double term = beyond[k] / ((long double)parameter[k] + step);
            first[k] += term;
            at.own[k] += term * step / ((long double)parameter[k] + step);
        }
    }
    for (int32_t k = 0; k < all->classes; k++) {
        long double alpha = parameter[k];
        at.slope[k] = (double)(alpha * (first[k] - all_first));
        at.size[k] = (double)(alpha * (first[k] + all_first));
        at.own[k] = alpha * (at.own[k] - all_first);
        at.concave = at.concave && at.own[k] < 0;
        at.remains += at.shared * alpha * alpha / at.own[k];
    }
    at.concave = at.concave && at.remains > 0;
    return at;
}

/* Newton's step, limited to a factor e; along the gradient if ln L is not concave. Returns the
 * length of the full step. */
static double newton_step(const slopes *at, const double *parameter, double *step)
{
    long double along = 0;
    double longest = 0;
    for (int32_t k = 0; k < at->classes; k++) {
        along += parameter[k] * at->slope[k] / at->own[k];
    }
    along *= at->shared / at->remains;
    for (int32_t k = 0; k < at->classes; k++) {
        step[k] = at->concave ? (double)((parameter[k] * along - at->slope[k]) / at->own[k])
                              : at->slope[k];
        longest = fmax(longest, fabs(step[k]));
    }
    for (int32_t k = 0; k < at->classes && longest > 1; k++) {
        step[k] /= longest;
    }
    return longest;
}

/* Find the best prior with the mean of all labels among those whose parameters add up to a power of
 * two. */
static void best_of_grid(const counts *tasks, const tails *all, double *parameter)
{
    double best = -INFINITY;
    for (int power = -20; power <= 20; power++) {
        double here[OG_CLASSES_MAX];
        for (int32_t k = 0; k < tasks->classes; k++) {
            here[k] = ldexp((double)tasks->all[k] / (double)tasks->label_count, power);
        }
        double value = log_likelihood(all, here);
        for (int32_t k = 0; k < tasks->classes && value > best; k++) {
            parameter[k] = here[k];
        }
        best = fmax(best, value);
    }
}

typedef enum { FOUND, OUT_OF_RANGE, LOST } climb_end;

static bool stationary(const slopes *at)
{
    for (int32_t k = 0; k < at->classes; k++) {
        if (fabs(at->slope[k]) > 1e-9 * at->size[k]) {
            return false;
        }
    }
    return true;
}

/* Move by the largest part of the step (halved repeatedly) that does not reduce *value, ln L,
 * beyond rounding. */
static void walk(const tails *all, const double *step, double rounding, double *parameter,
                 double *value)
{
    double next = -INFINITY, there[OG_CLASSES_MAX];
    for (double part = 1; part > 1e-10 && next < *value - rounding; part /= 2) {
        for (int32_t k = 0; k < all->classes; k++) {
            there[k] = parameter[k] * exp(part * step[k]);
        }
        next = log_likelihood(all, there);
    }
    for (int32_t k = 0; k < all->classes; k++) {
        parameter[k] = there[k];
    }
    *value = next;
}

/*
 * Climb until the full Newton step is negligible. Unlike a small gradient alone, that distinguishes
 * a maximum from the plateau of large parameters. `at` receives the slopes there.
 */
static climb_end climb(const tails *all, double *parameter, slopes *at)
{
    double value = log_likelihood(all, parameter);
    for (int round = 0; round < 200; round++) {
        double step[OG_CLASSES_MAX];
        *at = slopes_at(all, parameter);
        double length = newton_step(at, parameter, step);
        if (at->concave && length < 1e-9) {
            return stationary(at) ? FOUND : LOST;
        }
        double sizes = sum_of(at->size, at->classes);
        walk(all, step, 1e-15 * (sizes + fabs(value)), parameter, &value);
        if (!in_range(parameter, all->classes)) {
            return OUT_OF_RANGE;
        }
    }
    return LOST;
}

og_status og_fit_climb(int32_t classes, int64_t most, double *beyond, double *parameter)
{
    const tails all = {.classes = classes, .most = most, .beyond = beyond};
    slopes at;
    climb_end end = climb(&all, parameter, &at);
    return end == FOUND ? OG_OK : end == LOST ? OG_FAILED : OG_BAD_INPUT;
}

/* The diagonal of the inverse of the second derivatives, converted from ln alpha to alpha. */
static void find_errors(const slopes *at, const double *parameter, double *error)
{
    for (int32_t k = 0; k < at->classes; k++) {
        long double alpha = parameter[k], tilt = alpha / at->own[k];
        error[k] = (double)(alpha * sqrtl(at->shared * tilt * tilt / at->remains - 1 / at->own[k]));
    }
}

static og_status by_likelihood(const counts *tasks, const tails *all, og_fit *out,
                               og_message *message)
{
    slopes at;
    double *parameter = out->parameter;
    char words[EXAMPLE_BYTES];
    best_of_grid(tasks, all, parameter);
    switch (climb(all, parameter, &at)) {
    case FOUND:
        find_errors(&at, parameter, out->standard_error);
        return OG_OK;
    case LOST:
        return og_message_set(message, OG_FAILED,
                              "maximum likelihood: no maximum reached near %.6g,%.6g", parameter[0],
                              parameter[1]);
    case OUT_OF_RANGE:
        break;
    }
    if (sum_of(parameter, tasks->classes) < 1) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "almost every task is unanimous: the likelihood has its maximum below the smallest "
            "parameter, %g; give a prior of your own, such as %s",
            OG_PARAMETER_MIN, example(tasks, 0.02, words));
    }
    return fail_by_chance(tasks, message);
}

/* ---- moments ---- */

/* Set the parameters with the means `mean` and the sum `both`. */
static og_status by_sum(const counts *tasks, const long double *mean, long double both, og_fit *out,
                        og_message *message)
{
    char words[EXAMPLE_BYTES];
    for (int32_t k = 0; k < tasks->classes; k++) {
        out->parameter[k] = (double)(mean[k] * both);
    }
    if (in_range(out->parameter, tasks->classes)) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "the moments give parameters that add up to %.6g, outside %g .. %g each: "
                          "the tasks' fractions are almost all %s; fit by maximum likelihood (ml) "
                          "or give a prior of your own, such as %s",
                          (double)both, OG_PARAMETER_MIN, OG_PARAMETER_MAX,
                          both < 1 ? "0 or 1" : "the same",
                          example(tasks, both < 1 ? 0.02 : 20, words));
}

static og_status by_moments(const counts *tasks, og_fit *out, og_message *message)
{
    long double mean[OG_CLASSES_MAX], chance = 0, spread = 0, all = tasks->label_count;
    long double tasks_free = 0, pairs_free = 0; /* sums of (1 - n_i / w) and of (n_i - 1) (1 - n_i /
                                                   w) */
    for (int32_t k = 0; k < tasks->classes; k++) {
        mean[k] = (long double)tasks->all[k] / all;
        chance += mean[k] * (1 - mean[k]);
    }
    for (uint32_t i = 0; i < tasks->task_count; i++) {
        long double total = tasks->total[i];
        for (int32_t k = 0; k < tasks->classes; k++) {
            long double off = share(tasks, i, k) - mean[k];
            spread += total * off * off;
        }
        tasks_free += 1 - total / all;
        pairs_free += (total - 1) * (1 - total / all);
    }
    long double rho = (spread - chance * tasks_free) / (chance * pairs_free);
    return rho > 0 && 1 / rho - 1 <= tasks->classes * (long double)OG_PARAMETER_MAX
               ? by_sum(tasks, mean, 1 / rho - 1, out, message)
               : fail_by_chance(tasks, message);
}

static og_status by_paper(const counts *tasks, og_fit *out, og_message *message)
{
    long double mean[OG_CLASSES_MAX], chance = 0;
    for (int32_t k = 0; k < tasks->classes; k++) {
        mean[k] = tasks->mean[k];
        if (tasks->classes > 2 || k == 0) {
            chance += mean[k] * (1 - mean[k]);
        }
    }
    return by_sum(tasks, mean, chance / tasks->variance - 1, out, message);
}

static og_status fit_counts(counts *tasks, const og_labels *labels, og_fit_method method,
                            og_fit *out, og_message *message)
{
    OG_TRY(check(tasks, labels, message));
    tails all;
    if (tails_init(&all, tasks) != OG_OK) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for %" PRId64 " labels",
                              tasks->label_count);
    }
    og_fit made = {.label_count = tasks->label_count,
                   .task_count = tasks->task_count,
                   .class_count = tasks->classes,
                   .variance = tasks->variance};
    for (int32_t k = 0; k < tasks->classes; k++) {
        made.mean[k] = tasks->mean[k];
        made.standard_error[k] = NAN;
    }
    OG_TRY(method == OG_FIT_ML        ? by_likelihood(tasks, &all, &made, message)
           : method == OG_FIT_MOMENTS ? by_moments(tasks, &made, message)
                                      : by_paper(tasks, &made, message));
    made.log_likelihood = log_likelihood(&all, made.parameter);
    *out = made;
    return OG_OK;
}

og_fit_method og_fit_method_of(const char *name)
{
    return strcmp(name, "ml") == 0        ? OG_FIT_ML
           : strcmp(name, "moments") == 0 ? OG_FIT_MOMENTS
                                          : OG_FIT_PAPER;
}

og_status og_fit_prior(const og_labels *labels, og_fit_method method, og_fit *out,
                       og_message *message)
{
    counts tasks;
    og_status status = counts_init(&tasks, labels);
    if (status == OG_OK) {
        status = fit_counts(&tasks, labels, method, out, message);
    } else {
        og_message_set(message, status, "out of memory for %" PRIu32 " tasks", labels->task_count);
    }
    og_arena_clear(&tasks.arena);
    return status;
}

const char *og_prior_words(const double *parameter, int32_t count, char words[OG_PRIOR_WORDS])
{
    size_t used = 0;
    for (int32_t k = 0; k < count; k++) {
        used += (size_t)snprintf(words + used, OG_PRIOR_WORDS - used, "%s%.12g", k > 0 ? "," : "",
                                 parameter[k]);
    }
    return words;
}
