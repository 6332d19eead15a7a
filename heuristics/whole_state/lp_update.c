/*
 * lp-update labels in each state what the policy lagrangian labels first in the problem that begins
 * there, with the labels left as its budget. The linear programme of the fluid problem
 * (heuristics/bounds/fluid.h) is solved again in every state, as by Gast, Gaujal and Yan (arXiv
 * 2106.10067 and 2211.01961), who label by the probabilities with which a solution labels at once.
 * There are many solutions; this is the one with most entropy (heuristics/index/draw.h), so that
 * the choice does not depend on the solver.
 *
 * Ties are those of lagrangian, and tolerance_ties counts those among the state's posteriors.
 */
#include <float.h>
#include <stdlib.h>

#include "dp/arm/arm_after.h"
#include "dp/base/arena.h"
#include "dp/product/chooser.h"
#include "heuristics/asking.h"
#include "heuristics/whole_state/following.h"

typedef struct {
    og_arena arena;
    const og_arms *arms;
    og_policy_name lagrangian;
    og_policy_use use;
    double **call;      /* [arm_count], of each node */
    double *call_error; /* [arm_count] */
    uint64_t tolerance_ties;
} lp_update;

/* The arms of a state. */
typedef struct {
    og_arena arena;
    og_arm **arm;    /* [state->count], arm_count of them made */
    int32_t *number; /* [state->count] the arm of each group */
    int64_t *copies; /* [state->count] */
    int32_t arm_count;
} beginning;

static og_status make_arm(const lp_update *policy, const og_state_group *group, int32_t left,
                          og_arm **out)
{
    return og_arm_new_after(policy->arms->arm[group->arm], group->node, left,
                            policy->call[group->arm][group->node], policy->call_error[group->arm],
                            out);
}

/* Makes an arm for each different node. */
static og_status make_arms(const lp_update *policy, const og_state *state, beginning *out)
{
    size_t count = (size_t)state->count;
    int32_t *first = og_arena_array(&out->arena, count, sizeof *first);
    out->arm = og_arena_array(&out->arena, count, sizeof(og_arm *));
    out->number = og_arena_array(&out->arena, count, sizeof *out->number);
    out->copies = og_arena_array(&out->arena, count, sizeof *out->copies);
    OG_TRY(og_arena_status(&out->arena));
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        int32_t k = 0;
        out->copies[i] = group->copies;
        while (k < out->arm_count && (state->group[first[k]].arm != group->arm ||
                                      state->group[first[k]].node != group->node)) {
            k++;
        }
        out->number[i] = k;
        if (k == out->arm_count) {
            first[k] = i;
            OG_TRY(make_arm(policy, group, state->left, &out->arm[k]));
            out->arm_count++;
        }
    }
    return OG_OK;
}

/* The answers are the ranks of the first label. */
static og_status read_ranks(lp_update *policy, const og_state *state, const beginning *begun,
                            const og_ranks *ranks, double *answer)
{
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = og_ranks_of(ranks, begun->number[i], state->left)[0];
    }
    __atomic_fetch_add(&policy->tolerance_ties, ranks->tolerance_ties_begin, __ATOMIC_RELAXED);
    return OG_OK;
}

static og_status choose(void *self, const og_state *state, double *answer, og_answer *kind,
                        og_message *message)
{
    lp_update *policy = self;
    beginning begun = {.arm_count = 0};
    og_arms *arms = NULL;
    og_ranks *ranks = NULL;
    og_policy_use use = policy->use;
    use.whole_budget = state->left;
    *kind = OG_ANSWER_EXACT;
    message->text[0] = '\0';
    og_status status = make_arms(policy, state, &begun);
    OG_THEN(status, og_arms_of(state->left, begun.arm, begun.arm_count, state->count, begun.number,
                               begun.copies, &arms));
    OG_THEN(status, og_policy_name_ranks_for(&policy->lagrangian, arms, &use, &ranks, message));
    OG_THEN(status, read_ranks(policy, state, &begun, ranks, answer));
    for (int32_t k = 0; arms == NULL && k < begun.arm_count; k++) {
        og_arm_free(begun.arm[k]);
    }
    og_ranks_free(ranks);
    og_arms_free(arms);
    og_arena_clear(&begun.arena);
    return status == OG_OK || message->text[0] != '\0'
               ? status
               : og_message_set(message, status, "policy 'lp-update': %s", og_status_text(status));
}

static uint64_t tolerance_ties(void *self)
{
    lp_update *policy = self;
    return __atomic_load_n(&policy->tolerance_ties, __ATOMIC_RELAXED);
}

static void lp_update_free(void *self)
{
    og_arena_free(self);
}

static og_status find_calls(lp_update *policy)
{
    size_t count = (size_t)policy->arms->arm_count;
    policy->call = og_arena_array(&policy->arena, count, sizeof *policy->call);
    policy->call_error = og_arena_array(&policy->arena, count, sizeof *policy->call_error);
    OG_TRY(og_arena_status(&policy->arena));
    for (size_t a = 0; a < count; a++) {
        const og_arm *arm = policy->arms->arm[a];
        policy->call[a] = og_arena_array(&policy->arena, arm->node_count, sizeof **policy->call);
        OG_TRY(og_arena_status(&policy->arena));
        double *error = &policy->call_error[a];
        OG_TRY(og_arm_calls(arm, false, policy->use.stop, policy->call[a], error));
        /* A sum of at most depth + 1 terms of at most the scale of calls, which are at least half
         * of it, for payoffs that are not negative. */
        *error = 2 * (arm->depth + 2.0) * (*error + arm->call_error + DBL_EPSILON);
    }
    return OG_OK;
}

og_status og_make_lp_update(const og_policy_name *policy, const og_arms *arms,
                            const og_policy_use *use, og_ranks **out, og_message *message)
{
    OG_TRY(og_refuse_prices(policy, arms, message));
    lp_update *self = og_arena_new(sizeof *self);
    OG_TRY(OG_ALLOCATED(self));
    self->arms = arms;
    self->use = *use;
    self->use.threads = 1;
    self->use.roots = true;
    og_status status = og_policy_name_parse("lagrangian", &self->lagrangian, message);
    OG_THEN(status, find_calls(self));
    const og_chooser chooser = {.self = self,
                                .look = OG_LOOK_VALUE,
                                .choose = choose,
                                .tolerance_ties = tolerance_ties,
                                .free = lp_update_free};
    OG_THEN(status, og_ranks_new_chooser(arms, &chooser, out));
    if (status != OG_OK) {
        og_arena_free(self);
    }
    return status;
}
