#ifndef OG_DP_PRODUCT_LAYERS_BUILDER_H
#define OG_DP_PRODUCT_LAYERS_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/product/layers.h"

/*
 * Layers in the making (private to dp/product/).
 *
 * Several actions of a node are one row of outcomes while their layer is built: before those of
 * each action stands a header that looks like an outcome, with the reward for a probability, and
 * cost and number of outcomes for a class. So one action or several, classes agree row for row.
 */

/* What a label may lead to. */
typedef struct {
    double probability;
    uint64_t next;
} signature_outcome;

/* A node as its class sees it: what must agree. */
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
    uint64_t memory_bytes;
    og_stop *stop;
    og_exact_names *names; /* NULL: doubles */
    uint64_t names_bytes;  /* held by the names before */
    og_layers *layers;
    og_classes *classes; /* NULL: not asked for */
    bool several;        /* nodes have several actions, or not of cost 1 */
    uint32_t **past;     /* [largest cost + 1], each [global nodes]: class so many layers below */
    uint32_t *below;     /* past[1] */
    uint32_t *here;      /* past[0], of the layer being built */
    uint32_t *slot;      /* hash table of classes, 0 is free */
    uint32_t slot_count;
    signature *key;
    uint32_t node; /* global node whose signature it is */
    /* growing arrays of the layer being built */
    og_layer layer;
    uint32_t class_capacity;
    uint32_t outcome_capacity;
} builder;

/* Make an array of *pointer so long, at least one; false: out of memory, and it is as it was. */
bool og_layers_resize(void *pointer, size_t count, size_t size);

/* What tells the rewards (reaches, probabilities) of classes apart: names or the doubles. */
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

/* Sort by class below, then by probability, and add up what leads to the same class: a fixed
 * order of summation, whatever the outcomes are called. False: out of memory. */
bool og_layers_merge(og_exact_names *names, signature_outcome *outcome, uint32_t *count);

/* The signature of a node of several actions: a row of those that cost at most `left`. False: out
 * of memory. */
bool og_layers_signature(const builder *b, int32_t arm_number, uint32_t node, int32_t left,
                         signature *key);

/* The largest reach of the outcomes of a row, if it is above *reach, and whether one is live. */
void og_layers_reach(const builder *b, const signature *key, int32_t left, double *reach,
                     bool *live);

/* Take the headers out of the rows of the layer being built. False: out of memory. */
bool og_layers_unpack(builder *b);

#endif
