#ifndef OG_DP_SOLVER_H
#define OG_DP_SOLVER_H

#include <stdint.h>

#include "dp/checkpoint.h"
#include "dp/layers.h"
#include "dp/memo.h"
#include "dp/price.h"
#include "dp/product.h"
#include "dp/solve.h"

/* What a solver is made of (private to dp/). */
struct og_solver {
    const og_arms *arms;
    og_settings settings;
    uint64_t fixed_bytes; /* arms, layers, prices */
    og_layers *layers;
    og_prices *prices;
    og_product product;
    og_memo *memo;
    uint64_t *key;  /* [key_words_max] */
    double seconds; /* spent building */
    og_fingerprint fingerprint;
};

#endif
