#ifndef OG_DP_PRODUCT_FORESEE_H
#define OG_DP_PRODUCT_FORESEE_H

#include "dp/base/stop.h"
#include "dp/product/product.h"

/*
 * Shows a policy all states that it will be asked about, before the recursion asks one by one
 * (private to dp/product/): a forward pass from the root over the states that it reaches, each
 * number of labels left in turn. So a policy that needs long for a question can be asked about many
 * states at once (og_chooser.foresee).
 *
 * The policy is asked about each state, so each must be expanded twice, which costs little beside a
 * question. The pass ends early, without an error, if it would take more than limit_bytes or
 * states_max (0: no limit) states, if the stop is over, or if the policy needs no more. `key` is
 * the root's. Errors are those of the policy, whose message og_ranks_failure has; OG_NO_MEMORY.
 */
typedef struct {
    const og_product *product; /* of a policy with a chooser */
    const uint64_t *key;
    int32_t words;
    uint64_t limit_bytes, states_max;
    og_stop *stop;
} og_foresight;

og_status og_product_foresee(const og_foresight *sight);

#endif
