/*
 * Independent instances, the product of arms, as a family: the first row of the table. Values come
 * from dp/product, or from dp/exact if fractions are requested.
 */
#include "bench/families/independent/independent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/describe.h"
#include "bench/families/independent/each.h"
#include "bench/families/independent/priced.h"
#include "bench/families/independent/problem.h"
#include "bench/history.h"
#include "bench/simulation/index_cost.h"
#include "bench/simulation/sources.h"
#include "dp/product/chooser.h"
#include "dp/product/optimum/optimum.h"

typedef struct {
    og_arms_problem common;
    double index_seconds;
} independent;

/* ---- the problem ---- */

static void close_problem(void *problem)
{
    independent *own = problem;
    if (own != NULL) {
        og_arms_problem_clear(&own->common);
    }
    free(own);
}

static og_status open_problem(const og_problem_text *given, const og_settings *settings,
                              void **problem, og_message *message)
{
    static const og_independent_options none = {.calls = {.table = NULL}};
    const og_independent_options *options = given->options != NULL ? given->options : &none;
    independent *own = calloc(1, sizeof *own);
    OG_TRY(OG_ALLOCATED(own));
    own->index_seconds = given->index_seconds;
    const og_arms_problem_options with = {.calls = options->calls,
                                          .without_arms = given->runs_only,
                                          .short_bounds = given->bounds_only};
    og_status status = og_arms_problem_open(given, &with, settings, &own->common, message);
    return OG_MADE(status, own, close_problem, problem);
}

static void sizes(const void *problem, og_problem_size *out)
{
    const og_arms_problem *given = problem;
    og_arms_problem_sizes(given, out);
    if (given->instances.objective == OG_OBJECTIVE_BANDIT) {
        out->decisions = given->whole_budget;
        out->metric.unit = "positive labels";
        out->metric.rewards = true;
    }
}

static const char *policies(const void *problem)
{
    const og_arms_problem *given = problem;
    for (int32_t i = 0; i < given->instances.group_count; i++) {
        if (og_groups_at(&given->instances, i)->payoff.kind == OG_WORTH_VALUES) {
            return "uniform,kg,opt-kg,gittins-fh"; /* values end with the budget */
        }
    }
    return "uniform,kg,opt-kg,gittins-fh,gittins-inf";
}

static void describe(const void *problem, og_document *document)
{
    const og_arms_problem *given = problem;
    og_document *object = og_describe_problem(document, &given->instances, "Labels");
    og_history_describe(given->history, document, object);
}

static const og_arms *arms_of(const void *problem)
{
    const og_arms_problem *given = problem;
    return given->arms;
}

/* ---- policies ---- */

typedef struct {
    const og_policy_name *name;
    const og_policy_use *use;
} independent_making;

/* Build the ranks of the problem with fewer labels, to measure the time. */
static og_status make_smaller(void *user, const og_arms *arms, bool *by_left, og_message *message)
{
    const independent_making *making = user;
    og_policy_use use = *making->use;
    og_ranks *ranks = NULL;
    use.whole_budget = arms->budget;
    og_status status = og_policy_name_ranks_for(making->name, arms, &use, &ranks, message);
    *by_left = status == OG_OK && ranks->by_left;
    og_ranks_free(ranks);
    return status;
}

static og_status strategy(const void *problem, const og_policy_name *name, const og_policy_use *use,
                          og_strategy *out, og_message *message)
{
    const independent *own = problem;
    independent_making made = {name, use};
    const og_settings settings = og_stop_limits(use->threads, use->memory_bytes, use->stop);
    og_index_cost cost = {.problem = &own->common.instances,
                          .settings = &settings,
                          .seconds_max = own->index_seconds,
                          .make = make_smaller,
                          .user = &made};
    og_ranks *ranks = NULL;
    OG_TRY(og_arms_problem_check_history(&own->common, name, message));
    og_status status = og_policy_name_roots(name, use)
                           ? OG_OK
                           : og_index_cost_check(&cost, own->common.arms->budget,
                                                 own->common.arms->arm_count, message);
    OG_THEN(status, og_policy_name_ranks_for(name, own->common.arms, use, &ranks, message));
    if (status == OG_OK) {
        *out = og_strategy_of_ranks(ranks);
        /* The optimum uses all labels, also those that lower the value. */
        out->beyond = own->common.offset.num > 0 && og_ranks_may_stop(ranks);
    }
    return status;
}

