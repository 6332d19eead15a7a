#ifndef OG_DP_PRODUCT_FORWARD_H
#define OG_DP_PRODUCT_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/multisets.h"
#include "dp/base/status.h"
#include "dp/product/state.h"

/* Which instances stand together in a state. */
typedef enum {
    OG_FORWARD_SORTED, /* all of one posterior */
    OG_FORWARD_RUNS,   /* neighbours of one posterior, in the given order */
    OG_FORWARD_APART,  /* none */
} og_forward_order;

/*
 * A forward pass: the states that play can come to, all with one number of labels left before those
 * with one less. Whoever makes the pass says what is labelled in each state:
 *
 *   for (; pass.left > 0; og_forward_next(&pass)) {
 *       for (uint32_t i = 0; i < og_forward_count(&pass); i++) {
 *           og_forward_take(&pass, i);
 *           ... og_forward_put(&pass, group, outcome, &entry) ...
 *       }
 *   }
 *
 * A state is a multiset of the posteriors of its instances, or, where their order matters, a
 * sequence of runs of equal ones, whose first instance is the one that is labelled. Zeros are
 * cleared by og_forward_clear.
 */
typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    og_forward_order order;
    uint64_t limit_bytes; /* of the set that states are put into; may be changed at any time */
    og_multisets *here;   /* the states with `left` labels left, members being global nodes */
    og_multisets *below;  /* with one less */
    int32_t left;
    og_state state;        /* at hand */
    og_state_group *group; /* of that state */
    og_copies *list;       /* that state as it stands in `here` */
    og_copies *successor;  /* scratch */
    int32_t room;          /* longest list */
    uint32_t payload_bytes;
} og_forward;

/* The pass stands at the root, entry 0. Payloads as in og_multisets. OG_STOPPED, here and below: a
 * set would pass the limit. After a failure it is cleared as well. */
og_status og_forward_begin(const og_arms *arms, og_forward_order order, uint32_t payload_bytes,
                           uint64_t limit_bytes, og_forward *pass);
void og_forward_clear(og_forward *pass);

uint32_t og_forward_count(const og_forward *pass); /* states with pass->left labels left */

/* Make an entry of `here`, or a list of a state with `left` labels left, the state at hand. */
void og_forward_take(og_forward *pass, uint32_t entry);
void og_forward_take_list(og_forward *pass, int32_t left, const og_copies *list, int32_t count);

/* Put the state that an outcome of labelling an instance of a group of the state at hand leads to
 * into the next set, as *entry. */
og_status og_forward_put(og_forward *pass, int32_t group, int32_t outcome, uint32_t *entry);

/* The same without the set: the list of that state, which is pass->successor; and that of the root,
 * which is pass->list. Return their length. */
int32_t og_forward_successor(const og_forward *pass, int32_t group, int32_t outcome);
int32_t og_forward_root(const og_forward *pass);

/* On to the states with one label less left. */
void og_forward_next(og_forward *pass);

/* The same, but those that are left behind are the caller's, to be freed. OG_NO_MEMORY: nothing
 * has changed. */
og_status og_forward_keep(og_forward *pass, og_multisets **kept);

#endif
