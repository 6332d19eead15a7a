/*
 * Tables of the combinatorial number system. Multisets are visited in the order of their ranks: the
 * first number that may grow is increased, and those before it start again from 0.
 */
#include "dp/product/blocks/ranks.h"

#include <stdlib.h>
#include <string.h>

double og_block_rank_count(double classes, double copies)
{
    double least = classes - 1 < copies ? classes - 1 : copies;
    double count = 1;
    for (double i = 1; i <= least && count < 1e300; i++) {
        count = count * (classes + copies - i) / i;
    }
    return count;
}

/* Goes to the next multiset in the order of ranks; there must be one, or the caller stops by
 * count. */
static void next_multiset(int32_t *number, int32_t copies)
{
    int32_t j = 0;
    while (j + 1 < copies && number[j] == number[j + 1]) {
        number[j++] = 0;
    }
    number[j]++;
}

uint32_t og_block_rank(const og_block_ranks *ranks, const int32_t *number, int32_t copies)
{
    uint32_t rank = 0;
    for (int32_t j = 0; j < copies; j++) {
        rank += ranks->weight[j + 1][number[j]];
    }
    return rank;
}

void og_block_map(const og_block_ranks *ranks, int32_t classes, int32_t copies, const int32_t *down,
                  int32_t *scratch, uint32_t *map)
{
    int32_t *number = scratch;
    int32_t *moved = scratch + copies;
    uint32_t count = og_block_axis(ranks, classes, (uint32_t)copies);
    memset(number, 0, (size_t)copies * sizeof *number);
    for (uint32_t rank = 0; rank < count; rank++) {
        for (int32_t j = 0; j < copies; j++) {
            int32_t to = down[number[j]];
            int32_t k = j;
            for (; k > 0 && moved[k - 1] > to; k--) {
                moved[k] = moved[k - 1];
            }
            moved[k] = to;
        }
        map[rank] = og_block_rank(ranks, moved, copies);
        next_multiset(number, copies);
    }
}

void og_block_tops(const og_block_ranks *ranks, int32_t classes, int32_t copies,
                   const uint32_t *value, int32_t *number, uint32_t *top)
{
    uint32_t count = og_block_axis(ranks, classes, (uint32_t)copies);
    memset(number, 0, (size_t)copies * sizeof *number);
    for (uint32_t rank = 0; rank < count; rank++) {
        top[rank] = value[number[0]];
        for (int32_t j = 1; j < copies; j++) {
            top[rank] = value[number[j]] > top[rank] ? value[number[j]] : top[rank];
        }
        next_multiset(number, copies);
    }
}

/* ---- tables ---- */

/* Allocates an array and stores its pointer at `out`. */
static og_status take(og_block_ranks *ranks, uint64_t limit, uint64_t count, uint64_t size,
                      void *out)
{
    uint64_t bytes = (count + 1) * size;
    if (ranks->bytes + bytes > limit) {
        return OG_STOPPED;
    }
    void *array = calloc((size_t)count + 1, (size_t)size);
    OG_TRY(OG_ALLOCATED(array));
    ranks->bytes += bytes;
    *(void **)out = array;
    return OG_OK;
}

static void fill_moves(og_block_ranks *ranks, int32_t copies, uint32_t count, int32_t *number)
{
    og_block_move *move = ranks->move[copies];
    uint32_t *times = ranks->times != NULL ? ranks->times[copies] : NULL;
    memset(number, 0, (size_t)copies * sizeof *number);
    for (uint32_t rank = 0; rank < count; rank++) {
        for (int32_t gone = 0; gone < copies; gone++) {
            bool again = gone > 0 && number[gone] == number[gone - 1];
            if (times != NULL) {
                times += !again && move > ranks->move[copies];
                ++*times;
            }
            if (again) {
                continue;
            }
            uint32_t rest = 0;
            for (int32_t j = 0; j < copies - 1; j++) {
                rest += ranks->weight[j + 1][number[j + (j >= gone)]];
            }
            *move++ = (og_block_move){rank, (uint32_t)number[gone], rest};
        }
        next_multiset(number, copies);
    }
    ranks->move_count[copies] = (uint32_t)(move - ranks->move[copies]);
}

