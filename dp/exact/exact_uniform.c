/*
 * gain = sum over instances i and labels n of  P(Binomial(T, 1/K) >= n) * (expected reward of the
 * n-th label of i).
 */
#include "dp/exact/exact_uniform.h"

#include <stdlib.h>

/* Fractions of the nodes of one level. */
typedef struct {
    size_t count;
    mpq_t *chance;
} level_chances;

static og_status level_init(level_chances *level, size_t count)
{
    level->chance = calloc(count, sizeof *level->chance);
    level->count = level->chance == NULL ? 0 : count;
    for (size_t i = 0; i < level->count; i++) {
        mpq_init(level->chance[i]);
    }
    return level->chance == NULL ? OG_NO_MEMORY : OG_OK;
}

static void level_clear(level_chances *level)
{
    for (size_t i = 0; i < level->count; i++) {
        mpq_clear(level->chance[i]);
    }
    free(level->chance);
}

/* The expected reward of the label given at level n, and the chances of the level after it. */
static void step(const og_arms *arms, const og_exact_names *names, int32_t a, int32_t n,
                 const level_chances *here, level_chances *next, mpq_t reward)
{
    const og_arm *arm = arms->arm[a];
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(reward, 0, 1);
    for (size_t i = 0; i < here->count; i++) {
        uint32_t node = arm->level[n] + (uint32_t)i;
        uint32_t name = names->reward_of[a][node];
        if (name != 0) {
            mpq_mul(term, here->chance[i], names->reward.value[name]);
            mpq_add(reward, reward, term);
        }
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
            mpq_ptr to = next->chance[arm->next[at] - arm->level[n + 1]];
            mpq_mul(term, here->chance[i], names->probability.value[names->probability_of[a][at]]);
            mpq_add(to, to, term);
        }
    }
    mpq_clear(term);
}

/* The gain of one instance of the arm: tail[n] is the probability that it gets more than n labels.
 */
static og_status gain_of(const og_arms *arms, const og_exact_names *names, int32_t a, mpq_t *tail,
                         mpq_t gain)
{
    const og_arm *arm = arms->arm[a];
    level_chances here;
    og_status status = level_init(&here, 1);
    mpq_t reward;
    mpq_init(reward);
    mpq_set_ui(gain, 0, 1);
    if (status == OG_OK) {
        mpq_set_ui(here.chance[0], 1, 1);
    }
    for (int32_t n = 0; status == OG_OK && n < arm->depth; n++) {
        level_chances next;
        status = level_init(&next, arm->level[n + 2] - arm->level[n + 1]);
        if (status == OG_OK) {
            step(arms, names, a, n, &here, &next, reward);
            mpq_mul(reward, reward, tail[n]);
            mpq_add(gain, gain, reward);
        }
        level_clear(&here);
        here = next;
    }
    level_clear(&here);
    mpq_clear(reward);
    return status;
}

/* tail[n] = P(Binomial(count, 1/instances) > n) = sum over m > n of C(count, m) (K-1)^(count-m) /
 * K^count, by adding up from the last. */
static void binomial_tails(int32_t count, int64_t instances, mpq_t *tail)
{
    mpz_t sum, term, power, whole;
    mpz_inits(sum, term, power, whole, NULL);
    mpz_set_ui(power, 1);
    mpz_ui_pow_ui(whole, (unsigned long)instances, (unsigned long)count);
    for (int32_t n = count - 1; n >= 0; n--) { /* m = n + 1, power = (K-1)^(count-m) */
        mpz_bin_uiui(term, (unsigned long)count, (unsigned long)n + 1);
        mpz_addmul(sum, term, power);
        mpq_set_num(tail[n], sum);
        mpq_set_den(tail[n], whole);
        mpq_canonicalize(tail[n]);
        mpz_mul_ui(power, power, (unsigned long)instances - 1);
    }
    mpz_clears(sum, term, power, whole, NULL);
}

og_status og_exact_uniform_gain(const og_arms *arms, const og_exact_names *names, mpq_t gain)
{
    int64_t instances = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        instances += arms->group_size[g];
    }
    level_chances tail;
    og_status status = level_init(&tail, (size_t)arms->budget + 1);
    mpq_t sum, part, size;
    mpq_inits(sum, part, size, NULL);
    if (status == OG_OK) {
        binomial_tails(arms->budget, instances, tail.chance);
    }
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = gain_of(arms, names, a, tail.chance, part);
        int64_t copies = 0;
        for (int32_t g = 0; g < arms->group_count; g++) {
            copies += arms->arm_of_group[g] == a ? arms->group_size[g] : 0;
        }
        mpq_set_si(size, copies, 1);
        mpq_mul(part, part, size);
        mpq_add(sum, sum, part);
    }
    if (status == OG_OK) {
        mpq_set(gain, sum);
    }
    mpq_clears(sum, part, size, NULL);
    level_clear(&tail);
    return status;
}
