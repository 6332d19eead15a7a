#ifndef OG_DP_PRODUCT_FORWARD_H
#define OG_DP_PRODUCT_FORWARD_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/state_set.h"
#include "dp/base/status.h"
#include "dp/product/state.h"

/* Which instances form a group of a state. */
typedef enum {
    OG_FORWARD_SORTED, /* all of one posterior */
    OG_FORWARD_RUNS,   /* neighbours of one posterior, in the given order */
    OG_FORWARD_APART,  /* none */
} og_forward_order;

/*
 * A forward pass over the states that a policy can reach: all states with one number of labels left
 * come before those with one less. The caller decides which labels each state gets:
 *
 *   for (; pass.left > 0; og_forward_next(&pass)) {
 *       for (uint32_t i = 0; i < og_forward_count(&pass); i++) {
 *           og_forward_take(&pass, i);
 *           ... og_forward_put(&pass, group, outcome, &entry) ...
 *       }
 *   }
 *
 * A state is a multiset of the posteriors of its instances, or, if their order matters, a sequence
 * of runs of equal posteriors, of which the first instance is labelled. og_forward_clear accepts a
 * zeroed pass.
 */
typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    og_forward_order order;
    uint64_t limit_bytes; /* limit of the set that receives states; may be changed at any time */
    og_state_set *here;   /* the states with `left` labels left; members are global nodes */
    og_state_set *below;  /* the states with one label less */
    int32_t left;
    og_state state;        /* at hand */
    og_state_group *group; /* of the current state */
    og_copies *list;       /* the current state as `here` stores it */
    og_copies *successor;  /* scratch */
    int32_t room;          /* longest list */
    uint32_t payload_bytes;
} og_forward;

/* Starts a pass at the root, entry 0. Payloads as in og_state_set. OG_STOPPED, here and below: a
 * set would exceed the limit. A failed pass is cleared as well. */
og_status og_forward_begin(const og_arms *arms, og_forward_order order, uint32_t payload_bytes,
                           uint64_t limit_bytes, og_forward *pass);
void og_forward_clear(og_forward *pass);

uint32_t og_forward_count(const og_forward *pass); /* states with pass->left labels left */

/* Makes an entry of `here`, or a list of a state with `left` labels left, the current state. */
void og_forward_take(og_forward *pass, uint32_t entry);
void og_forward_take_list(og_forward *pass, int32_t left, const og_copies *list, int32_t count);

/* Puts into the next set the state after this outcome of labelling an instance of the group, as
 * *entry. */
og_status og_forward_put(og_forward *pass, int32_t group, int32_t outcome, uint32_t *entry);

/* The same without the set: writes the list of that state into pass->successor, and the list of the
 * root into pass->list. They return the length. */
int32_t og_forward_successor(const og_forward *pass, int32_t group, int32_t outcome);
int32_t og_forward_root(const og_forward *pass);

/* Goes on to the states with one label less. */
void og_forward_next(og_forward *pass);

/* The same, but the caller receives the states left behind and frees them. OG_NO_MEMORY: nothing
 * has changed. */
og_status og_forward_keep(og_forward *pass, og_state_set **kept);

#endif
