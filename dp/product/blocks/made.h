#ifndef OG_DP_PRODUCT_BLOCKS_MADE_H
#define OG_DP_PRODUCT_BLOCKS_MADE_H

#include "dp/product/blocks/blocks.h"
#include "dp/product/blocks/classes.h"
#include "dp/product/blocks/files.h"
#include "dp/product/blocks/ranks.h"
#include "dp/product/blocks/share.h"
#include "dp/product/blocks/types.h"

/* The data of blocks (private to dp/product/blocks/). */
struct og_blocks {
    const og_arms *arms;
    og_settings settings;
    unsigned use;
    const og_ranks *ranks_of; /* of a policy; NULL: the optimum */
    og_ties ties;             /* of the policy */
    og_block_slots slots;
    og_block_costs costs;
    bool *contracted; /* [global nodes]; NULL: none */
    og_block_summaries *summaries;
    og_block_plan *plan;
    og_block_ranks *ranks;
    int32_t ring;      /* layers in memory: the largest cost plus 1, or 3 if nodes are contracted,
                        * or all */
    int32_t outcomes;  /* largest number of a node */
    double bytes;      /* in all, without the arms */
    bool on_disk;      /* layers are in files, because they do not fit in memory */
    double disk_bytes; /* largest size of the files at a time, */
    uint64_t window;   /* and limit of their bytes in memory */
    double layer_most; /* states of the largest layer */
    uint64_t arm_bytes;
    double start;    /* of planning, by the clock */
    double told;     /* seconds after that, when the watch was last called */
    double seconds;  /* spent planning */
    bool solved;     /* and the following fields are set */
    double *first_q; /* [slot_count]; NaN: not followed */
    double **layer;  /* [ring] values of layer r at r % ring; NULL if not kept, or in files */
    og_block_files *files;
    og_block_owners *owners; /* for several ranks, whose layers are in `share`; NULL: all is here */
    og_block_share *share;
    int32_t **number; /* [budget + 1][global nodes], if all layers are kept */
};

/* States of the largest layer in this place of the ring. */
double og_blocks_ring_size(const og_blocks *blocks, int32_t place);

void og_blocks_forget_layers(og_blocks *blocks);

/* The values of a layer in memory, 1 <= left <= budget. */
const double *og_blocks_layer(const og_blocks *blocks, int32_t left);

/* The fingerprint of everything on which values depend. OG_NO_MEMORY. */
og_status og_blocks_fingerprint(const og_blocks *blocks, og_fingerprint *out);

#endif
