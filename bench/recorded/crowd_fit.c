/* Fits the prior of tasks to expected numbers of labels. */
#include "bench/recorded/crowd_fit.h"

#include <math.h>
#include <string.h>

#include "bench/recorded/fit.h"

og_status og_crowd_fit_init(og_arena *arena, int32_t classes, uint32_t longest, uint32_t tasks,
                            og_crowd_fit *out)
{
    size_t size = (longest + (size_t)1) * ((size_t)classes + 1);
    *out = (og_crowd_fit){.classes = classes, .longest = longest, .unit = 0x1p62};
    for (; tasks > 0; tasks /= 2) {
        out->unit /= 2;
    }
    for (int32_t k = 0; k < classes; k++) {
        out->from[k] = 1;
    }
    out->beyond = og_arena_array(arena, size, sizeof *out->beyond);
    out->sorted = og_arena_array(arena, size, sizeof *out->sorted);
    return og_arena_status(arena);
}

/* order[classes]: by their parameters and numbers of labels, so that it is that of no names. */
static void sort_classes(const og_crowd_fit *fit, const double *now, int32_t *order)
{
    size_t width = (size_t)fit->classes + 1;
    for (int32_t k = 0; k < fit->classes; k++) {
        int32_t place = k;
        for (; place > 0; place--) {
            int32_t other = order[place - 1];
            const int64_t *x = fit->beyond + other, *y = fit->beyond + k;
            size_t j = 0, size = fit->longest * width;
            while (j + width < size && x[j] == y[j]) {
                j += width;
            }
            if (now[other] < now[k] || (now[other] == now[k] && x[j] <= y[j])) {
                break;
            }
            order[place] = other;
        }
        order[place] = k;
    }
}

/* The prior of the largest likelihood for the expected numbers of reliable labels, and the
 * logarithm of the step to it: both in that order. */
static og_status maximize(og_crowd_fit *fit, const double *now, const int32_t *order, double *next,
                          double *step, og_message *message)
{
    size_t width = (size_t)fit->classes + 1;
    for (size_t at = 0; at < fit->longest * width; at++) {
        size_t k = at % width;
        size_t from = k + 1 < width ? (size_t)order[k] : k;
        fit->sorted[at] = (double)fit->beyond[at - k + from] / fit->unit;
    }
    for (int32_t k = 0; k < fit->classes; k++) {
        next[k] = now[order[k]];
    }
    og_status status = og_fit_climb(fit->classes, fit->longest, fit->sorted, next);
    double least = INFINITY, most = 0;
    for (int32_t k = 0; k < fit->classes; k++) {
        least = fmin(least, next[k]);
        most = fmax(most, next[k]);
        next[k] = fmax(OG_CROWD_FIT_LEAST, next[k]);
        step[k] = log(next[k] / now[order[k]]);
    }
    return status == OG_OK ||
                   (status == OG_BAD_INPUT && least < OG_CROWD_FIT_LEAST && most < OG_PARAMETER_MAX)
               ? OG_OK
               : og_message_set(
                     message, OG_BAD_INPUT,
                     "with workers of this prior the tasks differ by no more than chance "
                     "explains, so no prior fits best; give a prior of your own, such as "
                     "1,1");
}

/* Where steps lead if they change along a line, as the last two do (Aitken; Anderson, "Iterative
 * procedures for nonlinear integral equations", J. ACM 12 (1965)): out[classes], in that order,
 * beyond this step; at most 1. */
static void lead(og_crowd_fit *fit, const double *from, const int32_t *order, const double *step,
                 double *out)
{
    int32_t classes = fit->classes;
    double change[OG_CLASSES_MAX], size = 0, along = 0, square = 0, before = 0, most = 1;
    for (int32_t k = 0; k < classes; k++) {
        double last = fit->step[order[k]];
        change[k] = step[k] - last;
        size += change[k] * change[k];
        along += change[k] * step[k];
        square += step[k] * step[k];
        before += last * last;
    }
    double share = size > 0 && square < 4 * before ? along / size : 0;
    for (int32_t k = 0; k < classes; k++) {
        out[k] = -share * (log(from[order[k]] / fit->from[order[k]]) + change[k]);
        most = fmax(most, fabs(out[k]));
    }
    for (int32_t k = 0; k < classes; k++) {
        out[k] /= most;
        fit->from[order[k]] = from[order[k]];
        fit->step[order[k]] = step[k];
    }
}

og_status og_crowd_fit_step(og_crowd_fit *fit, double *prior, double *moved, og_message *message)
{
    int32_t classes = fit->classes, order[OG_CLASSES_MAX];
    double next[OG_CLASSES_MAX], step[OG_CLASSES_MAX], more[OG_CLASSES_MAX];
    sort_classes(fit, prior, order);
    OG_TRY(maximize(fit, prior, order, next, step, message));
    memset(fit->beyond, 0, fit->longest * ((size_t)classes + 1) * sizeof *fit->beyond);
    lead(fit, prior, order, step, more);
    *moved = 0;
    for (int32_t k = 0; k < classes; k++) {
        prior[order[k]] = fmax(OG_CROWD_FIT_LEAST, prior[order[k]] * exp(step[k] + more[k]));
        *moved = fmax(*moved, fabs(step[k]));
    }
    return OG_OK;
}
