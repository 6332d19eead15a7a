#ifndef OG_DP_PRODUCT_BLOCKS_PLAY_H
#define OG_DP_PRODUCT_BLOCKS_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/product/blocks/label.h"

/*
 * A policy's block (private to dp/product/blocks/): in each state the labels of those instances
 * whose rank is the largest there, combined as the tie rule says.
 *
 * Call begin, then add each action's labels (for OG_TIES_FIRST in the order of the groups), then
 * call end.
 */
void og_block_play_begin(const og_block_label *label, uint32_t states);
void og_block_play_end(const og_block_label *label, uint32_t states);

/* Adds the current action, without contracted outcomes. */
void og_block_play_label(const og_block_label *label);

/* States with the same label: the rank of the labelled class, and its copies. */
typedef struct {
    uint32_t rank;
    uint32_t copies;
} og_block_pick;

/* The pick of the k-th move in the tables (og_block_move) of the labelled group. */
og_block_pick og_block_play_pick(const og_block_label *label, uint32_t k,
                                 const og_block_move *move);

/* True if a class of this rank is the largest of these instances of the labelled group. */
bool og_block_play_takes(const og_block_label *label, uint32_t to, uint32_t rank);

/* Adds value[count] to the states at `out`, each `stride` from the last, if the pick has the
 * largest rank there. */
void og_block_play_merge(const og_block_label *label, double *out, uint32_t stride,
                         const double *value, uint32_t count, og_block_pick pick);

#endif
