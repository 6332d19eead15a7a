#ifndef OG_DP_PRODUCT_BANDIT_BANDIT_H
#define OG_DP_PRODUCT_BANDIT_BANDIT_H

#include <stdbool.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/blocks/blocks.h"

/*
 * The optimum of a bandit of few instances (OG_OBJECTIVE_BANDIT) with one dense layer that is
 * updated in place, from the last label to the first.
 *
 * No posterior of a bandit is dead, and only at the last labels are some equivalent. So the classes
 * of blocks (dp/product/blocks/) save nothing here, and places can be computed instead of looked
 * up: a state is the number of labels and of positive labels of each instance. Identical instances
 * are folded: only states in which their numbers of labels ascend are computed.
 *
 * The bits are those of og_solver_value without OG_REDUCE_FORCE and OG_REDUCE_TWO, and those of
 * blocks. They do not depend on threads or vector units.
 *
 * Cost: with K instances, T labels and nothing folded, T^(2K) / (2K)! values, of which T^(2K - 1) /
 * (2K - 1)! are in memory at a time, 8 bytes each; with two folded instances T^4 / 48 and T^3 / 12.
 */
typedef struct og_bandit og_bandit;

enum { OG_BANDIT_INSTANCES = 4 };

/* True if this method applies: a bandit of at most OG_BANDIT_INSTANCES instances. */
bool og_bandit_can(const og_arms *arms);

/*
 * Counts states and builds tables, all except the layer itself. Borrows `arms`, for which
 * og_bandit_can must be true. Of the settings it uses threads, memory_bytes (a hard limit, arms
 * included), watch, and states_max (0: no limit). OG_STOPPED with a message if there are more than
 * states_max states (*too_many is then true; may be NULL), or if everything, the layer included,
 * would exceed the memory limit; OG_NO_MEMORY. O(T^(K - 1)).
 */
og_status og_bandit_new(const og_arms *arms, const og_settings *settings, bool *too_many,
                        og_bandit **out, og_message *message);
void og_bandit_free(og_bandit *bandit); /* NULL is fine */

/* Exact. A type is one choice of numbers of labels. */
void og_bandit_get_size(const og_bandit *bandit, og_blocks_size *out);

/* As og_blocks_solve. */
og_status og_bandit_solve(og_bandit *bandit, og_result *result, og_message *message);

/* As og_blocks_q, after og_bandit_solve; budget >= 1. */
void og_bandit_q(const og_bandit *bandit, double *q, double *error);

#endif
