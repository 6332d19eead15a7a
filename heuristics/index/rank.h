#ifndef OG_HEURISTICS_INDEX_RANK_H
#define OG_HEURISTICS_INDEX_RANK_H

#include "dp/product/policy.h"
#include "heuristics/index/index.h"

/*
 * Converts indices to ranks in which exactly equal indices tie (private to heuristics/).
 *
 * Every stored index is an interval that contains the exact one. Intervals that do not overlap are
 * in their proved order. A run of overlapping intervals is ranked in rationals if all its arms are
 * rational and the policy has an exact index; otherwise it shares one rank. If the index has an
 * exact order (og_scored.places), that order is used. A second index, if any, orders the ties.
 * Takes O(n log n) for the n classes of each number of labels left, plus the rationals.
 */
typedef struct {
    uint64_t exact_indices; /* computed in rationals */
    uint64_t exact_ties;    /* pairs of classes that rationals prove equal */
} og_rank_effort;

/* `effort` may be NULL. */
og_status og_rank(const og_index_job *job, const og_scored *scored, og_ranks **out,
                  og_rank_effort *effort);

#endif
