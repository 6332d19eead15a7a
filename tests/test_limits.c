/*
 * Limits of a solver: full memory, a number of states, a watch that stops. An interrupted run
 * returns OG_STOPPED with the sizes so far; a completed run has the same bits as without limits.
 */
#include <time.h>

#include "dp/base/clock.h"
#include "dp/families/workers.h"
#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(limits, 120);

static const uint64_t plenty = UINT64_C(1) << 30; /* bytes */

static og_settings settings_of(int threads, uint64_t memory_bytes)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = threads;
    settings.memory_bytes = memory_bytes;
    settings.reductions &= ~(unsigned)OG_REDUCE_TWO; /* it would leave too few states */
    return settings;
}

static og_result solved(const og_arms *arms, const og_settings *settings)
{
    return question_solve(arms, settings, "arms");
}

/* ---- full ---- */

/* A sixth of the memory that avoids evictions; a quarter if a sixth would take too long. */
OG_TEST_LOOP(a_sixth_of_the_memory_gives_the_same_bits, 0, 2)
{
    static const int threads[] = {1, 2, 4};
    static const struct {
        const char *words;
        int32_t budget;
    } problems[] = {{"10x1,1", 34}, {"3x2,1 3x1,3 4x1,1@0.4", 14}};
    OWN(og_arms) *arms = test_arms_in(problems[_i].words, problems[_i].budget);
    og_settings ample = settings_of(1, plenty);
    og_result whole = solved(arms, &ample);
    uint64_t memory = whole.memory_bytes / (test_is_short() ? 4 : 6);
    ck_assert_uint_eq(whole.forgotten, 0);
    for (int i = 0; i < 3; i++) {
        og_settings settings = settings_of(threads[i], memory);
        og_result result = solved(arms, &settings);
        ck_assert_msg(result.value == whole.value && result.gain == whole.gain,
                      "%d threads: %.17g is not %.17g", threads[i], result.value, whole.value);
        ck_assert(result.error_bound == whole.error_bound);
        ck_assert_uint_gt(result.forgotten, 0);
        ck_assert_uint_gt(result.states, result.forgotten);
        ck_assert_uint_gt(result.expanded, whole.expanded);
        ck_assert_uint_le(result.memory_bytes, settings.memory_bytes);
    }
}

/* Whatever the limit: the same bits, or it is said that the tables do not fit. */
OG_TEST(every_limit_gives_the_same_bits_or_is_refused)
{
    uint64_t seed = test_seed(20261125);
    random_source random = random_start(seed);
    random_limits limits = {.instances = 6, .budget = 11};
    int refused = 0;
    int forgetful = 0;
    for (int i = 0; i < test_cases(40); i++) {
        OWN(og_groups) problem;
        OWN(og_arms) *arms = NULL;
        char words[256];
        random_problem(&random, &limits, &problem);
        problem_format(&problem, words, sizeof words);
        ck_assert_int_eq(test_arms_new(&problem, 1, plenty, &arms, NULL), OG_OK);
        og_settings settings = settings_of(1, plenty);
        og_result whole = solved(arms, &settings);
        for (uint64_t limit = 1000; limit < 300000; limit = limit * 4 / 3) {
            settings = settings_of(1 + i % 3, limit);
            og_result result;
            og_message message = {""};
            og_status status = question_try(arms, &settings, &result, &message);
            if (status != OG_OK) {
                ck_assert_msg(status == OG_NO_MEMORY || status == OG_STOPPED, "seed %llu, %s: %d",
                              (unsigned long long)seed, words, (int)status);
                ck_assert_msg(strstr(message.text, "memory limit") != NULL, "%s: '%s'", words,
                              message.text);
                refused++;
                continue;
            }
            ck_assert_msg(result.value == whole.value,
                          "seed %llu, %s, %llu bytes: %.17g is not %.17g", (unsigned long long)seed,
                          words, (unsigned long long)limit, result.value, whole.value);
            ck_assert_uint_le(result.memory_bytes, limit);
            forgetful += result.forgotten > 0;
        }
    }
    ck_assert_int_gt(refused, 0);
    ck_assert_int_gt(forgetful, 0);
}

