#ifndef OG_TESTS_TREE_CHECKS_H
#define OG_TESTS_TREE_CHECKS_H

#include <stdbool.h>

#include "bench/value/tree.h"

/*
 * Every figure of a tree follows from the next ones by the definitions, to 1e-12, and nothing
 * stands there twice. `all`: every action was to be followed. `rewards`: what is done may count by
 * itself, so that it is worth at least what follows. Else the test fails with these words.
 */
void check_tree(const og_tree *tree, bool all, bool rewards, const char *words);

#endif
