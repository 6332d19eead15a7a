/*
 * Bandits by one layer in place: the bits of the recursion and of blocks, the value of the
 * definition, first labels, limits, any number of threads, identical arms however they are written.
 */
#include "dp/exact/exact.h"
#include "dp/product/bandit/bandit.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(bandit_layer, 60);

enum { PLAIN = OG_REDUCE_ALL & ~(OG_REDUCE_FORCE | OG_REDUCE_TWO) };

static question bandit_of(const char *words, int32_t budget)
{
    question q = {.oracle = NULL};
    test_problem(words, budget, &q.problem);
    q.problem.objective = OG_OBJECTIVE_BANDIT;
    q.arms = question_arms(&q.problem, words);
    problem_format(&q.problem, q.words, sizeof q.words);
    return q;
}

static og_bandit *layer_of(const question *q, int threads)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    og_message message = {""};
    og_bandit *bandit = NULL;
    question_ok(og_bandit_new(q->arms, &settings, NULL, &bandit, &message), &message, q->words);
    return bandit;
}

static og_result solve(og_bandit *bandit, const question *q)
{
    og_message message = {""};
    og_result result = {0};
    og_blocks_size size;
    question_ok(og_bandit_solve(bandit, &result, &message), &message, q->words);
    og_bandit_get_size(bandit, &size);
    test_assert_msg(result.states == (uint64_t)size.states, "%s: %" PRIu64 " states of %g",
                    q->words, result.states, size.states);
    return result;
}

static og_result value_of(const question *q, int threads)
{
    og_bandit *bandit = layer_of(q, threads);
    og_result result = solve(bandit, q);
    og_bandit_free(bandit);
    return result;
}

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static void assert_same(const og_result *x, const og_result *y, const char *words, const char *what)
{
    test_assert_msg(same_bits(x->gain, y->gain) && same_bits(x->value, y->value) &&
                        same_bits(x->error_bound, y->error_bound),
                    "%s: %.17g +- %g, %s %.17g +- %g", words, x->gain, x->error_bound, what,
                    y->gain, y->error_bound);
}

static og_result by_blocks(const question *q)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, 2);
    og_message message = {""};
    og_blocks *blocks = NULL;
    og_result result = {0};
    question_ok(og_blocks_new(q->arms, OG_BLOCKS_FOLD, &settings, NULL, &blocks, &message),
                &message, q->words);
    question_ok(og_blocks_solve(blocks, &result, &message), &message, q->words);
    og_blocks_free(blocks);
    return result;
}

/* ---- value ---- */

/* A random bandit: a few instances and more labels, or more instances and a few labels. */
static question random_bandit(random_source *source, uint64_t seed, int round)
{
    for (;;) {
        random_limits limits = {.instances = 2 + round % 3,
                                .budget = 18 - 5 * (round % 3),
                                .mixtures = round % 4 == 1,
                                .integers = round % 4 == 2,
                                .bandit = true};
        question q = question_random(source, &limits, seed, round);
        if (og_bandit_can(q.arms)) {
            return q;
        }
        question_free(&q);
    }
}

OG_TEST(the_bits_are_those_of_the_recursion_and_of_blocks)
{
    uint64_t seed = test_seed(1801);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(200); round++) {
        OWN(question) q = random_bandit(&source, seed, round);
        og_settings settings = question_settings(PLAIN, 1);
        og_result recursion = question_solve(q.arms, &settings, q.words);
        og_result blocks = by_blocks(&q);
        for (int threads = 1; threads <= 4; threads *= 2) {
            og_result result = value_of(&q, threads);
            assert_same(&result, &recursion, q.words, "the recursion");
            assert_same(&result, &blocks, q.words, "blocks");
        }
    }
}

OG_TEST(fractions_are_within_the_bound)
{
    uint64_t seed = test_seed(1802);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(100); round++) {
        random_limits limits = {.instances = 3, .budget = 6, .bandit = true};
        OWN(question) q = question_random(&source, &limits, seed, round);
        if (og_bandit_can(q.arms)) {
            OWN_MPQ value = MPQ_NEW;
            oracle_optimum(q.oracle, value);
            og_result result = value_of(&q, 1 + round % 2);
            test_assert_msg(
                oracle_within(result.value, result.error_bound + oracle_error(q.oracle), value),
                "%s: %.17g, exactly %.17g", q.words, result.value, mpq_get_d(value));
        }
    }
}

/* Large enough for tiles and threads. Published: 2x1,1 after 60 pulls; the others by a plain
 * recurrence written for this. */
