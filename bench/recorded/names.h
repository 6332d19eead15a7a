#ifndef OG_BENCH_RECORDED_NAMES_H
#define OG_BENCH_RECORDED_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/rows.h"

/* Names numbered in order of first appearance. Whole names are compared. */
typedef struct {
    uint32_t count;
    char *text;    /* the names, one after another, each ended by NUL */
    size_t *start; /* [count] of each name in the text */

    /* Private. */
    size_t slot_count; /* a power of two, at least twice count */
    struct og_name_slot *slots;
    size_t start_room, text_bytes, text_room;
} og_names; /* zeros: none */

static inline const char *og_name(const og_names *names, uint32_t number)
{
    return names->text + names->start[number];
}

/* The number of a name, a new one if it is new. False, and a failure of the rows, if memory runs
 * out. */
bool og_names_number(og_names *names, og_rows *rows, const char *name, uint32_t *number);

/* 64 random bits for a name, whatever its number. */
uint64_t og_name_bits(const char *name, uint64_t seed);

/* A copy of the text in the arena, for the same starts; NULL if memory runs out. */
const char *og_names_copy(const og_names *names, og_arena *arena);

/* Frees what only finding needs; the text and the starts then belong to the caller. */
void og_names_finish(og_names *names);
void og_names_clear(og_names *names); /* frees all; may be zeroed */

#endif
