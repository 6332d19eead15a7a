/*
 * Values of stationary index policies by stages and convolutions against the recursion over states,
 * which shares no code with them: within both proved errors.
 */
#include "dp/product/optimum/optimum.h"
#include "dp/product/stationary/law.h"
#include "dp/product/stationary/stationary.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(stationary, 60);

static const double no_limit = 0x1p60;

static og_result by_stages(const question *q, const og_ranks *ranks, og_ties ties, int threads)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    og_message message = {""};
    og_result result = {0};
    bool too_many = true;
    ck_assert(og_stationary_can(q->arms, ranks, ties, &settings));
    question_ok(og_stationary_value(&(og_ranks_play){q->arms, ranks, ties}, &settings, no_limit,
                                    &too_many, &result, &message),
                &message, q->words);
    ck_assert(!too_many);
    return result;
}

static og_result by_states(const question *q, const og_ranks *ranks, og_ties ties)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_result result = {0};
    question_ok(og_policy_value(q->arms, ranks, ties, &settings, &result, &message), &message,
                q->words);
    return result;
}

static void assert_agree(const question *q, const og_ranks *ranks, og_ties ties)
{
    og_result states = by_states(q, ranks, ties);
    og_result stages = by_stages(q, ranks, ties, 1);
    og_result more = by_stages(q, ranks, ties, 3);
    double bound = states.error_bound + stages.error_bound;
    test_assert_msg(fabs(states.gain - stages.gain) <= bound &&
                        fabs(states.value - stages.value) <= bound && bound < 1e-10,
                    "%s, ties %d: %.17g by stages +- %g, %.17g by states +- %g", q->words,
                    (int)ties, stages.gain, stages.error_bound, states.gain, states.error_bound);
    test_assert_msg(memcmp(&stages.gain, &more.gain, sizeof stages.gain) == 0, "%s: threads",
                    q->words);
}

OG_TEST(values_are_those_of_the_recursion)
{
    uint64_t seed = test_seed(1871);
    random_source source = random_start(seed);
    int asked = 0;
    for (int round = 0; round < test_cases(300); round++) {
        OWN(question) q = question_of_any_kind(&source, seed, round);
        OWN(og_ranks) *ranks = question_ranks(&source, &q, round, false);
        if (!ranks->by_left && q.arms->budget > 0) {
            assert_agree(&q, ranks, OG_TIES_FIRST);
            assert_agree(&q, ranks, OG_TIES_RANDOM);
            asked++;
        }
    }
    ck_assert_int_gt(asked, test_cases(300) / 2);
}

/* Many alike, several arms, instances that tie with themselves again, a bandit, fewer labels than
 * instances and many more. */
static const struct {
    const char *words;
    int32_t budget;
    const char *policy;
} known[] = {{"3x1,1", 60, "kg"},
             {"10x1,1", 30, "opt-kg"},
             {"10x1,1", 30, "gittins-inf"},
             {"12x1,1", 7, "opt-kg"},
             {"2x1,1", 80, "opt-kg"},
             {"3x1,1 2x2,1@0.6 1x1,3", 14, "opt-kg"},
             {"10x1,1", 30, "gittins-fh:4"},
             {"3x1,1", 40, "gittins-fh:7"},
             {"4x2,1 3x1,1", 16, "gittins-fh:3"},
             {"1x1,1", 25, "gittins-inf"},
             {"4x2,1 3x1,1", 16, "gittins-inf"}};

OG_TEST_LOOP(larger_problems_have_the_value_of_the_recursion, 0, sizeof known / sizeof *known)
{
    OWN(question) q = question_of(known[_i].words, known[_i].budget);
    OWN(og_ranks) *ranks = question_named_ranks(q.arms, known[_i].policy, q.words);
    if (og_arms_instances(q.arms) <= 4) { /* else each is an axis: too many states */
        assert_agree(&q, ranks, OG_TIES_FIRST);
    }
    assert_agree(&q, ranks, OG_TIES_RANDOM);
}

/* Values that no engine of states reaches, seen by 200 000 simulated runs as 43.0324 +- 0.0016. */
OG_TEST(large_problems_agree_with_simulation)
{
    OWN(question) q = question_of("50x1,1", 200);
    OWN(og_ranks) *ranks = question_named_ranks(q.arms, "opt-kg", q.words);
    og_result found = by_stages(&q, ranks, OG_TIES_FIRST, 2);
    ck_assert(fabs(found.value - 43.0324) <= 4 * 0.0016 && found.error_bound < 1e-9);
}

/* Too much work and too little memory have different statuses, and a watch ends the work. */
static bool never(void *user, const og_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

OG_TEST(limits_are_kept)
{
    OWN(question) q = question_of("3x1,1 2x2,1", 30);
    OWN(og_ranks) *ranks = question_named_ranks(q.arms, "opt-kg", q.words);
    const struct {
        uint64_t memory_bytes;
        double work;
        bool watched, too_many;
    } row[] = {{1 << 30, 1000, false, true},
               {1 << 12, no_limit, false, false},
               {1 << 30, no_limit, true, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        og_settings settings = question_settings(OG_REDUCE_ALL, 1);
        settings.memory_bytes = row[i].memory_bytes;
        settings.watch = row[i].watched ? never : NULL;
        og_message message = {""};
        og_result result;
        bool too_many;
        ck_assert_int_eq(og_stationary_value(&(og_ranks_play){q.arms, ranks, OG_TIES_RANDOM},
                                             &settings, row[i].work, &too_many, &result, &message),
                         OG_STOPPED);
        ck_assert(too_many == row[i].too_many && message.text[0] != '\0');
    }
}

/* x and y of two labels at most, by hand. */
OG_TEST(laws_multiply)
{
    enum { BUDGET = 2 };
    const double x[BUDGET + 1] = {0.5, 0.25, 0.25}, y[BUDGET + 1] = {0, 0.75, 0.25};
    double out[BUDGET + 1], scratch[5 * (BUDGET + 1)];
    og_law_times(BUDGET, x, y, out);
    ck_assert(out[0] == 0 && out[1] == 0.375 && out[2] == 0.625);
    og_law_power(BUDGET, x, 3, out, scratch);
    ck_assert(out[0] == 0.125 && out[1] == 0.1875 && out[2] == 0.6875);
    og_law_power(BUDGET, x, 0, out, scratch);
    ck_assert(out[0] == 1 && out[1] == 0 && out[2] == 0);
    og_law_power_sum(BUDGET, x, y, 3, out, scratch); /* x^2 + xy + y^2 */
    ck_assert(out[0] == 0.25 && out[1] == 0.625 && out[2] == 2.125);
}
