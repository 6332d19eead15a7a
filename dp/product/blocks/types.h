#ifndef OG_DP_PRODUCT_BLOCKS_TYPES_H
#define OG_DP_PRODUCT_BLOCKS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/state_set.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/product/blocks/actions.h"
#include "dp/product/blocks/classes.h"

/*
 * The types that a sweep must compute (private to dp/product/blocks/): for each slot the sorted
 * depths of its instances, as groups (slot, depth, copies). A slot is an arm with all its instances
 * or, if identical ones are not folded, with one.
 *
 * A group is an og_copies: member = og_block_member(slot, depth). Groups ascend, so the least depth
 * of a slot comes first.
 */
typedef struct {
    int32_t budget;
    int32_t slot_count;
    int32_t *arm;   /* [slot_count] */
    int64_t *count; /* [slot_count] instances */
} og_block_slots;

/* Slots in the order of arms; if not folded, in that of the groups. */
og_status og_block_slots_init(const og_arms *arms, bool fold, og_block_slots *out);
void og_block_slots_clear(og_block_slots *slots);

/* Neighbouring depths are neighbouring members; depths of different slots are not, even after two
 * labels. */
static inline uint32_t og_block_member(const og_block_slots *slots, int32_t slot, int32_t depth)
{
    return (uint32_t)slot * ((uint32_t)slots->budget + 3) + (uint32_t)depth;
}
static inline int32_t og_block_slot_of(const og_block_slots *slots, uint32_t member)
{
    return (int32_t)(member / ((uint32_t)slots->budget + 3));
}
static inline int32_t og_block_depth_of(const og_block_slots *slots, uint32_t member)
{
    return (int32_t)(member % ((uint32_t)slots->budget + 3));
}

/* The data of a depth of an arm in a layer that types need. */
typedef struct {
    int32_t count;
    int32_t live;
    double reach;
    double only;         /* R if there is one class, and it is live; else -1 */
    double waiting;      /* largest R of any class */
    uint32_t rank_least; /* for a policy: the least of any class */
    uint32_t rank_most;
    bool contracts;
    bool same;               /* numbers are as in the layer below */
    uint64_t costs;          /* as og_block_depth's */
    og_two_copies_class two; /* as og_block_depth's */
} og_block_summary;

/* Summaries of all layers. O(sum of their nodes). `contracted`, `ahead`: as og_block_classes_new.
 * OG_STOPPED if they do not fit, or if the stop ends the work. */
typedef struct {
    int32_t arm_count;
    int32_t budget;
    og_block_summary *summary; /* [layer][arm][depth], depths 0 .. budget - layer */
    uint64_t *first;           /* [budget + 2] */
    uint64_t bytes;
} og_block_summaries;

og_status og_block_summaries_new(const og_arms *arms, const og_layers_use *use,
                                 const bool *contracted, bool ahead, og_block_summaries **out);
void og_block_summaries_free(og_block_summaries *summaries); /* NULL is fine */

static inline const og_block_summary *og_block_summary_of(const og_block_summaries *s, int32_t left,
                                                          int32_t arm, int32_t depth)
{
    return &s->summary[s->first[left] + (uint64_t)arm * ((uint64_t)s->budget - (uint64_t)left + 1) +
                       (uint64_t)depth];
}

#define OG_BLOCK_NONE UINT32_MAX

typedef struct {
    uint32_t group; /* of the type's: an instance of it is labelled */
    uint32_t one;   /* the type after the label, in the layer below for its cost */
    uint32_t two;   /* and in the one below that, if the outcome is contracted; OG_BLOCK_NONE */
    uint32_t place; /* of its cost */
} og_block_action;

/* A layer's types are the entries of `set`; payload: uint64_t, the place of the block. */
typedef struct {
    og_state_set *set;
    uint64_t states;
    uint64_t *first; /* [types + 1] of each type's actions */
    og_block_action *action;
    uint64_t action_capacity;
} og_block_types;

typedef struct {
    int32_t budget;
    og_block_costs costs;
    og_block_types *layer; /* [budget + 1]; layer 0 is not enumerated: all its values are 0 */
    uint64_t bytes;
    double states; /* of all layers */
    double types;
    uint32_t block_max; /* states of the largest block */
    int32_t groups_max;
    int32_t copies_max; /* of groups of two classes or more */
    uint32_t *classes;  /* [budget + 2] largest number for so many copies, if two or more */
} og_block_plan;

/* The purpose of a plan. */
typedef struct {
    const og_block_slots *slots;
    const og_block_summaries *summaries;
    const og_block_costs *costs;
    double contracted; /* R of the contracted nodes; 0: there are none */
    bool policy;       /* the labels of a policy; contracted nodes are labelled at once */
    bool force;        /* use forced types; for a policy: omit groups that are never labelled */
    bool two;          /* also types forced by two copies of the best arm */
    bool all_first;    /* at the root every group's label is followed; with several actions also
                        * none, a unit being lost: that type is the first of the layer below */
    uint64_t memory_bytes;
    uint64_t states_max;                       /* of og_blocks_work; 0: no limit */
    bool (*go_on)(void *user, uint64_t bytes); /* called now and then; may be NULL */
    void *user;
} og_block_wish;

/* How planning ended. */
typedef enum {
    OG_BLOCK_PLANNED,
    OG_BLOCK_NOT_CONTRACTED, /* a contracted node can meet a larger reward: no plan */
    OG_BLOCK_TOO_MANY,       /* with OG_STOPPED: states_max was exceeded */
    OG_BLOCK_INTERRUPTED,    /* with OG_STOPPED: go_on returned false */
} og_block_end;

/*
 * Enumerates types from the root. *out is written for OG_BLOCK_PLANNED only. OG_STOPPED if the plan
 * exceeds states_max or memory_bytes, or a block 2^32 states. O(types * groups).
 */
og_status og_block_plan_new(const og_block_wish *wish, og_block_end *end, og_block_plan **out);
void og_block_plan_free(og_block_plan *plan); /* NULL is fine */

#endif
