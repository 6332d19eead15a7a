#ifndef OG_BENCH_SIMULATION_TOURNAMENT_H
#define OG_BENCH_SIMULATION_TOURNAMENT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds the instances with the largest rank among K: their number, and the j-th of them in the
 * order of the instances (private to bench/simulation/).
 *
 * A tree of blocks of OG_TOURNAMENT_BLOCK: level 0 holds the ranks of the instances. Each entry of
 * a level holds, for a block of the level below, the largest rank and the number of instances that
 * have it. To change a rank costs one step for each level, and a scan of a block if its last leader
 * falls. Ranks are stored plus 1; 0 means no instance.
 */
enum { OG_TOURNAMENT_BLOCK = 16, OG_TOURNAMENT_LEVELS = 9 };

/* The layout for a number of instances, below 2^32; all their tournaments share it. */
typedef struct {
    uint32_t instances;
    int32_t top;                          /* >= 1: the level with one entry */
    uint64_t first[OG_TOURNAMENT_LEVELS]; /* index of the first rank of a level */
    uint64_t size;                        /* number of ranks of all levels */
} og_tournament_shape;

og_tournament_shape og_tournament_shape_of(uint32_t instances);

/* The number of words in a tournament: all ranks, then the counts from level 1 on. */
static inline size_t og_tournament_words(const og_tournament_shape *shape)
{
    return (size_t)(2 * shape->size - shape->first[1]);
}

/* Set a rank before og_tournament_fill; all words must be 0 at first. */
static inline void og_tournament_put(uint32_t *words, uint32_t instance, uint32_t rank)
{
    words[instance] = rank + 1;
}

/* Compute all levels, after all instances are set. */
void og_tournament_fill(const og_tournament_shape *shape, uint32_t *words);

void og_tournament_change(const og_tournament_shape *shape, uint32_t *words, uint32_t instance,
                          uint32_t rank);

/* The number of instances with the largest rank. */
static inline uint32_t og_tournament_leaders(const og_tournament_shape *shape,
                                             const uint32_t *words)
{
    return words[og_tournament_words(shape) - 1];
}

/* The j-th of them, j below their number. */
uint32_t og_tournament_leader(const og_tournament_shape *shape, const uint32_t *words, uint32_t j);

#endif
