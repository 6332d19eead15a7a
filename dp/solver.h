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

/* The value of the state whose key of `words` words stands in solver->key, under the settings'
 * limits; as og_solver_value. */
og_status og_solver_state(og_solver *solver, int32_t words, double *value, og_message *message);

/* Proved relative error of any gain that the solver computes. */
double og_solver_relative_error(const og_solver *solver);

#endif