static og_status check_checkpoint(const void *problem, const og_settings *settings,
                                  og_message *message)
{
    og_solver *solver = NULL;
    OG_TRY(og_optimum_check(settings, message));
    if (access(settings->checkpoint, F_OK) != 0 || settings->engine == OG_ENGINE_BLOCKS) {
        return OG_OK; /* blocks check theirs before they begin, which takes a moment */
    }
    og_status status = og_solver_new(arms_of(problem), settings, &solver, message);
    og_solver_free(solver);
    return status;
}

/* ---- state by state ---- */

static og_status steps(const void *problem, const og_steps_use *use, og_steps *out,
                       og_message *message)
{
    const og_arms_problem *given = problem;
    return given->offset.num > 0 ? og_priced_steps(given->arms, given->offset, use, out, message)
                                 : og_steps_of_arms(given->arms, use, out, message);
}

/* ---- bounds and runs ---- */

static og_status bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                       og_exact_bound *exact, og_message *message)
{
    const og_arms_problem *given = problem;
    if (given->arms == NULL) { /* one bound needs no tables of all labels */
        return exact == NULL && use->which == 0
                   ? og_bound_short(&given->instances, use->settings, out, message)
                   : OG_OK;
    }
    if (given->offset.num == 0) {
        return og_bound_of_arms(given->arms, use, out, exact, message);
    }
    return exact != NULL ? OG_OK : og_bound_less(given->arms, given->offset, use, out, message);
}

static og_source source(const void *problem, const og_truth *truth)
{
    const og_arms_problem *given = problem;
    return og_source_independent(&given->instances, truth);
}

/* gittins-fh and the like take far longer for a table than for the ranks of the roots. */
static og_status indices(const void *problem, const og_policy_name *policy,
                         const og_policy_use *use, const og_act_open *act, int32_t count,
                         double *index, og_message *message)
{
    const og_arms_problem *given = problem;
    const og_arms *arms = given->arms;
    og_rule_use rule;
    const bool gain = og_policy_name_rule(policy, &rule) && !rule.rule->no_gain;
    const double offset = gain ? og_fraction_double(given->offset) : 0;
    og_index *table = NULL;
    if (!og_policy_name_one_label(policy) || strcmp(policy->name, "uniform") == 0) {
        return OG_OK;
    }
    OG_TRY(og_policy_name_index(policy, arms, use, &table, message));
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = arms->arm_of_group[act[i].act.part[0]];
        index[i] = og_index_of(table, arm, arms->budget)[0] - offset;
    }
    og_index_free(table);
    return OG_OK;
}

/* ---- options ---- */

static const og_option_row rows[] = {
    OG_CALL_OPTIONS(og_independent_options, calls),
    OG_OPTION_LAST,
};

static const og_option_set option_set = {.rows = rows, .bytes = sizeof(og_independent_options)};

const og_family og_family_independent = {
    .name = "independent",
    .objectives = "labels bandit",
    .options = &option_set,
    .apart = &og_family_each,
    .model = {.own_policies = true,
              .bounds = og_bounds_of_arms,
              .open = open_problem,
              .close = close_problem,
              .sizes = sizes,
              .policies = policies,
              .acts = og_arms_problem_acts,
              .alike = og_arms_problem_alike,
              .prior = og_arms_problem_prior,
              .strategy = strategy,
              .solve = og_arms_problem_solve,
              .priced_gain = og_arms_problem_priced_gain,
              .reward_most = og_arms_problem_reward_most,
              .bound = bound,
              .steps = steps,
              .arms = arms_of,
              .indices = indices,
              .check_checkpoint = check_checkpoint},
    .words = {.problems = "independent instances",
              .acts_name = "instances",
              .act_name = "instance",
              .acts_between = " ",
              .history = "1+ 2-",
              .describe = describe,
              .act_text = og_arms_problem_act_text,
              .put_act = og_arms_problem_put_act,
              .state_text = og_arms_problem_state_text,
              .step_text = og_arms_problem_step_text,
              .answer_text = og_arms_problem_answer_text,
              .put_step = og_arms_problem_put_step,
              .show_state = og_arms_problem_show_state},
    .runs = {.source = source, .curves = "labels"},
};
