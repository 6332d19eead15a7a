/*
 * Open addressing in buckets of whole cache lines.
 *
 * Keys are sorted by length into tables whose entries hold 2, 4, 8, ... words. Each table is an
 * array of buckets, each bucket a header and as many entries (key, value) as fit. An entry is in
 * the first bucket from its home that had room, at most PROBE_MAX buckets away. Entries are
 * replaced but never removed, so a search may stop at the first bucket with an empty entry.
 *
 * Threads: a bucket is a sequence lock. A writer makes the sequence odd by compare-and-swap
 * (acquire), stores words with release, and makes it even again (release). A reader loads the
 * header (acquire; pairs with the writer's last store), the words (acquire, so that they come
 * before the next load), and the header again: the same even sequence twice means the words belong
 * together. Growing needs the table for itself: it raises `pause` and waits until every other user
 * is inside wait_while_paused (see og_memo_join).
 */
#include "dp/engine/memo.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL /* a call through the PLT costs more than hashing 16 bytes */
#include <xxhash.h>

enum {
    TABLE_COUNT = OG_MEMO_LENGTHS, /* entries of 2 << t words */
    REPORT_AFTER = 64,             /* entries a user adds before it updates the table's counters */
    PAGE_BYTES = 4096,             /* or more */
    TOUCH_BYTES = 1 << 20,
    MAPPED_BYTES = 1 << 16,
    BUCKET_MIN_WORDS = 16, /* two cache lines; the adjacent-line prefetcher fetches both */
    ENTRIES_MAX = 5,
    PROBE_MAX = 16,
};

static const uint64_t sequence_mask =
    0xffffff; /* the low 24 bits of a header; 8 bits of cost an entry above */
static const uint64_t first_buckets = PROBE_MAX;  /* a search must not wrap around */
static const uint64_t a_lot = UINT64_C(64) << 20; /* bytes */

typedef _Atomic uint64_t word;

typedef struct {
    word *words; /* NULL until the first key of this length */
    uint64_t bucket_count;
    int32_t key_words;    /* of an entry, without the value */
    int32_t bucket_words; /* a power of two */
    int32_t bucket_entries;
    _Atomic uint64_t entries;
    _Atomic bool full; /* growing was refused; from now on new entries replace old ones */
} table;

struct og_memo {
    uint64_t limit_bytes;
    _Atomic uint64_t bytes; /* changed only by the user that changes the tables */
    _Atomic uint64_t bytes_max;
    _Atomic uint64_t forgotten;
    _Atomic int pause; /* raised only by the user that changes the tables */
    _Atomic int users;
    _Atomic int waiting; /* users inside wait_while_paused */
    /* New memory that waiting threads may touch, so that the system provides it in advance. */
    char *_Atomic fresh;
    _Atomic uint64_t fresh_bytes; /* 0: none */
    _Atomic uint64_t fresh_next;
    int32_t table_count;
    table table[TABLE_COUNT];
};

static int table_of(int32_t words)
{
    int t = 0;
    while ((2 << t) < words) {
        t++;
    }
    return t;
}

static uint64_t table_bytes(const table *t, uint64_t bucket_count)
{
    return bucket_count * (uint64_t)t->bucket_words * sizeof(word);
}

static void advise_huge_pages(void *memory, size_t bytes)
{
    if (bytes >= (size_t)1 << 22) {
        madvise(memory, bytes, MADV_HUGEPAGE); /* advice only: failing costs speed, nothing else */
    }
}

/* Small tables are ordinary memory: it takes the system microseconds to give and to take pages. */
static bool is_mapped(size_t bytes)
{
    return bytes >= MAPPED_BYTES;
}

