#ifndef OG_DP_PRODUCT_OPTIMUM_OPTIMUM_H
#define OG_DP_PRODUCT_OPTIMUM_OPTIMUM_H

#include <stdbool.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/blocks/blocks.h"
#include "dp/product/solve.h"

/*
 * The optimum of independent instances, its value and Q of the first label, by whichever engine
 * takes less: the recursion (dp/product/solve.h) or blocks (dp/product/blocks/). Of a bandit of few
 * instances blocks are one layer in place (dp/product/bandit/), whose states are a sixteenth of the
 * work each, and of any number.
 *
 * settings.engine says which. OG_ENGINE_AUTO decides by what is counted, never by the clock or by
 * the number of threads, so that the same question has the same bits always:
 *
 *   - The recursion, where only it can do what is asked: a checkpoint, reductions switched off.
 *   - It goes first, on one thread, for 4096 states, unless its tables are large: most small
 *     problems end there.
 *   - Blocks are counted (og_blocks_new). If their work is at most 2^24 states, a moment, or 40
 *     times the entries of the recursion's tables, they are taken at once.
 *   - Else the recursion goes on, still on one thread, until it has expanded a 160th of that work
 *     (K/3200 where K, the instances, are fewer than 20); then blocks are taken. In all, never more
 * than about twice the better of the two.
 *   - Where blocks do not fit into the memory limit beside the recursion, or have more work than 40
 *     times settings.states_max, or where posteriors and labels left are more than 2^29 pairs, so
 *     that counting blocks takes long, it goes on alone, on all threads, from where it is.
 *
 * OG_ENGINE_BLOCKS: OG_BAD_INPUT with a checkpoint of a bandit's layer in place, or more than 64
 * different costs of actions; OG_STOPPED with a message where they do not fit into the limits.
 *
 * With a world of several ranks all of them ask for the value at the same time, of the same
 * problem; each has the answer. Rank 0 chooses as if it were alone, but for what fits, and does
 * alone what the recursion or a bandit's layer does; blocks are shared. OG_BAD_INPUT with a scratch
 * folder, a checkpoint or OG_ENGINE_RECURSION. Q and policies each rank answers by itself.
 *
 * With a scratch folder blocks fit if all but their layers does. OG_BAD_INPUT with
 * OG_ENGINE_RECURSION or a checkpoint beside it, or if there is no such folder.
 */
typedef struct og_optimum og_optimum;

/* Borrows arms and what the settings borrow. Not to be shared between threads; it uses threads
 * itself. OG_BAD_INPUT with a message as said above; OG_NO_MEMORY. */
og_status og_optimum_new(const og_arms *arms, const og_settings *settings, og_optimum **out,
                         og_message *message);
void og_optimum_free(og_optimum *optimum); /* NULL is fine */

/* The refusals of og_optimum_new alone. */
og_status og_optimum_check(const og_settings *settings, og_message *message);

/* As og_solver_value; result->by_blocks says which it was, seconds are those since og_optimum_new,
 * memory_bytes the most that either held. */
og_status og_optimum_value(og_optimum *optimum, og_result *result, og_message *message);

/*
 * The value of a policy, as og_policy_value and by the same choice of engines; reductions only say
 * whether blocks may be taken. The recursion where a policy has a chooser, or no state is needed.
 * One whose ranks do not depend on the labels left goes by its stages (dp/product/stationary/)
 * where the recursion's first 4096 states are not all and the stages take some 2^34 multiplications
 * at most, 2^39 where blocks do not fit. With settings.stop_when_full blocks are tried as well
 * where the recursion's states do not fit: nothing is forgotten then.
 */
og_status og_optimum_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                            const og_settings *settings, og_result *result, og_message *message);

/* As og_solver_q: q and error [group_count], budget >= 1. */
og_status og_optimum_q(og_optimum *optimum, double *q, double *error, og_message *message);

/* The recursion, for questions about later states, with what it knows by now; the optimum's. */
og_status og_optimum_solver(og_optimum *optimum, og_solver **out, og_message *message);

/*
 * What blocks would take, without solving anything. *exact: to the state; else at most, either
 * because they do not fit into the memory limit or, without a scratch folder, because they are more
 * than 2^33. OG_STOPPED with
 * a message where even the tables of their classes do not fit.
 */
og_status og_optimum_forecast(const og_arms *arms, const og_settings *settings, og_blocks_size *out,
                              bool *exact, og_message *message);

/*
 * Whether og_optimum_value takes layers that are counted exactly, as og_optimum_forecast does: at
 * once, before any table of the recursion; perhaps, by how far the recursion comes; or never.
 */
typedef enum { OG_LAYERS_NEVER, OG_LAYERS_PERHAPS, OG_LAYERS_AT_ONCE } og_layers_taken;
og_layers_taken og_optimum_takes(const og_arms *arms, const og_settings *settings,
                                 const og_blocks_size *size);

#endif
