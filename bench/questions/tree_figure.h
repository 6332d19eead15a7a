#ifndef OG_BENCH_QUESTIONS_TREE_FIGURE_H
#define OG_BENCH_QUESTIONS_TREE_FIGURE_H

#include <stdbool.h>

#include "bench/document.h"
#include "bench/questions/tree.h"

/*
 * A decision tree as a figure, which the program, Python and the web page draw alike: puts into
 * `out` what tools/python/optgap/_figures/tree.py reads, "figure", "title", "subtitle", "nodes" and
 * "arrows". The node of state 3 is called "s3", the one of action 12, of all, "a12". Mirror images,
 * with positive and negative exchanged, are drawn once; with `whole` all of them. OG_NO_MEMORY.
 */
og_status og_tree_figure(const og_asked *asked, const og_tree *tree, bool whole, og_document *out);

#endif
