/*
 * The standard arm: every label earns the same and gives no information (dp/arm/arm.h). One node in
 * each level; all nodes with as many labels left are alike.
 */
#include <assert.h>

#include "dp/arm/arm_builder.h"

typedef struct {
    og_arena arena;
    og_fraction reward;
} standard;

static const standard *own(const og_arm *arm)
{
    return arm->own;
}

static og_status gains(const og_arm *arm, og_stop *stop, double *gain, double *error)
{
    (void)stop;
    for (int32_t n = 0; n < arm->depth; n++) {
        gain[n] = arm->reward[n];
    }
    *error = arm->reward_error;
    return OG_OK;
}

static void counts(const og_arm *arm, uint32_t node, int32_t *out)
{
    (void)arm;
    out[0] = (int32_t)node;
}

static int32_t called(const og_arm *arm, uint32_t node)
{
    (void)arm;
    (void)node;
    return 0;
}

static void posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    (void)arm;
    (void)node;
    parameter[0] = (og_fraction){1, 1};
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    (void)arm;
    mpq_set_ui(out, 0, 1);
}

static void exact_reward(const og_arm *arm, uint32_t node, mpq_t out)
{
    (void)node;
    og_fraction_get_mpq(out, own(arm)->reward);
}

static void exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    (void)outcome;
    exact_reward(arm, node, out);
}

static const og_arm_builder og_arm_standard = {
    .gains = gains,
    .counts = counts,
    .called = called,
    .posterior = posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_gain = exact_gain,
};

static og_status make_standard(og_arm *arm, og_fraction reward)
{
    size_t levels = (size_t)arm->depth + 1;
    uint32_t *level = og_arena_array(&arm->arena, levels + 1, sizeof *level);
    uint32_t *next = og_arena_array(&arm->arena, levels, sizeof *next);
    double *earned = og_arena_array(&arm->arena, levels, sizeof *earned);
    double *chance = og_arena_array(&arm->arena, levels, sizeof *chance);
    standard *kept = og_arena_new(sizeof *kept);
    arm->own = kept;
    OG_TRY(og_arena_status(&arm->arena));
    OG_TRY(OG_ALLOCATED(kept));
    kept->reward = reward;
    for (size_t n = 0; n < levels; n++) {
        level[n] = (uint32_t)n;
        next[n] = (uint32_t)n + 1;
        earned[n] = og_fraction_double(reward);
        chance[n] = 1;
    }
    level[levels] = (uint32_t)levels;
    arm->level = level;
    arm->next = next;
    arm->reward = earned;
    arm->probability = chance;
    arm->bytes = sizeof *arm + levels * (2 * sizeof *level + 2 * sizeof *earned);
    return OG_OK;
}

og_status og_arm_new_standard(og_fraction reward, int32_t depth, og_arm **out)
{
    og_arm *arm = og_arena_new(sizeof *arm);
    OG_TRY(OG_ALLOCATED(arm));
    arm->builder = &og_arm_standard;
    arm->prior = (og_group){.a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}, .count = 1};
    arm->depth = depth;
    arm->node_count = (uint32_t)depth + 1;
    arm->outcome_count = 1;
    arm->rational = true;
    arm->reward_error = 0x1p-53;
    return OG_MADE(make_standard(arm, reward), arm, og_arm_free, out);
}

bool og_arm_is_standard(const og_arm *arm)
{
    return arm->builder == &og_arm_standard;
}

og_status og_arms_plus_standard(const og_arms *arms, og_fraction reward, og_arms **out)
{
    og_arena arena = {0};
    size_t count = (size_t)arms->arm_count + 1, groups = (size_t)arms->group_count + 1;
    og_arm **all = og_arena_array(&arena, count, sizeof *all);
    int32_t *arm_of_group = og_arena_array(&arena, groups, sizeof *arm_of_group);
    int64_t *size = og_arena_array(&arena, groups, sizeof *size);
    og_arm *added = NULL;
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arm_new_standard(reward, arms->budget, &added));
    if (status == OG_OK) {
        for (int32_t a = 0; a < arms->arm_count; a++) {
            all[a] = arms->arm[a];
        }
        for (int32_t g = 0; g < arms->group_count; g++) {
            arm_of_group[g] = arms->arm_of_group[g];
            size[g] = arms->group_size[g];
        }
        all[count - 1] = added;
        arm_of_group[groups - 1] = (int32_t)count - 1;
        size[groups - 1] = 1;
        status =
            og_arms_of(arms->budget, all, (int32_t)count, (int32_t)groups, arm_of_group, size, out);
    }
    if (status != OG_OK) {
        og_arm_free(added);
    }
    og_arena_clear(&arena);
    return status;
}

og_status og_arms_add_standard(og_arms *arms, og_fraction reward, og_arms **out)
{
    OG_TRY(og_arms_plus_standard(arms, reward, out));
    og_arena_free(arms); /* its arms now belong to *out */
    return OG_OK;
}

og_status og_arms_with_standard(const og_arms *arms, og_fraction reward, og_arms **out)
{
    og_arena arena = {0};
    size_t count = (size_t)arms->arm_count;
    og_arm **all = og_arena_copy(&arena, arms->arm, count, sizeof *all), *other = NULL;
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arm_new_standard(reward, arms->budget, &other));
    if (status == OG_OK) {
        all[count - 1] = other;
        status = og_arms_of(arms->budget, all, arms->arm_count, arms->group_count,
                            arms->arm_of_group, arms->group_size, out);
    }
    if (status != OG_OK) {
        og_arm_free(other);
    }
    og_arena_clear(&arena);
    return status;
}

void og_arms_with_standard_free(og_arms *arms)
{
    if (arms != NULL) {
        og_arm_free(arms->arm[arms->arm_count - 1]);
    }
    og_arena_free(arms);
}

og_arms og_arms_without_standard(const og_arms *arms)
{
    og_arms view = *arms;
    assert(og_arm_is_standard(arms->arm[arms->arm_count - 1]));
    view.arm_count--;
    view.group_count--;
    return view;
}
