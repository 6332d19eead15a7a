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

/* By both numbers; fast if they nearly are in order. */
void og_crowd_lines_sort(og_crowd_line *line, uint32_t count);

/* The sum of count terms, the same if they come in the opposite order. */
double og_crowd_sum(const double *term, int32_t count);

#endif
