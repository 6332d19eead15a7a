/*
 * Instances coupled by a weight vector as a family: its policies are those of [Chen, Lin and Zhou,
 * section 6.1], over counts of labels where their belief is exact and over histories where not.
 */
#include "bench/families/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/families/laplace.h"

/* A policy: over histories by Laplace's approximation, or over counts. */
typedef struct {
    const char *name;
    bool laplace;
    og_laplace_index index;
    og_features_play play;
} kind;

static const kind kinds[] = {
    {.name = "uniform", .play = OG_FEATURES_UNIFORM},
    {.name = "kg", .laplace = true, .index = OG_LAPLACE_KG},
    {.name = "opt-kg", .laplace = true, .index = OG_LAPLACE_OPT_KG},
    {.name = "kg-exact", .play = OG_FEATURES_KG},
    {.name = "opt-kg-exact", .play = OG_FEATURES_OPT_KG},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

typedef struct {
    og_features *features;
    const kind **prepared; /* [policy_count] */
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

static og_status optimum(void *self, const og_settings *settings, og_valued *out,
                         og_message *message)
{
    const family *of = self;
    og_status status = check_exact_values(of, message);
    return status == OG_OK ? og_features_value(of->features, OG_FEATURES_OPTIMUM, OG_TIES_RANDOM,
                                               settings, out->result, message)
                           : status;
}

static og_status prepare(void *self, int32_t policy, const og_policy *named,
                         const og_settings *settings, og_message *message)
{
    family *of = self;
    (void)settings;
    for (int i = 0; i < KIND_COUNT; i++) {
        if (strcmp(named->name, kinds[i].name) == 0) {
            of->prepared[policy] = &kinds[i];
            return OG_OK;
        }
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' is not there for instances with features; known are "
                          "uniform, kg, opt-kg, kg-exact, opt-kg-exact",
                          named->name);
}

static og_status policy(void *self, int32_t number, og_ties ties, const og_settings *settings,
                        og_valued *out, og_message *message)
{
    const family *of = self;
    const kind *is = of->prepared[number];
    out->called_value = NAN;
    og_status status = check_exact_values(of, message);
    if (status != OG_OK || !is->laplace) {
        return status == OG_OK
                   ? og_features_value(of->features, is->play, ties, settings, out->result, message)
                   : status;
    }
    og_laplace laplace = {of->features, is->index};
    og_features_policy asked;
    status = og_laplace_policy(&laplace, &asked, message);
    return status == OG_OK
               ? og_features_policy_value(of->features, &asked, ties, settings, out->result,
                                          &out->called_value, &out->tolerance_ties, message)
               : status;
}

/* ---- what is labelled first ---- */

static og_status first_actions(void *self, const og_settings *settings, og_first_action *action,
                               int32_t room, int32_t *count, og_message *message)
{
    const family *of = self;
    const og_features *features = of->features;
    double error = INFINITY;
    double *q = calloc((size_t)features->action_count, sizeof *q);
    if (q == NULL) {
        return OG_NO_MEMORY;
    }
    og_status status = OG_OK;
    if (og_features_points(features) > 0) {
        status = og_features_q(features, settings, q, &error, message);
    }
    if (status == OG_OK) {
        *count = features->instance_count < room ? features->instance_count : room;
        for (int32_t i = 0; i < *count; i++) {
            double known = isfinite(error) ? q[features->action_of[i]] : NAN;
            action[i] = (og_first_action){.instance = i, .worker = -1, .q = known, .error = error};
        }
    }
    free(q);
    return status;
}

/* Which actions of the problem the policy could take. */
static og_status pick_actions(const family *of, const kind *is, bool *pick, og_message *message)
{
    const og_features *features = of->features;
    if (is->play == OG_FEATURES_UNIFORM && !is->laplace) {
        memset(pick, true, (size_t)features->action_count * sizeof *pick);
        return OG_OK;
    }
    if (!is->laplace) {
        og_status status = check_exact_values(of, message);
        return status == OG_OK ? og_features_picks(features, is->play, pick) : status;
    }
    og_laplace laplace = {features, is->index};
    og_features_policy asked;
    og_status status = og_laplace_policy(&laplace, &asked, message);
    if (status != OG_OK) {
        return status;
    }
    void *belief = malloc(asked.belief_bytes);
    double *index = calloc((size_t)features->action_count, sizeof *index);
    status = OG_NO_MEMORY;
    if (belief != NULL && index != NULL) {
        asked.begin(&laplace, belief);
        asked.index(&laplace, belief, index);
        og_features_tied(index, features->action_count, pick);
        status = OG_OK;
    }
    free(belief);
    free(index);
    return status;
}

static og_status picks(void *self, int32_t number, const og_first_action *action, int32_t count,
                       bool *pick, og_message *message)
{
    const family *of = self;
    bool *taken = calloc((size_t)of->features->action_count, sizeof *taken);
    if (taken == NULL) {
        return OG_NO_MEMORY;
    }
    og_status status = pick_actions(of, of->prepared[number], taken, message);
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = taken[of->features->action_of[action[i].instance]];
    }
    free(taken);
    return status;
}

/* ---- the whole ---- */

static void family_free(void *self)
{
    family *of = self;
    og_features_free(of->features);
    free(of->prepared);
    free(of);
}

og_status og_family_features(const og_features_problem *problem, int32_t policy_count,
                             const og_settings *settings, og_family *out, og_message *message)
{
    family *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return OG_NO_MEMORY;
    }
    of->prepared = calloc((size_t)policy_count + 1, sizeof *of->prepared);
    og_status status = OG_NO_MEMORY;
    if (of->prepared != NULL) {
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
