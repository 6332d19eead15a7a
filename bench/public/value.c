/* Questions about the optimum: its value, its bounds, and the value of each act. */
#include <math.h>

#include "bench/public/handles.h"
#include "bench/value/bounds.h"
#include "bench/value/query_document.h"
#include "bench/value/solve.h"

/* ---- solve ---- */

static og_status check_solve(const og_request *request, og_message *message)
{
    if (request->all_optimal && request->export_policy == NULL) {
        return og_message_set(message, OG_BAD_INPUT, "all_optimal requires export_policy; set it");
    }
    if (request->dry_run && request->export_policy != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "dry_run does not support export_policy; set one of them");
    }
    if (request->dry_run && request->export_model != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "dry_run does not support export_model; set one of them");
    }
    return OG_OK;
}

static void report_solved(og_task *task, const og_solved *found)
{
    og_report *report = &task->box->report;
    const og_result *result = &found->result;
    if (task->request.dry_run) {
        return;
    }
    report->prior = found->prior;
    report->value = result->value;
    report->gain = result->gain;
    report->error_bound = result->error_bound;
    report->lower = result->value - result->error_bound;
    report->upper = result->value + result->error_bound;
    report->states = result->states;
    report->seconds = result->seconds;
    if (found->warning.text[0] != '\0') {
        task->warning = found->warning;
    }
}

og_status og_task_solve(og_task *task, og_message *message)
{
    const og_solve_request wanted = {.family = task->family,
                                     .problem = task->problem,
                                     .settings = task->request.settings,
                                     .exact = task->request.exact,
                                     .export_policy = task->request.export_policy,
                                     .all_optimal = task->request.all_optimal,
                                     .export_model = task->request.export_model,
                                     .dry_run = task->request.dry_run};
    og_solved found;
    OG_TRY(check_solve(&task->request, message));
    og_status status = og_solve_run(&wanted, &found, message);
    if (status == OG_OK) {
        report_solved(task, &found);
        task->box->document = og_solved_describe(&wanted, &found);
    }
    og_solved_clear(&found);
    return status;
}

/* ---- bound ---- */

og_status og_task_bound(og_task *task, og_message *message)
{
    const og_bounds_request wanted = {.family = task->family,
                                      .problem = task->problem,
                                      .settings = &task->request.settings,
                                      .exact = task->request.exact};
    og_bounds found = {.count = 0};
    double error;
    mpq_t exact;
    mpq_init(exact);
    og_report *report = &task->box->report;
    og_status status = task->family->prior(task->problem, &report->prior, &error,
                                           wanted.exact ? exact : NULL, message);
    if (status == OG_OK) {
        status = og_bounds_find(&wanted, &found, message);
    }
    if (status == OG_OK && og_bounds_shown(&found) == 0) {
        status = og_family_lacks(task->family, "bound", message);
    }
    if (status == OG_OK) {
        og_report_bounds(task->box, &found);
        report->upper = og_bounds_least(&found);
        task->limit = og_stop_look(&task->stop) != OG_LIMIT_NONE && !og_bounds_whole(&found)
                          ? OG_LIMIT_TIME
                          : OG_LIMIT_NONE;
        report->lower = report->prior - error;
        task->box->document = og_bounds_describe(&wanted, &found, report->prior, exact);
    }
    og_bounds_clear(&found);
    mpq_clear(exact);
    return status;
}

/* ---- query ---- */

enum { ACT_BYTES = 2 * OG_GROUP_TEXT_BYTES };

static void report_acts(og_task *task, const og_query_result *found)
{
    og_report_box *box = task->box;
    size_t count = (size_t)found->count;
    og_report_act *act = og_arena_array(&box->arena, count + 1, sizeof *act);
    for (int32_t i = 0; act != NULL && i < found->count; i++) {
        char text[ACT_BYTES];
        task->family->act_text(task->problem, found->act[i].act, text, sizeof text);
        bool left = found->q != NULL;
        act[i] = (og_report_act){.text = og_keep_text(&box->arena, text),
                                 .copies = found->act[i].copies,
                                 .q = left ? found->q[i] : NAN,
                                 .q_error = left ? found->q_error[i] : NAN,
                                 .lost = left ? found->lost[i] : NAN,
                                 .optimal = left && found->optimal[i],
                                 .near_tie = left && found->near_tie[i]};
    }
    box->report.act = act;
    box->report.act_count = found->count;
    box->report.pick = found->pick == NULL
                           ? NULL
                           : og_arena_copy(&box->arena, found->pick,
                                           count * (size_t)task->policy_count, sizeof *found->pick);
}

og_status og_task_query(og_task *task, og_message *message)
{
    const og_query_request wanted = {.family = task->family,
                                     .problem = task->problem,
                                     .policies = task->policies,
                                     .policy_count = task->policy_count,
                                     .settings = task->request.settings,
                                     .exact = task->request.exact,
                                     .at_once = !(task->request.seconds_max > 0)};
    og_query_result found = {0};
    OG_TRY(og_query_run(&wanted, &found, message));
    if (found.lower != NULL && og_stop_look(&task->stop) == OG_LIMIT_INTERRUPT) {
        og_message_set(message, OG_STOPPED, "%s", found.why.text);
        og_query_clear(&found);
        return OG_STOPPED;
    }
    report_acts(task, &found);
    task->box->document = og_query_describe(&wanted, &found);
    og_query_clear(&found);
    return OG_OK;
}
