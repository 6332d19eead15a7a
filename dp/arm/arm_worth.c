/*
 * The arm of an instance whose worth is a list of exact numbers (dp/prior/worth_values.h): a table
 * or a function. Levels, probabilities and calls are those of the prior's own arm; call, rewards
 * and gains are fractions of the list, each rounded once. A reward may be below 0 without a bonus;
 * such an arm serves only to find the bonus.
 */
#include <float.h>
#include <math.h>

#include "dp/arm/arm_builder.h"
#include "dp/base/rational.h"

typedef struct {
    og_arena arena;
    og_arm *prior;                 /* without the worth; it has the arrays */
    const og_worth_values *values; /* held */
} valued;

static const valued *own(const og_arm *arm)
{
    return arm->own;
}

static const og_arm *prior_of(const og_arm *arm)
{
    return own(arm)->prior;
}

static og_group without_worth(const og_group *plain)
{
    og_group group = *plain;
    group.payoff = (og_payoff){.given = false};
    group.bonus = (og_fraction){0, 0};
    return group;
}

static const og_arm_builder *builder_of(const og_group *plain)
{
    return plain->kind == OG_PRIOR_BETA      ? &og_arm_beta
           : plain->kind == OG_PRIOR_MIXTURE ? &og_arm_mixture
                                             : &og_arm_dirichlet;
}

static og_status size_of(const og_group *plain, int32_t depth, const og_settings *settings,
                         og_arm_size *out)
{
    const og_group group = without_worth(plain);
    OG_TRY(builder_of(plain)->size(&group, depth, settings, out));
    uint64_t more = sizeof(valued) + out->nodes * sizeof(double);
    if (__builtin_add_overflow(out->bytes, more, &out->bytes)) {
        out->bytes = UINT64_MAX;
    }
    return OG_OK;
}

/* h of a node; NULL: it has none. */
static mpq_srcptr value_at(const og_arm *arm, uint32_t node)
{
    const og_worth_values *values = own(arm)->values;
    og_fraction parameter[OG_CLASSES_MAX];
    if (values->by_node) {
        return node < values->count ? values->value[node] : NULL;
    }
    og_arm_posterior(prior_of(arm), node, parameter);
    return og_worth_values_find(values, parameter[0], parameter[1]);
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    mpq_set(out, value_at(arm, 0));
}

static void exact_probability(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    og_arm_exact_probability(prior_of(arm), node, outcome, out);
}

static void exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)outcome;
    mpq_sub(out, value_at(arm, arm->next[at]), value_at(arm, node));
}

static og_status fill_rewards(og_stop *stop, og_arm *arm)
{
    double *reward = (double *)arm->reward;
    mpq_t exact, bonus;
    bool normal = true;
    mpq_inits(exact, bonus, NULL);
    og_fraction_get_mpq(bonus, og_group_bonus(&arm->prior));
    uint32_t node = 0;
    for (; node < arm->level[arm->depth] && (node % 1024 != 0 || !og_stop_asked(stop)); node++) {
        og_arm_exact_sum(arm, node, exact);
        mpq_add(exact, exact, bonus);
        reward[node] = og_nearest(exact);
        normal = normal && (mpq_sgn(exact) == 0 || fabs(reward[node]) >= DBL_MIN);
    }
    mpq_clears(exact, bonus, NULL);
    return node < arm->level[arm->depth] ? OG_STOPPED : normal ? OG_OK : OG_FAILED;
}

static og_status build(const og_group *plain, og_stop *stop, og_arm *arm)
{
    const og_arm like = {.prior = without_worth(plain)};
    valued *kept = og_arena_new(sizeof *kept);
    OG_TRY(OG_ALLOCATED(kept));
    arm->own = kept;
    kept->values = og_worth_values_hold(plain->payoff.values);
    OG_TRY(og_arm_new_like(&like, arm->depth, stop, &kept->prior));
    arm->outcome_count = kept->prior->outcome_count;
    arm->lattice = kept->prior->lattice;
    arm->level = kept->prior->level;
    arm->next = kept->prior->next;
    arm->probability = kept->prior->probability;
    arm->reward = og_arena_array(&arm->arena, arm->level[arm->depth] + 1, sizeof *arm->reward);
    OG_TRY(og_arena_status(&arm->arena));
    for (uint32_t node = 0; node < arm->node_count; node++) {
        if (value_at(arm, node) == NULL) {
            return OG_FAILED;
        }
    }
    arm->rational = true;
    arm->call = og_nearest(value_at(arm, 0));
    arm->call_error = arm->reward_error = DBL_EPSILON / 2;
    arm->probability_error = kept->prior->probability_error;
    return fill_rewards(stop, arm);
}

static void free_valued(void *object)
{
    valued *kept = object;
    if (kept != NULL) {
        og_arm_free(kept->prior);
        og_worth_values_release(kept->values);
    }
    og_arena_free(kept);
}

static og_status gains(const og_arm *arm, og_stop *stop, double *gain, double *error)
{
    mpq_t exact;
    mpq_init(exact);
    og_status status = OG_OK;
    for (uint32_t node = 0; status == OG_OK && node < arm->level[arm->depth]; node++) {
        status = node % 1024 == 0 && og_stop_asked(stop) ? OG_STOPPED : OG_OK;
        for (int32_t outcome = 0; outcome < arm->outcome_count; outcome++) {
            exact_gain(arm, node, outcome, exact);
            *gain++ = og_nearest(exact);
        }
    }
    mpq_clear(exact);
    *error = DBL_EPSILON / 2;
    return status;
}

/* ---- of the prior's arm ---- */

static void counts(const og_arm *arm, uint32_t node, int32_t *out)
{
    og_arm_counts(prior_of(arm), node, out);
}

static int32_t called(const og_arm *arm, uint32_t node)
{
    return og_arm_called(prior_of(arm), node);
}

static void posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    og_arm_posterior(prior_of(arm), node, parameter);
}

#define VALUED_FUNCTIONS                                                                           \
    .rounds_bonus = true, .size = size_of, .build = build, .free = free_valued, .gains = gains,    \
    .counts = counts, .called = called, .posterior = posterior, .exact_call = exact_call,          \
    .exact_reward = og_arm_exact_sum, .exact_probability = exact_probability,                      \
    .exact_gain = exact_gain

const og_arm_builder og_arm_values_beta = {.beta = true, VALUED_FUNCTIONS};
const og_arm_builder og_arm_values = {VALUED_FUNCTIONS};
