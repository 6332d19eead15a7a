/*
 * Parts that the files of a comparison share: progress, limits, and the computation of a value that
 * observes both.
 */
#include "bench/value/compare_job.h"

#include "dp/base/clock.h"

void og_compare_tell(const og_compare_job *work, const char *stage)
{
    const og_compare_request *request = work->request;
    if (request->progress != NULL) {
        request->progress(request->user, stage);
    }
}

og_limit og_compare_stop_cause(const og_compare_job *work, double deadline)
{
    const og_compare_request *request = work->request;
    if (request->interrupted != NULL && request->interrupted(request->user)) {
        return OG_LIMIT_INTERRUPT;
    }
    return og_seconds() >= deadline ? OG_LIMIT_TIME : OG_LIMIT_NONE;
}

bool og_compare_watch(void *user, const og_progress *progress)
{
    og_compare_guard *by = user;
    const og_settings *settings = &by->work->request->settings;
    bool go_on =
        !by->front || settings->watch == NULL || settings->watch(settings->watch_user, progress);
    by->limit = og_compare_stop_cause(by->work, by->deadline);
    if (by->limit == OG_LIMIT_NONE && by->again_max > 0 && progress->forgotten > 0 &&
        progress->states > by->again_max) {
        by->limit = OG_LIMIT_STATES;
    }
    if (!go_on && by->limit == OG_LIMIT_NONE) {
        by->limit = OG_LIMIT_TIME;
    }
    return by->limit == OG_LIMIT_NONE;
}

og_status og_compare_value_of(const og_compare_job *work, const og_question *question,
                              const og_settings *settings, og_found *out, og_message *message)
{
    og_solution solution = {.self = NULL};
    og_status status = work->family->solve(work->problem, question, settings, &solution, message);
    if (status == OG_OK) {
        status = solution.value(solution.self, out, message);
    }
    og_solution_free(&solution);
    return status;
}
