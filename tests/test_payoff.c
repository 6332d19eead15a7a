/*
 * Payoffs of calls: values by hand, and calls against the largest worth. Random problems with
 * payoffs are compared with the definition in the tests of each engine, policy and bound
 * (random_limits.payoffs).
 */
#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(payoff, 60);

static void exact_value_of(const og_groups *problem, const char *policy, mpq_t value)
{
    OWN(og_arms) *arms = question_arms(problem, "payoffs");
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_result result;
    OWN_MPQ gain = MPQ_NEW;
    if (policy == NULL) {
        og_exact *exact = NULL;
        question_ok(og_exact_new(arms, &settings, &exact, &message), &message, "payoffs");
        question_ok(og_exact_value(exact, value, gain, &result, &message), &message, "payoffs");
        og_exact_free(exact);
    } else {
        og_policy_name name;
        OWN(og_ranks) *ranks = NULL;
        og_policy_use use = {.whole_budget = arms->budget, .threads = 1, .memory_bytes = 1 << 28};
        question_ok(og_policy_name_parse(policy, &name, &message), &message, policy);
        question_ok(og_policy_name_ranks_for(&name, arms, &use, &ranks, &message), &message,
                    policy);
        question_ok(og_exact_policy_value(&(og_ranks_play){arms, ranks, OG_TIES_RANDOM}, &settings,
                                          value, gain, &result, &message),
                    &message, policy);
    }
}

static void add_paid(og_groups *problem, const char *word)
{
    og_group group;
    og_message message = {""};
    ck_assert_msg(og_group_parse_paid(word, &group, &message) == OG_OK, "%s", message.text);
    ck_assert_int_eq(og_groups_add(problem, &group, &message), OG_OK);
}

/*
 * By hand: with 1,-1,0,1 an instance is called positive from P = 2/3 on. A fresh one is called
 * negative, worth 1/2. A positive label makes P = 3/4 and the call worth 3/4 - 1/4 = 1/2, a
 * negative one P = 1/4 and 3/4: 5/8 on average. A second label after a positive one: worth 3/4 or,
 * P being 1/2 then, 1/2, at chances 2/3 and 1/3, so 2/3 and not 1/2.
 */
OG_TEST(values_by_hand)
{
    static const struct {
        const char *words;
        int32_t budget;
        int num, den;
    } rows[] = {
        {"1,1=1,-1,0,1", 0, 1, 2},
        {"1,1=1,-1,0,1", 1, 5, 8},
        {"1,1=1,-1,0,1", 2, 17, 24},
        /* Positive from P = 3/4 on, which one label reaches and does not pass. */
        {"1,1=1,-2,0,1", 1, 1, 2},
        /* Losses, and calls that pay the same whatever they are. */
        {"1,1=0,-1,-1,0", 1, -1, 4},
        {"2,1=1,0,1,0.5", 3, 7, 8},
        /* Undecided from P = 1/4 to 3/4, or from 0.3 to 0.7, or whatever P is, or never. */
        {"1,1=1,0,0,1,0.75", 0, 3, 4},
        {"1,1=1,0,0,1,0.75", 1, 3, 4},
        {"1,1=1,0,0,1,0.75", 2, 5, 6},
        {"1,1=1,0,0,1,0.7", 1, 3, 4},
        {"1,1=1,0,0,1,0.7", 2, 49, 60},
        {"1,1=1,0,0,1,2", 3, 2, 1},
        {"1,1=1,0,0,1,0.5", 1, 3, 4},
    };
    OWN_MPQ value = MPQ_NEW, expected = MPQ_NEW;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWN(og_groups) problem;
        og_groups_init(&problem, rows[i].budget);
        add_paid(&problem, rows[i].words);
        exact_value_of(&problem, NULL, value);
        mpq_set_si(expected, rows[i].num, (unsigned long)rows[i].den);
        ck_assert_msg(mpq_equal(value, expected), "%s: %.17g", rows[i].words, mpq_get_d(value));
    }
}

