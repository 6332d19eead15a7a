#ifndef OG_DP_PRODUCT_BLOCKS_LABEL_H
#define OG_DP_PRODUCT_BLOCKS_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/product/blocks/scratch.h"
#include "dp/product/blocks/sweep.h"

/*
 * The layout of a label in a block: the axes that change, and the places of the outcomes' values in
 * the layers below (private to dp/product/blocks/).
 */
enum {
    OG_BLOCK_CHUNK = 256, /* states whose sums are computed at a time */
    OG_BLOCK_OUTCOMES = OG_NODE_OUTCOMES_MAX,
};

/* The labelled group, or one of those one and two deeper, which may be empty. */
typedef struct {
    const og_block_group *group;
    uint32_t copies;     /* 0: there is none */
    int32_t index;       /* among the type's groups; -1: none */
    uint32_t size;       /* of its axis here */
    uint32_t stride[3];  /* here; below with one instance less or more; two layers below */
    const uint32_t *one; /* maps of its copies, */
    const uint32_t *two;
    const uint32_t *one_less; /* and of one less */
    const uint32_t *two_less;
} og_block_changed;

typedef struct {
    const og_block_sweep *sweep;
    og_block_scratch *s;
    const og_copies *list; /* [count] the type */
    int32_t count;
    double *out;
    const double *one, *two; /* the blocks below */
    uint32_t place;          /* of the cost */
    og_block_changed from, next, after;
    const og_block_depth *labelled; /* the current lane of `from` */
    int32_t axes;
    uint64_t unwritten; /* states of a block without any label so far, else 0 */
} og_block_label;

/* The label of a type, whose block begins at out. */
og_block_label og_block_label_of(const og_block_sweep *sweep, uint32_t type,
                                 og_block_scratch *scratch, double *out);

/* The begin of a type's block in its layer. */
uint64_t og_block_at(const og_block_plan *plan, int32_t left, uint32_t type);

/* Goes on to the outcomes of this action that are not contracted, in its first lane; the next
 * function to those that are contracted. */
void og_block_label_begin(og_block_label *label, const og_block_action *action);
void og_block_label_deeper(og_block_label *label, const og_block_action *action);

/* Writes all places on the axes but one (-1: on all) into the scratch. Returns their number. */
uint32_t og_block_label_places(const og_block_label *label, int32_t without);

/* Writes the moves of the current lane that lead to no contracted node, with rewards and
 * probabilities, into the scratch. Returns their number. */
uint32_t og_block_label_moves(const og_block_label *label);

/* The axis of the innermost loop: one whose values are contiguous if possible, else the longest;
 * -1: none. */
int32_t og_block_label_innermost(const og_block_label *label, bool *side_by_side);

static inline uint32_t og_block_mapped(const uint32_t *map, uint32_t rank)
{
    return map == NULL ? rank : map[rank];
}

/* The place of the k-th outcome of a move in the block below, with K of the group one deeper. */
static inline uint32_t og_block_label_place(const og_block_label *l, uint32_t move, int32_t k,
                                            uint32_t rank)
{
    const og_block_depth *d = l->labelled;
    uint32_t number = (uint32_t)d->next[(size_t)k * (size_t)d->count + l->s->number[move]];
    return l->s->rest[move] * l->from.stride[1] +
           og_block_plus(l->sweep->ranks, l->next.group->classes[1], l->next.copies, rank, number) *
               l->next.stride[1];
}

/* sum[x] += p * from[inside[x]]; inside NULL: from[x]. */
static inline void og_block_add_line(double *restrict sum, double p, const double *restrict from,
                                     const uint32_t *restrict inside, uint32_t count)
{
    if (inside == NULL) {
        for (uint32_t x = 0; x < count; x++) {
            sum[x] += p * from[x];
        }
    } else {
        for (uint32_t x = 0; x < count; x++) {
            sum[x] += p * from[inside[x]];
        }
    }
}

static inline void og_block_fill_line(double *sum, double value, uint32_t count)
{
    for (uint32_t x = 0; x < count; x++) {
        sum[x] = value;
    }
}

#endif
