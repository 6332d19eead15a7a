#ifndef OG_HEURISTICS_FAMILIES_DEADLINE_INDEX_H
#define OG_HEURISTICS_FAMILIES_DEADLINE_INDEX_H

#include <stdint.h>

#include "dp/families/deadline_alone.h"
#include "heuristics/policy.h"

/*
 * The index of Hu and Frazier (section 6) for labels with a deadline: the largest price of a worker
 * at which a single instance (dp/families/deadline_alone.h) is at least as well off with the worker
 * who has just come as without,
 *
 *   -price + v(MOVE(s, r - 1, x with one more under way)) >= v(MOVE(s, r - 1, x)),
 *
 * with v at this price for all workers to come. It depends on the posterior, the labels under way
 * in each phase, the slots and the labels left, and the number of earlier workers in this slot. v
 * minus the value of the labels under way is a convex piecewise linear function of the price
 * (heuristics/families/polygon.h).
 *
 * In doubles: equivalent instances, including mirror images, are one state and have one rank.
 * Indices that differ by at most OG_DEADLINE_TIE of the largest gain of a label also share a rank:
 * a tolerance, not a proved bound.
 */
#define OG_DEADLINE_TIE 1e-9

typedef struct {
    og_arena arena;
    const og_arms *arms;       /* borrowed */
    og_deadline_alone **alone; /* [arm_count] */
    double **index;            /* [arm_count][states] 0 if no worker has come */
    uint32_t **rank;         /* [arm_count][states] larger for a larger index; 0 for the index 0 */
    uint64_t tolerance_ties; /* neighbours in order with different doubles and the same rank */
} og_deadline_index;

/* T is the arms' budget. OG_STOPPED if use->stop ends it; OG_NO_MEMORY with a message if the
 * tables exceed use->memory_bytes. */
og_status og_deadline_index_new(const og_arms *arms, const og_deadline *deadline,
                                const og_policy_use *use, og_deadline_index **out,
                                og_message *message);
void og_deadline_index_free(og_deadline_index *index); /* NULL is fine */

/* The rank of an instance when a worker has come; labels under way and the moment as in
 * og_deadline_state. */
uint32_t og_deadline_index_rank(const og_deadline_index *index, int32_t arm, uint32_t node,
                                uint32_t under_way, const og_deadline_state *now);

#endif
