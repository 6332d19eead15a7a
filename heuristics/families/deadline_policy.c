/* Creates policies for labels with a deadline from their names. */
#include "heuristics/families/deadline_policy.h"

#include <stdlib.h>
#include <string.h>

#include "dp/engine/strategy.h"

static const char own_name[] = "hu-frazier";

static og_status init(og_deadline_policy *out, const og_policy_name *policy,
                      const og_deadline *deadline, const og_policy_use *use, og_message *message)
{
    size_t length = strcspn(policy->name, ":");
    bool own = length == strlen(own_name) && memcmp(policy->name, own_name, length) == 0;
    if (own && policy->has_parameter) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--deadline does not support policy '%.64s'; choose hu-frazier",
                              policy->name);
    }
    if (own) {
        OG_TRY(og_deadline_index_new(out->arms, deadline, use, &out->index, message));
        out->tolerance_ties = out->index->tolerance_ties;
        return OG_OK;
    }
    OG_TRY(og_delayed_policy_init(&out->posterior, policy, out->arms, NULL, use, message));
    out->tolerance_ties = out->posterior.tolerance_ties;
    return OG_OK;
}

static double rank_of(const og_deadline_policy *policy, og_act act, const og_deadline_state *now)
{
    int32_t arm = (int32_t)act.part[0];
    if (og_act_equal(act, og_deadline_away(policy->arms))) {
        return -1;
    }
    return policy->index != NULL
               ? og_deadline_index_rank(policy->index, arm, act.part[1], act.part[2], now)
               : og_delayed_policy_rank(&policy->posterior, arm, act.part[1], 0, now->left);
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = rank_of(self, view->open[i].act, view->state);
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static uint64_t tolerance_ties(void *self)
{
    return ((const og_deadline_policy *)self)->tolerance_ties;
}

og_strategy og_deadline_strategy(const og_deadline_policy *policy)
{
    return (og_strategy){.self = (void *)policy, /* not modified */
                         .concurrent = true,
                         .choose = choose,
                         .tolerance_ties = tolerance_ties};
}

static void free_own(void *self)
{
    og_deadline_policy *own = self;
    og_delayed_policy_clear(&own->posterior);
    og_deadline_index_free(own->index);
    free(own);
}

og_status og_deadline_strategy_new(const og_policy_name *policy, const og_arms *arms,
                                   const og_deadline *deadline, const og_policy_use *use,
                                   og_strategy *out, og_message *message)
{
    if (og_policy_name_is_rule(policy)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.64s' stops, which --deadline does not support; omit it",
                              policy->name);
    }
    og_deadline_policy *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->arms = arms;
    og_status status = init(own, policy, deadline, use, message);
    if (status != OG_OK) {
        free(own);
        return status;
    }
    *out = og_deadline_strategy(own);
    out->free = free_own;
    return OG_OK;
}
