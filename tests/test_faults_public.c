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

/* A question with these options, "NAME=TEXT" or "NAME", ended by NULL. */
static og_status make_question(outcome *out, const char *name, const char *const *option,
                               og_question **question)
{
    out->status = og_question_new(name, question, &out->message);
    for (; out->status == OG_OK && *option != NULL; option++) {
        char word[32];
        const char *text = strchr(*option, '=');
        snprintf(word, sizeof word, "%.*s", (int)strcspn(*option, "="), *option);
        out->status =
            og_question_set(*question, word, text != NULL ? text + 1 : NULL, &out->message);
    }
    return out->status;
}

#define LIMITS "threads=1", "memory=256M"
#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static og_status add_own(outcome *out, og_question *question, og_policy **own)
{
    const og_callback callback = {.choose = choose_first};
    out->status = og_policy_callback("own", &callback, own, &out->message);
    if (out->status == OG_OK) {
        out->status = og_question_policy(question, *own, &out->message);
    }
    return out->status;
}

/* With the caller's function if it has another policy before it. */
static void ask(outcome *out, const char *family, const char *name, const char *const *option,
                bool own)
{
    og_problem *problem = NULL;
    og_question *question = NULL;
    og_policy *policy = NULL;
    og_document *report = NULL;
    if (make_problem(out, family, &problem) == OG_OK &&
        make_question(out, name, option, &question) == OG_OK &&
        (!own || add_own(out, question, &policy) == OG_OK)) {
        out->status = og_ask(problem, question, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
    }
    if (out->status == OG_OK) {
        digest_double(out, og_number_at(report, "optimal.value"));
        digest_double(out, og_document_count(og_document_find(report, "policies")));
        digest_double(out, og_document_count(og_document_find(report, "actions")));
        og_document_free(report);
    }
    og_question_free(question);
    og_policy_free(policy);
    og_problem_free(problem);
}

static void run_solve(outcome *out)
{
    ask(out, "workers", "solve", OPTIONS(LIMITS), false);
}

static void run_query(outcome *out)
{
    ask(out, "independent", "query", OPTIONS(LIMITS, "policies=kg,uniform"), true);
}

static void run_delayed_query(outcome *out)
{
    ask(out, "delayed", "query", OPTIONS(LIMITS, "policy=kg"), true);
}

static void run_states(outcome *out)
{
    /* The first two are answered together, the others one by one. */
    static const double posterior[] = {1, 1, 2, 1, 1, 1,   2, 1, 2, 1, 2, 1, 2,   1, 1, 1,
                                       1, 1, 2, 1, 1, 1.5, 1, 3, 2, 2, 1, 1, 2.5, 1, 1, 1};
    static const int32_t left[] = {2, 1, 2, 1};
    double q[16];
    bool best[16];
    og_problem *problem = NULL;
    og_question *question = NULL;
    if (make_problem(out, "independent", &problem) == OG_OK &&
        make_question(out, "query", OPTIONS(LIMITS), &question) == OG_OK) {
        out->status =
            og_query_states(problem, 4, posterior, left, question, q, best, &out->message);
    }
    og_question_free(question);
    for (int i = 0; out->status == OG_OK && i < 16; i++) {
        digest_double(out, q[i]);
        digest_double(out, best[i]);
    }
    og_problem_free(problem);
}

static void run_bound(outcome *out)
{
    ask(out, "independent", "bound", OPTIONS(LIMITS), false);
}

static void run_index(outcome *out)
{
    ask(out, "independent", "index", OPTIONS(LIMITS, "policy=kg"), false);
}

static void run_tree(outcome *out)
{
    ask(out, "workers", "tree", OPTIONS(LIMITS), false);
}

static void run_simulate(outcome *out)
{
    ask(out, "independent", "simulate", OPTIONS(LIMITS, "policy=kg", "runs=10", "at=0,1"), true);
}

static void session(outcome *out, const char *family)
{
    og_problem *problem = NULL;
    og_session *session = NULL;
    og_question *question = NULL;
    double q[4] = {0};
    if (make_problem(out, family, &problem) == OG_OK &&
        make_question(out, "query", OPTIONS(LIMITS), &question) == OG_OK) {
        out->status = og_session_new(problem, question, &session, &out->message);
    }
    og_question_free(question);
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
    og_question *question = NULL;
    out->status = og_policy_decide("own", decide_first, NULL, &policy, &out->message);
    if (out->status == OG_OK && make_problem(out, "workers", &problem) == OG_OK &&
        make_question(out, "query", OPTIONS(LIMITS), &question) == OG_OK) {
        out->status = og_question_policy(question, policy, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_ask(problem, question, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
    }
    if (out->status == OG_OK) {
        const og_document *picks = og_document_find(og_document_find(report, "policies"), "own");
        for (int32_t i = 0; i < og_document_count(picks); i++) {
            digest_double(out, og_document_number(og_document_child(picks, i)));
        }
    }
    og_document_free(report);
    og_question_free(question);
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
    og_question *question = NULL;
    og_document *report = NULL;
    const test_path table = test_source_path("tools/examples/worth.tsv");
    char word[sizeof table + 16];
    snprintf(word, sizeof word, "2,1=table:%s", table.text);
    if (make_problem(out, "independent", &problem) == OG_OK) {
        out->status = og_problem_add(problem, word, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_problem_final_reward(problem, "even", worth_of_even, NULL, &out->message);
    }
    if (out->status == OG_OK &&
        make_question(out, "query", OPTIONS(LIMITS, "policy=kg"), &question) == OG_OK) {
        out->status = og_ask(problem, question, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
    }
    if (out->status == OG_OK) {
        digest_double(out, og_number_at(report, "optimal.value"));
        digest_double(out, og_document_count(og_document_find(report, "actions")));
    }
    og_document_free(report);
    og_question_free(question);
    og_problem_free(problem);
}

static void run_replay(outcome *out)
{
    static const uint32_t task[] = {0, 0, 1, 1}, worker[] = {0, 1, 0, 1};
    static const uint8_t label[] = {1, 0, 1, 1}, gold[] = {1, 1};
    og_policy *policy = NULL;
    og_question *question = NULL;
    og_document *report = NULL;
    const char *const *option = OPTIONS("threads=1", "policy=kg", "runs=5", "result", "at=1,2");
    if (make_question(out, "replay", option, &question) == OG_OK &&
        add_own(out, question, &policy) == OG_OK) {
        out->status = og_question_set_labels(question, 4, task, worker, label, gold, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_ask(NULL, question, &report, &out->message);
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
    og_question_free(question);
    og_policy_free(policy);
}

/* A search by a policy and another; sources of labels; a list of files. */
static void run_find(outcome *out)
{
    og_question *question = NULL;
    og_document *report = NULL;
    const char *const *option =
        OPTIONS(LIMITS, "policy=kg", "against=opt-kg", "instances=1", "budget=1", "parameter=1");
    if (make_question(out, "find", option, &question) == OG_OK) {
        out->status = og_ask(NULL, question, &report, &out->message);
        out->touched = out->status != OG_OK && report != NULL;
        digest_double(out, og_number_at(report, "search.complete"));
    }
    if (out->status == OG_OK && og_number_at(report, "search.complete") != 1) {
        out->status = OG_NO_MEMORY;
    }
    og_document_free(report);
    og_question_free(question);
}

static void run_options(outcome *out)
{
    og_question *question = NULL;
    make_question(out, "next",
                  OPTIONS("labels=a", "labels=b", "source=x:1:0.8", "source=y:2:0.9", "budget=3"),
                  &question);
    og_question_free(question);
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
    SCENE("find", .run = run_find),
    SCENE("options", .run = run_options),
};

static void nothing(void)
{
}

OG_SUITE_RUN(faults_public)
{
    return fault_suite("faults_public", scenes, sizeof scenes / sizeof *scenes, nothing, nothing);
}
