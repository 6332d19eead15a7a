#ifndef OG_BENCH_SIMULATION_TOURNAMENT_H
#define OG_BENCH_SIMULATION_TOURNAMENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Which of K instances have the largest rank: how many, and the j-th of them in the order of the
 * instances (private to bench/simulation/).
 *
 * A tree of blocks of OG_TOURNAMENT_BLOCK: level 0 is the ranks of the instances, and each number
 * of a level has, for a block of the level below, the largest rank in it and how many instances
 * have that. A rank that changes costs the number of levels, and a look at a block where its last
 * leader falls. Ranks are stored with 1 added: 0 is where no instance is.
 */
enum { OG_TOURNAMENT_BLOCK = 16, OG_TOURNAMENT_LEVELS = 9 };

/* Of so many instances, below 2^32: the same for all their tournaments. */
typedef struct {
    uint32_t instances;
    int32_t top;                          /* >= 1: the level of one number */
    uint64_t first[OG_TOURNAMENT_LEVELS]; /* rank where a level begins */
    uint64_t size;                        /* ranks of all levels */
} og_tournament_shape;

og_tournament_shape og_tournament_shape_of(uint32_t instances);

/* Numbers that a tournament takes: all ranks, then the counts from level 1 on. */
static inline size_t og_tournament_words(const og_tournament_shape *shape)
{
    return (size_t)(2 * shape->size - shape->first[1]);
}

/* Before og_tournament_fill, where all words were 0. */
static inline void og_tournament_put(uint32_t *words, uint32_t instance, uint32_t rank)
{
    words[instance] = rank + 1;
}

/* All instances have been put. */
void og_tournament_fill(const og_tournament_shape *shape, uint32_t *words);

void og_tournament_change(const og_tournament_shape *shape, uint32_t *words, uint32_t instance,
                          uint32_t rank);

/* How many have the largest rank. */
static inline uint32_t og_tournament_leaders(const og_tournament_shape *shape,
                                             const uint32_t *words)
{
    return words[og_tournament_words(shape) - 1];
}

/* The j-th of them, j below their number. */
uint32_t og_tournament_leader(const og_tournament_shape *shape, const uint32_t *words, uint32_t j);

#endif
