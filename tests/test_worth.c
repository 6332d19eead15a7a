/*
 * Worths that are not of calls: the numbers of arms against their definitions, tables and
 * functions. Values of problems are tested in test_worth_cli.py.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "dp/arm/arm.h"
#include "dp/base/rational.h"
#include "dp/prior/tails.h"
#include "tests/public_support.h"
#include "tests/support.h"

OG_SUITE(worth, 60);

static og_group group_of(const char *word)
{
    og_group group;
    og_message message = {""};
    ck_assert_msg(og_group_parse_paid(word, &group, &message) == OG_OK, "%s", message.text);
    return group;
}

static og_arm *arm_of(const og_group *group, int32_t depth)
{
    og_arm *arm = NULL;
    og_message message = {""};
    ck_assert_msg(og_arm_new(group, depth, UINT64_C(1) << 30, &arm, &message) == OG_OK, "%s",
                  message.text);
    return arm;
}

/* ---- doubles and fractions ---- */

static const char *const words[] = {
    "1,1=brier",
    "2,1@0.3=brier",
    "1,4@0.9=log",
    "1,1=squared",
    "0.5,1.5=squared",
    "0.5,0.7@0.6=brier",
    "0.5,0.7@0.6=log",
    "1,1,1=brier",
    "2,1,1=log",
    "1,1,1,2=squared",
    "0.5,0.7,1.25=squared",
    "0.5,0.7,0.9=brier",
    "0.5:1,3+0.5:3,1=brier",
    "0.25:1,3+0.75:3,1@0.4=log",
    "0.5:1,3+0.5:3,1=squared",
    "0.3:0.5,1+0.7:2,2=squared",
};

OG_TEST_LOOP(rewards_are_mean_gains_and_never_zero, 0, sizeof words / sizeof *words)
{
    const og_group group = group_of(words[_i]);
    og_arm *arm = arm_of(&group, 5);
    size_t outcomes = (size_t)arm->outcome_count, nodes = arm->level[5];
    double *gain = calloc(nodes * outcomes, sizeof *gain), error;
    ck_assert_int_eq(og_arm_gains(arm, NULL, gain, &error), OG_OK);
    for (uint32_t node = 0; node < nodes; node++) {
        double sum = 0, size = 0;
        for (size_t k = node * outcomes; k < (node + 1) * outcomes; k++) {
            sum += arm->probability[k] * gain[k];
            size += arm->probability[k] * fabs(gain[k]);
        }
        ck_assert_double_gt(arm->reward[node], 0);
        ck_assert_double_le(fabs(sum - arm->reward[node]), 16 * DBL_EPSILON * size);
        ck_assert_double_le(arm->reward[node], og_arm_scale(arm));
    }
    ck_assert_double_lt(arm->call, 0);
    ck_assert_double_le(-arm->call, og_payoff_missing(&group.payoff, arm->outcome_count));
    free(gain);
    og_arm_free(arm);
}

OG_TEST_LOOP(doubles_are_the_nearest_of_fractions, 0, sizeof words / sizeof *words)
{
    const og_group group = group_of(words[_i]);
    og_arm *arm = arm_of(&group, 4);
    size_t outcomes = (size_t)arm->outcome_count, nodes = arm->level[4];
    double *gain = calloc(nodes * outcomes, sizeof *gain), error;
    OWN_MPQ exact = MPQ_NEW;
    bool squared = group.payoff.kind == OG_WORTH_SQUARED;
    ck_assert_int_eq(arm->rational,
                     squared || (group.payoff.kind == OG_WORTH_BRIER && og_group_is_whole(&group)));
    ck_assert_int_eq(og_arm_gains(arm, NULL, gain, &error), OG_OK);
    for (uint32_t node = 0; arm->rational && node < nodes; node++) {
        og_arm_exact_reward(arm, node, exact);
        ck_assert_double_eq(arm->reward[node], og_nearest(exact));
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            og_arm_exact_gain(arm, node, k, exact);
            ck_assert_double_eq(gain[node * outcomes + (size_t)k], og_nearest(exact));
        }
    }
    if (arm->rational) {
        og_arm_exact_call(arm, exact);
        ck_assert_double_eq(arm->call, og_nearest(exact));
    }
    free(gain);
    og_arm_free(arm);
}

/* h of a Beta in doubles, from tails that have another way. */
static double worth_of(og_worth_kind kind, double a, double b, double below, double above)
{
    double n = a + b;
    return kind == OG_WORTH_BRIER ? -below * above
           : kind == OG_WORTH_SQUARED
               ? -a * b / (n * n * (n + 1))
               : (below > 0 ? below * log(below) : 0) + (above > 0 ? above * log(above) : 0);
}

