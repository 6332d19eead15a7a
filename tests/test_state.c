/*
 * States that a caller makes up: what a problem's tables cannot answer for is refused, whatever its
 * numbers are, and what they can is worth the same as the problem whose priors are the state's
 * posteriors. Run under the address sanitizer, the first of these looks for reads out of bounds.
 */
#include "dp/exact/exact.h"
#include "dp/product/chooser.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(state, 60);

enum { GROUPS_MAX = 40 };

typedef struct {
    og_groups problem;
    og_arms *arms;
    og_settings settings;
    og_solver *optimum;
    og_ranks *kg;
    og_solver *first; /* of kg, where order matters */
    og_exact *exact;
    og_ranks *ahead; /* lookahead:2 */
    char words[256];
} test_setting;

static void setting_init(test_setting *setting)
{
    problem_format(&setting->problem, setting->words, sizeof setting->words);
    setting->settings = question_settings(OG_REDUCE_ALL, 1);
    const og_settings *settings = &setting->settings;
    setting->arms = test_arms(&setting->problem);
    setting->kg = question_named_ranks(setting->arms, "kg", setting->words);
    setting->ahead = question_named_ranks(setting->arms, "lookahead:2", setting->words);
    ck_assert_int_eq(og_solver_new(setting->arms, settings, &setting->optimum, NULL), OG_OK);
    ck_assert_int_eq(og_solver_new_policy(setting->arms, setting->kg, OG_TIES_FIRST, settings,
                                          &setting->first, NULL),
                     OG_OK);
    ck_assert_int_eq(og_exact_new(setting->arms, settings, &setting->exact, NULL), OG_OK);
}

static void setting_clear(test_setting *setting)
{
    og_solver_free(setting->optimum);
    og_solver_free(setting->first);
    og_exact_free(setting->exact);
    og_ranks_free(setting->ahead);
    og_ranks_free(setting->kg);
    og_arms_free(setting->arms);
    og_groups_clear(&setting->problem);
}

/* Any number: most of them small, some at the ends of what an int32_t holds. */
static int32_t any(random_source *random, int32_t most)
{
    static const int32_t ends[] = {-1, 0, 1, INT32_MAX, INT32_MIN};
    return random_below(random, 8) == 0 ? ends[random_below(random, 5)]
                                        : (int32_t)random_below(random, (uint32_t)most + 2);
}

static void make_up(random_source *random, const og_arms *arms, og_state_group *group,
                    og_state *state)
{
    bool wild = random_below(random, 3) == 0; /* else its groups are of the arms */
    *state = (og_state){.left = any(random, arms->budget), .budget = arms->budget, .group = group};
    state->count = (int32_t)random_below(random, wild ? GROUPS_MAX : 6);
    for (int32_t i = 0; i < state->count; i++) {
        int32_t arm = (int32_t)random_below(random, (uint32_t)arms->arm_count);
        uint32_t nodes = arms->arm[arm]->node_count;
        group[i] = (og_state_group){arm, random_below(random, nodes), 1};
        if (wild) {
            group[i].arm = any(random, arms->arm_count);
            group[i].node = (uint32_t)any(random, (int32_t)nodes);
            group[i].copies = any(random, 3);
        }
    }
}

/* The problem that the state is by itself. */
static void problem_of(const test_setting *setting, const og_state *state, og_groups *out)
{
    og_groups_init(out, state->left);
    for (int32_t i = 0; i < state->count; i++) {
        const og_arm *arm = setting->arms->arm[state->group[i].arm];
        og_group group = *og_arm_group(arm);
        og_fraction posterior[2];
        og_arm_posterior(arm, state->group[i].node, posterior);
        group.a = posterior[0];
        group.b = posterior[1];
        group.count = state->group[i].copies;
        ck_assert_int_eq(og_groups_add(out, &group, NULL), OG_OK);
    }
}

static void compare_gain(const test_setting *setting, const og_state *state, double gain)
{
    OWN(og_groups) own;
    OWN(og_arms) *arms = NULL;
    OWN(og_solver) *solver = NULL;
    og_result result;
    problem_of(setting, state, &own);
    ck_assert_int_eq(test_arms_new(&own, 1, UINT64_C(1) << 26, &arms, NULL), OG_OK);
    ck_assert_int_eq(og_solver_new(arms, &setting->settings, &solver, NULL), OG_OK);
    ck_assert_int_eq(og_solver_value(solver, &result, NULL), OG_OK);
    double error = og_solver_relative_error(setting->optimum) + og_solver_relative_error(solver);
    test_assert_msg(fabs(gain - result.gain) <= error * result.gain,
                    "%s: %.17g at a state, %.17g as a problem", setting->words, gain, result.gain);
}