OG_TEST_LOOP(large_bandits_have_their_known_bits_on_any_number_of_threads, 0,
             test_is_sanitized() ? 0 : 13)
{
    static const struct {
        const char *words;
        int32_t budget;
        bool blocks; /* small enough to be compared */
        double value;
    } large[] = {{"2x1,1", 60, true, 38.562343246635564},
                 {"2x1,1", 137, true, 0},
                 {"2x1,1", 150, true, 0},
                 {"1,1 2,1", 125, true, 0},
                 {"1,3 1:1,1+2:3,1", 121, true, 0},
                 {"2x1,1", 400, false, 263.8491369984789},
                 {"3x1,1", 40, true, 0},
                 {"2x1,1 1,2", 34, true, 0},
                 {"1,1 2x1,2", 35, true, 0},
                 {"1,1 2,1 3,1", 30, true, 0},
                 {"4x1,1", 22, true, 0},
                 {"2x1,1 2x2,1", 18, true, 0},
                 {"3x1,1 2,1", 18, true, 0}};
    size_t i = (size_t)_i % (sizeof large / sizeof *large);
    OWN(question) q = bandit_of(large[i].words, large[i].budget);
    og_result one = value_of(&q, 1);
    int most = large[i].blocks ? 4 : 2; /* threads: the other one takes seconds */
    for (int threads = 2; threads <= most; threads++) {
        og_result more = value_of(&q, threads);
        assert_same(&more, &one, q.words, "on one thread");
    }
    if (large[i].blocks) {
        og_result blocks = by_blocks(&q);
        assert_same(&one, &blocks, q.words, "blocks");
    }
    double known = large[i].value;
    ck_assert_msg(known == 0 || fabs(one.value - known) <= one.error_bound + 1e-14 * known,
                  "%s: %.17g", q.words, one.value);
}

/* Whether identical instances are given as a count or one by one, in whatever order. */
OG_TEST(identical_instances_may_be_written_as_several_groups)
{
    static const char *const words[][2] = {
        {"3x1,1", "1,1 2x1,1"}, {"2x1,1 2,1", "1,1 2,1 1,1"}, {"2x1,2 2x2,1", "2,1 1,2 2,1 1,2"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        OWN(question) together = bandit_of(words[i][0], 15), apart = bandit_of(words[i][1], 15);
        og_result x = value_of(&together, 1), y = value_of(&apart, 2);
        ck_assert_msg(fabs(x.value - y.value) <= x.error_bound + y.error_bound, "%s: %.17g, %.17g",
                      words[i][0], x.value, y.value);
        ck_assert_uint_eq(x.states, y.states);
    }
}

OG_TEST(first_labels_are_worth_what_the_recursion_says)
{
    uint64_t seed = test_seed(1803);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(100); round++) {
        OWN(question) q = random_bandit(&source, seed, round);
        double value[16], error[16], expected[16], expected_error[16];
        og_settings settings = question_settings(PLAIN, 1);
        og_message message = {""};
        og_solver *solver = NULL;
        if (q.arms->budget > 0) {
            og_bandit *bandit = layer_of(&q, 1);
            solve(bandit, &q);
            og_bandit_q(bandit, value, error);
            og_bandit_free(bandit);
            question_ok(og_solver_new(q.arms, &settings, &solver, &message), &message, q.words);
            question_ok(og_solver_q(solver, expected, expected_error, &message), &message, q.words);
            og_solver_free(solver);
        }
        for (int32_t g = 0; q.arms->budget > 0 && g < q.arms->group_count; g++) {
            test_assert_msg(same_bits(value[g], expected[g]) && error[g] >= expected_error[g],
                            "%s: Q %d is %.17g +- %g, not %.17g +- %g", q.words, (int)g, value[g],
                            error[g], expected[g], expected_error[g]);
        }
    }
}

/* ---- contract ---- */

OG_TEST(others_are_refused)
{
    OWN(question) calls = question_of("2x1,1", 5), many = bandit_of("5x1,1", 5);
    OWN(question) few = bandit_of("1,1 3x2,1", 5);
    ck_assert(!og_bandit_can(calls.arms) && !og_bandit_can(many.arms) && og_bandit_can(few.arms));
}

OG_TEST(limits_are_kept)
{
    OWN(question) q = bandit_of("2x1,1", 100);
    og_bandit *bandit = layer_of(&q, 1);
    og_blocks_size size;
    og_bandit_get_size(bandit, &size);
    og_bandit_free(bandit);
    double needed = size.bytes + (double)og_arms_bytes(q.arms);
    for (int i = 0; i < 4; i++) {
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        bool many = false, fits = i % 2 == 0;
        bandit = NULL;
        if (i < 2) {
            settings.states_max = (uint64_t)size.states - !fits;
        } else {
            settings.memory_bytes = (uint64_t)needed - !fits;
        }
        og_status status = og_bandit_new(q.arms, &settings, &many, &bandit, &message);
        ck_assert_int_eq(status, fits ? OG_OK : OG_STOPPED);
        ck_assert(many == (i == 1) && (bandit != NULL) == fits);
        ck_assert(fits || strstr(message.text, i < 2 ? "limit on states" : "memory limit") != NULL);
        og_bandit_free(bandit);
    }
}

typedef struct {
    int calls, most;
    double settled;
} watcher;

static bool watch(void *user, const og_progress *progress)
{
    watcher *w = user;
    ck_assert(progress->settled >= w->settled && progress->settled <= 1);
    w->settled = progress->settled;
    return ++w->calls < w->most;
}

/* Long enough that it is asked on any machine. */
OG_TEST(a_watch_stops_it)
{
    OWN(question) q = bandit_of("2x1,1", 700);
    watcher w = {.most = 2};
    og_settings settings = question_settings(OG_REDUCE_ALL, 2);
    og_message message = {""};
    og_result result = {.gain = 7};
    og_bandit *bandit = NULL;
    settings.watch = watch;
    settings.watch_user = &w;
    question_ok(og_bandit_new(q.arms, &settings, NULL, &bandit, &message), &message, q.words);
    ck_assert_int_eq(og_bandit_solve(bandit, &result, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "stopped") != NULL, "%s", message.text);
    ck_assert(result.gain == 0 && w.calls == 2 && w.settled > 0);
    og_bandit_free(bandit);
}
