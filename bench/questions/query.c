/*
 * One state: Q of all acts, which acts are optimal, and the choices of policies. An act that is not
 * proved worse than the best is optimal; if two optimal acts are not proved equal, also not by
 * fractions within OG_SETTLE_STATES states, both are near ties.
 */
#include "bench/questions/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/exact/near_tie.h"
#include "dp/product/bracket.h"

/* Check sizes for overflow: acts and the number of policies come from a command line. */
static og_status allocate(og_query_result *result)
{
    size_t acts = (size_t)result->count;
    size_t policies = (size_t)result->policy_count;
    result->act = calloc(acts + 1, sizeof *result->act);
    result->q = calloc(acts + 1, sizeof *result->q);
    result->q_error = calloc(acts + 1, sizeof *result->q_error);
    result->lost = calloc(acts + 1, sizeof *result->lost);
    result->optimal = calloc(acts + 1, sizeof *result->optimal);
    result->near_tie = calloc(acts + 1, sizeof *result->near_tie);
    result->pick = calloc(acts * policies + 1, sizeof *result->pick);
    result->stops = calloc(policies + 1, sizeof *result->stops);
    result->index = calloc(acts * policies + 1, sizeof *result->index);
    result->tolerance_ties = calloc(policies + 1, sizeof *result->tolerance_ties);
    result->not_made = calloc(policies + 1, sizeof *result->not_made);
    bool complete = result->act != NULL && result->q != NULL && result->q_error != NULL &&
                    result->lost != NULL && result->optimal != NULL && result->near_tie != NULL &&
                    result->pick != NULL && result->stops != NULL && result->index != NULL &&
                    result->tolerance_ties != NULL && result->not_made != NULL;
    return complete ? OG_OK : OG_NO_MEMORY;
}

/* An act is optimal if the upper bound of its q reaches the largest lower bound of any. True: they
 * are near ties. */
static bool mark_optimal(const og_asked *asked, og_query_result *result)
{
    const og_family *family = asked->family;
    og_problem_size sizes;
    family->model.sizes(asked->problem, &sizes);
    double proved = sizes.metric.sum ? -INFINITY : 0; /* sums have either sign, gains do not */
    bool unsettled = false;
    int32_t first = -1;
    result->best = proved;
    for (int32_t i = 0; i < result->count; i++) {
        result->best = fmax(result->best, result->q[i]);
        proved = fmax(proved, result->q[i] - result->q_error[i]);
    }
    for (int32_t i = 0; i < result->count; i++) {
        result->optimal[i] = result->q[i] + result->q_error[i] >= proved;
        result->lost[i] = result->optimal[i] ? 0 : result->best - result->q[i];
        first = first < 0 && result->optimal[i] ? i : first;
        /* A gain of 0 is exact. Other doubles may be equal although the values differ. */
        unsettled =
            unsettled ||
            (family->model.alike != NULL && result->optimal[i] &&
             (result->best > 0 || (sizes.metric.sum && result->q_error[i] > 0)) &&
             !og_family_alike(family, asked->problem, result->act[first].act, result->act[i].act));
    }
    for (int32_t i = 0; i < result->count; i++) {
        result->near_tie[i] = unsettled && result->optimal[i];
    }
    return unsettled;
}

static double nearest(const mpq_t value)
{
    return og_nearest_quotient(mpq_numref(value), mpq_denref(value));
}

/* An act is optimal if its fraction equals the largest. */
static void mark_exactly(og_query_result *result)
{
    int32_t best = 0;
    mpq_t lost;
    mpq_init(lost);
    for (int32_t i = 1; i < result->count; i++) {
        best = mpq_cmp(result->q_exact[i], result->q_exact[best]) > 0 ? i : best;
    }
    for (int32_t i = 0; i < result->count; i++) {
        mpq_sub(lost, result->q_exact[best], result->q_exact[i]);
        result->q[i] = nearest(result->q_exact[i]);
        result->q_error[i] = fabs(result->q[i]) * 0x1p-53;
        result->lost[i] = nearest(lost);
        result->optimal[i] = mpq_sgn(lost) == 0;
    }
    result->best = result->count > 0 ? result->q[best] : 0;
    mpq_clear(lost);
}

static og_status value_exactly(const og_solution *optimum, og_query_result *result,
                               og_message *message)
{
    result->q_exact = calloc((size_t)result->count + 1, sizeof *result->q_exact);
    OG_TRY(OG_ALLOCATED(result->q_exact));
    for (int32_t i = 0; i < result->count; i++) {
        mpq_init(result->q_exact[i]);
    }
    og_status status =
        optimum->q_exact(optimum->self, result->act, result->count, result->q_exact, message);
    if (status == OG_OK) {
        mark_exactly(result);
    }
    return status;
}

