/* Creates policies for labels that take time from their names. */
#include "heuristics/families/delayed_policy.h"

#include <stdlib.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "dp/families/deadline.h"
#include "dp/product/chooser.h"
#include "heuristics/user_policy.h"

static const char own_name[] = "hu-frazier";

bool og_delayed_policy_is_own(const og_policy_name *policy)
{
    size_t length = strcspn(policy->name, ":");
    return length == strlen(own_name) && memcmp(policy->name, own_name, length) == 0;
}

/* Copies the arms with at most `depth` labels; nodes and arms keep their numbers. */
static og_status shorten(const og_arms *arms, int32_t depth, const og_policy_use *use,
                         og_arms **out, og_message *message)
{
    const og_settings settings = og_stop_limits(use->threads, use->memory_bytes, use->stop);
    og_groups problem;
    og_groups_init(&problem, depth);
    og_status status = OG_OK;
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        og_group group = *og_arm_prior(arms->arm[a]);
        group.count = 1;
        status = og_groups_add(&problem, &group, message);
    }
    OG_THEN(status, og_arms_new(&problem, &settings, out, message));
    og_groups_clear(&problem);
    return status;
}

static og_status init_own_index(og_delayed_policy *out, const og_policy_name *policy,
                                const og_delay *delay, const og_policy_use *use,
                                og_message *message)
{
    int32_t most = policy->has_parameter ? (int32_t)policy->parameter : 0;
    og_status status = OG_OK;
    out->reach = out->arms->budget;
    if (most > 0 && most < out->reach) {
        out->reach = most;
        status = shorten(out->arms, most, use, &out->shorter, message);
    }
    OG_THEN(status, og_delayed_index_new(out->shorter != NULL ? out->shorter : out->arms, delay,
                                         use, &out->index, message));
    if (status == OG_OK) {
        out->tolerance_ties = out->index->tolerance_ties;
    }
    return status;
}

/* Replaces the ranks of a caller's function with an index: it is called for each instance
 * separately and does not see the others.
 */
static og_status rank_alone(og_delayed_policy *policy, og_message *message)
{
    og_ranks *ranks = NULL;
    OG_TRY(og_ranks_alone(policy->ranks, policy->arms, &ranks, message));
    og_ranks_free(policy->ranks);
    policy->ranks = ranks;
    return OG_OK;
}

static og_status refuse_stops(const og_policy_name *policy, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' stops, which labels that take time or come in batches do "
                          "not support; omit it",
                          policy->name);
}

og_status og_delayed_policy_init(og_delayed_policy *out, const og_policy_name *policy,
                                 const og_arms *arms, const og_delay *delay,
                                 const og_policy_use *use, og_message *message)
{
    og_delayed_policy made = {.arms = arms, .rounds = delay == NULL};
    og_status status;
    OG_TRY(og_policy_name_is_rule(policy) ? refuse_stops(policy, message) : OG_OK);
    if (delay != NULL && og_delayed_policy_is_own(policy)) {
        status = init_own_index(&made, policy, delay, use, message);
    } else {
        bool index = og_policy_name_played(policy) == OG_PLAYED_BY_RANKS;
        const og_policy_use all = {
            .whole_budget = arms->budget, .threads = use->threads, .stop = use->stop};
        status = index ? og_policy_name_ranks_for(policy, arms, &all, &made.ranks, message) : OG_OK;
        bool own = og_user_policy_decides(policy) || strncmp(policy->name, "plugin:", 7) == 0;
        if (status == OG_OK && own) {
            status = rank_alone(&made, message);
        }
        if (status == OG_OK && (!index || made.ranks->chooser_lock != NULL)) {
            status = og_message_set(message, OG_BAD_INPUT,
                                    "policy '%.64s' is not an index of one instance, and labels "
                                    "that take time or come in batches support only those",
                                    policy->name);
        }
        if (status == OG_OK && made.ranks->stops) {
            status = refuse_stops(policy, message);
        }
        if (status == OG_OK) {
            made.tolerance_ties = made.ranks->tolerance_ties;
        }
    }
    return OG_MADE_IN(status, made, og_delayed_policy_clear, out);
}

void og_delayed_policy_clear(og_delayed_policy *policy)
{
    og_ranks_free(policy->ranks);
    og_delayed_index_free(policy->index);
    og_arms_free(policy->shorter);
    memset(policy, 0, sizeof *policy);
}

uint32_t og_delayed_policy_rank(const og_delayed_policy *policy, int32_t arm, uint32_t node,
                                int32_t at_work, int32_t left)
{
    if (policy->index == NULL) {
        return og_ranks_of(policy->ranks, arm, left)[node];
    }
    int32_t more = policy->reach - at_work;
    if (policy->shorter != NULL) {
        more -= og_arm_level(policy->arms->arm[arm], node);
    }
    left = more < left ? more : left;
    return left <= 0 ? 0 : og_delayed_index_rank(policy->index, arm, node, at_work, left);
}

bool og_delayed_policy_changes(const og_delayed_policy *policy, int32_t left)
{
    return policy->index == NULL ? policy->ranks->by_left : left < policy->reach;
}

/* The workers to come or, for batches, the labels left when the batch begins. */
static int32_t left_of(const og_delayed_policy *policy, const void *state)
{
    const og_deadline_state *batch = state;
    return policy->rounds ? batch->left + batch->come : ((const og_delayed_state *)state)->left;
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const og_delayed_policy *policy = self;
    const int32_t left = left_of(policy, view->state);
    uint32_t least = UINT32_MAX;
    (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        least = view->open[i].act.part[2] < least ? view->open[i].act.part[2] : least;
    }
    for (int32_t i = 0; i < view->count; i++) {
        const uint32_t *part = view->open[i].act.part;
        answer[i] =
            policy->rounds && part[2] > least
                ? -1.0 /* below all ranks */
                : og_delayed_policy_rank(policy, (int32_t)part[0], part[1], (int32_t)part[2], left);
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static uint64_t tolerance_ties(void *self)
{
    return ((const og_delayed_policy *)self)->tolerance_ties;
}

og_strategy og_delayed_strategy(const og_delayed_policy *policy)
{
    return (og_strategy){.self = (void *)policy, /* not modified */
                         .concurrent = true,
                         .choose = choose,
                         .tolerance_ties = tolerance_ties};
}

static void free_own(void *self)
{
    og_delayed_policy_clear(self);
    free(self);
}

og_status og_delayed_strategy_new(const og_policy_name *policy, const og_arms *arms,
                                  const og_delay *delay, const og_policy_use *use, og_strategy *out,
                                  og_message *message)
{
    og_delayed_policy *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    og_status status = og_delayed_policy_init(own, policy, arms, delay, use, message);
    if (status != OG_OK) {
        free(own);
        return status;
    }
    *out = og_delayed_strategy(own);
    out->free = free_own;
    return OG_OK;
}
