/*
 * The optimum on the ladder, with all reductions: by whichever engine takes less, or by the
 * recursion alone where LADDER_ENGINE says so.
 */
#include <stdio.h>

#include "bench/speed/ladder.h"
#include "dp/product/optimum/optimum.h"

static og_status solve_arms(const og_arms *arms, const og_settings *settings, og_result *result,
                            og_message *message)
{
    og_optimum *optimum = NULL;
    og_status status = og_optimum_new(arms, settings, &optimum, message);
    OG_THEN(status, og_optimum_value(optimum, result, message));
    og_optimum_free(optimum);
    return status;
}

static og_status solve_problem(const og_groups *problem, const og_settings *settings,
                               og_result *result, og_message *message)
{
    og_arms *arms = NULL;
    og_status status =
        og_arms_new(problem, settings->threads, settings->memory_bytes, &arms, message);
    if (status == OG_OK) {
        status = solve_arms(arms, settings, result, message);
        og_arms_free(arms);
    }
    return status;
}

static ladder_outcome solve(const ladder_rung *rung, const ladder_settings *given,
                            ladder_measure *out)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.engine = LADDER_ENGINE;
    settings.threads = given->threads > 0 ? given->threads : settings.threads;
    settings.memory_bytes =
        given->bytes_max > 0 ? (uint64_t)given->bytes_max : settings.memory_bytes;
    double start = ladder_clock();
    og_groups problem;
    og_group group;
    og_result result = {0};
    og_message message = {""};
    og_groups_init(&problem, rung->budget);
    og_status status = og_group_parse(rung->name, &group, &message);
    OG_THEN(status, og_groups_add(&problem, &group, &message));
    problem.objective = rung->threshold == 0 ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    OG_THEN(status, solve_problem(&problem, &settings, &result, &message));
    og_groups_clear(&problem);
    out->seconds = ladder_clock() - start;
    if (status != OG_OK) {
        fprintf(stderr, "%s\n", message.text);
        return LADDER_FAILED;
    }
    out->value = result.value;
    /* 0 where bounds and forced labels settle all; a quotient needs one. */
    out->states = result.states > 0 ? (double)result.states : 1;
    out->expanded = result.expanded > 0 ? (double)result.expanded : 1;
    out->bytes = (double)result.memory_bytes;
    return LADDER_DONE;
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, solve);
}
