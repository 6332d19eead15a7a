/* Checkpoints. The bytes are read as a file, and again between the header and the checksum that
 * they would have, past which only the form refuses. The format is read here too, in the plainest
 * way: what this accepts is accepted, with the same entries, and nothing else is. */
#include <math.h>
#include <xxhash.h>

#include "dp/engine/checkpoint.h"
#include "dp/engine/memo.h"
#include "tests/fuzz.h"

enum { KEY_WORDS_MAX = 4, HEADER_WORDS = 4, ENTRIES_MAX = 200 };

static const og_fingerprint fingerprint = {{UINT64_C(0x1122334455667788), 42}};

typedef struct {
    int32_t words;
    uint64_t key[KEY_WORDS_MAX];
    double value;
} fuzz_entry;

typedef struct {
    int count;
    fuzz_entry entry[ENTRIES_MAX];
} entries;

/* What stands between header and checksum: entries, 0, their number. */
static bool parse(const uint64_t *word, size_t count, entries *out)
{
    size_t at = 0;
    out->count = 0;
    while (at < count && (word[at] & 0xffff) != 0) {
        fuzz_entry *to = &out->entry[out->count];
        uint64_t words = word[at] & 0xffff;
        uint64_t cost = word[at] >> 16;
        at++;
        if (words > KEY_WORDS_MAX || cost > 255 || out->count == ENTRIES_MAX ||
            count - at < words + 1) {
            return false;
        }
        to->words = (int32_t)words;
        memcpy(to->key, word + at, words * sizeof *word);
        memcpy(&to->value, word + at + words, sizeof *word);
        at += words + 1;
        if (to->key[0] == 0 || to->key[words - 1] == 0 || !isfinite(to->value) || to->value < 0) {
            return false;
        }
        out->count++;
    }
    return count - at == 2 && word[at] == 0 && word[at + 1] == (uint64_t)out->count;
}

static bool same_key(const fuzz_entry *entry, const uint64_t *key, int32_t words)
{
    return entry->words == words && memcmp(entry->key, key, (size_t)words * sizeof *key) == 0;
}

static void check_known(void *context, const uint64_t *key, int32_t words, double value,
                        uint32_t cost)
{
    const entries *all = context;
    bool known = false;
    for (int i = 0; !known && i < all->count; i++) {
        known = same_key(&all->entry[i], key, words) &&
                memcmp(&all->entry[i].value, &value, sizeof value) == 0;
    }
    fuzz_check(known && cost <= 255, "an entry out of nowhere");
}

static void check_entries(og_memo *memo, entries *expected)
{
    og_memo_user user;
    og_memo_each(memo, NULL, check_known, expected);
    og_memo_join(memo, &user);
    for (int i = 0; i < expected->count; i++) {
        const fuzz_entry *one = &expected->entry[i];
        double value;
        fuzz_check(
            og_memo_get(&user, one->key, one->words, og_memo_hash(one->key, one->words), &value),
            "an entry is lost");
    }
    og_memo_leave(&user);
}

/* `expected` is NULL where the file must be refused. */
static void try_file(const void *bytes, size_t size, entries *expected)
{
    og_memo *memo = NULL;
    og_message message = {""};
    fuzz_check(og_memo_new(1 << 20, KEY_WORDS_MAX, &memo) == OG_OK, "out of memory");
    og_status status =
        og_checkpoint_read(fuzz_file(bytes, size), &fingerprint, memo, KEY_WORDS_MAX, &message);
    fuzz_check((status == OG_OK) == (expected != NULL), "accepted or refused for no reason");
    if (status == OG_OK) {
        check_entries(memo, expected);
    } else {
        fuzz_check(status == OG_BAD_INPUT, "not a clean refusal");
        fuzz_check_message(&message);
    }
    og_memo_free(memo);
}

FUZZ_TARGET(checkpoint)
{
    const uint64_t header[HEADER_WORDS] = {UINT64_C(0x6f6747615043686b), 1, fingerprint.half[0],
                                           fingerprint.half[1]};
    entries expected;
    size_t room = sizeof header + size + sizeof(uint64_t);
    size_t words = size / sizeof(uint64_t);
    uint64_t *file = malloc(room);
    uint64_t sum;
    fuzz_check(file != NULL, "out of memory");
    memcpy(file, header, sizeof header);
    if (size > 0) {
        memcpy(file + HEADER_WORDS, data, size);
    }
    bool good = size % sizeof(uint64_t) == 0 && parse(file + HEADER_WORDS, words, &expected);
    sum = XXH3_64bits(file, sizeof header + size);
    memcpy((char *)file + sizeof header + size, &sum, sizeof sum);
    try_file(file, room, good ? &expected : NULL);
    /* Without the checksum, and without the header: refused, unless the bytes bring their own. */
    try_file(file, room - sizeof sum, NULL);
    if (size < sizeof header || memcmp(data, header, sizeof header) != 0) {
        try_file(data, size, NULL);
    }
    free(file);
}
