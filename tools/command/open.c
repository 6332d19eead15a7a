/*
 * Opens the problem of a request, asks a question about it and shows the answer, for all commands.
 */
#include "tools/command/open.h"

#include <inttypes.h>
#include <math.h>

#include "bench/families/table.h"
#include "dp/base/arena.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

/* Sets the family's default policies; NULL means that it has none. */
static og_status take_usual_policies(command_request *request, const char *names,
                                     og_message *message)
{
    static const og_option_row row =
        OG_OPTION(POLICIES, "policies", "NAMES", command_request, policies,
                  .count = offsetof(command_request, policy_count));
    request->policy_count = 0;
    return names == NULL ? OG_OK : og_option_read(&row, request, names, message);
}

og_given given_of(const command_request *request, og_message *warning)
{
    return (og_given){.options = request->family_options,
                      .words = request->word,
                      .word_count = request->word_count,
                      .budget = request->budget,
                      .left = request->left,
                      .history = request->history,
                      .objective = request->objective,
                      .index_seconds = request->index_seconds,
                      .warning = warning};
}

/* ---- one question ---- */

static void show_progress(void *user, const char *stage, double share)
{
    (void)user;
    (void)share;
    show_stage(stage);
}

/* For questions that open files: until the first stage a signal ends the program, because a file
 * may be a pipe. */
static void catch_and_show(void *user, const char *stage, double share)
{
    progress_catch_signals();
    show_progress(user, stage, share);
}

/* The time left; 0: no limit. */
static double seconds_left(const command_request *request)
{
    double limit = request->time_limit_seconds;
    return limit > 0 ? fmax(limit - progress_seconds(), 1e-9) : 0;
}

/* The options that questions use; the others are for the command itself. */
static og_request request_of(const command_request *request)
{
    og_settings settings = request->settings;
    settings.watch = progress_watch;
    settings.watch_user = (void *)request;
    return (og_request){.settings = settings,
                        .seconds_max = seconds_left(request),
                        .ties = request->ties,
                        .ties_count = request->ties_count,
                        .exact = request->exact,
                        .explain = request->explain,
                        .policy_states_max = request->policy_states,
                        .optimum_states_max = request->optimum_states,
                        .index_seconds_max = request->index_seconds,
                        .runs = request->runs,
                        .seed = request->seed,
                        .truth = request->truth,
                        .believe = request->believe,
                        .priors = request->priors,
                        .minimax = request->minimax,
                        .counts = request->counts,
                        .export_policy = request->export_policy,
                        .all_optimal = request->all_optimal,
                        .export_model = request->export_model,
                        .dry_run = request->dry_run,
                        .tree_states_max = request->tree_states,
                        .tree_levels = request->tree_levels,
                        .all_actions = request->all_actions};
}

og_status begin_task(const command_request *request, const question *about, og_task *out)
{
    *out = (og_task){.family = request->family != NULL ? request->family : og_families[0],
                     .request = request_of(request),
                     .policies = request->policies,
                     .policy_count = request->policy_count,
                     .user = (void *)request};
    OG_TRY(og_task_init(out, false));
    out->stop.stage = about->progress != NULL ? about->progress
                      : about->opens          ? show_progress
                                              : catch_and_show;
    if (about->own_time && !about->opens) {
        og_stop_extend(&out->stop, INFINITY);
    }
    return OG_OK;
}

/* Once more where a limit ended it: without tables, if the question has an answer then. */
static og_status open_without_tables(const command_request *request, og_given *given, og_task *out)
{
    og_message ignored = {""};
    bool over = og_stop_limit(&out->stop) != OG_LIMIT_NONE;
    if (!over || request->truth != NULL || request->believe != NULL || request->explain) {
        return OG_STOPPED;
    }
    og_stop_extend(&out->stop, INFINITY);
    given->runs_only = out->without_tables = true;
    return og_family_open(out->family, given, &out->request.settings, &out->problem, &ignored);
}

/* The time limit is that of opening, too. */
static og_status open(command_request *request, const question *about, og_task *out,
                      og_message *warning, og_message *message)
{
    og_given given = given_of(request, warning);
    given.runs_only = about->runs_only;
    og_status status =
        og_family_open(out->family, &given, &out->request.settings, &out->problem, message);
    if (status == OG_STOPPED && about->without_tables) {
        status = open_without_tables(request, &given, out) == OG_OK ? OG_OK : status;
    }
    OG_TRY(status);
    if (about->own_time) {
        og_stop_extend(&out->stop, INFINITY);
        out->request.seconds_max = seconds_left(request);
    }
    out->family->sizes(out->problem, &out->sizes);
    if (!request->policies_given) {
        OG_TRY(take_usual_policies(request, out->family->policies(out->problem), message));
        out->policies = request->policies;
        out->policy_count = request->policy_count;
    }
    return OG_OK;
}

static int open_for(command_request *request, const question *about, og_task *out)
{
    og_message message = {""};
    og_message warning = {""};
    og_status status = begin_task(request, about, out);
    if (status == OG_OK && about->opens) {
        status = open(request, about, out, &warning, &message);
    }
    if (status != OG_OK) {
        show_stage(NULL);
        return fail_by_limit(request, status, &message);
    }
    warn(&warning);
    return EXIT_RESULT;
}

int open_problem(command_request *request, og_task *out)
{
    static const question whole = {.opens = true};
    return open_for(request, &whole, out);
}

static int ask(const command_request *request, const question *about, og_task *task)
{
    og_message message = {""};
    og_status status = about->ask(task, &message);
    show_stage(NULL);
    if (status != OG_OK) {
        return about->fail != NULL ? about->fail(request, status, &message)
                                   : complain(status, &message);
    }
    og_document *document = task->box->document;
    task->box->document = NULL;
    int code = about->show != NULL ? about->show(request, document) : show(document, request);
    return code == EXIT_RESULT && about->finish != NULL ? about->finish(request, task) : code;
}

og_status answer_quietly(command_request *request, const question *about, og_document **out,
                         og_message *warning, og_message *message)
{
    og_task task;
    og_status status = begin_task(request, about, &task);
    OG_THEN(status, open(request, about, &task, warning, message));
    OG_THEN(status, about->ask(&task, message));
    show_stage(NULL);
    if (status == OG_OK) {
        *out = task.box->document;
        task.box->document = NULL;
    }
    og_task_clear(&task);
    return status;
}

int answer_question(command_request *request, const question *about, const void *given)
{
    og_message message = {""};
    og_task task;
    og_status status = about->check != NULL ? about->check(request, &message) : OG_OK;
    if (status != OG_OK) {
        return complain(status, &message);
    }
    if (about->stage != NULL) {
        show_stage(about->stage);
    }
    if (about->opens) {
        progress_catch_signals();
    }
    int code = open_for(request, about, &task);
    if (code == EXIT_RESULT) {
        task.given = given;
        code = ask(request, about, &task);
    }
    og_task_clear(&task);
    return code;
}

int finish_runs(const command_request *request, const og_task *task)
{
    char words[STOP_REASON_BYTES];
    const char *reason = stop_reason(request, words);
    int64_t done = task->box->report.runs;
    warn(&task->warning);
    if (done == request->runs) {
        return EXIT_RESULT;
    }
    note("%s: %" PRId64 " of %" PRId64 " runs are done", reason != NULL ? reason : "stopped", done,
         request->runs);
    return EXIT_LIMIT;
}

int fail_by_limit(const command_request *request, og_status status, const og_message *message)
{
    char words[STOP_REASON_BYTES];
    return complain_limit(status, message, stop_reason(request, words), request);
}
