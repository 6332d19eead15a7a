#ifndef OG_HEURISTICS_INDEX_GITTINS_NEAR_H
#define OG_HEURISTICS_INDEX_GITTINS_NEAR_H

#include "heuristics/index/gittins.h"

/* The index of a node from net worths in long doubles, for gittins_node.c (private to heuristics/).
 */
typedef struct og_gittins_near og_gittins_near; /* work space of one thread, in an arena */

/* `width`: largest number of nodes in a level. NULL: out of memory. */
og_gittins_near *og_gittins_near_new(og_arena *arena, int32_t budget, size_t width);

/* `least` > 0 is a lower bound on the index. Takes some walks over all nodes that may have a larger
 * index. */
double og_gittins_near_index(const og_gittins_place *at, double least, og_gittins_near *space);

#endif
