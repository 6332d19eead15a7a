/*
 * Policies that buy labels from sources (heuristics/families/sources_policy.h), against their
 * definition: every history is played in fractions, instance by instance, from the chances of both
 * truths alone; nothing is said of nodes, ranks or states.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/sources_policy.h"
#include "tests/random_problem.h"
#include "tests/support.h"

static const uint64_t plenty = UINT64_C(1) << 30;

enum { INSTANCES = 3, ACTS = INSTANCES * 3 };

/* Of all instances: the chance of the labels so far together with a positive, a negative truth. */
typedef struct {
    const char *policy;
    og_ties ties;
    const og_sources *sources;
    int32_t count;
    int32_t asked[INSTANCES][OG_SOURCES_MAX];
    mpq_t truth[INSTANCES][2];
} history;

static bool can_ask(const history *h, int32_t i, int32_t j, int32_t left)
{
    const og_label_source *source = &h->sources->source[j];
    return source->price <= left && mpq_sgn(h->truth[i][0]) > 0 && mpq_sgn(h->truth[i][1]) > 0 &&
           (source->most == 0 || h->asked[i][j] < source->most);
}

static mpq_srcptr larger(mpq_srcptr x, mpq_srcptr y)
{
    return mpq_cmp(x, y) > 0 ? x : y;
}

/* truth[i] after an answer, 0 positive. */
static void hear(history *h, int32_t i, int32_t j, int answer)
{
    mpq_t right, wrong;
    mpq_inits(right, wrong, NULL);
    og_fraction_get_mpq(right, h->sources->source[j].accuracy);
    mpq_set_ui(wrong, 1, 1);
    mpq_sub(wrong, wrong, right);
    mpq_mul(h->truth[i][0], h->truth[i][0], answer == 0 ? right : wrong);
    mpq_mul(h->truth[i][1], h->truth[i][1], answer == 0 ? wrong : right);
    mpq_clears(right, wrong, NULL);
}

/* What the policy goes by: of two acts the one with the larger pair is better. */
static void index_of(history *h, int32_t i, int32_t j, mpq_t price, mpq_t gain)
{
    mpq_t before[2], sum;
    mpq_inits(before[0], before[1], sum, NULL);
    int32_t cost = h->sources->source[j].price;
    bool by_price = strcmp(h->policy, "kg") != 0;
    mpq_set_si(price, !by_price ? 0 : strcmp(h->policy, "cheapest") == 0 ? -cost : cost, 1);
    mpq_set(before[0], h->truth[i][0]);
    mpq_set(before[1], h->truth[i][1]);
    mpq_neg(gain, larger(before[0], before[1]));
    for (int answer = 0; answer < 2; answer++) {
        hear(h, i, j, answer);
        mpq_add(gain, gain, larger(h->truth[i][0], h->truth[i][1]));
        mpq_set(h->truth[i][0], before[0]);
        mpq_set(h->truth[i][1], before[1]);
    }
    mpq_add(sum, before[0], before[1]); /* of a mass that is not 1 */
    mpq_div(gain, gain, sum);
    mpq_set_si(sum, cost, 1);
    mpq_div(gain, gain, sum);
    mpq_clears(before[0], before[1], sum, NULL);
}

/* The acts that it may take, as instance * sources + source. */
static int32_t choose(history *h, int32_t left, int32_t act[ACTS])
{
    int32_t count = 0;
    mpq_t price, gain, best_price, best_gain;
    mpq_inits(price, gain, best_price, best_gain, NULL);
    for (int32_t i = 0; i < h->count; i++) {
        for (int32_t j = 0; j < h->sources->count; j++) {
            if (!can_ask(h, i, j, left)) {
                continue;
            }
            if (strcmp(h->policy, "naive") != 0) {
                index_of(h, i, j, price, gain);
                int order = count == 0 ? 1 : mpq_cmp(price, best_price);
                order = order != 0 ? order : mpq_cmp(gain, best_gain);
                if (order < 0) {
                    continue;
                }
                if (order > 0) {
                    count = 0;
                    mpq_set(best_price, price);
                    mpq_set(best_gain, gain);
                }
            }
            act[count++] = i * h->sources->count + j;
        }
    }
    mpq_clears(price, gain, best_price, best_gain, NULL);
    return count;
}

