#ifndef OG_DP_FAMILIES_DEADLINE_ORDERS_H
#define OG_DP_FAMILIES_DEADLINE_ORDERS_H

#include "dp/families/deadline_items.h"
#include "dp/product/layers.h"

/*
 * Batches whose acts order many labels at once: all that are left of the batch if the ways to
 * divide them among the instances are few. It skips acts by bounds, and needs no states within a
 * batch (private to dp/families/). For the optimum, if classes are merged.
 *
 * Bounds. Let left labels be left, the batch just ordered, and w labels of x under way. If an
 * instance alone can order up to b = min(B, left) labels of each further batch, at a price z each,
 * its gain is
 *
 *   v_z(x, w, left) = sum_k p_k(x) v_z(next_k(x), w - 1, left),              w > 0
 *   v_z(x, 0, left) = max over j <= b of D(x, 0) + .. + D(x, j - 1) - z j + v_z(x, j, left - b)
 *   v_z(x, w, 0)    = 0
 *
 * and with m labels of the batch still to be ordered, for every z >= 0,
 *
 *   G(S) <= z left + sum over (x, w) of max over j <= m of
 *                    D(x, w) + .. + D(x, w + j - 1) - z j + v_z(x, w + j, left - m).
 *
 * Proof: a policy orders at most `left` labels. So its gain does not fall if it pays z for each and
 * gets z left. The rest is a sum over instances, each of which gets at most m labels of this batch
 * and b of a further one, chosen when it knows its own labels that have arrived, and others, which
 * are independent of it. No such choice is better than the maxima.
 *
 * In the last batch v_z is 0, so that the value is a largest sum of D, found without bounds.
 */
typedef struct og_orders og_orders;

/* Bounds at a few prices. *out is NULL if they do not fit into memory_bytes. Borrows everything
 * but `deadline`; the tables are the arena's. OG_STOPPED if `stop` (may be NULL) ends the work. */
og_status og_orders_new(const og_arms *arms, const og_layers *layers, const og_deadline *deadline,
                        double *const *gain, uint64_t memory_bytes, og_stop *stop, og_arena *arena,
                        og_orders **out);

/* Of the tables; NULL: 0. */
uint64_t og_orders_bytes(const og_orders *orders);

/* Upper bound of the acts of a state of at most so many items. */
int32_t og_orders_acts(const og_orders *orders, int32_t items_max);

/* The part of an expansion that belongs to its acts; the arrays are the arena's. */
typedef struct {
    int32_t labels;              /* of each act */
    int32_t parts_max;           /* most instances that get labels in an act */
    struct og_orders_part *part; /* [acts + 1][parts_max] of each act; the last: being listed */
    double *gain, *row;          /* [items][labels + 1] of so many labels, and with its bounds */
    double *sum;                 /* [parts_max + 1] rows */
    double *ways;                /* [2][batch + 1] */
} og_orders_room;
void og_orders_init(const og_orders *orders, int32_t items_max, og_arena *arena,
                    og_orders_room *out);

/* Lists the acts of a state in which labels can be ordered. */
void og_orders_expand(const og_orders *orders, const moment *at, const og_items *items,
                      og_orders_room *room, og_expansion *x);

/* The items after an act of the latest expansion, not merged, with room->labels fewer labels left;
 * at most one more for each label. */
void og_orders_apply(const og_orders *orders, const moment *at, const og_items *items,
                     const og_orders_room *room, const og_outcome *outcome, og_items *next);

#endif
