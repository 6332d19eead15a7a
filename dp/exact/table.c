/*
 * Entries are stored one after the other in blocks that never move: a header, the key, the limbs of
 * numerator and denominator, two limbs in a word if they are short. An index with open addressing
 * holds their places.
 */
#include "dp/exact/table.h"

#include <stdlib.h>
#include <string.h>

#include "dp/engine/memo.h"

enum {
    BLOCK_BITS = 16, /* of words in a block: 512 KB */
    BLOCK_WORDS = 1 << BLOCK_BITS,
    FIRST_SLOTS = 1 << 10,
    PLACE_BITS = 40, /* a slot is the entry's place + 1, and in the bits above as much of the hash
                      * as fits */
};

struct og_exact_table {
    uint64_t limit_bytes;
    uint64_t bytes;
    uint64_t **block;
    uint64_t block_count;
    uint64_t block_capacity;
    uint64_t used; /* words of the last block */
    uint64_t *slot;
    uint64_t slot_count; /* a power of two, at most 2/3 full */
    uint64_t count;
};

static const uint64_t place_mask = (UINT64_C(1) << PLACE_BITS) - 1;

/* Header: words of the key, the sign, limbs of numerator and denominator; none exceeds BLOCK_WORDS.
 */
enum { WORDS_MASK = 0x7fff, NEGATIVE = 0x8000 };
static uint64_t header_of(int32_t words, bool negative, size_t num, size_t den)
{
    return (uint64_t)words | (negative ? NEGATIVE : 0) | (uint64_t)num << 16 | (uint64_t)den << 40;
}

static uint64_t *entry_at(const og_exact_table *table, uint64_t place)
{
    return table->block[place >> BLOCK_BITS] + (place & (BLOCK_WORDS - 1));
}

og_status og_exact_table_new(uint64_t limit_bytes, og_exact_table **out)
{
    if (limit_bytes < sizeof(og_exact_table) + FIRST_SLOTS * sizeof(uint64_t)) {
        return OG_STOPPED;
    }
    og_exact_table *table = calloc(1, sizeof *table);
    OG_TRY(OG_ALLOCATED(table));
    table->limit_bytes = limit_bytes;
    table->slot_count = FIRST_SLOTS;
    table->slot = calloc(FIRST_SLOTS, sizeof *table->slot);
    table->bytes = sizeof *table + FIRST_SLOTS * sizeof *table->slot;
    if (table->slot == NULL) {
        og_exact_table_free(table);
        return OG_NO_MEMORY;
    }
    *out = table;
    return OG_OK;
}

void og_exact_table_free(og_exact_table *table)
{
    if (table == NULL) {
        return;
    }
    for (uint64_t i = 0; i < table->block_count; i++) {
        free(table->block[i]);
    }
    free(table->block);
    free(table->slot);
    free(table);
}

static uint64_t tag_of(uint64_t hash)
{
    return hash & ~place_mask;
}

static void set_value(mpq_t value, const uint64_t *limbs, uint64_t header)
{
    mp_size_t num = (mp_size_t)(header >> 16 & 0xffffff), den = (mp_size_t)(header >> 40);
    bool negative = (header & NEGATIVE) != 0;
    mpz_roinit_n(mpq_numref(value), (const mp_limb_t *)limbs, negative ? -num : num);
    mpz_roinit_n(mpq_denref(value), (const mp_limb_t *)limbs + num, den);
}

bool og_exact_table_get(const og_exact_table *table, const uint64_t *key, int32_t words,
                        uint64_t hash, mpq_t value)
{
    uint64_t at = hash & (table->slot_count - 1);
    for (; table->slot[at] != 0; at = (at + 1) & (table->slot_count - 1)) {
        if (tag_of(table->slot[at]) != tag_of(hash)) {
            continue;
        }
        const uint64_t *entry = entry_at(table, (table->slot[at] & place_mask) - 1);
        uint64_t header = entry[0];
        if ((header & WORDS_MASK) == (uint64_t)words &&
            memcmp(entry + 1, key, (size_t)words * sizeof *key) == 0) {
            set_value(value, entry + 1 + words, header);
            return true;
        }
    }
    return false;
}

