/*
 * Allocations that fail, one after the other, below optgap.h: each is OG_NO_MEMORY or a document
 * like any other, and nothing leaks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optgap.h"
#include "tests/fault_walk.h"
#include "tests/support.h"

typedef og_status question(og_problem *problem, const og_request *request, og_document **out,
                           og_message *message);

static og_status choose_first(void *user, const og_plugin_state *state, double *answer,
                              bool *weights, og_message *message)
{
    (void)user;
    (void)weights;
    (void)message;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = -(double)i;
    }
    return OG_OK;
}

static og_status make_problem(outcome *out, const char *family, og_problem **problem)
{
    const int32_t positive[] = {1, 0}, negative[] = {0, 2};
    out->status = og_problem_new(family, problem, &out->message);
    bool delayed = strcmp(family, "delayed") == 0;
    if (out->status == OG_OK) {
        out->status = og_problem_set(*problem, delayed ? "workers" : "budget", "2", &out->message);
    }
    if (out->status == OG_OK && delayed) {
        out->status = og_problem_set(*problem, "arrival-rate", "2", &out->message);
    }
    if (out->status == OG_OK && delayed) {
        out->status = og_problem_set(*problem, "service-rate", "1", &out->message);
    }
    if (out->status == OG_OK && strcmp(family, "workers") == 0) {
        out->status = og_problem_set(*problem, "workers-prior", "4,1", &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_problem_add(*problem, "2x1,1", &out->message);
    }
    if (out->status == OG_OK) {
        out->status =
            og_problem_add_counts(*problem, 2, positive, negative, 1, 1, 0.5, &out->message);
    }
    return out->status;
}

static og_status make_policies(outcome *out, og_policy *policy[2])
{
    const og_callback callback = {.choose = choose_first};
    out->status = og_policy_new("kg", &policy[0], &out->message);
    if (out->status == OG_OK) {
        out->status = og_policy_callback("own", &callback, &policy[1], &out->message);
    }
    return out->status;
}

static void ask(outcome *out, const char *family, question *q, int32_t policies)
{
    og_problem *problem = NULL;
    og_policy *policy[2] = {NULL, NULL};
    og_document *report = NULL;
    og_request request;
    og_request_default(&request);
    request.settings.threads = 1;
    request.settings.memory_bytes = UINT64_C(1) << 28;
    request.policies = (const og_policy *const *)policy;
    request.policy_count = policies;
    request.runs = 10;
    if (make_problem(out, family, &problem) == OG_OK && make_policies(out, policy) == OG_OK) {
        out->status = q(problem, &request, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
    }
    if (out->status == OG_OK) {
        digest_double(out, og_number_at(report, "optimal.value"));
        digest_double(out, og_document_count(og_document_find(report, "policies")));
        digest_double(out, og_document_count(og_document_find(report, "actions")));
        og_document_free(report);
    }
    og_policy_free(policy[0]);
    og_policy_free(policy[1]);
    og_problem_free(problem);
}

static void run_solve(outcome *out)
{
    ask(out, "workers", og_solve, 0);
}

static void run_query(outcome *out)
{
    ask(out, "independent", og_query, 2);
}

static void run_delayed_query(outcome *out)
{
    ask(out, "delayed", og_query, 2);
}

static void run_states(outcome *out)
{
    /* The first two are answered together, the others one by one. */
    static const double posterior[] = {1, 1, 2, 1, 1, 1,   2, 1, 2, 1, 2, 1, 2,   1, 1, 1,
                                       1, 1, 2, 1, 1, 1.5, 1, 3, 2, 2, 1, 1, 2.5, 1, 1, 1};
    static const int32_t left[] = {2, 1, 2, 1};
    const og_states states = {4, posterior, left};
    double q[16];
    bool best[16];
    og_problem *problem = NULL;
    og_request request;
    og_request_default(&request);
    request.settings.threads = 1;
    request.settings.memory_bytes = UINT64_C(1) << 28;
    if (make_problem(out, "independent", &problem) == OG_OK) {
        out->status = og_query_states(problem, &states, &request, q, best, &out->message);
    }
    for (int i = 0; out->status == OG_OK && i < 16; i++) {
        digest_double(out, q[i]);
        digest_double(out, best[i]);
    }
    og_problem_free(problem);
}

static void run_bound(outcome *out)
{
    ask(out, "independent", og_bound, 0);
}

static void run_index(outcome *out)
{
    ask(out, "independent", og_index_table, 1);
}

static void run_tree(outcome *out)
{
    ask(out, "workers", og_decision_tree, 0);
}

static void run_simulate(outcome *out)
{
    ask(out, "independent", og_simulate, 2);
}

