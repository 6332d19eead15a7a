/*
 * Arms whose prior is a mixture of Betas. All numbers come from dp/prior/mixture.h; a node stands
 * for its labels, since the components share them.
 */

#include "dp/arm/arm_builder.h"
#include "dp/prior/mixture.h"

static og_status build(const og_group *plain, og_arm *arm)
{
    og_mixture *mixture;
    arm->outcome_count = 2;
    arm->lattice = true;
    OG_TRY(og_lattice_new(arm));
    OG_TRY(og_mixture_new(plain, arm->depth, (double *)arm->probability, &mixture));
    arm->own = mixture;
    arm->rational = mixture->exact;
    arm->call = mixture->call;
    for (int32_t n = 0; n < arm->depth; n++) {
        if (mixture->flip[n] >= 0) {
            ((double *)arm->reward)[arm->level[n] + (uint32_t)mixture->flip[n]] =
                mixture->reward[n];
        }
    }
    arm->call_error = arm->reward_error = arm->probability_error = 0x1p-53;
    return OG_OK;
}

static uint64_t bytes(const og_group *prior, int32_t depth)
{
    uint64_t sum;
    (void)prior;
    if (__builtin_add_overflow(og_lattice_bytes(depth), og_mixture_bytes(depth), &sum)) {
        return UINT64_MAX;
    }
    return sum;
}

static og_status gains(const og_arm *arm, double *gain, double *error)
{
    return og_mixture_gains(arm->own, gain, error);
}

static int32_t called(const og_arm *arm, const int32_t *counts)
{
    return og_beta_positive(arm->own, counts[0] + counts[1], counts[0]) ? 0 : 1;
}

static bool mirror(const og_arm *arm, int32_t *diagonal)
{
    const og_mixture *mixture = arm->own;
    if (mixture->symmetric) {
        *diagonal = mixture->diagonal;
    }
    return mixture->symmetric;
}

static void posterior(const og_arm *arm, const int32_t *counts, og_fraction *parameter)
{
    (void)arm;
    parameter[0] = (og_fraction){counts[0], 1};
    parameter[1] = (og_fraction){counts[1], 1};
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    og_mixture_exact_call(arm->own, out);
}

static void exact_reward(const og_arm *arm, const int32_t *counts, mpq_t out)
{
    og_mixture_exact_reward(arm->own, counts[0] + counts[1], counts[0], out);
}

static void exact_probability(const og_arm *arm, const int32_t *counts, int32_t outcome, mpq_t out)
{
    og_mixture_exact_probability(arm->own, counts[0] + counts[1], counts[0], outcome, out);
}

static void exact_gain(const og_arm *arm, const int32_t *counts, int32_t outcome, mpq_t out)
{
    og_mixture_exact_gain(arm->own, counts[0] + counts[1], counts[0], outcome, out);
}

const og_arm_builder og_arm_mixture = {
    .bytes = bytes,
    .nodes = og_lattice_nodes,
    .build = build,
    .gains = gains,
    .counts = og_lattice_counts,
    .called = called,
    .mirror = mirror,
    .posterior = posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_probability = exact_probability,
    .exact_gain = exact_gain,
};
