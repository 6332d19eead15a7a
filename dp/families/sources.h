#ifndef OG_DP_FAMILIES_SOURCES_H
#define OG_DP_FAMILIES_SOURCES_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/engine/model.h"
#include "dp/engine/solution.h"

/*
 * Labels that a policy buys from sources (dp/arm/sources.h), as a model: states are the nodes of
 * the instances and the units left. (The optimum is that of a product of arms, dp/product/solve.h,
 * whose reductions would affect a policy.)
 *
 * An act is {place in the state, source}, and an answer is 0 for a positive label, 1 for a negative
 * one. An instance leaves the state when nothing can be asked about it any more: it is certain, or
 * its sources have run out or cost too much. The units spent on an instance are not part of the
 * state.
 */

/* Instances of one arm with the same labels. */
typedef struct {
    int32_t arm;
    uint32_t node;  /* the first with these labels */
    int64_t copies; /* >= 1 */
} og_sources_group;

/* The data that a policy sees (og_model.state). */
typedef struct {
    int32_t left;  /* units */
    int32_t count; /* groups */
    const og_sources_group *group;
} og_sources_state;

/* Data shared by problem and policies: arms of a problem with sources, and equivalent nodes. */
typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    uint32_t **first;    /* [arm_count][nodes] the first node with the same labels */
    uint32_t **image;    /* or with mirrored ones (og_sources_first_alike) */
    int32_t *least;      /* [nodes of all arms] lowest price of a label; INT32_MAX: there is none */
    int32_t cheapest;    /* price of a label */
} og_sources_problem;

og_status og_sources_problem_init(const og_arms *arms, og_sources_problem *out);
void og_sources_problem_clear(og_sources_problem *problem); /* a zeroed one is fine */

/* The actions of a node: the first, and one after the last. */
uint32_t og_sources_actions(const og_arm *arm, uint32_t node, uint32_t *first);

/* The action of this source at a node, which must have it. */
uint32_t og_sources_action(const og_arm *arm, uint32_t node, uint32_t source);

/*
 * The model for a policy without a belief, for which mirror images are equally good. Ties `first`
 * and reductions without OG_REDUCE_SORT keep the instances in their order; with OG_REDUCE_MERGE a
 * node stands for its mirror image too, whose outcomes are exchanged. Borrows the problem;
 * og_model_free frees the rest. OG_STOPPED with a message: too many instances for a state;
 * OG_NO_MEMORY. It has fractions if the arms are rational.
 */
og_status og_sources_model(const og_sources_problem *problem, const og_value_asked *question,
                           og_model *out, og_message *message);

#endif
