/* A layer's states in pages, and the hash table that finds them while the layer grows. */
#include "dp/engine/spread_layer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/engine/memo.h"

enum { PAGE_BITS = 10, SLOTS = 64 };

/* A slot: 32 bits of the hash, which spare most looks at keys, and the place + 1. */
static const uint64_t tag_mask = UINT64_C(0xffffffff) << 32;

int32_t og_spread_page_bits(int32_t key_words_max)
{
    int32_t bits = PAGE_BITS;
    while (INT32_C(1) << bits < key_words_max + 1) {
        bits++;
    }
    return bits;
}

void og_spread_layer_clear(og_spread_layer *layer)
{
    for (uint32_t i = 0; i < layer->page_count; i++) {
        free(layer->page[i]);
    }
    free(layer->page);
    free(layer->slot);
    *layer = (og_spread_layer){.page_bits = layer->page_bits};
}

void og_spread_layer_close(og_spread_layer *layer)
{
    free(layer->slot);
    layer->slot = NULL;
    layer->slot_count = 0;
}

uint32_t og_spread_layer_page_words(const og_spread_layer *layer, uint32_t page)
{
    return page + 1 < layer->page_count ? UINT32_C(1) << layer->page_bits : layer->used;
}

uint64_t og_spread_layer_bytes(const og_spread_layer *layer)
{
    return ((uint64_t)layer->page_count << layer->page_bits) * sizeof **layer->page +
           layer->page_room * sizeof *layer->page + layer->slot_count * sizeof *layer->slot;
}

void og_spread_layer_prefetch(const og_spread_layer *layer, uint64_t hash)
{
    if (layer->slot != NULL) {
        __builtin_prefetch(&layer->slot[hash & (layer->slot_count - 1)]);
    }
}

static void insert(og_spread_layer *layer, uint64_t hash, uint32_t place)
{
    uint64_t mask = layer->slot_count - 1, at = hash & mask;
    while (layer->slot[at] != 0) {
        at = (at + 1) & mask;
    }
    layer->slot[at] = (hash & tag_mask) | (place + 1);
}

static void insert_all(og_spread_layer *layer)
{
    for (uint32_t page = 0; page < layer->page_count; page++) {
        const uint64_t *from = layer->page[page];
        uint32_t end = og_spread_layer_page_words(layer, page);
        for (uint32_t at = 0; at < end && from[at] != 0; at += 1 + (uint32_t)from[at]) {
            insert(layer, og_memo_hash(&from[at + 1], (int32_t)from[at]),
                   page << layer->page_bits | at);
        }
    }
}

/* At most two slots of three are in use. */
static og_status need_slots(og_spread_layer *layer)
{
    if (layer->slot != NULL && 3 * (layer->states + 1) <= 2 * layer->slot_count) {
        return OG_OK;
    }
    uint64_t count = layer->slot == NULL ? SLOTS : 2 * layer->slot_count;
    uint64_t *larger = calloc(count, sizeof *larger);
    OG_TRY(OG_ALLOCATED(larger));
    free(layer->slot);
    layer->slot = larger;
    layer->slot_count = count;
    insert_all(layer);
    return OG_OK;
}

static og_status append(og_spread_layer *layer, const uint64_t *key, int32_t words, uint32_t *place)
{
    const uint32_t room = UINT32_C(1) << layer->page_bits;
    if (layer->page_count == 0 || layer->used + (uint32_t)words + 1 > room) {
        size_t most = ((size_t)1 << (32 - layer->page_bits)) - 1; /* place + 1 has 32 bits */
        if (layer->page_count >= most) {
            return OG_STOPPED;
        }
        uint64_t **more =
            og_grown(layer->page, &layer->page_room, layer->page_count + 1, sizeof *more);
        OG_TRY(OG_ALLOCATED(more));
        layer->page = more;
        uint64_t *page = calloc(room, sizeof *page);
        OG_TRY(OG_ALLOCATED(page));
        layer->page[layer->page_count++] = page;
        layer->used = 0;
    }
    *place = (layer->page_count - 1) << layer->page_bits | layer->used;
    uint64_t *record = og_spread_layer_at(layer, *place);
    record[0] = (uint64_t)words;
    memcpy(record + 1, key, (size_t)words * sizeof *key);
    layer->used += (uint32_t)words + 1;
    layer->states++;
    return OG_OK;
}

og_status og_spread_layer_put(og_spread_layer *layer, const uint64_t *key, int32_t words,
                              uint64_t hash, uint32_t *place)
{
    assert(words > 0 && words < INT32_C(1) << layer->page_bits);
    OG_TRY(need_slots(layer));
    uint64_t mask = layer->slot_count - 1;
    for (uint64_t at = hash & mask; layer->slot[at] != 0; at = (at + 1) & mask) {
        if (((layer->slot[at] ^ hash) & tag_mask) == 0) {
            uint32_t there = (uint32_t)layer->slot[at] - 1;
            const uint64_t *record = og_spread_layer_at(layer, there);
            if (record[0] == (uint64_t)words &&
                memcmp(record + 1, key, (size_t)words * sizeof *key) == 0) {
                *place = there;
                return OG_OK;
            }
        }
    }
    OG_TRY(append(layer, key, words, place));
    insert(layer, hash, *place);
    return OG_OK;
}
