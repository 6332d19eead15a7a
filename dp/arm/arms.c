/* The memory of arms, and arms made before as those of a problem. */
#include <assert.h>
#include <string.h>

#include "dp/arm/arm_builder.h"
#include "dp/arm/arm_shared.h"

void og_arm_free(og_arm *arm)
{
    if (arm != NULL && arm->own != NULL) {
        (arm->builder->free != NULL ? arm->builder->free : og_arena_free)(arm->own);
    }
    og_arm_shared_release(arm != NULL ? arm->shared : NULL);
    og_arena_free(arm);
}

og_arms *og_arms_allocate(int32_t budget, int32_t group_count)
{
    size_t groups = (size_t)group_count;
    og_arms *arms = og_arena_new(sizeof *arms);
    if (arms == NULL) {
        return NULL;
    }
    arms->budget = budget;
    arms->group_count = group_count;
    arms->arm = og_arena_array(&arms->arena, groups, sizeof *arms->arm);
    arms->node_offset = og_arena_array(&arms->arena, groups + 1, sizeof *arms->node_offset);
    arms->arm_of_group = og_arena_array(&arms->arena, groups, sizeof *arms->arm_of_group);
    arms->group_size = og_arena_array(&arms->arena, groups, sizeof *arms->group_size);
    if (arms->arena.failed) {
        og_arena_free(arms);
        return NULL;
    }
    return arms;
}

og_status og_arms_number(og_arms *arms)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        uint64_t end = (uint64_t)arms->node_offset[i] + arms->arm[i]->node_count;
        if (end > UINT32_MAX) {
            return OG_NO_MEMORY;
        }
        arms->node_offset[i + 1] = (uint32_t)end;
    }
    return OG_OK;
}

og_status og_arms_of(int32_t budget, og_arm *const *arm, int32_t arm_count, int32_t group_count,
                     const int32_t *arm_of_group, const int64_t *group_size, og_arms **out)
{
    og_arms *arms = og_arms_allocate(budget, group_count);
    OG_TRY(OG_ALLOCATED(arms));
    assert(arm_count <= group_count);
    arms->arm_count = arm_count;
    memcpy(arms->arm, arm, (size_t)arm_count * sizeof(og_arm *));
    memcpy(arms->arm_of_group, arm_of_group, (size_t)group_count * sizeof *arm_of_group);
    memcpy(arms->group_size, group_size, (size_t)group_count * sizeof *group_size);
    og_status status = og_arms_number(arms);
    return OG_MADE(status, arms, og_arena_free, out);
}

void og_arms_free(og_arms *arms)
{
    for (int32_t i = 0; arms != NULL && i < arms->arm_count; i++) {
        og_arm_free(arms->arm[i]);
    }
    og_arena_free(arms);
}
