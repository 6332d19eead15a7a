/*
 * The optimum by whichever engine: both agree, the choice is the same each time, and what one of
 * them cannot do is refused or left to the other.
 */
#include "dp/product/bracket.h"
#include "dp/product/optimum/optimum.h"
#include "dp/product/product.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(optimum, 60);

static og_settings settings_of(og_engine engine, int threads)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    settings.engine = engine;
    return settings;
}

static og_optimum *optimum_of(const question *q, const og_settings *settings)
{
    og_optimum *optimum = NULL;
    og_message message = {""};
    question_ok(og_optimum_new(q->arms, settings, &optimum, &message), &message, q->words);
    return optimum;
}

static og_result value_of(const question *q, const og_settings *settings)
{
    og_optimum *optimum = optimum_of(q, settings);
    og_message message = {""};
    og_result result = {0};
    question_ok(og_optimum_value(optimum, &result, &message), &message, q->words);
    test_assert_msg(message.text[0] == '\0', "%s: %s", q->words, message.text);
    og_optimum_free(optimum);
    return result;
}

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

/* ---- value ---- */

/* The bracket has the proved bounds, and is closed if its policy or its price is optimal. */
static void assert_bracket(const question *q, const double *known, const double *error)
{
    double lower[16], upper[16], lower_over[16], upper_over[16];
    const og_arms *arms = q->arms;
    og_stop over = og_stop_for(NULL, 0);
    og_stop_end(&over);
    ck_assert_int_eq(og_bracket_q(arms, QUESTION_MEMORY_BYTES, NULL, lower, upper), OG_OK);
    ck_assert_int_eq(og_bracket_q(arms, QUESTION_MEMORY_BYTES, &over, lower_over, upper_over),
                     OG_OK);
    for (int32_t i = 0; i < arms->group_count; i++) {
        test_assert_msg(lower[i] >= 0 && lower[i] <= known[i] + error[i] &&
                            upper[i] >= known[i] - error[i],
                        "%s: Q %d is %.17g, not within %.17g and %.17g", q->words, (int)i, known[i],
                        lower[i], upper[i]);
        test_assert_msg(lower_over[i] >= 0 && lower_over[i] <= known[i] + error[i] &&
                            upper_over[i] >= known[i] - error[i],
                        "%s: Q %d is %.17g, not within %.17g and %.17g without time", q->words,
                        (int)i, known[i], lower_over[i], upper_over[i]);
        bool last = arms->budget == 1, alone = og_arms_instances(arms) == 1;
        test_assert_msg(!last || upper[i] - lower[i] < 1e-9, "%s: the last label", q->words);
        test_assert_msg(!(last || alone) || known[i] - lower[i] < 1e-9, "%s: one alone", q->words);
    }
}

static void assert_q(const question *q, const og_settings *blocks, const og_settings *recursion)
{
    double one[16], one_error[16], other[16], other_error[16];
    og_message message = {""};
    og_optimum *optimum = optimum_of(q, blocks);
    question_ok(og_optimum_q(optimum, one, one_error, &message), &message, q->words);
    og_optimum_free(optimum);
    optimum = optimum_of(q, recursion);
    question_ok(og_optimum_q(optimum, other, other_error, &message), &message, q->words);
    og_optimum_free(optimum);
    for (int32_t i = 0; i < q->arms->group_count; i++) {
        test_assert_msg(fabs(one[i] - other[i]) <= one_error[i] + other_error[i],
                        "%s: Q %d is %.17g, not %.17g", q->words, (int)i, one[i], other[i]);
    }
    assert_bracket(q, other, other_error);
}

OG_TEST(brackets_hold_what_is_proved)
{
    static const struct {
        const char *words;
        int32_t budget;
    } cases[] = {{"2,1,1 1,1,1 1,1", 4}, {"1,1", 12},         {"2,3@0.7", 9},
                 {"10x1,1", 30},         {"3x1,1 9,1", 1},    {"5x2,1 6x3,3 9x1,4", 12},
                 {"12x1,1@0.6", 20},     {"2x1,1 3x1,1", 10}, {"40,1 1,40", 3}};
    og_settings settings = settings_of(OG_ENGINE_AUTO, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double known[16], error[16];
        og_message message = {""};
        OWN(question) q = question_of(cases[i].words, cases[i].budget);
        OWN(og_optimum) *optimum = optimum_of(&q, &settings);
        question_ok(og_optimum_q(optimum, known, error, &message), &message, q.words);
        assert_bracket(&q, known, error);
    }
}

