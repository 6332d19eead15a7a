/*
 * All lists are stored in one pool; a hash table of entry numbers finds them. The hash selects a
 * slot, and the whole list is compared.
 */
#include "dp/base/state_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct {
    uint64_t first; /* in the pool */
    int32_t count;
    uint32_t hash;
} place;

struct og_state_set {
    uint32_t payload_bytes;
    uint32_t count;
    uint32_t capacity;   /* of places and payloads */
    uint32_t slot_count; /* a power of two, at least 4/3 of the capacity */
    uint64_t pool_count;
    uint64_t pool_capacity;
    og_copies *pool;
    place *place;
    char *payload;
    uint32_t *slot; /* entry + 1; 0 is free */
};

enum { SMALLEST = 64 };

og_status og_state_set_new(uint32_t payload_bytes, og_state_set **out)
{
    og_state_set *sets = calloc(1, sizeof *sets);
    OG_TRY(OG_ALLOCATED(sets));
    sets->payload_bytes = payload_bytes;
    sets->slot_count = 2 * SMALLEST;
    sets->slot = calloc(sets->slot_count, sizeof *sets->slot);
    if (sets->slot == NULL) {
        og_state_set_free(sets);
        return OG_NO_MEMORY;
    }
    *out = sets;
    return OG_OK;
}

void og_state_set_free(og_state_set *sets)
{
    if (sets != NULL) {
        free(sets->pool);
        free(sets->place);
        free(sets->payload);
        free(sets->slot);
    }
    free(sets);
}

void og_state_set_empty(og_state_set *sets)
{
    sets->count = 0;
    sets->pool_count = 0;
    memset(sets->slot, 0, sets->slot_count * sizeof *sets->slot);
}

uint32_t og_state_set_count(const og_state_set *sets)
{
    return sets->count;
}

uint64_t og_state_set_bytes(const og_state_set *sets)
{
    return sets->pool_capacity * sizeof *sets->pool +
           (uint64_t)sets->capacity * (sizeof *sets->place + sets->payload_bytes) +
           (uint64_t)sets->slot_count * sizeof *sets->slot;
}

static uint32_t hash_of(const og_copies *list, int32_t count)
{
    return (uint32_t)XXH3_64bits(list, (size_t)count * sizeof *list);
}

/* The slot of the list, or the free slot for it. */
static uint32_t slot_of(const og_state_set *sets, const og_copies *list, int32_t count,
                        uint32_t hash)
{
    uint32_t mask = sets->slot_count - 1;
    uint32_t at = hash & mask;
    for (; sets->slot[at] != 0; at = (at + 1) & mask) {
        const place *there = &sets->place[sets->slot[at] - 1];
        if (there->hash == hash && there->count == count &&
            memcmp(&sets->pool[there->first], list, (size_t)count * sizeof *list) == 0) {
            break;
        }
    }
    return at;
}

bool og_state_set_find(const og_state_set *sets, const og_copies *list, int32_t count,
                       uint32_t *entry)
{
    uint32_t found = sets->slot[slot_of(sets, list, count, hash_of(list, count))];
    *entry = found - 1;
    return found != 0;
}

/* Grows by half, in steps that the limit can check beforehand. */
static uint64_t grown(uint64_t capacity, uint64_t needed)
{
    uint64_t more = capacity + capacity / 2 + SMALLEST;
    return more > needed ? more : needed;
}

static og_status pool_grow(og_state_set *sets, uint64_t needed, uint64_t limit_bytes)
{
    uint64_t capacity = grown(sets->pool_capacity, needed);
    uint64_t more = (capacity - sets->pool_capacity) * sizeof *sets->pool;
    if (og_state_set_bytes(sets) + more > limit_bytes) {
        return OG_STOPPED;
    }
    og_copies *pool = realloc(sets->pool, (size_t)capacity * sizeof *pool);
    OG_TRY(OG_ALLOCATED(pool));
    sets->pool = pool;
    sets->pool_capacity = capacity;
    return OG_OK;
}

