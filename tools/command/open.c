/*
 * Opens the problem of a request, asks a question about it and shows the answer, for all commands.
 */
#include "tools/command/open.h"

#include <inttypes.h>
#include <math.h>

#include "tools/show/progress.h"
#include "tools/show/report.h"
#include "tools/show/results.h"

static og_problem_text given_of(const command_request *request)
{
    return (og_problem_text){.options = request->family_options,
                             .words = request->word,
                             .word_count = request->word_count,
                             .budget = request->wish.budget,
                             .each = request->wish.each,
                             .left = request->wish.left,
                             .history = request->wish.ask.history,
                             .objective = request->wish.objective};
}

/* ---- one question ---- */

static void show_progress(void *user, const char *stage, double share)
{
    (void)user;
    (void)share;
    show_stage(stage);
}

static void show_warning(void *user, const char *line)
{
    og_message message = {""};
    (void)user;
    og_message_set(&message, OG_OK, "%s", line);
    warn(&message);
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
    double limit = request->wish.ask.seconds_max;
    return limit > 0 ? fmax(limit - progress_seconds(), 1e-9) : 0;
}

/* Asks the question; the caller clears *out in any case. */
static og_status run(command_request *request, const question *about, const void *given,
                     bool for_program, og_asked *out, og_message *message)
{
    const og_problem_text from = given_of(request);
    bool usual = (about->opens || about->ask->policies) && !request->wish.policies_given;
    *out = (og_asked){.family = request->family != NULL ? request->family : og_families[0],
                      .request = request->wish.ask,
                      .policies = request->wish.policies,
                      .policy_count = usual ? 0 : request->wish.policy_count,
                      .given = given,
                      .user = request,
                      .for_program = for_program,
                      .kept = request->roots,
                      .warn = show_warning,
                      .stage = about->progress != NULL ? about->progress
                               : about->opens          ? show_progress
                                                       : catch_and_show};
    out->request.settings.watch = progress_watch;
    out->request.settings.watch_user = request;
    out->request.seconds_max = about->no_limit ? 0 : seconds_left(request);
    og_status status = og_question_run(about->ask, out, about->opens ? &from : NULL, message);
    show_stage(NULL);
    return status;
}

og_status answer_quietly(command_request *request, const question *about, og_document **out,
                         og_message *warning, og_message *message)
{
    og_asked asked;
    og_status status = run(request, about, NULL, true, &asked, message);
    *warning = asked.opening;
    if (status == OG_OK) {
        *out = asked.document;
        asked.document = NULL;
    }
    og_asked_clear(&asked);
    return status;
}

static int show_answer(command_request *request, const question *about, og_asked *asked)
{
    og_document *document = asked->document;
    asked->document = NULL;
    int code = about->show != NULL ? about->show(request, document)
               : document != NULL  ? show(document, request)
                                   : EXIT_RESULT;
    return code == EXIT_RESULT && about->finish != NULL ? about->finish(request, asked) : code;
}

int answer_question(command_request *request, const question *about, const void *given)
{
    og_message message = {""};
    og_asked asked;
    og_status status = about->check != NULL ? about->check(request, &message) : OG_OK;
    if (status != OG_OK) {
        return complain(status, &message);
    }
    if (about->stage != NULL) {
        show_stage(about->stage);
    }
    if (about->opens && !about->signals_end) {
        progress_catch_signals();
    }
    status = run(request, about, given, false, &asked, &message);
    if (asked.problem != NULL) {
        warn(&asked.opening);
    }
    int code = status == OG_OK       ? show_answer(request, about, &asked)
               : about->fail != NULL ? about->fail(request, status, &message)
                                     : complain(status, &message);
    og_asked_clear(&asked);
    return code;
}

int answer_replay(command_request *request,
                  og_status (*check)(const command_request *request, og_message *message),
                  const og_replay_input *given)
{
    const question about = {.ask = &og_question_replay,
                            .check = check,
                            .show = show_with_results,
                            .fail = fail_by_limit,
                            .finish = finish_runs};
    return answer_question(request, &about, given);
}

int finish_runs(const command_request *request, const og_asked *asked)
{
    char words[STOP_REASON_BYTES];
    const char *reason = stop_reason(request, words);
    int64_t done = asked->runs;
    warn(&asked->warning);
    if (done == request->wish.ask.runs) {
        return EXIT_RESULT;
    }
    note("%s: %" PRId64 " of %" PRId64 " runs are done", reason != NULL ? reason : "stopped", done,
         request->wish.ask.runs);
    return EXIT_LIMIT;
}

int finish_by_limit(const command_request *request, const og_asked *asked, const char *missing)
{
    char words[STOP_REASON_BYTES];
    if (asked->limit == OG_LIMIT_NONE) {
        return EXIT_RESULT;
    }
    const char *reason = stop_reason(request, words);
    note("%s: %s", reason != NULL ? reason : "stopped", missing);
    return EXIT_LIMIT;
}

int fail_by_limit(const command_request *request, og_status status, const og_message *message)
{
    char words[STOP_REASON_BYTES];
    return complain_limit(status, message, stop_reason(request, words), request);
}