/* Zeroed memory, at a bucket's boundary; NULL: there is none. */
static void *new_words(size_t bytes)
{
    if (is_mapped(bytes)) {
        void *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return memory != MAP_FAILED ? memory : NULL;
    }
    void *memory = aligned_alloc(BUCKET_MIN_WORDS * sizeof(word), bytes);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

static void free_words(void *memory, size_t bytes)
{
    if (is_mapped(bytes)) {
        munmap(memory, bytes);
    } else {
        free(memory);
    }
}

static void *longer_words(void *old, size_t old_bytes, size_t bytes)
{
#ifndef __EMSCRIPTEN__ /* which has no mremap */
    if (is_mapped(old_bytes)) {
        void *moved = mremap(old, old_bytes, bytes, MREMAP_MAYMOVE);
        return moved != MAP_FAILED ? moved : NULL;
    }
#endif
    void *memory = new_words(bytes);
    if (memory != NULL) {
        memcpy(memory, old, old_bytes);
        free_words(old, old_bytes);
    }
    return memory;
}

/* Makes the array longer; new buckets are empty. Old buckets keep their places, not their
 * addresses. */
static bool table_stretch(table *t, uint64_t bucket_count)
{
    size_t bytes = (size_t)table_bytes(t, bucket_count);
    void *memory = t->words == NULL ? new_words(bytes)
                                    : longer_words((void *)t->words,
                                                   (size_t)table_bytes(t, t->bucket_count), bytes);
    if (memory == NULL) {
        return false;
    }
    advise_huge_pages(memory, bytes);
    t->words = memory;
    t->bucket_count = bucket_count;
    return true;
}

__extension__ typedef unsigned __int128 wide;

static uint64_t home_of(const table *t, uint64_t hash)
{
    return (uint64_t)(((wide)hash * t->bucket_count) >> 64);
}

static word *bucket_at(const table *t, uint64_t bucket)
{
    return t->words + bucket * (uint64_t)t->bucket_words;
}

static bool entry_equals(word *entry, const uint64_t *key, int32_t words, int32_t key_words)
{
    for (int32_t i = 0; i < words; i++) {
        if (atomic_load_explicit(&entry[i], memory_order_acquire) != key[i]) {
            return false;
        }
    }
    for (int32_t i = words; i < key_words; i++) {
        if (atomic_load_explicit(&entry[i], memory_order_acquire) != 0) {
            return false;
        }
    }
    return true;
}

static void entry_write(word *entry, const uint64_t *key, int32_t words, int32_t key_words,
                        uint64_t value)
{
    for (int32_t i = 0; i < key_words; i++) {
        atomic_store_explicit(&entry[i], i < words ? key[i] : 0, memory_order_release);
    }
    atomic_store_explicit(&entry[key_words], value, memory_order_release);
}

typedef enum { FOUND, ABSENT, MAYBE_FURTHER } search;

/* Searches one bucket, reading without a lock. */
static search bucket_search(word *bucket, const table *t, const uint64_t *key, int32_t words,
                            uint64_t *value)
{
    for (;;) {
        uint64_t before = atomic_load_explicit(bucket, memory_order_acquire);
        if ((before & 1) != 0) {
            sched_yield();
            continue;
        }
        search result = MAYBE_FURTHER;
        word *entry = bucket + 1;
        for (int32_t e = 0; e < t->bucket_entries; e++, entry += t->key_words + 1) {
            if (entry_equals(entry, key, words, t->key_words)) {
                *value = atomic_load_explicit(&entry[t->key_words], memory_order_acquire);
                result = FOUND;
                break;
            }
            if (atomic_load_explicit(entry, memory_order_acquire) == 0) {
                result = ABSENT;
                break;
            }
        }
        uint64_t after = atomic_load_explicit(bucket, memory_order_relaxed);
        if (((before ^ after) & sequence_mask) == 0) {
            return result;
        }
    }
}

static uint64_t bucket_lock(word *bucket)
{
    for (;;) {
        uint64_t header = atomic_load_explicit(bucket, memory_order_relaxed);
        if ((header & 1) == 0 &&
            atomic_compare_exchange_weak_explicit(bucket, &header, header | 1, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            return header | 1;
        }
        if ((header & 1) != 0) {
            sched_yield();
        }
    }
}

/* Stores `header` with the next even sequence. */
static void bucket_unlock(word *bucket, uint64_t header)
{
    uint64_t sequence = (header + 1) & sequence_mask;
    atomic_store_explicit(bucket, (header & ~sequence_mask) | sequence, memory_order_release);
}

static uint32_t header_cost(uint64_t header, int32_t entry)
{
    return (uint32_t)(header >> (24 + 8 * entry)) & 0xff;
}

static uint64_t header_with_cost(uint64_t header, int32_t entry, uint32_t cost)
{
    int shift = 24 + 8 * entry;
    assert(entry < ENTRIES_MAX && cost <= 255);
    return (header & ~(UINT64_C(0xff) << shift)) | (uint64_t)(cost & 0xff) << shift;
}

typedef enum { ADDED, KNOWN, NO_ROOM } put_result;

/* Stores an entry in an empty place of this bucket, if there is one and the key is not there
 * already. */
static put_result bucket_put(word *bucket, const table *t, const uint64_t *key, int32_t words,
                             uint64_t value, uint32_t cost)
{
    uint64_t header = bucket_lock(bucket);
    put_result result = NO_ROOM;
    word *entry = bucket + 1;
    for (int32_t e = 0; e < t->bucket_entries; e++, entry += t->key_words + 1) {
        if (atomic_load_explicit(entry, memory_order_relaxed) == 0) {
            entry_write(entry, key, words, t->key_words, value);
            header = header_with_cost(header, e, cost);
            result = ADDED;
            break;
        }
        if (entry_equals(entry, key, words, t->key_words)) {
            result = KNOWN;
            break;
        }
    }
    bucket_unlock(bucket, header);
    return result;
}

static put_result table_put(const table *t, const uint64_t *key, int32_t words, uint64_t hash,
                            uint64_t value, uint32_t cost)
{
    uint64_t bucket = home_of(t, hash);
    for (int probe = 0; probe < PROBE_MAX; probe++) {
        put_result result = bucket_put(bucket_at(t, bucket), t, key, words, value, cost);
        if (result != NO_ROOM) {
            return result;
        }
        bucket = bucket + 1 == t->bucket_count ? 0 : bucket + 1;
    }
    return NO_ROOM;
}

/* The other entries lose some of their lead over newcomers. */
static uint64_t header_aged(uint64_t header, int32_t entry)
{
    uint32_t cost = header_cost(header, entry);
    return cost > 0 ? header_with_cost(header, entry, cost - 1) : header;
}

/*
 * Every place is taken: overwrites the cheapest entry of the home bucket. The cheapest loses some
 * of its lead with every newcomer that it survives, and all entries lose some with every newcomer
 * that gets in, so that unused entries do not stay for ever. False if the newcomer did not get in,
 * or another thread has stored the key meanwhile.
 */
static bool table_replace(const table *t, const uint64_t *key, int32_t words, uint64_t hash,
                          uint64_t value, uint32_t cost)
{
    word *bucket = bucket_at(t, home_of(t, hash));
    uint64_t header = bucket_lock(bucket);
    int32_t victim = 0;
    bool known = false;
    for (int32_t e = 0; e < t->bucket_entries; e++) {
        word *entry = bucket + 1 + (int64_t)e * (t->key_words + 1);
        known = known || entry_equals(entry, key, words, t->key_words);
        if (header_cost(header, e) < header_cost(header, victim)) {
            victim = e;
        }
    }
    bool replaced = !known && cost >= header_cost(header, victim);
    if (replaced) {
        header = header_aged(header, (int32_t)(hash % (uint64_t)t->bucket_entries));
        entry_write(bucket + 1 + (int64_t)victim * (t->key_words + 1), key, words, t->key_words,
                    value);
        header = header_with_cost(header, victim, cost);
    } else if (!known) {
        header = header_aged(header, victim);
    }
    bucket_unlock(bucket, header);
    return replaced;
}

/* Entries being moved: key, value and cost, key_words + 2 words each. */
typedef struct {
    uint64_t *words;
    uint64_t count;
} luggage;

/* Removes all entries of a bucket. */
static void bucket_empty(word *bucket, const table *t, luggage *out)
{
    uint64_t header = atomic_load_explicit(bucket, memory_order_relaxed);
    word *entry = bucket + 1;
    for (int32_t e = 0; e < t->bucket_entries; e++, entry += t->key_words + 1) {
        if (atomic_load_explicit(entry, memory_order_relaxed) == 0) {
            return;
        }
        uint64_t *to = out->words + out->count++ * (uint64_t)(t->key_words + 2);
        for (int32_t i = 0; i <= t->key_words; i++) {
            to[i] = atomic_load_explicit(&entry[i], memory_order_relaxed);
            atomic_store_explicit(&entry[i], 0, memory_order_relaxed);
        }
        to[t->key_words + 1] = header_cost(header, e);
    }
}

/* Stores all entries in their new places; returns the number stored. */
static uint64_t luggage_settle(const table *t, luggage *from)
{
    uint64_t settled = 0;
    for (uint64_t n = 0; n < from->count; n++) {
        const uint64_t *entry = from->words + n * (uint64_t)(t->key_words + 2);
        int32_t words = t->key_words;
        while (words > 1 && entry[words - 1] == 0) {
            words--;
        }
        assert(entry[0] != 0); /* only existing entries are moved */
        settled += table_put(t, entry, words, og_memo_hash(entry, words), entry[t->key_words],
                             (uint32_t)entry[t->key_words + 1]) == ADDED;
    }
    from->count = 0;
    return settled;
}

/*
 * Number of the first buckets that are moved last when the array grows from old_count buckets to
 * new_count. Homes keep their order and move up by a factor r. So from the last bucket down every
 * entry moves to a place without unmoved entries: an entry of bucket b has its old home at b -
 * PROBE_MAX + 1 or later, and its new one at r times that, which is not below b once b >= PROBE_MAX
 * * r / (r - 1). Entries that wrapped around the end are in the first buckets too.
 */
static uint64_t first_aside(uint64_t old_count, uint64_t new_count)
{
    double ratio = (double)new_count / (double)old_count;
    uint64_t aside = (uint64_t)(PROBE_MAX * ratio / (ratio - 1)) + PROBE_MAX;
    return aside < old_count ? aside : old_count;
}

/* Spreads the entries of the first old_count buckets over the whole, longer array, in place.
 * `aside` has room for first_aside buckets, `bucket` for one. Returns the number of entries. */
static uint64_t table_spread(table *t, uint64_t old_count, luggage *aside, luggage *bucket)
{
    uint64_t low = first_aside(old_count, t->bucket_count);
    for (uint64_t b = 0; b < low; b++) {
        bucket_empty(bucket_at(t, b), t, aside);
    }
    uint64_t entries = 0;
    for (uint64_t b = old_count; b-- > low;) {
        bucket_empty(bucket_at(t, b), t, bucket); /* some return to the same bucket */
        entries += luggage_settle(t, bucket);
    }
    return entries + luggage_settle(t, aside);
}

/* Bytes of temporary memory to move the entries of old_count buckets. */
static uint64_t luggage_bytes(const table *t, uint64_t old_count, uint64_t new_count)
{
    uint64_t low = old_count == 0 ? 0 : first_aside(old_count, new_count);
    return (low + 1) * (uint64_t)t->bucket_entries * (uint64_t)(t->key_words + 2) *
           sizeof(uint64_t);
}

/* Bytes of the first tables for the key lengths that have not occurred yet. */
static uint64_t firsts_bytes(const og_memo *memo)
{
    uint64_t bytes = 0;
    for (int i = 0; i < memo->table_count; i++) {
        bytes += memo->table[i].words == NULL ? table_bytes(&memo->table[i], first_buckets) : 0;
    }
    return bytes;
}

/* Number of buckets to grow to: double, half more if that is a lot, or as many as the limit allows;
 * 0 if that is not worth the move. First tables always have room (og_memo_new). */
static uint64_t next_size(const og_memo *memo, const table *t)
{
    if (t->bucket_count == 0) {
        return first_buckets;
    }
    uint64_t bucket_bytes = table_bytes(t, 1);
    uint64_t least = t->bucket_count + t->bucket_count / 8 + 1; /* and the largest number to set
                                                                 * aside */
    uint64_t used = memo->bytes + firsts_bytes(memo) + luggage_bytes(t, t->bucket_count, least);
    uint64_t room = used < memo->limit_bytes ? (memo->limit_bytes - used) / bucket_bytes : 0;
    uint64_t wanted =
        table_bytes(t, t->bucket_count) < a_lot ? t->bucket_count : t->bucket_count / 2;
    uint64_t more = wanted < room ? wanted : room;
    return t->bucket_count + more >= least ? t->bucket_count + more : 0;
}

/* Gives waiting threads memory to touch, until offer_nothing. */
static void offer_to_touch(og_memo *memo, table *t, uint64_t old_count)
{
    atomic_store(&memo->fresh, (char *)t->words + table_bytes(t, old_count));
    atomic_store(&memo->fresh_next, 0);
    atomic_store(&memo->fresh_bytes, table_bytes(t, t->bucket_count - old_count));
}

/* Ends the offer: no thread begins a new piece, and threads that are at one are waited for before
 * the next pause. */
static void offer_nothing(og_memo *memo)
{
    atomic_store(&memo->fresh_bytes, 0);
}

/* Makes the system clear a piece of the new memory while another thread moves entries into it.
 * False if there is none left. */
static bool touch_some(og_memo *memo)
{
    uint64_t bytes = atomic_load(&memo->fresh_bytes);
    if (bytes == 0) {
        return false;
    }
    uint64_t from = atomic_fetch_add(&memo->fresh_next, TOUCH_BYTES);
    if (from >= bytes) {
        return false;
    }
    char *fresh = atomic_load(&memo->fresh);
    /* From the end, since the entries that move first go there. */
    uint64_t last = bytes - from;
    uint64_t first = last > TOUCH_BYTES ? last - TOUCH_BYTES : 0;
    for (uint64_t at = first; at < last; at += PAGE_BYTES) {
        atomic_fetch_or_explicit((word *)(fresh + at), 0, memory_order_relaxed);
    }
    return true;
}

/* Returns false if the limit or the system refuses. Only the user that raised `pause` is active. */
static bool table_grow(og_memo *memo, table *t)
{
    uint64_t old_count = t->bucket_count;
    uint64_t bucket_count = next_size(memo, t);
    if (bucket_count == 0) {
        return false;
    }
    assert(bucket_count > old_count);
    uint64_t luggage_size = luggage_bytes(t, old_count, bucket_count);
    uint64_t *words = malloc((size_t)luggage_size);
    if (words == NULL || !table_stretch(t, bucket_count)) {
        free(words);
        return false;
    }
    uint64_t bytes = memo->bytes + table_bytes(t, bucket_count - old_count);
    uint64_t most = bytes + (old_count > 0 ? luggage_size : 0);
    atomic_store(&memo->bytes, bytes);
    atomic_store(&memo->bytes_max, most > memo->bytes_max ? most : memo->bytes_max);
    if (old_count > 0) {
        offer_to_touch(memo, t, old_count);
        luggage bucket = {words, 0};
        luggage aside = {words + (uint64_t)t->bucket_entries * (uint64_t)(t->key_words + 2), 0};
        atomic_store(&t->entries, table_spread(t, old_count, &aside, &bucket));
        offer_nothing(memo);
    }
    free(words);
    return true;
}

static void report_added(og_memo_user *user, int t)
{
    atomic_fetch_add(&user->memo->table[t].entries, user->added[t]);
    user->added[t] = 0;
}

static void report_all(og_memo_user *user)
{
    for (int t = 0; t < user->memo->table_count; t++) {
        report_added(user, t);
    }
}

/*
 * Growing: one user raises `pause` to PAUSED and waits until all others wait or have left. Then it
 * lets them go (RELEASING). Only when none waits any more can the next user raise it: a user that
 * still sleeps would be counted as waiting for the new pause.
 */
enum { RUNNING, PAUSED, RELEASING };

static void wait_while_paused(og_memo_user *user)
{
    og_memo *memo = user->memo;
    /* Checked again after waiting: a user that leaves while the next pause begins may have been
     * counted. */
    while (atomic_load(&memo->pause) == PAUSED) {
        report_all(user); /* growing counts entries anew, including these */
        atomic_fetch_add(&memo->waiting, 1);
        while (atomic_load(&memo->pause) == PAUSED) {
            if (!touch_some(memo)) {
                sched_yield();
            }
        }
        atomic_fetch_sub(&memo->waiting, 1);
    }
}

/* False if another user was first (after waiting for it): the caller checks whether growing is
 * still needed. */
static bool pause_others(og_memo_user *user)
{
    og_memo *memo = user->memo;
    int expected = RUNNING;
    report_all(user);
    if (!atomic_compare_exchange_strong(&memo->pause, &expected, PAUSED)) {
        wait_while_paused(user);
        return false;
    }
    while (atomic_load(&memo->waiting) < atomic_load(&memo->users) - 1) {
        sched_yield();
    }
    return true;
}

static void resume_others(og_memo *memo)
{
    atomic_store(&memo->pause, RELEASING);
    while (atomic_load(&memo->waiting) > 0) {
        sched_yield();
    }
    atomic_store(&memo->pause, RUNNING);
}

og_status og_memo_new(uint64_t limit_bytes, int32_t key_words_max, og_memo **out)
{
    assert(key_words_max >= 1 && key_words_max <= OG_MEMO_KEY_WORDS);
    og_memo *memo = calloc(1, sizeof *memo);
    OG_TRY(OG_ALLOCATED(memo));
    memo->limit_bytes = limit_bytes;
    memo->table_count = table_of(key_words_max) + 1;
    for (int i = 0; i < memo->table_count; i++) {
        table *t = &memo->table[i];
        t->key_words = 2 << i;
        t->bucket_words = BUCKET_MIN_WORDS;
        while ((t->bucket_words - 1) / (t->key_words + 1) < 3) {
            t->bucket_words *= 2;
        }
        int32_t fit = (t->bucket_words - 1) / (t->key_words + 1);
        t->bucket_entries = fit < ENTRIES_MAX ? fit : ENTRIES_MAX;
    }
    if (firsts_bytes(memo) > limit_bytes) {
        og_memo_free(memo);
        return OG_NO_MEMORY;
    }
    *out = memo;
    return OG_OK;
}

void og_memo_free(og_memo *memo)
{
    if (memo == NULL) {
        return;
    }
    for (int i = 0; i < memo->table_count; i++) {
        table *t = &memo->table[i];
        if (t->words != NULL) {
            free_words(t->words, (size_t)table_bytes(t, t->bucket_count));
        }
    }
    free(memo);
}

void og_memo_join(og_memo *memo, og_memo_user *user)
{
    memset(user, 0, sizeof *user);
    user->memo = memo;
    /* Counted before reading `pause`: the user that raises it either counts this user or is seen by
     * it. */
    atomic_fetch_add(&memo->users, 1);
    wait_while_paused(user);
}

void og_memo_leave(og_memo_user *user)
{
    assert(atomic_load(&user->memo->users) > 0);
    report_all(user);
    atomic_fetch_add(&user->memo->forgotten, user->forgotten);
    atomic_fetch_sub(&user->memo->users, 1);
}

uint64_t og_memo_hash(const uint64_t *key, int32_t words)
{
    return XXH3_64bits(key, (size_t)words * sizeof *key);
}

void og_memo_prefetch(const og_memo *memo, int32_t words, uint64_t hash)
{
    const table *t = &memo->table[table_of(words)];
    if (t->words != NULL) {
        const char *bucket = (const char *)bucket_at(t, home_of(t, hash));
        __builtin_prefetch(bucket);
        __builtin_prefetch(bucket + 64);
    }
}

bool og_memo_get(og_memo_user *user, const uint64_t *key, int32_t words, uint64_t hash,
                 double *value)
{
    const table *t = &user->memo->table[table_of(words)];
    if (t->words == NULL) {
        return false;
    }
    uint64_t bucket = home_of(t, hash);
    for (int probe = 0; probe < PROBE_MAX; probe++) {
        uint64_t bits;
        search result = bucket_search(bucket_at(t, bucket), t, key, words, &bits);
        if (result == FOUND) {
            memcpy(value, &bits, sizeof *value);
            return true;
        }
        if (result == ABSENT) {
            return false;
        }
        bucket = bucket + 1 == t->bucket_count ? 0 : bucket + 1;
    }
    return false;
}

/* Grow at three quarters full: searches stay within two buckets on average. */
static bool wants_growth(const table *t)
{
    if (atomic_load_explicit(&t->full, memory_order_relaxed)) {
        return false;
    }
    uint64_t places = t->bucket_count * (uint64_t)t->bucket_entries;
    return atomic_load_explicit(&t->entries, memory_order_relaxed) >= places / 4 * 3;
}

/* Grows the table unless another user just did. */
static void grow_once(og_memo_user *user, table *t, uint64_t seen_count)
{
    og_memo *memo = user->memo;
    if (pause_others(user)) {
        if (t->bucket_count == seen_count && !table_grow(memo, t)) {
            atomic_store(&t->full, true);
        }
        resume_others(memo);
    }
}

void og_memo_put(og_memo_user *user, const uint64_t *key, int32_t words, uint64_t hash,
                 double value, uint32_t cost)
{
    assert(key[0] != 0 && key[words - 1] != 0);
    og_memo *memo = user->memo;
    int length = table_of(words);
    assert(length < memo->table_count);
    table *t = &memo->table[length];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wait_while_paused(user);
    while (wants_growth(t)) {
        grow_once(user, t, t->bucket_count);
    }
    put_result result = NO_ROOM;
    while (t->words != NULL) { /* NULL: the system has no memory, and nothing is stored */
        result = table_put(t, key, words, hash, bits, cost);
        if (result != NO_ROOM || atomic_load_explicit(&t->full, memory_order_relaxed)) {
            break;
        }
        grow_once(user, t,
                  t->bucket_count); /* many entries around one home, rare below three quarters */
    }
    if (result == ADDED) {
        if (++user->added[length] >= REPORT_AFTER) {
            report_added(user, length);
        }
    } else if (result == NO_ROOM && t->words != NULL &&
               table_replace(t, key, words, hash, bits, cost)) {
        user->forgotten++;
    }
}

static void bucket_show(word *bucket, const table *t, uint64_t *key, og_memo_visit *visit,
                        void *context)
{
    uint64_t header = atomic_load_explicit(bucket, memory_order_relaxed);
    word *entry = bucket + 1;
    for (int32_t e = 0; e < t->bucket_entries; e++, entry += t->key_words + 1) {
        int32_t words = 0;
        for (int32_t i = 0; i < t->key_words; i++) {
            key[i] = atomic_load_explicit(&entry[i], memory_order_relaxed);
            words = key[i] != 0 ? i + 1 : words;
        }
        if (words == 0) {
            return;
        }
        uint64_t bits = atomic_load_explicit(&entry[t->key_words], memory_order_relaxed);
        double value;
        memcpy(&value, &bits, sizeof value);
        visit(context, key, words, value, header_cost(header, e));
    }
}

void og_memo_each(og_memo *memo, og_memo_user *user, og_memo_visit *visit, void *context)
{
    uint64_t key[OG_MEMO_KEY_WORDS];
    if (user != NULL) {
        while (!pause_others(user)) {
        }
    }
    for (int i = 0; i < memo->table_count; i++) {
        const table *t = &memo->table[i];
        for (uint64_t b = 0; b < t->bucket_count; b++) {
            bucket_show(bucket_at(t, b), t, key, visit, context);
        }
    }
    if (user != NULL) {
        resume_others(memo);
    }
}

bool og_memo_is_full(const og_memo *memo)
{
    for (int i = 0; i < memo->table_count; i++) {
        if (atomic_load_explicit(&memo->table[i].full, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void og_memo_get_info(const og_memo *memo, og_memo_info *info)
{
    memset(info, 0, sizeof *info);
    for (int i = 0; i < memo->table_count; i++) {
        info->entries += atomic_load(&memo->table[i].entries);
    }
    info->forgotten = atomic_load(&memo->forgotten);
    info->bytes = atomic_load(&memo->bytes);
    info->bytes_max = atomic_load(&memo->bytes_max);
}
