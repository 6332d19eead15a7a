#ifndef OG_DP_PRODUCT_BLOCKS_SCRATCH_H
#define OG_DP_PRODUCT_BLOCKS_SCRATCH_H

#include <stdint.h>

#include "dp/product/blocks/sweep.h"

/* Working memory of a thread that evaluates blocks (private to dp/product/blocks/). */

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
    og_block_place *place; /* [block_max + 1] on the axes other than the innermost */
    uint32_t *inside;      /* [block_max + 1] along the innermost, in the layer below */
    uint32_t *inside_two;
    /* For the moves of a group: */
    double *reward;      /* [moves_max] */
    double *probability; /* [outcomes * moves_max] */
    uint32_t *to;        /* [moves_max] */
    uint32_t *rest;      /* [moves_max] */
    uint32_t *number;    /* [moves_max] */
    uint32_t *at;        /* [outcomes * moves_max] */
    uint32_t moves_max;
    /* For a policy, else NULL: */
    uint32_t *times; /* [moves_max] copies of the class that is labelled */
    uint32_t *top;   /* [block_max + 1] largest rank of each state */
    double *weight;  /* [block_max + 1] tied instances added so far */
};

#endif
