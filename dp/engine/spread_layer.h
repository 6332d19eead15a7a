#ifndef OG_DP_ENGINE_SPREAD_LAYER_H
#define OG_DP_ENGINE_SPREAD_LAYER_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * The states of one layer that one rank owns (dp/engine/spread.h): each once, as a record of a word
 * and the key, one after the other in pages. The word is the key's length until the state is
 * valued, and then the value. A record is known by its place, a number below 2^32 that never
 * changes; it ends no page but its own.
 */
typedef struct {
    int32_t page_bits; /* words of a page: a power of two, more than the longest key */
    uint64_t **page;   /* [page_count] ; a record of length 0 ends a page early */
    uint32_t page_count;
    uint32_t used; /* words of the last page */
    size_t page_room;
    uint64_t states;
    uint64_t *slot; /* [slot_count] of a hash table; NULL: nothing can be added any more */
    uint64_t slot_count;
} og_spread_layer; /* but for page_bits, zeros: empty */

/* So many bits, for keys of up to so many words. */
int32_t og_spread_page_bits(int32_t key_words_max);

void og_spread_layer_clear(og_spread_layer *layer);

/* Bring what og_spread_layer_put looks at first into the cache. */
void og_spread_layer_prefetch(const og_spread_layer *layer, uint64_t hash);

/* The place of a key, which is added if it is not there. OG_NO_MEMORY; OG_STOPPED: a rank cannot
 * hold so large a layer. */
og_status og_spread_layer_put(og_spread_layer *layer, const uint64_t *key, int32_t words,
                              uint64_t hash, uint32_t *place);

/* All are there: the hash table goes. */
void og_spread_layer_close(og_spread_layer *layer);

/* The record of a place. */
static inline uint64_t *og_spread_layer_at(const og_spread_layer *layer, uint32_t place)
{
    uint32_t mask = (UINT32_C(1) << layer->page_bits) - 1;
    return layer->page[place >> layer->page_bits] + (place & mask);
}

/* Words of a page that are in use, those of shorter ones included. */
uint32_t og_spread_layer_page_words(const og_spread_layer *layer, uint32_t page);

uint64_t og_spread_layer_bytes(const og_spread_layer *layer);

#endif
