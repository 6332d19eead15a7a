#ifndef OG_DP_PRODUCT_BLOCKS_RANKS_H
#define OG_DP_PRODUCT_BLOCKS_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * Multisets of g numbers 0 .. c - 1 in a row (private to dp/product/blocks/): e_1 <= ... <= e_g has
 * the rank
 *
 *   sum over j = 1 .. g of binomial(e_j + j - 1, j),      0 <= rank < binomial(c + g - 1, g),
 *
 * the combinatorial number system of e_j + j - 1. It does not depend on c, and multisets whose
 * largest number is smaller come first.
 *
 * Tables for 1 <= g <= most and up to `classes[g]` numbers. If there is only one number, there is
 * one multiset, of rank 0, for every g; the functions below handle that without tables.
 */
typedef struct {
    uint32_t to;   /* rank of the multiset, of g, */
    uint32_t gone; /* without one of this number, */
    uint32_t rest; /* rank of the others, of g - 1 */
} og_block_move;

typedef struct {
    int32_t most;
    uint32_t *classes;    /* [most + 2] */
    uint32_t **weight;    /* [most + 2][classes of that size or more, + 1] binomial(e + g - 1, g) */
    uint32_t *move_count; /* [most + 2] */
    og_block_move *
        *move;        /* [most + 2] all multisets' distinct numbers, by rank, then number; g >= 2 */
    uint32_t **times; /* [most + 2] for each move, the copies of its number; NULL if not wanted */
    uint32_t **plus;  /* [most + 2][rank * classes[g + 1] + number] rank after adding the number, of
                       * g + 1 */
    uint64_t bytes;
} og_block_ranks;

/* `classes` [most + 1] is copied. `times`: the array is wanted. Time and bytes: the sum of g *
 * (ranks of g). OG_STOPPED if the tables would exceed memory_bytes; there are fewer than 2^32 ranks
 * of each size. */
og_status og_block_ranks_new(int32_t most, const uint32_t *classes, bool times,
                             uint64_t memory_bytes, og_block_ranks **out);
void og_block_ranks_free(og_block_ranks *ranks); /* NULL is fine */

/* The number of multisets; a double, because there may be many. */
double og_block_rank_count(double classes, double copies);

/* The same from the tables. */
static inline uint32_t og_block_axis(const og_block_ranks *ranks, int32_t classes, uint32_t copies)
{
    return classes < 2 || copies == 0 ? 1
           : copies == 1              ? (uint32_t)classes
                                      : ranks->weight[copies][classes];
}

/* The rank of `copies` numbers of rank `rank` with one more number. classes: how many numbers there
 * are. */
static inline uint32_t og_block_plus(const og_block_ranks *ranks, int32_t classes, uint32_t copies,
                                     uint32_t rank, uint32_t number)
{
    return classes < 2 ? 0
           : copies == 0
               ? number
               : ranks->plus[copies][(uint64_t)rank * ranks->classes[copies + 1] + number];
}

/* The rank of a sorted multiset. */
uint32_t og_block_rank(const og_block_ranks *ranks, const int32_t *number, int32_t copies);

/*
 * The rank of each multiset of `copies` numbers 0 .. classes - 1 after every number i becomes
 * down[i]: map[rank]. `scratch`: 2 * copies numbers.
 */
void og_block_map(const og_block_ranks *ranks, int32_t classes, int32_t copies, const int32_t *down,
                  int32_t *scratch, uint32_t *map);

/* The largest of value[number] in each multiset: top[rank]. `scratch`: `copies` numbers. */
void og_block_tops(const og_block_ranks *ranks, int32_t classes, int32_t copies,
                   const uint32_t *value, int32_t *scratch, uint32_t *top);

#endif
