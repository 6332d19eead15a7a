#ifndef OG_DP_PRODUCT_BLOCKS_CLASSES_MADE_H
#define OG_DP_PRODUCT_BLOCKS_CLASSES_MADE_H

#include "dp/product/blocks/actions.h"
#include "dp/product/blocks/classes.h"

/* The data of a layer's classes, for dp/product/blocks/classes.c and actions.c alone. */
enum { CONTRACTED_MOST = 64 }; /* of one layer; callers must not contract more */

typedef struct {
    double probability;
    uint32_t class; /* in the layer below; in a header: cost << 16 | outcomes */
    uint32_t node;  /* a global node of that class */
} outcome;

/* Data of a layer. */
typedef struct {
    uint32_t *class;          /* [nodes] */
    int32_t *number;          /* [nodes] */
    uint32_t *rank;           /* [classes] of a policy */
    double *reward;           /* [classes] */
    double *reach;            /* [classes] */
    og_two_copies_class *two; /* [classes] */
    og_block_depth *depth;
    double *numbers; /* memory from which the depths' arrays are cut */
    int32_t *places;
    uint32_t *ranks;
    og_block_contracted contracted[CONTRACTED_MOST];
    int32_t contracted_count;
} layer;

typedef struct og_block_lanes og_block_lanes;

struct og_block_classes {
    const og_arms *arms;
    const og_ranks *ranks; /* NULL: of the optimum */
    const bool *is_contracted;
    bool ahead;
    int32_t left;
    int32_t outcomes; /* most */
    og_block_costs costs;
    int32_t row; /* longest row of a node: outcomes and, with several actions, headers */
    uint32_t nodes;
    uint32_t classes; /* of the layer built last, class 0 included */
    uint32_t *birth;  /* [nodes] first layer in which the node is live; 0: none */
    uint32_t *order;  /* [nodes] those of each depth, by birth, those never born last */
    layer *layer;     /* [ring] */
    int32_t ring;     /* 2; with several actions the largest cost plus 1 */
    int32_t hand;     /* layer[hand] is the current one; those before it in the ring are below it */
    int32_t made;     /* the layer that was built last */
    bool settled;  /* both layers are the same but for their reaches, and so are all later ones */
    double *reach; /* [classes] scratch */
    og_two_copies_class *two;
    /* For the layer being built, by class: */
    outcome *outcome; /* [classes * row] */
    int32_t *outcome_count;
    uint32_t *down;
    uint32_t *stamp; /* the depth that numbered it last, */
    int32_t *number; /* and how */
    uint32_t *slot;  /* hash table of classes, 0 is free */
    uint32_t slot_count;
    outcome *scratch; /* [row] */
    /* Several actions, else NULL: */
    og_block_lanes *lanes;
    uint32_t *first; /* [nodes] for each number of a depth, a global node */
};

/* The layer that is `units` < ring below the current one. */
static inline layer *og_block_layer_below(const og_block_classes *c, int32_t units)
{
    return &c->layer[(c->hand - units + c->ring) % c->ring];
}

/* The outcomes of an action, sorted by their class in that layer, then by probability; those of one
 * class are added up. Returns their number. */
int32_t og_block_outcomes_of(const og_block_classes *c, int32_t arm, uint32_t action,
                             const layer *below, outcome *list);

/*
 * For several actions: writes the row that identifies a node into c->scratch. For each action that
 * is affordable and may gain anything, it has a header (reward, cost, number of outcomes), then the
 * outcomes. Returns the length of the row, and the largest reward.
 */
int32_t og_block_actions_row(const og_block_classes *c, int32_t arm, uint32_t node, double *reward);

/* The largest R in reach of a node with that row. */
double og_block_actions_reach(const og_block_classes *c, const outcome *row, int32_t length);

/* Finds the first layer in which each node is live. */
void og_block_actions_births(og_block_classes *c);

/* Allocates the lanes of all depths of a layer; needs the costs, outcomes and nodes of the
 * classes. */
og_status og_block_lanes_new(const og_block_classes *c, og_block_lanes **out);
void og_block_lanes_free(og_block_lanes *lanes); /* NULL is fine */
double og_block_lanes_bytes(const og_arms *arms, const og_block_costs *costs, int32_t outcomes);

/* The first function begins a layer; the second is called when the numbers of a depth are known,
 * and first[number] is a node of each. */
void og_block_lanes_begin(og_block_lanes *lanes);
void og_block_lanes_fill(og_block_classes *c, int32_t arm, int32_t depth, og_block_depth *d,
                         const uint32_t *first);

#endif
