/*
 * gain = sum over instances i and labels n of  P(Binomial(T, 1/K) >= n) * (expected reward of the
 * n-th label of i).
 */
#include "dp/exact/exact_uniform.h"

#include "dp/base/arena.h"
#include "dp/base/rational.h"

/* The expected reward of the label given at level n, and the chances of the level after it. */
static void step(const og_arms *arms, const og_exact_names *names, int32_t a, int32_t n,
                 mpq_t *here, mpq_t *next, mpq_t reward)
{
    const og_arm *arm = arms->arm[a];
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(reward, 0, 1);
    for (uint32_t node = arm->level[n]; node < arm->level[n + 1]; node++) {
        mpq_ptr chance = here[node - arm->level[n]];
        uint32_t name = names->reward_of[a][node];
        if (name != 0) {
            mpq_mul(term, chance, names->reward.value[name]);
            mpq_add(reward, reward, term);
        }
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            size_t at = (size_t)node * (size_t)arm->outcome_count + (size_t)k;
            mpq_ptr to = next[arm->next[at] - arm->level[n + 1]];
            mpq_mul(term, chance, names->probability.value[names->probability_of[a][at]]);
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
    og_arena levels[2] = {{0}}; /* the chances of one level, and of the next */
    mpq_t *here = og_arena_fractions(&levels[0], 1);
    og_status status = og_arena_status(&levels[0]);
    mpq_t reward;
    mpq_init(reward);
    mpq_set_ui(gain, 0, 1);
    if (status == OG_OK) {
        mpq_set_ui(here[0], 1, 1);
    }
    for (int32_t n = 0; status == OG_OK && n < arm->depth; n++) {
        og_arena *below = &levels[(n + 1) % 2];
        mpq_t *next = og_arena_fractions(below, arm->level[n + 2] - arm->level[n + 1]);
        status = og_arena_status(below);
        if (status == OG_OK) {
            step(arms, names, a, n, here, next, reward);
            mpq_mul(reward, reward, tail[n]);
            mpq_add(gain, gain, reward);
        }
        og_arena_clear(&levels[n % 2]);
        here = next;
    }
    og_arena_clear(&levels[0]);
    og_arena_clear(&levels[1]);
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
    og_arena arena = {0};
    mpq_t *tail = og_arena_fractions(&arena, (size_t)arms->budget + 1);
    og_status status = og_arena_status(&arena);
    mpq_t sum, part;
    mpq_inits(sum, part, NULL);
    if (status == OG_OK) {
        binomial_tails(arms->budget, og_arms_instances(arms), tail);
    }
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = gain_of(arms, names, a, tail, part);
        og_add_multiple(sum, og_arms_copies(arms, a), part);
    }
    if (status == OG_OK) {
        mpq_set(gain, sum);
    }
    mpq_clears(sum, part, NULL);
    og_arena_clear(&arena);
    return status;
}