/* Decides near ties with fractions. At a limit, or without fractions, they stay. */
static void settle(const og_asked *asked, og_query_result *result)
{
    og_solution exact = {.self = NULL};
    const og_value_asked question = {.reductions = asked->request.settings.reductions,
                                     .fractions = true};
    og_settings settings = asked->request.settings;
    settings.threads = 1;
    settings.checkpoint = settings.scratch = NULL;
    if (settings.states_max == 0 || settings.states_max > OG_SETTLE_STATES) {
        settings.states_max = OG_SETTLE_STATES;
    }
    if (og_family_solve(asked->family, asked->problem, &question, &settings, &exact, NULL) ==
            OG_OK &&
        value_exactly(&exact, result, NULL) == OG_OK) {
        memset(result->near_tie, 0, (size_t)result->count * sizeof *result->near_tie);
    }
    og_solution_free(&exact);
}

/* ---- brackets ---- */

static bool are_alike(const og_asked *asked, const og_query_result *result, int32_t i, int32_t j)
{
    const og_family *family = asked->family;
    return i == j ||
           (family->model.alike != NULL &&
            og_family_alike(family, asked->problem, result->act[i].act, result->act[j].act));
}

int32_t og_query_best(const og_query_result *result)
{
    const double *by = result->lower != NULL ? result->lower : result->q;
    int32_t best = by != NULL ? 0 : result->count;
    for (int32_t i = 1; by != NULL && i < result->count; i++) {
        best = by[i] > by[best] ? i : best;
    }
    return best;
}

/* The act with the largest upper bound, except those worth the same as `but`; -1: none. */
static int32_t highest(const og_asked *asked, const og_query_result *result, int32_t but)
{
    int32_t high = -1;
    for (int32_t i = 0; i < result->count; i++) {
        bool higher = high < 0 || result->upper[i] > result->upper[high];
        high = higher && (but < 0 || !are_alike(asked, result, but, i)) ? i : high;
    }
    return high;
}

/* To be worth the same is an equivalence. An act that is not worth the same as the highest act can
 * lose to it; an act that is can lose to the highest of the others. */
static void find_at_most(const og_asked *asked, og_query_result *result)
{
    int32_t high = highest(asked, result, -1);
    int32_t other = high < 0 ? -1 : highest(asked, result, high);
    for (int32_t i = 0; i < result->count; i++) {
        int32_t to = are_alike(asked, result, high, i) ? other : high;
        double lost = to < 0 ? 0 : result->upper[to] - result->lower[i];
        result->at_most[i] = lost > 0 ? lost : 0;
    }
}

/* The bracket of a share: optimal play never loses, and never ends above 1. */
static og_status bracket_share(const og_asked *asked, og_query_result *result)
{
    double value = 0, error = 0; /* if it is unknown */
    og_status status = og_family_prior(asked->family, asked->problem, &value, &error, NULL, NULL);
    if (status != OG_OK && status != OG_STOPPED) {
        return status;
    }
    for (int32_t i = 0; i < result->count; i++) {
        result->lower[i] = 0;
        result->upper[i] = 1 - value + error;
    }
    return OG_OK;
}

/* After a limit: bounds of every Q, and their conclusions. */
static og_status bracket_acts(const og_asked *asked, og_query_result *result, const og_message *why,
                              og_message *message)
{
    size_t count = (size_t)result->count;
    result->lower = calloc(count + 1, sizeof *result->lower);
    result->upper = calloc(count + 1, sizeof *result->upper);
    result->at_most = calloc(count + 1, sizeof *result->at_most);
    og_status status = result->lower == NULL || result->upper == NULL || result->at_most == NULL
                           ? OG_NO_MEMORY
                           : OG_OK;
    if (status == OG_OK && asked->family->model.arms != NULL) {
        status = og_bracket_q(og_family_arms(asked->family, asked->problem),
                              asked->request.settings.memory_bytes,
                              og_stop_of(&asked->request.settings), result->lower, result->upper);
    } else if (status == OG_OK) {
        status = bracket_share(asked, result);
    }
    if (status != OG_OK) {
        return og_message_set(message, status, "%s", why->text);
    }
    result->why = *why;
    result->best = NAN;
    find_at_most(asked, result);
    for (int32_t i = 0; i < result->count; i++) {
        result->q[i] = result->q_error[i] = result->lost[i] = NAN;
        result->optimal[i] = result->at_most[i] == 0;
        result->near_tie[i] = false;
    }
    return OG_OK;
}

/* Limit the states; a state costs more if it holds more different instances. */
static void limit_to_a_moment(int32_t acts, og_settings *settings)
{
    const int32_t usual = 16;
    const uint64_t bytes = UINT64_C(1) << 28;
    settings->states_max = OG_QUERY_STATES / (uint64_t)(1 + acts / usual);
    settings->memory_bytes = settings->memory_bytes < bytes ? settings->memory_bytes : bytes;
}

