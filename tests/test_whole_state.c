/*
 * Policies that look at the whole state: known values, and literal definitions over histories.
 */
#include "dp/exact/exact.h"
#include "dp/product/chooser.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/oracle_state.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(whole_state, 120);

/* In fractions; the problem's arms must be rational. */
static void exact_value(const question *q, const char *name, og_ties ties, mpq_t out)
{
    og_message message = {""};
    OWN(og_ranks) *ranks = question_named_ranks(q->arms, name, q->words);
    ck_assert_msg(og_exact_policy_value(&(og_ranks_play){q->arms, ranks, ties}, &q->settings, out,
                                        NULL, NULL, &message) == OG_OK,
                  "%s: %s: %s", q->words, name, message.text);
}

static og_result value_of(const question *q, const char *name, og_ties ties, uint64_t *tolerance)
{
    og_result result;
    og_message message = {""};
    og_ranks *ranks = question_named_ranks(q->arms, name, q->words);
    ck_assert_msg(og_policy_value(q->arms, ranks, ties, &q->settings, &result, &message) == OG_OK,
                  "%s: %s: %s", q->words, name, message.text);
    if (tolerance != NULL) {
        *tolerance = og_ranks_tolerance_ties(ranks);
    }
    og_ranks_free(ranks);
    return result;
}

static const struct {
    const char *name;
    const char *random, *first, *worst, *best;
} known[] = {
    {"lookahead:1", "31147/12960", "75/32", "75/32", "175/72"},
    {"lookahead:2", "15647/6480", "75/32", "75/32", "175/72"},
    {"lookahead:3", "18857/7776", "75/32", "75/32", "175/72"},
    {"lookahead:8", "175/72", "175/72", "175/72", "175/72"},
    {"nlu", "40769/17280", "907/384", "297/128", "343/144"},
    {"rollout:uniform", "5249/2160", "583/240", "583/240", "175/72"},
    {"rollout:kg", "175/72", "175/72", "175/72", "175/72"},
    {"rollout:lookahead:2", "175/72", "175/72", "175/72", "175/72"},
};

OG_TEST(values_are_the_known_ones)
{
    OWN(question) q = question_of("3x1,1", 8);
    OWN_MPQ value = MPQ_NEW, expected = MPQ_NEW;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *const rows[OG_TIES_COUNT] = {known[i].random, known[i].first, known[i].best,
                                                 known[i].worst};
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            mpq_set_str(expected, rows[ties], 10);
            exact_value(&q, known[i].name, (og_ties)ties, value);
            ck_assert_msg(mpq_equal(value, expected), "%s, ties %s", known[i].name,
                          og_ties_name((og_ties)ties));
            uint64_t tolerance;
            og_result result = value_of(&q, known[i].name, (og_ties)ties, &tolerance);
            ck_assert_double_le(fabs(result.value - mpq_get_d(expected)), result.error_bound);
            ck_assert_uint_eq(tolerance, 0);
        }
    }
}

OG_TEST(values_are_those_of_the_definitions)
{
    static const char *const names[] = {"lookahead:1", "lookahead:2",
                                        "lookahead:3", "nlu",
                                        "rollout:kg",  "rollout:uniform",
                                        "rollout:nlu", "rollout:lookahead:2",
                                        "lookahead:4", "rollout:rollout:uniform"};
    random_source random = random_start(test_seed(20261131));
    OWN_MPQ value = MPQ_NEW, expected = MPQ_NEW;
    for (int n = 0; n < test_cases(60); n++) {
        oracle_state truth;
        const char *name = names[n % 10];
        bool nested = strncmp(name, "rollout:", 8) == 0;
        random_limits limits = {.instances = 3, .budget = nested ? 3 : 4, .integers = true};
        OWN(question) q = question_plain(&random, &limits, test_seed(20261131), n);
        oracle_state_init(&q.problem, &truth);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            exact_value(&q, name, (og_ties)ties, value);
            oracle_state_value(&truth, name, (og_ties)ties, expected);
            ck_assert_msg(mpq_equal(value, expected), "%s: %s, ties %s: %.17g, literally %.17g",
                          q.words, name, og_ties_name((og_ties)ties), mpq_get_d(value),
                          mpq_get_d(expected));
        }
        oracle_state_clear(&truth);
    }
}