/* At the kink a label gains exactly nothing, in doubles too, and two nodes with equal rewards have
 * the same bits whatever the payoff adds to both calls. */
OG_TEST(rewards_are_exactly_zero_at_the_kink)
{
    static const char *const words[] = {"1,1=1,-2,0,1", "2,2=1,0,0,1", "0.5,0.5=2,1,1,2",
                                        "0.25:5,1+0.5:1,1+0.25:1,5=3,1,2,2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_group group;
        OWN(og_arm) *arm = NULL;
        ck_assert_int_eq(og_group_parse_paid(words[i], &group, NULL), OG_OK);
        ck_assert_int_eq(og_arm_new(&group, 2, UINT64_MAX, &arm, NULL), OG_OK);
        /* After one label of each kind the even ones are at P = 1/2 again. */
        ck_assert_msg(i == 0 ? arm->reward[0] == 0 : arm->reward[0] > 0, "%s: %g", words[i],
                      arm->reward[0]);
        ck_assert_msg(i == 0 || (arm->reward[1] == 0 && arm->reward[2] == 0), "%s", words[i]);
    }
}

/* Compares the calls, from the payoff and the P of nodes, with the largest of three numbers; at a
 * tie, the call of the larger P. */
OG_TEST(calls_are_what_is_worth_most)
{
    static const struct {
        const char *payoff;
        int count, call[3];
    } rows[] = {
        {"1,0,0,1,0.75", 3, {1, 2, 0}},
        {"1,0,0,1,0.5", 2, {1, 0}},
        {"1,0,0,1,0.501", 3, {1, 2, 0}},
        {"1,0,0,1,2", 2, {2, 2}},
        {"1,0,0,1,1", 2, {2, 2}},
        {"1,-3,0,0,0.25", 2, {2, 0}},
        {"4,-1,1,0,1.5", 2, {2, 0}},
        {"3,1,2,2,2", 2, {1, 0}},
        {"3,1,2,2,2.5", 2, {2, 0}},
        {"-1,-2,-5,3,-0.75", 2, {1, 2}},
        {"-1,-2,-5,3,-1.25", 3, {1, 2, 0}},
        {"0,2,-5,3,3.5", 2, {2, 2}},
        {"1,0,0,1", 2, {1, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_payoff payoff;
        ck_assert_int_eq(og_payoff_parse(rows[i].payoff, "it", &payoff, NULL), OG_OK);
        og_payoff_calls calls = og_payoff_in_calls(&payoff);
        ck_assert_msg(calls.count == rows[i].count, "%s: %d", rows[i].payoff, calls.count);
        for (int k = 0; k < calls.count; k++) {
            ck_assert_msg(calls.call[k] == rows[i].call[k], "%s: %d", rows[i].payoff, k);
        }
    }
}

static og_fraction worth_in(const og_payoff *payoff, int call, int truth)
{
    return call == OG_CALL_UNDECIDED ? payoff->undecided
           : payoff->given           ? payoff->worth[call][truth]
                                     : (og_fraction){call == truth, 1};
}

/* The worth of a call in a posterior: an average over the true labels, where 0 has probability p.
 */
static void worth_at(const og_payoff *payoff, int call, const mpq_t p, mpq_t out)
{
    OWN_MPQ part = MPQ_NEW, rest = MPQ_NEW;
    og_fraction_get_mpq(out, worth_in(payoff, call, 0));
    mpq_mul(out, out, p);
    mpq_set_ui(rest, 1, 1);
    mpq_sub(rest, rest, p);
    og_fraction_get_mpq(part, worth_in(payoff, call, 1));
    mpq_mul(part, part, rest);
    mpq_add(out, out, part);
}

static void check_call(const og_arm *arm, uint32_t node, const og_group *group)
{
    og_fraction now[2];
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, d = MPQ_NEW, p = MPQ_NEW, made = MPQ_NEW, other = MPQ_NEW;
    og_arm_posterior(arm, node, now);
    og_fraction_get_mpq(a, now[0]);
    og_fraction_get_mpq(b, now[1]);
    og_fraction_get_mpq(d, group->threshold);
    oracle_positive(p, a, b, d);
    worth_at(&group->payoff, og_arm_called(arm, node), p, made);
    for (int call = 0; call < og_payoff_call_count(&group->payoff); call++) {
        worth_at(&group->payoff, call, p, other);
        ck_assert(mpq_cmp(made, other) >= 0);
    }
}

OG_TEST(instances_are_called_what_is_worth_most)
{
    const random_limits limits = {.instances = 1, .budget = 5, .integers = true, .payoffs = true};
    random_source source = random_start(test_seed(2203));
    for (int round = 0; round < test_cases(100); round++) {
        OWN(og_groups) problem;
        OWN(og_arm) *arm = NULL;
        random_problem(&source, &limits, &problem);
        ck_assert_int_eq(og_arm_new(og_groups_at(&problem, 0), 5, UINT64_MAX, &arm, NULL), OG_OK);
        for (uint32_t node = 0; node < arm->node_count; node++) {
            check_call(arm, node, og_groups_at(&problem, 0));
        }
    }
}

OG_TEST(what_makes_no_sense_is_refused)
{
    static const char *const rows[][2] = {
        {"1,0,0", "must be TP,FP,FN,TN[,U]"},
        {"1,0,0,1,1,1", "must be TP,FP,FN,TN[,U]"},
        {"1,0,,1", "must be TP,FP,FN,TN[,U]"},
        {"1,0,0,1,", "must be TP,FP,FN,TN[,U]"},
        {"1,0,0,1,0.5,", "must be TP,FP,FN,TN[,U]"},
        {"1,0,0,1,1e7", "between"},
        {"1,0,0,1,1e-7", "six decimals"},
        {"0,0,1,1,2", "wrong call"},
        {"", "must be TP,FP,FN,TN[,U]"},
        {"1,--5,0,1", "must be TP,FP,FN,TN[,U]"},
        {"1,nan,0,1", "must be TP,FP,FN,TN[,U]"},
        {"0,0,1,1", "wrong call"},
        {"1,1,0,0", "wrong call"},
        {"1,0,1,0", "the same value"},
        {"1e7,0,0,1", "between"},
        {"1,-1e7,0,1", "between"},
        {"1e-7,0,0,1", "six decimals"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        og_payoff payoff;
        og_message message = {""};
        ck_assert_int_eq(og_payoff_parse(rows[i][0], "a payoff", &payoff, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, rows[i][1]) != NULL, "%s: %s", rows[i][0], message.text);
    }
    og_group group;
    og_message message = {""};
    ck_assert_int_eq(og_group_parse("1,1=1,-5,0,1", &group, &message), OG_BAD_INPUT);
    ck_assert_int_eq(og_group_parse_paid("1,1,1=1,-5,0,1", &group, &message), OG_BAD_INPUT);
    ck_assert_int_eq(og_group_parse_paid("1,1@0.3=1,0,0,1", &group, &message), OG_OK);
    ck_assert(!group.payoff.given);
}

OG_TEST(words_read_back)
{
    static const char *const words[] = {"3x2,1@0.3=1,-5,0,1", "1:1,2+2:2,1=0.5,-0.25,0,1000000",
                                        "1,1=1,0,0,1,0.75", "1,1=1,-5,0,1,-0.25"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_group group;
        char text[OG_GROUP_TEXT_BYTES];
        ck_assert_int_eq(og_group_parse_paid(words[i], &group, NULL), OG_OK);
        og_group_format(&group, text, sizeof text);
        ck_assert_str_eq(text, words[i]);
    }
}
