/*
 * Why a policy loses: the losses of its decisions add up to the gap that the oracle knows, and each
 * decision is what the oracle says of a problem that begins there.
 */
#include "bench/families/independent/independent.h"
#include "bench/questions/compare.h"
#include "bench/questions/explain.h"
#include "dp/product/chooser.h"
#include "heuristics/policy.h"
#include "tests/families.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(explain, 120);

enum { PROBLEMS = 25, WORDS_BYTES = 256 };

typedef struct {
    og_groups problem;
    og_arms *arms;
    og_ranks *ranks;
    void *opened;
    og_solver *optimum;
    og_settings settings;
    char words[WORDS_BYTES];
} test_setting;

/* Takes the problem over; `name` NULL: no ranks yet. */
static void setting_init(test_setting *setting, const char *name)
{
    og_message message = {""};
    og_policy_name policy;
    problem_format(&setting->problem, setting->words, sizeof setting->words);
    setting->settings = question_settings(OG_REDUCE_ALL, 1);
    setting->arms = test_arms(&setting->problem);
    ck_assert_int_eq(og_solver_new(setting->arms, &setting->settings, &setting->optimum, NULL),
                     OG_OK);
    ck_assert_int_eq(family_open(&og_family_independent, &setting->problem, NULL,
                                 &setting->settings, &setting->opened, NULL),
                     OG_OK);
    setting->ranks = NULL;
    if (name != NULL) {
        ck_assert_int_eq(og_policy_name_parse(name, &policy, NULL), OG_OK);
        ck_assert_int_eq(og_policy_name_ranks(&policy, setting->arms, setting->arms->budget, 1,
                                              &setting->ranks, &message),
                         OG_OK);
    }
}

static void setting_clear(test_setting *setting)
{
    og_family_close(&og_family_independent, setting->opened);
    og_solver_free(setting->optimum);
    og_ranks_free(setting->ranks);
    og_arms_free(setting->arms);
    og_groups_clear(&setting->problem);
}

static og_status explain(const test_setting *setting, og_ties ties, og_explanation *out,
                         og_message *message)
{
    const og_family *family = &og_family_independent;
    const og_strategy by = {.ranks = setting->ranks};
    og_steps_use use = {.settings = setting->settings, .ordered = ties == OG_TIES_FIRST};
    og_steps optimum = {.self = NULL};
    use.settings.memory_bytes = UINT64_C(1) << 28; /* limits are those of the explanation */
    use.settings.states_max = 0;
    og_status status = og_family_steps(family, setting->opened, &use, &optimum, message);
    og_explained_policy request = {.family = family,
                                   .problem = setting->opened,
                                   .by = &by,
                                   .ties = ties,
                                   .optimum = &optimum,
                                   .settings = setting->settings};
    if (status == OG_OK) {
        status = og_explain(&request, out, message);
    }
    og_steps_free(&optimum);
    return status;
}

/* The first group of the problem that is of this arm. */
static int32_t group_of(const test_setting *setting, const og_decision_act *act)
{
    int32_t g = 0;
    while ((uint32_t)setting->arms->arm_of_group[g] != act->act.part[0]) {
        g++;
    }
    return g;
}

static void check_order(const test_setting *setting, const og_explanation *found)
{
    double sum = 0;
    double listed = 0;
    for (int32_t left = 1; left <= found->budget; left++) {
        ck_assert_msg(found->stage[left] >= 0, "%s", setting->words);
        sum += found->stage[left];
    }
    ck_assert_msg(fabs(sum - found->total) <= 1e-15, "%s", setting->words);
    ck_assert_msg(found->stage[0] == 0, "%s", setting->words);
    for (int32_t i = 0; i < found->decision_count; i++) {
        const og_decision *made = &found->decision[i];
        listed += made->contribution;
        ck_assert_msg(made->contribution == made->probability * made->loss, "%s", setting->words);
        ck_assert_msg(made->contribution > 0 && made->probability <= 1 + 1e-12, "%s",
                      setting->words);
        ck_assert_msg(i == 0 || made->contribution <= found->decision[i - 1].contribution, "%s",
                      setting->words);
    }
    ck_assert_msg(listed <= found->total + found->error, "%s", setting->words);
    ck_assert_msg((found->decision_count == 0) == (found->total == 0), "%s", setting->words);
}

