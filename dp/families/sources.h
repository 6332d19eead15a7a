#ifndef OG_DP_FAMILIES_SOURCES_H
#define OG_DP_FAMILIES_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/engine/model.h"
#include "dp/engine/solution.h"

/*
 * Labels that are bought from sources (dp/arm/sources.h) under a policy, as a model: states are
 * what is known of the instances, and the units left. (The optimum is that of a product of arms,
 * dp/product/solve.h, whose reductions a policy would notice.)
 *
 * An act is {place in the state, source}, and an answer is 0 for a positive label, 1 for a negative
 * one. An instance that nothing can be asked about any more, as it is certain, or its sources have
 * run out or cost too much, leaves the state; what was spent on an instance is not told.
 */

/* Instances of one arm with the same labels. */
typedef struct {
    int32_t arm;
    uint32_t node;  /* the first with these labels */
    int64_t copies; /* >= 1 */
} og_sources_group;

/* What a policy is shown (og_model.state). */
typedef struct {
    int32_t left;  /* units */
    int32_t count; /* groups */
    const og_sources_group *group;
} og_sources_state;

/* What problem and policies share: arms of a problem with sources, and which nodes are alike. */
typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    uint32_t **first;    /* [arm_count][nodes] the first node with the same labels */
    int32_t cheapest;    /* price of a label */
} og_sources_problem;

og_status og_sources_problem_init(const og_arms *arms, og_sources_problem *out);
void og_sources_problem_clear(og_sources_problem *of); /* a zeroed one is fine */

/* Can anything be asked about an instance at this node with so many units left? */
bool og_sources_open(const og_arm *arm, uint32_t node, int32_t left);

/* The action that asks this source at a node; the node has it. */
uint32_t og_sources_action(const og_arm *arm, uint32_t node, uint32_t source);

/*
 * The model under a policy without a belief. Ties `first` and reductions without OG_REDUCE_SORT
 * keep the instances in their order. Borrows the problem; og_model_free frees the rest.
 * OG_STOPPED with a message: too many instances for a state; OG_NO_MEMORY.
 */
og_status og_sources_model(const og_sources_problem *problem, const og_question *question,
                           og_model *out, og_message *message);

/*
 * The same value in fractions, out->value and out->gain being the caller's. One thread. OG_STOPPED
 * with a message: they take more than the memory limit, or the watch says so; then out->result has
 * sizes and seconds.
 */
og_status og_sources_value_exact(const og_sources_problem *problem, const og_question *question,
                                 const og_settings *settings, og_found *out, og_message *message);

#endif
