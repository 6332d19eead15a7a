#ifndef OG_TOOLS_PLOT_FOLD_H
#define OG_TOOLS_PLOT_FOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h> /* before gmp.h, which declares functions on streams only after it */

#include "bench/questions/tree.h"

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
} tree_fold;

/* Free it with fold_clear. With `mirrors` false nothing is folded. Without memory the program ends.
 */
tree_fold fold_tree(const og_tree *tree, bool mirrors);
void fold_clear(tree_fold *fold);

#endif
