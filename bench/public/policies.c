/* The question simulate: policies in random runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/public/traced.h"
#include "bench/simulation/curve.h"
#include "bench/simulation/simulate_document.h"
#include "heuristics/user_policy.h"

/* Runs a simulation with this source, and reports it. */
static og_status simulate_from(og_asked *asked, const og_source *source, const og_truth *truth,
                               og_message *message)
{
    og_simulation found = {0};
    OG_TRY(og_simulate_run(asked, source, &found, message));
    asked->runs = found.runs;
    asked->document = og_simulation_describe(asked, source, truth, &found);
    og_simulation_clear(&found);
    return OG_OK;
}

typedef struct {
    og_asked *asked;
    og_source *source;
    const og_truth *truth;
} simulating;

static og_status simulate_traced(void *user, FILE *trace, og_message *message)
{
    const simulating *with = user;
    with->source->trace = trace;
    return simulate_from(with->asked, with->source, with->truth, message);
}

/* True if a policy of the user's own is told the words of the model's states. */
static bool needs_model(const og_asked *asked)
{
    bool own = false;
    for (int32_t i = 0; i < asked->policy_count; i++) {
        own = own || og_user_policy_decides(&asked->policies[i]);
    }
    return own && !asked->family->model.own_policies;
}

static og_status simulate_with(og_asked *asked, const og_truth *truth, og_message *message)
{
    static const og_curve none = {.at_count = 0};
    const og_curve *given = asked->given != NULL ? asked->given : &none;
    og_source source = needs_model(asked)
                           ? og_family_source_by_model(asked->family, asked->problem, truth)
                           : og_family_source(asked->family, asked->problem, truth);
    int32_t *at = calloc((size_t)given->at_count + 1, sizeof *at);
    og_status status = OG_ALLOCATED(at);
    if (asked->family->runs.curves != NULL &&
        (given->at_count > 0 || asked->family->runs.put_point != NULL)) {
        source.at = at;
        OG_THEN(status, og_curve_budgets(given, asked->sizes.left, asked->family->runs.curves, at,
                                         &source.at_count, message));
    } else if (given->at_count > 0) {
        OG_THEN(status, og_family_lacks(asked->family, "--at", message));
    }
    if (given->trace_file != NULL && asked->family->runs.trace == NULL) {
        OG_THEN(status, og_family_lacks(asked->family, "--trace", message));
    }
    simulating with = {asked, &source, truth};
    OG_THEN(status, og_traced(given->trace_file, "trace", asked->family->runs.trace,
                              simulate_traced, &with, message));
    free(at);
    return status;
}

static og_status answer(og_asked *asked, og_message *message)
{
    og_truth truth = {0};
    asked->request.result = false; /* only runs on recorded labels conclude */
    if (!og_family_is_simulated(asked->family)) {
        return og_family_lacks(asked->family, "simulate", message);
    }
    if (asked->request.truth != NULL) {
        OG_TRY(og_truth_parse(asked->request.truth, &truth, message));
    }
    og_status status = simulate_with(asked, &truth, message);
    og_truth_clear(&truth);
    return status;
}

const og_question_kind og_question_simulate = {
    .answer = answer, .policies = true, .index_time = true, .own_time = true, .runs_only = true};
