/*
 * The arm of an instance that begins at a node of another arm. Its tables are copies; exact values
 * and calls are asked of the other arm, at its nodes.
 */
#include "dp/arm/arm_after.h"

#include <assert.h>
#include <stdlib.h>

#include "dp/arm/arm_builder.h"

typedef struct {
    og_arena arena;
    const og_arm *from;
    int32_t counts[OG_CLASSES_MAX]; /* of the node */
    uint32_t *node;                 /* [node_count] the other arm's node of each node */
} after;

static const after *own(const og_arm *arm)
{
    return arm->own;
}

static void counts(const og_arm *arm, uint32_t node, int32_t *out)
{
    og_arm_counts(own(arm)->from, own(arm)->node[node], out);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        out[k] -= own(arm)->counts[k];
    }
}

static og_status gains(const og_arm *arm, og_stop *stop, double *gain, double *error)
{
    const og_arm *from = own(arm)->from;
    size_t outcomes = (size_t)arm->outcome_count;
    double *all = calloc(from->level[from->depth] * outcomes + 1, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    og_status status = og_arm_gains(from, stop, all, error);
    for (size_t i = 0; status == OG_OK && i < arm->level[arm->depth] * outcomes; i++) {
        gain[i] = all[own(arm)->node[i / outcomes] * outcomes + i % outcomes];
    }
    free(all);
    return status;
}

/* The other functions are those of the other arm's node. */
static int32_t called(const og_arm *arm, uint32_t node)
{
    const og_arm *from = own(arm)->from;
    return from->builder->called(from, own(arm)->node[node]);
}

static void posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    og_arm_posterior(own(arm)->from, own(arm)->node[node], parameter);
}

static void exact_reward(const og_arm *arm, uint32_t node, mpq_t out)
{
    const og_arm *from = own(arm)->from;
    from->builder->exact_reward(from, own(arm)->node[node], out);
}

static void exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    const og_arm *from = own(arm)->from;
    from->builder->exact_gain(from, own(arm)->node[node], outcome, out);
}

static void exact_probability(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    og_arm_exact_probability(own(arm)->from, own(arm)->node[node], outcome, out);
}

/* An outcome of the level before that leads to the node, which becomes its node. */
static int32_t outcome_before(const og_arm *from, int32_t level, uint32_t *node)
{
    size_t outcomes = (size_t)from->outcome_count, at = from->level[level - 1] * outcomes;
    while (from->next[at] != *node || from->probability[at] == 0) {
        at++;
    }
    *node = (uint32_t)(at / outcomes);
    return (int32_t)(at % outcomes);
}

/* The call at the node: that of the other arm's prior and the gains on a way to it. */
static void exact_call(const og_arm *arm, mpq_t out)
{
    const og_arm *from = own(arm)->from;
    uint32_t node = own(arm)->node[0];
    mpq_t gain;
    mpq_init(gain);
    og_arm_exact_call(from, out);
    for (int32_t n = og_arm_level(from, node); n > 0; n--) {
        int32_t outcome = outcome_before(from, n, &node);
        og_arm_exact_gain(from, node, outcome, gain);
        mpq_add(out, out, gain);
    }
    mpq_clear(gain);
}

/* Mirrors, in the other arm's counts: (s, f) and (f + d, s - d). */
static bool mirror(const og_arm *arm, int32_t *diagonal)
{
    const after *later = own(arm);
    if (!og_arm_mirror(later->from, diagonal)) {
        return false;
    }
    *diagonal += later->counts[1] - later->counts[0];
    return true;
}

#define AFTER_FUNCTIONS                                                                            \
    .gains = gains, .counts = counts, .mirror = mirror, .called = called, .posterior = posterior,  \
    .exact_call = exact_call, .exact_reward = exact_reward,                                        \
    .exact_probability = exact_probability, .exact_gain = exact_gain

static const og_arm_builder og_arm_after_beta = {.beta = true, AFTER_FUNCTIONS};
static const og_arm_builder og_arm_after = {AFTER_FUNCTIONS};

/* The first and the last node of the other arm's level that the node can reach, if they and all
 * between them are its followers in a lattice; else all of the level. */
static void span(const og_arm *from, uint32_t node, int32_t level, int32_t later, uint32_t *first,
                 uint32_t *end)
{
    uint32_t place = node - from->level[level];
    *first = from->level[level + later];
    *end = from->level[level + later + 1];
    if (from->lattice) {
        *first += place;
        *end = *first + (uint32_t)later + 1;
    } else if (later == 0) {
        *first = node;
        *end = node + 1;
    }
}

/* Lists the nodes that the node reaches, level by level, in the other arm's order. `place` is
 * scratch, [from->node_count], zeros: 1 + the new number of a node. Returns their number. */
