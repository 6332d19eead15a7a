#ifndef OG_DP_BASE_GROW_H
#define OG_DP_BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

/*
 * `array`, of *room elements of `size` bytes, with room for `needed` of them, by doubling; *room
 * follows. NULL, and all as it was, without memory. For one array that grows; what is allocated
 * once goes to an arena (dp/base/arena.h).
 */
static inline void *og_grown(void *array, size_t *room, size_t needed, size_t size)
{
    size_t larger = *room < 64 ? 64 : *room, bytes;
    if (needed <= *room) {
        return array;
    }
    while (larger < needed) {
        if (__builtin_mul_overflow(larger, (size_t)2, &larger)) {
            return NULL;
        }
    }
    void *grown = __builtin_mul_overflow(larger, size, &bytes) ? NULL : realloc(array, bytes);
    *room = grown != NULL ? larger : *room;
    return grown;
}

#endif
