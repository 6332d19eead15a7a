#ifndef OG_BENCH_RECORDED_CROWD_LINES_H
#define OG_BENCH_RECORDED_CROWD_LINES_H

#include <stdbool.h>
#include <stdint.h>

/* Labels as factors of densities. */
typedef struct {
    double right, wrong; /* of sum 1, except probabilities of a label under two coins */
} og_crowd_pair;

/* A label's factor of a density: at * x + rest * (1 - x). */
typedef struct {
    double at, rest;
    og_crowd_pair mean; /* of x and 1 - x under the density without this line */
    uint32_t label;
} og_crowd_line;

static inline bool og_crowd_lines_equal(const og_crowd_line *a, const og_crowd_line *b)
{
    return a->at == b->at && a->rest == b->rest;
}

/* next[degree + 2] = last[degree + 1], the coefficients of a polynomial, times low + high * x; they
 * may be the same. */
static inline void og_crowd_times(const double *last, int32_t degree, double low, double high,
                                  double *next)
{
    next[degree + 1] = high * last[degree];
    for (int32_t k = degree; k > 0; k--) {
        next[k] = low * last[k] + high * last[k - 1];
    }
    next[0] = low * last[0];
}

/* By both numbers, < 0, 0 or > 0. */
int og_crowd_lines_compare(const og_crowd_line *a, const og_crowd_line *b);

/* In that order; fast if they nearly are in order. */
void og_crowd_lines_sort(og_crowd_line *line, uint32_t count);

/* The sum of count terms, the same if they come in the opposite order. */
double og_crowd_sum(const double *term, int32_t count);

#endif
