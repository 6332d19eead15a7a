/*
 * Arms of the Bernoulli bandit: every label pays what it is, 1 or 0, and nothing is called in the
 * end. The posteriors are those of the prior's own builder, whose tables are taken over but for the
 * rewards.
 *
 * In the words of dp/arm/arm.h: let h of a node be the number of positive labels that led there.
 * Then h of the root is 0, a positive label gains 1 and a negative one 0, and R = p1, the
 * probability of a positive label. Policies that are defined by gains keep their meaning.
 */
#include "dp/arm/arm_builder.h"

static og_status pay_labels(og_arm *arm, og_status status)
{
    if (status != OG_OK) {
        return status;
    }
    double *reward = (double *)arm->reward;
    for (uint32_t node = 0; node < arm->level[arm->depth]; node++) {
        reward[node] = arm->probability[2 * (size_t)node];
    }
    arm->call = arm->call_error = 0;
    arm->reward_error = arm->probability_error;
    arm->rational = true; /* rational parameters make rational probabilities */
    return OG_OK;
}

static og_status build_beta(const og_group *plain, og_arm *arm)
{
    return pay_labels(arm, og_arm_beta.build(plain, arm));
}

static og_status build_mixture(const og_group *plain, og_arm *arm)
{
    return pay_labels(arm, og_arm_mixture.build(plain, arm));
}

static uint64_t beta_bytes(const og_group *prior, int32_t depth)
{
    return og_arm_beta.bytes(prior, depth);
}

static uint64_t mixture_bytes(const og_group *prior, int32_t depth)
{
    return og_arm_mixture.bytes(prior, depth);
}

static uint64_t nodes(const og_group *prior, int32_t depth)
{
    (void)prior;
    return og_lattice_nodes(depth);
}

static void free_beta(void *own)
{
    og_arm_beta.free_own(own);
}

static void free_mixture(void *own)
{
    og_arm_mixture.free_own(own);
}

static og_status gains(const og_arm *arm, double *gain, double *error)
{
    for (uint32_t node = 0; node < arm->level[arm->depth]; node++) {
        gain[2 * (size_t)node] = 1;
        gain[2 * (size_t)node + 1] = 0;
    }
    *error = 0;
    return OG_OK;
}

static void beta_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    og_arm_beta.posterior(arm, node, parameter);
}

static void mixture_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter)
{
    og_arm_mixture.posterior(arm, node, parameter);
}

static void exact_call(const og_arm *arm, mpq_t out)
{
    (void)arm;
    mpq_set_ui(out, 0, 1);
}

static void exact_reward(const og_arm *arm, uint32_t node, mpq_t out)
{
    arm->builder->exact_probability(arm, node, 0, out);
}

static void beta_probability(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    og_arm_beta.exact_probability(arm, node, outcome, out);
}

static void mixture_probability(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    og_arm_mixture.exact_probability(arm, node, outcome, out);
}

static void exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out)
{
    (void)arm;
    (void)node;
    mpq_set_ui(out, outcome == 0, 1);
}

const og_arm_builder og_arm_bandit_beta = {
    .bytes = beta_bytes,
    .nodes = nodes,
    .build = build_beta,
    .free_own = free_beta,
    .gains = gains,
    .counts = og_lattice_counts,
    .posterior = beta_posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_probability = beta_probability,
    .exact_gain = exact_gain,
};

const og_arm_builder og_arm_bandit_mixture = {
    .bytes = mixture_bytes,
    .nodes = nodes,
    .build = build_mixture,
    .free_own = free_mixture,
    .gains = gains,
    .counts = og_lattice_counts,
    .posterior = mixture_posterior,
    .exact_call = exact_call,
    .exact_reward = exact_reward,
    .exact_probability = mixture_probability,
    .exact_gain = exact_gain,
};
