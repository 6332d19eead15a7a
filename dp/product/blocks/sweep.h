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
 * Computes one layer's blocks from those of the layers below (private to dp/product/blocks/).
 *
 * A block is a dense tensor with an axis for each group of the type, the first group's running
 * fastest; the place on an axis is the rank of the group's multiset of class numbers.
 */

/* The places of a group's multisets in a layer below; NULL: each keeps its rank. */
typedef struct {
    uint32_t *one; /* after a label of one cost */
    uint32_t *two; /* two layers below; built only if contraction needs it */
    uint32_t *top; /* for a policy, with two copies or more: the largest rank of each multiset */
} og_block_maps;

/* A depth of a slot, with the data for the sweep of a layer. */
typedef struct {
    int32_t classes[3]; /* numbers in the layer, in that of the cost and two below; 1 beyond their
                         * ends */
    int32_t lanes;      /* depths, one after the other; 1 except for several actions */
    const og_block_depth *depth; /* NULL beyond the layer's end */
    const og_block_maps *maps;   /* [copies_max + 1], by copies */
} og_block_group;

/* Data shared by all threads while a layer is swept, for labels of one cost. */
typedef struct og_block_sweep og_block_sweep;
struct og_block_sweep {
    const og_block_plan *plan;
    const og_block_ranks *ranks;
    const og_block_classes *classes; /* at the layer */
    const og_block_group *group;     /* [members] */
    const og_block_sweep *of_cost;   /* [costs] the same for each cost, if there are several
                                      * actions; else NULL */
    int32_t left;
    int32_t cost;
    int32_t outcomes; /* largest number of a class */
    bool policy;      /* computes a policy's value, not the optimum */
    og_ties ties;     /* of the policy */
    double *here;     /* [states of the layer] from state `from` on */
    uint64_t from;
    const double *one; /* [states of the layer below, that of the cost] */
    const double *two; /* and of the second below */
    /* With several ranks, instead of these three: the place of each type's block. NULL: one
     * rank. */
    double *const *here_at;
    const double *const *one_at;
    const double *const *two_at;
};

/* Working memory of a thread. */
typedef struct og_block_scratch og_block_scratch;
og_status og_block_scratch_new(const og_block_plan *plan, int32_t outcomes, bool policy,
                               og_block_scratch **out);
void og_block_scratch_free(og_block_scratch *scratch); /* NULL is fine */
double og_block_scratch_bytes(const og_block_plan *plan, int32_t outcomes, bool policy);

/* Computes every state of a type's block. O(states * groups * outcomes). */
void og_block_sweep_type(const og_block_sweep *sweep, uint32_t type, og_block_scratch *scratch);

/* The same for one action: raises the block's values at `out` to those of this label. */
void og_block_sweep_action(const og_block_sweep *sweep, uint32_t type,
                           const og_block_action *action, og_block_scratch *scratch, double *out);

#endif
