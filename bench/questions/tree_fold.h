#ifndef OG_BENCH_QUESTIONS_TREE_FOLD_H
#define OG_BENCH_QUESTIONS_TREE_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/questions/tree.h"
#include "dp/base/arena.h"

/*
 * The parts of a decision tree that are mirror images of others. If positive and negative (or
 * classes) can be exchanged, instance by instance, (2,1) and (1,2) have the same value and
 * continuation.
 */
typedef struct {
    int32_t *state;  /* [state_count] the state that is drawn in its place, or itself */
    int32_t *action; /* [action_count] the same for actions of one state */
    bool *shown;     /* [state_count] true if the root leads to it through drawn states */
    int32_t folded;  /* number of outcomes and actions that stand for an image */
} og_tree_fold;

/* Fills *out with arrays of the arena. With `mirrors` false nothing is folded. OG_NO_MEMORY. */
og_status og_tree_fold_find(og_arena *arena, const og_tree *tree, bool mirrors, og_tree_fold *out);

#endif
