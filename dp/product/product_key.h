#ifndef OG_DP_PRODUCT_PRODUCT_KEY_H
#define OG_DP_PRODUCT_PRODUCT_KEY_H

#include <stdint.h>
#include <string.h>

#include "dp/product/product.h"

/*
 * States as keys (private to dp/product/).
 */

/* Writes a sequence of pairs, ascending if states are multisets. Returns the number of words; 0 if
 * no labels are left or there is no action. */
int32_t og_product_write_key(const og_product *p, int32_t left, const og_pair *pair, int32_t count,
                             uint64_t *key);

/* Reads the pairs of a key, [pairs_max]; returns their number. */
int32_t og_product_read_key(const og_product *p, const uint64_t *key, int32_t words, og_pair *pairs,
                            int32_t *left);

/* Adds copies of a class to an ascending list; returns its place. */
static inline int32_t og_product_insert(og_pair *pair, int32_t *count, uint32_t class,
                                        int64_t copies)
{
    int32_t at = *count;
    while (at > 0 && pair[at - 1].class >= class) {
        at--;
    }
    if (at < *count && pair[at].class == class) {
        pair[at].copies += copies;
        return at;
    }
    memmove(&pair[at + 1], &pair[at], (size_t)(*count - at) * sizeof *pair);
    pair[at].class = class;
    pair[at].copies = copies;
    (*count)++;
    return at;
}

/* Adds a run to a sequence. */
static inline void og_product_append(const og_product *p, og_pair *run, int32_t *count,
                                     uint32_t class, int64_t copies)
{
    if (copies == 0 || (p->drop && class == 0)) {
        return;
    }
    if (*count > 0 && run[*count - 1].class == class) {
        run[*count - 1].copies += copies;
    } else {
        run[(*count)++] = (og_pair){class, copies};
    }
}

#endif
