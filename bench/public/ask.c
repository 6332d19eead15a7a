/*
 * Implements the questions of optgap.h: sets the request's defaults, opens the problem and returns
 * the report. The caller's functions are called one at a time, with the lock of the stop held.
 */
#include <stdlib.h>

#include "bench/describe.h"
#include "bench/families/table.h"
#include "bench/public/fields.h"
#include "bench/public/handles.h"

/* One call. It does not move until its end. */
typedef struct {
    og_task task;
    og_policy_name *policies; /* [policy_count] owned, like the next */
    int32_t policy_count;
    og_own_policy *functions;
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

static og_status take_given_policies(asking *of)
{
    const og_request *request = &of->task.request;
    size_t count = (size_t)request->policy_count;
    of->policies = calloc(count, sizeof *of->policies);
    of->functions = calloc(count, sizeof *of->functions);
    if (of->policies == NULL || of->functions == NULL) {
        return OG_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const og_policy *policy = request->policies[i];
        of->policies[i] = policy->name;
        of->policies[i].tie_relative = request->tie_tolerance;
        if (policy->function.callback.choose != NULL || policy->function.decide != NULL) {
            of->functions[i] = policy->function;
            of->functions[i].lock = &of->task.stop.lock;
            of->policies[i].function = &of->functions[i];
        }
    }
    of->policy_count = request->policy_count;
    return OG_OK;
}

static og_status take_policies(asking *of, og_message *message)
{
    static const og_option_row row = OG_OPTION(POLICIES, "policies", "NAMES", asking, policies,
                                               .count = offsetof(asking, policy_count));
    og_task *task = &of->task;
    const char *usual = task->family->policies(task->problem);
    OG_TRY(task->request.policy_count > 0 ? take_given_policies(of)
           : usual != NULL                ? og_option_read(&row, of, usual, message)
                                          : OG_OK);
    task->policies = of->policies;
    task->policy_count = of->policy_count;
    return OG_OK;
}

/* ---- the call ---- */

static void fill_request(asking *of, const og_request *request)
{
    og_request *filled = &of->task.request;
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
        of->usual_ties = OG_TIES_RANDOM;
        filled->ties = &of->usual_ties;
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

static og_status begin(asking *of, og_problem *problem, int needs, og_message *message)
{
    og_task *task = &of->task;
    const og_request *request = &task->request;
    OG_TRY(og_task_init(task, (needs & OG_ASK_OWN_TIME) != 0));
    if (problem != NULL) {
        double index = (needs & OG_ASK_INDEX_TIME) != 0 ? request->index_seconds_max : 0;
        const og_given use = {.index_seconds = index,
                              .runs_only = (needs & OG_ASK_RUNS) != 0,
                              .warning = &task->warning};
        OG_TRY(og_problem_open(problem, &request->settings, &use, &task->problem, message));
        task->family->sizes(task->problem, &task->sizes);
    }
    return (needs & OG_ASK_POLICIES) != 0 ? take_policies(of, message) : OG_OK;
}

/* Give the report to the caller if it is complete. */
static og_status end(asking *of, og_status status, og_report **out)
{
    og_report_box *box = of->task.box;
    if (status == OG_OK) {
        og_put_origin(box->document);
        box->report.document = box->document;
        box->report.warning = og_keep_text(&box->arena, of->task.warning.text);
        status = og_document_failed(box->document) ? OG_NO_MEMORY : og_arena_status(&box->arena);
    }
    if (status == OG_OK) {
        *out = &box->report;
        of->task.box = NULL;
    }
    og_task_clear(&of->task);
    free(of->policies);
    free(of->functions);
    return status;
}

og_status og_ask(og_problem *problem, const og_request *request, const void *given,
                 og_task_question *question, int needs, og_report **out, og_message *message)
{
    og_message words = {""};
    OG_TRY(check_request(request, message));
    asking of = {
        .task = {.family = problem != NULL ? problem->family : og_families[0], .given = given}};
    fill_request(&of, request);
    og_status status = begin(&of, problem, needs, &words);
    if (status == OG_OK) {
        status = question(&of.task, &words);
    }
    status = end(&of, status, out);
    return og_message_pass(message, status, &words);
}

/* ---- the questions ---- */

enum { PLAYED = OG_ASK_POLICIES | OG_ASK_INDEX_TIME | OG_ASK_OWN_TIME };

og_status og_solve(og_problem *problem, const og_request *request, og_report **out,
                   og_message *message)
{
    return og_ask(problem, request, NULL, og_task_solve, OG_ASK_VALUES, out, message);
}

og_status og_compare(og_problem *problem, const og_request *request, og_report **out,
                     og_message *message)
{
    return og_ask(problem, request, NULL, og_task_compare, PLAYED, out, message);
}

og_status og_query(og_problem *problem, const og_request *request, og_report **out,
                   og_message *message)
{
    return og_ask(problem, request, NULL, og_task_query, OG_ASK_POLICIES, out, message);
}

og_status og_bound(og_problem *problem, const og_request *request, og_report **out,
                   og_message *message)
{
    return og_ask(problem, request, NULL, og_task_bound, OG_ASK_VALUES, out, message);
}

og_status og_simulate(og_problem *problem, const og_request *request, og_report **out,
                      og_message *message)
{
    return og_ask(problem, request, NULL, og_task_simulate, PLAYED | OG_ASK_RUNS, out, message);
}

og_status og_index_table(og_problem *problem, const og_request *request, og_report **out,
                         og_message *message)
{
    return og_ask(problem, request, NULL, og_task_index, OG_ASK_POLICIES, out, message);
}

og_status og_decision_tree(og_problem *problem, const og_request *request, og_report **out,
                           og_message *message)
{
    return og_ask(problem, request, NULL, og_task_tree, OG_ASK_VALUES, out, message);
}

og_status og_replay(const og_recording *labels, const og_request *request, og_report **out,
                    og_message *message)
{
    og_request usual;
    OG_TRY(og_fields_check(og_recording_fields, labels, message));
    og_request_default(&usual);
    usual.runs = OG_REPLAY_RUNS;
    return og_ask(NULL, request != NULL ? request : &usual, labels, og_task_replay, OG_ASK_POLICIES,
                  out, message);
}

og_status og_next_batch(const og_batch *labels, const og_request *request, og_report **out,
                        og_message *message)
{
    bool named = request != NULL && request->policy_count > 0;
    OG_TRY(og_fields_check(og_batch_fields, labels, message));
    return og_ask(NULL, request, labels, og_task_next, named ? OG_ASK_POLICIES : OG_ASK_VALUES, out,
                  message);
}

og_status og_sweep(const og_grid *grid, const og_request *request, og_report **out,
                   og_message *message)
{
    OG_TRY(og_fields_check(og_grid_fields, grid, message));
    return og_ask(NULL, request, grid, og_task_sweep, OG_ASK_VALUES, out, message);
}

og_status og_verify(const char *file, const og_settings *settings, og_report **out,
                    og_message *message)
{
    og_request request;
    og_request_default(&request);
    if (settings != NULL) {
        request.settings = *settings;
    }
    return og_ask(NULL, &request, file, og_task_verify, OG_ASK_VALUES, out, message);
}