/* The expected number of right calls, times the chance of all labels so far. */
static void value_without(const history *h, mpq_t value)
{
    mpq_t sum, all;
    mpq_inits(sum, all, NULL);
    mpq_set_ui(value, 0, 1);
    for (int32_t i = 0; i < h->count; i++) {
        mpq_set(all, larger(h->truth[i][0], h->truth[i][1]));
        for (int32_t o = 0; o < h->count; o++) {
            if (o != i) {
                mpq_add(sum, h->truth[o][0], h->truth[o][1]);
                mpq_mul(all, all, sum);
            }
        }
        mpq_add(value, value, all);
    }
    mpq_clears(sum, all, NULL);
}

static void play(history *h, int32_t left, mpq_t value);

static void play_act(history *h, int32_t left, int32_t act, mpq_t value)
{
    int32_t i = act / h->sources->count, j = act % h->sources->count;
    mpq_t before[2], part;
    mpq_inits(before[0], before[1], part, NULL);
    mpq_set(before[0], h->truth[i][0]);
    mpq_set(before[1], h->truth[i][1]);
    mpq_set_ui(value, 0, 1);
    h->asked[i][j]++;
    for (int answer = 0; answer < 2; answer++) {
        hear(h, i, j, answer);
        play(h, left - h->sources->source[j].price, part);
        mpq_add(value, value, part);
        mpq_set(h->truth[i][0], before[0]);
        mpq_set(h->truth[i][1], before[1]);
    }
    h->asked[i][j]--;
    mpq_clears(before[0], before[1], part, NULL);
}

static void play(history *h, int32_t left, mpq_t value)
{
    int32_t act[ACTS], count = choose(h, left, act);
    mpq_t part, number;
    if (count == 0) {
        value_without(h, value);
        return;
    }
    mpq_inits(part, number, NULL);
    mpq_set_ui(value, 0, 1);
    bool any = strcmp(h->policy, "naive") == 0 || h->ties == OG_TIES_RANDOM;
    count = !any && h->ties == OG_TIES_FIRST ? 1 : count;
    for (int32_t k = 0; k < count; k++) {
        play_act(h, left, act[k], part);
        int order = mpq_cmp(part, value);
        if (any) {
            mpq_add(value, value, part);
        } else if (k == 0 || (h->ties == OG_TIES_WORST ? order < 0 : order > 0)) {
            mpq_set(value, part);
        }
    }
    mpq_set_si(number, any ? count : 1, 1);
    mpq_div(value, value, number);
    mpq_clears(part, number, NULL);
}

static void defined_value(const og_groups *problem, const og_sources *sources, const char *policy,
                          og_ties ties, mpq_t value)
{
    history h = {.policy = policy, .ties = ties, .sources = sources};
    mpq_t total;
    mpq_init(total);
    for (int i = 0; i < INSTANCES; i++) {
        mpq_inits(h.truth[i][0], h.truth[i][1], NULL);
    }
    for (int32_t g = 0; g < problem->group_count; g++) {
        for (int64_t c = 0; c < problem->groups[g].count; c++) {
            mpq_t *truth = h.truth[h.count++];
            og_fraction_get_mpq(truth[0], problem->groups[g].a);
            og_fraction_get_mpq(truth[1], problem->groups[g].b);
            mpq_add(total, truth[0], truth[1]);
            mpq_div(truth[0], truth[0], total);
            mpq_div(truth[1], truth[1], total);
        }
    }
    play(&h, problem->budget, value);
    for (int i = 0; i < INSTANCES; i++) {
        mpq_clears(h.truth[i][0], h.truth[i][1], NULL);
    }
    mpq_clear(total);
}

/* ---- both ways to value it ---- */

static void check_policy(const og_sources_problem *problem, const char *name, og_ties ties,
                         const mpq_t defined, const char *what)
{
    og_policy_name named = {.name = ""};
    og_strategy by = {.self = NULL};
    og_settings settings;
    og_message message = {""};
    mpq_t value, gain, off, bound;
    mpq_inits(value, gain, off, bound, NULL);
    og_found found = {.value = value, .gain = gain};
    og_model model;
    og_solution solution;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = plenty;
    snprintf(named.name, sizeof named.name, "%s", name);
    ck_assert_int_eq(og_sources_strategy(&named, problem, &by, &message), OG_OK);
    const og_question question = {.by = &by, .ties = ties, .reductions = OG_REDUCE_SORT};
    og_status status = og_sources_value_exact(problem, &question, &settings, &found, &message);
    test_assert_msg(status == OG_OK, "%s: %s", what, message.text);
    test_assert_msg(mpq_equal(value, defined), "%s, %s, ties %d: %.17g, not %.17g", what, name,
                    (int)ties, mpq_get_d(value), mpq_get_d(defined));
    ck_assert_int_eq(og_sources_model(problem, &question, &model, &message), OG_OK);
    ck_assert_int_eq(og_solution_by_engine(&model, &question, &settings, &solution, &message),
                     OG_OK);
    status = solution.value(solution.self, &found, &message);
    test_assert_msg(status == OG_OK, "%s: %s", what, message.text);
    mpq_set_d(off, found.result.value);
    mpq_sub(off, off, defined);
    mpq_abs(off, off);
    mpq_set_d(bound, found.result.error_bound);
    test_assert_msg(mpq_cmp(off, bound) <= 0, "%s, %s, ties %d: %.17g +- %g, not %.17g", what, name,
                    (int)ties, found.result.value, found.result.error_bound, mpq_get_d(defined));
    og_solution_free(&solution);
    og_strategy_free(&by);
    mpq_clears(value, gain, off, bound, NULL);
}

