/* Runs of task assignment by a problem's own workers, their accuracies known or drawn. */
#include "bench/families/assignment_problem.h"

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const assignment *of = source->problem;
    if (source->truth != NULL && ((const og_truth *)source->truth)->kind != OG_TRUTH_PRIOR) {
        return og_family_lacks(&og_family_assignment, "another --truth", message);
    }
    if (of->had > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "runs of task assignment begin without labels: --history is not for "
                              "simulate");
    }
    const og_source world = og_source_assignment(&of->world);
    return world.open(&world, use, out, message);
}

og_source assignment_source(const void *problem, const og_truth *truth)
{
    return (og_source){.open = open_runs, .problem = problem, .truth = truth};
}

void assignment_make_world(assignment *of)
{
    of->world = (og_assignment_world){.setting = {.tasks = of->of->tasks,
                                                  .workers = of->of->workers,
                                                  .contexts = of->of->contexts,
                                                  .context = of->of->context,
                                                  .budget = of->whole_budget},
                                      .problem = of->of};
}
