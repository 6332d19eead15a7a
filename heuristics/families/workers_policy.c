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

/* Data of a policy. Its belief is a, b of each instance, then c, d of each worker. */
typedef struct {
    og_arena arena;
    const og_workers_posterior *posterior;
    double *prior; /* the belief at the root */
    og_workers_rule rule;
} policy;

static og_status begin(void *self, void *scratch, void *belief, og_message *message)
{
    const policy *of = self;
    size_t count = 2 * (size_t)(of->posterior->instances + of->posterior->workers);
    (void)scratch;
    (void)message;
    memcpy(belief, of->prior, count * sizeof *of->prior);
    return OG_OK;
}

static double learn(void *self, void *scratch, const void *state, const void *before, og_act act,
                    int32_t answer, int32_t branch, void *after)
{
    const policy *of = self;
    uint32_t instances = (uint32_t)of->posterior->instances;
    double *own = after;
    (void)scratch;
    (void)state;
    (void)branch;
    memcpy(own, before,
           2 * (size_t)(of->posterior->instances + of->posterior->workers) * sizeof *own);
    og_workers_match(&own[2 * act.part[0]], &own[2 * (instances + act.part[1])], answer == 1);
    return 1;
}

/* A tie is positive, also if rounding has broken it. */
static og_status decide(void *self, void *scratch, const void *state, const void *belief,
                        double *decision, og_message *message)
{
    const double rounding = 1e-12;
    const policy *of = self;
    const double *own = belief;
    (void)scratch;
    (void)state;
    (void)message;
    for (int32_t i = 0; i < of->posterior->instances; i++) {
        decision[i] = own[2 * i] >= own[2 * i + 1] * (1 - rounding) ? 1 : -1;
    }
    return OG_OK;
}

static og_status choose_any(void *self, void *scratch, const void *state, const void *belief,
                            const og_act_open *open, int32_t count, double *answer, og_answer *kind,
                            og_message *message)
{
    (void)self, (void)scratch, (void)state, (void)belief, (void)open, (void)message;
    memset(answer, 0, (size_t)count * sizeof *answer);
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status choose_matched(void *self, void *scratch, const void *state, const void *belief,
                                const og_act_open *open, int32_t count, double *answer,
                                og_answer *kind, og_message *message)
{
    const policy *of = self;
    const double *own = belief;
    (void)scratch, (void)state, (void)message;
    *kind = OG_ANSWER_INDEX;
    for (int32_t k = 0; k < count; k++) {
        uint32_t instances = (uint32_t)of->posterior->instances;
        answer[k] = og_workers_index(&own[2 * open[k].act.part[0]],
                                     &own[2 * (instances + open[k].act.part[1])], &of->rule);
    }
    return OG_OK;
}

static og_status choose_exact(void *self, void *scratch, const void *state, const void *belief,
                              const og_act_open *open, int32_t count, double *answer,
                              og_answer *kind, og_message *message)
{
    const policy *of = self;
    const og_workers_posterior *posterior = of->posterior;
    const og_workers_state *now = state;
    og_pair_counts after[OG_WORKERS_PAIRS_MAX];
    double evidence, positive[OG_WORKERS_INSTANCES_MAX], negative[OG_WORKERS_INSTANCES_MAX];
    double h[OG_WORKERS_INSTANCES_MAX] = {0};
    (void)scratch, (void)belief, (void)message;
    *kind = OG_ANSWER_INDEX;
    memcpy(after, now->counts, (size_t)(posterior->instances * posterior->workers) * sizeof *after);
    og_workers_evidence(posterior, after, &evidence, positive, negative);
    for (int32_t i = 0; i < posterior->instances; i++) {
        h[i] = fmax(positive[i], negative[i]) / evidence;
    }
    for (int32_t k = 0; k < count; k++) {
        uint32_t i = open[k].act.part[0];
        og_pair_counts *pair = &after[i * (uint32_t)posterior->workers + open[k].act.part[1]];
        double chance[2], gain[2];
        for (int sign = 0; sign < 2; sign++) {
            uint8_t *labels = sign == 0 ? &pair->positive : &pair->negative;
            ++*labels;
            og_workers_evidence(posterior, after, &chance[sign], positive, negative);
            --*labels;
            gain[sign] = fmax(positive[i], negative[i]) / chance[sign] - h[i];
        }
        answer[k] = og_workers_combine(&of->rule, chance[0] / evidence, gain[0], gain[1]);
    }
    return OG_OK;
}

static void take_betas(const og_groups *groups, const int32_t *group, int32_t count, double *out)
{
    for (int32_t i = 0; i < count; i++) {
        out[2 * i] = og_fraction_double(groups->groups[group[i]].a);
        out[2 * i + 1] = og_fraction_double(groups->groups[group[i]].b);
    }
}

static og_status make(const og_workers_rule *rule, bool exact,
                      const og_workers_posterior *posterior, const og_groups *problem,
                      const og_groups *workers, og_strategy *out)
{
    size_t items = (size_t)(posterior->instances + posterior->workers);
    policy *of = og_arena_new(sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    of->posterior = posterior;
    of->rule = *rule;
    of->prior = og_arena_array(&of->arena, 2 * items, sizeof *of->prior);
    if (of->prior == NULL) {
        og_arena_free(of);
        return OG_NO_MEMORY;
    }
    take_betas(problem, posterior->instance_group, posterior->instances, of->prior);
    take_betas(workers, posterior->worker_group, posterior->workers,
               &of->prior[2 * posterior->instances]);
    for (int32_t i = 0; i < posterior->had; i++) {
        const og_pair_label *label = &posterior->root[i];
        og_workers_match(&of->prior[2 * label->instance],
                         &of->prior[2 * (posterior->instances + label->worker)], label->positive);
    }
    *out = (og_strategy){.self = of,
                         .concurrent = true,
                         .tie = OG_WORKERS_TIE,
                         .choose = exact                         ? choose_exact
                                   : rule->way == OG_WORKERS_ANY ? choose_any
                                                                 : choose_matched,
                         .free = og_arena_free};
    if (!exact) {
        const size_t item = 2 * sizeof(double);
        out->belief_bytes = items * item;
        out->item_bytes[0] = out->item_bytes[1] = item;
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
