#ifndef OG_DP_PRODUCT_BLOCKS_SCRATCH_H
#define OG_DP_PRODUCT_BLOCKS_SCRATCH_H

#include <stdint.h>

#include "dp/product/blocks/sweep.h"

/* What a thread needs to value a block (private to dp/product/blocks/). */

/* An axis that a label does not change. */
typedef struct {
    uint32_t size;
    uint32_t here, one, two; /* strides in the three layers */
    const uint32_t *map_one, *map_two;
} og_block_line;

typedef struct {
    uint32_t here, one, two;
} og_block_place;

struct og_block_scratch {
    og_block_line *axis;   /* [groups_max + 2] */
    uint32_t *size[3];     /* [groups_max + 2] of each group's axis, here and in the layers below */
    uint32_t *stride[3];   /* [groups_max + 2] */
    og_block_place *place; /* [block_max + 1] on the axes outside of the innermost */
    uint32_t *inside;      /* [block_max + 1] along the innermost, in the layer below */
    uint32_t *inside_two;
    /* Of the moves of a group: */
    double *reward;      /* [moves_max] */
    double *probability; /* [outcomes * moves_max] */
    uint32_t *to;        /* [moves_max] */
    uint32_t *rest;      /* [moves_max] */
    uint32_t *number;    /* [moves_max] */
    uint32_t *at;        /* [outcomes * moves_max] */
    uint32_t moves_max;
    /* Of a policy, else NULL: */
    uint32_t *times; /* [moves_max] copies of the class that is labelled */
    uint32_t *top;   /* [block_max + 1] largest rank of each state */
    double *weight;  /* [block_max + 1] instances that tie, as far as they have been added */
};

#endif
