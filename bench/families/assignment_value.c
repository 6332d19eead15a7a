/* What assigning workers to tasks is worth: the optimum, policies, and play state by state. */
#include "bench/families/assignment_problem.h"
#include "heuristics/families/assignment_policy.h"

static og_status refuse_fractions(og_message *message)
{
    return og_family_lacks(&og_family_assignment, "--arithmetic exact", message);
}

og_status assignment_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                           og_message *message)
{
    const assignment *of = problem;
    const og_assignment_start *start;
    if (exact != NULL) {
        return refuse_fractions(message);
    }
    OG_TRY(assignment_start(of, &start, message));
    *value = start->prior;
    *error = og_assignment_error(start);
    return OG_OK;
}

og_status assignment_strategy(const void *problem, const og_policy_name *name,
                              const og_policy_use *use, og_strategy *out, og_message *message)
{
    const assignment *of = problem;
    const og_assignment_start *start;
    (void)use;
    if (name->function != NULL) {
        return og_family_lacks(&og_family_assignment, "a policy of your own", message);
    }
    OG_TRY(assignment_start(of, &start, message));
    return og_assignment_strategy(name, start, out, message);
}

og_status assignment_solve(const void *problem, const og_question *question,
                           const og_settings *settings, og_solution *out, og_message *message)
{
    const assignment *of = problem;
    const og_assignment_start *start;
    og_model model;
    OG_TRY(assignment_start(of, &start, message));
    OG_TRY(og_assignment_model(start, question, &model));
    return og_solution_by_engine(&model, question, settings, out, message);
}

og_status assignment_steps(const void *problem, const og_steps_use *use, og_steps *out,
                           og_message *message)
{
    const assignment *of = problem;
    const og_assignment_start *start;
    const og_question optimum = {.reductions = use->ordered || use->apart ? 0 : OG_REDUCE_SORT};
    const og_question question = {.by = use->by, .ties = use->ties};
    og_model model;
    if (use->exact) {
        return refuse_fractions(message);
    }
    OG_TRY(assignment_start(of, &start, message));
    OG_TRY(og_assignment_model(start, &optimum, &model));
    model.scale = 0; /* each state is measured, the root among them */
    return og_steps_by_engine(&model, &question, &use->settings, out, message);
}
