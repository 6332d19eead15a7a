/*
 * The second engine against the recursion: with no saving the same bits, with any saving a value
 * within both bounds; every number of threads the same bits; limits, watches, first labels.
 */
#include "dp/product/blocks/blocks.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(blocks, 60);

static og_result solve_blocks(const og_arms *arms, unsigned use, int threads, const char *words)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    og_message message = {""};
    og_blocks *blocks = NULL;
    og_result result = {0};
    question_ok(og_blocks_new(arms, use, &settings, NULL, &blocks, &message), &message, words);
    question_ok(og_blocks_solve(blocks, &result, &message), &message, words);
    og_blocks_size size;
    og_blocks_get_size(blocks, &size);
    test_assert_msg(result.states == size.states, "%s: %" PRIu64 " states of %g", words,
                    result.states, size.states);
    og_blocks_free(blocks);
    return result;
}

static og_result solve_recursion(const og_arms *arms, unsigned reductions, const char *words)
{
    og_settings settings = question_settings(reductions, 1);
    return question_solve(arms, &settings, words);
}

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static void assert_near(const og_result *x, const og_result *y, const char *words, unsigned use)
{
    double bound = x->error_bound + y->error_bound;
    test_assert_msg(fabs(x->gain - y->gain) <= bound && fabs(x->value - y->value) <= bound,
                    "%s: use %u: gain %.17g, the recursion %.17g", words, use, x->gain, y->gain);
}

/* Any prior: Betas and mixtures, bandits, classes. */
static og_arms *random_arms(random_source *source, uint64_t seed, int round, char words[512])
{
    static const char *const classes[] = {
        "1,1,1",         "2x1,1,1",     "2x2,1,1 1,1",       "3x1,1,1",     "1,2,3 2,1,3",
        "2x1,1,1,1 2,1", "2x0.5,1,1.5", "1,1,1,1,1 1,1@0.3", "2,2,1 1,1,2", "4x2,2,2"};
    og_groups problem;
    char plain[400];
    if (round % 8 == 7) {
        size_t which = random_below(source, sizeof classes / sizeof *classes);
        test_problem(classes[which], (int32_t)random_below(source, 6), &problem);
    } else {
        random_limits limits = {.instances = round % 2 == 0 ? 4 : 6,
                                .budget = round % 2 == 0 ? 9 : 6,
                                .mixtures = round % 4 == 1,
                                .integers = round % 4 == 2,
                                .halves = round % 8 == 2,
                                .payoffs = round % 8 == 6 || round % 8 == 1,
                                .bandit = round % 8 == 4};
        random_problem(source, &limits, &problem);
    }
    problem_format(&problem, plain, sizeof plain);
    snprintf(words, 512, "%s (TEST_SEED=%" PRIu64 ", case %d)", plain, seed, round);
    og_arms *arms = question_arms(&problem, words);
    og_groups_clear(&problem);
    return arms;
}

OG_TEST(blocks_have_the_bits_of_the_recursion)
{
    uint64_t seed = test_seed(1501);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(2000); round++) {
        char words[512];
        og_arms *arms = random_arms(&source, seed, round, words);
        og_result recursion =
            solve_recursion(arms, OG_REDUCE_ALL & ~(OG_REDUCE_FORCE | OG_REDUCE_TWO), words);
        for (unsigned fold = 0; fold <= OG_BLOCKS_FOLD; fold += OG_BLOCKS_FOLD) {
            og_result blocks = solve_blocks(arms, fold, 1, words);
            test_assert_msg(same_bits(blocks.gain, recursion.gain) &&
                                same_bits(blocks.value, recursion.value) &&
                                same_bits(blocks.error_bound, recursion.error_bound),
                            "%s: use %u: gain %.17g +- %g, the recursion %.17g +- %g", words, fold,
                            blocks.gain, blocks.error_bound, recursion.gain, recursion.error_bound);
        }
        og_arms_free(arms);
    }
}

/* Posteriors of different arms that are equal with one label left and never again: the order in
 * which outcomes are added up changes once more where nothing else does. */
