#ifndef OG_DP_EXACT_GUIDE_H
#define OG_DP_EXACT_GUIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/engine/engine.h"
#include "dp/engine/memo.h"
#include "dp/engine/model.h"
#include "dp/product/layers.h"
#include "dp/product/product.h"

/*
 * Selects the actions of a state that could be optimal, from doubles with proved errors (private to
 * dp/). Only those, nearly always one, must be evaluated in fractions.
 *
 * Proof that a skipped action is not optimal. Let e bound the relative error of a value of the
 * double recursion: |g - G| <= e G. The state's own double value v is the largest
 * of its actions' computed values, so some action has a value of at least v / (1 + e). The value of
 * the action in question is R + sum p_k G_k, and for every k either G_k <= g_k / (1 - e), or G_k <=
 * b_k, the bound from prices, which errs upwards only (dp/product/price.h). So it is at most (R +
 * sum p_k u_k) (1 + rounding) / (1 - e), u_k = g_k or b_k. The action is skipped if the computed
 * sum U has U (1 + 4e) + 2^-900 < v (1 - 4e). The rounding of R, p, the sum and the comparison is
 * less than e in all, since a label's step is part of e, and losses below the range of doubles less
 * than 2^-900.
 */
typedef struct {
    og_arena arena; /* of the scratch */
    /* Of a product only: */
    const og_layers *layers; /* borrowed */
    og_prices *prices;       /* NULL: no memory for them; also used by the exact product */
    og_product product;

    og_model model; /* in doubles, with the keys, acts and outcomes of the one in fractions */
    og_memo *memo;
    uint64_t *key; /* scratch: a successor's */
    double *value; /* scratch, [outcomes_max]: upper bounds of the outcomes' values */
    bool *valued;  /* ... and whether that is the value */
    double error;  /* 4 e */
    og_engine_info info;
} og_exact_guide;

/*
 * For the optimum of any model whose values in doubles have at most this relative error, except
 * below 2^-900; borrows what the model borrows. memory_bytes as below. OG_NO_MEMORY, also if it
 * holds no values.
 */
og_status og_exact_guide_of_model(og_exact_guide *guide, const og_model *model, double error,
                                  uint64_t memory_bytes);

/*
 * For the optimum of a product. `use` as for the exact product; both write the same keys.
 * memory_bytes is a hard limit for prices and values. OG_STOPPED with a message if a state cannot
 * be written as a key, or `stop` ends the work.
 */
og_status og_exact_guide_init(og_exact_guide *guide, const og_arms *arms, const og_layers *layers,
                              const og_product_use *use, uint64_t memory_bytes, og_stop *stop,
                              og_message *message);
void og_exact_guide_clear(og_exact_guide *guide);

/* Most bytes held so far by prices and values. */
uint64_t og_exact_guide_bytes(const og_exact_guide *guide);

/* The double value of a state; computes it if it is not in the memory. */
og_status og_exact_guide_value(og_exact_guide *guide, const og_engine_use *use, const uint64_t *key,
                               int32_t words, double *value);

/*
 * The actions of a state, expanded by the exact product's model, that could be optimal:
 * chosen[*count], at least one, in the order of the expansion; [action_count] of room.
 */
og_status og_exact_guide_choose(og_exact_guide *guide, const og_engine_use *use,
                                const uint64_t *key, int32_t words, const og_expansion *expansion,
                                int32_t *chosen, int32_t *count);

#endif
