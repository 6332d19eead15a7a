/*
 * Implements the questions of optgap.h: sets the request's defaults, opens the problem and returns
 * the report. The caller's functions are called one at a time, with the lock of the stop held.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/families/table.h"
#include "bench/public/fields.h"
#include "bench/public/problem.h"

/* One call. It does not move until its end. */
typedef struct {
    og_asked asked;
    og_policy_name *policies; /* [request's policy_count] owned, like the next */
    og_user_policy *functions;
    og_ties usual_ties;
} asking;

enum { OG_REPLAY_RUNS = 20, OG_TREE_STATES_USUAL = 300 }; /* as in the program */

void og_request_default(og_request *request)
{
    *request = (og_request){.policy_states_max = OG_STATES_USUAL,
                            .optimum_states_max = OG_STATES_USUAL,
                            .index_seconds_max = 60,
                            .runs = 10000,
                            .seed = 1,
                            .tie_tolerance = OG_TIE_TOLERANCE,
                            .tree_states_max = OG_TREE_STATES_USUAL};
    og_settings_default(&request->settings);
}

/* ---- policies ---- */

static og_status take_policies(asking *call)
{
    const og_request *request = &call->asked.request;
    size_t count = (size_t)request->policy_count;
    call->policies = calloc(count + 1, sizeof *call->policies);
    call->functions = calloc(count + 1, sizeof *call->functions);
    if (call->policies == NULL || call->functions == NULL) {
        return OG_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const og_policy *policy = request->policies[i];
        call->policies[i] = policy->name;
        call->policies[i].tie_relative = request->tie_tolerance;
        const og_user_policy *function = &policy->function;
        if (function->callback.choose != NULL || function->decide != NULL ||
            function->act != NULL || function->rule != NULL) {
            call->functions[i] = policy->function;
            call->functions[i].lock = &call->asked.stop.lock;
            call->policies[i].function = &call->functions[i];
        }
    }
    call->asked.policies = call->policies;
    call->asked.policy_count = request->policy_count;
    return OG_OK;
}

/* ---- the call ---- */

static void fill_request(asking *call, const og_request *request)
{
    og_request *filled = &call->asked.request;
    if (request != NULL) {
        *filled = *request;
    } else {
        og_request_default(filled);
    }
    og_settings *settings = &filled->settings;
    int threads = settings->threads;
    *settings = og_settings_filled(settings);
    if (threads <= 0 && settings->threads > OG_THREADS_MAX) {
        settings->threads = OG_THREADS_MAX;
    }
    if (filled->ties_count == 0) {
        call->usual_ties = OG_TIES_RANDOM;
        filled->ties = &call->usual_ties;
        filled->ties_count = 1;
    }
}

static og_status check_request(const og_request *request, og_message *message)
{
    if (request == NULL) {
        return OG_OK;
    }
    OG_TRY(og_fields_check(og_settings_fields, &request->settings, message));
    OG_TRY(og_fields_check(og_request_fields, request, message));
    for (int32_t i = 0; i < request->ties_count; i++) {
        if ((unsigned)request->ties[i] >= OG_TIES_COUNT) {
            return og_message_set(message, OG_BAD_INPUT, "there is no tie rule with number %d",
                                  (int)request->ties[i]);
        }
    }
    return OG_OK;
}

static og_status run(asking *call, og_problem *problem, const og_question_kind *kind,
                     og_message *message)
{
    og_problem_text from = {.options = NULL};
    OG_TRY(take_policies(call));
    OG_TRY(problem != NULL ? og_problem_texts(problem, &from, message) : OG_OK);
    if (kind->history) {
        from.history = call->asked.request.history;
    }
    return og_question_run(kind, &call->asked, problem != NULL ? &from : NULL, message);
}

/* Gives the document to the caller, and a warning in place of a message. */
static og_status end(asking *call, og_status status, og_document **out, og_message *words)
{
    og_asked *asked = &call->asked;
    if (status == OG_OK) {
        *words = asked->warning.text[0] != '\0' ? asked->warning : asked->opening;
        og_put_origin(asked->document);
        status = og_document_failed(asked->document) ? OG_NO_MEMORY : OG_OK;
    }
    if (status == OG_OK) {
        *out = asked->document;
        asked->document = NULL;
    }
    og_asked_clear(asked);
    free(call->policies);
    free(call->functions);
    return status;
}

