#ifndef OG_DP_PRODUCT_KEY_SIZE_H
#define OG_DP_PRODUCT_KEY_SIZE_H

#include "dp/product/product.h"

/* How long the keys of a product's states can become. */
typedef struct {
    int64_t pairs;     /* of a state, and one */
    int64_t actions;   /* of a state */
    int64_t pair_bits; /* of a key for each pair */
    int32_t left_bits; /* and for the labels left */
} og_key_size;

/* Are states kept in the order of their instances? */
bool og_product_is_ordered(const og_product_use *use);

/* `classes`: of the layer that has most, class 0 included. OG_STOPPED with a message if the keys
 * are too long; `out` is filled in any case. */
og_status og_key_size_of(const og_arms *arms, const og_product_use *use, int64_t classes,
                         og_key_size *out, og_message *message);

/*
 * OG_STOPPED if og_key_size_of says so with whatever layers are built for this use: a layer with
 * one label left has a class for each reward, and no more than 65536 of them are looked for.
 * OG_NO_MEMORY. At most one look at each node.
 */
og_status og_key_size_check(const og_arms *arms, const og_product_use *use, og_message *message);

#endif
