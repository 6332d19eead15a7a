#ifndef OG_DP_PRODUCT_BLOCKS_SHARE_H
#define OG_DP_PRODUCT_BLOCKS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/world.h"
#include "dp/product/blocks/types.h"

/*
 * Layers of blocks over ranks (private to dp/product/blocks/). Each type has an owner, who values
 * its block and holds it as long as it is read. Before a layer is valued, each rank gets the blocks
 * that its own types read and others own. All of that follows from the plan, which every rank has
 * whole: nobody asks for anything.
 *
 * The types of a layer are sorted by their deepest instances, the deepest first, and cut into runs
 * of equal work, one for each rank. A label makes one instance one deeper, mostly none of the
 * deepest, so most of what a type reads has the same owner.
 */
typedef struct {
    int ranks;
    uint16_t **owner; /* [budget + 1][types] */
    uint64_t *states; /* [budget + 1][ranks] that each rank owns of each layer */
    uint64_t *read;   /* [budget + 1][ranks] that it gets from others before it values that layer */
    double sent;      /* states, in all */
    uint64_t bytes;   /* held */
    int32_t layers;   /* budget + 1 */
} og_block_owners;

enum { OG_BLOCK_RANKS_MAX = UINT16_MAX };

/* O(types * (log types + actions + ranks / 64)). OG_STOPPED where that passes memory_bytes, in it
 * what is needed for a while only. */
og_status og_block_owners_new(const og_block_plan *plan, const og_block_slots *slots, int ranks,
                              uint64_t memory_bytes, og_block_owners **out);
void og_block_owners_free(og_block_owners *owners); /* NULL is fine */

static inline uint64_t og_block_owners_states(const og_block_owners *owners, int32_t left, int rank)
{
    return owners->states[(size_t)left * (size_t)owners->ranks + (size_t)rank];
}

/* Most of any rank: bytes of its own layers, the ring of them held at a time, and of what it gets
 * before a layer, with all that og_block_share_new takes. */
double og_block_owners_bytes(const og_block_owners *owners, const og_block_plan *plan, int32_t ring,
                             int parcel);

/* Where one rank's blocks are. */
typedef struct og_block_share og_block_share;

/* Borrows all. Room for the layers of a rank: nothing is sent. OG_NO_MEMORY. */
og_status og_block_share_new(const og_block_plan *plan, const og_block_owners *owners,
                             const og_world *world, int32_t ring, og_block_share **out);
void og_block_share_free(og_block_share *share); /* NULL is fine */

/* Before layer `left` is valued, by all ranks: its blocks have places, and what it reads has come.
 * Layers from 1 on, one after the other. */
void og_block_share_fetch(og_block_share *share, int32_t left);

/* Own types of the layer that was fetched for, ascending. */
uint32_t og_block_share_count(const og_block_share *share);
const uint32_t *og_block_share_types(const og_block_share *share);

/* Where the blocks of that layer and the ones below begin, [types]: own ones, and of those below
 * also what was fetched; others are unknown. */
double *const *og_block_share_here(const og_block_share *share);
const double *const *og_block_share_below(const og_block_share *share, int32_t below);

#endif
