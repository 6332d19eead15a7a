#ifndef OG_DP_PRODUCT_FORECAST_H
#define OG_DP_PRODUCT_FORECAST_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"

/*
 * Bounds the number of states and the memory that solving a problem takes, without solving it.
 *
 * With `left` labels left, budget - left have been given already. The state is a multiset of live
 * classes, and an instance of a class has had at least as many labels as the least that lead to the
 * class. So there are at most as many states as multisets of at most K classes, within the caps,
 * whose least labels sum to at most budget - left. These are coefficients of the generating
 * function
 *
 *   product over live classes c of  1 + x y^l(c) + ... + (x y^l(c))^cap(c),
 *
 * where x counts instances and y labels. If every live class is met with one number of labels only,
 * the labels that the live instances did not get went to an instance that is now dead. The bound
 * includes reductions 1 to 3; 4 and 5, which depend on values, usually leave far fewer states.
 */
typedef struct {
    double states;          /* bound on the states in memory; INFINITY: beyond the largest double */
    double bytes_per_state; /* typical for the keys of this problem */
    double memory_bytes;    /* for all states, including the tables */
    uint64_t table_bytes;   /* part of it: arms, classes and prices, always needed */
} og_forecast;

/*
 * Builds the arms' classes and prices but no state. If counting instances (x) would take more than
 * about a second, it counts only labels, and the bound is larger. OG_STOPPED or OG_NO_MEMORY with a
 * message if even the tables do not fit the limit.
 */
og_status og_forecast_make(const og_arms *arms, const og_settings *settings, og_forecast *out,
                           og_message *message);

#endif
