#ifndef OG_DP_FAMILIES_ITEMS_H
#define OG_DP_FAMILIES_ITEMS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/engine/solution.h"

/*
 * States of instances, of which those that are alike form an item. A state is its key: a word with
 * the labels left and the phase, then a fixed number of words for each item. The functions that a
 * model calls in every state are inline, so that the compiler sees its constants (private to
 * dp/families/).
 */
typedef struct {
    int32_t left;   /* labels, units or workers to come */
    uint32_t phase; /* the model's own, below 2^31 */
    int32_t count;
    uint64_t *word; /* [count * words of an item] the last one is kind << 32 | copies, not 0 */
} og_items;

/* The state of an expansion, and its latest successor. */
typedef struct {
    og_arena arena;
    og_items at, next;
} og_items_scratch;

/* The form of states that a question requires if labels are under way. */
typedef struct {
    bool optimum;
    og_ties ties;
    bool ordered; /* an item for each instance, in their order */
    bool cap;     /* at most as many copies as labels left */
    int32_t items_max;
} og_items_rules;

/* `fresh`: number of items of instances without a label; `words`: of an item in a key, at most.
 * OG_STOPPED with a message if a state has more items than a key can hold. */
og_status og_items_rules_init(const og_arms *arms, const og_value_asked *question, int32_t fresh,
                              int32_t words, og_items_rules *out, og_message *message);

/* The first state's items, of the kind kind[arm]: one for each arm or, if `ordered`, for each
 * instance. Words other than the last are 0. */
void og_items_root(const og_arms *arms, const uint32_t *kind, bool ordered, int32_t words,
                   og_items *out);

/* The first of these items that is the arm's. */
uint32_t og_items_of_arm(const og_arms *arms, int32_t arm, bool ordered);

/* The order of two items of so many words, regardless of their copies; 0: they are alike. */
typedef int og_items_order(const uint64_t *x, const uint64_t *y, int32_t words);

enum { OG_ITEM_WORDS_MAX = 5 };

#define OG_ITEMS_MARK (UINT64_C(1) << 63) /* no key begins with 0 */

static inline uint64_t og_item(uint32_t kind, uint32_t copies)
{
    return (uint64_t)kind << 32 | copies;
}

static inline uint32_t og_item_kind(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static inline uint32_t og_item_copies(uint64_t word)
{
    return (uint32_t)word;
}

/* Of instances that are alike, at most so many matter. */
static inline void og_items_cap(uint64_t *word, int32_t most)
{
    if (og_item_copies(*word) > (uint32_t)most) {
        *word = og_item(og_item_kind(*word), (uint32_t)most);
    }
}

/* Room for so many items, and for one more in the successor; the status is the arena's. */
static inline void og_items_init(og_items_scratch *s, int32_t items, int32_t words)
{
    s->at.word = og_arena_array(&s->arena, (size_t)(items + 1) * (size_t)words, sizeof(uint64_t));
    s->next.word = og_arena_array(&s->arena, (size_t)(items + 2) * (size_t)words, sizeof(uint64_t));
}

static inline void og_items_copy(const og_items *from, int32_t words, og_items *to)
{
    uint64_t *word = to->word;
    *to = *from;
    to->word = word;
    memcpy(word, from->word, (size_t)(from->count * words) * sizeof *word);
}

static inline uint64_t og_items_head(int32_t left, uint32_t phase)
{
    return OG_ITEMS_MARK | (uint64_t)phase << 32 | (uint32_t)left;
}

static inline uint32_t og_items_phase(uint64_t head)
{
    return (uint32_t)((head & ~OG_ITEMS_MARK) >> 32);
}

static inline void og_items_read(const uint64_t *key, int32_t key_words, int32_t words,
                                 og_items *out)
{
    out->left = (int32_t)(uint32_t)key[0];
    out->phase = og_items_phase(key[0]);
    out->count = (key_words - 1) / words;
    memcpy(out->word, &key[1], (size_t)(key_words - 1) * sizeof *key);
}

/* Returns the words of the key. */
static inline int32_t og_items_write(const og_items *items, int32_t words, uint64_t *key)
{
    key[0] = og_items_head(items->left, items->phase);
    memcpy(&key[1], items->word, (size_t)(items->count * words) * sizeof *key);
    return 1 + items->count * words;
}

/* The successor begins as the state, with one copy of the item `from` as the item `from`, followed
 * by the other copies of it if there are any. Without such an item it is the state. */
static inline void og_items_split(og_items_scratch *s, int32_t words, uint32_t from)
{
    const og_items *at = &s->at;
    const size_t bytes = (size_t)words * sizeof *at->word;
    og_items_copy(at, words, &s->next);
    if (from >= (uint32_t)at->count) {
        return;
    }
    const size_t first = (size_t)from * (size_t)words;
    uint64_t *copies = &s->next.word[first] + words - 1;
    if (og_item_copies(*copies) > 1) {
        memcpy(copies + 1, &at->word[first], ((uint32_t)at->count - from) * bytes);
        copies[words]--;
        s->next.count++;
    }
    *copies = og_item(og_item_kind(*copies), 1);
}

/* Merges items that are alike, in a nearly sorted array: sorts them or, if `ordered`, compares
 * neighbours only. */
static inline void og_items_merge(og_items *items, int32_t words, bool ordered,
                                  og_items_order *order)
{
    const size_t bytes = (size_t)words * sizeof *items->word;
    int32_t kept = 0;
    assert(words <= OG_ITEM_WORDS_MAX);
    for (int32_t i = 0; i < items->count; i++) {
        uint64_t item[OG_ITEM_WORDS_MAX], *end = &items->word[kept * words], *to = end;
        int by = kept > 0 ? order(to - words, &items->word[i * words], words) : -1;
        if (by < 0 && kept == i) {
            kept++;
            continue;
        }
        memcpy(item, &items->word[i * words], bytes);
        while (by > 0 && !ordered) {
            to -= words;
            by = to > items->word ? order(to - words, item, words) : -1;
        }
        if (by == 0) {
            to[-1] += og_item_copies(item[words - 1]);
            continue;
        }
        for (; end > to; end--) {
            end[words - 1] = end[-1];
        }
        memcpy(to, item, bytes);
        kept++;
    }
    items->count = kept;
}

/* By kind, then by the bytes of the other words. */
static inline int og_items_by_kind(const uint64_t *x, const uint64_t *y, int32_t words)
{
    uint32_t a = og_item_kind(x[words - 1]), b = og_item_kind(y[words - 1]);
    return a != b ? (a > b) - (a < b) : memcmp(x, y, (size_t)(words - 1) * sizeof *x);
}

#endif
