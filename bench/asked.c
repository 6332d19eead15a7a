/* Asks a question; and its report: its memory and its rows. */
#include "bench/asked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "dp/base/clock.h"

static og_status init(const og_question_kind *kind, og_asked *asked, const og_problem_text *from)
{
    og_stop_take(&asked->stop, &asked->request.settings);
    asked->stop.stage = asked->stage;
    if (asked->request.seconds_max > 0 && (from != NULL || !kind->own_time)) {
        asked->stop.end = asked->stop.begun + asked->request.seconds_max;
    }
    asked->box = og_arena_new(sizeof *asked->box);
    OG_TRY(OG_ALLOCATED(asked->box));
    og_report *report = &asked->box->report;
    report->prior = report->value = report->gain = report->error_bound = NAN;
    report->lower = report->upper = NAN;
    report->warning = "";
    return OG_OK;
}

/* Once more where a limit ended it: without tables, if the question has an answer then. */
static og_status open_without_tables(og_asked *asked, og_problem_text *use)
{
    const og_request *request = &asked->request;
    og_message ignored = {""};
    bool over = og_stop_limit(&asked->stop) != OG_LIMIT_NONE;
    if (!over || request->truth != NULL || request->believe != NULL || request->explain) {
        return OG_STOPPED;
    }
    og_stop_extend(&asked->stop, INFINITY);
    use->runs_only = asked->without_tables = true;
    return og_family_open(asked->family, use, &request->settings, &asked->problem, &ignored);
}

og_status og_asked_take_policies(og_asked *asked, const char *names, og_message *message)
{
    static const og_option_row row = OG_OPTION(POLICIES, "policies", "NAMES", og_asked, usual,
                                               .count = offsetof(og_asked, policy_count));
    asked->policy_count = 0;
    OG_TRY(names != NULL ? og_option_read(&row, asked, names, message) : OG_OK);
    asked->policies = asked->usual;
    return OG_OK;
}

static og_status open(const og_question_kind *kind, og_asked *asked, const og_problem_text *from,
                      og_message *message)
{
    og_request *request = &asked->request;
    og_problem_text use = *from;
    asked->from = from;
    use.index_seconds = request->index_seconds_max;
    use.runs_only = kind->runs_only;
    use.truth = kind->runs_only ? request->truth : NULL;
    use.warning = &asked->opening;
    og_status status =
        og_family_open(asked->family, &use, &request->settings, &asked->problem, message);
    if (status == OG_STOPPED && kind->without_tables) {
        status = open_without_tables(asked, &use) == OG_OK ? OG_OK : status;
    }
    OG_TRY(status);
    if (kind->own_time && request->seconds_max > 0) {
        double left = asked->stop.begun + request->seconds_max - og_seconds();
        request->seconds_max = fmax(left, 1e-9);
        og_stop_extend(&asked->stop, INFINITY);
    }
    asked->family->sizes(asked->problem, &asked->sizes);
    return OG_OK;
}

og_status og_question_run(const og_question_kind *kind, og_asked *asked,
                          const og_problem_text *from, og_message *message)
{
    OG_TRY(kind->check != NULL ? kind->check(&asked->request, message) : OG_OK);
    OG_TRY(init(kind, asked, from));
    asked->request.index_seconds_max = kind->index_time ? asked->request.index_seconds_max : 0;
    OG_TRY(from != NULL ? open(kind, asked, from, message) : OG_OK);
    if (kind->policies && asked->policy_count == 0 && from != NULL) {
        OG_TRY(og_asked_take_policies(asked, asked->family->policies(asked->problem), message));
    }
    og_status status = kind->answer(asked, message);
    if (!kind->no_document) {
        OG_THEN(status, og_document_status(asked->box->document, message));
    }
    if (asked->request.no_times) {
        og_document_omit_times(asked->box->document);
    }
    return status;
}

void og_asked_clear(og_asked *asked)
{
    og_report_free(asked->box != NULL ? &asked->box->report : NULL);
    if (asked->problem != NULL) {
        asked->family->close(asked->problem);
    }
    free(asked->usual);
    asked->box = NULL;
    asked->problem = NULL;
    asked->usual = NULL;
}

void og_report_free(og_report *report)
{
    if (report != NULL) {
        og_report_box *box = (og_report_box *)((char *)report - offsetof(og_report_box, report));
        og_document_free(box->document);
        og_arena_free(box);
    }
}

const char *og_keep_text(og_arena *arena, const char *text)
{
    return og_arena_copy(arena, text, strlen(text) + 1, 1);
}

og_asked og_asked_about(const og_family *family, void *problem, const og_settings *settings)
{
    static const og_ties ties = OG_TIES_RANDOM;
    og_asked asked = {.family = family,
                      .problem = problem,
                      .request = {.settings = *settings, .ties = &ties, .ties_count = 1}};
    family->sizes(problem, &asked.sizes);
    return asked;
}

og_status og_check_exact(const og_request *request, og_message *message)
{
    const char *unfit = request->settings.checkpoint != NULL ? "--checkpoint"
                        : request->settings.scratch != NULL  ? "--scratch"
                        : request->export_policy != NULL     ? "--export-policy"
                        : request->dry_run                   ? "--dry-run"
                                                             : NULL;
    if (!request->exact || unfit == NULL) {
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "--arithmetic exact does not support %s; omit one of them", unfit);
}

/* ---- rows ---- */

og_report_policy *og_report_rows(og_report_box *box, int32_t count)
{
    og_report_policy *row = og_arena_array(&box->arena, (size_t)count + 1, sizeof *row);
    box->report.policy = row;
    box->report.policy_count = row != NULL ? count : 0;
    return row;
}

og_report_policy og_report_row(og_asked *asked, int32_t policy, og_ties ties, og_status status,
                               const og_message *message)
{
    og_arena *arena = &asked->box->arena;
    const char *why = status == OG_OK ? "" : og_message_words(message, status);
    return (og_report_policy){.policy = og_keep_text(arena, asked->policies[policy].name),
                              .ties = ties,
                              .status = status,
                              .why = og_keep_text(arena, why),
                              .value = NAN,
                              .gain = NAN,
                              .error_bound = NAN,
                              .gap = NAN,
                              .gap_error = NAN,
                              .gap_most = NAN,
                              .accuracy = NAN,
                              .difference = NAN,
                              .difference_error = NAN};
}

void og_report_estimate(og_report_policy *row, const og_estimate *value,
                        const og_estimate *difference)
{
    row->simulated = true;
    row->value = value->mean;
    row->error_bound = fmax(value->high - value->mean, value->mean - value->low);
    row->difference = difference->mean;
    row->difference_error = difference->standard_error;
}
