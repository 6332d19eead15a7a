/*
 * Workers of unknown reliability as a family. Its bounds are those of reliable workers, who can
 * play as if they were not.
 */
#include "bench/families/workers.h"

#include <math.h>
#include <stdlib.h>

#include "dp/families/workers.h"
#include "heuristics/families/workers_policy.h"

typedef struct {
    const og_problem *problem, *workers;
    bool once;
    og_workers_posterior posterior;
    og_arms *arms; /* of reliable workers, for the bounds */
    int32_t policy_count;
    og_workers_rule *rules; /* [policy_count]; prior NULL: not prepared */
} family;

static og_status call(void *self, double *value, double *error, mpq_ptr exact, og_message *message)
{
    const family *of = self;
    (void)exact;
    (void)message;
    *value = of->posterior.call;
    *error = of->posterior.call_error;
    return OG_OK;
}

static og_status value_of(const family *of, const og_workers_rule *rule, og_ties ties,
                          bool own_calls, const og_settings *settings, og_result *result,
                          og_message *message)
{
    og_workers_model model;
    og_workers_policy by = {.self = NULL};
    if (rule != NULL) {
        by = og_workers_policy_of(rule);
    }
    og_status status = og_workers_model_init(&model, &of->posterior, rule != NULL ? &by : NULL,
                                             ties, of->once, own_calls, settings->reductions);
    if (status == OG_OK) {
        status = og_workers_value(&model, settings, result, message);
        og_workers_model_clear(&model);
    }
    return status;
}

static og_status optimum(void *self, const og_settings *settings, og_valued *out,
                         og_message *message)
{
    return value_of(self, NULL, OG_TIES_BEST, false, settings, out->result, message);
}

static og_status prepare(void *self, int32_t number, const og_policy *named,
                         const og_settings *settings, og_message *message)
{
    family *of = self;
    og_workers_rule *rule = &of->rules[number];
    og_workers_model model = {.orders = NULL};
    og_status status =
        og_workers_rule_init(rule, named, &of->posterior, of->problem, of->workers, message);
    if (status != OG_OK || !rule->policy.remembers) {
        return status;
    }
    og_workers_policy by = og_workers_policy_of(rule);
    status = og_workers_model_init(&model, &of->posterior, &by, OG_TIES_RANDOM, of->once, true,
                                   settings->reductions);
    if (status == OG_OK && og_workers_histories(&model) > OG_HISTORIES_MAX) {
        status =
            og_message_set(message, OG_BAD_INPUT,
                           "%d pairs and %d labels make up to %.3g histories, and policy "
                           "'%.32s' depends on the order of labels: at most 2^31 histories "
                           "are followed",
                           (int)(of->posterior.instances * of->posterior.workers),
                           (int)of->posterior.labels, og_workers_histories(&model), named->name);
    }
    og_workers_model_clear(&model);
    return status;
}

static og_status policy(void *self, int32_t number, og_ties ties, const og_settings *settings,
                        og_valued *out, og_message *message)
{
    const family *of = self;
    const og_workers_rule *rule = &of->rules[number];
    og_result called;
    og_status status = OG_OK;
    if (rule->policy.call != NULL) {
        status = value_of(of, rule, ties, false, settings, &called, message);
        if (status == OG_OK) {
            out->called_value = called.value;
        }
    }
    return status == OG_OK ? value_of(of, rule, ties, true, settings, out->result, message)
                           : status;
}

static og_status bound(void *self, og_bound_kind kind, const og_settings *settings, og_bound *out,
                       og_message *message)
{
    typedef og_status maker(const og_arms *arms, int threads, og_bound *out);
    static maker *const makers[OG_BOUND_COUNT] = {
        [OG_BOUND_SCALAR] = og_bound_lagrangian_scalar,
        [OG_BOUND_VECTOR] = og_bound_lagrangian_vector,
        [OG_BOUND_PREVAILING] = og_bound_prevailing_charge,
    };
    const family *of = self;
    (void)message;
    return makers[kind](of->arms, settings->threads, out);
}

