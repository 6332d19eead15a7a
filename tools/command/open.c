/* From words to an open problem, alike for all commands. */
#include "tools/command/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static og_status check(const request *asked, const og_family *family, og_message *message)
{
    if (asked->objective != NULL && family != og_families[0] &&
        strcmp(asked->objective, "calls") != 0) {
        char words[64];
        snprintf(words, sizeof words, "--objective %s", asked->objective);
        return og_family_lacks(family, words, message);
    }
    if (asked->budget >= 0 && asked->left > asked->budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--left %" PRId32 " is more than the whole budget, -T %" PRId32,
                              asked->left, asked->budget);
    }
    return OG_OK;
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
    OG_TRY(check(asked, out->family, message));
    OG_TRY(out->family->open(&given, &asked->settings, &out->problem, message));
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
