#ifndef OG_BENCH_QUESTIONS_TREE_H
#define OG_BENCH_QUESTIONS_TREE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"

/*
 * The decision tree of an optimal policy, for small problems and figures. It holds every reachable
 * state once, with its value, its actions and their outcomes. The root is the first row, and no
 * state leads to an earlier one. A state without any further gain, or past the last level, has no
 * actions.
 *
 * With a policy beside the optimum (og_tree.against) it also holds the states that this policy
 * reaches, its choices with ties broken at random, and what they lose. Then the policy's gap,
 * without what final calls of its own lose, is the sum of `reached` times `lost` over the states
 * (bench/questions/explain.h).
 */
typedef struct {
    double probability;
    mpq_t exact; /* the same; exact trees only, like all mpq_t here */
    char *text;  /* the answer; "" if there is none */
    int32_t to;  /* state */
} og_tree_outcome;

typedef struct {
    char *text;   /* the act; "" if chance moves */
    bool optimal; /* not proved worse than another */
    double value; /* counted as in the state, if this act is taken and play is then optimal */
    mpq_t exact;
    int32_t outcome_first; /* actions that are not followed have no outcomes */
    int32_t outcome_count;
    double chosen, lost; /* probability that the policy takes it; value lost by it, 0 if optimal */
    mpq_t chosen_exact, lost_exact;
} og_tree_action;

typedef struct {
    int32_t left;
    bool chance; /* chance moves: its only action holds the events */
    bool cut;    /* past the last level: its actions are not listed */
    char *text;
    double value; /* expected final value; see og_tree.gains */
    mpq_t exact;
    int32_t action_first;
    int32_t action_count;
    double reached, lost; /* probability that the policy meets it; value lost by its choice here */
    mpq_t reached_exact, lost_exact;
} og_tree_state;

typedef struct {
    bool exact;
    bool gains;          /* values are the further gain */
    const char *against; /* name of the policy, borrowed; NULL: none */
    double lost; /* by its choices; NAN: not known, because it reaches states past the last level */
    mpq_t lost_exact;
    int32_t state_count, action_count, outcome_count;
    og_tree_state *state;
    og_tree_action *action;
    og_tree_outcome *outcome;
    og_arena texts;
} og_tree;

/* Fill *out; free it with og_tree_clear. OG_BAD_INPUT with a message if the family does not support
 * states, or several policies are given, or one whose choices are not supported state by state. On
 * error *out is untouched. Cost: the solver's time and one Q for every action. */
og_status og_tree_grow(const og_asked *asked, og_tree *out, og_message *message);
void og_tree_clear(og_tree *tree); /* a zeroed one is fine */

#endif
