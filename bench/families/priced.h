#ifndef OG_BENCH_FAMILIES_PRICED_H
#define OG_BENCH_FAMILIES_PRICED_H

#include "bench/families/arms_problem.h"
#include "bench/family.h"
#include "dp/prior/payoff.h"

/*
 * Independent instances whose labels have a price, as a family: at most T labels, each costs Z, or
 * what a label of its instance costs, in units of a correct call (or of the payoff), and one may
 * stop at any time. The value is that of
 * the calls less Z for each label. An act labels an instance of a group, or stops: the last one.
 * Solved as instances with a standard arm beside them (dp/arm/arm.h).
 */
extern const og_family og_family_priced;

enum { OG_PRICES_MAX = 100 };
typedef struct {
    og_fraction price[OG_PRICES_MAX]; /* > 0 */
    int32_t price_count;              /* 1: of every instance; else one for each INSTANCE word */
    og_call_options calls;
} og_priced_options;

extern const og_option_set og_priced_option_set;

/* State by state, `arms` with the standard arm: a state shown is an og_state, an act on that arm an
 * end. Else as og_steps_of_arms. */
og_status og_priced_steps(const og_arms *arms, og_fraction price, const og_steps_use *use,
                          og_steps *out, og_message *message);

#endif