static og_status slots_grow(og_state_set *sets, uint32_t slot_count)
{
    uint32_t *slot = calloc(slot_count, sizeof *slot);
    OG_TRY(OG_ALLOCATED(slot));
    for (uint32_t entry = 0; entry < sets->count; entry++) {
        uint32_t at = sets->place[entry].hash & (slot_count - 1);
        while (slot[at] != 0) {
            at = (at + 1) & (slot_count - 1);
        }
        slot[at] = entry + 1;
    }
    free(sets->slot);
    sets->slot = slot;
    sets->slot_count = slot_count;
    return OG_OK;
}

static og_status entries_grow(og_state_set *sets, uint64_t limit_bytes)
{
    uint64_t capacity = grown(sets->capacity, 0);
    assert(capacity > sets->capacity);
    if (capacity > INT32_MAX) {
        return OG_NO_MEMORY;
    }
    uint32_t slot_count = sets->slot_count;
    while (capacity > (uint64_t)slot_count / 4 * 3) {
        slot_count *= 2;
    }
    uint64_t more = (capacity - sets->capacity) * (sizeof *sets->place + sets->payload_bytes) +
                    (slot_count - sets->slot_count) * sizeof *sets->slot;
    if (og_state_set_bytes(sets) + more > limit_bytes) {
        return OG_STOPPED;
    }
    place *places = realloc(sets->place, (size_t)capacity * sizeof *places);
    OG_TRY(OG_ALLOCATED(places));
    sets->place = places;
    if (sets->payload_bytes > 0) {
        char *payload = realloc(sets->payload, (size_t)capacity * sets->payload_bytes);
        OG_TRY(OG_ALLOCATED(payload));
        sets->payload = payload;
    }
    if (slot_count != sets->slot_count && slots_grow(sets, slot_count) != OG_OK) {
        return OG_NO_MEMORY;
    }
    sets->capacity = (uint32_t)capacity;
    return OG_OK;
}

og_status og_state_set_put(og_state_set *sets, const og_copies *list, int32_t count,
                           uint64_t limit_bytes, uint32_t *entry, bool *added)
{
    uint32_t hash = hash_of(list, count);
    uint32_t at = slot_of(sets, list, count, hash);
    *added = sets->slot[at] == 0;
    if (!*added) {
        *entry = sets->slot[at] - 1;
        return OG_OK;
    }
    og_status status = OG_OK;
    if (sets->pool_count + (uint64_t)count > sets->pool_capacity) {
        status = pool_grow(sets, sets->pool_count + (uint64_t)count, limit_bytes);
    }
    if (status == OG_OK && sets->count == sets->capacity) {
        status = entries_grow(sets, limit_bytes);
        at = slot_of(sets, list, count, hash);
    }
    OG_TRY(status);
    if (count > 0) {
        memcpy(&sets->pool[sets->pool_count], list, (size_t)count * sizeof *list);
    }
    sets->place[sets->count] = (place){sets->pool_count, count, hash};
    sets->pool_count += (uint64_t)count;
    *entry = sets->count++;
    sets->slot[at] = *entry + 1;
    if (sets->payload_bytes > 0) {
        memset(og_state_set_payload(sets, *entry), 0, sets->payload_bytes);
    }
    return OG_OK;
}

const og_copies *og_state_set_at(const og_state_set *sets, uint32_t entry, int32_t *count)
{
    *count = sets->place[entry].count;
    return &sets->pool[sets->place[entry].first];
}

void *og_state_set_payload(const og_state_set *sets, uint32_t entry)
{
    return sets->payload + (uint64_t)entry * sets->payload_bytes;
}

int32_t og_multiset_replace(const og_copies *list, int32_t count, uint32_t from, uint32_t to,
                            og_copies *out)
{
    int32_t written = 0;
    bool placed = false;
    for (int32_t i = 0; i < count; i++) {
        og_copies item = list[i];
        item.copies -= item.member == from;
        if (!placed && to <= item.member) {
            placed = true;
            if (to == item.member) {
                item.copies++;
            } else {
                out[written++] = (og_copies){to, 1};
            }
        }
        if (item.copies > 0) {
            out[written++] = item;
        }
    }
    if (!placed) {
        out[written++] = (og_copies){to, 1};
    }
    return written;
}
