/*
 * Instances coupled by a weight vector as a family: its policies are those of [Chen, Lin and Zhou,
 * section 6.1], over counts of labels where their belief is exact and over histories where not.
 */
#include "bench/families/features.h"

#include <math.h>
#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/features_policy.h"

typedef struct {
    og_features *features;
    int32_t policy_count;
    og_strategy *policies; /* [policy_count]; choose NULL: not prepared */
} family;

static og_status check_exact_values(const family *of, og_message *message)
{
    return og_features_points(of->features) > 0
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "values are known for one or two features, not for %ld; query says "
                                "what kg and opt-kg would label",
                                (long)of->features->feature_count);
}

static og_status call(void *self, double *value, double *error, mpq_ptr exact, og_message *message)
{
    const family *of = self;
    (void)exact;
    og_status status = check_exact_values(of, message);
    if (status == OG_OK) {
        *value = og_features_call(of->features, error);
    }
    return status;
}

static og_status solve(const family *of, const og_strategy *by, og_ties ties,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    const og_question question = {.by = by, .ties = ties, .reductions = settings->reductions};
    og_model model;
    OG_TRY(check_exact_values(of, message));
    OG_TRY(og_features_model(of->features, &question, &model));
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
        out->tolerance_ties = by != NULL && by->forest ? found.tolerance_ties : 0;
    }
    og_solution_free(&solution);
    return status;
}

static og_status optimum(void *self, const og_settings *settings, og_valued *out,
                         og_message *message)
{
    return value_of(self, NULL, OG_TIES_BEST, settings, out, message);
}

static og_status prepare(void *self, int32_t policy, const og_policy *named,
                         const og_settings *settings, og_message *message)
{
    family *of = self;
    (void)settings;
    return og_features_strategy(named, of->features, &of->policies[policy], message);
}

static og_status policy(void *self, int32_t number, og_ties ties, const og_settings *settings,
                        og_valued *out, og_message *message)
{
    const family *of = self;
    return value_of(of, &of->policies[number], ties, settings, out, message);
}

/* ---- what is labelled first ---- */

/* The actions of the problem. */
static void list_actions(const og_features *features, og_open *open)
{
    for (int32_t a = 0; a < features->action_count; a++) {
        open[a] = (og_open){{{(uint32_t)a, 0, 0}}, features->copies[a]};
    }
}

static og_status first_actions(void *self, const og_settings *settings, og_first_action *action,
                               int32_t room, int32_t *count, og_message *message)
{
    const family *of = self;
    const og_features *features = of->features;
    size_t actions = (size_t)features->action_count;
    bool valued = og_features_points(features) > 0;
    og_solution solution;
    og_arena arena = {0};
    double *q = og_arena_array(&arena, actions, sizeof *q);
    double *error = og_arena_array(&arena, actions, sizeof *error);
    og_open *open = og_arena_array(&arena, actions, sizeof *open);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK && valued) {
        list_actions(features, open);
        status = solve(of, NULL, OG_TIES_BEST, settings, &solution, message);
    }
    if (status == OG_OK && valued) {
        status = solution.q(solution.self, open, features->action_count, q, error, message);
        og_solution_free(&solution);
    }
    if (status == OG_OK) {
        *count = features->instance_count < room ? features->instance_count : room;
        for (int32_t i = 0; i < *count; i++) {
            int32_t a = features->action_of[i];
            action[i] = (og_first_action){.instance = i,
                                          .worker = -1,
                                          .q = valued ? q[a] : NAN,
                                          .error = valued ? error[a] : INFINITY};
        }
    }
    og_arena_clear(&arena);
    return status;
}

/* What a policy is shown at the root: without points only the number of labels. */
static og_status pick_actions(const family *of, const og_strategy *by, const og_open *open,
                              bool *pick, og_message *message)
{
    const og_features *features = of->features;
    const og_features_state root = {.features = features, .left = features->budget};
    og_settings settings;
    og_solution solution;
    if (og_features_points(features) == 0) {
        return og_strategy_picks(by, &root, open, features->action_count, pick, message);
    }
    og_settings_default(&settings);
    OG_TRY(solve(of, by, OG_TIES_RANDOM, &settings, &solution, message));
    og_status status = solution.picks(solution.self, open, features->action_count, pick, message);
    og_solution_free(&solution);
    return status;
}

static og_status picks(void *self, int32_t number, const og_first_action *action, int32_t count,
                       bool *pick, og_message *message)
{
    const family *of = self;
    size_t actions = (size_t)of->features->action_count;
    og_arena arena = {0};
    bool *taken = og_arena_array(&arena, actions, sizeof *taken);
    og_open *open = og_arena_array(&arena, actions, sizeof *open);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        list_actions(of->features, open);
        status = pick_actions(of, &of->policies[number], open, taken, message);
    }
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = taken[of->features->action_of[action[i].instance]];
    }
    og_arena_clear(&arena);
    return status;
}

/* ---- the whole ---- */

static void family_free(void *self)
{
    family *of = self;
    og_features_free(of->features);
    for (int32_t i = 0; of->policies != NULL && i < of->policy_count; i++) {
        og_strategy_free(&of->policies[i]);
    }
    free(of->policies);
    free(of);
}

og_status og_family_features(const og_features_problem *problem, int32_t policy_count,
                             const og_settings *settings, og_family *out, og_message *message)
{
    family *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return OG_NO_MEMORY;
    }
    of->policy_count = policy_count;
    of->policies = calloc((size_t)policy_count + 1, sizeof *of->policies);
    og_status status = OG_NO_MEMORY;
    if (of->policies != NULL) {
        status = og_features_new(problem, settings->memory_bytes, &of->features, message);
    }
    if (status != OG_OK) {
        family_free(of);
        return status;
    }
    *out = (og_family){.self = of,
                       .budget = problem->budget,
                       .instances = problem->instance_count,
                       .policies = og_features_points(of->features) > 0
                                       ? "uniform,kg,opt-kg,kg-exact,opt-kg-exact"
                                       : "uniform,kg,opt-kg",
                       .call = call,
                       .optimum = optimum,
                       .prepare = prepare,
                       .policy = policy,
                       .first_actions = first_actions,
                       .picks = picks,
                       .free = family_free};
    return OG_OK;
}
