/* One state expanded: Q of every instance, which are optimal, and what policies would label. */
#include "bench/value/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/exact/settle.h"
#include "dp/product/chooser.h"

/* Whole arrays only: group and policy counts come from a command line. */
static og_status allocate(og_query_result *result)
{
    size_t groups = (size_t)result->group_count;
    size_t policies = (size_t)result->policy_count;
    result->q = calloc(groups + 1, sizeof *result->q);
    result->q_error = calloc(groups + 1, sizeof *result->q_error);
    result->lost = calloc(groups + 1, sizeof *result->lost);
    result->optimal = calloc(groups + 1, sizeof *result->optimal);
    result->near_tie = calloc(groups + 1, sizeof *result->near_tie);
    result->pick = calloc(groups * policies + 1, sizeof *result->pick);
    result->tolerance_ties = calloc(policies + 1, sizeof *result->tolerance_ties);
    bool complete = result->q != NULL && result->q_error != NULL && result->lost != NULL &&
                    result->optimal != NULL && result->near_tie != NULL && result->pick != NULL &&
                    result->tolerance_ties != NULL;
    return complete ? OG_OK : OG_NO_MEMORY;
}

/* Are the two worth the same, whatever that is? Equal doubles alone say no more than near ones. */
static bool tie_is_proved(const og_arms *arms, int32_t x, int32_t y)
{
    og_state_group of_x = {arms->arm_of_group[x], 0, 1};
    og_state_group of_y = {arms->arm_of_group[y], 0, 1};
    return og_alike(arms, &of_x, &of_y);
}

/* Optimal: the largest that q may be reaches the largest that is proved for any. */
static void mark_optimal(const og_arms *arms, og_query_result *result)
{
    double proved = 0;
    bool unsettled = false;
    int32_t first = -1;
    result->best = 0;
    for (int32_t i = 0; i < result->group_count; i++) {
        result->best = fmax(result->best, result->q[i]);
        proved = fmax(proved, result->q[i] - result->q_error[i]);
    }
    for (int32_t i = 0; i < result->group_count; i++) {
        result->optimal[i] = result->q[i] + result->q_error[i] >= proved;
        result->lost[i] = result->optimal[i] ? 0 : result->best - result->q[i];
        first = first < 0 && result->optimal[i] ? i : first;
        /* 0 is exact: nothing can be gained. */
        unsettled =
            unsettled || (result->optimal[i] && result->best > 0 && !tie_is_proved(arms, first, i));
    }
    for (int32_t i = 0; i < result->group_count; i++) {
        result->near_tie[i] = unsettled && result->optimal[i];
    }
}

static double nearest(const mpq_t value)
{
    return og_nearest_quotient(mpq_numref(value), mpq_denref(value));
}

/* Optimal: as large as the largest, to the last digit. */
static void mark_exactly(og_query_result *result)
{
    int32_t best = 0;
    mpq_t lost;
    mpq_init(lost);
    for (int32_t i = 1; i < result->group_count; i++) {
        best = mpq_cmp(result->q_exact[i], result->q_exact[best]) > 0 ? i : best;
    }
    for (int32_t i = 0; i < result->group_count; i++) {
        mpq_sub(lost, result->q_exact[best], result->q_exact[i]);
        result->q[i] = nearest(result->q_exact[i]);
        result->q_error[i] = result->q[i] * 0x1p-53;
        result->lost[i] = nearest(lost);
        result->optimal[i] = mpq_sgn(lost) == 0;
    }
    result->best = result->group_count > 0 ? result->q[best] : 0;
    mpq_clear(lost);
}