OG_TEST(values_of_nodes_are_those_of_the_definition)
{
    static const char *const priors[] = {"1,1", "3,2@0.7", "0.5,0.25@0.4", "40,3@0.9"};
    for (size_t i = 0; i < 12; i++) {
        char word[64];
        static const char *const kinds[] = {"brier", "squared", "log"};
        snprintf(word, sizeof word, "%s=%s", priors[i / 3], kinds[i % 3]);
        og_group group = group_of(word);
        og_arm *arm = arm_of(&group, 6);
        double gain[42], value[28] = {arm->call}, error;
        ck_assert_int_eq(og_arm_gains(arm, NULL, gain, &error), OG_OK);
        for (uint32_t node = 0; node < 28; node++) {
            og_fraction at[2];
            og_group now = group;
            double below, above;
            og_arm_posterior(arm, node, at);
            now.a = at[0];
            now.b = at[1];
            ck_assert_int_eq(og_beta_tails(&now, &below, &above), OG_OK);
            double expected = worth_of(group.payoff.kind, og_fraction_double(at[0]),
                                       og_fraction_double(at[1]), below, above);
            ck_assert_double_le(fabs(value[node] - expected), 1e-15);
            ck_assert_int_eq(og_arm_positive(arm, node), above >= below);
            for (size_t k = 2 * (size_t)node; node < 21 && k < 2 * (size_t)node + 2; k++) {
                value[arm->next[k]] = value[node] + gain[k];
            }
        }
        og_arm_free(arm);
    }
}

/* R of brier is X^2 / (ab), X = d^a (1-d)^b / B(a, b). */
OG_TEST(reward_of_brier_has_its_closed_form)
{
    for (int a = 1; a < 6; a++) {
        for (int b = 1; b < 6; b++) {
            og_group group = group_of("1,1@0.3=brier");
            group.a = (og_fraction){a, 1};
            group.b = (og_fraction){b, 1};
            og_arm *arm = arm_of(&group, 1);
            double x = pow(0.3, a) * pow(0.7, b) * tgamma(a + b) / tgamma(a) / tgamma(b);
            ck_assert_double_le(fabs(arm->reward[0] - x * x / (a * b)), 1e-14 * arm->reward[0]);
            og_arm_free(arm);
        }
    }
}

/* The same posterior and mirror images have the same bits, whatever their priors. */
OG_TEST(posteriors_decide_the_bits)
{
    static const char *const kinds[] = {"brier", "squared", "log"};
    for (size_t i = 0; i < 3; i++) {
        char word[64];
        snprintf(word, sizeof word, "0.5,1.5@0.3=%s", kinds[i]);
        const og_group prior = group_of(word);
        og_arm *arm = arm_of(&prior, 6);
        for (uint32_t node = 0; node < arm->level[6]; node++) {
            og_fraction at[2];
            og_group now = prior, mirror = prior;
            og_arm_posterior(arm, node, at);
            now.a = mirror.b = at[0];
            now.b = mirror.a = at[1];
            mirror.threshold = (og_fraction){7, 10};
            og_arm *later = arm_of(&now, 1), *other = arm_of(&mirror, 1);
            ck_assert_double_eq(arm->reward[node], later->reward[0]);
            ck_assert_double_eq(later->reward[0], other->reward[0]);
            ck_assert_double_eq(later->call, other->call);
            og_arm_free(later);
            og_arm_free(other);
        }
        og_arm_free(arm);
    }
}

OG_TEST(rewards_too_small_for_doubles_are_the_least_normal_one)
{
    const og_group group = group_of("1,1=brier");
    og_arm *arm = arm_of(&group, 530);
    ck_assert_double_eq(arm->reward[arm->level[529]], DBL_MIN);
    ck_assert_double_gt(arm->reward[arm->level[400]], DBL_MIN);
    og_arm_free(arm);
}

