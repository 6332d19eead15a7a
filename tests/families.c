/* Problems of any family opened, valued and compared as the program does it. */
#include "tests/families.h"

#include "bench/families/independent/independent.h"
#include "heuristics/policy.h"

og_status family_open(const og_family *family, const og_groups *instances, const void *options,
                      const og_settings *settings, void **problem, og_message *message)
{
    const og_problem_text given = {.options = options,
                                   .instances = instances,
                                   .budget = family->own_budget ? -1 : instances->budget,
                                   .left = -1};
    return family->model.open(&given, settings, problem, message);
}

og_delayed_options delayed_options(int32_t workers)
{
    return (og_delayed_options){
        .delay = {.arrival_rate = og_fraction_make(2, 1), .service_rate = og_fraction_make(1, 1)},
        .workers = workers};
}

og_features_options features_options(void)
{
    static double row[] = {1, 0, 0.5, 1, 1, 0.25}, mean[] = {0}, sd[] = {1};
    static int32_t none[3] = {0};
    return (og_features_options){.table = {.instance_count = 3,
                                           .feature_count = 2,
                                           .row = row,
                                           .positive = none,
                                           .negative = none},
                                 .mean = mean,
                                 .mean_count = 1,
                                 .sd = sd,
                                 .sd_count = 1};
}

og_status family_strategy(const og_family *family, const void *problem, const char *name,
                          const og_settings *settings, og_strategy *out, og_message *message)
{
    og_policy_name policy;
    og_problem_size sizes;
    family->model.sizes(problem, &sizes);
    const og_policy_use use = {.whole_budget = sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes};
    og_status status = og_policy_name_parse(name, &policy, message);
    return status == OG_OK ? og_family_strategy(family, problem, &policy, &use, out, message)
                           : status;
}

og_status family_value(const og_family *family, const void *problem, const char *name, og_ties ties,
                       const og_settings *settings, bool *pick, og_value_found *out,
                       og_message *message)
{
    og_strategy strategy = {.self = NULL};
    og_solution solution = {.self = NULL};
    const og_value_asked question = {
        .by = name != NULL ? &strategy : NULL, .ties = ties, .reductions = settings->reductions};
    og_act_open first;
    og_status status = OG_OK;
    if (name != NULL) {
        status = family_strategy(family, problem, name, settings, &strategy, message);
    }
    if (status == OG_OK) {
        status = og_family_solve(family, problem, &question, settings, &solution, message);
    }
    if (status == OG_OK && pick != NULL) {
        og_family_acts(family, problem, &first, 1);
        status = solution.picks(solution.self, &first, 1, pick, NULL, message);
    }
    if (status == OG_OK) {
        status = solution.value(solution.self, out, message);
    }
    og_solution_free(&solution);
    og_strategy_free(&strategy);
    return status;
}

og_status compare_independent(const og_groups *problem, og_asked *asked, og_comparison *out,
                              og_message *message)
{
    const og_family *family = &og_family_independent;
    void *opened = NULL;
    og_status status =
        family_open(family, problem, NULL, &asked->request.settings, &opened, message);
    asked->family = family;
    asked->problem = opened;
    if (status == OG_OK) {
        status = og_compare_run(asked, NULL, out, message);
    }
    asked->problem = NULL;
    og_family_close(family, opened);
    return status;
}
