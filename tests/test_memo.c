/*
 * Compares the memory with a literal map. An item's number determines its key, value and cost, so a
 * map is an array of flags. Keys are similar on purpose (most words are 0 or equal), so that only a
 * comparison of whole keys can distinguish them.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "dp/engine/memo.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(memo, 120);

enum {
    KEY_WORDS_MAX = OG_MEMO_KEY_WORDS,
    MIXED_LENGTHS = -1,
    MIXED_WORDS_MAX = 17,
};

static const uint64_t plenty = UINT64_C(1) << 30; /* bytes */

/* ---- items ---- */

/* A family of items: all keys of one length, or of lengths mixed. */
typedef struct {
    int32_t words; /* 1 .. KEY_WORDS_MAX, or MIXED_LENGTHS */
    uint64_t seed;
} key_family;

static uint64_t item_bits(const key_family *family, uint32_t item)
{
    random_source random = random_start(family->seed ^ (uint64_t)item << 20);
    return random_next(&random);
}

static double item_value(const key_family *family, uint32_t item)
{
    return (double)(item_bits(family, item) >> 11);
}

static uint32_t item_cost(const key_family *family, uint32_t item)
{
    return (uint32_t)item_bits(family, item) & 0xff;
}

static int32_t item_words(const key_family *family, uint32_t item)
{
    return family->words != MIXED_LENGTHS ? family->words : 1 + (int32_t)(item % MIXED_WORDS_MAX);
}

/* The number is in the first word or in the last one; both are nonzero, as the memo requires. */
static int32_t item_key(const key_family *family, uint32_t item, uint64_t *key)
{
    int32_t words = item_words(family, item);
    bool first = words == 1 || item % 2 == 1;
    memset(key, 0, (size_t)words * sizeof *key);
    key[words - 1] = first ? 1 : item + UINT64_C(1);
    key[0] = first ? item + UINT64_C(1) : 1 + item % 7;
    return words;
}

/* The item with this key; fails the test if there is none. */
static uint32_t item_of(const key_family *family, const uint64_t *key, int32_t words)
{
    uint64_t own[KEY_WORDS_MAX];
    uint64_t candidates[2] = {key[0] - 1, key[words - 1] - 1};
    for (int i = 0; i < 2; i++) {
        uint32_t item = (uint32_t)candidates[i];
        if (item == candidates[i] && item_key(family, item, own) == words &&
            memcmp(own, key, (size_t)words * sizeof *key) == 0) {
            return item;
        }
    }
    ck_abort_msg("a key of %d words nobody put", words);
    return 0;
}

static void put_with_cost(og_memo_user *user, const key_family *family, uint32_t item,
                          uint32_t cost)
{
    uint64_t key[KEY_WORDS_MAX];
    int32_t words = item_key(family, item, key);
    og_memo_put(user, key, words, og_memo_hash(key, words), item_value(family, item), cost);
}

static void put(og_memo_user *user, const key_family *family, uint32_t item)
{
    put_with_cost(user, family, item, item_cost(family, item));
}

/* Is the item there? Its value must be right then. */
static bool is_there(og_memo_user *user, const key_family *family, uint32_t item)
{
    uint64_t key[KEY_WORDS_MAX];
    int32_t words = item_key(family, item, key);
    double value;
    bool found = og_memo_get(user, key, words, og_memo_hash(key, words), &value);
    test_assert_msg(!found || value == item_value(family, item),
                    "item %u of %d words has value %.17g", item, words, value);
    return found;
}

static void assert_all_there(og_memo_user *user, const key_family *family, uint32_t count)
{
    for (uint32_t item = 0; item < count; item++) {
        test_assert_msg(is_there(user, family, item), "item %u of %u is lost", item, count);
    }
}

static og_memo *memo_of(uint64_t limit_bytes, int32_t key_words_max)
{
    og_memo *memo;
    ck_assert_int_eq(og_memo_new(limit_bytes, key_words_max, &memo), OG_OK);
    return memo;
}

static og_memo_info info_of(const og_memo *memo)
{
    og_memo_info info;
    og_memo_get_info(memo, &info);
    return info;
}

/* ---- what og_memo_each shows ---- */

typedef struct {
    const key_family *family;
    uint32_t count; /* items below it are marked */
    bool *shown;    /* [count] */
    uint64_t shown_count;
    bool costs_as_given; /* as item_cost says */
} display;

