#ifndef OG_TESTS_TREE_CHECKS_H
#define OG_TESTS_TREE_CHECKS_H

#include <stdbool.h>

#include "bench/questions/tree.h"

/*
 * Checks that every number of a tree follows from the next ones with the definitions, to 1e-12, and
 * that no state occurs twice. `all`: the tree must follow every action. `rewards`: actions may have
 * rewards, so that an action is worth at least its successors. Otherwise the test fails with these
 * words.
 */
void check_tree(const og_tree *tree, bool all, bool rewards, const char *words);

#endif
