#ifndef OG_DP_EXACT_NEAR_TIE_H
#define OG_DP_EXACT_NEAR_TIE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/state.h"

/* Finds the optimal actions of a state if doubles cannot: with fractions, within a limit. */
typedef struct og_near_tie og_near_tie;

enum { OG_SETTLE_STATES = 100000 };

/*
 * Borrows `arms`. Of the settings it uses the watch; memory_bytes is a separate limit, and its
 * fractions take at most OG_SETTLE_STATES states, on one thread. So the result does not depend on
 * the number of threads. OG_NO_MEMORY.
 */
og_status og_near_tie_new(const og_arms *arms, const og_settings *settings, uint64_t memory_bytes,
                          og_near_tie **out);

/*
 * optimal[state->count]: true for groups whose labels have the largest Q. *settled is false, and
 * `optimal` unchanged, if an arm is not rational or the limits are reached; later calls then do not
 * try again. OG_STOPPED with a message if the watch stopped the work; OG_NO_MEMORY.
 */
og_status og_near_tie_settle(og_near_tie *settler, const og_state *state, bool *optimal,
                             bool *settled, og_message *message);

void og_near_tie_free(og_near_tie *settler); /* NULL is fine */

/*
 * True if labels of both groups are proved to have the same Q without computing it: the same
 * posterior, threshold and payoff, or mirror images, (a, b, d) and (b, a, 1 - d). Compares
 * fractions.
 */
bool og_alike(const og_arms *arms, const og_state_group *x, const og_state_group *y);

#endif
