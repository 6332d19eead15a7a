/*
 * Minimises a smooth convex function with BFGS, using gradients only. Along a line the minimum of a
 * convex function is where its slope changes sign, and near the minimum slopes are more accurate
 * than differences of values. Steps are kept short because f consists mostly of exponentials.
 */
#include "heuristics/index/descent.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "dp/base/arena.h"

/* Largest change of a variable in one step. */
static const double longest = 4;

/* A step is good if the slope after it is at most this part of the slope before. */
static const double slope_left = 0.5;

/* Largest number of evaluations along one line. */
enum { LINE_MOST = 30 };

typedef struct {
    int32_t n;
    og_gradient *f;
    void *context;
    double *x;         /* [n] */
    double *gradient;  /* [n] */
    double *ahead;     /* [n] x after the step */
    double *next;      /* [n] gradient after the step */
    double *direction; /* [n] */
    double *change;    /* [n] of the gradient in the step */
    double *turned;    /* [n] the inverse Hessian times `change` */
    double *inverse;   /* [n][n] */
    int32_t evaluations;
} bfgs_descent;

static double product(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static double largest(int32_t n, const double *x)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void scaled_identity(bfgs_descent *descent, double scale)
{
    size_t n = (size_t)descent->n;
    memset(descent->inverse, 0, n * n * sizeof *descent->inverse);
    for (size_t i = 0; i < n; i++) {
        descent->inverse[i * n + i] = scale;
    }
}

/* Chooses the direction of the next step; returns the slope of f in it, below 0. */
static double choose_direction(bfgs_descent *descent)
{
    for (int32_t i = 0; i < descent->n; i++) {
        descent->direction[i] = -product(
            descent->n, descent->inverse + (size_t)i * (size_t)descent->n, descent->gradient);
    }
    double slope = product(descent->n, descent->direction, descent->gradient);
    if (slope < 0) {
        return slope;
    }
    scaled_identity(descent, 1);
    for (int32_t i = 0; i < descent->n; i++) {
        descent->direction[i] = -descent->gradient[i];
    }
    return -product(descent->n, descent->gradient, descent->gradient);
}

/* Returns the slope in the direction after a step; fills `ahead` and `next`. */
static double slope_after(bfgs_descent *descent, double step)
{
    for (int32_t i = 0; i < descent->n; i++) {
        descent->ahead[i] = descent->x[i] + step * descent->direction[i];
    }
    descent->f(descent->context, descent->ahead, descent->next);
    descent->evaluations++;
    return product(descent->n, descent->direction, descent->next);
}

/* Finds a good step and fills `ahead` and `next`; returns false if there is none. */
static bool search_line(bfgs_descent *descent, double slope, int32_t most)
{
    double farthest = longest / largest(descent->n, descent->direction);
    double low = 0, low_slope = slope, high = INFINITY, high_slope = 0;
    double step = fmin(1, farthest);
    for (int i = 0; i < LINE_MOST && descent->evaluations < most; i++) {
        double here = slope_after(descent, step);
        if (fabs(here) <= -slope_left * slope || (here < 0 && step == farthest)) {
            return true;
        }
        if (here < 0) {
            low = step;
            low_slope = here;
        } else {
            high = step;
            high_slope = here;
        }
        /* The zero of the line through both slopes, kept within bounds. */
        double part = low_slope / (low_slope - high_slope);
        step = high == INFINITY ? fmin(2 * low, farthest)
                                : low + fmin(0.9, fmax(0.1, part)) * (high - low);
    }
    return false;
}

/* Updates the inverse Hessian after a step; writes the step, ahead - x, to `direction`. */
static void learn(bfgs_descent *descent, bool first)
{
    int32_t n = descent->n;
    double *step = descent->direction, *change = descent->change;
    for (int32_t i = 0; i < n; i++) {
        step[i] = descent->ahead[i] - descent->x[i];
        change[i] = descent->next[i] - descent->gradient[i];
    }
    double bend = product(n, step, change), square = product(n, change, change);
    if (!(bend > 0)) {
        return;
    }
    if (first) {
        scaled_identity(descent, bend / square);
    }
    double *turned = descent->turned;
    for (int32_t i = 0; i < n; i++) {
        turned[i] = product(n, descent->inverse + (size_t)i * (size_t)n, change);
    }
    double own = (1 + product(n, change, turned) / bend) / bend;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            descent->inverse[(size_t)i * (size_t)n + (size_t)j] +=
                own * step[i] * step[j] - (turned[i] * step[j] + step[i] * turned[j]) / bend;
        }
    }
}

static void run(bfgs_descent *descent, double flat, int32_t most)
{
    scaled_identity(descent, 1);
    descent->f(descent->context, descent->x, descent->gradient);
    descent->evaluations = 1;
    for (bool first = true; largest(descent->n, descent->gradient) > flat; first = false) {
        if (!search_line(descent, choose_direction(descent), most)) {
            return;
        }
        learn(descent, first);
        memcpy(descent->x, descent->ahead, (size_t)descent->n * sizeof *descent->x);
        memcpy(descent->gradient, descent->next, (size_t)descent->n * sizeof *descent->gradient);
    }
}

og_status og_descend(int32_t n, og_gradient *f, void *context, double flat, int32_t most, double *x,
                     double *steep)
{
    size_t size = (size_t)n;
    og_arena arena = {0};
    bfgs_descent descent = {.n = n,
                            .f = f,
                            .context = context,
                            .x = x,
                            .gradient = og_arena_array(&arena, size, sizeof(double)),
                            .ahead = og_arena_array(&arena, size, sizeof(double)),
                            .next = og_arena_array(&arena, size, sizeof(double)),
                            .direction = og_arena_array(&arena, size, sizeof(double)),
                            .change = og_arena_array(&arena, size, sizeof(double)),
                            .turned = og_arena_array(&arena, size, sizeof(double)),
                            .inverse = og_arena_array(&arena, size * size, sizeof(double))};
    if (arena.failed) {
        og_arena_clear(&arena);
        return OG_NO_MEMORY;
    }
    run(&descent, flat, most);
    *steep = largest(n, descent.gradient);
    og_arena_clear(&arena);
    return OG_OK;
}
