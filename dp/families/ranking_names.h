#ifndef OG_DP_FAMILIES_RANKING_NAMES_H
#define OG_DP_FAMILIES_RANKING_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/families/ranking_posterior.h"

/*
 * Items, and workers, of equal prior are alike (private to dp/families/): states that differ only
 * by their names are merged, represented by the smallest. A belief that accompanies a state has a
 * record for each item, then for each worker, which are moved too.
 */
enum { OG_RANKING_ORDERS_MAX = 720 }; /* 6! */

typedef struct {
    const og_ranking_prior *prior; /* borrowed */
    bool sorts;                    /* else all keep their names */
    size_t belief_bytes;           /* 0: none */
    size_t item_bytes[2];          /* of a record of an item, and of a worker */
    int32_t worker_group[OG_RANKING_WORKERS_MAX];
    int32_t order_count;
    uint8_t order[OG_RANKING_ORDERS_MAX][OG_RANKING_ITEMS_MAX]; /* ways to name items: the k-th is
                                                                 * order[k] */
} og_ranking_names;

/* If `sorts` is true, equal items and workers may be renamed; items i and j only exchange with each
 * other (i < 0: any). Without a belief, which the caller fills in. */
void og_ranking_names_init(og_ranking_names *names, const og_ranking_prior *prior, bool sorts,
                           int32_t i, int32_t j);

/* The representative of `from`, into *out; belief (may be NULL) is changed in the same way,
 * room[2][belief_bytes] is scratch. Returns the number of the order that was applied to the items
 * of `from`. */
int32_t og_ranking_canonical(const og_ranking_names *names, const og_ranking_counts *from,
                             char *belief, char *const room[2], og_ranking_counts *out);

/* < 0, 0, > 0, as the states are sorted. */
int og_ranking_compare(const og_ranking_counts *x, const og_ranking_counts *y);

#endif
