#ifndef OG_DP_EXACT_SETTLE_H
#define OG_DP_EXACT_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/state.h"

/*
 * Which actions of a state are optimal where doubles cannot tell: by fractions, which are computed
 * within a limit only.
 */
typedef struct og_settler og_settler;

enum { OG_SETTLE_STATES = 100000 };

/*
 * Borrows `arms`. Of the settings it takes the watch; memory_bytes is its own limit, and its
 * fractions take OG_SETTLE_STATES states at most, on one thread: so what is settled does not depend
 * on the number of threads. OG_NO_MEMORY.
 */
og_status og_settler_new(const og_arms *arms, const og_settings *settings, uint64_t memory_bytes,
                         og_settler **out);

/*
 * optimal[state->count]: which groups' labels have the largest Q. *settled is false, and `optimal`
 * untouched, where an arm is not rational or the limits are reached: then, too, it is not tried
 * again. OG_STOPPED with a message if the watch said so; OG_NO_MEMORY.
 */
og_status og_settle(og_settler *settler, const og_state *state, bool *optimal, bool *settled,
                    og_message *message);

void og_settler_free(og_settler *settler); /* NULL is fine */

/*
 * Is labelling the one proved to be worth what labelling the other is, without its value: one
 * posterior, threshold and payoff, or mirror images, (a, b, d) and (b, a, 1 - d)? By fractions.
 */
bool og_alike(const og_arms *arms, const og_state_group *x, const og_state_group *y);

#endif