static void note(void *context, const uint64_t *key, int32_t words, double value, uint32_t cost)
{
    display *d = context;
    uint32_t item = item_of(d->family, key, words);
    test_assert_msg(item < d->count, "item %u of %u", item, d->count);
    test_assert_msg(!d->shown[item], "item %u is shown twice", item);
    test_assert_msg(value == item_value(d->family, item), "item %u has value %.17g", item, value);
    test_assert_msg(!d->costs_as_given || cost == item_cost(d->family, item), "item %u costs %u",
                    item, cost);
    d->shown[item] = true;
    d->shown_count++;
}

/* Shows the memo and checks every entry; free d->shown. */
static void display_make(display *d, og_memo *memo, og_memo_user *user, const key_family *family,
                         uint32_t count, bool costs_as_given)
{
    *d = (display){family, count, calloc(count, sizeof *d->shown), 0, costs_as_given};
    ck_assert_ptr_nonnull(d->shown);
    og_memo_each(memo, user, note, d);
}

/* All that is shown is found, and nothing else. */
static void assert_shows_what_is_there(og_memo *memo, const key_family *family, uint32_t count,
                                       bool costs_as_given)
{
    display d;
    display_make(&d, memo, NULL, family, count, costs_as_given);
    og_memo_user user;
    og_memo_join(memo, &user);
    for (uint32_t item = 0; item < count; item++) {
        test_assert_msg(d.shown[item] == is_there(&user, family, item), "item %u", item);
    }
    og_memo_leave(&user);
    ck_assert_uint_eq(d.shown_count, info_of(memo).entries);
    free(d.shown);
}

/* ---- map ---- */

OG_TEST(finds_what_was_put_and_nothing_else)
{
    enum { ITEMS = 20000, STEPS = 100000 };
    key_family family = {MIXED_LENGTHS, test_seed(1)};
    random_source random = random_start(family.seed);
    bool *known = calloc(ITEMS, sizeof *known);
    og_memo *memo = memo_of(plenty, MIXED_WORDS_MAX);
    og_memo_user user;
    og_memo_join(memo, &user);
    uint64_t count = 0;
    for (int step = 0; step < test_cases(STEPS); step++) {
        uint32_t item = random_below(&random, ITEMS);
        if (random_below(&random, 3) == 0) {
            put(&user, &family, item); /* known ones too */
            count += !known[item];
            known[item] = true;
        }
        item = random_below(&random, ITEMS);
        test_assert_msg(is_there(&user, &family, item) == known[item], "seed %llu, step %d",
                        (unsigned long long)family.seed, step);
    }
    og_memo_leave(&user);
    ck_assert_uint_eq(info_of(memo).entries, count);
    ck_assert_uint_eq(info_of(memo).forgotten, 0);
    ck_assert(!og_memo_is_full(memo));
    assert_shows_what_is_there(memo, &family, ITEMS, true);
    og_memo_free(memo);
    free(known);
}

/* One hash for all: only the keys differ. */
OG_TEST_LOOP(the_whole_key_decides, 1, 20)
{
    key_family family = {_i, test_seed(2)};
    uint64_t key[KEY_WORDS_MAX];
    enum { ITEMS = 30 };
    og_memo *memo = memo_of(plenty, family.words);
    og_memo_user user;
    og_memo_join(memo, &user);
    const uint64_t hash = UINT64_MAX; /* of the last bucket, so that they wrap round too */
    for (uint32_t item = 0; item < ITEMS; item += 2) {
        int32_t words = item_key(&family, item, key);
        og_memo_put(&user, key, words, hash, item_value(&family, item), 0);
    }
    for (uint32_t item = 0; item < ITEMS; item++) {
        double value;
        int32_t words = item_key(&family, item, key);
        bool found = og_memo_get(&user, key, words, hash, &value);
        ck_assert_int_eq(found, item % 2 == 0);
        ck_assert(!found || value == item_value(&family, item));
    }
    og_memo_leave(&user);
    og_memo_free(memo);
}

OG_TEST(an_empty_memo_knows_and_shows_nothing)
{
    key_family family = {MIXED_LENGTHS, 3};
    og_memo *memo = memo_of(plenty, MIXED_WORDS_MAX);
    assert_shows_what_is_there(memo, &family, 100, true);
    ck_assert_uint_eq(info_of(memo).entries, 0);
    ck_assert_uint_eq(info_of(memo).bytes, 0);
    og_memo_free(memo);
    og_memo_free(NULL);
}

/* ---- growth ---- */