OG_TEST(a_policy_in_little_memory_has_the_same_bits)
{
    OWN(og_arms) *arms = test_arms_in("4x1,1 3x2,1", 18);
    OWN(og_ranks) *ranks = NULL;
    ck_assert_int_eq(og_ranks_new_uniform(arms, &ranks), OG_OK);
    static const og_ties rules[] = {OG_TIES_BEST, OG_TIES_WORST};
    for (int i = 0; i < 2; i++) {
        og_settings settings = settings_of(2, plenty);
        og_result whole;
        og_result little;
        ck_assert_int_eq(og_policy_value(arms, ranks, rules[i], &settings, &whole, NULL), OG_OK);
        settings.memory_bytes = whole.memory_bytes / 4;
        ck_assert_int_eq(og_policy_value(arms, ranks, rules[i], &settings, &little, NULL), OG_OK);
        ck_assert(little.value == whole.value);
        ck_assert_uint_gt(little.forgotten, 0);
    }
}

OG_TEST(arms_larger_than_the_limit_are_refused_with_a_message)
{
    og_groups problem;
    OWN(og_arms) *arms = NULL;
    og_message message = {""};
    test_problem("1,1", 10000, &problem);
    ck_assert_int_eq(test_arms_new(&problem, 1, 100000, &arms, &message), OG_NO_MEMORY);
    ck_assert_str_ne(message.text, "");
    og_groups_clear(&problem);
    arms = test_arms_in("3x1,1", 200);
    og_settings settings = settings_of(2, 10000);
    og_solver *solver = NULL;
    message.text[0] = '\0';
    ck_assert_int_eq(og_solver_new(arms, &settings, &solver, &message), OG_STOPPED);
    ck_assert_ptr_null(solver);
    ck_assert_ptr_nonnull(strstr(message.text, "memory limit"));
}

/* ---- stop ---- */

static void assert_stopped(const char *reason, const og_settings *settings, og_result *result)
{
    OWN(og_arms) *arms = test_arms_in("10x1,1", 40);
    og_message message = {""};
    memset(result, 0, sizeof *result);
    ck_assert_int_eq(question_try(arms, settings, result, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, reason) != NULL, "'%s'", message.text);
    ck_assert_uint_gt(result->states, 0);
    ck_assert_uint_gt(result->expanded, 0);
    ck_assert_uint_gt(result->memory_bytes, 0);
    ck_assert_double_gt(result->seconds, 0);
}

OG_TEST_LOOP(a_limit_on_states_stops_soon_after_it, 0, 2)
{
    og_settings settings = settings_of(1 + _i, plenty);
    og_result result;
    settings.states_max = 30000;
    assert_stopped("limit on states", &settings, &result);
    ck_assert_uint_gt(result.expanded, settings.states_max);
    /* The threads report every few thousand states. Without the limit it would be a million. */
    ck_assert_uint_lt(result.expanded, 200000);
}

OG_TEST_LOOP(a_full_memory_stops_if_asked_to, 0, 2)
{
    og_settings settings = settings_of(1 + _i, 5000000);
    og_result result;
    settings.stop_when_full = true;
    assert_stopped("memory limit", &settings, &result);
    ck_assert_uint_le(result.memory_bytes, settings.memory_bytes);
}

/* ---- watch ---- */

typedef struct {
    int calls;
    int calls_max; /* then stop; 0: never */
    int wrong;
    og_progress last;
} witness;

static bool look(void *user, const og_progress *progress)
{
    witness *w = user;
    w->calls++;
    w->wrong += !(progress->settled >= w->last.settled && progress->settled <= 1);
    w->wrong += progress->states < w->last.states;
    w->wrong += progress->seconds < w->last.seconds;
    w->wrong += progress->memory_bytes == 0 || progress->memory_bytes > plenty;
    w->last = *progress;
    return w->calls_max == 0 || w->calls < w->calls_max;
}

