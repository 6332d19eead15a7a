/* Task assignment on recorded labels or with drawn crowds. */
#include "tools/command/world.h"

#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"
#include "tools/show/results.h"

static og_status settle_policies(command_request *request, bool contexts, og_message *message)
{
    static const og_option_row row =
        OG_OPTION(POLICIES, "policies", "NAMES", command_request, policies,
                  .count = offsetof(command_request, policy_count));
    if (request->policies_given) {
        return OG_OK;
    }
    request->policy_count = 0;
    return og_option_read(&row, request,
                          contexts ? "naive,opt-kg,opt-kg-multi,bbta:0,bbta:1"
                                   : "naive,opt-kg,bbta:0,bbta:1",
                          message);
}

int replay_world(command_request *request, const og_assignment_recording *recording)
{
    og_assignment_recording given = *recording;
    static const question about = {.ask = &og_question_replay_assignment,
                                   .show = show_with_results,
                                   .fail = fail_by_limit,
                                   .finish = finish_runs};
    og_message message = {""};
    bool contexts = given.contexts_file != NULL || given.clusters > 1;
    given.usual = !request->policies_given;
    og_status status = settle_policies(request, contexts, &message);
    return status != OG_OK ? complain(status, &message) : answer_question(request, &about, &given);
}
