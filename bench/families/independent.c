/* Independent instances, the product of arms, as a family. */
#include "bench/families/independent.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/simulation/index_cost.h"
#include "bench/simulation/simulate.h"
#include "bench/value/explain.h"
#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/product/chooser.h"

typedef struct {
    const og_problem *problem;
    og_arms *arms;
    double index_seconds_max;
    int32_t policy_count;
    og_ranks **ranks;   /* [policy_count]; NULL: not prepared */
    og_solver *optimum; /* for explanations; NULL until the first */
} independent;

static og_status call(void *self, double *value, double *error, mpq_ptr exact, og_message *message)
{
    const independent *of = self;
    (void)message;
    *value = og_arms_call(of->arms, error);
    if (exact != NULL) {
        og_arms_exact_call(of->arms, exact);
        *value = og_nearest_quotient(mpq_numref(exact), mpq_denref(exact));
        *error = *value * 0x1p-53;
    }
    return OG_OK;
}

static og_status check_exact(void *self, og_message *message)
{
    const independent *of = self;
    return og_exact_check(of->arms, message);
}

static og_status check_checkpoint(void *self, const og_settings *settings, og_message *message)
{
    const independent *of = self;
    og_solver *solver = NULL;
    if (access(settings->checkpoint, F_OK) != 0) {
        return OG_OK;
    }
    og_status status = og_solver_new(of->arms, settings, &solver, message);
    og_solver_free(solver);
    return status;
}

static og_status optimum(void *self, const og_settings *settings, og_valued *out,
                         og_message *message)
{
    const independent *of = self;
    og_status status;
    if (out->value != NULL) {
        og_exact *exact = NULL;
        status = og_exact_new(of->arms, settings, &exact, message);
        if (status == OG_OK) {
            status = og_exact_value(exact, out->value, out->gain, out->result, message);
        }
        og_exact_free(exact);
        return status;
    }
    og_solver *solver = NULL;
    status = og_solver_new(of->arms, settings, &solver, message);
    if (status == OG_OK) {
        status = og_solver_value(solver, out->result, message);
    }
    og_solver_free(solver);
    return status;
}

typedef struct {
    const og_policy *named;
    const og_policy_use *use;
} making;

/* The ranks of the problem with fewer labels, for how long they take. */
static og_status make_smaller(void *user, const og_arms *arms, bool *by_left, og_message *message)
{
    const making *of = user;
    og_policy_use use = *of->use;
    og_ranks *ranks = NULL;
    use.whole_budget = arms->budget;
    og_status status = og_policy_ranks_for(of->named, arms, &use, &ranks, message);
    *by_left = status == OG_OK && ranks->by_left;
    og_ranks_free(ranks);
    return status;
}

static og_status prepare(void *self, int32_t policy, const og_policy *named,
                         const og_settings *settings, og_message *message)
{
    independent *of = self;
    og_policy_use use = {.whole_budget = of->arms->budget,
                         .threads = settings->threads,
                         .memory_bytes = settings->memory_bytes,
                         .watch = settings->watch,
                         .watch_user = settings->watch_user};
    making made = {named, &use};
    og_index_cost cost = {.problem = of->problem,
                          .threads = settings->threads,
                          .memory_bytes = settings->memory_bytes,
                          .seconds_max = of->index_seconds_max,
                          .make = make_smaller,
                          .user = &made};
    og_status status = og_index_cost_check(&cost, of->arms, message);
    return status == OG_OK ? og_policy_ranks_for(named, of->arms, &use, &of->ranks[policy], message)
                           : status;
}

static og_status policy(void *self, int32_t number, og_ties ties, const og_settings *settings,
                        og_valued *out, og_message *message)
{
    const independent *of = self;
    const og_ranks *ranks = of->ranks[number];
    og_status status = out->value != NULL
                           ? og_exact_policy_value(of->arms, ranks, ties, settings, out->value,
                                                   out->gain, out->result, message)
                           : og_policy_value(of->arms, ranks, ties, settings, out->result, message);
    out->tolerance_ties = og_ranks_tolerance_ties(ranks);
    return status;
}

