/*
 * What all questions have in common: the request's defaults, the open problem, who watches, and the
 * report in the end. The caller's functions are called one at a time: the task's lock is held.
 */
#include <math.h>
#include <string.h>

#include "bench/public/handles.h"
#include "dp/base/clock.h"

void og_request_default(og_request *request)
{
    *request = (og_request){.policy_states_max = OG_STATES_USUAL,
                            .optimum_states_max = OG_STATES_USUAL,
                            .index_seconds_max = 60,
                            .runs = 10000,
                            .seed = 1};
    og_settings_default(&request->settings);
}

/* ---- watching ---- */

static const double told_seconds = 0.1;

/* With the lock. */
static void tell(og_task *task, double now)
{
    task->told = now;
    task->progress.seconds = now - task->begun;
    bool late = task->seconds_max > 0 && now - task->begun >= task->seconds_max;
    task->stopped = task->stopped || late ||
                    (task->watch != NULL && !task->watch(task->watch_user, &task->progress));
}

bool og_task_watch(void *user, const og_progress *progress)
{
    og_task *task = user;
    og_lock_take(&task->lock);
    task->progress = *progress;
    if (!task->stopped) {
        tell(task, og_seconds());
    }
    bool go_on = !task->stopped;
    og_lock_release(&task->lock);
    return go_on;
}

bool og_task_stops(void *user)
{
    og_task *task = user;
    double now = og_seconds();
    og_lock_take(&task->lock);
    if (!task->stopped && now - task->told >= told_seconds) {
        tell(task, now);
    }
    bool stops = task->stopped;
    og_lock_release(&task->lock);
    return stops;
}

/* ---- policies ---- */

static og_status reserve_policies(og_task *task, int32_t count)
{
    task->policies = og_arena_array(&task->arena, (size_t)count + 1, sizeof *task->policies);
    task->functions = og_arena_array(&task->arena, (size_t)count + 1, sizeof *task->functions);
    return og_arena_status(&task->arena);
}

static og_status take_given_policies(og_task *task)
{
    OG_TRY(reserve_policies(task, task->request.policy_count));
    for (int32_t i = 0; i < task->request.policy_count; i++) {
        const og_policy *policy = task->request.policies[i];
        task->policies[i] = policy->name;
        if (policy->own) {
            task->functions[i] = (og_own_policy){policy->callback, &task->lock};
            task->policies[i].function = &task->functions[i];
        }
    }
    task->policy_count = task->request.policy_count;
    return OG_OK;
}

/* Those of a list of names with commas between. */
static og_status take_usual_policies(og_task *task, const char *names)
{
    int32_t count = 1;
    for (const char *at = names; *at != '\0'; at++) {
        count += *at == ',';
    }
    OG_TRY(reserve_policies(task, count));
    for (const char *at = names; *at != '\0'; at += *at == ',') {
        char name[OG_POLICY_NAME_BYTES] = "";
        size_t length = strcspn(at, ",");
        memcpy(name, at, length < sizeof name ? length : sizeof name - 1);
        OG_TRY(og_policy_name_parse(name, &task->policies[task->policy_count], &task->message));
        task->policy_count++;
        at += length;
    }
    return OG_OK;
}

/* ---- begin and end ---- */

static void fill_request(og_task *task, const og_request *request, int needs)
{
    if (request != NULL) {
        task->request = *request;
    } else {
        og_request_default(&task->request);
    }
    og_settings *settings = &task->request.settings;
    int threads = settings->threads;
    *settings = og_settings_filled(settings);
    if (threads <= 0 && settings->threads > OG_THREADS_MAX) {
        settings->threads = OG_THREADS_MAX;
    }
    task->watch = settings->watch;
    task->watch_user = settings->watch_user;
    task->seconds_max = (needs & OG_TASK_OWN_TIME) != 0 ? 0 : task->request.seconds_max;
    settings->watch = og_task_watch;
    settings->watch_user = task;
    if (task->request.ties_count == 0) {
        task->usual_ties = OG_TIES_RANDOM;
        task->request.ties = &task->usual_ties;
        task->request.ties_count = 1;
    }
}

static og_status check_request(const og_request *request, og_message *message)
{
    if (request->settings.threads > OG_THREADS_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "%d threads are more than %d",
                              request->settings.threads, OG_THREADS_MAX);
    }
    if (request->policy_count < 0 || request->ties_count < 0) {
        return og_message_set(message, OG_BAD_INPUT, "a number of policies or ties is negative");
    }
    for (int32_t i = 0; i < request->ties_count; i++) {
        if ((unsigned)request->ties[i] >= OG_TIES_COUNT) {
            return og_message_set(message, OG_BAD_INPUT, "there is no tie rule of number %d",
                                  (int)request->ties[i]);
        }
    }
    if (!(request->seconds_max >= 0) || !(request->index_seconds_max >= 0)) {
        return og_message_set(message, OG_BAD_INPUT, "a number of seconds is negative");
    }
    return OG_OK;
}

og_status og_task_begin(og_problem *problem, const og_request *request, int needs, og_task *task)
{
    *task = (og_task){.family = problem->family, .begun = og_seconds(), .told = -INFINITY};
    og_lock_init(&task->lock);
    fill_request(task, request, needs);
    OG_TRY(check_request(&task->request, &task->message));
    task->box = og_arena_new(sizeof *task->box);
    if (task->box == NULL) {
        return OG_NO_MEMORY;
    }
    double index_seconds = (needs & OG_TASK_INDEX_TIME) != 0 ? task->request.index_seconds_max : 0;
    OG_TRY(og_problem_open(problem, &task->request.settings, index_seconds, &task->problem,
                           &task->warning, &task->message));
    task->family->sizes(task->problem, &task->sizes);
    og_report *report = &task->box->report;
    report->prior = report->value = report->gain = report->error_bound = NAN;
    report->lower = report->upper = NAN;
    if ((needs & OG_TASK_POLICIES) == 0) {
        return OG_OK;
    }
    return task->request.policy_count > 0
               ? take_given_policies(task)
               : take_usual_policies(task, task->family->policies(task->problem));
}

og_status og_task_end(og_task *task, og_status status, og_report **out, og_message *message)
{
    og_report_box *box = task->box;
    if (status == OG_OK) {
        box->report.document = box->document;
        box->report.warning = og_keep_text(&box->arena, task->warning.text);
        status = og_document_failed(box->document) ? OG_NO_MEMORY : og_arena_status(&box->arena);
    }
    if (task->problem != NULL) {
        task->family->close(task->problem);
    }
    og_arena_clear(&task->arena);
    og_lock_clear(&task->lock);
    if (status == OG_OK) {
        *out = &box->report;
        return OG_OK;
    }
    og_report_free(box != NULL ? &box->report : NULL);
    return og_message_set(message, status, "%s",
                          task->message.text[0] != '\0' ? task->message.text
                                                        : og_status_text(status));
}

void og_report_bounds(og_report_box *box, const og_bounds *found)
{
    og_report_bound *bound = og_arena_array(&box->arena, (size_t)found->count + 1, sizeof *bound);
    for (int32_t i = 0; bound != NULL && i < found->count; i++) {
        double value = found->bound[i].value;
        bound[i] = (og_report_bound){found->name[i], isfinite(value) ? value : NAN};
    }
    box->report.bound = bound;
    box->report.bound_count = bound != NULL ? found->count : 0;
}

void og_report_free(og_report *report)
{
    if (report != NULL) {
        og_report_box *box = (og_report_box *)((char *)report - offsetof(og_report_box, report));
        og_document_free(box->document);
        og_arena_free(box);
    }
}
