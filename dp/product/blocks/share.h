#ifndef OG_DP_PRODUCT_BLOCKS_SHARE_H
#define OG_DP_PRODUCT_BLOCKS_SHARE_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/world.h"
#include "dp/product/blocks/types.h"

/*
 * Layers of blocks over ranks (private to dp/product/blocks/). Each type has an owner, which
 * computes its block and holds it as long as it is read. Before a layer is computed, each rank
 * receives the blocks that its own types read and others own. All of that follows from the plan,
 * and every rank has the whole plan, so no requests are sent.
 *
 * The types of a layer are sorted by their deepest instances, the deepest first, and cut into runs
 * of equal work, one for each rank. A label makes one instance one deeper, rarely one of the
 * deepest, so a type has the same owner as most of the types that it reads.
 */
typedef struct {
    int ranks;
    uint16_t **owner; /* [budget + 1][types] */
    uint64_t *states; /* [budget + 1][ranks] states that each rank owns of each layer */
    uint64_t *read; /* [budget + 1][ranks] states that it receives before it computes that layer */
    double sent;    /* number of states sent, in all */
    uint64_t bytes; /* held */
    int32_t layers; /* budget + 1 */
} og_block_owners;

enum { OG_BLOCK_RANKS_MAX = UINT16_MAX };

/* O(types * (log types + actions + ranks / 64)). OG_STOPPED if that exceeds memory_bytes, including
 * temporary memory. */
og_status og_block_owners_new(const og_block_plan *plan, const og_block_slots *slots, int ranks,
                              uint64_t memory_bytes, og_block_owners **out);
void og_block_owners_free(og_block_owners *owners); /* NULL is fine */

static inline uint64_t og_block_owners_states(const og_block_owners *owners, int32_t left, int rank)
{
    return owners->states[(size_t)left * (size_t)owners->ranks + (size_t)rank];
}

/* The largest need of any rank in bytes: its own layers, as many as the ring holds, the blocks
 * received before a layer, and all that og_block_share_new allocates. */
double og_block_owners_bytes(const og_block_owners *owners, const og_block_plan *plan, int32_t ring,
                             int parcel);

/* The places of one rank's blocks. */
typedef struct og_block_share og_block_share;

/* Borrows all. Allocates the layers of a rank and sends nothing. OG_NO_MEMORY. */
og_status og_block_share_new(const og_block_plan *plan, const og_block_owners *owners,
                             const og_world *world, int32_t ring, og_block_share **out);
void og_block_share_free(og_block_share *share); /* NULL is fine */

/* Called by all ranks before layer `left` is computed: gives its blocks places, and receives the
 * blocks that it reads. Layers from 1 on, one after the other. */
void og_block_share_fetch(og_block_share *share, int32_t left);

/* Number of own types of the layer fetched last, ascending. */
uint32_t og_block_share_count(const og_block_share *share);
const uint32_t *og_block_share_types(const og_block_share *share);

/* The begin of the blocks of that layer and the ones below, [types]: own blocks and, below, fetched
 * ones; others are undefined. */
double *const *og_block_share_here(const og_block_share *share);
const double *const *og_block_share_below(const og_block_share *share, int32_t below);

#endif
