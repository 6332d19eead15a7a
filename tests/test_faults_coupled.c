/*
 * Allocations that fail, one after the other, in problems that are no product of arms: labels that
 * take time, workers of unknown reliability and features, as families, and simulated.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/delayed.h"
#include "bench/families/features.h"
#include "bench/families/workers.h"
#include "bench/simulation/simulate.h"
#include "tests/fault_walk.h"
#include "tests/support.h"

static const og_delay delay = {{1, 10}, {2, 5}};

enum { ACTIONS = 8 };

static struct {
    og_problem problem;
    og_problem workers;
    og_settings settings;
    og_family family;
} setting;

static void value_optimum(outcome *out)
{
    og_family *family = &setting.family;
    og_first_action action[ACTIONS];
    og_result result;
    og_valued valued = {.result = &result, .called_value = NAN};
    int32_t count = 0;
    double call;
    double error;
    out->status = family->call(family->self, &call, &error, NULL, &out->message);
    if (out->status == OG_OK) {
        out->status = family->optimum(family->self, &setting.settings, &valued, &out->message);
    }
    if (out->status == OG_OK) {
        digest_result(out, &result);
        out->status = family->first_actions(family->self, &setting.settings, action, ACTIONS,
                                            &count, &out->message);
    }
    for (int32_t i = 0; i < count; i++) {
        digest_double(out, action[i].q);
    }
}

static void value_policy(outcome *out, const char *name, og_ties ties)
{
    og_family *family = &setting.family;
    og_first_action action = {.instance = 0, .worker = 0};
    og_policy named;
    og_result result;
    og_valued valued = {.result = &result, .called_value = NAN};
    bool pick;
    if (out->status == OG_OK) {
        out->status = og_policy_parse(name, &named, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = family->prepare(family->self, 0, &named, &setting.settings, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = family->picks(family->self, 0, &action, 1, &pick, &out->message);
    }
    if (out->status == OG_OK) {
        out->status =
            family->policy(family->self, 0, ties, &setting.settings, &valued, &out->message);
    }
    if (out->status == OG_OK) {
        digest_result(out, &result);
    }
}

static void bound_scalar(outcome *out)
{
    og_bound bound = {.value = INFINITY};
    if (out->status == OG_OK) {
        out->status = setting.family.bound(setting.family.self, OG_BOUND_SCALAR, &setting.settings,
                                           &bound, &out->message);
    }
    if (out->status == OG_OK && isfinite(bound.value)) { /* else there was no memory for it */
        og_bound_clear(&bound);
    }
}

static void run_delayed(outcome *out, const char *policy)
{
    PAINT(setting.family);
    out->status = og_family_delayed(&setting.problem, &delay, 1, &setting.settings, &setting.family,
                                    &out->message);
    CHECK_PAINT(out, setting.family);
    if (out->status == OG_OK) {
        value_optimum(out);
        value_policy(out, policy, OG_TIES_RANDOM);
        bound_scalar(out);
        og_family_free(&setting.family);
    }
}

static void run_delayed_by_posterior(outcome *out)
{
    run_delayed(out, "opt-kg");
}

static void run_delayed_by_work(outcome *out)
{
    run_delayed(out, "hu-frazier:2");
}

static void run_workers(outcome *out, og_ties ties)
{
    PAINT(setting.family);
    out->status = og_family_workers(&setting.problem, &setting.workers, false, 1, &setting.settings,
                                    &setting.family, &out->message);
    CHECK_PAINT(out, setting.family);
    if (out->status == OG_OK) {
        value_optimum(out);
        value_policy(out, "kg", ties);
        bound_scalar(out);
        og_family_free(&setting.family);
    }
}

static void run_workers_by_state(outcome *out)
{
    run_workers(out, OG_TIES_RANDOM);
}

/* The second of its values asks the memory of the first. */
static void run_workers_guided(outcome *out)
{
    run_workers(out, OG_TIES_WORST);
}

