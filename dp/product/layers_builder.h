#ifndef OG_DP_PRODUCT_LAYERS_BUILDER_H
#define OG_DP_PRODUCT_LAYERS_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/product/layers.h"

/*
 * Working data of layers while they are built (private to dp/product/).
 *
 * While their layer is built, several actions of a node are one row of outcomes. A header before
 * the outcomes of each action has the form of an outcome: it holds the reward in place of a
 * probability, and the cost and the number of outcomes in place of a class. So classes agree row
 * for row, with one action or several.
 */

/* A possible outcome of a label. */
typedef struct {
    double probability;
    uint64_t next;
} signature_outcome;

/* The data on which all nodes of a class must agree. */
typedef struct {
    double reward;
    uint32_t rank;
    uint32_t down;
    uint32_t node; /* global node, only when classes are not merged */
    uint32_t outcome_count;
    signature_outcome outcome[]; /* ascending next */
} signature;

typedef struct {
    og_arena arena; /* of `below`, `here`, `key` */
    const og_arms *arms;
    const og_ranks *ranks;
    bool merge;
    bool ends; /* as in og_layers_use, with merge */
    uint64_t memory_bytes;
    og_stop *stop;
    og_exact_names *names; /* NULL: doubles */
    uint64_t names_bytes;  /* memory of the names before the build */
    og_layers *layers;
    og_classes *classes; /* NULL if not wanted */
    bool several;        /* nodes have several actions, or one of a cost other than 1 */
    uint32_t **past;     /* [largest cost + 1], each [global nodes]: class so many layers below */
    uint32_t *below;     /* past[1] */
    uint32_t *here;      /* past[0], of the layer being built */
    uint32_t *slot;      /* hash table of classes, 0 is free */
    uint32_t slot_count;
    signature *key;
    uint32_t node; /* global node with this signature */
    /* growing arrays of the layer being built */
    og_layer layer;
    uint32_t class_capacity;
    uint32_t outcome_capacity;
} builder;

/* Resizes the array *pointer to so many elements, at least one. False: out of memory, and the array
 * is unchanged. */
bool og_layers_resize(void *pointer, size_t count, size_t size);

/* The numbers that distinguish the rewards (reaches, probabilities) of classes: names or the
 * doubles. */
static inline const double *rewards(const og_layer *layer)
{
    return layer->reward_name != NULL ? layer->reward_name : layer->reward;
}

static inline const double *reaches(const og_layer *layer)
{
    return layer->reach_name != NULL ? layer->reach_name : layer->reach;
}

static inline const double *probabilities(const og_layer *layer)
{
    return layer->probability_name != NULL ? layer->probability_name : layer->probability;
}

/* Sorts by class below, then by probability, and adds up outcomes that lead to the same class. The
 * order of summation is fixed, however outcomes are numbered. False: out of memory. */
bool og_layers_merge(og_exact_names *names, signature_outcome *outcome, uint32_t *count);

/* The signature of a node with several actions: a row of the actions that cost at most `left`.
 * False: out of memory. */
bool og_layers_signature(const builder *b, int32_t arm_number, uint32_t node, int32_t left,
                         signature *key);

/* Raises *reach to the largest reach of a row's outcomes, and finds whether an outcome is live. */
void og_layers_reach(const builder *b, const signature *key, int32_t left, double *reach,
                     bool *live);

/* Removes the headers from the rows of the layer being built. False: out of memory. */
bool og_layers_unpack(builder *b);

#endif
