#ifndef OG_BENCH_VALUE_TREE_H
#define OG_BENCH_VALUE_TREE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"

/*
 * The decision tree of optimal play, for small problems and pictures: every state that it can
 * reach, once, with its value, what can be done there and where that may lead. The root is the
 * first row, and no state leads to an earlier one; a state where nothing is left to gain, or behind
 * the last level, has no actions.
 */
typedef struct {
    double probability;
    mpq_t exact; /* the same; exact trees only, like all mpq_t here */
    char *text;  /* the answer; "" where there is none */
    int32_t to;  /* state */
} og_tree_outcome;

typedef struct {
    char *text;   /* what is done; where chance decides: "" */
    bool optimal; /* not proved worse than another */
    double value; /* as the state's, if this is done and play is optimal then */
    mpq_t exact;
    int32_t outcome_first; /* outcomes of actions that are not followed: none */
    int32_t outcome_count;
} og_tree_action;

typedef struct {
    int32_t left;
    bool chance; /* nothing is decided: its one action is what may happen */
    bool cut;    /* past the last level: what can be done here is not told */
    char *text;
    double value; /* what is counted at the end, expected; see og_tree.gains */
    mpq_t exact;
    int32_t action_first;
    int32_t action_count;
} og_tree_state;

typedef struct {
    bool exact;
    bool gains; /* values are what is still to be gained */
    int32_t state_count, action_count, outcome_count;
    og_tree_state *state;
    og_tree_action *action;
    og_tree_outcome *outcome;
    og_arena texts;
} og_tree;

typedef struct {
    const og_family *family; /* borrowed, like the rest */
    const void *problem;
    og_settings settings;
    bool exact;         /* fractions; OG_BAD_INPUT if there are none */
    bool all;           /* follow every action, not the optimal ones only */
    int32_t states_max; /* more are OG_BAD_INPUT */
    int32_t levels_max; /* labels that are followed; 0: all */
} og_tree_request;

/* Fill *out; free it with og_tree_clear. OG_BAD_INPUT with a message where the family has no
 * states to show. On error *out is untouched. Takes the solver's time and a Q for every action. */
og_status og_tree_grow(const og_tree_request *request, og_tree *out, og_message *message);
void og_tree_clear(og_tree *tree); /* a zeroed one is fine */

#endif
