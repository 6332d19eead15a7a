/* Runs of task assignment with a problem's own workers, their accuracies given or drawn. */
#include "bench/families/assignment/problem.h"

static og_status open_runs(const og_source *source, const og_environment_use *use,
                           og_environments *out, og_message *message)
{
    const assignment *problem = source->problem;
    if (!og_truth_is_prior(source->truth)) {
        return og_family_lacks(&og_family_assignment, "--truth other than prior", message);
    }
    if (problem->had > 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "simulate does not support --history for task assignment; omit it");
    }
    og_source world = og_source_assignment(&problem->world);
    world.at = source->at;
    world.at_count = source->at_count;
    return world.open(&world, use, out, message);
}

og_source assignment_source(const void *problem, const og_truth *truth)
{
    return (og_source){.open = open_runs, .problem = problem, .truth = truth};
}

/* Labels of each worker. */
void assignment_put_counts(const void *problem, const double *counts, og_document *object)
{
    og_put_numbers(object, "labels_by_worker", counts,
                   ((const assignment *)problem)->assignment->workers);
}

void assignment_show_counts(const void *problem, const char *policy, const double *counts,
                            og_document *document)
{
    enum { SHOWN = 20, NUMBER = 16 };
    char words[SHOWN * NUMBER];
    int32_t workers = ((const assignment *)problem)->assignment->workers;
    og_text text = og_text_begin(words, sizeof words);
    for (int32_t j = 0; j < workers && j < SHOWN; j++) {
        og_text_add(&text, " %.3g", counts[j]);
    }
    og_show_paragraph(document, "%s: labels by worker 1, 2, ...:%s%s", policy, words,
                      workers > SHOWN ? " ..." : "");
}

void assignment_make_world(assignment *problem)
{
    problem->world = (og_assignment_world){.setting = {.tasks = problem->assignment->tasks,
                                                       .workers = problem->assignment->workers,
                                                       .contexts = problem->assignment->contexts,
                                                       .context = problem->assignment->context,
                                                       .budget = problem->whole_budget},
                                           .problem = problem->assignment};
}
