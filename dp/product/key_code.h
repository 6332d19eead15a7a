#ifndef OG_DP_PRODUCT_KEY_CODE_H
#define OG_DP_PRODUCT_KEY_CODE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Keys as bit strings, first bit highest in the first word (private to dp/). Models write numbers
 * of few bits with og_key_put and numbers of any size with og_key_put_code. No code word is all
 * zeros, so a key needs no end mark, and zero words at its end are cut.
 */
typedef struct {
    uint64_t *key;
    int32_t words;    /* written so far */
    int32_t filled;   /* bits of `growing` in use, 0 .. 63 */
    uint64_t growing; /* the next word */
} og_key_writer;

/* Writes the low `count` bits of value, 1 .. 64; the other bits must be 0. */
static inline void og_key_put(og_key_writer *w, uint64_t value, int32_t count)
{
    int32_t room = 64 - w->filled;
    if (count < room) {
        w->growing |= value << (room - count);
        w->filled += count;
    } else {
        int32_t over = count - room;
        w->key[w->words++] = w->growing | value >> over;
        w->growing = over == 0 ? 0 : value << (64 - over);
        w->filled = over;
    }
}

/* Number of bits of a number other than 0. */
static inline int32_t og_bit_length(uint64_t value)
{
    return 64 - __builtin_clzll(value);
}

/* Exp-Golomb code of order k: floor(v / 2^k) + 1, after as many zeros as it has bits after its
 * first, then the k low bits. */
static inline void og_key_put_code(og_key_writer *w, uint64_t v, int32_t order)
{
    uint64_t head = (v >> order) + 1;
    int32_t length = og_bit_length(head);
    uint64_t low = v & ((UINT64_C(1) << order) - 1);
    og_key_put(w, head << order | low, 2 * length - 1 + order);
}

typedef struct {
    const uint64_t *key;
    int64_t bit;
    int64_t bit_count;
} og_key_reader;

/* The next 64 bits; zeros after the end. */
static inline uint64_t og_key_peek(const og_key_reader *r)
{
    int64_t at = r->bit >> 6;
    int32_t shift = (int32_t)(r->bit & 63);
    int64_t words = r->bit_count >> 6;
    uint64_t window = at < words ? r->key[at] << shift : 0;
    if (shift > 0 && at + 1 < words) {
        window |= r->key[at + 1] >> (64 - shift);
    }
    return window;
}

/* The next `count` bits, 0 .. 64 of them. */
static inline uint64_t og_key_get(og_key_reader *r, int32_t count)
{
    uint64_t value = count == 0 ? 0 : og_key_peek(r) >> (64 - count);
    r->bit += count;
    return value;
}

/* False at the end of the key: code words have a one among their first 33 bits. */
static inline bool og_key_get_code(og_key_reader *r, int32_t order, uint64_t *value)
{
    uint64_t window = og_key_peek(r);
    if (window == 0) {
        return false;
    }
    int32_t zeros = __builtin_clzll(window);
    r->bit += zeros;
    uint64_t head = og_key_get(r, zeros + 1);
    *value = (head - 1) << order | og_key_get(r, order);
    return true;
}

/* Ends the key: cuts zero words at its end and returns the number of words. */
static inline int32_t og_key_end(og_key_writer *w)
{
    if (w->growing != 0) {
        w->key[w->words++] = w->growing;
    }
    while (w->words > 0 && w->key[w->words - 1] == 0) {
        w->words--;
    }
    return w->words;
}

#endif