/* The first free slot for a hash. */
static uint64_t *free_slot(uint64_t *slot, uint64_t slot_count, uint64_t hash)
{
    uint64_t at = hash & (slot_count - 1);
    while (slot[at] != 0) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slot[at];
}

static og_status grow_index(og_exact_table *table)
{
    uint64_t slot_count = table->slot_count * 2;
    uint64_t more = slot_count * sizeof *table->slot;
    if (table->bytes + more > table->limit_bytes) {
        return OG_STOPPED;
    }
    uint64_t *slot = calloc((size_t)slot_count, sizeof *slot);
    OG_TRY(OG_ALLOCATED(slot));
    for (uint64_t i = 0; i < table->slot_count; i++) {
        if (table->slot[i] != 0) {
            const uint64_t *entry = entry_at(table, (table->slot[i] & place_mask) - 1);
            uint64_t hash = og_memo_hash(entry + 1, (int32_t)(entry[0] & 0xffff));
            *free_slot(slot, slot_count, hash) = table->slot[i];
        }
    }
    free(table->slot);
    table->slot = slot;
    table->bytes += more - table->slot_count * sizeof *slot;
    table->slot_count = slot_count;
    return OG_OK;
}

static og_status add_block(og_exact_table *table)
{
    const size_t size = BLOCK_WORDS * sizeof **table->block;
    if (table->bytes + size > table->limit_bytes ||
        table->block_count + 1 >= place_mask >> BLOCK_BITS) {
        return OG_STOPPED;
    }
    if (table->block_count == table->block_capacity) {
        uint64_t capacity = table->block_capacity * 2 + 16;
        uint64_t **block = realloc(table->block, (size_t)capacity * sizeof *block);
        OG_TRY(OG_ALLOCATED(block));
        table->bytes += (capacity - table->block_capacity) * sizeof *block;
        table->block = block;
        table->block_capacity = capacity;
    }
    uint64_t *block = malloc(size);
    OG_TRY(OG_ALLOCATED(block));
    table->block[table->block_count++] = block;
    table->used = 0;
    table->bytes += size;
    return OG_OK;
}

/* Makes room for an entry of so many words, and a slot. */
static og_status reserve(og_exact_table *table, size_t words)
{
    if (words > BLOCK_WORDS) {
        return OG_STOPPED;
    }
    if (table->count + 1 > table->slot_count / 3 * 2) {
        OG_TRY(grow_index(table));
    }
    bool fits = table->block_count > 0 && table->used + words <= BLOCK_WORDS;
    return fits ? OG_OK : add_block(table);
}

/* Words for so many limbs, which have 64 or 32 bits. */
static size_t words_of(size_t limbs)
{
    return (limbs * sizeof(mp_limb_t) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

og_status og_exact_table_put(og_exact_table *table, const uint64_t *key, int32_t words,
                             uint64_t hash, const mpq_t value)
{
    size_t num = mpz_size(mpq_numref(value));
    size_t den = mpz_size(mpq_denref(value));
    size_t length = 1 + (size_t)words + words_of(num + den);
    OG_TRY(reserve(table, length));
    uint64_t place = (table->block_count - 1) << BLOCK_BITS | table->used;
    uint64_t *entry = entry_at(table, place);
    table->used += length;
    entry[0] = header_of(words, mpq_sgn(value) < 0, num, den);
    memcpy(entry + 1, key, (size_t)words * sizeof *key);
    mp_limb_t *limbs = (mp_limb_t *)(entry + 1 + words);
    if (num > 0) {
        memcpy(limbs, mpz_limbs_read(mpq_numref(value)), num * sizeof *limbs);
    }
    memcpy(limbs + num, mpz_limbs_read(mpq_denref(value)), den * sizeof *limbs);
    *free_slot(table->slot, table->slot_count, hash) = tag_of(hash) | (place + 1);
    table->count++;
    return OG_OK;
}

uint64_t og_exact_table_count(const og_exact_table *table)
{
    return table->count;
}

uint64_t og_exact_table_bytes(const og_exact_table *table)
{
    return table->bytes;
}
