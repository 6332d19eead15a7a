/* Arms whose nodes offer several actions: random ones, and usual ones in other words. */
#include "tests/random_actions.h"

#include <check.h>
#include <stdio.h>

enum { INSTANCES_MAX = 4, ACTIONS_MAX = 3, COST_MAX = 3, WIDTH = 3 };

/* Nodes of each level, at least one; each may do nothing or up to ACTIONS_MAX things. */
static og_arm *random_arm(random_source *random, int32_t depth, int32_t cost_least, bool dyadic)
{
    og_arm *arm = og_arena_new(sizeof *arm);
    ck_assert_ptr_nonnull(arm);
    uint32_t *level = og_arena_array(&arm->arena, (size_t)depth + 2, sizeof *level);
    for (int32_t n = 0; n <= depth; n++) {
        level[n + 1] = level[n] + (n == 0 ? 1 : 1 + random_below(random, WIDTH));
    }
    size_t most = (size_t)level[depth] * ACTIONS_MAX;
    uint32_t *first = og_arena_array(&arm->arena, (size_t)level[depth] + 1, sizeof *first);
    int32_t *cost = og_arena_array(&arm->arena, most, sizeof *cost);
    double *reward = og_arena_array(&arm->arena, most, sizeof *reward);
    double *probability = og_arena_array(&arm->arena, 2 * most, sizeof *probability);
    uint32_t *next = og_arena_array(&arm->arena, 2 * most, sizeof *next);
    uint32_t actions = 0, parts = dyadic ? 4 : 7;
    double rewards = dyadic ? 8.0 : 9.7;
    for (int32_t n = 0; n < depth; n++) {
        for (uint32_t x = level[n]; x < level[n + 1]; x++) {
            uint32_t tries = x == 0 ? ACTIONS_MAX : random_below(random, ACTIONS_MAX + 1);
            first[x] = actions;
            for (uint32_t i = 0; i < tries; i++) {
                int32_t c = cost_least + (int32_t)random_below(random, COST_MAX);
                if (n + c > depth) {
                    continue;
                }
                uint32_t width = level[n + c + 1] - level[n + c];
                cost[actions] = c;
                reward[actions] =
                    random_below(random, 2) == 0 ? 0 : random_below(random, 5) / rewards;
                probability[2 * actions] = random_below(random, parts + 1) / (double)parts;
                probability[2 * actions + 1] = 1 - probability[2 * actions];
                next[2 * actions] = level[n + c] + random_below(random, width);
                next[2 * actions + 1] = level[n + c] + random_below(random, width);
                actions++;
            }
        }
    }
    first[level[depth]] = actions;
    arm->depth = depth;
    arm->outcome_count = 2;
    arm->node_count = level[depth + 1];
    arm->level = level;
    arm->reward = reward;
    arm->probability = probability;
    arm->next = next;
    arm->action_first = first;
    arm->cost = cost;
    return arm;
}

og_arms *random_actions(random_source *random, int32_t budget, bool dyadic)
{
    og_arm *arm[2];
    int32_t arm_of_group[3] = {0, 1, (int32_t)random_below(random, 2)};
    int64_t size[3];
    int32_t groups = 1 + (int32_t)random_below(random, 3);
    int32_t count = groups < 2 ? 1 : 2;
    og_arms *arms = NULL;
    int32_t least = 1 + (int32_t)random_below(random, 2);
    for (int32_t a = 0; a < count; a++) {
        arm[a] = random_arm(random, budget, least, dyadic);
    }
    for (int32_t g = 0; g < groups; g++) {
        size[g] = 1 + random_below(random, groups == 1 ? INSTANCES_MAX : 2);
    }
    ck_assert_int_eq(og_arms_of(budget, arm, count, groups, arm_of_group, size, &arms), OG_OK);
    return arms;
}

/* The same arm with arrays of actions. */
static og_arm *rewritten(const og_arm *arm)
{
    og_arm *out = og_arena_new(sizeof *out);
    ck_assert_ptr_nonnull(out);
    og_arena arena = out->arena;
    *out = *arm;
    out->arena = arena;
    uint32_t nodes = arm->level[arm->depth];
    uint32_t *first = og_arena_array(&out->arena, (size_t)nodes + 1, sizeof *first);
    int32_t *cost = og_arena_array(&out->arena, nodes, sizeof *cost);
    for (uint32_t x = 0; x <= nodes; x++) {
        first[x] = x;
    }
    for (uint32_t x = 0; x < nodes; x++) {
        cost[x] = 1;
    }
    size_t chances = (size_t)nodes * (size_t)arm->outcome_count;
    out->level = og_arena_copy(&out->arena, arm->level, (size_t)arm->depth + 2, sizeof *arm->level);
    out->reward = og_arena_copy(&out->arena, arm->reward, nodes, sizeof *arm->reward);
    out->probability =
        og_arena_copy(&out->arena, arm->probability, chances, sizeof *arm->probability);
    out->next = og_arena_copy(&out->arena, arm->next, chances, sizeof *arm->next);
    out->action_first = first;
    out->cost = cost;
    out->own = NULL;
    return out;
}

og_arms *rewritten_arms(const og_arms *usual)
{
    og_arms *several = NULL;
    og_arm *arm[64];
    for (int32_t a = 0; a < usual->arm_count; a++) {
        arm[a] = rewritten(usual->arm[a]);
    }
    ck_assert_int_eq(og_arms_of(usual->budget, arm, usual->arm_count, usual->group_count,
                                usual->arm_of_group, usual->group_size, &several),
                     OG_OK);
    return several;
}

og_sources sources_of(const char *text)
{
    og_sources sources = {0};
    while (*text != '\0') {
        int64_t num, den;
        int price, used, more = 0, most = 0;
        ck_assert_int_eq(sscanf(text, "%ld/%ld:%d%n", &num, &den, &price, &used), 3);
        if (sscanf(text + used, ":%d%n", &most, &more) < 1) {
            more = 0;
        }
        sources.source[sources.count++] =
            (og_label_source){og_fraction_make(num, den), (int32_t)price, (int32_t)most};
        text += used + more;
        text += *text == ' ';
    }
    return sources;
}