/* Every group's Q against the oracle's for the problem that begins in this state. */
static void check_decision(const test_setting *setting, const og_decision *made)
{
    OWN(og_groups) rest;
    og_groups_init(&rest, made->left);
    double chosen = 0;
    double mean = 0;
    double best = 0;
    for (int32_t i = 0; i < made->count; i++) {
        const og_decision_act *group = &made->act[i];
        og_group now = *og_groups_at(&setting->problem, group_of(setting, group));
        int32_t labels[OG_CLASSES_MAX];
        og_arm_counts(setting->arms->arm[group->act.part[0]], group->act.part[1], labels);
        now.a = og_fraction_make(now.a.num + labels[0] * now.a.den, now.a.den);
        now.b = og_fraction_make(now.b.num + labels[1] * now.b.den, now.b.den);
        now.count = group->copies;
        ck_assert_int_eq(og_groups_add(&rest, &now, NULL), OG_OK);
        chosen += group->chosen;
        mean += group->chosen * group->q;
        best = fmax(best, group->q);
    }
    OWN(oracle_arms) *slow = oracle_new(&rest);
    OWN_MPQ q = MPQ_NEW;
    for (int32_t i = 0; i < made->count; i++) {
        const og_decision_act *group = &made->act[i];
        oracle_q(slow, i, q);
        ck_assert_msg(oracle_within(group->q, 1e-12 + oracle_error(slow), q),
                      "%s: group %d of a "
                      "decision with %d left: Q %.17g, oracle %.17g",
                      setting->words, i, made->left, group->q, mpq_get_d(q));
        ck_assert_msg(group->optimal == (mpq_get_d(q) >= best - 1e-12), "%s", setting->words);
    }
    ck_assert_msg(fabs(chosen - 1) <= 1e-14 && fabs(best - mean - made->loss) <= 1e-12, "%s",
                  setting->words);
}

/* The policy chosen before in `oracle`. */
static void check_gap(const test_setting *setting, oracle_arms *slow, og_ties ties,
                      const og_explanation *found)
{
    mpq_t optimum;
    mpq_t value;
    mpq_inits(optimum, value, NULL);
    oracle_optimum(slow, optimum);
    oracle_policy_value(slow, ties, value);
    mpq_sub(value, optimum, value);
    ck_assert_msg(oracle_within(found->total, found->error + 2 * oracle_error(slow), value),
                  "%s: ties %s: %.17g for a gap of %.17g", setting->words, og_ties_name(ties),
                  found->total, mpq_get_d(value));
    double scale = 1; /* of what can be gained */
    for (int i = 0; i < setting->problem.group_count; i++) {
        scale = fmax(scale, og_payoff_scale(&og_groups_at(&setting->problem, i)->payoff));
    }
    ck_assert_msg(found->error <= 1e-12 * scale, "%s: error %g", setting->words, found->error);
    mpq_clears(optimum, value, NULL);
}

OG_TEST_LOOP(losses_add_up_to_the_oracles_gap, 0, 5)
{
    static const char *const names[] = {"uniform", "kg", "opt-kg", "pess-kg", "gittins-fh"};
    const char *name = names[_i];
    random_source random = random_start(test_seed(20261131 + (uint64_t)_i));
    random_limits limits = {.instances = 4, .budget = 6};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        test_setting setting;
        limits.payoffs = n % 3 == 1;
        limits.worths = n % 3 == 2;
        random_problem(&random, &limits, &setting.problem);
        setting_init(&setting, name);
        oracle_arms *slow = oracle_new(&setting.problem);
        oracle_choose_named(slow, name);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            og_explanation found;
            og_message message = {""};
            ck_assert_msg(explain(&setting, (og_ties)ties, &found, &message) == OG_OK, "%s: %s",
                          setting.words, message.text);
            check_order(&setting, &found);
            check_gap(&setting, slow, (og_ties)ties, &found);
            for (int32_t i = 0; i < found.decision_count && n % 5 == 0; i++) {
                check_decision(&setting, &found.decision[i]);
            }
            og_explanation_clear(&found);
        }
        oracle_free(slow);
        setting_clear(&setting);
    }
}

/* Weights that are neither ties nor certain, and that look at the state. */
static og_status lean(void *self, const og_state *state, double *answer, og_answer *kind,
                      og_message *message)
{
    (void)self;
    (void)message;
    *kind = state->left % 2 == 0 ? OG_ANSWER_WEIGHTS : OG_ANSWER_INDEX;
    for (int32_t i = 0; i < state->count; i++) {
        answer[i] = *kind == OG_ANSWER_INDEX ? 1 : (double)state->group[i].copies;
    }
    return OG_OK;
}

