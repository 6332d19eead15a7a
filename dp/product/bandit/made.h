#ifndef OG_DP_PRODUCT_BANDIT_MADE_H
#define OG_DP_PRODUCT_BANDIT_MADE_H

#include <stdatomic.h>

#include "dp/base/arena.h"
#include "dp/product/bandit/bandit.h"
#include "dp/product/blocks/classes.h"

/*
 * The layer of a bandit (private to dp/product/bandit/).
 *
 * The instances are axes 0 .. axes - 1, identical ones next to each other. A type is the numbers of
 * labels of all axes but the last, which has the rest: labels given - their sum. It has a row for
 * each choice of their positive labels, those of axis 0 growing slowest; a row has a place for each
 * number of positive labels of the last axis. So a type has the same place in all layers, and all
 * outcomes of a label are in the same row or in a row of a type of one label more.
 *
 * Types are sorted by their sum, then by their numbers. The numbers of identical axes ascend.
 */
typedef struct {
    int32_t labels[OG_BANDIT_INSTANCES];
    uint32_t next[OG_BANDIT_INSTANCES];   /* the type with one more label of that axis, if there is
                                           * one */
    uint64_t stride[OG_BANDIT_INSTANCES]; /* of an axis's positive labels, in rows */
    uint64_t rows;
    uint64_t first; /* place of its first row */
} og_bandit_type;

/* The order in which the outcomes of an axis's labels are added up: that of the recursion, by
 * classes. */
typedef struct {
    double *chance[2]; /* [nodes] probabilities of the first outcome and the second */
    int64_t *positive; /* [nodes] -1: the first is the positive label, else 0 */
    bool *any;         /* [budget] true if there is such a node among those of so many labels */
} og_bandit_order;

struct og_bandit {
    og_arena arena;
    const og_arms *arms;
    og_settings settings;
    int32_t budget;
    int32_t axes;
    const og_arm *arm[OG_BANDIT_INSTANCES];
    bool alike[OG_BANDIT_INSTANCES]; /* this axis and the next one are identical */
    og_bandit_order order[OG_BANDIT_INSTANCES];
    int32_t left;              /* of the order */
    og_block_classes *classes; /* of the layer being computed; NULL once they are settled */
    og_bandit_type *type;
    uint32_t types;
    uint32_t *first; /* [budget + 1] the first type of each sum */
    uint64_t places; /* of the layer */
    og_blocks_size size;
    double *value; /* [places]; NULL except during the solve */
    double first_q[OG_BANDIT_INSTANCES];
    double start, told; /* start by the clock; seconds from then to the last call of the watch */
    _Atomic uint64_t done;
    _Atomic bool stopped;
};

/* Finds types, places and sizes; *too_many as in og_bandit_new. */
og_status og_bandit_plan(og_bandit *bandit, bool *too_many, og_message *message);

/* The distance of rows of types with this sum of labels. */
static inline uint64_t og_bandit_length(const og_bandit *b, const og_bandit_type *type)
{
    int32_t length = b->budget;
    for (int32_t j = 0; j + 1 < b->axes; j++) {
        length -= type->labels[j];
    }
    return (uint64_t)length;
}

/* True if the j-th axis is the last of identical ones with so many labels; it then represents
 * them. */
static inline bool og_bandit_stands(const og_bandit *b, const og_bandit_type *type, int32_t last,
                                    int32_t j)
{
    int32_t after = j + 2 < b->axes ? type->labels[j + 1] : last;
    return j + 1 >= b->axes || !b->alike[j] || type->labels[j] < after;
}

/* Part of a type in a layer. */
typedef struct {
    uint32_t type;
    int32_t last;        /* labels of the last axis */
    uint64_t begin, end; /* rows */
    int32_t from, upto;  /* positive labels of the last axis, within 0 .. last + 1 */
} og_bandit_part;

/* With one label left: the largest R. */
void og_bandit_last_label(const og_bandit *bandit, const og_bandit_part *part);

/*
 * Updates values from one label less left to this number: the label of every axis that represents
 * identical ones. In place: it needs the values of the layer before for the part itself, for the
 * places after it in its rows, and for the types of one label more.
 */
void og_bandit_update(const og_bandit *bandit, const og_bandit_part *part);

/*
 * If identical axes have equally many labels, takes the larger of each two values that differ only
 * by exchanging axis `one` and axis `two`, one < two. These are the pairs whose first is in the
 * part; from < upto covers all places.
 */
void og_bandit_exchange(const og_bandit *bandit, const og_bandit_part *part, int32_t one,
                        int32_t two);

/* Updates the order of outcomes for one more label left. */
void og_bandit_step_order(og_bandit *bandit);

/* Updates a whole layer, except types whose numbers have a smaller sum. */
void og_bandit_layer(og_bandit *bandit, int32_t given, int32_t sum);

/* For two axes: the `steps` layers below the one with so many labels given, tile by tile. */
void og_bandit_tiles(og_bandit *bandit, int32_t given, int32_t steps);

/* Adds values to those done; on the calling thread, thread 0, also calls the watch now and then.
 * False: stop. */
bool og_bandit_go_on(og_bandit *bandit, int thread, uint64_t done);

#endif