OG_TEST_LOOP(layers_are_settled_only_when_their_order_is, 0, 3)
{
    static const struct {
        const char *words;
        int32_t budget;
        og_objective objective;
    } rows[] = {{"2x0.3,0.7 0.7,0.3", 7, OG_OBJECTIVE_BANDIT},
                {"5x0.3,0.7 0.7,0.3", 7, OG_OBJECTIVE_BANDIT},
                {"1,2@0.4 2,2@0.6", 13, OG_OBJECTIVE_CALLS}};
    og_groups problem;
    test_problem(rows[_i].words, rows[_i].budget, &problem);
    problem.objective = rows[_i].objective;
    og_arms *arms = question_arms(&problem, rows[_i].words);
    og_result recursion =
        solve_recursion(arms, OG_REDUCE_ALL & ~(OG_REDUCE_FORCE | OG_REDUCE_TWO), rows[_i].words);
    og_result blocks = solve_blocks(arms, OG_BLOCKS_FOLD, 1, rows[_i].words);
    ck_assert_msg(same_bits(blocks.value, recursion.value), "%.17g, the recursion %.17g",
                  blocks.value, recursion.value);
    og_arms_free(arms);
    og_groups_clear(&problem);
}

OG_TEST(every_saving_keeps_the_value)
{
    uint64_t seed = test_seed(1502);
    random_source source = random_start(seed);
    double fewer[OG_BLOCKS_ALL + 1] = {0}, by_two = 0, last = 0;
    for (int round = 0; round < test_cases(500); round++) {
        char words[512];
        og_arms *arms = random_arms(&source, seed, round, words);
        og_result recursion = solve_recursion(arms, OG_REDUCE_ALL, words);
        og_result plain = solve_blocks(arms, 0, 1, words);
        for (unsigned use = 0; use <= OG_BLOCKS_ALL; use++) {
            og_result blocks = solve_blocks(arms, use, 1, words);
            assert_near(&blocks, &recursion, words, use);
            fewer[use] += blocks.states < plain.states;
            by_two += use == OG_BLOCKS_ALL && (double)blocks.states < last;
            last = use == (OG_BLOCKS_ALL & ~OG_BLOCKS_TWO) ? (double)blocks.states : last;
            og_result others = solve_blocks(arms, use, 2 + round % 3, words);
            test_assert_msg(same_bits(blocks.gain, others.gain), "%s: use %u: threads", words, use);
        }
        og_arms_free(arms);
    }
    for (unsigned use = 1; use <= OG_BLOCKS_ALL; use++) {
        bool saves = use != OG_BLOCKS_TWO; /* copies are groups where they are folded */
        ck_assert_msg(!saves || fewer[use] > 0, "use %u never saved a state", use);
    }
    ck_assert_msg(by_two > 0, "two copies never saved a state");
}

OG_TEST(known_values)
{
    static const struct {
        const char *words;
        int32_t budget;
        double value;
    } known[] = {
        {"3x1,1", 100, 2.851506860636166},
        {"10x1,1", 30, 0},
        {"20x1,1", 60, 16.73994794713499},
        {"50x1,1", 90, 0},
        {"20x2,2", 40, 0},
        {"12x1,1 3x2,1", 32, 0},
        {"4x1,1@0.7", 20, 0},
        {"5x1,1 5x2,1", 18, 0},
        {"3x1,1,1", 12, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        question q = question_of(known[i].words, known[i].budget);
        double value = known[i].value;
        if (value == 0) {
            value = solve_recursion(q.arms, OG_REDUCE_ALL & ~OG_REDUCE_TWO, q.words).value;
        }
        og_result result = solve_blocks(q.arms, OG_BLOCKS_ALL, 2, q.words);
        ck_assert_msg(fabs(result.value - value) < 1e-14 * value, "%s: %.17g, not %.17g", q.words,
                      result.value, value);
        question_free(&q);
    }
}

OG_TEST_LOOP(large_layers_have_the_same_bits_on_any_number_of_threads, 0,
             test_is_sanitized() ? 0 : 5)
{
    static const struct {
        const char *words;
        int32_t budget;
        bool bandit;
    } large[] = {{"3x1,1", 90, false},
                 {"10x1,1", 44, false},
                 {"2x1,1", 130, true},
                 {"4x1,1,1", 14, false},
                 {"5x1,1 5x1,1@0.7", 24, false}};
    size_t i = (size_t)_i;
    og_groups problem;
    test_problem(large[i].words, large[i].budget, &problem);
    problem.objective = large[i].bandit ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    og_arms *arms = question_arms(&problem, large[i].words);
    og_result one = solve_blocks(arms, OG_BLOCKS_ALL, 1, large[i].words);
    for (int threads = 2; threads <= 4; threads += 2) {
        og_result more = solve_blocks(arms, OG_BLOCKS_ALL, threads, large[i].words);
        ck_assert_msg(same_bits(one.gain, more.gain), "%s: %d threads: %.17g, not %.17g",
                      large[i].words, threads, more.gain, one.gain);
    }
    og_arms_free(arms);
    og_groups_clear(&problem);
}

OG_TEST(first_labels_are_worth_what_the_recursion_says)
{
    uint64_t seed = test_seed(1503);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(500); round++) {
        char words[512];
        og_arms *arms = random_arms(&source, seed, round, words);
        unsigned use = OG_BLOCKS_Q + (unsigned)random_below(&source, OG_BLOCKS_ALL + 1);
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        og_blocks *blocks = NULL;
        og_solver *solver = NULL;
        og_result result;
        double q[16], error[16], expected[16], expected_error[16];
        question_ok(og_blocks_new(arms, use, &settings, NULL, &blocks, &message), &message, words);
        question_ok(og_blocks_solve(blocks, &result, &message), &message, words);
        question_ok(og_solver_new(arms, &settings, &solver, &message), &message, words);
        if (arms->budget == 0) {
            ck_assert_int_eq(og_blocks_q(blocks, q, error, &message), OG_BAD_INPUT);
        } else {
            question_ok(og_blocks_q(blocks, q, error, &message), &message, words);
            question_ok(og_solver_q(solver, expected, expected_error, &message), &message, words);
        }
        for (int32_t g = 0; g < arms->group_count && arms->budget > 0; g++) {
            test_assert_msg(fabs(q[g] - expected[g]) <= error[g] + expected_error[g],
                            "%s: use %u: Q of group %d is %.17g, not %.17g", words, use, g, q[g],
                            expected[g]);
        }
        og_solver_free(solver);
        og_blocks_free(blocks);
        og_arms_free(arms);
    }
}

