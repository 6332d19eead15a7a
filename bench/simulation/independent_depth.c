/*
 * Builds arms only as deep as runs need. Depth j of 0 .. last has ceil(T / 2^(last - j)) labels:
 * about twice as many as the previous depth, and the last has all T.
 */
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/simulation/independent.h"
#include "bench/simulation/index_cost.h"
#include "dp/base/parallel.h"
#include "dp/base/rational.h"

/* Labels of an instance in the first arms; fewer if they would have more nodes. */
enum { FIRST_LABELS = 32, FIRST_NODES = 5000 };

struct og_depths {
    og_lock lock;   /* for the following members */
    uint64_t bytes; /* of the depths built so far */
    og_depth *depth[OG_DEPTHS_MOST];
};

/* ---- depths ---- */

static int32_t labels_of(int32_t labels, int32_t halvings)
{
    int64_t parts = INT64_C(1) << halvings;
    return (int32_t)((labels + parts - 1) / parts);
}

/* The number of nodes of one instance after so many labels. */
static double node_count(const og_group *group, int32_t labels)
{
    double count = 1;
    int32_t outcomes = group->kind == OG_PRIOR_DIRICHLET ? group->part_count : 2;
    if (group->kind == OG_PRIOR_NODES) {
        return ((double)labels + 1) * group->nodes->node_count; /* at most */
    }
    for (int32_t i = 1; i <= outcomes; i++) {
        count *= (double)(labels + i) / i;
    }
    return count;
}

/*
 * The labels of depth 0. One of K instances receives at least T / K labels, and some soon have
 * twice as many.
 */
static int32_t first_labels(const og_instances *all)
{
    const og_groups *problem = all->problem;
    double share = 2.0 * problem->budget / (double)og_groups_size(problem);
    int32_t labels = FIRST_LABELS;
    for (int32_t g = 0; g < problem->group_count; g++) {
        while (labels > 1 && node_count(og_groups_at(problem, g), labels) > FIRST_NODES) {
            labels /= 2;
        }
    }
    return share > labels ? (int32_t)fmin(share, OG_BUDGET_MAX) : labels;
}

/* The number of halvings from T to the labels of depth 0. */
static int32_t find_last(const og_instances *all)
{
    int32_t labels = all->problem->budget, last = 0;
    int32_t first = all->first_depth > 0 ? all->first_depth : first_labels(all);
    bool at_once = all->delay != NULL || all->priced || all->bandit || labels > OG_BUDGET_MAX;
    while (!at_once && labels_of(labels, last) > first) {
        last++;
    }
    assert(last < OG_DEPTHS_MOST);
    return last;
}

/* ---- building ---- */

static og_status make_arms(const og_instances *all, int32_t number, int threads, og_arms **out,
                           og_message *message)
{
    og_groups shorter = *all->problem;
    og_arms *arms = NULL;
    const og_settings settings = og_stop_limits(threads, all->use.memory_bytes, all->use.stop);
    shorter.budget = labels_of(shorter.budget, all->depth_last - number);
    OG_TRY(og_arms_new(&shorter, &settings, &arms, message));
    og_status status = all->priced ? og_arms_add_standard(arms, all->price_most, &arms) : OG_OK;
    return OG_MADE(status, arms, og_arms_free, out);
}

static void depth_free(og_depth *depth)
{
    if (depth != NULL) {
        og_arms_free(depth->arms);
        og_arena_free(depth);
    }
}

/* Build a depth with only its arms. */
static og_status new_depth(const og_instances *all, int32_t number, int threads, og_depth **out,
                           og_message *message)
{
    og_depth *depth = og_arena_new(sizeof *depth);
    OG_TRY(OG_ALLOCATED(depth));
    og_status status = make_arms(all, number, threads, &depth->arms, message);
    return OG_MADE(status, depth, depth_free, out);
}

static size_t outcomes_of(const og_arm *arm)
{
    return (size_t)arm->level[arm->depth] * (size_t)arm->outcome_count;
}