/* Half of the memory is for optimal values, which all policies share. */
static og_status explain(void *self, int32_t number, og_ties ties, const og_settings *settings,
                         og_explanation *out, og_message *message)
{
    independent *of = self;
    og_settings half = *settings;
    half.memory_bytes /= 2;
    half.states_max = 0;
    half.checkpoint = NULL;
    og_status status = OG_OK;
    if (of->optimum == NULL) {
        status = og_solver_new(of->arms, &half, &of->optimum, message);
    }
    half.states_max = settings->states_max;
    og_explain_request request = {.arms = of->arms,
                                  .ranks = of->ranks[number],
                                  .ties = ties,
                                  .optimum = of->optimum,
                                  .settings = half};
    return status == OG_OK ? og_explain(&request, out, message) : status;
}

static og_status simulate(void *self, const og_policy *named, og_ties ties,
                          const og_family_runs *runs, og_estimate *out, og_message *message)
{
    const independent *of = self;
    og_source source = og_source_independent(of->problem, NULL);
    og_simulate_request request = {.source = &source,
                                   .policies = named,
                                   .policy_count = 1,
                                   .ties = &ties,
                                   .ties_count = 1,
                                   .runs = runs->runs,
                                   .seed = runs->seed,
                                   .threads = runs->threads,
                                   .memory_bytes = runs->memory_bytes,
                                   .index_seconds_max = of->index_seconds_max,
                                   .seconds_max = runs->seconds_max,
                                   .interrupted = runs->interrupted,
                                   .user = runs->user};
    og_simulation found;
    og_status status = og_simulate(&request, &found, message);
    if (status == OG_OK) {
        *out = found.rows[0].metric[OG_EXPECTED];
        if (found.runs < runs->runs) {
            status = og_message_set(message, OG_STOPPED, "%lld of %lld runs were done",
                                    (long long)found.runs, (long long)runs->runs);
        }
        og_simulation_clear(&found);
    }
    return status;
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
    const independent *of = self;
    (void)message;
    return makers[kind](of->arms, settings->threads, out);
}

static og_status exact_bound(void *self, og_bound_kind kind, uint64_t memory_bytes,
                             const og_exact_bound *least, og_bound *rounded, og_exact_bound *out,
                             og_message *message)
{
    const independent *of = self;
    if (kind == OG_BOUND_PREVAILING) {
        return OG_OK;
    }
    return og_exact_bound_find(of->arms, memory_bytes, least, rounded, out, message);
}

static void independent_free(void *self)
{
    independent *of = self;
    for (int32_t i = 0; of->ranks != NULL && i < of->policy_count; i++) {
        og_ranks_free(of->ranks[i]);
    }
    free(of->ranks);
    og_solver_free(of->optimum);
    og_arms_free(of->arms);
    free(of);
}

og_status og_family_independent(const og_problem *problem, int32_t policy_count,
                                const og_settings *settings, double index_seconds_max,
                                og_family *out, og_message *message)
{
    independent *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    of->problem = problem;
    of->index_seconds_max = index_seconds_max;
    of->policy_count = policy_count;
    of->ranks = calloc((size_t)policy_count + 1, sizeof(og_ranks *));
    og_status status = OG_NO_MEMORY;
    if (of->ranks == NULL) {
        og_message_set(message, status, "%s", og_status_text(status));
    } else {
        status =
            og_arms_new(problem, settings->threads, settings->memory_bytes, &of->arms, message);
    }
    if (status != OG_OK) {
        independent_free(of);
        return status;
    }
    *out = (og_family){.self = of,
                       .budget = problem->budget,
                       .instances = og_problem_size(problem),
                       .policies = "uniform,kg,opt-kg,gittins-fh,gittins-inf",
                       .call = call,
                       .check_exact = check_exact,
                       .check_checkpoint = check_checkpoint,
                       .optimum = optimum,
                       .prepare = prepare,
                       .policy = policy,
                       .explain = explain,
                       .simulate = simulate,
                       .bound = bound,
                       .exact_bound = exact_bound,
                       .free = independent_free};
    return OG_OK;
}

void og_family_free(og_family *family)
{
    if (family->free != NULL) {
        family->free(family->self);
    }
    *family = (og_family){.self = NULL};
}
