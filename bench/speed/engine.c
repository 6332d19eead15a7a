/*
 * Solves the ladder with all reductions, with the cheaper engine. If LADDER_ENGINE asks for it,
 * only with the recursion, which ends if it needs too many states.
 */
#include <stdio.h>

#include "bench/speed/ladder.h"
#include "dp/families/ranking.h"
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

static og_status solve_instances(const ladder_rung *rung, const og_settings *settings,
                                 og_result *result, og_message *message)
{
    og_groups problem;
    og_group group;
    og_arms *arms = NULL;
    og_groups_init(&problem, rung->budget);
    og_status status = og_group_parse(rung->name, &group, message);
    OG_THEN(status, og_groups_add(&problem, &group, message));
    problem.objective = rung->threshold == 0 ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    OG_THEN(status, og_arms_new(&problem, settings, &arms, message));
    if (status == OG_OK) {
        status = solve_arms(arms, settings, result, message);
        og_arms_free(arms);
    }
    og_groups_clear(&problem);
    return status;
}

static og_status solve_ranking(const ladder_rung *rung, const og_settings *settings,
                               og_result *result, og_message *message)
{
    const og_ranking_counts none = {.wins = {0}};
    const og_value_asked question = {.reductions = OG_REDUCE_ALL};
    og_ranking_prior prior = {.items = rung->count};
    og_ranking *ranking = NULL;
    og_solution solution = {.self = NULL};
    og_value_found found = {.value = NULL};
    og_model model;
    for (int32_t i = 0; i < rung->count; i++) {
        prior.item[i] = rung->a;
    }
    og_status status = og_ranking_new(&prior, &(og_ranking_told){&none, 0, rung->budget},
                                      settings->memory_bytes, NULL, &ranking, message);
    OG_THEN(status, og_ranking_model(ranking, &question, &model));
    OG_THEN(status, og_solution_by_engine(&model, &question, settings, &solution, message));
    OG_THEN(status, solution.value(solution.self, &found, message));
    *result = found.result;
    og_solution_free(&solution);
    og_ranking_free(ranking);
    return status;
}

static const uint64_t recursion_states_max = 20000000; /* some 1.3 GB, half a minute */

static ladder_outcome solve(const ladder_rung *rung, const ladder_settings *given,
                            ladder_measure *out)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.engine = LADDER_ENGINE;
    settings.states_max = LADDER_ENGINE == OG_ENGINE_RECURSION ? recursion_states_max : 0;
    settings.threads = given->threads > 0 ? given->threads : settings.threads;
    settings.memory_bytes =
        given->bytes_max > 0 ? (uint64_t)given->bytes_max : settings.memory_bytes;
    double start = ladder_clock();
    og_result result = {0};
    og_message message = {""};
    og_status status = rung->threshold == LADDER_RANKING
                           ? solve_ranking(rung, &settings, &result, &message)
                           : solve_instances(rung, &settings, &result, &message);
    out->seconds = ladder_clock() - start;
    if (status == OG_STOPPED && settings.states_max > 0) {
        out->states = (double)settings.states_max;
        return LADDER_ENDED;
    }
    if (status != OG_OK) {
        fprintf(stderr, "%s\n", message.text);
        return LADDER_FAILED;
    }
    out->value = result.value;
    /* 0 if bounds and forced labels decide everything; a quotient needs at least 1. */
    out->states = result.states > 0 ? (double)result.states : 1;
    out->expanded = result.expanded > 0 ? (double)result.expanded : 1;
    out->bytes = (double)result.memory_bytes;
    return LADDER_DONE;
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, solve);
}
