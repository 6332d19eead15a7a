#ifndef OG_DP_BASE_ARENA_H
#define OG_DP_BASE_ARENA_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * Arrays that are freed together, with one failure for all of them: ask for each, look at the
 * arena's status once, clear it in one line whatever came of it.
 *
 *   og_arena arena = {0};
 *   double *value = og_arena_array(&arena, count, sizeof *value);
 *   int32_t *order = og_arena_array(&arena, count, sizeof *order);
 *   og_status status = og_arena_status(&arena);
 *   ...
 *   og_arena_clear(&arena);
 *
 * Every array is a block of its own, so that a sanitizer sees where each ends. Not for tables that
 * grow or are freed before the others. One thread at a time.
 */
typedef struct {
    struct og_arena_block *block; /* [count] */
    size_t count;
    size_t capacity;
    bool failed; /* an array could not be had; from then on every one is NULL */
} og_arena;      /* zeros: empty */

/* count * size bytes of zeros, never NULL but for a failure: a size past the address space is one.
 */
void *og_arena_array(og_arena *arena, size_t count, size_t size);

/* The same at a multiple of `alignment` bytes, a power of two from 16 on. */
void *og_arena_aligned(og_arena *arena, size_t alignment, size_t count, size_t size);

/* The same, copied from an array of the caller's. */
void *og_arena_copy(og_arena *arena, const void *from, size_t count, size_t size);

/* The same of fractions, initialised to 0; they are cleared with the arena. */
mpq_t *og_arena_fractions(og_arena *arena, size_t count);

/* OG_NO_MEMORY after a failure. */
og_status og_arena_status(const og_arena *arena);

/* Free every array; the arena is empty again. */
void og_arena_clear(og_arena *arena);

/* An object of zeros whose first member is its og_arena, NULL without memory; and the end of it and
 * of its arrays, NULL is fine. */
void *og_arena_new(size_t size);
void og_arena_free(void *object);

#endif
