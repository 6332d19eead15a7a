/*
 * Policies for workers of unknown reliability, based on moment matching of an instance and a
 * worker, label by label, or on the exact posterior.
 */
#include "heuristics/families/workers_policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"

/* Data of a policy. Its belief is a, b of each instance, then that of each worker in its form. */
typedef struct {
    og_arena arena;
    const og_workers_posterior *posterior;
    double *prior;        /* the belief at the root */
    int32_t width;        /* of a worker; a shorter one ends in zeros */
    og_worker_form *form; /* [workers] */
    og_workers_rule rule;
} workers_policy;

static size_t belief_count(const workers_policy *policy)
{
    return (size_t)(2 * policy->posterior->instances + policy->width * policy->posterior->workers);
}

static size_t place_of(const workers_policy *policy, uint32_t worker)
{
    return 2 * (size_t)policy->posterior->instances + (size_t)policy->width * worker;
}

static og_status begin(void *self, void *scratch, void *belief, og_message *message)
{
    const workers_policy *policy = self;
    (void)scratch;
    (void)message;
    memcpy(belief, policy->prior, belief_count(policy) * sizeof *policy->prior);
    return OG_OK;
}

static double learn(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                    int32_t branch, void *after)
{
    const workers_policy *policy = self;
    double *own = after;
    (void)branch;
    memcpy(own, view->belief, belief_count(policy) * sizeof *own);
    og_workers_learn(&policy->form[act.part[1]], &own[2 * act.part[0]],
                     own + place_of(policy, act.part[1]), answer == 1);
    return 1;
}

/* A tie is positive, also if rounding has broken it. */
static og_status decide(void *self, const og_strategy_view *view, double *decision,
                        og_message *message)
{
    const double rounding = 1e-12;
    const workers_policy *policy = self;
    const double *own = view->belief;
    (void)message;
    for (int32_t i = 0; i < policy->posterior->instances; i++) {
        decision[i] = own[2 * i] >= own[2 * i + 1] * (1 - rounding) ? 1 : -1;
    }
    return OG_OK;
}

static og_status choose_any(void *self, const og_strategy_view *view, double *answer,
                            og_answer *kind, og_message *message)
{
    (void)self, (void)message;
    memset(answer, 0, (size_t)view->count * sizeof *answer);
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status choose_matched(void *self, const og_strategy_view *view, double *answer,
                                og_answer *kind, og_message *message)
{
    const workers_policy *policy = self;
    const double *own = view->belief;
    (void)message;
    *kind = OG_ANSWER_INDEX;
    for (int32_t k = 0; k < view->count; k++) {
        const uint32_t *pair = view->open[k].act.part;
        answer[k] = og_workers_index(&own[2 * pair[0]], own + place_of(policy, pair[1]),
                                     &policy->form[pair[1]], &policy->rule);
    }
    return OG_OK;
}

static og_status choose_exact(void *self, const og_strategy_view *view, double *answer,
                              og_answer *kind, og_message *message)
{
    const workers_policy *policy = self;
    const og_workers_posterior *posterior = policy->posterior;
    const og_workers_state *now = view->state;
    og_pair_counts after[OG_WORKERS_PAIRS_MAX];
    double evidence, positive[OG_WORKERS_INSTANCES_MAX], negative[OG_WORKERS_INSTANCES_MAX];
    double h[OG_WORKERS_INSTANCES_MAX] = {0};
    (void)message;
    *kind = OG_ANSWER_INDEX;
    memcpy(after, now->counts, (size_t)(posterior->instances * posterior->workers) * sizeof *after);
    og_workers_evidence(posterior, after, &evidence, positive, negative);
    for (int32_t i = 0; i < posterior->instances; i++) {
        h[i] = fmax(positive[i], negative[i]) / evidence;
    }
    for (int32_t k = 0; k < view->count; k++) {
        uint32_t i = view->open[k].act.part[0];
        og_pair_counts *pair = &after[i * (uint32_t)posterior->workers + view->open[k].act.part[1]];
        double chance[2], gain[2];
        for (int sign = 0; sign < 2; sign++) {
            uint8_t *labels = sign == 0 ? &pair->positive : &pair->negative;
            ++*labels;
            og_workers_evidence(posterior, after, &chance[sign], positive, negative);
            --*labels;
            gain[sign] = fmax(positive[i], negative[i]) / chance[sign] - h[i];
        }
        answer[k] = og_workers_combine(&policy->rule, chance[0] / evidence, gain[0], gain[1]);
    }
    return OG_OK;
}

/* The belief before the first label, and after those of the root. */
static void believe(workers_policy *policy, const og_groups *problem, const og_groups *workers)
{
    const og_workers_posterior *p = policy->posterior;
    for (int32_t i = 0; i < p->instances; i++) {
        policy->prior[2 * i] = og_fraction_double(problem->groups[p->instance_group[i]].a);
        policy->prior[2 * i + 1] = og_fraction_double(problem->groups[p->instance_group[i]].b);
    }
    for (int32_t j = 0; j < p->workers; j++) {
        policy->form[j] = og_worker_believe(&workers->groups[p->worker_group[j]],
                                            policy->prior + place_of(policy, (uint32_t)j));
    }
    for (int32_t i = 0; i < p->had; i++) {
        const og_pair_label *label = &p->root[i];
        og_workers_learn(&policy->form[label->worker], &policy->prior[2 * label->instance],
                         policy->prior + place_of(policy, (uint32_t)label->worker),
                         label->positive);
    }
}

static og_status make(const og_workers_rule *rule, bool exact,
                      const og_workers_posterior *posterior, const og_groups *problem,
                      const og_groups *workers, og_strategy *out)
{
    workers_policy *policy = og_arena_new(sizeof *policy);
    OG_TRY(OG_ALLOCATED(policy));
    policy->posterior = posterior;
    policy->rule = *rule;
    policy->width = og_worker_width(workers);
    policy->prior = og_arena_array(&policy->arena, belief_count(policy), sizeof *policy->prior);
    policy->form = og_arena_array(&policy->arena, (size_t)posterior->workers, sizeof *policy->form);
    OG_TRY(og_arena_whole(policy));
    believe(policy, problem, workers);
    *out = (og_strategy){.self = policy,
                         .concurrent = true,
                         .tie = OG_WORKERS_TIE,
                         .choose = exact                         ? choose_exact
                                   : rule->way == OG_WORKERS_ANY ? choose_any
                                                                 : choose_matched,
                         .free = og_arena_free};
    if (!exact) {
        out->belief_bytes = belief_count(policy) * sizeof *policy->prior;
        out->item_bytes[0] = 2 * sizeof *policy->prior;
        out->item_bytes[1] = (size_t)policy->width * sizeof *policy->prior;
        out->begin = begin;
        out->learn = learn;
        out->decide = decide;
    }
    return OG_OK;
}

og_status og_workers_strategy(const og_policy_name *named, const og_workers_posterior *posterior,
                              const og_groups *problem, const og_groups *workers,
                              struct og_strategy *out, og_message *message)
{
    bool best = strcmp(named->name, "opt-kg-exact") == 0;
    bool exact = best || strcmp(named->name, "kg-exact") == 0;
    og_workers_rule rule = {.way = best ? OG_WORKERS_BEST : OG_WORKERS_MEAN};
    if (exact || og_workers_rule_of(named->name, named->parameter, &rule)) {
        return make(&rule, exact, posterior, problem, workers, out);
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' does not support workers of unknown reliability; choose "
                          "uniform, kg, opt-kg, pess-kg, cvar-kg:ALPHA, kg-exact or opt-kg-exact",
                          named->name);
}
