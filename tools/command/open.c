/* From words to an open problem, alike for all commands. */
#include "tools/command/open.h"

#include "bench/families/table.h"
#include "dp/base/arena.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

static og_status take_usual_policies(request *asked, const char *names, og_message *message)
{
    static const og_option_row row = OG_OPTION(POLICIES, "policies", "NAMES", request, policies,
                                               .count = offsetof(request, policy_count));
    asked->policy_count = 0;
    return og_option_read(&row, asked, names, message);
}

static og_status open(request *asked, opened *out, og_message *warning, og_message *message)
{
    const og_given given = {.options = asked->family_options,
                            .words = asked->word,
                            .word_count = asked->word_count,
                            .budget = asked->budget,
                            .left = asked->left,
                            .objective = asked->objective,
                            .index_seconds = asked->index_seconds,
                            .warning = warning};
    OG_TRY(og_family_open(out->family, &given, &asked->settings, &out->problem, message));
    out->family->sizes(out->problem, &out->sizes);
    return asked->policies_given
               ? OG_OK
               : take_usual_policies(asked, out->family->policies(out->problem), message);
}

int open_problem(request *asked, opened *out)
{
    og_message message = {""};
    og_message warning = {""};
    *out = (opened){.family = asked->family != NULL ? asked->family : og_families[0]};
    og_status status = open(asked, out, &warning, &message);
    if (status != OG_OK) {
        show_stage(NULL);
        return complain_limit(status, &message, NULL, asked);
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

og_settings watched_settings(const request *asked)
{
    og_settings settings = asked->settings;
    settings.watch = progress_watch;
    progress_catch_signals();
    return settings;
}
