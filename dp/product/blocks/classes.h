#ifndef OG_DP_PRODUCT_BLOCKS_CLASSES_H
#define OG_DP_PRODUCT_BLOCKS_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/policy.h"
#include "dp/product/two.h"

/*
 * The classes of r-step equivalent nodes (dp/product/layers.h), one layer at a time, and numbered
 * anew within each depth of each arm (for dp/product/blocks/ and dp/product/bandit/).
 *
 * The numbers of a depth: live classes in the order of the layer in which they were born, then of
 * their first nodes; after them one number for all nodes that are dead. So as long as no class dies
 * or merges, the numbers of two neighbouring layers are the same.
 *
 * Contracted nodes have no number: who meets one takes its reward and goes on to its outcomes at
 * once. A class of contracted and other nodes has one, and is not contracted.
 *
 * Of a policy the classes are those of its layers: of one rank, and none is dead.
 *
 * Of several actions (dp/product/blocks/actions.h) reward is the largest of a class; what labels
 * lead to is in lanes, probability and next being NULL.
 */
typedef struct {
    int32_t count; /* numbers, that of the dead included */
    int32_t live;  /* of them, those of live classes: 0 .. live - 1 */
    double reach;  /* largest R within the labels left of any of them */
    og_two_class
        two; /* its reaches, and do they fit, of all live ones; the rest where there is one */
    bool contracts;      /* a label may lead to a contracted node */
    bool same;           /* down[i] == i for all i */
    bool forces;         /* there may be a forced label: of several actions, each class has one,
                            of the least cost of all */
    uint64_t costs;      /* of several actions, a bit for each cost that one has here */
    uint32_t rank_least; /* of a policy: of all numbers */
    uint32_t rank_most;
    uint32_t *rank;      /* [count]; of a policy, else NULL */
    double *reward;      /* [count] */
    double *probability; /* [outcome_max * count]: of the k-th outcome of class i, at k * count + i;
                            0 where there are fewer */
    int32_t *next; /* likewise: number in the depth below of the layer below; a contracted one is
                      -1 - its place among the contracted of the layer below */
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

/* ranks: of a policy without a chooser; NULL: of the optimum. contracted: [global nodes] or NULL:
 * none. Both are borrowed, like the arms. ahead: reach and two are wanted; else they say nothing.
 * Starts at layer 0. */
og_status og_block_classes_new(const og_arms *arms, const og_ranks *ranks, const bool *contracted,
                               bool ahead, og_block_classes **out);
void og_block_classes_free(og_block_classes *classes); /* NULL is fine */

/* Most outcomes of a class. */
int32_t og_block_classes_outcomes(const og_block_classes *classes);

/* From layer r to r + 1 <= budget. O(nodes of that layer). What was read off layer r - 1 is gone.
 */
void og_block_classes_step(og_block_classes *classes);

/* Of the layer at hand, 0 <= depth <= budget - left. */
const og_block_depth *og_block_classes_depth(const og_block_classes *classes, int32_t arm,
                                             int32_t depth);

/* Of the layer below: what `next` of the layer at hand speaks of. */
const og_block_depth *og_block_classes_below(const og_block_classes *classes, int32_t arm,
                                             int32_t depth);
const og_block_contracted *og_block_classes_contracted(const og_block_classes *classes,
                                                       int32_t next);

/* The number of a node in the layer at hand; below 0: contracted. */
int32_t og_block_classes_of(const og_block_classes *classes, uint32_t global_node);

/* Of a node of an arm of two outcomes, in the layer at hand, as long as that is not settled or has
 * just become so: probabilities in the order in which they are added up, and the outcome that is
 * first. Equivalent outcomes are one, the second probability then being 0. Uses scratch. */
int32_t og_block_classes_order(const og_block_classes *classes, int32_t arm, uint32_t node,
                               double probability[2]);

/* Do no later layers have other classes, but for their reaches? */
bool og_block_classes_settled(const og_block_classes *classes);

/* Bytes that og_block_classes_new takes; a double, as it may be more than there is. */
double og_block_classes_bytes(const og_arms *arms, const og_ranks *ranks, bool ahead);

#endif