OG_TEST(the_engines_agree)
{
    uint64_t seed = test_seed(1701);
    random_source source = random_start(seed);
    og_settings recursion = settings_of(OG_ENGINE_RECURSION, 1);
    for (int round = 0; round < test_cases(400); round++) {
        random_limits limits = {.instances = round % 2 == 0 ? 4 : 7,
                                .budget = round % 2 == 0 ? 10 : 7,
                                .mixtures = round % 4 == 1,
                                .integers = round % 4 == 2,
                                .halves = round % 8 == 2,
                                .payoffs = round % 8 == 6 || round % 8 == 1,
                                .worths = round % 8 == 3,
                                .bandit = round % 8 == 4};
        OWN(question) q = question_random(&source, &limits, seed, round);
        og_result expected = value_of(&q, &recursion);
        og_settings settings =
            settings_of(round % 3 == 0 ? OG_ENGINE_AUTO : OG_ENGINE_BLOCKS, 1 + round % 2);
        og_result result = value_of(&q, &settings);
        double bound = expected.error_bound + result.error_bound;
        test_assert_msg(fabs(result.gain - expected.gain) <= bound &&
                            fabs(result.value - expected.value) <= bound,
                        "%s: %.17g, not %.17g", q.words, result.gain, expected.gain);
        test_assert_msg(!expected.by_blocks && result.by_blocks == (round % 3 != 0), "%s: engine",
                        q.words);
        if (q.arms->budget > 0) {
            assert_q(&q, &settings, &recursion);
        }
    }
}

/* What the first states of the recursion settle; a moment's blocks; those that wait for a 160th of
 * their states; those that the recursion is faster than; without tables of the recursion. */
static const struct {
    const char *words;
    int32_t budget;
    bool bandit, by_blocks;
    uint64_t states; /* at most, 0: many */
} known[] = {{"10x1,1", 30, false, false, 2000},
             {"50x1,1", 80, false, false, 2000},
             {"10x1,1", 42, false, true, 0},
             {"12x1,1@0.6", 30, false, true, 0},
             {"2x1,1 2x2,1 2x3,2 2x1,3 2x4,1 2x5,2", 20, false, false, 0},
             {"2x1,1", 110, true, true, 0}};

OG_TEST_LOOP(the_choice_does_not_depend_on_threads, 0, sizeof known / sizeof *known)
{
    size_t i = (size_t)_i;
    OWN(question) q = question_of(known[i].words, known[i].budget);
    if (known[i].bandit) {
        q.problem.objective = OG_OBJECTIVE_BANDIT;
        og_arms_free(q.arms);
        q.arms = question_arms(&q.problem, q.words);
    }
    og_settings settings = settings_of(OG_ENGINE_AUTO, 1);
    og_result one = value_of(&q, &settings);
    ck_assert_msg(one.by_blocks == known[i].by_blocks, "%s: by blocks %d", q.words, one.by_blocks);
    ck_assert_msg(known[i].states == 0 || one.states <= known[i].states, "%s: %" PRIu64 " states",
                  q.words, one.states);
    settings.threads = 2 + 2 * (_i % 2);
    og_result more = value_of(&q, &settings);
    ck_assert_msg(same_bits(one.gain, more.gain) && one.by_blocks == more.by_blocks,
                  "%s: %.17g, not %.17g", q.words, more.gain, one.gain);
}

/* ---- contract ---- */

/* Blocks that do not fit beside the recursion, or are more than states_max allows, are not taken.
 */
OG_TEST(without_room_for_blocks_the_recursion_goes_on)
{
    OWN(question) q = question_of("10x1,1", 40);
    og_settings recursion = settings_of(OG_ENGINE_RECURSION, 2);
    og_result expected = value_of(&q, &recursion);
    og_settings settings = settings_of(OG_ENGINE_AUTO, 2);
    ck_assert(value_of(&q, &settings).by_blocks);
    settings.memory_bytes = 2500000;
    og_result result = value_of(&q, &settings);
    ck_assert(!result.by_blocks && same_bits(result.gain, expected.gain));
    ck_assert_uint_le(result.memory_bytes, settings.memory_bytes);
}

