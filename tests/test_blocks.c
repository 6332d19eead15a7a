/*
 * The second engine against the recursion: with no saving the same bits, with any saving a value
 * within both bounds; every number of threads and ranks the same bits, in memory, in files and from
 * checkpoints; limits, watches, first labels. Usual arms, and arms whose nodes offer several
 * actions of several costs, which test_arm_actions holds against the definition.
 */
#include <unistd.h>

#include "dp/product/blocks/blocks.h"
#include "dp/product/optimum/optimum.h"
#include "tests/question.h"
#include "tests/random_actions.h"
#include "tests/ranks.h"
#include "tests/support.h"

OG_SUITE(blocks, 60);

static const unsigned plain_reductions =
    OG_REDUCE_ALL & ~(unsigned)(OG_REDUCE_FORCE | OG_REDUCE_TWO);

enum { USUAL, ACTIONS, KINDS };

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static og_blocks *solve_with(const og_arms *arms, unsigned use, const og_settings *settings,
                             og_result *result, const char *words)
{
    og_message message = {""};
    og_blocks *blocks = NULL;
    og_blocks_size size;
    question_ok(og_blocks_new(arms, use, settings, NULL, &blocks, &message), &message, words);
    question_ok(og_blocks_solve(blocks, result, &message), &message, words);
    og_blocks_get_size(blocks, &size);
    test_assert_msg(result->states == size.states, "%s: %" PRIu64 " states of %g", words,
                    result->states, size.states);
    return blocks;
}

static og_result solve_blocks(const og_arms *arms, unsigned use, int threads, const char *words)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    og_result result = {0};
    og_blocks_free(solve_with(arms, use, &settings, &result, words));
    return result;
}

static og_result solve_recursion(const og_arms *arms, unsigned reductions, const char *words)
{
    og_settings settings = question_settings(reductions, 1);
    return question_solve(arms, &settings, words);
}

static void assert_near(const og_result *x, const og_result *y, const char *words, unsigned use)
{
    double bound = x->error_bound + y->error_bound;
    test_assert_msg(fabs(x->gain - y->gain) <= bound && fabs(x->value - y->value) <= bound,
                    "%s: use %u: gain %.17g, the recursion %.17g", words, use, x->gain, y->gain);
}

/* Any prior: Betas and mixtures, bandits, classes. */
static og_arms *usual_arms(random_source *source, uint64_t seed, int round, char words[512])
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
                                .worths = round % 8 == 3,
                                .bandit = round % 8 == 4};
        random_problem(source, &limits, &problem);
    }
    problem_format(&problem, plain, sizeof plain);
    snprintf(words, 512, "%s (TEST_SEED=%" PRIu64 ", case %d)", plain, seed, round);
    og_arms *arms = question_arms(&problem, words);
    og_groups_clear(&problem);
    return arms;
}

/* Sources with one price, with several, with limits on labels, with accuracy 1, with prices that do
 * not divide the budget, and with unaffordable prices. */
static const char *const source_sets[] = {
    "4/5:1",           "7/10:1 4/5:1",          "7/10:1 9/10:2",  "3/5:1 7/10:2 19/20:5",
    "2/3:2 9/10:3",    "7/10:1:1 4/5:3",        "7/10:3:2 1/1:4", "3/5:2:1 7/10:2:1 4/5:2:1",
    "1/2:1 4/5:2",     "7/10:1 1/10:1 4/5:100", "2/3:3 4/5:5:1",  "7/10:1 7/10:1 7/10:2",
    "51/100:1 11/20:1"};
enum { SOURCE_SETS = sizeof source_sets / sizeof *source_sets };
static const char *const instance_sets[] = {"1,1",     "3x1,1",       "2x1,1 2,1", "2x1,1 2x1,2",
                                            "1,1 3,2", "2x3,1 2x1,1", "4x1,1",     "1,3 3,1 1,1"};
enum { INSTANCE_SETS = sizeof instance_sets / sizeof *instance_sets };