OG_TEST_LOOP(a_watch_that_says_so_stops_the_work, 0, 2)
{
    og_settings settings = settings_of(1 + _i, plenty);
    witness w = {.calls_max = 2};
    og_result result;
    settings.watch = look;
    settings.watch_user = &w;
    og_stop stop;
    og_stop_take(&stop, &settings);
    assert_stopped("stopped", &settings, &result);
    ck_assert_int_eq(w.calls, 2);
    ck_assert_int_eq(w.wrong, 0);
    ck_assert_double_ge(og_seconds() - stop.begun, w.last.seconds);
}

/* The model's expansion, each a moment long. */
static og_status (*expand_fast)(const void *, const uint64_t *, int32_t, og_expansion *);

static og_status expand_slowly(const void *self, const uint64_t *key, int32_t words,
                               og_expansion *expansion)
{
    const struct timespec moment = {.tv_nsec = 4000000};
    nanosleep(&moment, NULL);
    return expand_fast(self, key, words, expansion);
}

OG_TEST_LOOP(a_watch_is_asked_in_time_where_states_take_long, 0, 2)
{
    og_groups problem, workers;
    og_workers_posterior posterior;
    og_model model;
    og_solution solution;
    witness w = {.calls_max = 2};
    og_settings settings = settings_of(1 + _i, plenty);
    og_value_found found;
    og_message message = {""};
    settings.watch = look;
    settings.watch_user = &w;
    og_stop stop;
    og_stop_take(&stop, &settings);
    test_problem("3x1,1", 10, &problem);
    test_problem("3x2,1", 10, &workers);
    const og_value_asked asked = {.reductions = OG_REDUCE_ALL};
    ck_assert_int_eq(og_workers_posterior_init(&posterior, &problem, &workers, 10, NULL), OG_OK);
    ck_assert_int_eq(og_workers_model(&posterior, false, &asked, &model), OG_OK);
    expand_fast = model.expand;
    model.expand = expand_slowly;
    ck_assert_int_eq(og_solution_by_engine(&model, &asked, &settings, &solution, &message), OG_OK);
    ck_assert_int_eq(solution.value(solution.self, &found, &message), OG_STOPPED);
    ck_assert_int_eq(w.calls, 2);
    ck_assert_uint_lt(found.result.expanded, 2048); /* 4096 of one thread between two counts */
    og_solution_free(&solution);
    og_workers_posterior_clear(&posterior);
    og_groups_clear(&problem);
    og_groups_clear(&workers);
}

/* Rewards that take seconds to integrate. */
OG_TEST_LOOP(a_watch_stops_the_building_of_posteriors, 0, 2)
{
    OWN(og_groups) problem;
    og_arms *arms = NULL;
    og_message message = {""};
    witness w = {.calls_max = 2};
    og_settings settings = settings_of(1 + _i, plenty);
    settings.watch = look;
    settings.watch_user = &w;
    og_stop stop;
    og_stop_take(&stop, &settings);
    test_problem("1x1.5,1.25,1.1,2.3 1x1.7,1.25,1.1,2.3", 80, &problem);
    ck_assert_int_eq(og_arms_new(&problem, &settings, &arms, &message), OG_STOPPED);
    ck_assert_ptr_null(arms);
    ck_assert_ptr_nonnull(strstr(message.text, "was stopped"));
    ck_assert_int_eq(w.calls, 2);
}

