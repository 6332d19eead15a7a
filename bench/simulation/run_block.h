#ifndef OG_BENCH_SIMULATION_RUN_BLOCK_H
#define OG_BENCH_SIMULATION_RUN_BLOCK_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* An object and its arrays in one allocation (private to bench/simulation/). */
typedef struct {
    char *base; /* NULL: only measured */
    size_t bytes;
} og_block;

static inline void *og_block_take(og_block *block, size_t count, size_t size)
{
    size_t at = (block->bytes + 15) / 16 * 16;
    block->bytes = at + count * size;
    return block->base == NULL ? NULL : block->base + at;
}

/* Assigns an object's arrays; their sizes are computed from the object. */
typedef void og_block_assign(void *object, og_block *block);

/* A copy of *start with arrays of zeros; the arrays of *start become NULL. One free() frees it all.
 * NULL: no memory. */
static inline void *og_block_build(void *start, size_t size, og_block_assign *assign)
{
    og_block block = {NULL, size};
    assign(start, &block);
    block = (og_block){calloc(1, block.bytes), size};
    if (block.base != NULL) {
        memcpy(block.base, start, size);
        assign(block.base, &block);
    }
    return block.base;
}

#endif
