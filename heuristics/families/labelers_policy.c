/* Creates policies that choose labelers from their names. */
#include "heuristics/families/labelers_policy.h"

#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"

static const char policies[] = "ls-ol, ls-ol-weighted, everybody, best-set, greedy, bayes-vote";

static const char *const names[OG_LABELERS_WAYS] = {"ls-ol",    "ls-ol-weighted", "everybody",
                                                    "best-set", "greedy",         "bayes-vote"};

typedef struct {
    og_arena arena;
    og_labelers_way way;
    const og_labelers_problem *game;
} labelers_policy;

og_status og_labelers_way_parse(const char *name, og_labelers_way *out, og_message *message)
{
    for (int way = 0; way < OG_LABELERS_WAYS; way++) {
        if (strcmp(names[way], name) == 0) {
            *out = (og_labelers_way)way;
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' does not support labelers; choose one of %s", name,
                          policies);
}

og_labelers_way og_labelers_way_of(const og_strategy *strategy)
{
    const labelers_policy *policy = strategy->self;
    return policy->way;
}

static og_status refuse(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const labelers_policy *policy = self;
    (void)view, (void)answer, (void)kind;
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%s' depends on more than the state, and does not support single "
                          "states",
                          names[policy->way]);
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const labelers_policy *policy = self;
    const og_labelers_state *state = view->state;
    uint32_t members = (UINT32_C(1) << policy->game->prior->count) - 1;
    (void)message;
    if (policy->way != OG_LABELERS_BY_EVERYBODY) {
        members = policy->game->choice[og_labelers_greedy(policy->game, state->weight)].members;
    }
    for (int32_t k = 0; k < view->count; k++) {
        answer[k] = view->open[k].act.part[0] == members ? 1 : 0;
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

bool og_labelers_has_way(const og_strategy *strategy)
{
    return strategy->choose == choose || strategy->choose == refuse;
}

og_status og_labelers_strategy(og_labelers_way way, const og_labelers_problem *game,
                               og_strategy *out)
{
    bool ls_ol = way == OG_LABELERS_BY_LS_OL || way == OG_LABELERS_BY_LS_OL_WEIGHTED;
    bool beyond = ls_ol || way == OG_LABELERS_BY_BAYES_VOTE;
    labelers_policy *policy = og_arena_new(sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    policy->way = way;
    policy->game = game;
    *out = (og_strategy){.self = policy,
                         .concurrent = true,
                         .beyond = beyond,
                         .choose = beyond ? refuse : choose,
                         .free = og_arena_free};
    return OG_OK;
}
