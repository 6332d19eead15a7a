#ifndef OG_DP_PRODUCT_TWO_COPIES_H
#define OG_DP_PRODUCT_TWO_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/product/layers.h"

/*
 * Two copies of the best arm force the label (OG_REDUCE_TWO; private to dp/product/).
 *
 * An instance with R > 0 is waiting. A node x with R(x) = 0 is near if a label can lead to a node
 * with R > 0: with probability q_x, to a node with R = R_x. Let a_x = q_x R_x and lambda_x = a_x /
 * (1 + q_x). A waiting instance is good if its R >= lambda_x, else bad; e is the number of labels
 * left minus the number of good instances.
 *
 * Structure, required of all nodes within the labels left: successors of a waiting node have R = 0,
 * and a node with R = 0 has at most one outcome with R > 0. It holds at threshold 1/2.
 *
 * Theorem. Let a state hold two copies of x or more, and let every near node y that any instance
 * can reach, early enough for both its labels, have R_y <= R_x and a_y <= a_x. Then labelling x is
 * optimal if e >= 2, or if e = 1 and no bad instance is waiting. (Proof: dp/product/two_copies.c.)
 */
typedef struct {
    double chance;       /* q; 0: not near */
    double target;       /* R_x */
    double gain;         /* a */
    double target_reach; /* largest R_y, a_y of near nodes within the labels left */
    double gain_reach;
    bool fits; /* the structure holds */
} og_two_copies_class;

typedef struct og_two_copies {
    int32_t budget;
    og_two_copies_class **layer; /* [budget + 1], each [class_count] */
    uint64_t bytes;
} og_two_copies;

/* A class while it is built: begin with OG_TWO_NONE, add each outcome, end with the class's reward.
 * `reward` and `next` belong to the outcome's class in the layer below. */
#define OG_TWO_NONE ((og_two_copies_class){.fits = true})
static inline void og_two_copies_add(og_two_copies_class *c, double probability, double reward,
                                     const og_two_copies_class *next)
{
    if (reward > 0) {
        c->fits = c->fits && c->chance == 0;
        c->chance = probability;
        c->target = reward;
    }
    c->fits = c->fits && next->fits;
    c->target_reach = next->target_reach > c->target_reach ? next->target_reach : c->target_reach;
    c->gain_reach = next->gain_reach > c->gain_reach ? next->gain_reach : c->gain_reach;
}
static inline void og_two_copies_end(og_two_copies_class *c, double reward)
{
    if (reward > 0) {
        c->fits = c->fits && c->chance == 0;
        c->chance = 0;
        c->target = 0;
    }
    c->gain = c->chance * c->target;
    c->target_reach = c->target > c->target_reach ? c->target : c->target_reach;
    c->gain_reach = c->gain > c->gain_reach ? c->gain : c->gain_reach;
}

/* NULL if no class can ever force a label, as in bandits. O(classes of all layers).
 * OG_NO_MEMORY. */
og_status og_two_copies_new(const og_layers *layers, og_two_copies **out);
void og_two_copies_free(og_two_copies *two); /* NULL is fine */

#endif
