#ifndef OG_DP_BASE_ARENA_H
#define OG_DP_BASE_ARENA_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * Arrays that are freed together and share one failure status: allocate each, check the arena's
 * status once, clear the arena in one line in any case.
 *
 *   og_arena arena = {0};
 *   double *value = og_arena_array(&arena, count, sizeof *value);
 *   int32_t *order = og_arena_array(&arena, count, sizeof *order);
 *   og_status status = og_arena_status(&arena);
 *   ...
 *   og_arena_clear(&arena);
 *
 * Every array is a separate block, so that a sanitizer sees its end. Not for tables that grow or
 * are freed before the others. One thread at a time.
 */
typedef struct {
    struct og_arena_block *block; /* [count] */
    size_t count;
    size_t capacity;
    bool failed; /* an allocation failed; from then on every array is NULL */
} og_arena;      /* zeros: empty */

/* Returns count * size bytes of zeros. NULL only after a failure, which includes sizes beyond the
 * address space. */
void *og_arena_array(og_arena *arena, size_t count, size_t size);

/* The same, aligned to `alignment` bytes, a power of two from 16 on. */
void *og_arena_aligned(og_arena *arena, size_t alignment, size_t count, size_t size);

/* The same, copied from the caller's array. */
void *og_arena_copy(og_arena *arena, const void *from, size_t count, size_t size);

/* The same for fractions, initialised to 0; they are cleared with the arena. */
mpq_t *og_arena_fractions(og_arena *arena, size_t count);

/* OG_NO_MEMORY after a failure. */
og_status og_arena_status(const og_arena *arena);

/* Frees every array; the arena is empty again. */
void og_arena_clear(og_arena *arena);

/* The first function allocates an object of zeros whose first member is its og_arena; NULL: no
 * memory. The second frees it with its arrays; NULL is fine. */
void *og_arena_new(size_t size);
void og_arena_free(void *object);

/* Frees such an object if an allocation from its arena failed: then OG_NO_MEMORY. */
og_status og_arena_whole(void *object);

/* Memory for one large array, not zeroed, in huge pages if it fills some; NULL: none. Freed by
 * free(). */
void *og_room(double count, size_t size);

#endif
