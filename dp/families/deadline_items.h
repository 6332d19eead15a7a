#ifndef OG_DP_FAMILIES_DEADLINE_ITEMS_H
#define OG_DP_FAMILIES_DEADLINE_ITEMS_H

#include "dp/families/deadline.h"
#include "dp/families/items.h"

/*
 * Items of labels with a deadline: the first word holds the labels under way, and the kind is the
 * class, which belongs to the layer of the labels left and under way (dp/product/layers.h). In a
 * key the first word comes last, or is omitted if it is 0; in batches it is a part of the kind.
 * (private to dp/families/)
 *
 * Labels of a slot move one after the other. Those that have moved are counted separately, in a
 * second set of numbers above the first, until the slot ends. If labels certainly move, those with
 * one phase to go arrive one by one, and the others move together.
 */
enum { WORDS = 2, SLOTS_BITS = 14, KIND_BITS = 2 }; /* of an item; of the phase, below `come` */

#define MORE (UINT64_C(1) << 31) /* the word of labels under way follows */

typedef struct {
    int32_t phases;
    int32_t bits;   /* of the number of labels in a phase */
    int32_t packed; /* the same if a key has them in the kind of an item; 0: it has not */
    bool surely;    /* labels certainly move */
} form;

typedef struct {
    uint32_t class;
    uint32_t copies;
    uint64_t under_way;
} pair; /* an item */

typedef struct {
    int32_t slots, left;
    og_deadline_kind kind;
    int32_t come; /* workers in this slot before the current one; 0 once labels move */
} moment;

static inline form form_of(const og_deadline *deadline, int32_t labels)
{
    const int32_t bits = og_deadline_bits(deadline, labels);
    return (form){.phases = deadline->phases,
                  .bits = bits,
                  .packed = deadline->batches ? bits : 0,
                  .surely = deadline->advance.num == deadline->advance.den};
}

static inline pair pair_at(const og_items *items, int32_t i)
{
    const uint64_t *word = &items->word[WORDS * i];
    return (pair){og_item_kind(word[1]), og_item_copies(word[1]), word[0]};
}

static inline void put_pair(og_items *items, int32_t i, const pair *what)
{
    items->word[WORDS * i] = what->under_way;
    items->word[WORDS * i + 1] = og_item(what->class, what->copies);
}

/* One label with `phase` to go, in the numbers of those that have moved, or have not. */
static inline uint64_t one_label(const form *f, int32_t phase, bool moved)
{
    return UINT64_C(1) << (f->bits * (phase - 1 + (moved ? f->phases : 0)));
}

static inline int32_t labels_in(const form *f, uint64_t under_way)
{
    const uint64_t mask = (UINT64_C(1) << f->bits) - 1;
    int32_t sum = 0;
    if (f->packed > 0) { /* one phase */
        return (int32_t)under_way;
    }
    for (; under_way != 0; under_way >>= f->bits) {
        sum += (int32_t)(under_way & mask);
    }
    return sum;
}

/* The labels that have not moved in this slot. */
static inline uint64_t fresh_of(const form *f, uint64_t under_way)
{
    return f->surely ? under_way : under_way & ((UINT64_C(1) << (f->bits * f->phases)) - 1);
}

/* The least phases to go of these labels, which must not be empty. */
static inline int32_t first_phase(const form *f, uint64_t under_way)
{
    int32_t phase = 1;
    while ((under_way >> (f->bits * (phase - 1)) & ((UINT64_C(1) << f->bits) - 1)) == 0) {
        phase++;
    }
    return phase;
}

/* The phase of the next label of the pair that moves; 0: there is none. */
static inline int32_t phase_to_move(const form *f, const moment *at, const pair *item)
{
    uint64_t fresh = fresh_of(f, item->under_way);
    if (f->surely && at->slots > 0) {
        return (fresh & ((UINT64_C(1) << f->bits) - 1)) != 0;
    }
    return fresh == 0 ? 0 : first_phase(f, fresh);
}

/* The last pair with a label that moves next; -1: there is none. */
static inline int32_t pair_to_move(const form *f, const moment *at, const og_items *items)
{
    int32_t i = items->count - 1;
    for (; i >= 0; i--) {
        pair last = pair_at(items, i);
        if (phase_to_move(f, at, &last) != 0) {
            break;
        }
    }
    return i;
}

static inline void end_slot(const form *f, moment *at, og_items *items)
{
    int32_t shift = f->surely ? f->bits : f->bits * f->phases;
    for (int32_t i = 0; i < items->count; i++) {
        items->word[WORDS * i] >>= shift;
    }
    at->slots--;
    at->kind = OG_DEADLINE_START;
}

static inline int by_labels(const uint64_t *x, const uint64_t *y, int32_t words)
{
    int order = (x[0] > y[0]) - (x[0] < y[0]);
    (void)words;
    return order != 0 ? order : og_items_by_kind(&x[1], &y[1], 1);
}

/* In batches. */
static inline int by_class(const uint64_t *x, const uint64_t *y, int32_t words)
{
    int order = og_items_by_kind(&x[1], &y[1], 1);
    (void)words;
    return order != 0 ? order : (x[0] > y[0]) - (x[0] < y[0]);
}

static inline void merge_pairs(const form *f, og_items *items)
{
    if (f->packed > 0) {
        og_items_merge(items, WORDS, false, by_class);
    } else {
        og_items_merge(items, WORDS, false, by_labels);
    }
}

static inline int32_t write_key(const form *f, const og_items *items, const moment *at,
                                uint64_t *key)
{
    const uint32_t kind = (uint32_t)at->come << KIND_BITS | (uint32_t)at->kind;
    int32_t words = 1;
    key[0] = og_items_head(at->left, kind << SLOTS_BITS | (uint32_t)at->slots);
    for (int32_t i = 0; i < items->count; i++) {
        const pair now = pair_at(items, i);
        if (f->packed > 0) {
            key[words++] = og_item(now.class << f->packed | (uint32_t)now.under_way, now.copies);
            continue;
        }
        key[words++] = og_item(now.class, now.copies) | (now.under_way != 0 ? MORE : 0);
        if (now.under_way != 0) {
            key[words++] = now.under_way;
        }
    }
    return words;
}

/* The item whose first word is key[*i]; then *i is its last. */
static inline pair read_pair(const form *f, const uint64_t *key, int32_t *i)
{
    pair item = {og_item_kind(key[*i]), og_item_copies(key[*i] & ~MORE), 0};
    if (f->packed > 0) {
        item.under_way = item.class & ((UINT32_C(1) << f->packed) - 1);
        item.class >>= f->packed;
    } else if ((key[*i] & MORE) != 0) {
        item.under_way = key[++*i];
    }
    return item;
}

static inline moment moment_of(uint64_t head)
{
    const uint32_t phase = og_items_phase(head), kind = phase >> SLOTS_BITS;
    return (moment){.slots = (int32_t)(phase & ((1 << SLOTS_BITS) - 1)),
                    .left = (int32_t)(uint32_t)head,
                    .kind = (og_deadline_kind)(kind & ((1 << KIND_BITS) - 1)),
                    .come = (int32_t)(kind >> KIND_BITS)};
}

#endif