/* Random arms, exact and rounded; usual ones in other words; sources. */
static og_arms *arms_with_actions(random_source *source, uint64_t seed, int round, char words[512])
{
    og_arms *arms = NULL;
    int32_t budget = (int32_t)random_below(source, 9);
    snprintf(words, 512, "TEST_SEED=%" PRIu64 ", case %d", seed, round);
    if (round % 4 < 2) {
        return random_actions(source, budget, round % 4 == 0);
    }
    og_groups problem;
    og_message message = {""};
    if (round % 4 == 2) {
        random_limits limits = {.instances = 5, .budget = 9};
        random_problem(source, &limits, &problem);
        og_arms *usual = question_arms(&problem, words);
        arms = rewritten_arms(usual);
        og_arms_free(usual);
    } else {
        og_sources sources = sources_of(source_sets[random_below(source, SOURCE_SETS)]);
        test_problem(instance_sets[random_below(source, INSTANCE_SETS)], budget, &problem);
        question_ok(
            og_arms_new_sources(&problem, &sources, 1, QUESTION_MEMORY_BYTES, &arms, &message),
            &message, words);
    }
    og_groups_clear(&problem);
    return arms;
}

static og_arms *random_arms(int kind, random_source *source, uint64_t seed, int round,
                            char words[512])
{
    return kind == USUAL ? usual_arms(source, seed, round, words)
                         : arms_with_actions(source, seed, round, words);
}

OG_TEST_LOOP(blocks_have_the_bits_of_the_recursion, 0, KINDS)
{
    uint64_t seed = test_seed(_i == USUAL ? 1501 : 1801);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(_i == USUAL ? 2000 : 1200); round++) {
        char words[512];
        OWN(og_arms) *arms = random_arms(_i, &source, seed, round, words);
        og_result recursion = solve_recursion(arms, plain_reductions, words);
        for (unsigned fold = 0; fold <= OG_BLOCKS_FOLD; fold += OG_BLOCKS_FOLD) {
            og_result blocks = solve_blocks(arms, fold, 1, words);
            test_assert_msg(
                same_bits(blocks.gain, recursion.gain) &&
                    same_bits(blocks.value, recursion.value) &&
                    (_i != USUAL || same_bits(blocks.error_bound, recursion.error_bound)),
                "%s: use %u: gain %.17g +- %g, the recursion %.17g +- %g", words, fold, blocks.gain,
                blocks.error_bound, recursion.gain, recursion.error_bound);
        }
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
    OWN(og_groups) problem;
    test_problem(rows[_i].words, rows[_i].budget, &problem);
    problem.objective = rows[_i].objective;
    OWN(og_arms) *arms = question_arms(&problem, rows[_i].words);
    og_result recursion = solve_recursion(arms, plain_reductions, rows[_i].words);
    og_result blocks = solve_blocks(arms, OG_BLOCKS_FOLD, 1, rows[_i].words);
    ck_assert_msg(same_bits(blocks.value, recursion.value), "%.17g, the recursion %.17g",
                  blocks.value, recursion.value);
}