static og_status value_exactly(const og_query_request *request, const og_arms *arms,
                               og_query_result *result, og_message *message)
{
    og_exact *exact = NULL;
    result->q_exact = calloc((size_t)result->group_count + 1, sizeof *result->q_exact);
    if (result->q_exact == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    for (int32_t i = 0; i < result->group_count; i++) {
        mpq_init(result->q_exact[i]);
    }
    og_status status = og_exact_new(arms, &request->settings, &exact, message);
    if (status == OG_OK) {
        status = og_exact_q(exact, result->q_exact, message);
    }
    og_exact_free(exact);
    if (status == OG_OK) {
        mark_exactly(result);
    }
    return status;
}

static og_status value_actions(const og_query_request *request, const og_arms *arms,
                               og_query_result *result, og_message *message)
{
    og_solver *solver = NULL;
    og_status status = og_solver_new(arms, &request->settings, &solver, message);
    if (status == OG_OK) {
        status = og_solver_q(solver, result->q, result->q_error, message);
    }
    og_solver_free(solver);
    if (status == OG_OK) {
        mark_optimal(arms, result);
    }
    return status;
}

/* What the policy could label, every arm standing at its node 0 now. */
static og_status mark_picks(const og_query_request *request, const og_arms *arms,
                            const og_ranks *ranks, bool *pick, og_message *message)
{
    size_t count = (size_t)arms->group_count;
    og_state_group *group = calloc(count + 1, sizeof *group);
    double *weight = calloc(count + 1, sizeof *weight);
    og_status status = group == NULL || weight == NULL ? OG_NO_MEMORY : OG_OK;
    for (int32_t i = 0; status == OG_OK && i < arms->group_count; i++) {
        group[i] = (og_state_group){arms->arm_of_group[i], 0, arms->group_size[i]};
    }
    if (status == OG_OK) {
        og_state state = {arms->budget, request->whole_budget, arms->group_count, group};
        status = og_ranks_choose(ranks, &state, OG_TIES_RANDOM, weight);
        if (status != OG_OK) {
            og_ranks_failure(ranks, message);
        }
    }
    for (size_t i = 0; status == OG_OK && i < count; i++) {
        pick[i] = weight[i] > 0;
    }
    free(group);
    free(weight);
    return status;
}

static og_status ask_policies(const og_query_request *request, const og_arms *arms,
                              og_query_result *result, og_message *message)
{
    og_policy_use use = {.whole_budget = request->whole_budget,
                         .threads = request->settings.threads,
                         .memory_bytes = request->settings.memory_bytes,
                         .watch = request->settings.watch,
                         .watch_user = request->settings.watch_user};
    for (int32_t i = 0; i < request->policy_count; i++) {
        og_ranks *ranks = NULL;
        og_status status = og_policy_ranks_for(&request->policies[i], arms, &use, &ranks, message);
        if (status != OG_OK) {
            return status;
        }
        status = mark_picks(request, arms, ranks,
                            result->pick + (size_t)i * (size_t)result->group_count, message);
        result->tolerance_ties[i] = og_ranks_tolerance_ties(ranks);
        og_ranks_free(ranks);
        if (status != OG_OK) {
            return status;
        }
    }
    return OG_OK;
}

static og_status run(const og_query_request *request, og_query_result *result, og_message *message)
{
    og_arms *arms = NULL;
    og_status status = og_arms_new(request->problem, request->settings.threads,
                                   request->settings.memory_bytes, &arms, message);
    if (status != OG_OK) {
        return status;
    }
    if (request->exact) {
        status = og_exact_check(arms, message);
    }
    if (status == OG_OK && arms->budget == 0) {
        free(result->q);
        result->q = NULL;
    } else if (status == OG_OK) {
        status = request->exact ? value_exactly(request, arms, result, message)
                                : value_actions(request, arms, result, message);
        if (status == OG_OK) {
            status = ask_policies(request, arms, result, message);
        }
    }
    og_arms_free(arms);
    return status;
}

og_status og_query(const og_query_request *request, og_query_result *out, og_message *message)
{
    og_query_result result = {.group_count = request->problem->group_count,
                              .policy_count = request->policy_count};
    og_status status = allocate(&result);
    if (status != OG_OK) {
        og_message_set(message, status, "%s", og_status_text(status));
    } else {
        status = run(request, &result, message);
    }
    if (status == OG_OK) {
        *out = result;
    } else {
        og_query_clear(&result);
    }
    return status;
}

void og_query_clear(og_query_result *result)
{
    for (int32_t i = 0; result->q_exact != NULL && i < result->group_count; i++) {
        mpq_clear(result->q_exact[i]);
    }
    free(result->q_exact);
    free(result->q);
    free(result->q_error);
    free(result->lost);
    free(result->optimal);
    free(result->near_tie);
    free(result->pick);
    free(result->tolerance_ties);
    memset(result, 0, sizeof *result);
}
