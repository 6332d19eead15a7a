#ifndef OG_BENCH_VALUE_TREE_H
#define OG_BENCH_VALUE_TREE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/state.h"

/*
 * The decision tree of optimal play, for small problems and pictures: every state that it can
 * reach, once, with its value, what can be labelled there and where that may lead. Rows are in
 * order of labels left, the root first; a state where nothing is left to gain has no actions.
 */
typedef struct {
    double probability;
    mpq_t exact;   /* the same; exact trees only, like all mpq_t here */
    int32_t label; /* outcome of the label; binary arms: 0 positive, 1 negative */
    int32_t to;    /* state */
} og_tree_outcome;

typedef struct {
    int32_t group; /* of the state: one of its instances is labelled */
    bool optimal;  /* not proved worse than another */
    double value;  /* expected correct calls at the end if this is done and play is optimal then */
    mpq_t exact;
    int32_t outcome_first; /* outcomes of actions that are not followed: none */
    int32_t outcome_count;
} og_tree_action;

typedef struct {
    int32_t left;
    int32_t group_first; /* into og_tree.group, sorted by arm and node */
    int32_t group_count;
    double value; /* expected correct calls at the end; of bandits the rewards to come */
    mpq_t exact;
    int32_t action_first;
    int32_t action_count;
} og_tree_state;

typedef struct {
    bool exact;
    int32_t state_count, action_count, outcome_count, group_count;
    og_tree_state *state;
    og_tree_action *action;
    og_tree_outcome *outcome;
    og_state_group *group;
} og_tree;

typedef struct {
    const og_arms *arms; /* borrowed */
    const og_settings *settings;
    bool exact;         /* fractions; OG_BAD_INPUT if an arm is not rational */
    bool all;           /* follow every action, not the optimal ones only */
    int32_t states_max; /* more are OG_BAD_INPUT */
} og_tree_request;

/* Fill *out; free it with og_tree_clear. On error *out is untouched. Takes the solver's time and a
 * Q for every action. */
og_status og_tree_grow(const og_tree_request *request, og_tree *out, og_message *message);
void og_tree_clear(og_tree *tree); /* a zeroed one is fine */

#endif
