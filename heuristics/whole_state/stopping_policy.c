/*
 * Policies with a stopping rule: RULE labels an instance that has the fewest labels, RULE:POLICY
 * asks POLICY, and both only label instances that are not done.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/product/chooser.h"
#include "heuristics/asking.h"
#include "heuristics/index/stopping.h"
#include "heuristics/policy.h"
#include "heuristics/prices.h"

/* The nodes that are done. */
typedef struct {
    og_arena arena;
    bool **done; /* [arm_count][level[budget]] */
    uint64_t near;
} rule_nodes;

static og_status find_nodes(const og_stopping *rule, const og_arms *arms, const og_policy_use *use,
                            rule_nodes *out, og_message *message)
{
    out->done = og_arena_array(&out->arena, (size_t)arms->arm_count, sizeof *out->done);
    og_status status = og_arena_status(&out->arena);
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        out->done[a] = og_arena_array(&out->arena, arm->level[arm->depth] + 1, sizeof(bool));
        status = og_arena_status(&out->arena);
        OG_THEN(status, og_stopping_find(rule, arm, use->memory_bytes, use->stop, out->done[a],
                                         &out->near, message));
    }
    return status;
}

/* ---- index policies ---- */

/* Ranks by fewest labels. */
static og_status rank_by_labels(const og_arms *arms, og_ranks **out)
{
    OG_TRY(og_ranks_new(arms, false, out));
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (int32_t level = 0; level < arms->budget; level++) {
            for (uint32_t node = arms->arm[a]->level[level]; node < arms->arm[a]->level[level + 1];
                 node++) {
                (*out)->rank[a][node] = (uint32_t)(arms->budget - level);
            }
        }
    }
    return OG_OK;
}

/* Instances that are done get rank 0, the others a larger one. */
static void take_out(const og_arms *arms, const rule_nodes *nodes, og_ranks *ranks)
{
    const int32_t rows = ranks->by_left ? arms->budget : 1;
    for (int32_t left = 1; left <= rows && arms->budget > 0; left++) {
        int32_t levels = ranks->by_left ? arms->budget - left + 1 : arms->budget;
        for (int32_t a = 0; a < arms->arm_count; a++) {
            uint32_t *rank = ranks->rank[ranks->by_left ? (int64_t)left * arms->arm_count + a : a];
            for (uint32_t node = 0; node < arms->arm[a]->level[levels]; node++) {
                rank[node] = nodes->done[a][node] ? 0 : rank[node] + !ranks->stops;
            }
        }
    }
    ranks->stops = true;
    ranks->tolerance_ties += nodes->near;
}

/* ---- policies that look at the whole state ---- */

typedef struct {
    rule_nodes nodes;
    og_ranks *followed; /* of POLICY */
} masked;

static void masked_free(void *self)
{
    masked *policy = self;
    if (policy != NULL) {
        og_ranks_free(policy->followed);
        og_arena_clear(&policy->nodes.arena);
    }
    free(policy);
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    const masked *policy = self;
    og_status status = og_ranks_ask_plainly(policy->followed, state, answer, kind);
    if (status != OG_OK) {
        og_ranks_failure(policy->followed, message);
        return status;
    }
    const bool weighs = *kind == OG_ANSWER_WEIGHTS;
    double rest = weighs ? answer[state->count] : INFINITY;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        if (policy->nodes.done[group->arm][group->node]) {
            answer[i] = weighs ? 0 : -INFINITY;
        }
        rest += weighs ? answer[i] : 0;
    }
    if (rest == 0) { /* nobody is left to draw */
        *kind = OG_ANSWER_INDEX;
        for (int32_t i = 0; i <= state->count; i++) {
            answer[i] = -INFINITY;
        }
    }
    return OG_OK;
}

/* POLICY is asked about all instances, whatever is done. */
static og_status foresee(void *self, const og_state *state, int32_t count, bool *more,
                         og_message *message)
{
    const masked *policy = self;
    og_status status = og_ranks_foresee(policy->followed, state, count, more);
    if (status != OG_OK) {
        og_ranks_failure(policy->followed, message);
    }
    return status;
}

static uint64_t tolerance_ties(void *self)
{
    const masked *policy = self;
    return og_ranks_tolerance_ties(policy->followed) + policy->nodes.near;
}

/* Takes `followed` over on success, and the nodes. */
static og_status make_masked(const og_stopping *rule, const og_arms *arms, og_ranks *followed,
                             rule_nodes *nodes, og_ranks **out)
{
    const og_chooser *inner = og_ranks_chooser(followed);
    masked *policy = calloc(1, sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    bool posterior = !og_stopping_counts(rule) && inner->look == OG_LOOK_POSTERIOR;
    const og_chooser chooser = {.self = policy,
                                .look = posterior ? OG_LOOK_POSTERIOR : OG_LOOK_LABELS,
                                .concurrent = true,
                                .tie_relative = inner->tie_relative,
                                .choose = choose,
                                .foresee = inner->foresee != NULL ? foresee : NULL,
                                .tolerance_ties = tolerance_ties,
                                .free = masked_free};
    og_status status = og_ranks_new_chooser(arms, &chooser, out);
    if (status != OG_OK) {
        free(policy);
        return status;
    }
    *policy = (masked){*nodes, followed};
    *nodes = (rule_nodes){.near = 0};
    return OG_OK;
}

/* ---- both ---- */

static og_status make_followed(const og_policy_name *policy, const char *name, const og_arms *arms,
                               const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_policy_name followed;
    OG_TRY(og_policy_name_parse(name, &followed, message));
    followed.answer_seconds = policy->answer_seconds;
    followed.tie_relative = policy->tie_relative;
    return use->with_standard != NULL
               ? og_priced_ranks_alone(&followed, arms, use, out, message)
               : og_policy_name_ranks_for(&followed, arms, use, out, message);
}

og_status og_make_stopping(const og_policy_name *policy, const og_arms *arms,
                           const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_stopping rule;
    const char *name;
    rule_nodes nodes = {.near = 0};
    og_ranks *ranks = NULL;
    OG_TRY(og_stopping_parse(policy->name, &rule, &name, message));
    og_status status = find_nodes(&rule, arms, use, &nodes, message);
    OG_THEN(status, name == NULL ? rank_by_labels(arms, &ranks)
                                 : make_followed(policy, name, arms, use, &ranks, message));
    if (status == OG_OK && ranks->chooser_lock == NULL) {
        take_out(arms, &nodes, ranks);
        *out = ranks;
        ranks = NULL;
    } else if (status == OG_OK) {
        status = make_masked(&rule, arms, ranks, &nodes, out);
        ranks = status == OG_OK ? NULL : ranks;
    }
    og_ranks_free(ranks);
    og_arena_clear(&nodes.arena);
    if (status == OG_STOPPED && og_stop_status(use->stop) == OG_STOPPED) {
        og_message_set(message, status, "the index of policy '%.60s' was stopped", policy->name);
    } else if (status == OG_NO_MEMORY) {
        og_message_set(message, status, "out of memory for policy '%.60s'", policy->name);
    }
    return status;
}
