#ifndef OG_HEURISTICS_FAMILIES_DEADLINE_INDEX_H
#define OG_HEURISTICS_FAMILIES_DEADLINE_INDEX_H

#include <stdint.h>

#include "dp/families/deadline_alone.h"
#include "heuristics/policy.h"

/*
 * The index of Hu and Frazier (section 6) where labels have a deadline: the largest price of a
 * worker at which an instance on its own (dp/families/deadline_alone.h) gives as much for the one
 * who has just come as for letting him go to another,
 *
 *   -price + v(MOVE(s, r - 1, x with one more under way)) >= v(MOVE(s, r - 1, x)),
 *
 * v at this price for all workers to come. It depends on the posterior, the labels under way by
 * their phases, the slots and the labels left, and how many workers came before in this slot. v
 * less what the labels under way are worth is a convex piecewise linear function of the price
 * (heuristics/families/polygon.h).
 *
 * In doubles: equivalent instances, mirror images among them, are one state and have one rank, and
 * indices that differ by at most OG_DEADLINE_TIE of the largest gain of a label share one too: a
 * tolerance, and no proved bound.
 */
#define OG_DEADLINE_TIE 1e-9

typedef struct {
    og_arena arena;
    const og_arms *arms;       /* borrowed */
    og_deadline_alone **alone; /* [arm_count] */
    double **index;            /* [arm_count][states] 0 where no worker has come */
    uint32_t **rank;           /* [arm_count][states] larger for a larger index; 0: that is 0 */
    uint64_t tolerance_ties;   /* neighbours in order whose doubles differ and that share a rank */
} og_deadline_index;

/* T is the arms' budget. OG_STOPPED where use->watch says so; OG_NO_MEMORY with a message if the
 * tables pass use->memory_bytes. */
og_status og_deadline_index_new(const og_arms *arms, const og_deadline *deadline,
                                const og_policy_use *use, og_deadline_index **out,
                                og_message *message);
void og_deadline_index_free(og_deadline_index *index); /* NULL is fine */

/* Of an instance when a worker has come, labels under way and the moment being as og_deadline_state
 * tells them. */
double og_deadline_index_at(const og_deadline_index *index, int32_t arm, uint32_t node,
                            uint32_t under_way, const og_deadline_state *now);
uint32_t og_deadline_index_rank(const og_deadline_index *index, int32_t arm, uint32_t node,
                                uint32_t under_way, const og_deadline_state *now);

#endif
