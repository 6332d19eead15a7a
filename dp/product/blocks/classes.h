#ifndef OG_DP_PRODUCT_BLOCKS_CLASSES_H
#define OG_DP_PRODUCT_BLOCKS_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/policy.h"
#include "dp/product/two_copies.h"

/*
 * The classes of r-step equivalent nodes (dp/product/layers.h), one layer at a time, with their own
 * numbers in each depth of each arm (for dp/product/blocks/ and dp/product/bandit/).
 *
 * The numbers of a depth: live classes in the order of the layer in which they were born, then of
 * their first nodes; after them one number for all dead nodes. So as long as no class dies or
 * merges, two neighbouring layers have the same numbers.
 *
 * Contracted nodes have no number: a label that leads to one takes its reward and goes on to its
 * outcomes at once. A class of contracted and other nodes has a number, and is not contracted.
 *
 * For a policy, the classes are those of its layers: each of one rank, and none is dead.
 *
 * With several actions (dp/product/blocks/actions.h), `reward` is the largest of a class; the lanes
 * hold the outcomes of labels, and `probability` and `next` are NULL.
 */
typedef struct {
    int32_t count; /* numbers, including that of the dead */
    int32_t live;  /* number of live classes, which are 0 .. live - 1 */
    double reach;  /* largest R within the labels left of any class */
    og_two_copies_class
        two; /* its reaches and `fits` cover all live classes; the rest is for a single one */
    bool contracts;      /* a label may lead to a contracted node */
    bool same;           /* down[i] == i for all i */
    bool forces;         /* there may be a forced label; with several actions, each class has one
                          * action, of the least cost */
    uint64_t costs;      /* several actions: a bit for each cost of an action here */
    uint32_t rank_least; /* of a policy: the least of all numbers */
    uint32_t rank_most;
    uint32_t *rank;      /* [count]; of a policy, else NULL */
    double *reward;      /* [count] */
    double *probability; /* [outcome_max * count] of the k-th outcome of class i, at k * count + i;
                          * 0 if there are fewer */
    int32_t *next; /* likewise: number in the depth below of the layer below; a contracted node has
                    * -1 - its place among the contracted of the layer below */
    int32_t *down; /* [count] number in the layer below without a label */
} og_block_depth;

/* A contracted class of a layer. */
typedef struct {
    uint32_t node; /* global */
    double reward;
    double *probability; /* [outcome_max] as above */
    int32_t *next;       /* [outcome_max] numbers two depths below, never contracted */
} og_block_contracted;

typedef struct og_block_classes og_block_classes;

/* `ranks`: of a policy without a chooser; NULL: of the optimum. `contracted`: [global nodes], or
 * NULL for none. Both are borrowed, like the arms. `ahead`: computes `reach` and `two`, which are
 * undefined otherwise. Starts at layer 0. */
og_status og_block_classes_new(const og_arms *arms, const og_ranks *ranks, const bool *contracted,
                               bool ahead, og_block_classes **out);
void og_block_classes_free(og_block_classes *classes); /* NULL is fine */

/* Goes from layer r to r + 1 <= budget. O(nodes of that layer). Pointers into layer r - 1 become
 * invalid. */
void og_block_classes_step(og_block_classes *classes);

/* A depth of the current layer, 0 <= depth <= budget - left. */
const og_block_depth *og_block_classes_depth(const og_block_classes *classes, int32_t arm,
                                             int32_t depth);

/* A depth of the layer below, to which `next` of the current layer refers. */
const og_block_depth *og_block_classes_below(const og_block_classes *classes, int32_t arm,
                                             int32_t depth);
const og_block_contracted *og_block_classes_contracted(const og_block_classes *classes,
                                                       int32_t next);

/* The number of a node in the current layer; below 0: contracted. */
int32_t og_block_classes_of(const og_block_classes *classes, uint32_t global_node);

/* The outcomes of a node of an arm with two outcomes, in the current layer, unless that was settled
 * before: the probabilities in the order in which they are added up, and the number of the first
 * outcome. Equivalent outcomes are one, and the second probability is then 0. Uses scratch. */
int32_t og_block_classes_order(const og_block_classes *classes, int32_t arm, uint32_t node,
                               double probability[2]);

/* True if all later layers have the same classes, apart from their reaches. */
bool og_block_classes_settled(const og_block_classes *classes);

/* Bytes that og_block_classes_new allocates; a double, because they may exceed all memory. */
double og_block_classes_bytes(const og_arms *arms, const og_ranks *ranks, bool ahead);

#endif
