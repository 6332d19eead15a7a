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
 * The parts of one kind of arm (private to dp/): a builder fills the tables of an og_arm and
 * computes the values that are not in them. A new model is a new builder, plus one line in
 * dp/arm/arm.c with its priors.
 */
typedef struct {
    uint64_t bytes; /* including the tables; saturating at UINT64_MAX, as nodes */
    uint64_t nodes;
} og_arm_size;

struct og_arm_builder {
    bool beta;         /* nodes are posteriors of a Beta prior, in a lattice: og_arm_group */
    bool rounds_bonus; /* `build` has added the bonus to the rewards, before rounding */
    /* The size of an arm of this depth; `plain` is in plain form (og_group_plain). Counting ends
     * once the arm takes more than the memory of `settings`. OG_NO_MEMORY to count, or
     * OG_STOPPED. */
    og_status (*size)(const og_group *plain, int32_t depth, const og_settings *settings,
                      og_arm_size *out);

    /*
     * Fills every field of the arm except `builder`, `prior`, `depth` and `node_count`, which are
     * set. Arrays belong to the arm's arena, and `own` is an object of og_arena_new: og_arm_free
     * frees both, also after a failure, and calls `free` on `own` if it is not NULL. `plain` is the
     * plain form of the prior. OG_NO_MEMORY, OG_FAILED if the numbers cannot be computed, or
     * OG_STOPPED; long builds check `stop`.
     */
    og_status (*build)(const og_group *plain, og_stop *stop, og_arm *arm);
    void (*free)(void *own); /* NULL: og_arena_free */
    og_status (*gains)(const og_arm *arm, og_stop *stop, double *gain, double *error);
    void (*counts)(const og_arm *arm, uint32_t node, int32_t *counts); /* NULL: no counts */
    bool (*mirror)(const og_arm *arm, int32_t *diagonal);              /* NULL: none */

    /* The other functions of dp/arm/arm.h. Builders do not handle bandits. */
    int32_t (*called)(const og_arm *arm, uint32_t node);
    void (*posterior)(const og_arm *arm, uint32_t node, og_fraction *parameter);
    void (*exact_call)(const og_arm *arm, mpq_t out);
    void (*exact_reward)(const og_arm *arm, uint32_t node, mpq_t out);
    /* NULL: an outcome's share of the posterior's parameters. */
    void (*exact_probability)(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out);
    void (*exact_gain)(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out);
    /* h of a node, if rewards are no differences of it; NULL: node 0's and the gains. */
    void (*exact_value)(const og_arm *arm, uint32_t node, mpq_t out);

    /* For nodes with several actions: the exact probability of an action's outcome, or its reward
     * for outcome -1. Such a builder has only exact_call of the functions above. */
    void (*exact_action)(const og_arm *arm, uint32_t action, int32_t outcome, mpq_t out);
};

/* R as the sum of the exact gains of a node's outcomes, each times its probability. */
void og_arm_exact_sum(const og_arm *arm, uint32_t node, mpq_t out);

/* Allocates as many arms as groups; NULL: no memory. */
og_arms *og_arms_allocate(int32_t budget, int32_t group_count);

/* Numbers the nodes of all arms; those of several actions are counted only once they are built. */
og_status og_arms_number(og_arms *arms);

extern const og_arm_builder og_arm_beta;
extern const og_arm_builder og_arm_mixture;
extern const og_arm_builder og_arm_dirichlet;
extern const og_arm_builder og_arm_nodes; /* of a table of nodes, without counts and posteriors */
extern const og_arm_builder og_arm_values_beta; /* of a worth that is a list, and a Beta */
extern const og_arm_builder og_arm_values;      /* the same of other priors */

/*
 * For arms of two outcomes whose node after s positive and f negative labels is level[s + f] + s.
 * In order: their number of nodes; the bytes of an og_arm and its arrays; the arrays, with `level`,
 * `next` and `lattice` set and every reward 0, or OG_STOPPED; and the counts of a node.
 */
uint64_t og_lattice_nodes(int32_t depth);
uint64_t og_lattice_bytes(int32_t depth);
og_status og_lattice_new(og_stop *stop, og_arm *arm);
void og_lattice_counts(const og_arm *arm, uint32_t node, int32_t *counts);

#endif
