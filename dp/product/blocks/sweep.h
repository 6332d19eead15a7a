#ifndef OG_DP_PRODUCT_BLOCKS_SWEEP_H
#define OG_DP_PRODUCT_BLOCKS_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/product/blocks/classes.h"
#include "dp/product/blocks/ranks.h"
#include "dp/product/blocks/types.h"

/*
 * One layer's blocks from those of the layers below (private to dp/product/blocks/).
 *
 * A block is a dense tensor with an axis for each group of the type, the first group's running
 * fastest; the place on an axis is the rank of the group's multiset of class numbers.
 */

/* Where the multisets of a group go in a layer below; NULL: each keeps its rank. */
typedef struct {
    uint32_t *one; /* by a label of one cost */
    uint32_t *two; /* two layers below; made only where contraction needs it */
    uint32_t *top; /* of a policy, two copies or more: the largest rank of each multiset */
} og_block_maps;

/* A depth of a slot as the sweep of a layer needs it. */
typedef struct {
    int32_t classes[3]; /* numbers in the layer, in that of the cost and two below; 1 past their
                           ends */
    int32_t lanes;      /* depths, one after the other; 1 but for several actions */
    const og_block_depth *depth; /* NULL past the layer's end */
    const og_block_maps *maps;   /* [copies_max + 1], by copies */
} og_block_group;

/* What all threads look at while a layer is swept, for labels of one cost. */
typedef struct og_block_sweep og_block_sweep;
struct og_block_sweep {
    const og_block_plan *plan;
    const og_block_ranks *ranks;
    const og_block_classes *classes; /* at the layer */
    const og_block_group *group;     /* [members] */
    const og_block_sweep *of_cost;   /* [costs] the same of each, where there are several actions;
                                        else NULL */
    int32_t left;
    int32_t cost;
    int32_t outcomes; /* most of a class */
    bool policy;      /* its value, not the optimum */
    og_ties ties;     /* of the policy */
    double *here;     /* [states of the layer] from state `from` on */
    uint64_t from;
    const double *one; /* [states of the layer below, that of the cost] */
    const double *two; /* and of the second below */
    /* Over ranks instead of these three: where each type's block is. NULL: not so. */
    double *const *here_at;
    const double *const *one_at;
    const double *const *two_at;
};

/* A thread's own room. */
typedef struct og_block_scratch og_block_scratch;
og_status og_block_scratch_new(const og_block_plan *plan, int32_t outcomes, bool policy,
                               og_block_scratch **out);
void og_block_scratch_free(og_block_scratch *scratch); /* NULL is fine */
double og_block_scratch_bytes(const og_block_plan *plan, int32_t outcomes, bool policy);

/* Value every state of a type's block. O(states * groups * outcomes). */
void og_block_sweep_type(const og_block_sweep *sweep, uint32_t type, og_block_scratch *scratch);

/* The same for one action: raises the block's values at `out` to those of this label. */
void og_block_sweep_action(const og_block_sweep *sweep, uint32_t type,
                           const og_block_action *action, og_block_scratch *scratch, double *out);

#endif
