/*
 * The tables of the theorem in dp/product/two_copies.h, and its proof.
 *
 * By induction on r, with x and its numbers R_x, q_x, a_x, lambda fixed. The hypothesis that every
 * near y within reach has R_y <= R_x and a_y <= a_x carries over to all successors, since they
 * reach less. Two copies of x are left after a label of another instance: only in that case, at
 * "swap", the theorem is used again. After a label of x one copy is left. Then only the values of e
 * <= 0 and e = 1 are used, which need no second copy; those of e <= 0 need none at all. Always
 * lambda >= a_y / (1 + q_y): for q_y >= q_x use a_y <= a_x, else q_y R_x / (1 + q_y) < lambda. Let
 * rho be the least good R, rho_k the k-th largest, Sum the sum of the n good R.
 *
 * e <= 0: G is the sum of the r largest good R. A good one first: induction. A bad one first: its R
 * is below lambda <= rho_r. A near y first needs q_y (R_y - rho_(r-1))^+ <= rho_r, and q_y R_y -
 * q_y rho <= lambda + q_y (lambda - rho) <= lambda.
 *
 * e = 1: G = Sum + gamma, where gamma is the largest of three: beta, the largest bad R present; q_y
 * (R_y - rho)^+ over near y; and q_d' (R_d' - rho_without_d)^+ over good d with successor d'. The
 * reason: after one label that explores, the case e <= 0 applies. With x present gamma = g =
 * max(beta, q_x phi), phi = (R_x - rho)^+ (0 if n = 0), as q_y (R_y - rho)^+ <= q_x (R_x - rho)^+
 * by a_y <= a_x and R_y <= R_x. So with beta = 0, x is optimal.
 *
 * e = 2: the second copy gives Q_x >= Sum + a_x + (1 - q_x) g. Near y with a good target: Q_y = Sum
 * + a_y + (1 - q_y) g, and Q_x - Q_y = a_x - a_y + (q_y - q_x) g >= 0; where q_y < q_x it is >=
 * (q_x - q_y)(R_x - g). Near y with a bad target: Q_y <= Sum + max(g, lambda). Far y: Sum + g. Bad
 * y: at most Sum + beta + g, and a_x - beta - q_x g >= 0, since a_x = lambda (1 + q_x), phi <= R_x
 * - lambda. Good y: e stays and x is optimal next: swap.
 *
 * Swap: if x is optimal after every outcome of y, then Q_y is worth "x, then y", which is at most
 * Q_x. A path that begins with y never uses up a copy of x, so two copies are enough for every r.
 *
 * e >= 4: all outcomes have e >= 2: swap. e = 3: swap, but for a near y with a good target whose
 * success leads to e = 1 with beta > q_x (R_x - min(rho, R_y)). There g = beta, and "x, and if it
 * fails y" gives Q_x - Q_y >= q_x q_y (R_x - R_y) + (q_x - q_y) beta >= 0, because q_x q_y (R_x -
 * R_y) >= a_x (q_y - q_x) >= lambda (q_y - q_x). End.
 *
 * Rounding. In doubles a_y <= a_x or R_y <= R_x may hold although the left side is greater by some
 * units in the last place. The theorem then holds for a process whose probabilities and rewards are
 * smaller by as much. The values of the two processes differ by that for each label, which also
 * bounds the loss: og_solver_relative_error counts it.
 * Checked by tests/test_two.c: the_value_is_the_same_without_it
 */
#include "dp/product/two_copies.h"

#include <stdlib.h>

static og_two_copies_class class_of(const og_layer *layer, const og_layer *below,
                                    const og_two_copies_class *two_below, uint32_t class)
{
    og_two_copies_class c = OG_TWO_NONE;
    for (uint32_t k = layer->outcome_first[class]; k < layer->outcome_first[class + 1]; k++) {
        uint32_t next = layer->next[k];
        og_two_copies_add(&c, layer->probability[k], below->reward[next], &two_below[next]);
    }
    og_two_copies_end(&c, layer->reward[class]);
    return c;
}

og_status og_two_copies_new(const og_layers *layers, og_two_copies **out)
{
    og_two_copies *two = calloc(1, sizeof *two);
    OG_TRY(OG_ALLOCATED(two));
    two->budget = layers->budget;
    two->layer = calloc((size_t)layers->budget + 1, sizeof *two->layer);
    bool done = two->layer != NULL, can_force = false;
    for (int32_t left = 0; done && left <= layers->budget; left++) {
        const og_layer *layer = &layers->layer[left];
        two->layer[left] = calloc(layer->class_count, sizeof **two->layer);
        two->bytes += layer->class_count * sizeof **two->layer;
        done = two->layer[left] != NULL;
        for (uint32_t class = 0; done && class < layer->class_count; class ++) {
            og_two_copies_class *c = &two->layer[left][class];
            *c = left == 0 ? (og_two_copies_class){.fits = true}
                           : class_of(layer, &layers->layer[left - 1], two->layer[left - 1], class);
            can_force = can_force || (c->fits && c->chance > 0);
        }
    }
    if (!done || !can_force) {
        og_two_copies_free(two);
        two = NULL;
    }
    if (done) {
        *out = two;
    }
    return done ? OG_OK : OG_NO_MEMORY;
}

void og_two_copies_free(og_two_copies *two)
{
    for (int32_t left = 0; two != NULL && two->layer != NULL && left <= two->budget; left++) {
        free(two->layer[left]);
    }
    if (two != NULL) {
        free(two->layer);
    }
    free(two);
}