OG_TEST_LOOP(every_saving_keeps_the_value, 0, KINDS)
{
    uint64_t seed = test_seed(_i == USUAL ? 1502 : 1802);
    random_source source = random_start(seed);
    double fewer[OG_BLOCKS_ALL + 1] = {0}, by_two = 0, last = 0;
    for (int round = 0; round < test_cases(_i == USUAL ? 500 : 200); round++) {
        char words[512];
        OWN(og_arms) *arms = random_arms(_i, &source, seed, round, words);
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
    }
    ck_assert_msg(fewer[OG_BLOCKS_FOLD | OG_BLOCKS_FORCE] > 0, "no type was ever forced");
    for (unsigned use = 1; _i == USUAL && use <= OG_BLOCKS_ALL; use++) {
        bool saves = use != OG_BLOCKS_TWO; /* copies are groups where they are folded */
        ck_assert_msg(!saves || fewer[use] > 0, "use %u never saved a state", use);
    }
    ck_assert_msg(by_two > 0 || _i != USUAL, "two copies never saved a state");
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
        OWN(question) q = question_of(known[i].words, known[i].budget);
        double value = known[i].value;
        if (value == 0) {
            value = solve_recursion(q.arms, OG_REDUCE_ALL & ~OG_REDUCE_TWO, q.words).value;
        }
        og_result result = solve_blocks(q.arms, OG_BLOCKS_ALL, 2, q.words);
        ck_assert_msg(fabs(result.value - value) < 1e-14 * value, "%s: %.17g, not %.17g", q.words,
                      result.value, value);
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
    OWN(og_groups) problem;
    test_problem(large[i].words, large[i].budget, &problem);
    problem.objective = large[i].bandit ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    OWN(og_arms) *arms = question_arms(&problem, large[i].words);
    og_result one = solve_blocks(arms, OG_BLOCKS_ALL, 1, large[i].words);
    for (int threads = 2; threads <= 4; threads += 2) {
        og_result more = solve_blocks(arms, OG_BLOCKS_ALL, threads, large[i].words);
        ck_assert_msg(same_bits(one.gain, more.gain), "%s: %d threads: %.17g, not %.17g",
                      large[i].words, threads, more.gain, one.gain);
    }
}

/* A larger problem, whose layers are swept by threads. */
static og_arms *large_arms(const char *instances, int32_t budget, const char *sources)
{
    og_sources from = sources_of(sources);
    og_groups problem;
    og_arms *arms = NULL;
    og_message message = {""};
    test_problem(instances, budget, &problem);
    question_ok(og_arms_new_sources(&problem, &from, 1, QUESTION_MEMORY_BYTES, &arms, &message),
                &message, sources);
    og_groups_clear(&problem);
    return arms;
}

static const struct {
    const char *instances, *sources;
    int32_t budget;
} bought[] = {{"4x1,1", "7/10:1 9/10:3", 24},
              {"3x1,1 2x2,1", "7/10:2 4/5:3", 26},
              {"3x1,1", "3/5:1 7/10:2 19/20:5", 24}};

OG_TEST_LOOP(large_layers_of_sources_have_the_bits_of_the_recursion, 0, test_is_sanitized() ? 0 : 3)
{
    OWN(og_arms) *arms = large_arms(bought[_i].instances, bought[_i].budget, bought[_i].sources);
    og_result recursion = solve_recursion(arms, plain_reductions, bought[_i].sources);
    for (int threads = 1; threads <= 4; threads *= 2) {
        og_result blocks = solve_blocks(arms, OG_BLOCKS_FOLD, threads, bought[_i].sources);
        ck_assert_msg(same_bits(blocks.value, recursion.value), "%d threads: %.17g, not %.17g",
                      threads, blocks.value, recursion.value);
    }
}

OG_TEST_LOOP(first_labels_are_worth_what_the_recursion_says, 0, KINDS)
{
    uint64_t seed = test_seed(_i == USUAL ? 1503 : 1803);
    random_source source = random_start(seed);
    for (int round = 0; round < test_cases(_i == USUAL ? 500 : 300); round++) {
        char words[512];
        OWN(og_arms) *arms = random_arms(_i, &source, seed, round, words);
        unsigned use = OG_BLOCKS_Q + (unsigned)random_below(&source, OG_BLOCKS_ALL + 1);
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        OWN(og_solver) *solver = NULL;
        og_result result;
        double q[16], error[16], expected[16], expected_error[16];
        OWN(og_blocks) *blocks = solve_with(arms, use, &settings, &result, words);
        question_ok(og_solver_new(arms, &settings, &solver, &message), &message, words);
        if (arms->budget == 0) {
            ck_assert_int_eq(og_blocks_q(blocks, q, error, &message), OG_BAD_INPUT);
        }
        for (int32_t g = 0; g < arms->group_count && arms->budget > 0; g++) {
            question_ok(og_blocks_q(blocks, q, error, &message), &message, words);
            question_ok(og_solver_q(solver, expected, expected_error, &message), &message, words);
            test_assert_msg(fabs(q[g] - expected[g]) <= error[g] + expected_error[g],
                            "%s: use %u: Q of group %d is %.17g, not %.17g", words, use, g, q[g],
                            expected[g]);
        }
    }
}