static const struct {
    int32_t words;
    uint32_t items;
} growths[] = {{1, 40000}, {2, 40000},  {3, 20000},  {4, 20000},   {5, 10000},
               {8, 10000}, {9, 5000},   {16, 5000},  {17, 3000},   {33, 2000},
               {64, 2000}, {100, 1000}, {500, 1000}, {1025, 1000}, {4096, 500}};

OG_TEST_LOOP(growing_keeps_every_entry, 0, sizeof growths / sizeof *growths)
{
    key_family family = {growths[_i].words, test_seed(4)};
    uint32_t items = growths[_i].items;
    og_memo *memo = memo_of(plenty, family.words);
    og_memo_user user;
    og_memo_join(memo, &user);
    uint64_t bytes = 0;
    int times = 0;
    for (uint32_t item = 0; item < items; item++) {
        put(&user, &family, item);
        if (info_of(memo).bytes != bytes) {
            bytes = info_of(memo).bytes;
            times++;
            assert_all_there(&user, &family, item + 1);
        }
    }
    ck_assert_int_ge(times, 3); /* a first table and two growths at least */
    assert_all_there(&user, &family, items);
    og_memo_leave(&user);
    ck_assert_uint_eq(info_of(memo).entries, items);
    assert_shows_what_is_there(memo, &family, items, true);
    og_memo_free(memo);
}

/* A limit ends growth in steps between an eighth and a whole: every ratio is another way to move.
 * Nothing is lost while nothing has been forgotten. */
OG_TEST_LOOP(growing_by_any_ratio_keeps_every_entry, 0, 2)
{
    enum { ITEMS = 12000 };
    key_family family = {_i == 0 ? 2 : MIXED_LENGTHS, test_seed(5)};
    int32_t words_max = _i == 0 ? 2 : MIXED_WORDS_MAX;
    for (uint64_t limit = 200000; limit < 400000; limit += 200000 / 37) {
        og_memo *memo = memo_of(limit, words_max);
        og_memo_user user;
        og_memo_join(memo, &user);
        uint32_t count = 0;
        while (count < ITEMS && user.forgotten == 0 && !og_memo_is_full(memo)) {
            put(&user, &family, count++);
        }
        ck_assert(og_memo_is_full(memo));
        if (user.forgotten == 0) {
            assert_all_there(&user, &family, count - 1); /* the last one may have found no room */
        }
        ck_assert_uint_le(info_of(memo).bytes_max, limit);
        og_memo_leave(&user);
        og_memo_free(memo);
    }
}

/* Items with a home in the last buckets for long enough that they are stored in the first ones. */
OG_TEST(what_wrapped_round_the_end_survives_growth)
{
    enum { CROWD = 60, CANDIDATES = 1 << 20, ITEMS = CANDIDATES + 20000 };
    key_family family = {2, 6};
    static uint32_t crowd[CROWD];
    uint32_t found = 0;
    uint64_t key[2];
    og_memo *memo = memo_of(plenty, family.words);
    og_memo_user user;
    og_memo_join(memo, &user);
    for (uint32_t item = 0; item < CANDIDATES && found < CROWD; item++) {
        int32_t words = item_key(&family, item, key);
        if (og_memo_hash(key, words) >> 52 == 0xfff) {
            put(&user, &family, item);
            crowd[found++] = item;
        }
    }
    ck_assert_uint_eq(found, CROWD);
    for (uint32_t item = CANDIDATES; item < ITEMS; item++) {
        put(&user, &family, item);
        if (item % 512 == 0) {
            for (uint32_t i = 0; i < CROWD; i++) {
                ck_assert_msg(is_there(&user, &family, crowd[i]), "item %u is lost", crowd[i]);
            }
        }
    }
    for (uint32_t item = CANDIDATES; item < ITEMS; item++) {
        ck_assert(is_there(&user, &family, item));
    }
    og_memo_leave(&user);
    ck_assert_uint_eq(info_of(memo).entries, CROWD + ITEMS - CANDIDATES);
    og_memo_free(memo);
}

/* ---- limit ---- */

