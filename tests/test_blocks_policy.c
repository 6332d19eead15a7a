/*
 * Policies' values by blocks against the recursion: the same bits where ties are best, worst or
 * first, else within both bounds; each saving off and on; every number of threads the same bits.
 */
#include "dp/product/blocks/blocks.h"
#include "dp/product/optimum/optimum.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(blocks_policy, 60);

static const unsigned savings = OG_BLOCKS_FORCE | OG_BLOCKS_CONTRACT | OG_BLOCKS_FOLD;

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static og_result by_blocks(const og_arms *arms, const og_ranks *ranks, og_ties ties, unsigned use,
                           int threads, const char *words)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    og_message message = {""};
    og_blocks *blocks = NULL;
    og_result result = {0};
    question_ok(og_blocks_new_policy(&(og_ranks_play){arms, ranks, ties}, use, &settings, NULL,
                                     &blocks, &message),
                &message, words);
    question_ok(og_blocks_solve(blocks, &result, &message), &message, words);
    og_blocks_free(blocks);
    return result;
}

static og_result by_recursion(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                              const char *words)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_result result = {0};
    question_ok(og_policy_value(arms, ranks, ties, &settings, &result, &message), &message, words);
    return result;
}

static void assert_agree(const og_result *blocks, const og_result *recursion, og_ties ties,
                         unsigned use, const char *words)
{
    bool same = same_bits(blocks->gain, recursion->gain) &&
                same_bits(blocks->value, recursion->value) &&
                same_bits(blocks->error_bound, recursion->error_bound);
    double bound = blocks->error_bound + recursion->error_bound;
    bool near = ties == OG_TIES_RANDOM && fabs(blocks->gain - recursion->gain) <= bound;
    test_assert_msg(
        same || near, "%s: ties %d, use %u: gain %.17g +- %g, the recursion %.17g +- %g", words,
        (int)ties, use, blocks->gain, blocks->error_bound, recursion->gain, recursion->error_bound);
}

OG_TEST(values_are_those_of_the_recursion)
{
    uint64_t seed = test_seed(1531);
    random_source source = random_start(seed);
    double fewer[8] = {0};
    for (int round = 0; round < test_cases(150); round++) {
        question q;
        q = question_of_any_kind(&source, seed, round);
        og_ranks *ranks = question_ranks(&source, &q, round, round % 2 == 0);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            og_result recursion = by_recursion(q.arms, ranks, (og_ties)ties, q.words);
            og_result plain = by_blocks(q.arms, ranks, (og_ties)ties, 0, 1, q.words);
            for (unsigned use = 0; use <= savings; use++) {
                og_result blocks = by_blocks(q.arms, ranks, (og_ties)ties, use, 1, q.words);
                assert_agree(&blocks, &recursion, (og_ties)ties, use, q.words);
                fewer[use] += blocks.states < plain.states;
                og_result more =
                    by_blocks(q.arms, ranks, (og_ties)ties, use, 2 + 2 * (round % 2), q.words);
                test_assert_msg(same_bits(blocks.gain, more.gain), "%s: ties %d, use %u: threads",
                                q.words, ties, use);
            }
        }
        og_ranks_free(ranks);
        question_free(&q);
    }
    for (unsigned use = 1; use <= savings; use++) {
        ck_assert_msg(fewer[use] > 0, "use %u never saved a state", use);
    }
}

/* Layers that threads share, groups of many copies, contracted posteriors, several priors. */
static const struct {
    const char *words;
    int32_t budget;
    const char *policy;
} large[] = {{"3x1,1", 60, "kg"},     {"10x1,1", 36, "kg"},        {"5x1,1 5x2,1@0.6", 18, "kg"},
             {"3x1,1", 44, "opt-kg"}, {"3x1,1", 40, "gittins-fh"}, {"12x1,1", 24, "gittins-inf"}};

OG_TEST_LOOP(large_problems_have_the_value_of_the_recursion, 0,
             test_is_sanitized() ? 0 : (int)(sizeof large / sizeof *large))
{
    size_t i = (size_t)_i;
    OWN(question) q = question_of(large[i].words, large[i].budget);
    OWN(og_ranks) *ranks = question_named_ranks(q.arms, large[i].policy, q.words);
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        if (ties == OG_TIES_FIRST && og_arms_instances(q.arms) > 3) {
            continue; /* each instance is an axis: too many states */
        }
        og_result recursion = by_recursion(q.arms, ranks, (og_ties)ties, q.words);
        og_result one = by_blocks(q.arms, ranks, (og_ties)ties, OG_BLOCKS_ALL, 1, q.words);
        assert_agree(&one, &recursion, (og_ties)ties, OG_BLOCKS_ALL, q.words);
        for (int threads = 2; threads <= 4; threads += 2) {
            og_result more =
                by_blocks(q.arms, ranks, (og_ties)ties, OG_BLOCKS_ALL, threads, q.words);
            ck_assert(same_bits(one.gain, more.gain));
        }
    }
}

/* The choice depends on counted states: the same bits and engine on any number of threads. Blocks
 * are chosen if the recursion's states do not fit, and a message reports if neither fits. */
OG_TEST(either_engine_is_chosen)
{
    static const struct {
        const char *words, *policy;
        int32_t budget;
        og_engine engine;
        uint64_t memory_bytes;
        bool stop, blocks, stages;
        og_status status;
    } row[] = {
        {"10x1,1", "gittins-fh", 30, OG_ENGINE_AUTO, 1 << 30, true, false, false, OG_OK},
        {"10x1,1", "gittins-fh", 46, OG_ENGINE_AUTO, 1 << 30, true, true, false, OG_OK},
        {"10x1,1", "kg", 34, OG_ENGINE_AUTO, 1 << 30, true, false, true, OG_OK},
        {"10x1,1", "kg", 34, OG_ENGINE_RECURSION, 1 << 30, true, false, false, OG_OK},
        {"10x1,1", "gittins-fh", 20, OG_ENGINE_BLOCKS, 1 << 30, true, true, false, OG_OK},
        {"10x1,1", "kg", 34, OG_ENGINE_AUTO, 1 << 16, true, false, false, OG_STOPPED},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        OWN(question) q = question_of(row[i].words, row[i].budget);
        OWN(og_ranks) *ranks = question_named_ranks(q.arms, row[i].policy, q.words);
        og_result first = {0};
        for (int threads = 1; threads <= 4; threads *= 2) {
            og_settings settings = question_settings(OG_REDUCE_ALL, threads);
            settings.engine = row[i].engine;
            settings.memory_bytes = row[i].memory_bytes;
            settings.stop_when_full = row[i].stop;
            og_message message = {""};
            og_result result = {0};
            og_status status =
                og_optimum_policy(q.arms, ranks, OG_TIES_RANDOM, &settings, &result, &message);
            ck_assert_msg(status == row[i].status, "%s: %s", q.words, message.text);
            ck_assert((status == OG_OK) == (message.text[0] == '\0'));
            ck_assert(status != OG_OK ||
                      (result.by_blocks == row[i].blocks && result.by_stages == row[i].stages));
            first = threads == 1 ? result : first;
            ck_assert(same_bits(first.gain, result.gain));
        }
    }
}
