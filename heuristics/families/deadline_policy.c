/* Where a policy's indices come from when labels have a deadline. */
#include "heuristics/families/deadline_policy.h"

#include <string.h>

#include "dp/engine/strategy.h"

og_status og_deadline_policy_init(og_deadline_policy *out, const og_policy_name *policy,
                                  const og_arms *arms, const og_deadline *deadline, int threads,
                                  uint64_t memory_bytes, og_message *message)
{
    og_deadline_policy made = {.arms = arms};
    (void)deadline;
    OG_TRY(og_delayed_policy_init(&made.posterior, policy, arms, NULL, threads, memory_bytes,
                                  message));
    *out = made;
    return OG_OK;
}

void og_deadline_policy_clear(og_deadline_policy *policy)
{
    og_delayed_policy_clear(&policy->posterior);
    memset(policy, 0, sizeof *policy);
}

static og_status choose(void *self, void *scratch, const void *state, const void *belief,
                        const og_open *open, int32_t count, double *answer, og_answer *kind,
                        og_message *message)
{
    const og_deadline_policy *of = self;
    const og_deadline_state *now = state;
    (void)scratch, (void)belief, (void)message;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t *part = open[i].act.part;
        answer[i] =
            og_act_equal(open[i].act, og_deadline_away(of->arms))
                ? -1.0
                : og_delayed_policy_rank(&of->posterior, (int32_t)part[0], part[1], 0, now->left);
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static uint64_t tolerance_ties(void *self)
{
    return ((const og_deadline_policy *)self)->posterior.tolerance_ties;
}

og_strategy og_deadline_strategy(const og_deadline_policy *policy)
{
    return (og_strategy){.self = (void *)policy, /* never written to */
                         .concurrent = true,
                         .choose = choose,
                         .tolerance_ties = tolerance_ties};
}
