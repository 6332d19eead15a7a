#ifndef OG_HEURISTICS_INDICES_H
#define OG_HEURISTICS_INDICES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"

/*
 * The index of every node in doubles: index[left][global node], for left = 1 .. budget and the
 * nodes of levels 0 .. budget - left of each arm.
 */
typedef struct {
    og_arena arena;
    int32_t arm_count;
    bool by_left;
    double **index; /* laid out like og_ranks.rank; in the arena */
    /* Proved: |stored - exact| <= error * |exact| + absolute_error, truncation and rounding. */
    double error;
    double absolute_error;
    char note[160]; /* a note for the user: the truncation of gittins-inf; "" if none */
} og_index;

void og_index_free(og_index *index); /* NULL is allowed */

/* Like og_ranks_of. */
static inline const double *og_index_of(const og_index *index, int32_t arm, int32_t left)
{
    return index->by_left ? index->index[(int64_t)left * index->arm_count + arm]
                          : index->index[arm];
}

#endif