OG_TEST_LOOP(the_limit_is_never_passed, 0, 8)
{
    enum { ITEMS = 3000 };
    static const int32_t words[] = {1, 2, 3, 8, 30, 200, 4096, MIXED_LENGTHS};
    key_family family = {words[_i], test_seed(7)};
    int32_t words_max = family.words == MIXED_LENGTHS ? MIXED_WORDS_MAX : family.words;
    uint32_t items = family.words > 100 ? ITEMS / 10 : ITEMS;
    for (uint64_t limit = 1; limit < UINT64_C(40) << 20; limit = limit * 5 / 3 + 1) {
        og_memo *memo;
        og_status status = og_memo_new(limit, words_max, &memo);
        if (status != OG_OK) {
            ck_assert_int_eq(status, OG_NO_MEMORY);
            ck_assert_uint_lt(limit, UINT64_C(32) << 20);
            continue;
        }
        og_memo_user user;
        og_memo_join(memo, &user);
        for (uint32_t item = 0; item < items; item++) {
            put(&user, &family, item);
            is_there(&user, &family, item / 2);
        }
        og_memo_leave(&user);
        og_memo_info info = info_of(memo);
        ck_assert_msg(info.bytes_max <= limit, "%llu of %llu bytes",
                      (unsigned long long)info.bytes_max, (unsigned long long)limit);
        ck_assert_uint_le(info.bytes, info.bytes_max);
        ck_assert_uint_gt(info.entries, 0);
        assert_shows_what_is_there(memo, &family, items, false);
        og_memo_free(memo);
    }
}

OG_TEST(a_limit_below_the_smallest_table_is_refused)
{
    og_memo *memo = NULL;
    ck_assert_int_eq(og_memo_new(0, 2, &memo), OG_NO_MEMORY);
    ck_assert_int_eq(og_memo_new(100, 4096, &memo), OG_NO_MEMORY);
    ck_assert_ptr_null(memo);
}

/* ---- forgetting ---- */

enum { FULL_BYTES = 64 << 10, CHEAP = 20, DEAR = 200 };

/* A memo that has just begun to forget, all its items of one cost. */
static og_memo *full_memo(og_memo_user *user, const key_family *family, uint32_t cost,
                          uint32_t *count)
{
    og_memo *memo = memo_of(FULL_BYTES, 2);
    og_memo_join(memo, user);
    for (*count = 0; user->forgotten < 500; (*count)++) {
        put_with_cost(user, family, *count, cost);
        ck_assert_uint_lt(*count, 100000);
    }
    ck_assert(og_memo_is_full(memo));
    return memo;
}

OG_TEST(what_is_dear_stays_while_cheap_ones_come)
{
    key_family family = {2, test_seed(8)};
    og_memo_user user;
    uint32_t count;
    og_memo *memo = full_memo(&user, &family, DEAR, &count);
    uint64_t forgotten = user.forgotten;
    bool *there = calloc(count, sizeof *there);
    for (uint32_t item = 0; item < count; item++) {
        there[item] = is_there(&user, &family, item);
    }
    /* A few newcomers for every bucket of 5 do not wear a lead of 180 away. */
    for (uint32_t item = count; item < 2 * count; item++) {
        put_with_cost(&user, &family, item, CHEAP);
    }
    for (uint32_t item = 0; item < count; item++) {
        ck_assert_int_eq(is_there(&user, &family, item), there[item]);
    }
    ck_assert_uint_eq(user.forgotten, forgotten);
    og_memo_leave(&user);
    og_memo_free(memo);
    free(there);
}

OG_TEST(what_is_dear_drives_out_what_is_cheap)
{
    key_family family = {2, test_seed(9)};
    og_memo_user user;
    uint32_t count;
    og_memo *memo = full_memo(&user, &family, CHEAP, &count);
    uint64_t forgotten = user.forgotten;
    uint32_t few = count / 20;
    for (uint32_t item = count; item < count + few; item++) {
        put_with_cost(&user, &family, item, DEAR);
        ck_assert(is_there(&user, &family, item));
    }
    ck_assert_uint_le(user.forgotten - forgotten, few);
    og_memo_leave(&user);
    og_memo_free(memo);
}

/* In one bucket, with one newcomer, the victim is known. */
OG_TEST(the_cheapest_of_a_bucket_is_forgotten)
{
    enum { CROWD = 16 * 5, FIRST_BYTES = 16 * 16 * 8, LAST = CROWD };
    key_family family = {2, 10};
    og_memo *memo = memo_of(FIRST_BYTES, 2);
    og_memo_user user;
    og_memo_join(memo, &user);
    const uint64_t hash = 0; /* of the first bucket, where the first five stand */
    uint64_t key[2];
    static const uint32_t cost[5] = {90, 80, 30, 70, 31};
    for (uint32_t item = 0; item <= LAST; item++) {
        int32_t words = item_key(&family, item, key);
        og_memo_put(&user, key, words, hash, item_value(&family, item), item < 5 ? cost[item] : 50);
    }
    for (uint32_t item = 0; item <= LAST; item++) {
        double value;
        int32_t words = item_key(&family, item, key);
        bool found = og_memo_get(&user, key, words, hash, &value);
        ck_assert_msg(found == (item != 2), "item %u", item);
        ck_assert(!found || value == item_value(&family, item));
    }
    og_memo_leave(&user);
    ck_assert_uint_eq(info_of(memo).entries, CROWD);
    ck_assert_uint_eq(info_of(memo).forgotten, 1);
    og_memo_free(memo);
}

