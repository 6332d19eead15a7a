#ifndef OG_BENCH_RECORDED_CROWD_LINES_H
#define OG_BENCH_RECORDED_CROWD_LINES_H

#include <stdint.h>

/* Private to the belief about a crowd. */
typedef struct {
    double right, wrong; /* of sum 1, except probabilities of a label under two coins */
} og_crowd_pair;

/* A label's factor of a density: at * x + rest * (1 - x). */
typedef struct {
    double at, rest;
    og_crowd_pair mean; /* of x and 1 - x under the density without this line */
    uint32_t label;
} og_crowd_line;

static inline int og_crowd_line_compare(const void *x, const void *y)
{
    const og_crowd_line *a = x, *b = y;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at)
                          : (a->rest > b->rest) - (a->rest < b->rest);
}

#endif
