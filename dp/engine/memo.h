#ifndef OG_DP_ENGINE_MEMO_H
#define OG_DP_ENGINE_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * The memory of the recursion: a hash table from state keys to final values, shared by threads.
 *
 * Every entry is a whole key and a value that never changes, so losing an entry never makes a table
 * wrong: lost values are computed again. The table grows while the memory limit allows. After that
 * a new entry evicts, of the entries that could make room, the one that was cheapest to compute. No
 * answer depends on a hit.
 *
 * A key is 1 .. 4096 words of 64 bits, the first and the last not 0. The hash only chooses where to
 * look.
 */
typedef struct og_memo og_memo;

enum {
    OG_MEMO_LENGTHS = 12, /* tables: keys of up to 2, 4, 8, ... 4096 words */
    OG_MEMO_KEY_WORDS = 2 << (OG_MEMO_LENGTHS - 1),
};

/* A thread's handle for the table. A thread that has joined must keep calling put, or leave,
 * because growing waits for all. */
typedef struct {
    og_memo *memo;
    /* Passed to the table now and then, so that threads do not compete for its counters: */
    uint64_t forgotten;              /* entries evicted */
    uint32_t added[OG_MEMO_LENGTHS]; /* entries added, by table */
} og_memo_user;

/*
 * limit_bytes: hard limit for all tables together, also while they grow. key_words_max: longest
 * key. OG_NO_MEMORY if not even the smallest tables fit, one for each class of lengths: 2 KB for
 * keys of up to 2 words, 4 MB up to the longest.
 */
og_status og_memo_new(uint64_t limit_bytes, int32_t key_words_max, og_memo **out);
void og_memo_free(og_memo *memo);

void og_memo_join(og_memo *memo, og_memo_user *user);
void og_memo_leave(og_memo_user *user);

/* The hash of a key. */
uint64_t og_memo_hash(const uint64_t *key, int32_t words);

/* Brings the key's place into the cache, for a get that follows soon. */
void og_memo_prefetch(const og_memo *memo, int32_t words, uint64_t hash);

/* Returns true and sets *value if the key is in the table. */
bool og_memo_get(og_memo_user *user, const uint64_t *key, int32_t words, uint64_t hash,
                 double *value);

/* Stores a final value. `cost`: the work to compute it again, 0 .. 255, on any monotone scale. */
void og_memo_put(og_memo_user *user, const uint64_t *key, int32_t words, uint64_t hash,
                 double value, uint32_t cost);

/*
 * Visits every entry, in no particular order. `user` is the caller, which has joined and for which
 * the others wait meanwhile; NULL means that no user has joined. `visit` must not call the memo.
 */
typedef void og_memo_visit(void *context, const uint64_t *key, int32_t words, double value,
                           uint32_t cost);
void og_memo_each(og_memo *memo, og_memo_user *user, og_memo_visit *visit, void *context);

/* True if the table has reached its limit and evicts entries. Thread-safe. */
bool og_memo_is_full(const og_memo *memo);

typedef struct {
    uint64_t entries;   /* remembered now */
    uint64_t forgotten; /* entries evicted to make room */
    uint64_t bytes;     /* held now */
    uint64_t bytes_max; /* most held at any time */
} og_memo_info;

/* Thread-safe; exact when no user has joined. */
void og_memo_get_info(const og_memo *memo, og_memo_info *info);

#endif
