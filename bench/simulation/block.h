#ifndef OG_BENCH_SIMULATION_BLOCK_H
#define OG_BENCH_SIMULATION_BLOCK_H

#include <stddef.h>
#include <stdlib.h>

/*
 * One allocation for all arrays of an object (private to bench/simulation/). The function that
 * takes the arrays is called twice: with base NULL it measures, then it assigns.
 */
typedef struct {
    char *base;
    size_t bytes;
} og_block;

static inline void *og_block_take(og_block *block, size_t count, size_t size)
{
    size_t at = (block->bytes + 15) / 16 * 16;
    block->bytes = at + count * size;
    return block->base == NULL ? NULL : block->base + at;
}

/* All zero; NULL: no memory. */
static inline char *og_block_allocate(og_block *block)
{
    block->base = calloc(1, block->bytes + 1);
    block->bytes = 0;
    return block->base;
}

#endif
