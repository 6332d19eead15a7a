#ifndef OG_BENCH_FAMILIES_INDEPENDENT_PRICED_H
#define OG_BENCH_FAMILIES_INDEPENDENT_PRICED_H

#include "bench/families/independent/problem.h"
#include "bench/family.h"
#include "dp/prior/payoff.h"

/*
 * Independent instances whose labels have a price, as a family. At most T labels are bought; each
 * costs Z, or the price for its instance, in units of a correct call (or of the payoff), and buying
 * may stop at any time. The value is the value of the calls less the prices paid. An act labels an
 * instance of a group; the last act stops. The solver adds a standard arm to the instances
 * (dp/arm/arm.h).
 */
extern const og_family og_family_priced;

enum { OG_PRICES_MAX = 100 };
typedef struct {
    og_fraction price[OG_PRICES_MAX]; /* > 0 */
    int32_t price_count;              /* 1: for all instances; else one for each INSTANCE word */
    og_call_options calls;
} og_priced_options;

extern const og_option_set og_priced_option_set;

/* Walk the states of `arms`, which include the standard arm: a state is an og_state, and an act on
 * the standard arm ends the play. Otherwise like og_steps_of_arms. */
og_status og_priced_steps(const og_arms *arms, og_fraction price, const og_steps_use *use,
                          og_steps *out, og_message *message);

#endif
