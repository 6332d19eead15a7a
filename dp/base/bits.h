#ifndef OG_DP_BASE_BITS_H
#define OG_DP_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of numbers from 0 to count - 1, as bits of zeroed words. */

static inline size_t og_bits_words(size_t count)
{
    return (count + 63) / 64;
}

static inline bool og_bits_has(const uint64_t *bits, size_t number)
{
    return (bits[number / 64] >> number % 64 & 1) != 0;
}

static inline void og_bits_add(uint64_t *bits, size_t number)
{
    bits[number / 64] |= UINT64_C(1) << number % 64;
}

static inline void og_bits_remove(uint64_t *bits, size_t number)
{
    bits[number / 64] &= ~(UINT64_C(1) << number % 64);
}

#endif
