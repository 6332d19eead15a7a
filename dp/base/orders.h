#ifndef OG_DP_BASE_ORDERS_H
#define OG_DP_BASE_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Orders of things within groups: order[k] is the thing at place k, and group[order[k]] ==
 * group[k]; a NULL group means that all are in one. In the first order every thing is at its own
 * place. Without groups things may be equal, the same number twice.
 */

/* The next order, in dictionary order; after the last, false and the first. */
bool og_orders_next(const int32_t *group, int32_t count, uint8_t *order);

/* The number of orders of different things; some number above `most` if there are more. */
int64_t og_orders_count(const int32_t *group, int32_t count, int64_t most);

#endif