/* A state that random labels lead to; groups of one instance each. */
static og_state random_state(random_source *source, const og_arms *arms, og_state_group group[64])
{
    og_state state = {arms->budget, arms->budget, 0, group};
    for (int32_t g = 0; g < arms->group_count; g++) {
        for (int64_t i = 0; i < arms->group_size[g]; i++) {
            group[state.count++] = (og_state_group){arms->arm_of_group[g], 0, 1};
        }
    }
    uint32_t labels = random_below(source, (uint32_t)arms->budget + 1);
    for (uint32_t i = 0; i < labels; i++, state.left--) {
        og_state_group *labelled = &group[random_below(source, (uint32_t)state.count)];
        const og_arm *arm = arms->arm[labelled->arm];
        uint32_t outcome = random_below(source, (uint32_t)arm->outcome_count);
        labelled->node = arm->next[labelled->node * (uint32_t)arm->outcome_count + outcome];
    }
    return state;
}

OG_TEST(kept_layers_know_later_states)
{
    uint64_t seed = test_seed(1504);
    random_source source = random_start(seed);
    int known = 0, asked = 0;
    for (int round = 0; round < test_cases(500); round++) {
        char words[512];
        og_arms *arms = random_arms(&source, seed, round, words);
        unsigned use = OG_BLOCKS_KEEP | OG_BLOCKS_FOLD | random_below(&source, OG_BLOCKS_ALL + 1);
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        og_blocks *blocks = NULL;
        og_solver *solver = NULL;
        og_result result;
        question_ok(og_blocks_new(arms, use, &settings, NULL, &blocks, &message), &message, words);
        question_ok(og_blocks_solve(blocks, &result, &message), &message, words);
        question_ok(og_solver_new(arms, &settings, &solver, &message), &message, words);
        double relative = og_blocks_relative_error(blocks) + og_solver_relative_error(solver);
        for (int i = 0; i < 10; i++, asked++) {
            og_state_group group[64];
            og_state state = random_state(&source, arms, group);
            double gain, expected;
            if (og_blocks_value_at(blocks, &state, &gain, &message) != OG_OK) {
                continue;
            }
            known++;
            question_ok(og_solver_value_at(solver, &state, &expected, &message), &message, words);
            test_assert_msg(fabs(gain - expected) <= 2 * relative * expected,
                            "%s: use %u: %d left: %.17g, not %.17g", words, use, state.left, gain,
                            expected);
        }
        og_solver_free(solver);
        og_blocks_free(blocks);
        og_arms_free(arms);
    }
    ck_assert_msg(known > asked / 4, "%d of %d states are known", known, asked);
}

