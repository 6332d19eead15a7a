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
    og_ruled ruled;
    const og_workers_posterior *posterior;
    double *prior;        /* the belief at the root */
    int32_t width;        /* of a worker; a shorter one ends in zeros */
    og_worker_form *form; /* [workers] */
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

static og_status matched(const void *self, const og_strategy_view *view, int32_t k,
                         og_prospect *out, og_message *message)
{
    const workers_policy *policy = self;
    const double *own = view->belief;
    const uint32_t *pair = view->open[k].act.part;
    (void)message;
    og_workers_prospect(&own[2 * pair[0]], own + place_of(policy, pair[1]), &policy->form[pair[1]],
                        out);
    return OG_OK;
}

/* The scratch: the evidence and h of each instance now, then the numbers after a label. */
static og_status exact(const void *self, const og_strategy_view *view, int32_t k, og_prospect *out,
                       og_message *message)
{
    const workers_policy *policy = self;
    const og_workers_posterior *posterior = policy->posterior;
    const og_workers_state *now = view->state;
    const uint32_t *act = view->open[k].act.part;
    og_pair_counts after[OG_WORKERS_PAIRS_MAX];
    double *evidence = view->scratch, *h = evidence + 1, *positive = h + posterior->instances;
    double *negative = positive + posterior->instances, chance[2], gain[2];
    (void)message;
    memcpy(after, now->counts, (size_t)(posterior->instances * posterior->workers) * sizeof *after);
    if (k == 0) {
        og_workers_evidence(posterior, after, evidence, positive, negative);
        for (int32_t i = 0; i < posterior->instances; i++) {
            h[i] = fmax(positive[i], negative[i]) / *evidence;
        }
    }
    og_pair_counts *pair = &after[act[0] * (uint32_t)posterior->workers + act[1]];
    for (int sign = 0; sign < 2; sign++) {
        uint8_t *labels = sign == 1 ? &pair->positive : &pair->negative;
        ++*labels;
        og_workers_evidence(posterior, after, &chance[sign], positive, negative);
        --*labels;
        gain[sign] = fmax(positive[act[0]], negative[act[0]]) / chance[sign] - h[act[0]];
    }
    chance[1] /= *evidence;
    chance[0] = 1 - chance[1];
    og_prospect_pair(out, chance, gain);
    return OG_OK;
}

/* The belief before the first label, and after those of the root. */
static void believe(workers_policy *policy, const og_groups *problem, const og_groups *workers)
{
    const og_workers_posterior *p = policy->posterior;
    for (int32_t i = 0; i < p->instances; i++) {
        policy->prior[2 * i] = og_fraction_double(og_groups_at(problem, p->instance_group[i])->a);
        policy->prior[2 * i + 1] =
            og_fraction_double(og_groups_at(problem, p->instance_group[i])->b);
    }
    for (int32_t j = 0; j < p->workers; j++) {
        policy->form[j] = og_worker_believe(og_groups_at(workers, p->worker_group[j]),
                                            policy->prior + place_of(policy, (uint32_t)j));
    }
    for (int32_t i = 0; i < p->had; i++) {
        const og_pair_label *label = &p->root[i];
        og_workers_learn(&policy->form[label->worker], &policy->prior[2 * label->instance],
                         policy->prior + place_of(policy, (uint32_t)label->worker),
                         label->positive);
    }
}

static og_status prepare(workers_policy *policy, const og_groups *problem, const og_groups *workers)
{
    size_t people = (size_t)policy->posterior->workers;
    policy->width = og_worker_width(workers);
    policy->prior =
        og_arena_array(&policy->ruled.arena, belief_count(policy), sizeof *policy->prior);
    policy->form = og_arena_array(&policy->ruled.arena, people, sizeof *policy->form);
    OG_TRY(og_arena_status(&policy->ruled.arena));
    believe(policy, problem, workers);
    return OG_OK;
}

og_status og_workers_strategy(const og_policy_name *named, const og_workers_posterior *posterior,
                              const og_groups *problem, const og_groups *workers,
                              struct og_strategy *out, og_message *message)
{
    og_rule_use use;
    if (!og_policy_name_rule(named, &use)) {
        return og_policy_name_refuse(named, "workers of unknown reliability", "workers", message);
    }
    OG_TRY(og_ruled_new(sizeof(workers_policy), &use, use.exact ? exact : matched, out));
    workers_policy *policy = out->self;
    policy->posterior = posterior;
    out->tie = OG_WORKERS_TIE;
    if (use.exact) {
        out->scratch_bytes = (1 + 3 * (size_t)posterior->instances) * sizeof(double);
        return OG_OK;
    }
    og_status status = prepare(policy, problem, workers);
    out->belief_bytes = belief_count(policy) * sizeof *policy->prior;
    out->item_bytes[0] = 2 * sizeof *policy->prior;
    out->item_bytes[1] = (size_t)policy->width * sizeof *policy->prior;
    out->begin = begin;
    out->learn = learn;
    out->decide = decide;
    if (status != OG_OK) {
        og_strategy_free(out);
    }
    return status;
}