static void fill_plus(og_block_ranks *ranks, int32_t copies, uint32_t count, int32_t *number)
{
    uint32_t classes = ranks->classes[copies + 1];
    uint32_t *plus = ranks->plus[copies];
    memset(number, 0, (size_t)copies * sizeof *number);
    for (uint32_t rank = 0; rank < count; rank++) {
        for (uint32_t more = 0; more < classes; more++) {
            uint32_t sum = 0;
            int32_t at = 0;
            for (; at < copies && number[at] <= (int32_t)more; at++) {
                sum += ranks->weight[at + 1][number[at]];
            }
            sum += ranks->weight[at + 1][more];
            for (; at < copies; at++) {
                sum += ranks->weight[at + 2][number[at]];
            }
            *plus++ = sum;
        }
        next_multiset(number, copies);
    }
}

static og_status fill_weights(og_block_ranks *ranks, uint64_t limit)
{
    uint32_t widest = 0;
    og_status status = OG_OK;
    for (int32_t g = ranks->most; status == OG_OK && g >= 1; g--) {
        widest = ranks->classes[g] > widest ? ranks->classes[g] : widest;
        status = take(ranks, limit, widest + 1, sizeof **ranks->weight, &ranks->weight[g]);
        for (uint32_t e = 1; status == OG_OK && e <= widest; e++) {
            double count = og_block_rank_count(e, g); /* those too large are never used */
            ranks->weight[g][e] = count < 0x1p32 ? (uint32_t)count : UINT32_MAX;
        }
    }
    return status;
}

static og_status fill_ranks(og_block_ranks *ranks, uint64_t limit, int32_t *number)
{
    og_status status = fill_weights(ranks, limit);
    for (int32_t g = 1; status == OG_OK && g <= ranks->most; g++) {
        uint32_t count = ranks->classes[g] < 2 ? 0 : ranks->weight[g][ranks->classes[g]];
        if (g > 1 && count > 0) {
            status = take(ranks, limit, (uint64_t)count * (uint64_t)g, sizeof **ranks->move,
                          &ranks->move[g]);
            if (status == OG_OK && ranks->times != NULL) {
                status = take(ranks, limit, (uint64_t)count * (uint64_t)g, sizeof **ranks->times,
                              &ranks->times[g]);
            }
            if (status == OG_OK) {
                fill_moves(ranks, g, count, number);
            }
        }
        uint32_t more = g < ranks->most ? ranks->classes[g + 1] : 0;
        uint32_t with = more < 2 ? 0 : ranks->weight[g][more];
        if (status == OG_OK && with > 0) {
            status =
                take(ranks, limit, (uint64_t)with * more, sizeof **ranks->plus, &ranks->plus[g]);
            if (status == OG_OK) {
                fill_plus(ranks, g, with, number);
            }
        }
    }
    return status;
}

og_status og_block_ranks_new(int32_t most, const uint32_t *classes, bool times,
                             uint64_t memory_bytes, og_block_ranks **out)
{
    size_t sizes = (size_t)most + 2;
    og_block_ranks *ranks = calloc(1, sizeof *ranks);
    int32_t *number = calloc(sizes, sizeof *number);
    og_status status = OG_NO_MEMORY;
    if (ranks != NULL && number != NULL) {
        ranks->most = most;
        ranks->classes = calloc(sizes, sizeof *ranks->classes);
        ranks->weight = calloc(sizes, sizeof *ranks->weight);
        ranks->move_count = calloc(sizes, sizeof *ranks->move_count);
        ranks->move = calloc(sizes, sizeof *ranks->move);
        ranks->plus = calloc(sizes, sizeof *ranks->plus);
        ranks->times = times ? calloc(sizes, sizeof *ranks->times) : NULL;
        if ((!times || ranks->times != NULL) && ranks->classes != NULL && ranks->weight != NULL &&
            ranks->move_count != NULL && ranks->move != NULL && ranks->plus != NULL) {
            memcpy(ranks->classes, classes, ((size_t)most + 1) * sizeof *classes);
            status = fill_ranks(ranks, memory_bytes, number);
        }
    }
    free(number);
    return OG_MADE(status, ranks, og_block_ranks_free, out);
}

void og_block_ranks_free(og_block_ranks *ranks)
{
    if (ranks == NULL) {
        return;
    }
    for (int32_t g = 0; g <= ranks->most; g++) {
        if (ranks->weight != NULL) {
            free(ranks->weight[g]);
        }
        if (ranks->move != NULL) {
            free(ranks->move[g]);
        }
        if (ranks->plus != NULL) {
            free(ranks->plus[g]);
        }
        if (ranks->times != NULL) {
            free(ranks->times[g]);
        }
    }
    free(ranks->classes);
    free(ranks->weight);
    free(ranks->move_count);
    free(ranks->move);
    free(ranks->plus);
    free(ranks->times);
    free(ranks);
}
