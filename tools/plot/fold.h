#ifndef OG_TOOLS_PLOT_FOLD_H
#define OG_TOOLS_PLOT_FOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h> /* before gmp.h, which has functions on streams only behind it */

#include "bench/value/tree.h"

/*
 * Which parts of a decision tree are mirror images of others: where positive and negative can be
 * exchanged, or classes, instance by instance, (2,1) and (1,2) are alike in all that follows.
 */
typedef struct {
    int32_t *state;  /* [state_count] the one that is drawn in its place; itself, if it is drawn */
    int32_t *action; /* [action_count] likewise, of the same state */
    bool *shown;     /* [state_count] does the root lead to it, by what is drawn? */
    int32_t folded;  /* outcomes and actions that stand for an image */
} tree_fold;

/* Free it with fold_clear. `mirrors` false: nothing is folded. Without memory the program ends. */
tree_fold fold_tree(const og_tree *tree, bool mirrors);
void fold_clear(tree_fold *fold);

#endif
