#ifndef OG_HEURISTICS_INDEX_GITTINS_NEAR_H
#define OG_HEURISTICS_INDEX_GITTINS_NEAR_H

#include "heuristics/index/gittins.h"

/* The index of a node by net worths in long doubles, for gittins_node.c (private to heuristics/).
 */
typedef struct og_gittins_near og_gittins_near; /* scratch of one thread, in an arena */

/* `width`: the nodes of a level at most. NULL: no memory. */
og_gittins_near *og_gittins_near_new(og_arena *arena, int32_t budget, size_t width);

/* `least` > 0: the index is not below it. Takes some walks over all nodes that may have a larger
 * index. */
double og_gittins_near_index(const og_gittins_place *at, double least, og_gittins_near *space);

#endif
