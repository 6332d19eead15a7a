#ifndef OG_HEURISTICS_INDEX_RANK_H
#define OG_HEURISTICS_INDEX_RANK_H

#include "dp/product/policy.h"
#include "heuristics/index/index.h"

/*
 * From indices to ranks in which exactly equal indices tie (private to heuristics/).
 *
 * Every stored index is an interval that holds the exact one. Intervals that do not overlap are in
 * their proved order; a run of overlapping ones is settled in rationals if all its arms are
 * rational and the policy has an exact index, and shares one rank otherwise. An index that knows
 * its exact order (og_scored.places) is ranked by it. What ties then goes by a second index, if
 * there is one. Takes O(n log n) for the n classes of each number of labels left, and the
 * rationals.
 */
typedef struct {
    uint64_t exact_indices; /* computed in rationals */
    uint64_t exact_ties;    /* pairs of classes proved equal by them */
} og_rank_effort;

/* `effort` may be NULL. */
og_status og_rank(const og_index_job *job, const og_scored *scored, og_ranks **out,
                  og_rank_effort *effort);

#endif