static void run_features(outcome *out)
{
    static const double row[] = {1, -2}, mean[] = {0.5}, sd[] = {1};
    const og_features_problem problem = {
        .instance_count = 2, .feature_count = 1, .row = row, .mean = mean, .sd = sd, .budget = 2};
    PAINT(setting.family);
    out->status =
        og_family_features(&problem, 1, &setting.settings, &setting.family, &out->message);
    CHECK_PAINT(out, setting.family);
    if (out->status == OG_OK) {
        value_optimum(out);
        value_policy(out, "kg", OG_TIES_BEST);
        og_family_free(&setting.family);
    }
}

/* Rows that could not be simulated say so. */
static void simulate(outcome *out, const og_source *source, const char *name)
{
    og_policy policy;
    og_ties ties = OG_TIES_RANDOM;
    og_simulation found;
    og_simulate_request request = {.source = source,
                                   .policies = &policy,
                                   .policy_count = 1,
                                   .ties = &ties,
                                   .ties_count = 1,
                                   .runs = 10,
                                   .seed = 1,
                                   .threads = 1,
                                   .memory_bytes = UINT64_C(1) << 30,
                                   .count_labels = true};
    PAINT(found);
    out->status = og_policy_parse(name, &policy, &out->message);
    if (out->status == OG_OK) {
        out->status = og_simulate(&request, &found, &out->message);
        CHECK_PAINT(out, found);
    }
    if (out->status == OG_OK) {
        digest_double(out, found.rows[0].metric[OG_EXPECTED].mean);
        og_simulation_clear(&found);
    }
}

static void run_simulation(outcome *out)
{
    og_source source = og_source_delayed(&setting.problem, NULL, &delay);
    simulate(out, &source, "hu-frazier");
}

static void run_independent_simulation(outcome *out)
{
    static const char *const names[] = {"kg", "thompson", "nlu"};
    og_source source = og_source_independent(&setting.problem, NULL);
    for (int i = 0; i < 3 && (i == 0 || out->status == OG_OK); i++) {
        simulate(out, &source, names[i]);
    }
}

static void run_replay(outcome *out)
{
    uint32_t task[] = {0, 0, 1}, worker[] = {0, 1, 0};
    uint8_t label[] = {1, 0, 1}, gold[] = {1, 0};
    const og_labels labels = {.label_count = 3,
                              .task_count = 2,
                              .worker_count = 2,
                              .task = task,
                              .worker = worker,
                              .label = label};
    const int32_t at[] = {2};
    const og_group *prior = &setting.problem.groups[0];
    const og_recorded recorded = {&labels, gold, prior, at, 1, OG_FINAL_HALF};
    og_source source = og_source_recorded(&recorded);
    simulate(out, &source, "gittins-fh");
    if (out->status == OG_OK) {
        simulate(out, &source, "nlu");
    }
}

static const scene scenes[] = {
    {"delayed by the posterior", run_delayed_by_posterior, true, NULL, NULL},
    {"delayed by work in progress", run_delayed_by_work, true, NULL, NULL},
    {"delayed, simulated", run_simulation, true, NULL, NULL},
    {"independent, simulated", run_independent_simulation, true, NULL, NULL},
    {"recorded, simulated", run_replay, true, NULL, NULL},
    {"workers", run_workers_by_state, true, NULL, NULL},
    {"workers, one value after the other", run_workers_guided, true, NULL, NULL},
    {"features", run_features, true, NULL, NULL},
};

/* In the process of each test: what OpenMP knows does not survive a fork under the thread
 * sanitizer. */
static void start_world(void)
{
    test_problem("2x1,1", 3, &setting.problem);
    test_problem("2x4,1", 0, &setting.workers);
    og_settings_default(&setting.settings);
    setting.settings.threads = 1;
    setting.settings.memory_bytes = UINT64_C(1) << 30;
}

static void end_world(void)
{
    og_problem_clear(&setting.problem);
    og_problem_clear(&setting.workers);
}

int main(void)
{
    return fault_suite("faults_coupled", scenes, sizeof scenes / sizeof *scenes, start_world,
                       end_world);
}
