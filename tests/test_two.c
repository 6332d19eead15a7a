/*
 * Two copies of the best arm force the label: the optimum is the same with and without, and takes
 * the states that the theorem promises.
 */
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(two, 60);

static og_result solve(const og_arms *arms, unsigned reductions, const char *words)
{
    og_settings settings = question_settings(reductions, 1);
    return question_solve(arms, &settings, words);
}

OG_TEST(the_value_is_the_same_without_it)
{
    uint64_t seed = test_seed(1601);
    random_source source = random_start(seed);
    int fired = 0;
    for (int round = 0; round < test_cases(3000); round++) {
        random_limits limits = {.instances = round % 2 == 0 ? 5 : 8,
                                .budget = round % 2 == 0 ? 10 : 7,
                                .integers = round % 3 > 0,
                                .halves = round % 4 > 0,
                                .payoffs = round % 5 == 2,
                                .mixtures = round % 16 == 5,
                                .bandit = round % 16 == 9};
        OWN(og_groups) problem;
        char plain[400], words[512];
        random_problem(&source, &limits, &problem);
        problem_format(&problem, plain, sizeof plain);
        snprintf(words, sizeof words, "%s (TEST_SEED=%" PRIu64 ", case %d)", plain, seed, round);
        OWN(og_arms) *arms = question_arms(&problem, words);
        unsigned other =
            (random_below(&source, OG_REDUCE_ALL + 1) | OG_REDUCE_SORT) & ~(unsigned)OG_REDUCE_TWO;
        og_result without = solve(arms, other & ~OG_REDUCE_BOUND, words);
        og_result with = solve(arms, (other & ~OG_REDUCE_BOUND) | OG_REDUCE_TWO, words);
        og_result bounded = solve(arms, other | OG_REDUCE_BOUND | OG_REDUCE_TWO, words);
        double bound = with.error_bound + without.error_bound;
        test_assert_msg(
            fabs(with.gain - without.gain) <= bound && fabs(bounded.gain - without.gain) <= bound,
            "%s: reductions %u: %.17g, not %.17g", words, other, with.gain, without.gain);
        test_assert_msg(with.states <= without.states, "%s: more states", words);
        fired += with.states < without.states;
    }
    ck_assert_msg(fired > test_cases(50), "only %d problems took fewer states", fired);
}

OG_TEST(many_alike_take_few_states)
{
    static const struct {
        const char *words;
        int32_t budget;
        uint64_t states;
    } known[] = {{"50x1,1", 90, 700},  {"50x1,1", 100, 1100}, {"50x1,1", 110, 2500},
                 {"20x1,1", 50, 1400}, {"20x3,3", 50, 1400},  {"30x2,2", 66, 700}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        OWN(question) q = question_of(known[i].words, known[i].budget);
        og_result result = solve(q.arms, OG_REDUCE_ALL, q.words);
        ck_assert_msg(result.states <= known[i].states, "%s: %" PRIu64 " states", q.words,
                      result.states);
        if (i == 0 || i == 4) {
            og_result without = solve(q.arms, OG_REDUCE_ALL & ~OG_REDUCE_TWO, q.words);
            ck_assert_msg(fabs(result.gain - without.gain) <=
                              result.error_bound + without.error_bound,
                          "%s: %.17g, not %.17g", q.words, result.gain, without.gain);
        }
    }
}