OG_TEST(limits_on_states_are_kept)
{
    OWN(question) q = question_of("10x1,1", 50);
    for (int i = 0; i < 6; i++) {
        og_settings settings = settings_of((og_engine)(i % 3), 1 + i / 3);
        og_message message = {""};
        og_result result = {.gain = 7};
        settings.states_max = 20000;
        OWN(og_optimum) *optimum = optimum_of(&q, &settings);
        ck_assert_int_eq(og_optimum_value(optimum, &result, &message), OG_STOPPED);
        ck_assert_msg(strstr(message.text, "the limit on states") != NULL, "%s", message.text);
        ck_assert(result.gain == 0 && result.expanded > settings.states_max);
    }
    og_settings settings = settings_of(OG_ENGINE_AUTO, 1);
    settings.states_max = 2000000; /* of the recursion: a fortieth of so many in blocks */
    ck_assert(value_of(&q, &settings).by_blocks);
    settings.states_max = 0;
    settings.stop_when_full = true; /* as a sweep's cells ask */
    ck_assert(value_of(&q, &settings).by_blocks);
}

OG_TEST(what_blocks_cannot_do_is_refused)
{
    OWN(question) q = question_of("10x1,1", 40);
    og_settings settings = settings_of(OG_ENGINE_BLOCKS, 1);
    OWN(og_optimum) *optimum = NULL;
    og_message message = {""};
    og_result result = {.gain = 7};
    settings.checkpoint = "checkpoint";
    settings.scratch = "/tmp";
    ck_assert_int_eq(og_optimum_new(q.arms, &settings, &optimum, &message), OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "--scratch cannot be combined with --checkpoint") != NULL,
                  "%s", message.text);
    ck_assert_ptr_null(optimum);
    settings.checkpoint = settings.scratch = NULL;
    settings.memory_bytes = 1000000;
    optimum = optimum_of(&q, &settings);
    ck_assert_int_eq(og_optimum_value(optimum, &result, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "memory limit") != NULL, "%s", message.text);
    ck_assert(result.gain == 0);
}

/* By a count of rewards: tables of their classes would not fit the memory, and are not begun. */
OG_TEST(too_many_different_instances_are_refused_before_tables)
{
    enum { INSTANCES = 6000 };
    og_message message = {""};
    OWN(og_groups) problem;
    og_groups_init(&problem, 10);
    for (int i = 0; i < INSTANCES; i++) {
        char word[32];
        og_group group;
        snprintf(word, sizeof word, "%d.%d,%d", 1 + i % 50, i % 7, 1 + i / 50);
        ck_assert_int_eq(og_group_parse(word, &group, &message), OG_OK);
        ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_OK);
    }
    OWN(og_arms) *arms = test_arms(&problem);
    og_settings settings = settings_of(OG_ENGINE_RECURSION, 1);
    settings.memory_bytes = og_arms_bytes(arms) + 100000;
    OWN(og_optimum) *optimum = NULL;
    ck_assert_int_eq(og_optimum_new(arms, &settings, &optimum, &message), OG_OK);
    og_result result = {.gain = 7};
    ck_assert_int_eq(og_optimum_value(optimum, &result, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "a state can hold 6000 different instances") != NULL, "%s",
                  message.text);
    ck_assert_msg(strstr(message.text, "at most ") != NULL, "%s", message.text);
    ck_assert(result.gain == 7);
}

typedef struct {
    int calls, most;
    double seconds;
} watcher;

static bool watch(void *user, const og_progress *progress)
{
    watcher *w = user;
    ck_assert(progress->seconds >= w->seconds);
    w->seconds = progress->seconds;
    return ++w->calls != w->most; /* stops once */
}