static void session(outcome *out, const char *family)
{
    og_problem *problem = NULL;
    og_session *session = NULL;
    double q[4] = {0};
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = UINT64_C(1) << 28;
    if (make_problem(out, family, &problem) == OG_OK) {
        out->status = og_session_new(problem, &settings, &session, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_session_q(session, q, NULL, NULL, &out->message);
    }
    if (out->status == OG_OK) {
        digest(out, q, sizeof q);
    }
    og_session_free(session);
    og_problem_free(problem);
}

static void run_session(outcome *out)
{
    session(out, "independent");
}

static void run_coupled_session(outcome *out)
{
    session(out, "workers");
}

static og_status decide_first(void *user, const og_situation *now, double *answer, bool *weights,
                              og_message *message)
{
    (void)user;
    (void)weights;
    (void)message;
    for (int32_t i = 0; i < now->choice_count; i++) {
        answer[i] = now->positive[now->choice[i].instance] - (double)i;
    }
    return OG_OK;
}

static void run_function(outcome *out)
{
    og_policy *policy = NULL;
    og_problem *problem = NULL;
    og_document *report = NULL;
    og_request request;
    og_request_default(&request);
    request.settings.threads = 1;
    request.settings.memory_bytes = UINT64_C(1) << 28;
    request.policies = (const og_policy *const *)&policy;
    request.policy_count = 1;
    out->status = og_policy_decide("own", decide_first, NULL, &policy, &out->message);
    if (out->status == OG_OK && make_problem(out, "workers", &problem) == OG_OK) {
        out->status = og_query(problem, &request, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
    }
    if (out->status == OG_OK) {
        const og_document *picks = og_document_find(og_document_find(report, "policies"), "own");
        for (int32_t i = 0; i < og_document_count(picks); i++) {
            digest_double(out, og_document_number(og_document_child(picks, i)));
        }
    }
    og_document_free(report);
    og_policy_free(policy);
    og_problem_free(problem);
}

/* Not convex: a label can lower it, so that an offset and a warning are made. */
static double worth_of_even(void *user, const og_plugin_group *at)
{
    (void)user;
    return at->parameter[0] == at->parameter[1] ? 1 : 0.25;
}

/* The worths of a table and of a function, and an instance without one. */
static void run_worth(outcome *out)
{
    og_problem *problem = NULL;
    og_policy *policy = NULL;
    og_document *report = NULL;
    og_request request;
    const test_path table = test_source_path("tools/examples/worth.tsv");
    char word[sizeof table + 16];
    og_request_default(&request);
    request.settings.threads = 1;
    request.settings.memory_bytes = UINT64_C(1) << 28;
    request.policies = (const og_policy *const *)&policy;
    request.policy_count = 1;
    snprintf(word, sizeof word, "2,1=table:%s", table.text);
    if (make_problem(out, "independent", &problem) == OG_OK) {
        out->status = og_problem_add(problem, word, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_problem_final_reward(problem, "even", worth_of_even, NULL, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_policy_new("kg", &policy, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_query(problem, &request, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
    }
    if (out->status == OG_OK) {
        digest_double(out, og_number_at(report, "optimal.value"));
        digest_double(out, og_document_count(og_document_find(report, "actions")));
    }
    og_document_free(report);
    og_policy_free(policy);
    og_problem_free(problem);
}

static void run_replay(outcome *out)
{
    static const uint32_t task[] = {0, 0, 1, 1}, worker[] = {0, 1, 0, 1};
    static const uint8_t label[] = {1, 0, 1, 1}, gold[] = {1, 1};
    const og_recording recording = {
        .count = 4, .task = task, .worker = worker, .label = label, .gold = gold, .budget = -1};
    og_policy *policy[2] = {NULL, NULL};
    og_document *report = NULL;
    og_request request;
    og_request_default(&request);
    request.settings.threads = 1;
    request.policies = (const og_policy *const *)policy;
    request.policy_count = 2;
    request.runs = 5;
    request.result = true;
    if (make_policies(out, policy) == OG_OK) {
        out->status = og_replay(&recording, &request, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
    }
    const og_document *policies = og_document_find(report, "policies");
    for (int32_t i = 0; out->status == OG_OK && i < og_document_count(policies); i++) {
        const og_document *row = og_document_child(policies, i);
        const char *limit = og_text_at(row, "message"); /* what fails for one policy is its row */
        digest_double(out, og_number_at(row, "points.0.accuracy"));
        if (limit != NULL) {
            out->status = strstr(limit, "memory") != NULL ? OG_NO_MEMORY : OG_FAILED;
            snprintf(out->message.text, sizeof out->message.text, "%s", limit);
        }
    }
    og_document_free(report);
    og_policy_free(policy[0]);
    og_policy_free(policy[1]);
}

static void run_describe(outcome *out)
{
    og_document *document = NULL;
    out->status = og_family_describe("features", &document, &out->message);
    if (out->status == OG_OK) {
        int32_t count = og_document_count(document);
        digest(out, &count, sizeof count);
        og_document_free(document);
    }
}

static const fault_scene scenes[] = {
    SCENE("solve", .run = run_solve),
    SCENE("query", .run = run_query),
    SCENE("states", .run = run_states),
    SCENE("bound", .run = run_bound),
    SCENE("index", .run = run_index),
    SCENE("tree", .run = run_tree),
    SCENE("simulate", .run = run_simulate),
    SCENE("session", .run = run_session),
    SCENE("describe", .run = run_describe),
    SCENE("replay", .run = run_replay),
    SCENE("coupled session", .run = run_coupled_session),
    SCENE("function", .run = run_function),
    SCENE("delayed query", .run = run_delayed_query),
    SCENE("worth", .run = run_worth),
};

static void nothing(void)
{
}

OG_SUITE_RUN(faults_public)
{
    return fault_suite("faults_public", scenes, sizeof scenes / sizeof *scenes, nothing, nothing);
}
