#ifndef OG_DP_PRODUCT_SOLVE_H
#define OG_DP_PRODUCT_SOLVE_H

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
 * A solver keeps its memory between calls, so Q-values and values of later states cost little. It
 * borrows `arms`, which must outlive it. Threads must not share it; it uses threads itself.
 */
typedef struct og_solver og_solver;

og_status og_solver_new(const og_arms *arms, const og_settings *settings, og_solver **out,
                        og_message *message);

/*
 * The optimum from the root. OG_STOPPED with a message if a limit was reached or the watch stopped
 * the work; the result then holds sizes and seconds only. Finished values stay in the solver's
 * memory and, if the settings name one, in the checkpoint. OG_OK with a message: the value is
 * valid, but a checkpoint could not be written.
 */
og_status og_solver_value(og_solver *solver, og_result *result, og_message *message);

/*
 * Q of labelling an instance of each group first: the gain still to come if it is labelled now and
 * play is optimal after that. q: [group_count]; budget >= 1. *error is the proved absolute error of
 * each.
 */
og_status og_solver_q(og_solver *solver, double *q, double *error, og_message *message);

/*
 * The gain still to come in any state, *gain, and Q of labelling an instance of each of its groups,
 * q[state->count]. The state consists of the problem's posteriors, and the labels it had and those
 * left are at most the budget together (dp/product/state.h; OG_BAD_INPUT with a message for
 * others). Rewards before the state do not count. The first such state builds a table of 4 bytes
 * for every posterior and number of labels left; OG_STOPPED if that exceeds the memory limit. After
 * that the cost is that of the states that follow; states in memory cost nothing. left == 0: the
 * gain is 0, and Q is OG_BAD_INPUT.
 */
og_status og_solver_value_at(og_solver *solver, const og_state *state, double *gain,
                             og_message *message);
og_status og_solver_q_at(og_solver *solver, const og_state *state, double *q, double *error,
                         og_message *message);

/*
 * Finds groups of such a state that have the same value under all play: alike[i] <= i is the first
 * group found to be equivalent to group i, [state->count]. Evaluates nothing.
 */
og_status og_solver_alike(og_solver *solver, const og_state *state, int32_t *alike,
                          og_message *message);

/* Q of one group alone, 0 <= group < state->count; evaluates no other group. */
og_status og_solver_q_of(og_solver *solver, const og_state *state, int32_t group, double *q,
                         og_message *message);

/* Q of one action of the group's node, with the number it has in its arm; OG_BAD_INPUT if its cost
 * exceeds the labels left. For arms of several actions, of which og_solver_q_at gives only the
 * best. */
og_status og_solver_q_of_action(og_solver *solver, const og_state *state, int32_t group,
                                uint32_t action, double *q, og_message *message);

/*
 * For callers that may change to another engine (dp/product/optimum): from now on use so many
 * threads, and stop as at a limit once all calls together have expanded more than expanded_max
 * states; 0: never.
 */
void og_solver_pace(og_solver *solver, int threads, uint64_t expanded_max);
uint64_t og_solver_expanded(const og_solver *solver); /* by all calls */
uint64_t og_solver_bytes(const og_solver *solver);    /* held now, arms included */

/* Proved relative error of every gain and Q that the solver computes. */
double og_solver_relative_error(const og_solver *solver);

void og_solver_free(og_solver *solver);

/*
 * A solver for the values of a policy under a tie rule: Q of a group is the value of labelling one
 * of its instances now and following the policy after that. Borrows `ranks` too. See
 * og_policy_value for the reductions in use. With OG_TIES_FIRST states keep the order of their
 * groups, and the first instance of a group is labelled.
 */
og_status og_solver_new_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                               const og_settings *settings, og_solver **out, og_message *message);

/*
 * The exact value of the policy given by `ranks` under a tie rule. Uses reduction 1 (not for
 * OG_TIES_FIRST), reduction 2 with equal ranks required, and for OG_TIES_BEST and OG_TIES_WORST a
 * cap of `left` copies. No other reduction is exact for a policy, nor is the cap for a policy with
 * a chooser (dp/product/chooser.h), whose errors are returned. Equal ranks with OG_TIES_RANDOM have
 * a closed form (dp/product/uniform.h), which visits no state.
 */
og_status og_policy_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                          const og_settings *settings, og_result *result, og_message *message);

/* The same of another worth, without the closed form. result->gain has no calls in it; of labels it
 * is their number, and the error bound its error. */
og_status og_policy_value_of(const og_ranks_play *play, const og_play_worth *worth,
                             const og_settings *settings, og_result *result, og_message *message);

/* The expected number of labels that the policy uses, and its proved error: its value if each label
 * earns 1. The budget, without an evaluation, if it never stops (og_ranks_may_stop: a policy with a
 * chooser must have been evaluated). Not for ties best and worst. Otherwise as og_policy_value. */
og_status og_policy_labels(const og_ranks_play *play, const og_settings *settings, double *labels,
                           double *error, og_message *message);

/*
 * law[n], n = 0 .. budget: the probability that the policy uses n labels in all, each a sum of
 * products of at most 3 budget factors. Not for ties best and worst. OG_STOPPED if the states would
 * exceed half of the memory, or the watch ends it; otherwise as og_policy_value.
 */
og_status og_policy_labels_law(const og_ranks_play *play, const og_settings *settings, double *law,
                               og_message *message);

#endif
