#ifndef OG_DP_PRODUCT_SOLVER_H
#define OG_DP_PRODUCT_SOLVER_H

#include <stdint.h>

#include "dp/engine/valuation.h"
#include "dp/product/layers.h"
#include "dp/product/price.h"
#include "dp/product/product.h"
#include "dp/product/solve.h"

/* The parts of a solver (private to dp/). */
struct og_solver {
    og_arena arena;
    const og_arms *arms;
    const og_ranks *ranks; /* of a policy; NULL: the optimum */
    og_layers *layers;
    og_prices *prices;
    og_product product;
    og_valuation valuation;
    og_classes *classes; /* NULL: not needed yet */
    uint64_t *key;       /* [key_words_max] */
    og_arena pairs;      /* of the next two */
    og_pair *pair;       /* [pair_room] scratch */
    og_pair *down;
    int32_t pair_room;
    double seconds; /* spent building */
};

/* Writes the classes of a state's groups into solver->pair, those one label later into
 * solver->down, and its key into solver->key. Builds solver->classes if they are needed and
 * missing. */
og_status og_solver_key(og_solver *solver, const og_state *state, int32_t *words,
                        og_message *message);

/* The value of the state whose key of `words` words is in solver->key, under the settings' limits;
 * as og_solver_value. */
og_status og_solver_state(og_solver *solver, int32_t words, double *value, og_message *message);

#endif