/* Labels (positive, negative) of up to 5 instances, and nlu's scores. */
OG_TEST(nlu_scores_as_its_definition_says)
{
    random_source random = random_start(test_seed(20261134));
    OWN(question) q = question_of("1,1 2x3,1 1,2@0.3 2,2", 12);
    OWN(og_ranks) *ranks = question_named_ranks(q.arms, "nlu", q.words);
    for (int n = 0; n < test_cases(100); n++) {
        og_state_group group[5];
        int ones[5], zeros[5];
        int most = 1 + (int)random_below(&random, 12);
        double score[5], answer[6], top = 0;
        og_answer kind;
        static const int arm_of[5] = {0, 1, 1, 2, 3};
        for (int i = 0; i < 5; i++) {
            ones[i] = (int)random_below(&random, (uint32_t)most);
            zeros[i] = (int)random_below(&random, (uint32_t)(most - ones[i]));
            int labels = ones[i] + zeros[i];
            group[i] =
                (og_state_group){arm_of[i], (uint32_t)(labels * (labels + 1) / 2 + ones[i]), 1};
        }
        og_state state = {1, 12, 5, group};
        oracle_nlu(5, ones, zeros, score);
        ck_assert_int_eq(og_ranks_ask(ranks, &state, answer, &kind), OG_OK);
        for (int i = 0; i < 5; i++) {
            top = fmax(top, score[i]);
        }
        for (int i = 0; i < 5; i++) {
            /* equal within the tolerance of the definition */
            double expected = score[i] >= top - 1e-9 ? top : score[i];
            ck_assert_msg(fabs(answer[i] - expected) <= 1e-11,
                          "%d,%d %d,%d %d,%d %d,%d %d,%d: score %d is %.17g, expected %.17g",
                          ones[0], zeros[0], ones[1], zeros[1], ones[2], zeros[2], ones[3],
                          zeros[3], ones[4], zeros[4], i, answer[i], expected);
        }
    }
}

/* Parameters without exact Qs: ties are reported to depend on a tolerance. */
OG_TEST(ties_without_fractions_are_counted)
{
    uint64_t tolerance;
    OWN(question) q = question_of("2x1.5,1.25 1.25,1.5", 4);
    value_of(&q, "lookahead:2", OG_TIES_RANDOM, &tolerance);
    ck_assert_uint_gt(tolerance, 0);
    /* Mirror images are equivalent, so no tie depends on a tolerance. */
    question_free(&q);
    q = question_of("1.5,1.25 1.25,1.5", 1);
    value_of(&q, "lookahead:2", OG_TIES_RANDOM, &tolerance);
    ck_assert_uint_eq(tolerance, 0);
}

/* But not while tables are built, which takes a slow machine long enough to ask. */
static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)user;
    return progress->states == 0;
}

OG_TEST(limits_reach_the_solvers_inside)
{
    og_policy_name policy;
    OWN(og_ranks) *ranks = NULL;
    og_message message = {""};
    OWN(question) q = question_of("12x1,1@0.3 12x2,1@0.3", 40);
    og_policy_use use = {.whole_budget = 40, .threads = 1, .memory_bytes = 1 << 12};
    ck_assert_int_eq(og_policy_name_parse("lookahead:40", &policy, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_ranks_for(&policy, q.arms, &use, &ranks, &message), OG_STOPPED);
    ck_assert_msg(strstr(message.text, "lookahead:40") != NULL, "%s", message.text);
    ck_assert_ptr_null(ranks);
    use.memory_bytes = UINT64_C(1) << 28;
    og_stop stop;
    og_stop_init(&stop, stop_at_once, NULL);
    use.stop = &stop;
    ck_assert_int_eq(og_policy_name_ranks_for(&policy, q.arms, &use, &ranks, &message), OG_OK);
    og_result result;
    ck_assert_int_eq(og_policy_value(q.arms, ranks, OG_TIES_RANDOM, &q.settings, &result, &message),
                     OG_STOPPED);
}

OG_TEST(parameters_are_checked)
{
    static const struct {
        const char *name;
        const char *said;
    } rows[] = {
        {"lookahead", "'lookahead' needs a parameter: lookahead:D, such as lookahead:2"},
        {"lookahead:", "'' is not a whole number from 1"},
        {"lookahead:0", "'0' is not a whole number from 1"},
        {"lookahead:-1", "'-1' is not a whole number from 1"},
        {"lookahead:1.5", "'1.5' is not a whole number from 1"},
        {"lookahead:1000001", "from 1 to 1000000"},
        {"rollout", "'rollout' needs a parameter: rollout:NAME, such as rollout:kg"},
        {"rollout:", "'rollout' needs a parameter: rollout:NAME, such as rollout:kg"},
        {"rollout:kgg", "unknown policy 'kgg'"},
        {"rollout:cvar-kg", "'cvar-kg' needs a parameter"},
        {"rollout:lookahead:0", "'0' is not a whole number"},
        {"nlu:1", "'nlu' takes no parameter"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        og_policy_name policy;
        og_message message = {""};
        ck_assert_int_eq(og_policy_name_parse(rows[i].name, &policy, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, rows[i].said) != NULL, "'%s': \"%s\" lacks \"%s\"",
                      rows[i].name, message.text, rows[i].said);
    }
    og_policy_name policy;
    og_index *index = NULL;
    og_message message = {""};
    OWN(question) q = question_of("2x1,1", 3);
    ck_assert_int_eq(og_policy_name_parse("lookahead:2", &policy, NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_index(&policy, q.arms,
                                          &(og_policy_use){.whole_budget = 3, .threads = 1}, &index,
                                          &message),
                     OG_BAD_INPUT);
    ck_assert_msg(strstr(message.text, "looks at all instances together") != NULL, "%s",
                  message.text);
}
