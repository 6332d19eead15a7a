/*
 * Parts that the files of a comparison share: progress, limits, and the computation of a value that
 * observes both.
 */
#include "bench/questions/compare_job.h"

og_status og_compare_value_of(const og_compare_job *work, const og_value_asked *question,
                              const og_settings *settings, og_value_found *out, og_message *message)
{
    og_solution solution = {.self = NULL};
    og_status status =
        og_family_solve(work->family, work->problem, question, settings, &solution, message);
    OG_THEN(status, solution.value(solution.self, out, message));
    og_solution_free(&solution);
    return status;
}
