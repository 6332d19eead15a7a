#ifndef OG_DP_PRODUCT_SOLVE_H
#define OG_DP_PRODUCT_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/product/policy.h"
#include "dp/product/state.h"

/*
 * The optimal value of a problem and the exact value of a policy on it.
 */

/*
 * A solver keeps its memory between calls, so that Q-values and values of later states cost little.
 * It borrows `arms`, which must outlive it. Not to be shared between threads; it uses threads
 * itself.
 */
typedef struct og_solver og_solver;

og_status og_solver_new(const og_arms *arms, const og_settings *settings, og_solver **out,
                        og_message *message);

/*
 * The optimum from the root. OG_STOPPED with a message if a limit was reached or the watch said so:
 * result then holds sizes and seconds only. What was found stays in the solver's memory and, where
 * settings name one, in the checkpoint. OG_OK with a message: the value stands, but a checkpoint
 * could not be written.
 */
og_status og_solver_value(og_solver *solver, og_result *result, og_message *message);

/*
 * Q of labelling an instance of each group first: the gain still to come if it is labelled now and
 * play is optimal after that. q: [group_count]; budget >= 1. Also says in *error the proved
 * absolute error of each.
 */
og_status og_solver_q(og_solver *solver, double *q, double *error, og_message *message);

/*
 * The same for any state of the problem's posteriors that have had, and have left, no more labels
 * than the budget together (dp/product/state.h; OG_BAD_INPUT with a message for others): what is
 * still to be gained, *gain, and Q of labelling an instance of each of its groups, q[state->count].
 * What is still to be gained is relative to the state: rewards before it do not count. Takes a
 * table of 4 bytes for every posterior and number of labels left once the first such state is asked
 * for, and OG_STOPPED if that passes the memory limit; then as long as the states behind it, those
 * that are known cost nothing. left == 0: 0 for the first, OG_BAD_INPUT for the second.
 */
og_status og_solver_value_at(og_solver *solver, const og_state *state, double *gain,
                             og_message *message);
og_status og_solver_q_at(og_solver *solver, const og_state *state, double *q, double *error,
                         og_message *message);

/*
 * Which groups of such a state are worth the same whatever is done: alike[i] <= i is the first
 * group that is known to be equivalent to group i, [state->count]. Costs no valuation.
 */
og_status og_solver_alike(og_solver *solver, const og_state *state, int32_t *alike,
                          og_message *message);

/* Q of one group alone, 0 <= group < state->count: no other is valued. */
og_status og_solver_q_of(og_solver *solver, const og_state *state, int32_t group, double *q,
                         og_message *message);

/* Q of one action of the group's node, numbered as its arm does; OG_BAD_INPUT where it does not fit
 * into what is left. For arms of several actions, of whose actions og_solver_q_at tells the best.
 */
og_status og_solver_q_of_action(og_solver *solver, const og_state *state, int32_t group,
                                uint32_t action, double *q, og_message *message);

/*
 * For whoever may turn to another engine (dp/product/optimum): from now on use so many threads, and
 * stop as at a limit once all calls together have expanded more than expanded_max states; 0: never.
 */
void og_solver_pace(og_solver *solver, int threads, uint64_t expanded_max);
uint64_t og_solver_expanded(const og_solver *solver); /* by all calls */
uint64_t og_solver_bytes(const og_solver *solver);    /* held now, arms included */

/* Proved relative error of every gain and Q that the solver computes. */
double og_solver_relative_error(const og_solver *solver);

void og_solver_free(og_solver *solver);

/*
 * A solver whose values are those of a policy under a tie rule: its Q is that of labelling an
 * instance of the group now and following the policy after that. Borrows `ranks` too. See
 * og_policy_value for which reductions it uses. States keep the order of their groups for
 * OG_TIES_FIRST, and the instance that is labelled is the first of its group.
 */
og_status og_solver_new_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                               const og_settings *settings, og_solver **out, og_message *message);

/*
 * The exact value of the policy given by `ranks` under a tie rule. Uses reductions 1 (not for
 * OG_TIES_FIRST) and 2 with the rank added to what must agree, and for OG_TIES_BEST and
 * OG_TIES_WORST a cap of `left` copies; no other is exact for a policy, and not the cap for one
 * that is asked (dp/product/chooser.h), whose failures are passed on. Ranks that are all equal with
 * OG_TIES_RANDOM have a closed form (dp/product/uniform.h), which visits no state.
 */
og_status og_policy_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                          const og_settings *settings, og_result *result, og_message *message);

#endif