/* A state that random actions lead to; groups of one instance each. */
static og_state random_state(random_source *source, const og_arms *arms, og_state_group group[64])
{
    og_state state = {arms->budget, arms->budget, 0, group};
    for (int32_t g = 0; g < arms->group_count; g++) {
        for (int64_t i = 0; i < arms->group_size[g]; i++) {
            group[state.count++] = (og_state_group){arms->arm_of_group[g], 0, 1};
        }
    }
    uint32_t steps = random_below(source, (uint32_t)arms->budget + 1);
    for (uint32_t i = 0; i < steps; i++) {
        og_state_group *asked = &group[random_below(source, (uint32_t)state.count)];
        const og_arm *arm = arms->arm[asked->arm];
        if (asked->node >= arm->level[arm->depth]) {
            continue;
        }
        uint32_t first = og_arm_first_action(arm, asked->node);
        uint32_t count = og_arm_first_action(arm, asked->node + 1) - first;
        uint32_t action = count > 0 ? first + random_below(source, count) : 0;
        int32_t cost = count > 0 && arm->cost != NULL ? arm->cost[action] : 1;
        uint32_t outcomes = (uint32_t)arm->outcome_count;
        uint32_t at = action * outcomes + random_below(source, outcomes);
        if (count > 0 && cost <= state.left && arm->probability[at] > 0) {
            asked->node = arm->next[at];
            state.left -= cost;
        }
    }
    return state;
}

OG_TEST_LOOP(kept_layers_know_later_states, 0, KINDS)
{
    uint64_t seed = test_seed(_i == USUAL ? 1504 : 1804);
    random_source source = random_start(seed);
    int known = 0, asked = 0;
    for (int round = 0; round < test_cases(_i == USUAL ? 500 : 300); round++) {
        char words[512];
        OWN(og_arms) *arms = random_arms(_i, &source, seed, round, words);
        unsigned use = OG_BLOCKS_KEEP | OG_BLOCKS_FOLD | random_below(&source, OG_BLOCKS_ALL + 1);
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        og_message message = {""};
        OWN(og_solver) *solver = NULL;
        og_result result;
        OWN(og_blocks) *blocks = solve_with(arms, use, &settings, &result, words);
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
    }
    ck_assert_msg(known > asked / 4, "%d of %d states are known", known, asked);
}

