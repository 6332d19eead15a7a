/*
 * Workers of unknown reliability as a family. Its bounds are those of reliable workers, who can
 * play as if they were not.
 */
#include "bench/families/workers.h"

#include <math.h>
#include <stdlib.h>

#include "dp/engine/strategy.h"
#include "dp/families/workers.h"
#include "heuristics/families/workers_policy.h"

typedef struct {
    const og_problem *problem, *workers;
    bool once;
    og_workers_posterior posterior;
    og_arms *arms; /* of reliable workers, for the bounds */
    int32_t policy_count;
    og_strategy *policies; /* [policy_count]; self NULL: not prepared */
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

static og_status solve(const family *of, const og_strategy *by, og_ties ties,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    const og_question question = {.by = by, .ties = ties, .reductions = settings->reductions};
    og_model model;
    OG_TRY(og_workers_model(&of->posterior, of->once, &question, &model));
    return og_solution_by_engine(&model, &question, settings, out, message);
}

static og_status value_of(const family *of, const og_strategy *by, og_ties ties,
                          const og_settings *settings, og_valued *out, og_message *message)
{
    og_solution solution;
    og_found found;
    OG_TRY(solve(of, by, ties, settings, &solution, message));
    og_status status = solution.value(solution.self, &found, message);
    if (status == OG_OK || status == OG_STOPPED) {
        *out->result = found.result;
        out->called_value = found.called_value;
    }
    og_solution_free(&solution);
    return status;
}

static og_status optimum(void *self, const og_settings *settings, og_valued *out,
                         og_message *message)
{
    return value_of(self, NULL, OG_TIES_BEST, settings, out, message);
}

static og_status prepare(void *self, int32_t number, const og_policy *named,
                         const og_settings *settings, og_message *message)
{
    family *of = self;
    const og_workers_posterior *p = &of->posterior;
    double histories = pow(2.0 * p->instances * p->workers, p->labels);
    (void)settings;
    OG_TRY(og_workers_strategy(named, p, of->problem, of->workers, &of->policies[number], message));
    if (of->policies[number].belief_bytes > 0 && histories > OG_HISTORIES_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%d pairs and %d labels make up to %.3g histories, and policy "
                              "'%.32s' depends on the order of labels: at most 2^31 histories "
                              "are followed",
                              (int)(p->instances * p->workers), (int)p->labels, histories,
                              named->name);
    }
    return OG_OK;
}

static og_status policy(void *self, int32_t number, og_ties ties, const og_settings *settings,
                        og_valued *out, og_message *message)
{
    const family *of = self;
    return value_of(of, &of->policies[number], ties, settings, out, message);
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

static og_open pair_of(const family *of, int32_t instance_group, int32_t worker_group)
{
    const og_workers_posterior *p = &of->posterior;
    uint32_t i = (uint32_t)first_of(p->instance_group, p->instances, instance_group);
    uint32_t j = (uint32_t)first_of(p->worker_group, p->workers, worker_group);
    return (og_open){{{i, j, 0}}, 1};
}

static og_status first_actions(void *self, const og_settings *settings, og_first_action *action,
                               int32_t room, int32_t *count, og_message *message)
{
    const family *of = self;
    double q[OG_WORKERS_PAIRS_MAX], error[OG_WORKERS_PAIRS_MAX];
    og_open open[OG_WORKERS_PAIRS_MAX];
    og_solution solution;
    int32_t used = 0;
    for (int32_t g = 0; g < of->problem->group_count; g++) {
        for (int32_t v = 0; v < of->workers->group_count && used < room; v++) {
            open[used++] = pair_of(of, g, v);
        }
    }
    OG_TRY(solve(of, NULL, OG_TIES_BEST, settings, &solution, message));
    og_status status = solution.q(solution.self, open, used, q, error, message);
    og_solution_free(&solution);
    for (int32_t k = 0; status == OG_OK && k < used; k++) {
        action[k] = (og_first_action){.instance = k / of->workers->group_count,
                                      .worker = k % of->workers->group_count,
                                      .q = fmax(0, q[k]),
                                      .error = error[k]};
        *count = used;
    }
    return status;
}

static og_status picks(void *self, int32_t number, const og_first_action *action, int32_t count,
                       bool *pick, og_message *message)
{
    const family *of = self;
    const og_pair_counts none[OG_WORKERS_PAIRS_MAX] = {{0, 0}};
    const og_workers_state root = {of->posterior.labels, none};
    og_open open[OG_WORKERS_PAIRS_MAX];
    for (int32_t i = 0; i < count; i++) {
        open[i] = pair_of(of, action[i].instance, action[i].worker);
    }
    return og_strategy_picks(&of->policies[number], &root, open, count, pick, message);
}

static void family_free(void *self)
{
    family *of = self;
    for (int32_t i = 0; i < of->policy_count; i++) {
        og_strategy_free(&of->policies[i]);
    }
    free(of->policies);
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
    og_strategy *policies = calloc((size_t)policy_count + 1, sizeof *policies);
    if (of == NULL || policies == NULL) {
        free(of);
        free(policies);
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    of->problem = problem;
    of->workers = workers;
    of->once = once;
    of->policy_count = policy_count;
    of->policies = policies;
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
