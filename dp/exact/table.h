#ifndef OG_DP_EXACT_TABLE_H
#define OG_DP_EXACT_TABLE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * A table of state keys and their values as fractions (private to dp/). It never forgets: a
 * fraction costs too much to be computed twice, so a full table is a status. One thread at a time.
 *
 * A key is 1 .. OG_KEY_WORDS_MAX words; `hash` is og_memo_hash(key, words): it selects the slot,
 * and the whole key is compared.
 */
typedef struct og_exact_table og_exact_table;

/* limit_bytes: hard limit for keys, fractions and index, also while the index grows. OG_STOPPED if
 * it does not hold an empty table. */
og_status og_exact_table_new(uint64_t limit_bytes, og_exact_table **out);
void og_exact_table_free(og_exact_table *table);

/*
 * True if the key is in the table. Then *value can be read until the table is freed: it is not
 * initialised and must be neither changed nor cleared.
 */
bool og_exact_table_get(const og_exact_table *table, const uint64_t *key, int32_t words,
                        uint64_t hash, mpq_t value);

/* Adds a key that is not in the table. OG_STOPPED if the table would exceed the limit
 * or the entry is longer than 512 KB; OG_NO_MEMORY. Existing entries are unchanged. */
og_status og_exact_table_put(og_exact_table *table, const uint64_t *key, int32_t words,
                             uint64_t hash, const mpq_t value);

uint64_t og_exact_table_count(const og_exact_table *table);
uint64_t og_exact_table_bytes(const og_exact_table *table);

#endif
