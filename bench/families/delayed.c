/* Labels that take time as a family: the arms, the delay, and one table of ranks a policy. */
#include "bench/families/delayed.h"

#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/delayed_policy.h"

const char og_delayed_usual_policies[] = "uniform,kg,opt-kg,gittins-fh,hu-frazier";

typedef struct {
    og_arms *arms;
    og_delay delay;
    int32_t policy_count;
    og_delayed_policy *policies; /* [policy_count]; arms NULL: not prepared */
} family;

/* Instances with workers at work, all arms together, that a bound's tables are made for. */
static const double tables_most = 2e8;

static og_status call(void *self, double *value, double *error, mpq_ptr exact, og_message *message)
{
    const family *of = self;
    (void)exact;
    (void)message;
    *value = og_arms_call(of->arms, error);
    return OG_OK;
}

static og_status solve(const family *of, const og_strategy *by, og_ties ties,
                       const og_settings *settings, og_solution *out, og_message *message)
{
    const og_question question = {.by = by, .ties = ties, .reductions = settings->reductions};
    og_model model;
    OG_TRY(
        og_delayed_model(of->arms, &of->delay, &question, settings->memory_bytes, &model, message));
    return og_solution_by_engine(&model, &question, settings, out, message);
}

static og_status value_of(const family *of, const og_strategy *by, og_ties ties,
                          const og_settings *settings, og_valued *out, og_message *message)
{
    og_solution solution;
    og_found found;
    OG_TRY(solve(of, by, ties, settings, &solution, message));
    og_status status = solution.value(solution.self, &found, message);
    if (status == OG_OK || status == OG_STOPPED) {
        *out->result = found.result;
        out->tolerance_ties = found.tolerance_ties;
    }
    og_solution_free(&solution);
    return status;
}

static og_status optimum(void *self, const og_settings *settings, og_valued *out,
                         og_message *message)
{
    return value_of(self, NULL, OG_TIES_BEST, settings, out, message);
}

static og_status prepare(void *self, int32_t policy, const og_policy *named,
                         const og_settings *settings, og_message *message)
{
    family *of = self;
    return og_delayed_policy_init(&of->policies[policy], named, of->arms, &of->delay,
                                  settings->threads, settings->memory_bytes, message);
}

static og_status policy(void *self, int32_t number, og_ties ties, const og_settings *settings,
                        og_valued *out, og_message *message)
{
    const family *of = self;
    const og_strategy by = og_delayed_strategy(&of->policies[number]);
    return value_of(of, &by, ties, settings, out, message);
}

static og_status bound(void *self, og_bound_kind kind, const og_settings *settings, og_bound *out,
                       og_message *message)
{
    const family *of = self;
    double workers = of->arms->budget;
    (void)message;
    if (kind == OG_BOUND_PREVAILING) {
        return og_bound_prevailing_charge(of->arms, settings->threads, out);
    }
    if (of->arms->arm_count * workers * workers * workers * workers / 24 > tables_most) {
        return OG_OK;
    }
    og_status status = kind == OG_BOUND_SCALAR
                           ? og_bound_delayed_scalar(of->arms, &of->delay, settings->memory_bytes,
                                                     settings->threads, out)
                           : og_bound_delayed_vector(of->arms, &of->delay, settings->memory_bytes,
                                                     settings->threads, out);
    return status == OG_NO_MEMORY ? OG_OK : status; /* the other bound takes no such tables */
}

static og_status first_actions(void *self, const og_settings *settings, og_first_action *action,
                               int32_t room, int32_t *count, og_message *message)
{
    const family *of = self;
    const int32_t groups = of->arms->group_count;
    og_solution solution;
    if (groups > room) {
        return og_message_set(message, OG_BAD_INPUT, "more than %d groups of instances", (int)room);
    }
    og_arena arena = {0};
    double *q = og_arena_array(&arena, 2 * (size_t)groups, sizeof *q);
    og_open *open = og_arena_array(&arena, (size_t)groups, sizeof *open);
    og_status status = og_arena_status(&arena);
    for (int32_t g = 0; status == OG_OK && g < groups; g++) {
        open[g] = (og_open){{{(uint32_t)of->arms->arm_of_group[g], 0, 0}}, of->arms->group_size[g]};
    }
    if (status == OG_OK) {
        status = solve(of, NULL, OG_TIES_BEST, settings, &solution, message);
    }
    if (status == OG_OK) {
        status = solution.q(solution.self, open, groups, q, q + groups, message);
        og_solution_free(&solution);
    }
    for (int32_t g = 0; status == OG_OK && g < groups; g++) {
        action[g] =
            (og_first_action){.instance = g, .worker = -1, .q = q[g], .error = q[groups + g]};
        *count = groups;
    }
    og_arena_clear(&arena);
    return status;
}

static og_status picks(void *self, int32_t number, const og_first_action *action, int32_t count,
                       bool *pick, og_message *message)
{
    const family *of = self;
    const og_strategy by = og_delayed_strategy(&of->policies[number]);
    const og_delayed_state root = {of->arms->budget};
    og_open *open = calloc((size_t)count + 1, sizeof *open);
    if (open == NULL) {
        return OG_NO_MEMORY;
    }
    for (int32_t i = 0; i < count; i++) {
        open[i] = (og_open){{{(uint32_t)of->arms->arm_of_group[action[i].instance], 0, 0}}, 1};
    }
    og_status status = og_strategy_picks(&by, &root, open, count, pick, message);
    free(open);
    return status;
}

static void family_free(void *self)
{
    family *of = self;
    for (int32_t i = 0; of->policies != NULL && i < of->policy_count; i++) {
        og_delayed_policy_clear(&of->policies[i]);
    }
    free(of->policies);
    og_arms_free(of->arms);
    free(of);
}

og_status og_family_delayed(const og_problem *problem, const og_delay *delay, int32_t policy_count,
                            const og_settings *settings, og_family *out, og_message *message)
{
    og_status status = og_delay_check(delay, message);
    if (status != OG_OK) {
        return status;
    }
    family *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    of->delay = *delay;
    of->policy_count = policy_count;
    of->policies = calloc((size_t)policy_count + 1, sizeof *of->policies);
    if (of->policies == NULL) {
        status = og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    } else {
        status =
            og_arms_new(problem, settings->threads, settings->memory_bytes, &of->arms, message);
    }
    if (status != OG_OK) {
        family_free(of);
        return status;
    }
    *out = (og_family){.self = of,
                       .budget = problem->budget,
                       .instances = og_problem_size(problem),
                       .policies = og_delayed_usual_policies,
                       .call = call,
                       .optimum = optimum,
                       .prepare = prepare,
                       .policy = policy,
                       .bound = bound,
                       .first_actions = first_actions,
                       .picks = picks,
                       .free = family_free};
    return OG_OK;
}
