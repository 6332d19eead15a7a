/*
 * The value of giving labels to random instances, in closed form: the number of an instance's
 * labels is binomial.
 */
#include "dp/product/uniform.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"

bool og_ranks_are_uniform(const og_arms *arms, const og_ranks *ranks)
{
    if (ranks->chooser_lock != NULL || ranks->stops) {
        return false;
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        if (left > 1 && !ranks->by_left) {
            break;
        }
        uint32_t one = og_ranks_of(ranks, 0, left)[0];
        for (int32_t a = 0; a < arms->arm_count; a++) {
            const og_arm *arm = arms->arm[a];
            /* Ranks by labels left are defined for the levels that can be met with so many left. */
            int32_t levels = ranks->by_left ? arms->budget - left + 1 : arms->budget;
            for (uint32_t node = 0; node < arm->level[levels]; node++) {
                if (og_ranks_of(ranks, a, left)[node] != one) {
                    return false;
                }
            }
        }
    }
    return true;
}

/*
 * P(Binomial(count, 1/instances) = n) for n = 0 .. count: ratios from the likeliest n outwards,
 * then divided by their sum. So nothing cancels, and only terms below 2^-1022 of the largest are
 * lost. Relative error: at most count ratios of 5 roundings, a sum of count + 1 terms, a division.
 */
static void binomial(int32_t count, int64_t instances, double *weight)
{
    assert(count >= 0 && instances >= 1);
    memset(weight, 0, ((size_t)count + 1) * sizeof *weight);
    if (instances == 1) {
        weight[count] = 1;
        return;
    }
    double odds = 1 / ((double)instances - 1);
    int32_t mode = (int32_t)(((int64_t)count + 1) / instances);
    mode = mode < count ? mode : count;
    weight[mode] = 1;
    for (int32_t n = mode; n < count; n++) {
        weight[n + 1] = weight[n] * ((double)(count - n) / (n + 1) * odds);
    }
    for (int32_t n = mode; n > 0; n--) {
        weight[n - 1] = weight[n] * ((double)n / (count - n + 1) / odds);
    }
    double sum = 0;
    for (int32_t n = 0; n <= count; n++) {
        sum += weight[n];
    }
    for (int32_t n = 0; n <= count; n++) {
        weight[n] /= sum;
    }
}

/* Expected reward of every label: reward[n] of the (n+1)-th, from the probabilities of the
 * nodes. */
static og_status expected_rewards(const og_arm *arm, double *reward)
{
    double *chance = calloc(arm->node_count, sizeof *chance);
    OG_TRY(OG_ALLOCATED(chance));
    chance[0] = 1;
    for (int32_t n = 0; n < arm->depth; n++) {
        reward[n] = 0;
        for (uint32_t node = arm->level[n]; node < arm->level[n + 1]; node++) {
            reward[n] += chance[node] * arm->reward[node];
            size_t first = (size_t)node * (size_t)arm->outcome_count;
            for (int32_t k = 0; k < arm->outcome_count; k++) {
                chance[arm->next[first + (size_t)k]] +=
                    chance[node] * arm->probability[first + (size_t)k];
            }
        }
    }
    free(chance);
    return OG_OK;
}

/* sum over n of weight[n] * (reward[0] + ... + reward[n - 1]) */
static double mean_gain(const double *weight, const double *reward, int32_t count)
{
    double gain = 0;
    double so_far = 0;
    for (int32_t n = 1; n <= count; n++) {
        so_far += reward[n - 1];
        gain += weight[n] * so_far;
    }
    return gain;
}

/*
 * Relative error, all terms being >= 0. The binomial has 5 T + T + 3 roundings. The probability of
 * a node is a product of at most T probabilities, each with its own error, one rounding for each
 * product and one for each term of the sum over the nodes before it. To these add the rewards'
 * errors and the sums over at most `level_width` nodes of a level, T labels, T + 1 weights, and the
 * instances.
 */
static double relative_error(const og_arms *arms)
{
    const double u = 0x1p-53;
    double labels = arms->budget;
    double worst = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        double level_width = 1;
        for (int32_t n = 0; n < arm->depth; n++) {
            level_width = fmax(level_width, (double)(arm->level[n + 1] - arm->level[n]));
        }
        double chance = labels * (arm->probability_error + u * (1 + fmax(level_width, 2)));
        double error = chance + arm->reward_error + u * (1 + level_width);
        worst = fmax(worst, error);
    }
    return 1.01 * (worst + u * (6 * labels + 3 + 2 * labels + 3 + 2 * arms->group_count));
}

og_status og_uniform_gain(const og_arms *arms, double *gain, double *error)
{
    int32_t budget = arms->budget;
    int64_t instances = og_arms_instances(arms);
    size_t labels = (size_t)budget + 1;
    og_arena arena = {0};
    double *weight = og_arena_array(&arena, labels, sizeof *weight);
    double *reward = og_arena_array(&arena, labels, sizeof *reward);
    double *of_arm = og_arena_array(&arena, (size_t)arms->arm_count, sizeof *of_arm);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        binomial(budget, instances, weight);
    }
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = expected_rewards(arms->arm[a], reward);
        of_arm[a] = status == OG_OK ? mean_gain(weight, reward, budget) : 0;
    }
    if (status == OG_OK) {
        double sum = 0;
        for (int32_t g = 0; g < arms->group_count; g++) {
            sum += (double)arms->group_size[g] * of_arm[arms->arm_of_group[g]];
        }
        *gain = sum;
        /* Underflow: weights and probabilities of less than 2^-1000, and a gain of at most the
         * scale each. */
        *error = sum * relative_error(arms) +
                 (double)instances * (double)labels * 0x1p-900 * og_arms_scale(arms);
    }
    og_arena_clear(&arena);
    return status;
}
