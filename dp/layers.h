#ifndef OG_DP_LAYERS_H
#define OG_DP_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm.h"
#include "dp/policy.h"
#include "dp/status.h"

/*
 * The classes of r-step equivalent nodes (reduction 2), one layer for every number of labels left.
 *
 * Layer r divides the nodes that can be met with r labels left (levels 0 .. budget - r of every
 * arm) into classes: same R, same rank if a policy is given, the same total probability to each
 * class of layer r - 1 after a label, and the same class of layer r - 1 without one. The last holds
 * by itself for exact values; asking for it makes `down` well defined for rounded sums too, and is
 * what keeps ranks of later layers apart. Class 0 of every layer is the class of dead nodes:
 * whatever r more labels say, every reachable R is 0 (it may be empty). With a policy dead nodes
 * are divided by their ranks like all others, so class 0 holds none and class_count[0] is still
 * reserved.
 *
 * The engine knows instances as classes only; arms are not needed once the layers are built.
 */
typedef struct {
    uint32_t class_count; /* class 0 included */
    double *reward;       /* [class_count] R */
    double *reach;  /* [class_count] M: largest R met within `left` labels, the first included */
    uint32_t *down; /* [class_count] class in the layer below of an instance that is not labelled */
    int32_t *first_live; /* [class_count] L: least number of labels left at which the node is live;
                            0: dead */
    uint32_t *rank;      /* [class_count] of the policy; NULL for the optimum */
    uint32_t *outcome_first; /* [class_count + 1] */
    double *probability;     /* outcomes in ascending order of `next` */
    uint32_t *next;          /* class in the layer below */
} og_layer;

typedef struct {
    int32_t budget;
    og_layer *layer;      /* [budget + 1], layer[0] has class 0 only */
    uint32_t *root_class; /* [arm_count] class of node 0 of each arm in layer[budget] */
    int32_t outcome_max;  /* most outcomes of any class */
    uint64_t bytes;       /* memory held */
} og_layers;

/*
 * Build the layers of all arms. `ranks` NULL: for the optimum. `merge` false: every node is its own
 * class and none is dead (reduction 2 switched off, for tests). Time O(sum over left of nodes),
 * memory O(classes); OG_STOPPED with a message when more than memory_bytes would be held.
 */
og_status og_layers_new(const og_arms *arms, const og_ranks *ranks, bool merge,
                        uint64_t memory_bytes, og_layers **out, og_message *message);

void og_layers_free(og_layers *layers);

#endif