OG_TEST(the_generating_function_counts_the_states)
{
    static const char *const words[] = {"3x1,1", "6x1,1", "20x1,1", "2x1,1 3x2,2", "4x2,1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        for (int32_t budget = 0; budget <= 24; budget += 3) {
            question q = question_of(words[i], budget);
            og_settings settings = question_settings(OG_REDUCE_ALL, 1);
            og_message message = {""};
            og_blocks_size counted, some;
            question_ok(og_blocks_count(q.arms, INFINITY, &settings, &counted, &message), &message,
                        q.words);
            question_ok(og_blocks_count(q.arms, 10, &settings, &some, &message), &message, q.words);
            ck_assert(some.states <= counted.states && (some.states > 10 || counted.states <= 10));
            for (unsigned use = OG_BLOCKS_FOLD; use <= OG_BLOCKS_ALL;
                 use = (use + 1) | OG_BLOCKS_FOLD) {
                og_blocks *blocks = NULL;
                og_blocks_size size;
                question_ok(og_blocks_new(q.arms, use, &settings, NULL, &blocks, &message),
                            &message, q.words);
                og_blocks_get_size(blocks, &size);
                bool right = use == OG_BLOCKS_FOLD ? size.states == counted.states
                                                   : size.states <= counted.states;
                ck_assert_msg(right, "%s: use %u: %g states, counted %g", q.words, use, size.states,
                              counted.states);
                og_blocks_free(blocks);
            }
            question_free(&q);
        }
    }
}

typedef struct {
    int calls, most;
    og_progress last;
} watcher;

static bool watch(void *user, const og_progress *progress)
{
    watcher *w = user;
    w->last = *progress;
    w->calls += progress->states > 0; /* not yet while they are counted */
    return w->calls < w->most;
}

OG_TEST(a_watch_stops_the_work)
{
    question q = question_of("10x1,1", 50);
    watcher w = {.most = 1};
    og_settings settings = question_settings(OG_REDUCE_ALL, 2);
    settings.watch = watch;
    settings.watch_user = &w;
    og_stop stop;
    og_stop_take(&stop, &settings);
    og_message message = {""};
    og_blocks *blocks = NULL;
    og_result result = {.gain = 7};
    question_ok(
        og_blocks_new(q.arms, OG_BLOCKS_ALL & ~OG_BLOCKS_TWO, &settings, NULL, &blocks, &message),
        &message, q.words);
    og_blocks_size size;
    og_blocks_get_size(blocks, &size);
    ck_assert_int_eq(og_blocks_solve(blocks, &result, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "stopped after") != NULL, "%s", message.text);
    ck_assert(w.calls == 1 && w.last.settled >= 0 && w.last.settled < 1);
    ck_assert(result.states > 0 && (double)result.states < size.states && result.gain == 0);
    og_blocks_free(blocks);
    question_free(&q);
}

OG_TEST(limits_are_kept)
{
    question q = question_of("10x1,1", 40);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_blocks *blocks = NULL;
    settings.states_max = 900000;
    ck_assert_int_eq(
        og_blocks_new(q.arms, OG_BLOCKS_ALL & ~OG_BLOCKS_TWO, &settings, NULL, &blocks, &message),
        OG_STOPPED);
    ck_assert_msg(strstr(message.text, "limit on states") != NULL, "%s", message.text);
    settings.states_max = 0;
    for (uint64_t bytes = 1; bytes < 5000000; bytes = bytes * 3 / 2 + 1) {
        settings.memory_bytes = bytes;
        ck_assert_int_eq(og_blocks_new(q.arms, OG_BLOCKS_ALL & ~OG_BLOCKS_TWO, &settings, NULL,
                                       &blocks, &message),
                         OG_STOPPED);
        ck_assert_msg(strstr(message.text, "memory limit") != NULL, "%s", message.text);
    }
    ck_assert_ptr_null(blocks);
    settings.memory_bytes = 12000000;
    question_ok(
        og_blocks_new(q.arms, OG_BLOCKS_ALL & ~OG_BLOCKS_TWO, &settings, NULL, &blocks, &message),
        &message, q.words);
    og_result result;
    question_ok(og_blocks_solve(blocks, &result, &message), &message, q.words);
    double first = result.gain;
    ck_assert(result.memory_bytes < settings.memory_bytes);
    question_ok(og_blocks_solve(blocks, &result, &message), &message, q.words);
    ck_assert(same_bits(first, result.gain));
    og_blocks_free(blocks);
    question_free(&q);
}
