/* Labels that take time as a family: the arms, the delay, and one table of ranks a policy. */
#include "bench/families/delayed.h"

#include <stdlib.h>

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

static og_status init_problem(const family *of, const og_delayed_policy *policy, og_ties ties,
                              const og_settings *settings, og_delayed *out, og_message *message)
{
    const og_delayed_use use = {.rank = policy != NULL ? og_delayed_policy_rank : NULL,
                                .rank_self = policy,
                                .ties = ties,
                                .reductions = settings->reductions,
                                .memory_bytes = settings->memory_bytes};
    return og_delayed_init(out, of->arms, &of->delay, &use, message);
}

static og_status value_of(const family *of, const og_delayed_policy *policy, og_ties ties,
                          const og_settings *settings, og_result *result, og_message *message)
{
    og_delayed problem;
    og_status status = init_problem(of, policy, ties, settings, &problem, message);
    if (status == OG_OK) {
        status = og_delayed_value(&problem, settings, result, message);
        og_delayed_clear(&problem);
    }
    return status;
}

static og_status optimum(void *self, const og_settings *settings, og_valued *out,
                         og_message *message)
{
    return value_of(self, NULL, OG_TIES_BEST, settings, out->result, message);
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
    out->tolerance_ties = of->policies[number].tolerance_ties;
    return value_of(of, &of->policies[number], ties, settings, out->result, message);
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
    og_delayed problem;
    if (groups > room) {
        return og_message_set(message, OG_BAD_INPUT, "more than %d groups of instances", (int)room);
    }
    double *q = calloc(2 * (size_t)groups + 1, sizeof *q);
    if (q == NULL) {
        return OG_NO_MEMORY;
    }
    og_status status = init_problem(of, NULL, OG_TIES_BEST, settings, &problem, message);
    if (status == OG_OK) {
        status = og_delayed_q(&problem, settings, q, q + groups, message);
        og_delayed_clear(&problem);
    }
    for (int32_t g = 0; status == OG_OK && g < groups; g++) {
        action[g] =
            (og_first_action){.instance = g, .worker = -1, .q = q[g], .error = q[groups + g]};
    }
    if (status == OG_OK) {
        *count = groups;
    }
    free(q);
    return status;
}

static og_status picks(void *self, int32_t policy_number, const og_first_action *action,
                       int32_t count, bool *pick, og_message *message)
{
    const family *of = self;
    const og_delayed_policy *by = &of->policies[policy_number];
    uint32_t most = 0;
    (void)message;
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = of->arms->arm_of_group[action[i].instance];
        uint32_t rank = og_delayed_policy_rank(by, arm, 0, 0, of->arms->budget);
        most = rank > most ? rank : most;
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = of->arms->arm_of_group[action[i].instance];
        pick[i] = og_delayed_policy_rank(by, arm, 0, 0, of->arms->budget) == most;
    }
    return OG_OK;
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
