/* Task assignment on recorded labels or with drawn crowds. */
#include "tools/command/world.h"

#include "tools/command/open.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"
#include "tools/show/results.h"

int replay_world(command_request *request, const og_assignment_recording *recording)
{
    static const question about = {.ask = &og_question_replay_assignment,
                                   .show = show_with_results,
                                   .fail = fail_by_limit,
                                   .finish = finish_runs};
    og_assignment_recording given = *recording;
    given.usual = !request->policies_given;
    return answer_question(request, &about, &given);
}