/* The first instance or worker of each group stands for it. */
static int32_t first_of(const int32_t *group, int32_t count, int32_t which)
{
    int32_t i = 0;
    while (i < count && group[i] != which) {
        i++;
    }
    return i;
}

static int32_t pair_of(const family *of, int32_t instance_group, int32_t worker_group)
{
    const og_workers_posterior *p = &of->posterior;
    return first_of(p->instance_group, p->instances, instance_group) * p->workers +
           first_of(p->worker_group, p->workers, worker_group);
}

static og_status first_actions(void *self, const og_settings *settings, og_first_action *action,
                               int32_t room, int32_t *count, og_message *message)
{
    const family *of = self;
    double q[OG_WORKERS_PAIRS_MAX];
    double error = 0;
    og_workers_model model;
    int32_t used = 0;
    og_status status = og_workers_model_init(&model, &of->posterior, NULL, OG_TIES_BEST, of->once,
                                             false, settings->reductions);
    if (status == OG_OK) {
        status = og_workers_q(&model, settings, q, &error, message);
        og_workers_model_clear(&model);
    }
    for (int32_t g = 0; status == OG_OK && g < of->problem->group_count; g++) {
        for (int32_t v = 0; v < of->workers->group_count && used < room; v++) {
            action[used++] = (og_first_action){
                .instance = g, .worker = v, .q = fmax(0, q[pair_of(of, g, v)]), .error = error};
        }
    }
    if (status == OG_OK) {
        *count = used;
    }
    return status;
}

static og_status picks(void *self, int32_t number, const og_first_action *action, int32_t count,
                       bool *pick, og_message *message)
{
    const family *of = self;
    bool picked[OG_WORKERS_PAIRS_MAX];
    og_workers_model model;
    (void)message;
    og_workers_policy by = og_workers_policy_of(&of->rules[number]);
    og_status status = og_workers_model_init(&model, &of->posterior, &by, OG_TIES_RANDOM, of->once,
                                             true, OG_REDUCE_ALL);
    if (status == OG_OK) {
        status = og_workers_picks(&model, picked);
        og_workers_model_clear(&model);
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = picked[pair_of(of, action[i].instance, action[i].worker)];
    }
    return status;
}

static void family_free(void *self)
{
    family *of = self;
    for (int32_t i = 0; of->rules != NULL && i < of->policy_count; i++) {
        og_workers_rule_clear(&of->rules[i]);
    }
    free(of->rules);
    og_workers_posterior_clear(&of->posterior);
    og_arms_free(of->arms);
    free(of);
}

static og_status fill(family *of, const og_settings *settings, og_message *message)
{
    int32_t labels = og_workers_labels(og_problem_size(of->problem), og_problem_size(of->workers),
                                       of->problem->budget, of->once);
    og_status status =
        og_workers_posterior_init(&of->posterior, of->problem, of->workers, labels, message);
    if (status == OG_OK) {
        og_problem given = *of->problem;
        given.budget = labels;
        status = og_arms_new(&given, settings->threads, settings->memory_bytes, &of->arms, message);
    }
    return status;
}

og_status og_family_workers(const og_problem *problem, const og_problem *workers, bool once,
                            int32_t policy_count, const og_settings *settings, og_family *out,
                            og_message *message)
{
    family *of = calloc(1, sizeof *of);
    og_workers_rule *rules = calloc((size_t)policy_count + 1, sizeof *rules);
    if (of == NULL || rules == NULL) {
        free(of);
        free(rules);
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    of->problem = problem;
    of->workers = workers;
    of->once = once;
    of->policy_count = policy_count;
    of->rules = rules;
    og_status status = fill(of, settings, message);
    if (status != OG_OK) {
        family_free(of);
        return status;
    }
    *out = (og_family){.self = of,
                       .budget = problem->budget,
                       .instances = of->posterior.instances,
                       .policies = "uniform,kg,opt-kg,opt-kg-exact",
                       .call = call,
                       .optimum = optimum,
                       .prepare = prepare,
                       .policy = policy,
                       .bound = bound,
                       .first_actions = first_actions,
                       .picks = picks,
                       .free = family_free};
    return OG_OK;
}
