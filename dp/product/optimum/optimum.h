#ifndef OG_DP_PRODUCT_OPTIMUM_OPTIMUM_H
#define OG_DP_PRODUCT_OPTIMUM_OPTIMUM_H

#include <stdbool.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/blocks/blocks.h"
#include "dp/product/margin/margin.h"
#include "dp/product/solve.h"

/*
 * The optimum of independent instances, its value and Q of the first label, with the cheaper
 * engine: the recursion (dp/product/solve.h), blocks (dp/product/blocks/) or the margin cut
 * (dp/product/margin/). For a bandit of few
 * instances, blocks are one layer in place (dp/product/bandit/) of any size, whose states take a
 * sixteenth of the work each.
 *
 * settings.engine chooses. OG_ENGINE_AUTO decides from counts, never from the clock or the number
 * of threads, so that the same question always gives the same bits:
 *
 * - The recursion is used if only it supports the question: a checkpoint, reductions switched off.
 * - It goes first, on one thread, for 4096 states, unless its tables are large: most small problems
 *   end there.
 * - Blocks are counted (og_blocks_new). If their work is at most 2^24 states, which takes a moment,
 *   or 40 times the entries of the recursion's tables, they are used at once.
 * - Else, with 20 instances or more, cuts of m = 2, 3, ... are tried (dp/product/margin/) that fit
 *   into the memory limit and have at most a tenth of the states of blocks. If blocks cannot be
 *   counted, the recursion first expands a 64th of a cut's states. If both ends of a cut agree
 *   within the error bound, that is the answer (of Q, the ends of all groups); otherwise its
 *   bracket is added to the result. Not over ranks.
 * - Else the recursion goes on, still on one thread, until it has expanded a 160th of that work
 *   (K/3200 if K, the number of instances, is less than 20); then blocks are used. In all this
 *   takes at most about twice the better of the two.
 * - The recursion goes on alone, on all threads, in three cases: blocks do not fit into the memory
 *   limit in addition to it; they have more work than 40 times settings.states_max; or there are
 *   more than 2^29 pairs of posteriors and labels left, so that counting blocks takes long.
 *
 * OG_ENGINE_BLOCKS: OG_BAD_INPUT with a checkpoint of a bandit's layer in place, or more than 64
 * different costs of actions; OG_STOPPED with a message if blocks do not fit into the limits.
 *
 * With a world of several ranks, all of them ask for the value of the same problem at the same
 * time, and each gets the answer. Rank 0 chooses as if it were alone, except that it counts the
 * memory of all ranks. It does the work of the recursion or of a bandit's layer alone; blocks are
 * shared. OG_BAD_INPUT with a scratch folder, a checkpoint or OG_ENGINE_RECURSION. Each rank
 * answers Q and policies separately.
 *
 * With a scratch folder blocks fit if everything except their layers fits. OG_BAD_INPUT with
 * OG_ENGINE_RECURSION or a checkpoint in addition, or if there is no such folder.
 */
typedef struct og_optimum og_optimum;

/* Borrows arms and everything that the settings borrow. Threads must not share it; it uses threads
 * itself. OG_BAD_INPUT with a message in the cases above; OG_NO_MEMORY. */
og_status og_optimum_new(const og_arms *arms, const og_settings *settings, og_optimum **out,
                         og_message *message);
void og_optimum_free(og_optimum *optimum); /* NULL is fine */

/* Makes only the checks of og_optimum_new. */
og_status og_optimum_check(const og_settings *settings, og_message *message);

/* As og_solver_value. result->by_blocks and by_margin give the engine, seconds count from
 * og_optimum_new, and memory_bytes is the most that either engine held. */
og_status og_optimum_value(og_optimum *optimum, og_result *result, og_message *message);

/*
 * The value of a policy, as og_policy_value and with the same choice of engines; reductions only
 * decide whether blocks may be used. The recursion is used if a policy has a chooser, or if no
 * state is needed. A policy whose ranks do not depend on the labels left is evaluated by its stages
 * (dp/product/stationary/) in these cases: the recursion does not end within its first 4096 states
 * and the stages take at most some 2^34 multiplications, or 2^39 if blocks do not fit. With
 * settings.stop_when_full blocks are also tried if the recursion's states do not fit, because
 * nothing may be forgotten then.
 */
og_status og_optimum_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                            const og_settings *settings, og_result *result, og_message *message);

/* As og_solver_q: q and error [group_count], budget >= 1. */
og_status og_optimum_q(og_optimum *optimum, double *q, double *error, og_message *message);

/* The recursion of the optimum with its present memory, for questions about later states. */
og_status og_optimum_solver(og_optimum *optimum, og_solver **out, og_message *message);

/*
 * The size of blocks, without solving anything. *exact: the number of states is exact; else it is
 * an upper bound, because blocks do not fit into the memory limit or, without a scratch folder,
 * have more than 2^33 states. OG_STOPPED with a message if even the tables of their classes do not
 * fit.
 */
og_status og_optimum_forecast(const og_arms *arms, const og_settings *settings, og_blocks_size *out,
                              bool *exact, og_message *message);

/* The size of the first margin cut, which og_optimum_value tries if the recursion does not end
 * before; states is INFINITY if it tries none. blocks: their exact size; NULL: not counted, or they
 * do not fit. OG_NO_MEMORY; OG_STOPPED if the watch ends it. */
og_status og_optimum_margin(const og_arms *arms, const og_settings *settings,
                            const og_blocks_size *blocks, og_margin_size *out);

/*
 * Whether og_optimum_value takes layers that are counted exactly, as og_optimum_forecast does: at
 * once, before any table of the recursion; perhaps, by how far the recursion comes; or never.
 */
typedef enum { OG_LAYERS_NEVER, OG_LAYERS_PERHAPS, OG_LAYERS_AT_ONCE } og_layers_taken;
og_layers_taken og_optimum_takes(const og_arms *arms, const og_settings *settings,
                                 const og_blocks_size *size);

#endif