/* An item that is never looked up again must be evicted in the end: its lead decreases. */
OG_TEST(what_is_dear_gives_way_in_the_end)
{
    key_family family = {2, test_seed(11)};
    og_memo_user user;
    uint32_t count;
    og_memo *memo = full_memo(&user, &family, DEAR, &count);
    uint32_t last = count * 300;
    for (uint32_t item = count; item < last; item++) {
        put_with_cost(&user, &family, item, CHEAP);
    }
    uint32_t stayed = 0;
    for (uint32_t item = 0; item < count; item++) {
        stayed += is_there(&user, &family, item);
    }
    ck_assert_uint_lt(stayed, count / 10);
    og_memo_leave(&user);
    og_memo_free(memo);
}

OG_TEST(counts_agree_when_full)
{
    enum { ITEMS = 20000 };
    key_family family = {MIXED_LENGTHS, test_seed(12)};
    og_memo *memo = memo_of(300000, MIXED_WORDS_MAX);
    og_memo_user user;
    og_memo_join(memo, &user);
    uint64_t taken = 0;
    for (uint32_t item = 0; item < ITEMS; item++) {
        put(&user, &family, item);
        taken += is_there(&user, &family, item);
    }
    og_memo_leave(&user);
    og_memo_info info = info_of(memo);
    ck_assert_uint_gt(info.forgotten, 0);
    ck_assert_uint_eq(info.entries + info.forgotten, taken);
    assert_shows_what_is_there(memo, &family, ITEMS, false);
    og_memo_free(memo);
}

/* ---- threads ---- */

enum { THREADS_MAX = 8, DISPLAYS = 20 };

static uint32_t shared_items; /* for each of run_threads; of the prime factors 2, 3 and 5 */

/* The work of one thread. Check supports assertions only in the main thread, so the thread counts
 * errors. */
typedef struct {
    og_memo *memo;
    const key_family *family;
    uint64_t seed;
    bool forgetful;
    bool displays; /* shows the memo now and then */
    uint64_t wrong;
} errand;

static bool is_right(og_memo_user *user, const key_family *family, uint32_t item,
                     bool must_be_there)
{
    uint64_t key[MIXED_WORDS_MAX];
    int32_t words = item_key(family, item, key);
    double value;
    bool found = og_memo_get(user, key, words, og_memo_hash(key, words), &value);
    return found ? value == item_value(family, item) : !must_be_there;
}

typedef struct {
    const key_family *family;
    unsigned char *shown; /* [items] */
    uint64_t wrong;
} shared_display;

static void note_shared(void *context, const uint64_t *key, int32_t words, double value,
                        uint32_t cost)
{
    shared_display *d = context;
    uint64_t number = key[words - 1] > key[0] ? key[words - 1] : key[0];
    uint64_t own[MIXED_WORDS_MAX];
    bool right = false;
    (void)cost;
    /* The number is the larger of the two, except for the first few items. */
    for (uint64_t item = number < 8 ? 0 : number - 1; !right && item < number; item++) {
        right = item < shared_items && item_key(d->family, (uint32_t)item, own) == words &&
                memcmp(own, key, (size_t)words * sizeof *key) == 0 &&
                value == item_value(d->family, (uint32_t)item) && !d->shown[item];
        if (right) {
            d->shown[item] = 1;
        }
    }
    d->wrong += !right;
}

static uint64_t wrong_on_display(og_memo *memo, og_memo_user *user, const key_family *family)
{
    shared_display d = {family, calloc(shared_items, 1), 0};
    og_memo_each(memo, user, note_shared, &d);
    free(d.shown);
    return d.wrong;
}

