#ifndef OG_DP_PRODUCT_POLICY_H
#define OG_DP_PRODUCT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"

/*
 * A policy as the engine sees it. An index policy is given by the ranks of the nodes: with r labels
 * left it labels an instance whose node has the largest rank. Equal rank means equal index in exact
 * arithmetic. So ties are decided when the ranks are made (heuristics/), never by comparing doubles
 * during an evaluation. If `stops` is set, a node of rank 0 is done: it is not labelled, and a
 * policy whose instances are all done stops, whatever labels are left.
 *
 * A policy that looks at the whole state has a function that chooses (dp/product/chooser.h). Its
 * ranks only show which nodes it can distinguish: those of different rank.
 */
struct og_chooser_lock; /* a chooser and its lock; private */

typedef struct og_ranks {
    int32_t arm_count;
    int32_t budget;
    bool by_left;            /* false: the same ranks for every number of labels left */
    bool stops;              /* nodes of rank 0 are done; not with a chooser */
    uint32_t **rank;         /* [arm_count * (by_left ? budget + 1 : 1)], owned; see og_ranks_of */
    uint64_t tolerance_ties; /* pairs of neighbours in order that were called equal by a tolerance,
                              * without a proof */
    uint64_t tolerance_ties_begin;        /* those of them with the whole budget left, if by_left */
    struct og_chooser_lock *chooser_lock; /* NULL: an index policy */
} og_ranks;

/* A policy that follows ranks. */
typedef struct {
    const og_arms *arms;
    const og_ranks *ranks;
    og_ties ties;
} og_ranks_play;

/* What is added up along a play. Zeroed: gains. */
typedef struct {
    og_fraction fee; /* of each label, subtracted from its gain; zeroed: none */
    bool labels;     /* instead of its gain, each label earns 1 */
} og_play_worth;

/*
 * The ranks of an arm's nodes with `left` labels left, 1 <= left <= budget: indexed by the arm's
 * node, defined for the nodes of levels 0 .. budget - left. Larger ranks are labelled first.
 * Comparable across the arms of one problem for the same `left`.
 */
static inline const uint32_t *og_ranks_of(const og_ranks *ranks, int32_t arm, int32_t left)
{
    return ranks->by_left ? ranks->rank[(int64_t)left * ranks->arm_count + arm] : ranks->rank[arm];
}

/* All zeros. */
og_status og_ranks_new(const og_arms *arms, bool by_left, og_ranks **out);

/* Equal ranks for all nodes (the uniform policy); by_left false. */
og_status og_ranks_new_uniform(const og_arms *arms, og_ranks **out);

/* A copy of the ranks without the chooser. OG_NO_MEMORY. */
og_status og_ranks_copy(const og_arms *arms, const og_ranks *ranks, og_ranks **out);

/* Breaks ties in favour of this arm: nodes of its rank in other arms get a smaller rank, and
 * nothing else changes. `below`: instead, all nodes of the arm rank after all others. */
void og_ranks_prefer(og_ranks *ranks, const og_arms *arms, int32_t arm, bool below);

void og_ranks_free(og_ranks *ranks);

#endif