/* The memory of a depth; the gains of one arm at a time are needed in addition, until they are
 * summed. */
static uint64_t bytes_of(const og_instances *all, const og_arms *arms)
{
    uint64_t nodes = arms->node_offset[arms->arm_count];
    size_t most = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        size_t gains = outcomes_of(arms->arm[i]);
        most = gains > most ? gains : most;
    }
    return og_arms_bytes(arms) + sizeof(double) * (nodes + most) + (nodes < all->count ? nodes : 0);
}

static og_status check_memory(const og_instances *all, const og_arms *arms, og_message *message)
{
    uint64_t bytes = all->bytes + all->depths->bytes + bytes_of(all, arms);
    char need[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES], deep[40] = "";
    if (bytes <= all->use.memory_bytes) {
        return OG_OK;
    }
    if (arms->budget < all->labels) {
        snprintf(deep, sizeof deep, ", %" PRId32 " of one instance,", arms->budget);
    }
    return og_message_set(message, OG_NO_MEMORY,
                          "simulating %" PRIu32 " instances and %" PRId32
                          " labels%s takes %s; the limit is %s",
                          all->count, all->labels, deep, og_bytes_format(bytes, need),
                          og_bytes_format(all->use.memory_bytes, limit));
}

static void fill_called(const og_arms *arms, int32_t arm_count, uint8_t *called)
{
    for (int32_t i = 0; i < arm_count; i++) {
        uint32_t nodes = og_arm_has_calls(arms->arm[i]) ? arms->arm[i]->node_count : 0;
        for (uint32_t node = 0; node < nodes; node++) {
            called[arms->node_offset[i] + node] = (uint8_t)og_arm_called(arms->arm[i], node);
        }
    }
}

/* Fill everything except the steps. */
static og_status fill_depth(const og_instances *all, og_depth *depth, og_message *message)
{
    const og_arms *arms = depth->arms;
    OG_TRY(check_memory(all, arms, message));
    int32_t arm_count = arms->arm_count - all->priced;
    uint32_t nodes = arms->node_offset[arms->arm_count];
    double *gain = og_arena_array(&depth->arena, nodes, sizeof *gain);
    bool calls = nodes < all->count && !all->bandit;
    uint8_t *called = calls ? og_arena_array(&depth->arena, nodes, 1) : NULL;
    og_status status = og_arena_status(&depth->arena);
    for (int32_t i = 0; status == OG_OK && i < arm_count; i++) {
        double error = 0, *of_arm = gain + arms->node_offset[i];
        status = og_arm_calls(arms->arm[i], true, all->use.stop, of_arm, &error);
        depth->gain_error = fmax(depth->gain_error, error);
    }
    if (status == OG_OK && called != NULL) {
        fill_called(arms, arm_count, called);
    }
    if (status == OG_OK) {
        depth->called = called;
        all->depths->bytes += bytes_of(all, arms);
        depth->gain = gain;
    }
    return status;
}

static og_status fill_steps(og_depth *depth, og_stop *stop)
{
    size_t arms = (size_t)depth->arms->arm_count;
    double **step = og_arena_array(&depth->arena, arms, sizeof *step), error;
    og_status status = OG_ALLOCATED(step);
    for (size_t i = 0; status == OG_OK && i < arms; i++) {
        const og_arm *arm = depth->arms->arm[i];
        step[i] = og_arena_array(&depth->arena, outcomes_of(arm), sizeof **step);
        status = OG_ALLOCATED(step[i]);
        OG_THEN(status, og_arm_gains(arm, stop, step[i], &error));
    }
    depth->step = status == OG_OK ? step : NULL;
    return status;
}

