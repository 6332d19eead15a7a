#ifndef OG_DP_PRODUCT_KEY_SIZE_H
#define OG_DP_PRODUCT_KEY_SIZE_H

#include "dp/product/product.h"

/* The largest size of the keys of a product's states. */
typedef struct {
    int64_t pairs;     /* of a state, plus one */
    int64_t actions;   /* of a state */
    int64_t pair_bits; /* of a key for each pair */
    int32_t left_bits; /* of a key for the labels left */
} og_key_size;

/* True if states keep the order of their instances. */
bool og_product_is_ordered(const og_product_use *use);

/* `classes`: of the layer with the most, class 0 included. OG_STOPPED with a message if the keys
 * are too long; `out` is filled in any case. */
og_status og_key_size_of(const og_arms *arms, const og_product_use *use, int64_t classes,
                         og_key_size *out, og_message *message);

/*
 * OG_STOPPED if og_key_size_of would refuse any layers built for this use: a layer with one label
 * left has a class for each reward, and at most 65536 rewards are counted. OG_NO_MEMORY. Reads each
 * node at most once.
 */
og_status og_key_size_check(const og_arms *arms, const og_product_use *use, og_message *message);

#endif
