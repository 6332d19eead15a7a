#ifndef OG_BENCH_SIMULATION_RECORDED_ORDER_H
#define OG_BENCH_SIMULATION_RECORDED_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "heuristics/policy.h"

/*
 * Orders recorded instances by an index that depends on the labels left, while more labels are left
 * than any instance has recorded. Then the index of an instance depends only on its node and its
 * number of recorded labels (private to bench/simulation/).
 *
 * Scores within a slack of the largest tie, which is not an equivalence in general. Scores whose
 * neighbours in order tie form one class. If all scores of a class tie with its largest, those that
 * tie with the largest score of all are exactly the members of its class. Otherwise the class is
 * loose, and also if only some of its scores are above the bound.
 */
typedef struct og_recorded_order {
    og_arena arena;
    uint32_t **class_of; /* [length][node]: for nodes with fewer labels than `length`; larger scores
                            have larger classes; NULL: no instance has this length */
    bool *loose;         /* [class] */
} og_recorded_order;

/* The least score that ties with the largest score `top`. */
static inline double og_recorded_least(double top, double slack)
{
    return top - slack * (top < 0 ? -top : top);
}

/* there: [arm->depth + 1], the lengths that occur; the arm is the first of the index. bound:
 * -INFINITY for none. *out is NULL if it would need more than memory_bytes. OG_NO_MEMORY. Time O(n
 * log n) for n nodes, counted for each length. */
og_status og_recorded_order_new(const og_index *index, const og_arm *arm, const bool *there,
                                double slack, double bound, uint64_t memory_bytes,
                                og_recorded_order **out);
void og_recorded_order_free(og_recorded_order *order); /* NULL is fine */

#endif
