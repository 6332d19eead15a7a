#ifndef OG_DP_PRODUCT_FORECAST_H
#define OG_DP_PRODUCT_FORECAST_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"

/*
 * What solving a problem may take, without solving it.
 *
 * With `left` labels left, budget - left have been given. The state is a multiset of live classes,
 * and an instance of a class has had at least as many labels as the least that lead to the class.
 * So the states are at most the multisets of at most K classes, caps observed, whose least labels
 * sum to at most budget - left: coefficients of the generating function
 *
 *   product over live classes c of  1 + x y^l(c) + ... + (x y^l(c))^cap(c),
 *
 * x counting instances and y labels. Where every live class is met by one number of labels only,
 * what the live instances have not had must have gone to one that is dead by now. Reductions 1 to 3
 * are in it; 4 and 5, which depend on values, usually leave far fewer.
 */
typedef struct {
    double states;          /* at most so many are remembered; INFINITY: past the largest double */
    double bytes_per_state; /* typical for the keys of this problem */
    double memory_bytes;    /* for all of them, the tables included */
    uint64_t table_bytes;   /* of it, arms, classes and prices: needed whatever is solved */
} og_forecast;

/*
 * Builds arms' classes and prices but no state. Where counting instances (x) would take more than
 * about a second, only labels are counted: the bound is then larger. OG_STOPPED or OG_NO_MEMORY
 * with a message where even the tables do not fit the limit.
 */
og_status og_forecast_make(const og_arms *arms, const og_settings *settings, og_forecast *out,
                           og_message *message);

#endif