OG_TEST(payoffs_are_ordered_and_named)
{
    static const char *const sorted[] = {"1,1", "1,1=1,-5,0,1", "1,1=brier", "1,1=squared",
                                         "1,1=log"};
    for (size_t i = 0; i < 5; i++) {
        char text[64];
        og_group x = group_of(sorted[i]);
        og_group_format(&x, text, sizeof text);
        ck_assert_str_eq(text, sorted[i]);
        for (size_t j = 2; j < 5 && i >= 2; j++) {
            og_group y = group_of(sorted[j]);
            int order = og_group_compare(&x, &y);
            ck_assert_int_eq((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
    og_payoff names[] = {group_of("1,1=brier").payoff, group_of("1,1=log").payoff};
    ck_assert_int_eq(og_payoff_compare(&names[0], &names[0]), 0);
    ck_assert(og_payoff_is_symmetric(&names[1]));
    ck_assert(og_payoff_may_lose(&names[1]));
    ck_assert_double_eq(og_payoff_best(&names[0]), 0);
    ck_assert_double_ge(og_payoff_missing(&names[1], 3), log(3));
}

/* ---- functions, by optgap.h ---- */

typedef struct {
    int calls;
    double wrong; /* answered at 3,2 */
} asked_log;

static double own_variance(void *user, const og_plugin_group *at)
{
    asked_log *log = user;
    double a = at->parameter[0], b = at->parameter[1], n = a + b;
    log->calls++;
    ck_assert_int_eq(at->kind, OG_PLUGIN_BETA);
    ck_assert_int_eq(at->copies, 1);
    ck_assert_int_eq(at->label_count, 2);
    ck_assert_double_eq(at->threshold, 0.5);
    ck_assert_double_eq(at->labels[0] + at->labels[1], n - 2);
    return log->wrong != 0 && a == 3 && b == 2 ? log->wrong : -a * b / (n * n * (n + 1));
}

static og_problem *valued(const char *budget, const char *word, og_final_reward *reward, void *user)
{
    og_problem *problem = instances(budget, word);
    ck_assert_int_eq(og_problem_final_reward(problem, "mine", reward, user, &said), OG_OK);
    return problem;
}

static double value_of(og_problem *problem, bool exact)
{
    og_document *answer =
        ask("solve", problem, NULL, exact ? "arithmetic=exact" : "arithmetic=double", NULL);
    double value = og_number_at(answer, "optimal.value");
    og_document_free(answer);
    return value;
}

OG_TEST(a_function_is_called_once_for_each_posterior)
{
    asked_log log = {0};
    og_problem *own = valued("4", "3x1,1", own_variance, &log);
    og_problem *named = instances("4", "3x1,1");
    set(named, "payoff", "squared");
    ck_assert_double_le(fabs(value_of(own, false) - value_of(named, false)), 1e-15);
    ck_assert_int_eq(log.calls, 15);
    ck_assert_double_le(fabs(value_of(own, true) - value_of(named, true)), 1e-15);
    og_problem_free(own);
    og_problem_free(named);
}

static double labels_so_far(void *user, const og_plugin_group *at)
{
    (void)user;
    int32_t labels = 0;
    for (int32_t k = 0; k < at->label_count; k++) {
        labels += at->labels[k];
    }
    return labels;
}

/* Two priors of which one is the other's posterior have different values there. */
OG_TEST(a_function_may_look_at_labels_of_any_prior)
{
    static const char *const priors[] = {"2x1,1", "1,1,1", "0.5:1,2+0.5:2,1", "3,1@0.3"};
    for (size_t i = 0; i < 4; i++) {
        og_problem *problem = valued("3", priors[i], labels_so_far, NULL);
        add(problem, "2,1");
        ck_assert_double_eq(value_of(problem, false), 3);
        ck_assert_double_eq(value_of(problem, true), 3);
        og_problem_free(problem);
    }
}

static double falls(void *user, const og_plugin_group *at)
{
    return -labels_so_far(user, at) / 4;
}

OG_TEST(a_question_warns_of_labels_that_lose)
{
    og_problem *problem = valued("2", "2x1,1", falls, NULL);
    ck_assert_double_eq(value_of(problem, true), -0.5);
    ck_assert_msg(strstr(said.text, "a label can lower this payoff (at 1,1 by 0.25)") != NULL, "%s",
                  said.text);
    og_problem_free(problem);
    problem = problem_of("priced");
    set(problem, "budget", "2");
    set(problem, "price", "0");
    add(problem, "2x1,1");
    ck_assert_int_eq(og_problem_final_reward(problem, "falls", falls, NULL, &said), OG_OK);
    ck_assert_double_eq(value_of(problem, false), 0);
    og_problem_free(problem);
}

OG_TEST(wrong_answers_name_the_posterior)
{
    static const struct {
        double wrong;
        const char *message;
    } rows[] = {{NAN, "payoff: the function mine returned nan for the posterior 3,2"},
                {INFINITY, "payoff: the function mine returned inf for the posterior 3,2"},
                {-2e6, "payoff: the function mine returned -2e+06 for the posterior 3,2; it must"}};
    og_document *answer = NULL;
    for (size_t i = 0; i < 3; i++) {
        asked_log log = {.wrong = rows[i].wrong};
        og_problem *problem = valued("4", "3x1,1", own_variance, &log);
        REFUSED(OG_BAD_INPUT, rows[i].message, attempt("solve", problem, NULL, &answer, NULL));
        ck_assert_ptr_null(answer);
        og_problem_free(problem);
    }
}

OG_TEST(a_function_is_refused_where_it_has_no_meaning)
{
    og_document *answer = NULL;
    og_problem *workers = problem_of("workers");
    REFUSED(OG_BAD_INPUT, "do not support a function as payoff",
            og_problem_final_reward(workers, "mine", falls, NULL, &said));
    og_problem_free(workers);
    og_problem *both = valued("2", "1,1", falls, NULL);
    set(both, "payoff", "brier");
    REFUSED(OG_BAD_INPUT, "cannot be combined", attempt("solve", both, NULL, &answer, NULL));
    og_problem_free(both);
    og_problem *bandit = valued("2", "1,1", falls, NULL);
    set(bandit, "problem", "bandit");
    REFUSED(OG_BAD_INPUT, "bandit counts labels", attempt("solve", bandit, NULL, &answer, NULL));
    og_problem_free(bandit);
}