static og_status value_acts(const og_asked *asked, og_query_result *result, og_message *message)
{
    og_solution optimum = {.self = NULL};
    const og_value_asked question = {.reductions = asked->request.settings.reductions,
                                     .fractions = asked->request.exact};
    og_problem_size sizes;
    asked->family->model.sizes(asked->problem, &sizes);
    if (result->count == 0) {
        return og_message_set(message, OG_BAD_INPUT, "the budget left does not pay for any label");
    }
    bool brackets = !asked->request.exact && (asked->family->model.arms != NULL || sizes.unvalued);
    og_settings settings = asked->request.settings;
    og_message why = {""};
    if (brackets && asked->family->model.arms != NULL && !(asked->request.seconds_max > 0) &&
        settings.states_max == 0) {
        limit_to_a_moment(result->count, &settings);
    }
    og_status status =
        og_family_solve(asked->family, asked->problem, &question, &settings, &optimum, &why);
    if (status == OG_OK && asked->request.exact) {
        status = value_exactly(&optimum, result, &why);
    } else if (status == OG_OK) {
        status =
            optimum.q(optimum.self, result->act, result->count, result->q, result->q_error, &why);
        if (status == OG_OK && mark_optimal(asked, result) && sizes.rational) {
            settle(asked, result);
        }
    }
    og_solution_free(&optimum);
    if (brackets && status == OG_STOPPED) {
        return bracket_acts(asked, result, &why, message);
    }
    if (status != OG_OK && message != NULL) {
        *message = why;
    }
    return status;
}

static og_status ask_policy(const og_asked *asked, int32_t policy, const og_policy_use *use,
                            og_query_result *result, og_message *message)
{
    const og_family *family = asked->family;
    og_strategy strategy = {.self = NULL};
    og_solution solution = {.self = NULL};
    const og_value_asked question = {
        .by = &strategy, .ties = OG_TIES_RANDOM, .reductions = asked->request.settings.reductions};
    og_status status = og_family_strategy(family, asked->problem, &asked->policies[policy], use,
                                          &strategy, message);
    if (status == OG_OK) {
        status = og_family_solve(family, asked->problem, &question, &asked->request.settings,
                                 &solution, message);
    }
    if (status == OG_OK) {
        size_t first = (size_t)policy * (size_t)result->count;
        bool *pick = calloc((size_t)result->count + 1, sizeof *pick);
        status = OG_ALLOCATED(pick);
        OG_THEN(status, solution.picks(solution.self, result->act, result->count, pick,
                                       result->index + first, message));
        if (status == OG_OK) {
            memcpy(result->pick + first, pick, (size_t)result->count * sizeof *pick);
            result->stops[policy] = pick[result->count];
        }
        free(pick);
        if (status == OG_OK && family->model.indices != NULL) {
            status =
                family->model.indices(asked->problem, &asked->policies[policy], use, result->act,
                                      result->count, result->index + first, message);
        }
        result->tolerance_ties[policy] =
            strategy.tolerance_ties != NULL ? strategy.tolerance_ties(strategy.self) : 0;
    }
    og_solution_free(&solution);
    og_strategy_free(&strategy);
    return status;
}

static og_status run(const og_asked *asked, const og_problem_size *sizes, og_query_result *result,
                     og_message *message)
{
    const og_family *family = asked->family;
    og_status status = OG_OK;
    if (asked->request.exact) {
        double value, error;
        mpq_t fraction;
        mpq_init(fraction);
        status = og_family_prior(family, asked->problem, &value, &error, fraction, message);
        mpq_clear(fraction);
    }
    og_family_acts(family, asked->problem, result->act, result->count);
    for (int64_t i = 0; i < (int64_t)result->count * result->policy_count; i++) {
        result->index[i] = NAN;
    }
    if (status != OG_OK || sizes->left == 0) {
        free(result->q);
        result->q = NULL;
        return status;
    }
    const og_policy_use use = {.whole_budget = sizes->budget,
                               .threads = asked->request.settings.threads,
                               .memory_bytes = asked->request.settings.memory_bytes,
                               .roots = true,
                               .stop = og_stop_of(&asked->request.settings),
                               .picks_only = true,
                               .kept = asked->kept};
    for (int32_t i = 0; status == OG_OK && i < asked->policy_count; i++) {
        status = ask_policy(asked, i, &use, result, &result->not_made[i]);
        if (status == OG_STOPPED && !asked->request.exact && family->model.arms != NULL) {
            status = OG_OK;
        } else if (status != OG_OK && message != NULL) {
            *message = result->not_made[i];
        }
    }
    return status == OG_OK ? value_acts(asked, result, message) : status;
}

og_status og_query_run(const og_asked *asked, og_query_result *out, og_message *message)
{
    og_problem_size sizes;
    asked->family->model.sizes(asked->problem, &sizes);
    og_query_result result = {.count = sizes.acts, .policy_count = asked->policy_count};
    og_status status = allocate(&result);
    OG_THEN(status, run(asked, &sizes, &result, message));
    if (status == OG_OK) {
        *out = result;
    } else {
        og_query_clear(&result);
    }
    return status;
}

void og_query_clear(og_query_result *result)
{
    for (int32_t i = 0; result->q_exact != NULL && i < result->count; i++) {
        mpq_clear(result->q_exact[i]);
    }
    free(result->q_exact);
    free(result->act);
    free(result->q);
    free(result->q_error);
    free(result->lost);
    free(result->optimal);
    free(result->near_tie);
    free(result->lower);
    free(result->upper);
    free(result->at_most);
    free(result->not_made);
    free(result->pick);
    free(result->stops);
    free(result->index);
    free(result->tolerance_ties);
    memset(result, 0, sizeof *result);
}
