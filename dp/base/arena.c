/*
 * Allocates arrays as a list of blocks. Invariant: every block in the list is owned and complete,
 * with its fractions initialised, so clearing is valid after any failure; and the list has room
 * before a block is allocated.
 */
#include "dp/base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct og_arena_block {
    void *at;
    size_t fractions; /* number of fractions at its begin */
};

enum { FIRST_BLOCKS = 8 };

/* Makes room in the list for one more block, if its size is possible; *bytes is that size. */
static bool reserve(og_arena *arena, size_t count, size_t size, size_t *bytes)
{
    assert(size > 0);
    arena->failed =
        arena->failed || __builtin_mul_overflow(count, size, bytes) || *bytes > PTRDIFF_MAX / 2;
    if (!arena->failed && arena->count == arena->capacity) {
        size_t capacity = arena->capacity == 0 ? FIRST_BLOCKS : 2 * arena->capacity;
        struct og_arena_block *block = realloc(arena->block, capacity * sizeof *block);
        arena->failed = block == NULL;
        arena->block = block != NULL ? block : arena->block;
        arena->capacity = block != NULL ? capacity : arena->capacity;
    }
    return !arena->failed;
}

static void *keep(og_arena *arena, void *at)
{
    assert(arena->count < arena->capacity);
    arena->failed = at == NULL;
    if (at != NULL) {
        arena->block[arena->count++] = (struct og_arena_block){at, 0};
    }
    return at;
}

void *og_arena_array(og_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    bool room = reserve(arena, count, size, &bytes);
    return room ? keep(arena, calloc(bytes > 0 ? bytes : 1, 1)) : NULL;
}

void *og_arena_aligned(og_arena *arena, size_t alignment, size_t count, size_t size)
{
    size_t bytes;
    assert(alignment >= 16 && (alignment & (alignment - 1)) == 0);
    if (!reserve(arena, count, size, &bytes)) {
        return NULL;
    }
    bytes = (bytes / alignment + 1) * alignment;
    void *at = keep(arena, aligned_alloc(alignment, bytes));
    return at == NULL ? NULL : memset(at, 0, bytes);
}

void *og_arena_copy(og_arena *arena, const void *from, size_t count, size_t size)
{
    void *at = og_arena_array(arena, count, size);
    return at == NULL || count == 0 ? at : memcpy(at, from, count * size);
}

mpq_t *og_arena_fractions(og_arena *arena, size_t count)
{
    mpq_t *at = og_arena_array(arena, count, sizeof *at);
    for (size_t i = 0; at != NULL && i < count; i++) {
        mpq_init(at[i]);
        arena->block[arena->count - 1].fractions = i + 1;
    }
    return at;
}

og_status og_arena_status(const og_arena *arena)
{
    return arena->failed ? OG_NO_MEMORY : OG_OK;
}

void og_arena_clear(og_arena *arena)
{
    for (size_t i = 0; i < arena->count; i++) {
        mpq_t *fraction = arena->block[i].at;
        for (size_t k = 0; k < arena->block[i].fractions; k++) {
            mpq_clear(fraction[k]);
        }
        free(fraction);
    }
    free(arena->block);
    *arena = (og_arena){0};
}

void *og_arena_new(size_t size)
{
    assert(size >= sizeof(og_arena));
    return calloc(1, size);
}

void og_arena_free(void *object)
{
    if (object != NULL) {
        og_arena_clear(object);
    }
    free(object);
}

og_status og_arena_whole(void *object)
{
    og_status status = og_arena_status(object);
    if (status != OG_OK) {
        og_arena_free(object);
    }
    return status;
}

void *og_room(double count, size_t size)
{
    enum { HUGE_PAGE = 1 << 21 };
    size_t bytes = ((size_t)count + 1) * size;
    if (bytes < HUGE_PAGE) {
        return malloc(bytes);
    }
    bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *room = aligned_alloc(HUGE_PAGE, bytes);
    if (room != NULL) {
        madvise(room, bytes, MADV_HUGEPAGE); /* advice only: a failure costs only speed */
    }
    return room;
}