og_status og_ask_problem(og_problem *problem, const og_request *request, const void *given,
                         const og_question_kind *kind, og_document **out, og_message *message)
{
    og_message words = {""};
    og_naming naming = problem != NULL ? OG_NAMED_OPTIONS : OG_NAMED_FIELDS;
    OG_TRY(check_request(request, message));
    asking call = {
        .asked = {.family = problem != NULL ? problem->family : og_families[0], .given = given}};
    fill_request(&call, request);
    og_status status = end(&call, run(&call, problem, kind, &words), out, &words);
    return og_message_pass(message, status, &words, naming);
}

/* ---- the questions ---- */

og_status og_solve(og_problem *problem, const og_request *request, og_document **out,
                   og_message *message)
{
    return og_ask_problem(problem, request, NULL, &og_question_solve, out, message);
}

og_status og_compare(og_problem *problem, const og_request *request, og_document **out,
                     og_message *message)
{
    const og_question_kind *kind = request == NULL      ? &og_question_compare
                                   : request->reach > 0 ? &og_question_reach
                                                        : &og_question_compare;
    return og_ask_problem(problem, request, NULL, kind, out, message);
}

og_status og_query(og_problem *problem, const og_request *request, og_document **out,
                   og_message *message)
{
    return og_ask_problem(problem, request, NULL, &og_question_query, out, message);
}

og_status og_bound(og_problem *problem, const og_request *request, og_document **out,
                   og_message *message)
{
    return og_ask_problem(problem, request, NULL, &og_question_bound, out, message);
}

og_status og_simulate(og_problem *problem, const og_request *request, og_document **out,
                      og_message *message)
{
    return og_ask_problem(problem, request, NULL, &og_question_simulate, out, message);
}

og_status og_index_table(og_problem *problem, const og_request *request, og_document **out,
                         og_message *message)
{
    return og_ask_problem(problem, request, NULL, &og_question_index, out, message);
}

og_status og_decision_tree(og_problem *problem, const og_request *request, og_document **out,
                           og_message *message)
{
    return og_ask_problem(problem, request, NULL, &og_question_tree, out, message);
}

/* What the recordings of other problem types do not have. */
static og_status check_recording(const og_recording *given, og_message *message)
{
    bool assignment = given->problem != NULL && strcmp(given->problem, "assignment") == 0;
    const struct {
        bool given;
        const char *name;
    } options[] = {{given->prior != NULL, "prior"},
                   {given->pairs_file != NULL, "pairs"},
                   {given->workers_prior != NULL, "workers-prior"},
                   {given->stakes.price != NULL, "price"},
                   {given->stakes.payoff != NULL, "payoff"},
                   {given->final_positive, "final-ties"},
                   {!assignment && given->contexts_file != NULL, "contexts"},
                   {!assignment && given->fill != NULL, "fill"},
                   {assignment && given->explore > 0, "explore"},
                   {assignment && given->weighted, "votes"}};
    if (given->problem == NULL || strcmp(given->problem, "labels") == 0) {
        return OG_OK;
    }
    if (!assignment && strcmp(given->problem, "labelers") != 0) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--problem of recorded labels must be labels, assignment or labelers, "
            "not '%.40s'",
            given->problem);
    }
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (options[k].given) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--problem %s does not support --%s; omit it", given->problem,
                                  options[k].name);
        }
    }
    return given->labels_file != NULL && given->gold_file != NULL
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "--problem %s requires files of labels and gold", given->problem);
}

og_status og_replay(const og_recording *labels, const og_request *request, og_document **out,
                    og_message *message)
{
    og_request usual;
    og_message words = {""};
    OG_TRY(og_fields_check(og_recording_fields, labels, message));
    OG_TRY(og_message_pass(message, check_recording(labels, &words), &words, OG_NAMED_FIELDS));
    og_replay_input given = {.recording = *labels, .drop_exponent = 0.5};
    given.recording.explore = labels->explore > 0 ? labels->explore : 1;
    given.recording.fill = labels->fill != NULL ? labels->fill : "accuracy";
    og_request_default(&usual);
    usual.runs = OG_REPLAY_RUNS;
    return og_ask_problem(NULL, request != NULL ? request : &usual, &given, &og_question_replay,
                          out, message);
}

og_status og_next_batch(const og_batch *labels, const og_request *request, og_document **out,
                        og_message *message)
{
    OG_TRY(og_fields_check(og_batch_fields, labels, message));
    return og_ask_problem(NULL, request, labels, &og_question_next, out, message);
}

og_status og_verify(const char *file, const og_settings *settings, og_document **out,
                    og_message *message)
{
    og_request request;
    og_request_default(&request);
    if (settings != NULL) {
        request.settings = *settings;
    }
    return og_ask_problem(NULL, &request, file, &og_question_verify, out, message);
}
