/* Numbers names with a hash table. */
#include "bench/recorded/names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct og_name_slot {
    uint64_t hash;
    uint32_t number; /* number of the name, plus 1; 0: free */
} slot;

static bool double_slots(og_names *all, og_rows *rows)
{
    size_t count = all->slot_count == 0 ? 64 : all->slot_count * 2;
    if (!og_rows_hold(rows, (int64_t)(count * sizeof(slot)))) {
        return false;
    }
    slot *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return og_rows_no_memory(rows);
    }
    for (size_t i = 0; i < all->slot_count; i++) {
        if (all->slots[i].number == 0) {
            continue;
        }
        size_t at = all->slots[i].hash & (count - 1);
        while (slots[at].number != 0) {
            at = (at + 1) & (count - 1);
        }
        slots[at] = all->slots[i];
    }
    free(all->slots);
    og_rows_hold(rows, -(int64_t)(all->slot_count * sizeof(slot)));
    all->slots = slots;
    all->slot_count = count;
    return true;
}

static bool append(og_names *all, og_rows *rows, const char *name, size_t length)
{
    size_t bytes = all->text_bytes + length + 1;
    size_t *start =
        og_rows_grown(rows, all->start, &all->start_room, (size_t)all->count + 1, sizeof *start);
    all->start = start != NULL ? start : all->start;
    char *text = og_rows_grown(rows, all->text, &all->text_room, bytes, 1);
    all->text = text != NULL ? text : all->text;
    if (start == NULL || text == NULL) {
        return false;
    }
    memcpy(text + all->text_bytes, name, length + 1);
    start[all->count++] = all->text_bytes;
    all->text_bytes = bytes;
    return true;
}

bool og_names_number(og_names *all, og_rows *rows, const char *name, uint32_t *number)
{
    if (2 * ((size_t)all->count + 1) > all->slot_count && !double_slots(all, rows)) {
        return false;
    }
    size_t length = strlen(name);
    uint64_t hash = XXH3_64bits(name, length);
    size_t mask = all->slot_count - 1;
    size_t at = hash & mask;
    for (; all->slots[at].number != 0; at = (at + 1) & mask) {
        uint32_t known = all->slots[at].number - 1;
        if (all->slots[at].hash == hash && strcmp(og_name(all, known), name) == 0) {
            *number = known;
            return true;
        }
    }
    if (!append(all, rows, name, length)) {
        return false;
    }
    all->slots[at] = (slot){hash, all->count};
    *number = all->count - 1;
    return true;
}

uint64_t og_name_bits(const char *name, uint64_t seed)
{
    return XXH3_64bits_withSeed(name, strlen(name), seed);
}

const char *og_names_copy(const og_names *names, og_arena *arena)
{
    return og_arena_copy(arena, names->count > 0 ? names->text : "", names->text_bytes, 1);
}

void og_names_finish(og_names *names)
{
    free(names->slots);
    names->slots = NULL;
    names->slot_count = 0;
}

void og_names_clear(og_names *names)
{
    og_names_finish(names);
    free(names->text);
    free(names->start);
    *names = (og_names){.count = 0};
}
