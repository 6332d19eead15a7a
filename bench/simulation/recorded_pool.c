/* Finds the tasks that can be drawn, and the arms of their kinds. */
#include "bench/simulation/recorded_pool.h"

#include <inttypes.h>

#include "bench/simulation/recorded_delayed.h"

/* Most instances in the tables of a bound: some seconds. */
static const double states_most = 5e7;

static og_status fill_tasks(og_recorded_pool *pool, const og_recorded_delayed *from)
{
    const og_labels *labels = from->labels;
    og_arena *arena = &pool->arena;
    pool->recorded = og_arena_array(arena, labels->task_count, sizeof *pool->recorded);
    pool->task = og_arena_array(arena, labels->task_count, sizeof *pool->task);
    pool->kind = og_arena_array(arena, labels->task_count, sizeof *pool->kind);
    OG_TRY(og_arena_status(arena));
    for (int64_t i = 0; i < labels->label_count; i++) {
        pool->recorded[labels->task[i]]++;
    }
    for (uint32_t i = 0; i < labels->task_count; i++) {
        bool held = from->held != NULL && from->held[i];
        if (!held && from->gold[i] != OG_GOLD_NONE) {
            pool->task[pool->count++] = i;
        }
    }
    return OG_OK;
}

/* Number the kinds in the order of their labels. */
static og_status fill_kinds(og_recorded_pool *pool, int32_t workers)
{
    og_arena *arena = &pool->arena;
    og_arms *kinds = &pool->kinds;
    int32_t depth = pool->arms->budget;
    int64_t *size = og_arena_array(arena, (size_t)depth + 1, sizeof *size);
    int32_t *number = og_arena_array(arena, (size_t)depth + 1, sizeof *number);
    int32_t *most = og_arena_array(arena, (size_t)depth + 1, sizeof *most);
    *kinds = (og_arms){.budget = workers,
                       .arm = og_arena_array(arena, (size_t)depth + 1, sizeof *kinds->arm),
                       .arm_of_group =
                           og_arena_array(arena, (size_t)depth + 1, sizeof *kinds->arm_of_group),
                       .group_size = size};
    OG_TRY(og_arena_status(arena));
    for (uint32_t k = 0; k < pool->count; k++) {
        number[pool->recorded[pool->task[k]]]++;
    }
    for (int32_t n = 0; n <= depth; n++) {
        if (number[n] > 0) {
            int32_t kind = kinds->arm_count++;
            size[kind] = number[n];
            most[kind] = n;
            number[n] = kinds->arm_of_group[kind] = kind;
            kinds->arm[kind] = pool->arms->arm[0];
        }
    }
    kinds->group_count = kinds->arm_count;
    for (uint32_t k = 0; k < pool->count; k++) {
        pool->kind[pool->task[k]] = number[pool->recorded[pool->task[k]]];
    }
    pool->delay.most = most;
    return OG_OK;
}

static og_status fill_pool(og_recorded_pool *pool, const og_recorded_delayed *from,
                           const og_settings *settings, og_message *message)
{
    int32_t depth = 0;
    og_groups problem;
    og_group prior = *from->prior;
    OG_TRY(fill_tasks(pool, from));
    if (pool->count < (uint32_t)from->tasks) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--tasks %" PRId32 " is more than the %" PRIu32 " tasks with gold%s",
                              from->tasks, pool->count,
                              from->held != NULL ? " that are not held out" : "");
    }
    for (uint32_t k = 0; k < pool->count; k++) {
        int32_t recorded = pool->recorded[pool->task[k]];
        depth = recorded > depth ? recorded : depth;
    }
    prior.count = 1;
    og_groups_init(&problem, depth);
    og_status status = og_groups_add(&problem, &prior, message);
    OG_THEN(status, og_arms_new(&problem, settings, &pool->arms, message));
    og_groups_clear(&problem);
    OG_THEN(status, fill_kinds(pool, from->workers));
    return status;
}

og_status og_recorded_pool_new(const og_recorded_delayed *from, const og_settings *settings,
                               og_recorded_pool **out, og_message *message)
{
    if (from->prior->kind != OG_PRIOR_BETA || og_labels_classes(from->labels) != 2) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--arrival-rate supports labels of two classes and a Beta prior; "
                              "omit it");
    }
    og_recorded_pool *pool = og_arena_new(sizeof *pool);
    OG_TRY(OG_ALLOCATED(pool));
    pool->delay = *from->delay;
    og_status status = og_delay_check(from->delay, message);
    OG_THEN(status, fill_pool(pool, from, settings, message));
    return OG_MADE(status, pool, og_recorded_pool_free, out);
}

void og_recorded_pool_free(og_recorded_pool *pool)
{
    if (pool != NULL) {
        og_arms_free(pool->arms);
    }
    og_arena_free(pool);
}

/* Instances with workers at work in the tables of the bound, over all layers and kinds. */
static double table_states(const og_recorded_pool *pool)
{
    double sum = 0;
    for (int32_t k = 0; k < pool->kinds.arm_count; k++) {
        int32_t most = pool->delay.most[k], workers = pool->kinds.budget;
        double labels = most < workers ? most : workers;
        sum += workers * (labels + 1) * (labels + 2) * (labels + 3) / 6;
    }
    return sum;
}

og_status og_recorded_delayed_bound(const og_recorded_delayed *from, const og_settings *settings,
                                    og_upper_bound *out, og_message *message)
{
    og_recorded_pool *pool = NULL;
    OG_TRY(og_recorded_pool_new(from, settings, &pool, message));
    if (table_states(pool) > states_most) {
        og_recorded_pool_free(pool);
        return OG_NO_MEMORY;
    }
    og_status status =
        og_bound_delayed_drawn(&pool->kinds, &pool->delay, from->tasks, settings->memory_bytes,
                               settings->threads, og_stop_of(settings), out);
    og_recorded_pool_free(pool);
    return status;
}
