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

static void scaled_identity(bfgs_descent *of, double scale)
{
    size_t n = (size_t)of->n;
    memset(of->inverse, 0, n * n * sizeof *of->inverse);
    for (size_t i = 0; i < n; i++) {
        of->inverse[i * n + i] = scale;
    }
}

/* Chooses the direction of the next step; returns the slope of f in it, below 0. */
static double choose_direction(bfgs_descent *of)
{
    for (int32_t i = 0; i < of->n; i++) {
        of->direction[i] = -product(of->n, of->inverse + (size_t)i * (size_t)of->n, of->gradient);
    }
    double slope = product(of->n, of->direction, of->gradient);
    if (slope < 0) {
        return slope;
    }
    scaled_identity(of, 1);
    for (int32_t i = 0; i < of->n; i++) {
        of->direction[i] = -of->gradient[i];
    }
    return -product(of->n, of->gradient, of->gradient);
}

/* Returns the slope in the direction after a step; fills `ahead` and `next`. */
static double slope_after(bfgs_descent *of, double step)
{
    for (int32_t i = 0; i < of->n; i++) {
        of->ahead[i] = of->x[i] + step * of->direction[i];
    }
    of->f(of->context, of->ahead, of->next);
    of->evaluations++;
    return product(of->n, of->direction, of->next);
}

/* Finds a good step and fills `ahead` and `next`; returns false if there is none. */
static bool search_line(bfgs_descent *of, double slope, int32_t most)
{
    double farthest = longest / largest(of->n, of->direction);
    double low = 0, low_slope = slope, high = INFINITY, high_slope = 0;
    double step = fmin(1, farthest);
    for (int i = 0; i < LINE_MOST && of->evaluations < most; i++) {
        double here = slope_after(of, step);
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
static void learn(bfgs_descent *of, bool first)
{
    int32_t n = of->n;
    double *step = of->direction, *change = of->change;
    for (int32_t i = 0; i < n; i++) {
        step[i] = of->ahead[i] - of->x[i];
        change[i] = of->next[i] - of->gradient[i];
    }
    double bend = product(n, step, change), square = product(n, change, change);
    if (!(bend > 0)) {
        return;
    }
    if (first) {
        scaled_identity(of, bend / square);
    }
    double *turned = of->turned;
    for (int32_t i = 0; i < n; i++) {
        turned[i] = product(n, of->inverse + (size_t)i * (size_t)n, change);
    }
    double own = (1 + product(n, change, turned) / bend) / bend;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            of->inverse[(size_t)i * (size_t)n + (size_t)j] +=
                own * step[i] * step[j] - (turned[i] * step[j] + step[i] * turned[j]) / bend;
        }
    }
}

static void run(bfgs_descent *of, double flat, int32_t most)
{
    scaled_identity(of, 1);
    of->f(of->context, of->x, of->gradient);
    of->evaluations = 1;
    for (bool first = true; largest(of->n, of->gradient) > flat; first = false) {
        if (!search_line(of, choose_direction(of), most)) {
            return;
        }
        learn(of, first);
        memcpy(of->x, of->ahead, (size_t)of->n * sizeof *of->x);
        memcpy(of->gradient, of->next, (size_t)of->n * sizeof *of->gradient);
    }
}

og_status og_descend(int32_t n, og_gradient *f, void *context, double flat, int32_t most, double *x,
                     double *steep)
{
    size_t size = (size_t)n;
    og_arena arena = {0};
    bfgs_descent of = {.n = n,
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
    run(&of, flat, most);
    *steep = largest(n, of.gradient);
    og_arena_clear(&arena);
    return OG_OK;
}