OG_TEST(the_generating_function_counts_the_states)
{
    static const char *const words[] = {"3x1,1", "6x1,1", "20x1,1", "2x1,1 3x2,2", "4x2,1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        for (int32_t budget = 0; budget <= 24; budget += 3) {
            OWN(question) q = question_of(words[i], budget);
            og_settings settings = question_settings(OG_REDUCE_ALL, 1);
            og_message message = {""};
            og_blocks_size counted, some;
            question_ok(og_blocks_count(q.arms, INFINITY, &settings, &counted, &message), &message,
                        q.words);
            question_ok(og_blocks_count(q.arms, 10, &settings, &some, &message), &message, q.words);
            ck_assert(some.states <= counted.states && (some.states > 10 || counted.states <= 10));
            for (unsigned use = OG_BLOCKS_FOLD; use <= OG_BLOCKS_ALL;
                 use = (use + 1) | OG_BLOCKS_FOLD) {
                OWN(og_blocks) *blocks = NULL;
                og_blocks_size size;
                question_ok(og_blocks_new(q.arms, use, &settings, NULL, &blocks, &message),
                            &message, q.words);
                og_blocks_get_size(blocks, &size);
                bool right = use == OG_BLOCKS_FOLD ? size.states == counted.states
                                                   : size.states <= counted.states;
                ck_assert_msg(right, "%s: use %u: %g states, counted %g", q.words, use, size.states,
                              counted.states);
            }
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
    OWN(question) q = question_of("10x1,1", 50);
    watcher w = {.most = 1};
    og_settings settings = question_settings(OG_REDUCE_ALL, 2);
    settings.watch = watch;
    settings.watch_user = &w;
    og_stop stop;
    og_stop_take(&stop, &settings);
    og_message message = {""};
    OWN(og_blocks) *blocks = NULL;
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
}

OG_TEST(limits_are_kept)
{
    OWN(question) q = question_of("10x1,1", 40);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    OWN(og_blocks) *blocks = NULL;
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
}

/* ---- ranks, files, checkpoints ---- */

enum { RANKS = 3 };

typedef struct {
    const og_arms *arms;
    int threads;
    og_status status[RANKS];
    og_result result[RANKS];
    og_message message[RANKS];
} work;

static void by_blocks(void *user, const og_world *world)
{
    work *w = user;
    int i = world->rank;
    og_settings settings = question_settings(OG_REDUCE_ALL, w->threads);
    settings.world = world;
    OWN(og_blocks) *blocks = NULL;
    w->status[i] = og_blocks_new(w->arms, OG_BLOCKS_ALL, &settings, NULL, &blocks, &w->message[i]);
    if (w->status[i] == OG_OK) {
        w->status[i] = og_blocks_solve(blocks, &w->result[i], &w->message[i]);
    }
}

OG_TEST(ranks_and_files_have_the_same_bits)
{
    uint64_t seed = test_seed(1805);
    random_source source = random_start(seed);
    char folder[] = "blocks-actions-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int round = 0; round < test_cases(60); round++) {
        char words[512];
        OWN(og_arms) *arms = random_arms(ACTIONS, &source, seed, round, words);
        og_result alone = solve_blocks(arms, OG_BLOCKS_ALL, 1, words), kept = {0};
        work w = {.arms = arms, .threads = 1 + round % 2};
        ranks_run(RANKS, round % 2 == 0 ? 3 : OG_WORLD_PARCEL, by_blocks, &w);
        for (int i = 0; i < RANKS; i++) {
            question_ok(w.status[i], &w.message[i], words);
            test_assert_msg(
                same_bits(w.result[i].value, alone.value) && w.result[i].states == alone.states,
                "%s: rank %d: %.17g, not %.17g", words, i, w.result[i].value, alone.value);
        }
        og_settings settings = question_settings(OG_REDUCE_ALL, 1 + round % 2);
        settings.scratch = folder;
        og_blocks_free(solve_with(arms, OG_BLOCKS_ALL | OG_BLOCKS_FILES, &settings, &kept, words));
        test_assert_msg(same_bits(kept.value, alone.value), "%s: in files %.17g, not %.17g", words,
                        kept.value, alone.value);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

static bool after_some(void *user, const og_progress *progress)
{
    double *share = user;
    return progress->settled < *share;
}

/* Solves the problem piece by piece, each from the checkpoint of the one before. Returns how many
 * there were. */
static int solve_in_pieces(og_arms *arms, const char *words)
{
    char file[64];
    double share = 0;
    og_result found = {0}, alone = solve_blocks(arms, OG_BLOCKS_ALL, 1, "alone");
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    snprintf(file, sizeof file, "blocks-actions-%d.checkpoint", (int)getpid());
    settings.checkpoint = file;
    og_stop stop;
    og_stop_init(&stop, after_some, &share);
    settings.watch = og_stop_watch;
    settings.watch_user = &stop;
    og_status status = OG_STOPPED;
    int pieces = 0;
    for (; status == OG_STOPPED && pieces < 200; pieces++) {
        OWN(og_blocks) *blocks = NULL;
        share += 0.25;
        og_stop_extend(&stop, INFINITY);
        status = og_blocks_new(arms, OG_BLOCKS_ALL, &settings, NULL, &blocks, &message);
        if (status == OG_OK) {
            status = og_blocks_solve(blocks, &found, &message);
        }
    }
    unlink(file);
    question_ok(status, &message, words);
    ck_assert_msg(same_bits(found.value, alone.value), "%.17g, not %.17g", found.value,
                  alone.value);
    return pieces;
}

/* Layers with costs 1 and 3, 2 and 3, 1, 2 and 5. The watch is called ten times a second, and a
 * fast machine may finish earlier: the budget grows until it does not. */
OG_TEST_LOOP(what_was_stopped_goes_on, 0, 3)
{
    int pieces = 1;
    for (int32_t budget = 32; pieces == 1; budget += 4) {
        OWN(og_arms) *arms = large_arms(bought[_i].instances, budget, bought[_i].sources);
        pieces = solve_in_pieces(arms, bought[_i].sources);
    }
}

/* ---- limits, and who decides ---- */

OG_TEST(limits_of_sources_are_kept)
{
    OWN(og_arms) *arms = large_arms("4x1,1", 24, "7/10:1 9/10:3");
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_blocks *blocks = NULL;
    og_result whole = solve_blocks(arms, OG_BLOCKS_ALL, 1, "whole"), found = {0};
    settings.memory_bytes = whole.memory_bytes - 1;
    ck_assert_int_eq(og_blocks_new(arms, OG_BLOCKS_ALL, &settings, NULL, &blocks, &message),
                     OG_STOPPED);
    ck_assert_msg(strstr(message.text, "memory limit") != NULL, "%s", message.text);
    settings.memory_bytes = whole.memory_bytes + 1;
    og_blocks_free(solve_with(arms, OG_BLOCKS_ALL, &settings, &found, "at the limit"));
    ck_assert(same_bits(found.value, whole.value));
    settings.memory_bytes = QUESTION_MEMORY_BYTES;
    settings.states_max = whole.states / 2;
    bool too_many = false;
    ck_assert_int_eq(og_blocks_new(arms, OG_BLOCKS_ALL, &settings, &too_many, &blocks, &message),
                     OG_STOPPED);
    ck_assert(too_many);
}

OG_TEST(either_engine_can_be_asked_for)
{
    OWN(og_arms) *arms = large_arms("4x1,1", 24, "7/10:1 9/10:3");
    static const og_engine engines[] = {OG_ENGINE_RECURSION, OG_ENGINE_BLOCKS, OG_ENGINE_AUTO};
    og_result result[3];
    for (int i = 0; i < 3; i++) {
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        OWN(og_optimum) *optimum = NULL;
        og_message message = {""};
        settings.engine = engines[i];
        question_ok(og_optimum_new(arms, &settings, &optimum, &message), &message, "engine");
        question_ok(og_optimum_value(optimum, &result[i], &message), &message, "engine");
    }
    ck_assert(!result[0].by_blocks && result[1].by_blocks && result[2].by_blocks);
    for (int i = 1; i < 3; i++) {
        ck_assert_double_le(fabs(result[i].value - result[0].value),
                            result[i].error_bound + result[0].error_bound);
    }
}

/* Prices 1 to 65, each in a separate group. */
OG_TEST(too_many_prices_are_refused)
{
    enum { PRICES = 65 };
    og_sources sources[PRICES];
    int32_t of_group[PRICES];
    OWN(og_groups) problem;
    OWN(og_arms) *arms = NULL;
    og_blocks *blocks = NULL;
    og_message message = {""};
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    char words[PRICES * 8] = "";
    for (int i = 0; i < PRICES; i++) {
        char text[32];
        snprintf(text, sizeof text, "4/5:%d", i + 1);
        sources[i] = sources_of(text);
        of_group[i] = i;
        strcat(words, i > 0 ? " 1,1" : "1,1");
    }
    test_problem(words, PRICES, &problem);
    question_ok(
        og_arms_new_sources_of(&problem, sources, PRICES, of_group, &settings, &arms, &message),
        &message, "prices");
    ck_assert_int_eq(og_blocks_new(arms, OG_BLOCKS_ALL, &settings, NULL, &blocks, &message),
                     OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "different prices") != NULL, "%s", message.text);
}
