#ifndef OG_DP_ARM_ARM_BUILDER_H
#define OG_DP_ARM_ARM_BUILDER_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/prior/problem.h"

/*
 * What one kind of arm is made of (private to dp/): a builder fills the tables of an og_arm and
 * answers for what is not in them. A new model is a new builder, and one line in dp/arm/arm.c that
 * says which priors it is for.
 */
struct og_arm_builder {
    /* Of an arm of this depth: bytes, tables and all (saturating at UINT64_MAX), and nodes. `prior`
     * is plain (og_group_plain). */
    uint64_t (*bytes)(const og_group *prior, int32_t depth);
    uint64_t (*nodes)(const og_group *prior, int32_t depth);

    /*
     * Fill every field of the arm but `builder`, `prior`, `depth` and `node_count`, which are set.
     * Arrays are of the arm's arena, `own` is an object of og_arena_new: og_arm_free frees both,
     * after a failure too, `own` by `free` where there is one. `plain` is the plain form of the
     * prior. OG_NO_MEMORY, OG_FAILED if the numbers cannot be computed, or OG_STOPPED; `stop` is
     * asked where this takes long.
     */
    og_status (*build)(const og_group *plain, og_stop *stop, og_arm *arm);
    void (*free)(void *own); /* NULL: og_arena_free */
    og_status (*gains)(const og_arm *arm, double *gain, double *error);
    void (*counts)(const og_arm *arm, uint32_t node, int32_t *counts);
    bool (*mirror)(const og_arm *arm, int32_t *diagonal); /* NULL: none is known */

    /* The rest of dp/arm/arm.h, of the node after these labels. Bandits are none of its business.
     */
    int32_t (*called)(const og_arm *arm, const int32_t *counts);
    void (*posterior)(const og_arm *arm, const int32_t *counts, og_fraction *parameter);
    void (*exact_call)(const og_arm *arm, mpq_t out);
    void (*exact_reward)(const og_arm *arm, const int32_t *counts, mpq_t out);
    /* NULL: an outcome's share of the posterior's parameters. */
    void (*exact_probability)(const og_arm *arm, const int32_t *counts, int32_t outcome, mpq_t out);
    void (*exact_gain)(const og_arm *arm, const int32_t *counts, int32_t outcome, mpq_t out);

    /* Where nodes have several actions: the exact probability of an action's outcome, or its reward
     * for outcome -1. Of the above, such a builder has exact_call only. */
    void (*exact_action)(const og_arm *arm, uint32_t action, int32_t outcome, mpq_t out);
};

extern const og_arm_builder og_arm_beta;
extern const og_arm_builder og_arm_mixture;
extern const og_arm_builder og_arm_dirichlet;

/*
 * For arms of two outcomes whose node after s positive and f negative labels is level[s + f] + s:
 * their number of nodes; the bytes of an og_arm and its arrays; the arrays, with `level` and `next`
 * filled in and every reward 0, and that the arm is a lattice, or OG_STOPPED; and the counts of a
 * node.
 */
uint64_t og_lattice_nodes(const og_group *prior, int32_t depth);
uint64_t og_lattice_bytes(int32_t depth);
og_status og_lattice_new(og_stop *stop, og_arm *arm);
void og_lattice_counts(const og_arm *arm, uint32_t node, int32_t *counts);

#endif
