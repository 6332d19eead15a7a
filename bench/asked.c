/* Asks a question. */
#include "bench/asked.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "dp/base/clock.h"

static void init(const og_question_kind *kind, og_asked *asked, const og_problem_text *from)
{
    og_stop_take(&asked->stop, &asked->request.settings);
    asked->stop.stage = asked->stage;
    asked->stop.warn = asked->warn;
    if (asked->request.seconds_max > 0 && (from != NULL || !kind->own_time)) {
        asked->stop.end = asked->stop.begun + asked->request.seconds_max;
    }
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
    use->runs_only = true;
    /* The stop is still over, so a family that needs tables for runs does not begin them again. */
    OG_TRY(og_family_open(asked->family, use, &request->settings, &asked->problem, &ignored));
    asked->without_tables = true;
    og_stop_extend(&asked->stop, INFINITY);
    return OG_OK;
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
    if (from->each && !kind->each) {
        return og_message_set(message, OG_BAD_INPUT, OG_EACH_SUPPORT, from->budget);
    }
    if (from->each && asked->family->apart == NULL) {
        char words[32];
        snprintf(words, sizeof words, "-T %" PRId32 "each", from->budget);
        return og_family_lacks(asked->family, words, message);
    }
    asked->family = from->each ? asked->family->apart : asked->family;
    use.tables = &asked->tables;
    asked->text = use;
    asked->from = &asked->text;
    use.index_seconds = request->index_seconds_max;
    use.runs_only = kind->runs_only;
    use.bounds_only = kind->bounds_only;
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
    asked->family->model.sizes(asked->problem, &asked->sizes);
    return OG_OK;
}

og_status og_question_run(const og_question_kind *kind, og_asked *asked,
                          const og_problem_text *from, og_message *message)
{
    OG_TRY(kind->check != NULL ? kind->check(&asked->request, message) : OG_OK);
    init(kind, asked, from);
    asked->request.index_seconds_max = kind->index_time ? asked->request.index_seconds_max : 0;
    OG_TRY(from != NULL ? open(kind, asked, from, message) : OG_OK);
    if (kind->policies && asked->policy_count == 0 && from != NULL) {
        OG_TRY(og_asked_take_policies(asked, og_family_policies(asked->family, asked->problem),
                                      message));
    }
    og_status status = kind->answer(asked, message);
    if (!kind->no_document) {
        OG_THEN(status, og_document_status(asked->document, message));
    }
    if (asked->request.no_times) {
        og_document_omit_times(asked->document);
    }
    return status;
}

void og_asked_clear(og_asked *asked)
{
    og_document_free(asked->document);
    if (asked->problem != NULL) {
        og_family_close(asked->family, asked->problem);
    }
    free(asked->usual);
    og_tables_read_clear(&asked->tables);
    asked->document = NULL;
    asked->problem = NULL;
    asked->usual = NULL;
}

og_asked og_asked_about(const og_family *family, void *problem, const og_settings *settings)
{
    static const og_ties ties = OG_TIES_RANDOM;
    og_asked asked = {.family = family,
                      .problem = problem,
                      .request = {.settings = *settings, .ties = &ties, .ties_count = 1}};
    family->model.sizes(problem, &asked.sizes);
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
