#ifndef OG_DP_BASE_GROW_H
#define OG_DP_BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Grows `array`, of *room elements of `size` bytes, to at least `needed` elements, by doubling;
 * updates *room. NULL, with everything unchanged, if there is no memory. For one array that grows;
 * arrays that are allocated once belong in an arena (dp/base/arena.h).
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