/* At any moment: while the recursion leads, while blocks are counted, while they are swept. */
OG_TEST(a_watch_stops_either)
{
    OWN(question) q = question_of("12x1,1@0.6", 30);
    int stopped = 0;
    for (int i = 0; i < 4; i++) {
        watcher w = {.most = i < 3 ? 1 << i : 10};
        og_settings settings = settings_of(i == 1 ? OG_ENGINE_BLOCKS : OG_ENGINE_AUTO, 2);
        og_stop stop;
        settings.watch = watch;
        settings.watch_user = &w;
        og_stop_take(&stop, &settings);
        OWN(og_optimum) *optimum = optimum_of(&q, &settings);
        og_message message = {""};
        og_result result = {.gain = 7};
        og_status status = og_optimum_value(optimum, &result, &message);
        if (status != OG_OK) {
            ck_assert_int_eq(status, OG_STOPPED);
            ck_assert_msg(strstr(message.text, "stopped") != NULL, "%s", message.text);
            ck_assert(result.gain == 0 && w.calls == w.most);
            stopped++;
        }
    }
    ck_assert_int_gt(stopped, 0);
}

/* Reductions are switched off in the recursion, and the recursion answers for later states. */
OG_TEST(what_only_the_recursion_does_is_left_to_it)
{
    OWN(question) q = question_of("10x1,1", 38);
    og_settings settings = settings_of(OG_ENGINE_AUTO, 1);
    ck_assert(value_of(&q, &settings).by_blocks);
    settings.reductions = OG_REDUCE_ALL & ~OG_REDUCE_TWO;
    ck_assert(!value_of(&q, &settings).by_blocks);
    settings.reductions = OG_REDUCE_ALL;
    settings.states_max = 4000000;
    OWN(og_optimum) *optimum = optimum_of(&q, &settings);
    og_message message = {""};
    og_result result = {0};
    og_solver *solver = NULL;
    double gain = 0;
    og_state first;
    question_ok(og_optimum_value(optimum, &result, &message), &message, q.words);
    question_ok(og_optimum_solver(optimum, &solver, &message), &message, q.words);
    question_ok(og_state_first(q.arms, &first), &message, q.words);
    question_ok(og_solver_value_at(solver, &first, &gain, &message), &message, q.words);
    ck_assert(result.by_blocks && fabs(gain - result.gain) <= 2 * result.error_bound);
    free((void *)first.group);
}

OG_TEST(the_forecast_is_exact_where_it_says_so)
{
    OWN(question) q = question_of("10x1,1", 40);
    og_settings settings = settings_of(OG_ENGINE_AUTO, 1);
    og_message message = {""};
    og_blocks_size size;
    bool exact = false;
    question_ok(og_optimum_forecast(q.arms, &settings, &size, &exact, &message), &message, q.words);
    og_result result = value_of(&q, &settings);
    ck_assert(exact && result.by_blocks && size.states == (double)result.states);
    settings.memory_bytes = 2000000;
    double states = size.states;
    question_ok(og_optimum_forecast(q.arms, &settings, &size, &exact, &message), &message, q.words);
    ck_assert(!exact && size.states >= states);
}

OG_TEST(layers_are_taken_as_told)
{
    static const struct {
        const char *words;
        int32_t budget;
        og_engine engine;
        og_layers_taken taken;
    } cases[] = {{"2x1,1", 150, OG_ENGINE_AUTO, OG_LAYERS_AT_ONCE},
                 {"2x1,1", 150, OG_ENGINE_RECURSION, OG_LAYERS_NEVER},
                 {"2x1,1", 20, OG_ENGINE_BLOCKS, OG_LAYERS_AT_ONCE},
                 {"10x1,1", 40, OG_ENGINE_AUTO, OG_LAYERS_PERHAPS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWN(question) q = question_of(cases[i].words, cases[i].budget);
        og_settings settings = settings_of(cases[i].engine, 1);
        og_message message = {""};
        og_blocks_size size;
        bool exact = false;
        question_ok(og_optimum_forecast(q.arms, &settings, &size, &exact, &message), &message,
                    q.words);
        ck_assert(exact);
        ck_assert_int_eq(og_optimum_takes(q.arms, &settings, &size), cases[i].taken);
        og_result result = value_of(&q, &settings);
        ck_assert(result.by_blocks == (cases[i].taken != OG_LAYERS_NEVER));
        ck_assert(!result.by_blocks || (double)result.states == size.states);
    }
}
