/* Finds the instances with the largest rank, block by block. */
#include "bench/simulation/tournament.h"

enum { BLOCK = OG_TOURNAMENT_BLOCK };

og_tournament_shape og_tournament_shape_of(uint32_t instances)
{
    og_tournament_shape shape = {.instances = instances};
    uint64_t count = instances;
    do {
        count = (count + BLOCK - 1) / BLOCK;
        shape.size += count * BLOCK;
        shape.first[++shape.top] = shape.size;
    } while (count > 1);
    shape.size++;
    return shape;
}

/* The start of the counts of a level; level >= 1. */
static uint64_t counts_from(const og_tournament_shape *shape, int32_t level)
{
    return shape->size + shape->first[level] - shape->first[1];
}

/* The counts of a block of a level. An instance counts 1. So does a place without an instance, but
 * it never has the largest rank, because each block that is scanned holds an instance. */
static const uint32_t *block_counts(const og_tournament_shape *shape, const uint32_t *words,
                                    int32_t level, uint64_t block)
{
    static const uint32_t ones[BLOCK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    return level == 0 ? ones : words + counts_from(shape, level) + block * BLOCK;
}

/* Compute the entry for a block of the level below. */
static void look(const og_tournament_shape *shape, uint32_t *words, int32_t level, uint64_t block)
{
    const uint32_t *rank = words + shape->first[level - 1] + block * BLOCK;
    const uint32_t *count = block_counts(shape, words, level - 1, block);
    uint32_t most = 0, leaders = 0;
    for (int i = 0; i < BLOCK; i++) {
        most = rank[i] > most ? rank[i] : most;
    }
    for (int i = 0; i < BLOCK; i++) {
        leaders += rank[i] == most ? count[i] : 0;
    }
    words[shape->first[level] + block] = most;
    words[counts_from(shape, level) + block] = leaders;
}

void og_tournament_fill(const og_tournament_shape *shape, uint32_t *words)
{
    uint64_t blocks = shape->instances;
    for (int32_t level = 1; level <= shape->top; level++) {
        blocks = (blocks + BLOCK - 1) / BLOCK;
        for (uint64_t b = 0; b < blocks; b++) {
            look(shape, words, level, b);
        }
    }
}

/* The contents of an entry of a level. */
typedef struct {
    uint32_t rank, count;
} leaders;

void og_tournament_change(const og_tournament_shape *shape, uint32_t *words, uint32_t instance,
                          uint32_t rank)
{
    leaders before = {words[instance], 1}, after = {rank + 1, 1};
    uint64_t at = instance;
    words[instance] = after.rank;
    for (int32_t level = 1; level <= shape->top; level++) {
        at /= BLOCK;
        uint32_t *top = &words[shape->first[level] + at];
        uint32_t *count = &words[counts_from(shape, level) + at];
        leaders was = {*top, *count};
        *count -= before.rank == *top ? before.count : 0;
        if (after.rank > *top) {
            *top = after.rank;
            *count = after.count;
        } else if (after.rank == *top) {
            *count += after.count;
        } else if (*count == 0) {
            look(shape, words, level, at);
        }
        before = was;
        after = (leaders){*top, *count};
        if (before.rank == after.rank && before.count == after.count) {
            break;
        }
    }
}

uint32_t og_tournament_leader(const og_tournament_shape *shape, const uint32_t *words, uint32_t j)
{
    uint32_t top = words[shape->size - 1];
    uint64_t at = 0;
    for (int32_t level = shape->top; level-- > 0;) {
        const uint32_t *rank = words + shape->first[level] + at * BLOCK;
        const uint32_t *count = block_counts(shape, words, level, at);
        uint32_t i = 0;
        for (;; i++) {
            uint32_t here = rank[i] == top ? count[i] : 0;
            if (j < here) {
                break;
            }
            j -= here;
        }
        at = at * BLOCK + i;
    }
    return (uint32_t)at;
}