static uint32_t list_nodes(const og_arm *from, uint32_t root, int32_t depth, uint32_t *place,
                           uint32_t *node, uint32_t *level)
{
    uint32_t count = 0, first, end;
    int32_t at = og_arm_level(from, root);
    place[root] = 1;
    for (int32_t n = 0; n <= depth; n++) {
        level[n] = count;
        span(from, root, at, n, &first, &end);
        for (uint32_t x = first; x < end; x++) {
            if (place[x] == 0) {
                continue;
            }
            node[count++] = x;
            place[x] = count;
            size_t outcome = (size_t)x * (size_t)from->outcome_count;
            for (int32_t k = 0; n < depth && k < from->outcome_count; k++) {
                place[from->next[outcome + (size_t)k]] = 1;
            }
        }
    }
    level[depth + 1] = count;
    return count;
}

static void copy_node(const og_arm *from, uint32_t x, const uint32_t *place, double *reward,
                      double *probability, uint32_t *next)
{
    size_t outcome = (size_t)x * (size_t)from->outcome_count;
    *reward = from->reward[x];
    for (int32_t k = 0; k < from->outcome_count; k++) {
        probability[k] = from->probability[outcome + (size_t)k];
        next[k] = place[from->next[outcome + (size_t)k]] - 1;
    }
}

static og_status copy_below(const og_arm *from, uint32_t root, og_arm *arm)
{
    after *later = og_arena_new(sizeof *later);
    og_arena scratch = {0};
    size_t outcomes = (size_t)from->outcome_count;
    arm->own = later;
    OG_TRY(OG_ALLOCATED(later));
    later->from = from;
    uint32_t *place = og_arena_array(&scratch, from->node_count, sizeof *place);
    uint32_t *level = og_arena_array(&arm->arena, (size_t)arm->depth + 2, sizeof *level);
    uint32_t *node = og_arena_array(&scratch, from->node_count, sizeof *node);
    og_status status = scratch.failed ? OG_NO_MEMORY : og_arena_status(&arm->arena);
    if (status == OG_OK) {
        arm->node_count = list_nodes(from, root, arm->depth, place, node, level);
        later->node = og_arena_copy(&later->arena, node, arm->node_count, sizeof *node);
        size_t inner = level[arm->depth];
        double *reward = og_arena_array(&arm->arena, inner, sizeof *reward);
        double *probability = og_arena_array(&arm->arena, inner * outcomes, sizeof *probability);
        uint32_t *next = og_arena_array(&arm->arena, inner * outcomes, sizeof *next);
        status = later->arena.failed ? OG_NO_MEMORY : og_arena_status(&arm->arena);
        for (size_t i = 0; status == OG_OK && i < inner; i++) {
            copy_node(from, node[i], place, &reward[i], &probability[i * outcomes],
                      &next[i * outcomes]);
        }
        arm->level = level;
        arm->reward = reward;
        arm->probability = probability;
        arm->next = next;
        arm->bytes = sizeof *arm + (size_t)arm->node_count * (sizeof *next * (outcomes + 1) +
                                                              sizeof *reward * (outcomes + 1));
        if (from->builder->counts != NULL) {
            og_arm_counts(from, root, later->counts);
        }
    }
    og_arena_clear(&scratch);
    return status;
}

/* The posterior at the node as a prior. */
static void set_prior(const og_arm *from, uint32_t node, og_group *prior)
{
    og_fraction parameter[OG_CLASSES_MAX];
    if (prior->kind == OG_PRIOR_MIXTURE || prior->kind == OG_PRIOR_NODES) {
        return;
    }
    og_arm_posterior(from, node, parameter);
    if (prior->kind == OG_PRIOR_BETA) {
        prior->a = parameter[0];
        prior->b = parameter[1];
    }
    for (int32_t k = 0; prior->kind == OG_PRIOR_DIRICHLET && k < prior->part_count; k++) {
        prior->alpha[k] = parameter[k];
    }
}

og_status og_arm_new_after(const og_arm *arm, uint32_t node, int32_t depth, double call,
                           double call_error, og_arm **out)
{
    assert(arm->action_first == NULL && og_arm_level(arm, node) + depth <= arm->depth);
    og_arm *made = og_arena_new(sizeof *made);
    OG_TRY(OG_ALLOCATED(made));
    *made = (og_arm){.arena = made->arena,
                     .depth = depth,
                     .outcome_count = arm->outcome_count,
                     .lattice = arm->lattice,
                     .rising = arm->rising,
                     .bandit = arm->bandit,
                     .paying = arm->paying,
                     .rational = arm->rational,
                     .call = call,
                     .call_error = call_error,
                     .reward_error = arm->reward_error,
                     .probability_error = arm->probability_error,
                     .prior = arm->prior,
                     .builder = arm->builder->beta ? &og_arm_after_beta : &og_arm_after};
    set_prior(arm, node, &made->prior);
    return OG_MADE(copy_below(arm, node, made), made, og_arm_free, out);
}
