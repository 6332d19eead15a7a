#ifndef OG_BENCH_SIMULATION_RECORDED_ORDER_H
#define OG_BENCH_SIMULATION_RECORDED_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "heuristics/policy.h"

/*
 * The order of recorded instances by an index that depends on the labels left, where more labels
 * are left than any instance has recorded: the index of an instance is then a matter of its node
 * and of how many labels it has recorded in all (private to bench/simulation/).
 *
 * Scores tie within a slack of the largest, which is no equivalence in general. Scores whose
 * neighbours in order tie are put in one class; where all of a class tie with its largest, those
 * that tie with the largest score there is are just the members of its class. A class where they do
 * not, or where some scores are above the bound and some are not, is loose.
 */
typedef struct og_recorded_order {
    og_arena arena;
    uint32_t **class_of; /* [length][node]: of the nodes of fewer labels than `length`, the larger
                            the score the larger; NULL: no instance has as many */
    bool *loose;         /* [class] */
} og_recorded_order;

/* Do all scores of at least this one tie with it as the largest? */
static inline double og_recorded_least(double top, double slack)
{
    return top - slack * (top < 0 ? -top : top);
}

/* there: [arm->depth + 1], lengths that occur; the arm is the first of the index. bound: -INFINITY
 * for none. *out NULL: it would take more than memory_bytes. OG_NO_MEMORY. O(n log n) of n numbers,
 * a length's nodes for each. */
og_status og_recorded_order_new(const og_index *index, const og_arm *arm, const bool *there,
                                double slack, double bound, uint64_t memory_bytes,
                                og_recorded_order **out);
void og_recorded_order_free(og_recorded_order *order); /* NULL is fine */

#endif
