/* From words to an open problem, alike for all commands. */
#include "tools/command/open.h"

#include "bench/families/table.h"
#include "dp/base/arena.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

static og_status take_usual_policies(command_request *request, const char *names,
                                     og_message *message)
{
    static const og_option_row row =
        OG_OPTION(POLICIES, "policies", "NAMES", command_request, policies,
                  .count = offsetof(command_request, policy_count));
    request->policy_count = 0;
    return og_option_read(&row, request, names, message);
}

static og_status open(command_request *request, opened *out, og_message *warning,
                      og_message *message)
{
    const og_given given = {.options = request->family_options,
                            .words = request->word,
                            .word_count = request->word_count,
                            .budget = request->budget,
                            .left = request->left,
                            .objective = request->objective,
                            .index_seconds = request->index_seconds,
                            .warning = warning};
    OG_TRY(og_family_open(out->family, &given, &request->settings, &out->problem, message));
    out->family->sizes(out->problem, &out->sizes);
    return request->policies_given
               ? OG_OK
               : take_usual_policies(request, out->family->policies(out->problem), message);
}

int open_problem(command_request *request, opened *out)
{
    og_message message = {""};
    og_message warning = {""};
    *out = (opened){.family = request->family != NULL ? request->family : og_families[0]};
    og_status status = open(request, out, &warning, &message);
    if (status != OG_OK) {
        show_stage(NULL);
        return complain_limit(status, &message, NULL, request);
    }
    warn(&warning);
    return EXIT_RESULT;
}

void close_problem(opened *of)
{
    if (of->problem != NULL) {
        of->family->close(of->problem);
    }
    *of = (opened){.problem = NULL};
}

const og_arms *arms_of(const opened *of, const char *what)
{
    og_message message;
    if (of->family->arms != NULL) {
        return of->family->arms(of->problem);
    }
    complain(og_family_lacks(of->family, what, &message), &message);
    return NULL;
}

og_settings watched_settings(const command_request *request)
{
    og_settings settings = request->settings;
    settings.watch = progress_watch;
    progress_catch_signals();
    return settings;
}