/* Check before building deeper arms that memory suffices, in addition to the memory in use. */
static og_status check_room(const og_instances *all, int32_t number, og_message *message)
{
    int32_t labels = labels_of(all->labels, all->depth_last - number);
    uint64_t limit = all->use.memory_bytes, used = all->bytes + all->depths->bytes;
    og_settings limits = og_stop_limits(1, limit, all->use.stop);
    og_message whole;
    char text[OG_BYTES_TEXT_BYTES];
    OG_TRY(og_arms_check(all->arms, labels, &limits, message));
    limits.memory_bytes = used < limit ? limit - used : 0;
    og_status status = og_arms_check(all->arms, labels, &limits, &whole);
    if (status != OG_NO_MEMORY) {
        return status == OG_OK ? OG_OK : og_message_set(message, status, "%s", whole.text);
    }
    return og_message_set(message, OG_NO_MEMORY,
                          "simulating %" PRIu32 " instances and %" PRId32 " labels, %" PRId32
                          " of one instance, takes more than is left; the limit is %s",
                          all->count, all->labels, labels, og_bytes_format(limit, text));
}

static og_status make_depth(const og_instances *all, int32_t number, bool steps,
                            const og_depth **out, og_message *message)
{
    og_depth **at = &all->depths->depth[number];
    /* other threads are at work, or wait for this depth */
    og_status status = *at == NULL ? check_room(all, number, message) : OG_OK;
    if (status == OG_OK && *at == NULL) {
        status = new_depth(all, number, 1, at, message);
    }
    if (status == OG_OK && (*at)->gain == NULL) {
        status = fill_depth(all, *at, message);
    }
    if (status == OG_OK && steps && (*at)->step == NULL) {
        status = fill_steps(*at, all->use.stop);
    }
    *out = status == OG_OK ? *at : NULL;
    return status;
}

static og_status take_depth(const og_instances *all, int32_t number, bool steps,
                            const og_depth **out, og_message *message)
{
    assert(number <= all->depth_last);
    og_lock_take(&all->depths->lock);
    og_status status = make_depth(all, number, steps, out, message);
    og_lock_release(&all->depths->lock);
    return status;
}

og_status og_instances_depth(const og_instances *all, int32_t number, const og_depth **out,
                             og_message *message)
{
    return take_depth(all, number, false, out, message);
}

og_status og_instances_steps(const og_instances *all, int32_t number, const og_depth **out,
                             og_message *message)
{
    return take_depth(all, number, true, out, message);
}

void og_depths_free(og_depths *depths)
{
    for (int32_t i = 0; depths != NULL && i < OG_DEPTHS_MOST; i++) {
        depth_free(depths->depth[i]);
    }
    if (depths != NULL) {
        og_lock_clear(&depths->lock);
    }
    free(depths);
}

og_status og_depths_new(og_instances *all, og_message *message)
{
    og_depths *depths = calloc(1, sizeof *depths);
    OG_TRY(OG_ALLOCATED(depths));
    og_lock_init(&depths->lock);
    all->depth_last = find_last(all);
    og_status status = new_depth(all, 0, all->use.threads, &depths->depth[0], message);
    if (status != OG_OK) {
        og_depths_free(depths);
        return status;
    }
    all->depths = depths;
    all->arms = depths->depth[0]->arms;
    return OG_OK;
}

/* ---- cost of an index ---- */

typedef struct {
    const og_instances *all;
    const og_policy_name *policy;
} depth_making;

static og_status make_smaller(void *user, const og_arms *arms, bool *by_left, og_message *message)
{
    const depth_making *making = user;
    og_strategy made = {.self = NULL};
    og_status status = making->all->make(making->all, making->policy, arms, &made, message);
    *by_left = made.ranks != NULL && made.ranks->by_left;
    if (status == OG_OK) {
        made.free(made.self);
    }
    return status;
}

og_status og_instances_check_index(const og_instances *all, const og_policy_name *policy,
                                   int32_t labels, og_message *message)
{
    depth_making making = {all, policy};
    const og_settings settings =
        og_stop_limits(all->use.threads, all->use.memory_bytes, all->use.stop);
    const og_index_cost cost = {.problem = all->problem,
                                .settings = &settings,
                                .seconds_max = all->use.index_seconds_max,
                                .make = make_smaller,
                                .user = &making};
    return all->ranks != NULL ? OG_OK
                              : og_index_cost_check(&cost, labels, all->arms->arm_count, message);
}