OG_TEST(a_policy_that_is_asked_is_explained_as_it_is_valued)
{
    random_source random = random_start(test_seed(20261139));
    random_limits limits = {.instances = 4, .budget = 6};
    for (int n = 0; n < test_cases(PROBLEMS); n++) {
        test_setting setting;
        limits.payoffs = n % 3 == 1;
        limits.worths = n % 3 == 2;
        random_problem(&random, &limits, &setting.problem);
        setting_init(&setting, NULL);
        og_chooser chooser = {.choose = lean, .look = OG_LOOK_POSTERIOR};
        ck_assert_int_eq(og_ranks_new_chooser(setting.arms, &chooser, &setting.ranks), OG_OK);
        og_result optimum;
        ck_assert_int_eq(og_solver_value(setting.optimum, &optimum, NULL), OG_OK);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            og_explanation found;
            og_result own;
            ck_assert_int_eq(og_policy_value(setting.arms, setting.ranks, (og_ties)ties,
                                             &setting.settings, &own, NULL),
                             OG_OK);
            ck_assert_int_eq(explain(&setting, (og_ties)ties, &found, NULL), OG_OK);
            ck_assert_msg(fabs(found.total - (optimum.gain - own.gain)) <=
                              found.error + optimum.error_bound + own.error_bound,
                          "%s: ties %s: %.17g, %.17g", setting.words, og_ties_name((og_ties)ties),
                          found.total, optimum.gain - own.gain);
            og_explanation_clear(&found);
        }
        setting_clear(&setting);
    }
}

/* (2,1), (2,1), (3,3) with two labels left: Q 1/6 against 5/32, though the index says (3,3). */
OG_TEST(gittins_labels_the_tied_instance_too_early)
{
    test_setting setting;
    test_problem("2x2,1 3,3", 2, &setting.problem);
    setting_init(&setting, "gittins-fh");
    for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
        og_explanation found;
        ck_assert_int_eq(explain(&setting, (og_ties)ties, &found, NULL), OG_OK);
        ck_assert_int_eq(found.decision_count, 1);
        const og_decision *made = &found.decision[0];
        ck_assert(made->left == 2 && made->probability == 1 && made->count == 2);
        const og_decision_act *ahead = &made->act[0];
        const og_decision_act *open = &made->act[1];
        ck_assert(ahead->copies == 2 && group_of(&setting, ahead) == 0);
        ck_assert(open->copies == 1 && group_of(&setting, open) == 1);
        ck_assert_str_eq(made->text, "2x2,1  3,3");
        ck_assert_str_eq(open->text, "3,3");
        ck_assert(ahead->chosen == 0 && open->chosen == 1 && ahead->optimal && !open->optimal);
        ck_assert(fabs(ahead->q - 1.0 / 6) <= 1e-15 && fabs(open->q - 5.0 / 32) <= 1e-15);
        ck_assert(fabs(made->loss - 1.0 / 96) <= found.error && found.error <= 1e-14);
        ck_assert(found.stage[1] == 0 && found.stage[2] == made->contribution);
        og_explanation_clear(&found);
    }
    setting_clear(&setting);
}

OG_TEST(limits_stop_it_and_keep_the_output)
{
    test_setting setting;
    test_problem("6x1,1 2,1", 10, &setting.problem);
    setting_init(&setting, "kg");
    og_explanation found = {.budget = -7};
    og_message message = {""};
    setting.settings.states_max = 20;
    ck_assert_int_eq(explain(&setting, OG_TIES_RANDOM, &found, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "more than 20 states"));
    setting.settings.states_max = 0;
    setting.settings.memory_bytes = 1000;
    ck_assert_int_eq(explain(&setting, OG_TIES_RANDOM, &found, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "memory limit"));
    ck_assert_int_eq(found.budget, -7);
    setting_clear(&setting);
}

OG_TEST(without_labels_nothing_is_lost)
{
    test_setting setting;
    test_problem("3x1,1", 0, &setting.problem);
    setting_init(&setting, "kg");
    og_explanation found;
    ck_assert_int_eq(explain(&setting, OG_TIES_RANDOM, &found, NULL), OG_OK);
    ck_assert(found.total == 0 && found.decision_count == 0 && found.states == 0);
    og_explanation_clear(&found);
    setting_clear(&setting);
}

OG_TEST(a_comparison_explains_all_rows)
{
    OWN(og_groups) problem;
    og_policy_name policies[2];
    const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST, OG_TIES_BEST, OG_TIES_WORST};
    test_problem("3x1,1 2,1@0.3", 6, &problem);
    ck_assert_int_eq(og_policy_name_parse("kg", &policies[0], NULL), OG_OK);
    ck_assert_int_eq(og_policy_name_parse("opt-kg", &policies[1], NULL), OG_OK);
    og_asked asked = {.policies = policies,
                      .policy_count = 2,
                      .request = {.ties = ties, .ties_count = 4, .explain = true}};
    og_settings_default(&asked.request.settings);
    asked.request.settings.threads = 2;
    asked.request.settings.memory_bytes = UINT64_C(1) << 28;
    OWN(og_comparison) found;
    ck_assert_int_eq(compare_independent(&problem, &asked, &found, NULL), OG_OK);
    for (int32_t i = 0; i < found.row_count; i++) {
        const og_compare_row *row = &found.rows[i];
        ck_assert(row->explained);
        ck_assert(fabs(row->explanation.total - row->gap) <= 1e-12);
    }
}