/* Tables that take from seconds to minutes. */
OG_TEST_LOOP(a_watch_stops_the_making_of_an_index, 0, 2)
{
    static const char *const slow[] = {"gittins-fh", "gittins-inf", "kg-star"};
    OWN(og_arms) *arms = test_arms_in("2x1,1 1x2,1@0.7", 400);
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        og_policy_name name;
        og_ranks *ranks = NULL;
        og_message message = {""};
        witness w = {.calls_max = 2};
        og_stop stop;
        const og_policy_use use = {.whole_budget = 400, .threads = 1 + _i, .stop = &stop};
        og_stop_init(&stop, look, &w);
        ck_assert_int_eq(og_policy_name_parse(slow[i], &name, NULL), OG_OK);
        ck_assert_int_eq(og_policy_name_ranks_for(&name, arms, &use, &ranks, &message), OG_STOPPED);
        ck_assert_ptr_null(ranks);
        ck_assert_ptr_nonnull(strstr(message.text, "was stopped"));
        ck_assert_int_eq(w.calls, 2);
    }
}

/* The search for the best bound takes seconds; when stopped, its result so far is a bound. */
OG_TEST(a_stopped_bound_is_a_bound)
{
    OWN(og_arms) *arms = test_arms_in("10x1,1", 200);
    witness w = {.calls_max = 1};
    og_stop stop;
    og_upper_bound scalar, early, best;
    ck_assert_int_eq(og_bound_lagrangian_scalar(arms, 1, NULL, &scalar), OG_OK);
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, NULL, &best), OG_OK);
    og_stop_init(&stop, look, &w);
    stop.looked = -INFINITY; /* asked at once */
    ck_assert_int_eq(og_bound_lagrangian_vector(arms, 1, &stop, &early), OG_OK);
    ck_assert_int_eq(w.calls, 1);
    ck_assert(!early.converged && best.converged);
    ck_assert_double_le(early.value, 10); /* every call right */
    ck_assert_double_gt(early.value, best.value);
    og_bound_clear(&early);
    og_bound_clear(&best);
    ck_assert_int_eq(og_bound_prevailing_charge(arms, 1, NULL, &best), OG_OK);
    og_stop_init(&stop, look, &w);
    stop.looked = -INFINITY;
    ck_assert_int_eq(og_bound_prevailing_charge(arms, 1, &stop, &early), OG_OK);
    ck_assert(!early.converged);
    ck_assert_double_le(early.value, scalar.value);
    ck_assert_double_gt(early.value, best.value);
    og_bound_clear(&scalar);
    og_bound_clear(&early);
    og_bound_clear(&best);
}

OG_TEST_LOOP(progress_never_goes_back, 0, 2)
{
    OWN(og_arms) *arms = test_arms_in("10x1,1", test_is_short() ? 36 : 38);
    og_settings settings = settings_of(1 + _i, plenty);
    witness w = {.calls = 0};
    settings.watch = look;
    settings.watch_user = &w;
    og_stop stop;
    og_stop_take(&stop, &settings);
    og_result result = solved(arms, &settings);
    ck_assert_int_ge(w.calls, 1);
    ck_assert_int_le(w.calls, 1 + (int)(result.seconds / 0.09)); /* ten times a second */
    ck_assert_int_eq(w.wrong, 0);
    ck_assert_uint_le(w.last.states, result.states);
    ck_assert_uint_gt(w.last.states, 0);
}

/* Results from before the stop are reused. */
OG_TEST(a_stopped_solver_goes_on_where_it_was)
{
    OWN(og_arms) *arms = test_arms_in("10x1,1", 34);
    og_settings settings = settings_of(2, plenty);
    og_settings free_settings = settings;
    OWN(og_solver) *solver = NULL;
    og_result result;
    og_message message = {""};
    settings.states_max = 20000;
    ck_assert_int_eq(og_solver_new(arms, &settings, &solver, &message), OG_OK);
    int calls = 0;
    og_status status = OG_STOPPED;
    while (status == OG_STOPPED && calls < 50) {
        status = og_solver_value(solver, &result, &message);
        calls++;
    }
    ck_assert_int_eq(status, OG_OK);
    ck_assert_int_gt(calls, 2);
    ck_assert(result.value == solved(arms, &free_settings).value);
}
