#ifndef OG_DP_PRODUCT_BLOCKS_ACTIONS_H
#define OG_DP_PRODUCT_BLOCKS_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/product/blocks/classes.h"

/*
 * Nodes of several actions (private to dp/product/blocks/).
 *
 * Layers count units of the budget. An action of cost c makes an instance c levels deeper, and
 * reads layer left - c. A depth has as many lanes of a cost as its nodes have actions of that cost
 * at most. The k-th lane holds the k-th action of that cost of each class, so a lane is evaluated
 * like the labels of nodes with one action. The order of several actions does not matter for a
 * maximum; outcomes are added up in the order of their classes in layer left - c, as in the
 * recursion.
 */
enum { OG_BLOCK_COSTS_MAX = 64 };

typedef struct {
    bool several;  /* true if a node has several actions, or one that costs more than 1 */
    int32_t count; /* number of different costs; 1 (cost 1 alone) if not `several` */
    int32_t cost[OG_BLOCK_COSTS_MAX]; /* ascending */
    int32_t most;                     /* largest number of actions of a node */
} og_block_costs;

/* O(actions). False if there are more than OG_BLOCK_COSTS_MAX costs. */
bool og_block_costs_of(const og_arms *arms, og_block_costs *out);

/* The largest cost, which is the number of layers below that a layer reads. */
static inline int32_t og_block_costs_last(const og_block_costs *costs)
{
    return costs->cost[costs->count - 1];
}

static inline int32_t og_block_costs_place(const og_block_costs *costs, int32_t cost)
{
    int32_t place = 0;
    while (costs->cost[place] != cost) {
        place++;
    }
    return place;
}

/* The numbers of a depth after an action of one cost. */
typedef struct {
    int32_t lanes;
    const og_block_depth *lane; /* [lanes] a reward below 0: the class has no such action */
    int32_t *down;              /* [count] number, so many layers below, without a label */
    bool same;                  /* down[i] == i for all i */
} og_block_way;

/* For several actions: the way of a depth in the current layer, for the cost in this place, which
 * must be affordable. */
const og_block_way *og_block_classes_way(const og_block_classes *classes, int32_t arm,
                                         int32_t depth, int32_t place);

#endif