/* Refused by all in the same way, or answered by all. Returns whether it was answered. */
static bool ask_all(test_setting *setting, const og_state *state)
{
    double gain, q[GROUPS_MAX], error[GROUPS_MAX], answer[GROUPS_MAX + 1];
    int32_t alike[GROUPS_MAX];
    mpq_t exact[GROUPS_MAX];
    og_answer kind;
    og_message message = {""};
    og_status status = og_solver_value_at(setting->optimum, state, &gain, &message);
    test_assert_msg(status == OG_OK || (status == OG_BAD_INPUT && message.text[0] != '\0'),
                    "%s: status %d, '%s'", setting->words, (int)status, message.text);
    og_solver_q_at(setting->first, state, q, error, &message);
    og_solver_value_at(setting->first, state, q, &message);
    og_solver_q_of(setting->optimum, state, state->count - 1, q, &message);
    og_ranks_ask(setting->ahead, state, answer, &kind);
    if (og_solver_alike(setting->optimum, state, alike, &message) != OG_OK) {
        test_assert_msg(status == OG_BAD_INPUT, "%s", setting->words);
    }
    for (int32_t i = 0; i < state->count; i++) {
        mpq_init(exact[i]);
    }
    og_status fractions = og_exact_q_at(setting->exact, state, exact, &message);
    og_status doubles = og_solver_q_at(setting->optimum, state, q, error, &message);
    test_assert_msg(fractions == doubles, "%s: status %d and %d", setting->words, (int)fractions,
                    (int)doubles);
    for (int32_t i = 0; i < state->count; i++) {
        test_assert_msg(doubles != OG_OK || fabs(q[i] - mpq_get_d(exact[i])) <= 2 * error[i],
                        "%s: Q %d", setting->words, i);
        mpq_clear(exact[i]);
    }
    if (status == OG_OK && state->left > 0 && state->count > 0) {
        compare_gain(setting, state, gain);
    }
    return status == OG_OK;
}

OG_TEST(made_up_states_are_refused_or_worth_what_they_are_as_problems)
{
    random_source random = random_start(test_seed(20261201));
    random_limits limits = {.instances = 5, .budget = 5, .integers = true};
    int answered = 0, refused = 0;
    for (int n = 0; n < test_cases(60); n++) {
        test_setting setting;
        random_problem(&random, &limits, &setting.problem);
        setting_init(&setting);
        for (int i = 0; i < 60; i++) {
            og_state_group group[GROUPS_MAX];
            og_state state;
            make_up(&random, setting.arms, group, &state);
            *(ask_all(&setting, &state) ? &answered : &refused) += 1;
        }
        setting_clear(&setting);
    }
    ck_assert_int_gt(answered, 60);
    ck_assert_int_gt(refused, 60);
}

/* Many instances in different posteriors, each with few labels: together more than a key holds, and
 * more than the instances that the engine's frames have room for. */
OG_TEST(states_with_more_posteriors_than_labels_make_are_refused)
{
    enum { BUDGET = 6, LEFT = 3 };
    og_state_group group[GROUPS_MAX];
    test_setting setting;
    test_problem("1000x1,1 1000x2,1", BUDGET, &setting.problem);
    setting_init(&setting);
    int32_t refused = 0;
    for (int32_t count = 1; count <= 20; count++) {
        for (int32_t i = 0; i < count; i++) {
            group[i] = (og_state_group){i % 2, (uint32_t)i / 2, 1};
        }
        og_state state = {LEFT, BUDGET, count, group};
        bool answered = ask_all(&setting, &state);
        refused += !answered;
        ck_assert_msg(answered || count > 2 + BUDGET - LEFT, "%d groups", count);
    }
    ck_assert_int_gt(refused, 0);
    /* Runs of two posteriors, one after the other. */
    for (int32_t i = 0; i < GROUPS_MAX; i++) {
        group[i] = (og_state_group){i % 2, 0, 1};
    }
    double gain;
    og_message message = {""};
    og_state state = {LEFT, BUDGET, GROUPS_MAX, group};
    ck_assert_int_eq(og_solver_value_at(setting.first, &state, &gain, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "more different instances"));
    ck_assert_int_eq(og_solver_value_at(setting.optimum, &state, &gain, &message), OG_OK);
    setting_clear(&setting);
}