/* Visits every item once, in a thread-specific order, with occasional lookups of others. */
static void *run_errand(void *context)
{
    errand *e = context;
    random_source random = random_start(e->seed);
    og_memo_user user;
    og_memo_join(e->memo, &user);
    const uint32_t items = shared_items;
    uint32_t start = random_below(&random, items);
    /* Multipliers that are prime to their number permute the items. */
    static const uint32_t strides[] = {1, 7, 7919, 29989};
    uint32_t stride = strides[random_below(&random, 4)];
    for (uint32_t n = 0; n < items; n++) {
        uint32_t item = (uint32_t)((start + (uint64_t)n * stride) % items);
        put(&user, e->family, item);
        e->wrong += !is_right(&user, e->family, item, !e->forgetful);
        e->wrong += !is_right(&user, e->family, random_below(&random, items), false);
        if (n % 5000 == 4999) { /* go and come back */
            og_memo_leave(&user);
            og_memo_join(e->memo, &user);
        }
        if (e->displays && n % (items / DISPLAYS) == 0) {
            e->wrong += wrong_on_display(e->memo, &user, e->family);
        }
    }
    og_memo_leave(&user);
    return NULL;
}

/* `limit` bytes; forgetful: less than the items need. */
static void run_threads(int threads, uint64_t limit, bool forgetful)
{
    key_family family = {MIXED_LENGTHS, test_seed(13)};
    shared_items = test_is_short() ? 6000 : 30000;
    og_memo *memo = memo_of(limit, MIXED_WORDS_MAX);
    pthread_t thread[THREADS_MAX];
    errand errands[THREADS_MAX];
    for (int i = 0; i < threads; i++) {
        errands[i] = (errand){memo, &family, family.seed + (uint64_t)i, forgetful, i % 3 == 0, 0};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_errand, &errands[i]), 0);
    }
    for (int i = 0; i < threads; i++) {
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
        ck_assert_msg(errands[i].wrong == 0, "thread %d of %d: %llu times wrong", i, threads,
                      (unsigned long long)errands[i].wrong);
    }
    og_memo_info info = info_of(memo);
    ck_assert_uint_le(info.bytes_max, limit);
    ck_assert(forgetful ? info.forgotten > 0 : info.entries == shared_items && info.forgotten == 0);
    assert_shows_what_is_there(memo, &family, shared_items, !forgetful);
    og_memo_free(memo);
}

static const int thread_counts[] = {1, 2, 4, 8};

OG_TEST_LOOP(threads_share_a_growing_memo, 0, 4)
{
    run_threads(thread_counts[_i], plenty, false);
}

OG_TEST_LOOP(threads_share_a_forgetful_memo, 0, 4)
{
    run_threads(thread_counts[_i], test_is_short() ? 300000 : 500000, true);
}

/* Bring threads together at the same few keys, whose table grows under them. */
enum { ROUNDS = 60, ROUND_ITEMS = 2000 };

typedef struct {
    og_memo *memo;
    pthread_barrier_t *barrier;
    const key_family *family;
    bool forgetful;
    uint64_t wrong;
} meeting;

static void *meet(void *context)
{
    meeting *m = context;
    og_memo_user user;
    pthread_barrier_wait(m->barrier);
    og_memo_join(m->memo, &user);
    for (uint32_t item = 0; item < ROUND_ITEMS; item++) {
        put(&user, m->family, item);
        m->wrong += !is_right(&user, m->family, item, !m->forgetful);
    }
    og_memo_leave(&user);
    return NULL;
}

OG_TEST(threads_that_put_the_same_make_one_entry)
{
    enum { THREADS = 4 };
    const uint64_t little = 30000; /* bytes, for every second round */
    for (int round = 0; round < test_cases(ROUNDS); round++) {
        key_family family = {1 + round % 4, test_seed(14) + (uint64_t)round};
        bool forgetful = round % 2 == 1;
        og_memo *memo = memo_of(forgetful ? little : plenty, family.words);
        pthread_barrier_t barrier;
        pthread_t thread[THREADS];
        meeting meetings[THREADS];
        pthread_barrier_init(&barrier, NULL, THREADS);
        for (int i = 0; i < THREADS; i++) {
            meetings[i] = (meeting){memo, &barrier, &family, forgetful, 0};
            ck_assert_int_eq(pthread_create(&thread[i], NULL, meet, &meetings[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            ck_assert_uint_eq(meetings[i].wrong, 0);
        }
        pthread_barrier_destroy(&barrier);
        ck_assert((info_of(memo).entries == ROUND_ITEMS) == !forgetful);
        assert_shows_what_is_there(memo, &family, ROUND_ITEMS, !forgetful);
        og_memo_free(memo);
    }
}
