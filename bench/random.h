#ifndef OG_BENCH_RANDOM_H
#define OG_BENCH_RANDOM_H

#include <stdint.h>

/*
 * Random numbers computed from an address: the same seed, purpose, run, instance and number give
 * the same bits on every machine, in any order and on any thread. So two policies that label an
 * instance for the third time in the same run see the same label.
 *
 * Philox4x32-10 [Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
 * SC11 (2011)]: ten rounds that scramble a 128-bit counter under a 64-bit key. Different addresses
 * are different counters, so streams never overlap.
 */

/* block: [4] the counter, replaced by its scrambled value; key: [2]. */
static inline void og_philox(uint32_t block[4], const uint32_t key[2])
{
    uint32_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t product0 = UINT64_C(0xD2511F53) * block[0];
        uint64_t product1 = UINT64_C(0xCD9E8D57) * block[2];
        uint32_t next0 = (uint32_t)(product1 >> 32) ^ block[1] ^ key0;
        uint32_t next2 = (uint32_t)(product0 >> 32) ^ block[3] ^ key1;
        block[0] = next0;
        block[1] = (uint32_t)product1;
        block[2] = next2;
        block[3] = (uint32_t)product0;
        key0 += UINT32_C(0x9E3779B9);
        key1 += UINT32_C(0xBB67AE85);
    }
}

/* The purpose of a random number. */
typedef enum {
    OG_DRAW_LABEL,
    OG_DRAW_TRUTH,
    OG_DRAW_TIE,
    OG_DRAW_ARRIVAL, /* the time until a worker arrives */
    OG_DRAW_SERVICE, /* and how long the worker takes */
    OG_DRAW_GUESS,   /* a soft label as a policy imagines it */
} og_draw_purpose;

/* 64 random bits; run < 2^56. */
static inline uint64_t og_draw(uint64_t seed, og_draw_purpose purpose, uint64_t run,
                               uint32_t instance, uint32_t number)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t block[4] = {number, instance, (uint32_t)run,
                         (uint32_t)(run >> 32) | (uint32_t)purpose << 24};
    og_philox(block, key);
    return (uint64_t)block[1] << 32 | block[0];
}

/* A multiple of 2^-53 in [0, 1), all equally likely. */
static inline double og_draw_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* 0 .. count - 1, each with probability 1 / count within 2^-64: the upper half of bits * count. */
static inline uint32_t og_draw_below(uint64_t bits, uint32_t count)
{
    uint64_t low = (bits & UINT32_MAX) * count >> 32;
    return (uint32_t)(((bits >> 32) * count + low) >> 32);
}

#endif