static void check_all(const char *words, int32_t budget, const og_sources *sources,
                      const char *what)
{
    static const char *const names[] = {"naive", "kg", "cheapest", "dearest"};
    static const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST, OG_TIES_BEST, OG_TIES_WORST};
    og_groups problem;
    og_arms *arms = NULL;
    og_sources_problem shared;
    og_message message = {""};
    mpq_t defined;
    mpq_init(defined);
    test_problem(words, budget, &problem);
    ck_assert_int_eq(og_arms_new_sources(&problem, sources, 1, plenty, &arms, &message), OG_OK);
    ck_assert_int_eq(og_sources_problem_init(arms, &shared), OG_OK);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (size_t t = 0; t < sizeof ties / sizeof *ties; t++) {
            defined_value(&problem, sources, names[n], ties[t], defined);
            check_policy(&shared, names[n], ties[t], defined, what);
        }
    }
    og_sources_problem_clear(&shared);
    og_arms_free(arms);
    og_groups_clear(&problem);
    mpq_clear(defined);
}

START_TEST(policies_are_worth_what_histories_say)
{
    static const struct {
        const char *words;
        int32_t budget;
        og_sources sources;
    } cases[] = {
        {"1,1", 3, {1, {{{4, 5}, 1, 0}}}},
        {"2x1,1 1,2", 4, {2, {{{9, 10}, 2, 0}, {{7, 10}, 1, 0}}}},
        {"1,1 2,1 1,1", 4, {2, {{{1, 1}, 3, 0}, {{3, 5}, 1, 2}}}},
        {"3x1,1", 3, {3, {{{4, 5}, 1, 1}, {{4, 5}, 1, 1}, {{1, 2}, 2, 0}}}},
        {"2x1,1", 5, {2, {{{2, 3}, 2, 0}, {{5, 6}, 4, 1}}}},  /* gains of 1/12 a unit, twice */
        {"3x1,9", 4, {2, {{{3, 5}, 1, 0}, {{7, 10}, 2, 0}}}}, /* no label gains by itself */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_all(cases[i].words, cases[i].budget, &cases[i].sources, cases[i].words);
    }
}
END_TEST

START_TEST(random_problems_too)
{
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    int cases = test_cases(12);
    for (int round = 0; round < cases; round++) {
        og_sources sources = {.count = 1 + (int32_t)random_below(&random, 2)};
        char words[64], what[160];
        for (int32_t j = 0; j < sources.count; j++) {
            sources.source[j] = (og_label_source){
                og_fraction_make((int64_t)random_below(&random, 11), 10),
                1 + (int32_t)random_below(&random, 3), (int32_t)random_below(&random, 3)};
        }
        uint32_t a = 1 + random_below(&random, 3), b = 1 + random_below(&random, 3);
        uint32_t copies = 1 + random_below(&random, 2);
        int32_t budget = (int32_t)random_below(&random, 5);
        snprintf(words, sizeof words, random_below(&random, 2) == 0 ? "%ux%u,%u 2,2" : "%ux%u,%u",
                 copies, a, b);
        snprintf(what, sizeof what, "TEST_SEED=%llu, round %d: %s, T=%d", (unsigned long long)seed,
                 round, words, (int)budget);
        check_all(words, budget, &sources, what);
    }
}
END_TEST

OG_SUITE(sources_policy)
{
    Suite *suite = suite_create("sources_policy");
    TCase *value = test_group(suite, "value", 60);
    tcase_add_test(value, policies_are_worth_what_histories_say);
    tcase_add_test(value, random_problems_too);
    return test_run(suite);
}
