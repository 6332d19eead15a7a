#ifndef OG_BENCH_FIND_ORDER_H
#define OG_BENCH_FIND_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * Lists all problems of a grid, each once, in a total order from the smallest on. Instances have
 * Beta priors with whole parameters.
 *
 * Smaller is, in this order: fewer instances; fewer labels; a smaller largest parameter; a smaller
 * sum of parameters. Problems that agree in all of these form a class; within it they come in the
 * dictionary order of their instances. Thresholds do not count for size.
 *
 * Problems that differ only in the order of their instances count as one, unless `ordered`. So do
 * problems that differ only in mirror images of instances, (a, b) at threshold d and (b, a) at 1 -
 * d, unless `apart`: the one whose threshold was named first represents both, at 1/2 the one with a
 * >= b.
 */
typedef struct {
    int32_t instances, budget, parameter;           /* the largest value of each, 1 .. the limits
                                                       above */
    og_fraction threshold[OG_ORDER_THRESHOLDS_MAX]; /* [threshold_count] different, within 0 .. 1 */
    int32_t threshold_count;                        /* >= 1 */
    bool ordered, apart;
} og_order_grid;

/* One problem. Its instances are numbers of priors, in order. */
typedef struct {
    uint64_t number;                         /* the problem's number, from 1 */
    uint64_t first;                          /* number of the first problem of its class */
    int32_t instances, budget, largest, sum; /* the class */
    int32_t prior[OG_ORDER_INSTANCES_MAX];   /* [instances] */
} og_order_problem;

typedef struct {
    int32_t a, b, threshold; /* `threshold` is its number in the grid */
} og_order_prior;

typedef struct {
    og_arena arena;
    og_order_grid grid;
    og_order_prior *prior; /* [prior_count] the simplest first */
    int32_t prior_count;
    int32_t within;      /* number of priors whose parameters are at most at.largest */
    og_order_problem at; /* the current problem; instances 0: none yet */
} og_order;

/* Read thresholds such as "0.5,0.3" into the grid. OG_BAD_INPUT with a message. */
og_status og_order_thresholds_parse(const char *text, og_order_grid *grid, og_message *message);

/* Start the order; clear it in any case. OG_BAD_INPUT with a message if the grid is out of range or
 * names a threshold twice; OG_NO_MEMORY. */
og_status og_order_init(const og_order_grid *grid, og_order *out, og_message *message);
void og_order_clear(og_order *order); /* a zeroed one is fine */

/* Move to the next problem, at first to the first one; false past the last. The cost is that of
 * listing the class, not of evaluating a problem. */
bool og_order_next(og_order *order);

/* The number of problems of the grid, rounded. */
double og_order_count(const og_order *order);

/* The instances in the order of the problem, with equal neighbours grouped. The caller clears *out.
 * OG_NO_MEMORY. */
og_status og_order_groups(const og_order *order, const og_order_problem *problem, og_groups *out,
                          og_message *message);

enum { OG_ORDER_TEXT_BYTES = 64 * OG_ORDER_INSTANCES_MAX };

/* Write the instances as INSTANCE words, "2x2,1 3,3". */
void og_order_text(const og_order *order, const og_order_problem *problem,
                   char text[OG_ORDER_TEXT_BYTES]);

#endif
