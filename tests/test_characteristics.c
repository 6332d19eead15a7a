/*
 * Operating characteristics under an actual law of the labels, of correct decisions and of a
 * bandit's positive labels: against every label history written out, in rationals; against the
 * policy's value where labels fall as it believes; and integrated over the prior.
 */
#include <gsl/gsl_integration.h>

#include "dp/prior/tails.h"
#include "dp/product/characteristics.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(characteristics, 60);

enum { PROBLEMS = 60, INSTANCES = 4, BUDGET = 4, SCORE = 4, MIXTURES = 2, WORDS_BYTES = 256 };

static const og_ties ties_played[] = {OG_TIES_RANDOM, OG_TIES_FIRST, OG_TIES_BEST, OG_TIES_WORST};

typedef struct {
    og_groups problem;
    og_arms *arms;
    og_ranks *ranks;
    og_arm *mixture[MIXTURES]; /* that labels may fall by */
    og_truth_law_run run[INSTANCES];
    int32_t run_count;
    char words[WORDS_BYTES];
} test_setting;

static og_ranks *ranks_of(const og_arms *arms, const char *name)
{
    og_policy_name policy;
    og_ranks *ranks;
    og_message message = {""};
    ck_assert_int_eq(og_policy_name_parse(name, &policy, &message), OG_OK);
    ck_assert_msg(og_policy_name_ranks(&policy, arms, arms->budget, 1, &ranks, &message) == OG_OK,
                  "%s", message.text);
    return ranks;
}

static void setting_init(test_setting *setting, const char *name)
{
    setting->arms = test_arms(&setting->problem);
    setting->ranks = ranks_of(setting->arms, name);
    for (int i = 0; i < MIXTURES; i++) {
        static const char *const words[MIXTURES] = {"0.3:1,1+0.7:4,2", "2:1,5+1:3,1+1:2,2"};
        og_group group;
        ck_assert_int_eq(og_group_parse(words[i], &group, NULL), OG_OK);
        ck_assert_int_eq(og_arm_new(&group, setting->problem.budget, UINT64_C(1) << 26,
                                    &setting->mixture[i], NULL),
                         OG_OK);
    }
    problem_format(&setting->problem, setting->words, sizeof setting->words);
}

static void setting_clear(test_setting *setting)
{
    for (int i = 0; i < MIXTURES; i++) {
        og_arm_free(setting->mixture[i]);
    }
    og_ranks_free(setting->ranks);
    og_arms_free(setting->arms);
    og_groups_clear(&setting->problem);
}

static og_characteristics_question question_of(const test_setting *setting, og_ties ties,
                                               bool exact)
{
    og_characteristics_question question = {.arms = setting->arms,
                                            .ranks = setting->ranks,
                                            .ties = ties,
                                            .run = setting->run,
                                            .run_count = setting->run_count,
                                            .exact = exact};
    og_settings_default(&question.settings);
    question.settings.memory_bytes = UINT64_C(1) << 28;
    return question;
}

static void find(const test_setting *setting, og_ties ties, bool exact, og_characteristics *out)
{
    og_characteristics_question question = question_of(setting, ties, exact);
    og_message message = {""};
    og_status status = og_characteristics_find(&question, out, &message);
    ck_assert_msg(status == OG_OK, "%s: %s", setting->words, message.text);
}

/* ---- every history, instances in the order given ---- */

typedef struct {
    const test_setting *setting;
    og_ties ties;
    int count, most; /* instances; what can be scored */
    og_truth_law actual[INSTANCES];
    int32_t arm[INSTANCES];
    const og_group *group[INSTANCES];
    int s[INSTANCES], f[INSTANCES];
    mpq_t law[SCORE + 1], wrong[INSTANCES], labels_law[INSTANCES][BUDGET + 1];
} literal;

static void set_sum(mpq_t out, og_fraction value, int more)
{
    OWN_MPQ whole = MPQ_NEW;
    mpq_set_si(whole, more, 1);
    og_fraction_get_mpq(out, value);
    mpq_add(out, out, whole);
}

/* out *= (from + 0) (from + 1) ... */
static void multiply_rising(mpq_t out, og_fraction from, int factors)
{
    OWN_MPQ factor = MPQ_NEW;
    for (int k = 0; k < factors; k++) {
        set_sum(factor, from, k);
        mpq_mul(out, out, factor);
    }
}

/* A component's weight times the chance of s positive and f negative labels. */
static void set_share(mpq_t out, const og_component *part, int s, int f)
{
    OWN_MPQ below = MPQ_NEW;
    og_fraction_get_mpq(out, part->weight);
    multiply_rising(out, part->a, s);
    multiply_rising(out, part->b, f);
    mpq_set_ui(below, 1, 1);
    og_fraction sum = og_fraction_make(part->a.num * part->b.den + part->b.num * part->a.den,
                                       part->a.den * part->b.den);
    multiply_rising(below, sum, s + f);
    mpq_div(out, out, below);
}

/* P(soft label >= threshold) of Beta(a + s, b + f). */
static void positive(mpq_t out, og_fraction a, og_fraction b, const literal *l, int i)
{
    OWN_MPQ first = MPQ_NEW, second = MPQ_NEW, threshold = MPQ_NEW;
    set_sum(first, a, l->s[i]);
    set_sum(second, b, l->f[i]);
    og_fraction_get_mpq(threshold, l->group[i]->threshold);
    oracle_positive(out, first, second, threshold);
}

static void chance_of_beta(const literal *l, int i, og_fraction a, og_fraction b, mpq_t out)
{
    OWN_MPQ other = MPQ_NEW;
    set_sum(out, a, l->s[i]);
    set_sum(other, b, l->f[i]);
    mpq_add(other, other, out);
    mpq_div(out, out, other);
}

/* The mean over the components of the chance that the soft label is positive, or the next label. */
static void mixed(const literal *l, int i, bool label, mpq_t out)
{
    const og_group *prior = &l->actual[i].mixed->prior;
    OWN_MPQ share = MPQ_NEW, sum = MPQ_NEW, one = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int32_t k = 0; k < prior->part_count; k++) {
        const og_component *part = &prior->component[k];
        set_share(share, part, l->s[i], l->f[i]);
        mpq_add(sum, sum, share);
        if (label) {
            chance_of_beta(l, i, part->a, part->b, one);
        } else {
            positive(one, part->a, part->b, l, i);
        }
        mpq_mul(one, one, share);
        mpq_add(out, out, one);
    }
    mpq_div(out, out, sum);
}

/* The chance that the decision about instance i is right now. */
static void right(const literal *l, int i, mpq_t out)
{
    positive(out, l->group[i]->a, l->group[i]->b, l, i);
    bool called = mpq_cmp_ui(out, 1, 2) >= 0;
    if (l->actual[i].fixed) {
        bool is = og_fraction_compare(l->actual[i].soft, l->group[i]->threshold) >= 0;
        mpq_set_ui(out, is == called, 1);
        return;
    }
    if (l->actual[i].mixed != NULL) {
        mixed(l, i, false, out);
    } else {
        positive(out, l->actual[i].a, l->actual[i].b, l, i);
    }
    if (!called) {
        OWN_MPQ one = MPQ_NEW;
        mpq_set_ui(one, 1, 1);
        mpq_sub(out, one, out);
    }
}

/* The law of the sum by all 2^count ways the decisions can end. */
static void score_decisions(literal *l, const mpq_t probability)
{
    mpq_t chance[INSTANCES], each, one;
    mpq_inits(each, one, NULL);
    mpq_set_ui(one, 1, 1);
    for (int i = 0; i < l->count; i++) {
        mpq_init(chance[i]);
        right(l, i, chance[i]);
        mpq_sub(each, one, chance[i]);
        mpq_mul(each, each, probability);
        mpq_add(l->wrong[i], l->wrong[i], each);
    }
    for (int way = 0; way < 1 << l->count; way++) {
        OWN_MPQ all = MPQ_NEW;
        mpq_set(all, probability);
        for (int i = 0; i < l->count; i++) {
            mpq_sub(each, one, chance[i]);
            mpq_mul(all, all, way >> i & 1 ? chance[i] : each);
        }
        int correct = __builtin_popcount((unsigned)way);
        mpq_add(l->law[correct], l->law[correct], all);
    }
    for (int i = 0; i < l->count; i++) {
        mpq_clear(chance[i]);
    }
    mpq_clears(each, one, NULL);
}

static bool is_bandit(const test_setting *setting)
{
    return setting->problem.objective == OG_OBJECTIVE_BANDIT;
}

static void score(literal *l, const mpq_t probability)
{
    int positives = 0;
    for (int i = 0; i < l->count; i++) {
        mpq_ptr at = l->labels_law[i][l->s[i] + l->f[i]];
        mpq_add(at, at, probability);
        positives += l->s[i];
    }
    if (is_bandit(l->setting)) {
        mpq_add(l->law[positives], l->law[positives], probability);
    } else {
        score_decisions(l, probability);
    }
}

static void chance_of_positive(const literal *l, int i, mpq_t out)
{
    if (l->actual[i].fixed) {
        og_fraction_get_mpq(out, l->actual[i].soft);
        return;
    }
    if (l->actual[i].mixed != NULL) {
        mixed(l, i, true, out);
        return;
    }
    chance_of_beta(l, i, l->actual[i].a, l->actual[i].b, out);
}

static uint32_t rank_of(const literal *l, int i, int left)
{
    int n = l->s[i] + l->f[i];
    uint32_t node = (uint32_t)(n * (n + 1) / 2 + l->s[i]);
    return og_ranks_of(l->setting->ranks, l->arm[i], left)[node];
}

static void set_chance(const literal *l, int i, int negative, mpq_t out)
{
    chance_of_positive(l, i, out);
    if (negative) {
        OWN_MPQ one = MPQ_NEW;
        mpq_set_ui(one, 1, 1);
        mpq_sub(out, one, out);
    }
}

static void mean_score(const literal *l, mpq_t out)
{
    OWN_MPQ chance = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < l->count; i++) {
        mpq_set_si(chance, l->s[i], 1);
        if (!is_bandit(l->setting)) {
            right(l, i, chance);
        }
        mpq_add(out, out, chance);
    }
}

static int best_of(literal *l, int left, bool taken[INSTANCES], mpq_t value);

/* What labelling instance i is worth where ties go to the best, or worst, ever after. */
static void value_of_label(literal *l, int left, int i, mpq_t out)
{
    OWN_MPQ chance = MPQ_NEW, value = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int negative = 0; negative < 2; negative++) {
        bool ignored[INSTANCES];
        set_chance(l, i, negative, chance);
        *(negative ? &l->f[i] : &l->s[i]) += 1;
        best_of(l, left - 1, ignored, value);
        *(negative ? &l->f[i] : &l->s[i]) -= 1;
        mpq_mul(chance, chance, value);
        mpq_add(out, out, chance);
    }
}

/* Those with the largest rank; returns how many. */
static int tied_by_rank(const literal *l, int left, bool taken[INSTANCES])
{
    uint32_t top = 0;
    int count = 0;
    for (int i = 0; i < l->count; i++) {
        top = rank_of(l, i, left) > top ? rank_of(l, i, left) : top;
    }
    for (int i = 0; i < l->count; i++) {
        taken[i] = rank_of(l, i, left) == top;
        count += taken[i];
    }
    return count;
}

/* Of those that tie the ones of the best, or worst, value; how many, and that value. */
static int best_of(literal *l, int left, bool taken[INSTANCES], mpq_t value)
{
    if (left == 0) {
        mean_score(l, value);
        return 0;
    }
    mpq_t one[INSTANCES];
    int best = -1, count = 0;
    tied_by_rank(l, left, taken);
    for (int i = 0; i < l->count; i++) {
        mpq_init(one[i]);
        if (taken[i]) {
            value_of_label(l, left, i, one[i]);
            int order = best < 0 ? 1 : mpq_cmp(one[i], one[best]);
            best = best < 0 || (l->ties == OG_TIES_BEST ? order > 0 : order < 0) ? i : best;
        }
    }
    for (int i = 0; i < l->count; i++) {
        taken[i] = taken[i] && mpq_equal(one[i], one[best]);
        count += taken[i];
    }
    mpq_set(value, one[best]);
    for (int i = 0; i < l->count; i++) {
        mpq_clear(one[i]);
    }
    return count;
}

/* The labelled instances, with equal probabilities. */
static int picked(literal *l, int left, bool taken[INSTANCES])
{
    int count;
    mpq_t ignored;
    if (l->ties == OG_TIES_RANDOM || l->ties == OG_TIES_FIRST) {
        count = tied_by_rank(l, left, taken);
        for (int i = 0, before = 0; l->ties == OG_TIES_FIRST && i < l->count; i++) {
            before += taken[i];
            taken[i] = taken[i] && before == 1;
        }
        return l->ties == OG_TIES_FIRST ? 1 : count;
    }
    mpq_init(ignored);
    count = best_of(l, left, taken, ignored);
    mpq_clear(ignored);
    return count;
}

static void follow(literal *l, int left, const mpq_t probability)
{
    bool taken[INSTANCES];
    if (left == 0) {
        score(l, probability);
        return;
    }
    int tied = picked(l, left, taken);
    OWN_MPQ share = MPQ_NEW, chance = MPQ_NEW;
    for (int i = 0; i < l->count; i++) {
        if (!taken[i]) {
            continue;
        }
        for (int negative = 0; negative < 2; negative++) {
            set_chance(l, i, negative, chance);
            mpq_set_ui(share, 1, (unsigned long)tied);
            mpq_mul(share, share, chance);
            mpq_mul(share, share, probability);
            *(negative ? &l->f[i] : &l->s[i]) += 1;
            follow(l, left - 1, share);
            *(negative ? &l->f[i] : &l->s[i]) -= 1;
        }
    }
}

static literal *literal_new(const test_setting *setting, og_ties ties)
{
    literal *l = calloc(1, sizeof *l);
    ck_assert_ptr_nonnull(l);
    l->setting = setting;
    l->ties = ties;
    for (int32_t r = 0; r < setting->run_count; r++) {
        for (int64_t i = 0; i < setting->run[r].count; i++) {
            l->actual[l->count] = setting->run[r].actual;
            l->arm[l->count] = setting->arms->arm_of_group[setting->run[r].group];
            l->group[l->count++] = og_groups_at(&setting->problem, setting->run[r].group);
        }
    }
    l->most = is_bandit(setting) ? setting->arms->budget : l->count;
    for (int k = 0; k <= SCORE; k++) {
        mpq_init(l->law[k]);
    }
    for (int i = 0; i < INSTANCES; i++) {
        mpq_init(l->wrong[i]);
        for (int n = 0; n <= BUDGET; n++) {
            mpq_init(l->labels_law[i][n]);
        }
    }
    OWN_MPQ one = MPQ_NEW;
    mpq_set_ui(one, 1, 1);
    follow(l, setting->arms->budget, one);
    return l;
}

static void literal_free(literal *l)
{
    for (int k = 0; k <= SCORE; k++) {
        mpq_clear(l->law[k]);
    }
    for (int i = 0; i < INSTANCES; i++) {
        mpq_clear(l->wrong[i]);
        for (int n = 0; n <= BUDGET; n++) {
            mpq_clear(l->labels_law[i][n]);
        }
    }
    free(l);
}

/* ---- against them ---- */

static void check_number(const test_setting *setting, const og_characteristics *found,
                         const char *what, double number, mpq_srcptr exact, const mpq_t truth)
{
    double bound = found->relative_error * mpq_get_d(truth) * (1 + 1e-9);
    ck_assert_msg(oracle_within(number, bound, truth), "%s: %s is %.17g, not %.17g", setting->words,
                  what, number, mpq_get_d(truth));
    ck_assert_msg(exact == NULL || mpq_equal(exact, truth), "%s: %s exactly", setting->words, what);
}

static void check_moments(const test_setting *setting, const og_characteristics *found,
                          const literal *l)
{
    OWN_MPQ mean = MPQ_NEW, variance = MPQ_NEW, term = MPQ_NEW;
    for (int k = 0; k <= l->most; k++) {
        mpq_set_si(term, k, 1);
        mpq_mul(term, term, l->law[k]);
        mpq_add(mean, mean, term);
        mpq_set_si(term, k * k, 1);
        mpq_mul(term, term, l->law[k]);
        mpq_add(variance, variance, term);
    }
    mpq_mul(term, mean, mean);
    mpq_sub(variance, variance, term);
    ck_assert_msg(oracle_within(found->mean, found->mean_error, mean), "%s", setting->words);
    ck_assert_msg(oracle_within(found->variance, found->variance_error, variance),
                  "%s: %.17g, not %.17g", setting->words, found->variance, mpq_get_d(variance));
    if (found->moment != NULL) {
        ck_assert_msg(mpq_equal(found->moment[0], mean), "%s", setting->words);
        ck_assert_msg(mpq_equal(found->moment[1], variance), "%s", setting->words);
    }
}

#define EXACTLY(array, i) ((array) != NULL ? (array)[i] : NULL)

static void check_against(const test_setting *setting, og_ties ties, bool exact)
{
    og_characteristics found;
    literal *l = literal_new(setting, ties);
    find(setting, ties, exact, &found);
    ck_assert_int_eq(found.instances, l->count);
    ck_assert_msg(found.relative_error < 1e-13, "%g", found.relative_error);
    OWN_MPQ labels = MPQ_NEW, term = MPQ_NEW;
    ck_assert_int_eq(found.most, l->most);
    ck_assert_msg((found.wrong == NULL) == is_bandit(setting), "%s", setting->words);
    for (int k = 0; k <= l->most; k++) {
        check_number(setting, &found, "law", found.law[k], EXACTLY(found.law_exact, k), l->law[k]);
    }
    for (int i = 0; i < l->count; i++) {
        int32_t slot = found.slot[i];
        if (found.wrong != NULL) {
            check_number(setting, &found, "wrong", found.wrong[slot],
                         EXACTLY(found.wrong_exact, slot), l->wrong[i]);
        }
        mpq_set_ui(labels, 0, 1);
        for (int n = 0; n <= found.budget; n++) {
            int32_t at = slot * (found.budget + 1) + n;
            check_number(setting, &found, "law of labels", found.labels_law[at],
                         EXACTLY(found.labels_law_exact, at), l->labels_law[i][n]);
            mpq_set_si(term, n, 1);
            mpq_mul(term, term, l->labels_law[i][n]);
            mpq_add(labels, labels, term);
        }
        check_number(setting, &found, "labels", found.labels[slot],
                     EXACTLY(found.labels_exact, slot), labels);
    }
    check_moments(setting, &found, l);
    literal_free(l);
    og_characteristics_clear(&found);
}

static og_truth_law random_actual(random_source *source, const test_setting *setting)
{
    static const og_fraction softs[] = {{0, 1}, {1, 1}, {1, 2}, {3, 10}, {7, 10}, {1, 4}, {9, 10}};
    static const og_truth_law drawn[] = {
        {.a = {1, 1}, .b = {1, 1}}, {.a = {2, 1}, .b = {1, 1}}, {.a = {3, 1}, .b = {5, 1}}};
    int32_t kind = (int32_t)random_below(source, 4);
    if (kind == 3) {
        int32_t which = (int32_t)random_below(source, MIXTURES);
        return (og_truth_law){.mixed = setting->mixture[which], .mixed_number = which};
    }
    return kind > 0 ? (og_truth_law){.fixed = true, .soft = softs[random_below(source, 7)]}
                    : drawn[random_below(source, 3)];
}

/* Each group in one run, or every instance in a separate run. */
static void random_runs(random_source *source, test_setting *setting)
{
    setting->run_count = 0;
    for (int32_t g = 0; g < setting->problem.group_count; g++) {
        int64_t left = og_groups_at(&setting->problem, g)->count;
        while (left > 0) {
            int64_t count = random_below(source, 2) ? left : 1;
            setting->run[setting->run_count++] =
                (og_truth_law_run){g, count, random_actual(source, setting)};
            left -= count;
        }
    }
}

OG_TEST(characteristics_are_those_of_all_histories)
{
    static const char *const names[] = {"uniform", "kg", "opt-kg", "gittins-fh", "pess-kg"};
    random_source source = random_start(test_seed(71));
    for (int i = 0; i < test_cases(4 * PROBLEMS); i++) {
        test_setting setting = {.arms = NULL};
        const random_limits limits = {
            .instances = 3, .budget = BUDGET, .integers = true, .bandit = i / 40 % 2};
        random_problem(&source, &limits, &setting.problem);
        setting_init(&setting, names[i % 5]);
        random_runs(&source, &setting);
        check_against(&setting, ties_played[i / 5 % 4], i / 20 % 2);
        setting_clear(&setting);
    }
}

/* ---- as believed ---- */

OG_TEST(labels_that_fall_as_believed_give_the_value)
{
    static const char *const names[] = {"uniform",    "kg",      "lookahead:2", "cvar-kg:0.5",
                                        "rollout:kg", "kg-star", "lookahead:9", "nlu"};
    static const char *const bandits[] = {"uniform", "kg", "lookahead:2", "rollout:kg"};
    random_source source = random_start(test_seed(72));
    for (int i = 0; i < test_cases(4 * PROBLEMS); i++) {
        test_setting setting = {.arms = NULL};
        og_characteristics found;
        og_result value;
        const random_limits limits = {
            .instances = INSTANCES, .budget = 6, .mixtures = true, .bandit = i / 32 % 2};
        random_problem(&source, &limits, &setting.problem);
        setting_init(&setting, is_bandit(&setting) ? bandits[i % 4] : names[i % 8]);
        for (int32_t g = 0; g < setting.problem.group_count; g++) {
            const og_group *group = og_groups_at(&setting.problem, g);
            int32_t arm = setting.arms->arm_of_group[g];
            const og_group *plain =
                &setting.arms->arm[arm]->prior; /* a mixture of one may be none */
            og_truth_law actual = {.a = plain->a, .b = plain->b};
            if (plain->kind == OG_PRIOR_MIXTURE) {
                actual = (og_truth_law){.mixed = setting.arms->arm[arm], .mixed_number = arm};
            }
            setting.run[setting.run_count++] = (og_truth_law_run){g, group->count, actual};
        }
        og_ties ties = ties_played[i / 8 % 4];
        find(&setting, ties, false, &found);
        og_characteristics_question question = question_of(&setting, ties, false);
        ck_assert_int_eq(
            og_policy_value(setting.arms, setting.ranks, ties, &question.settings, &value, NULL),
            OG_OK);
        ck_assert_msg(fabs(found.mean - value.value) <= found.mean_error + value.error_bound,
                      "%s: %d: %.17g, value %.17g", setting.words, i, found.mean, value.value);
        og_characteristics_clear(&found);
        setting_clear(&setting);
    }
}

static og_truth_law_run fixed_run(int32_t group, double soft)
{
    const int64_t den = INT64_C(100000000000000000);
    const og_fraction nearest = og_fraction_make((int64_t)(soft * (double)den), den);
    return (og_truth_law_run){group, 1, {.fixed = true, .soft = nearest}};
}

/* The mean score is a polynomial of degree T in each soft label on both sides of
 * its threshold, or of any number: Gauss's rule with T / 2 + 1 nodes there integrates it exactly.
 */
OG_TEST_LOOP(the_mean_over_the_prior_is_the_value, 0, 2)
{
    enum { NODES = 4 };
    const bool bandit = _i == 1;
    test_setting setting = {.arms = NULL, .run_count = 2};
    og_result value;
    double point[2 * NODES], weight[2 * NODES], sum = 0;
    test_problem(bandit ? "1,1 2,1" : "1,1@0.3 2,1@0.3", 6, &setting.problem);
    setting.problem.objective = bandit ? OG_OBJECTIVE_BANDIT : OG_OBJECTIVE_CALLS;
    setting_init(&setting, bandit ? "gittins-fh" : "opt-kg");
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(NODES);
    for (size_t i = 0; i < NODES; i++) {
        gsl_integration_glfixed_point(0, 0.3, i, &point[i], &weight[i], rule);
        gsl_integration_glfixed_point(0.3, 1, i, &point[NODES + i], &weight[NODES + i], rule);
    }
    gsl_integration_glfixed_table_free(rule);
    for (int i = 0; i < 4 * NODES * NODES; i++) {
        int x = i / (2 * NODES), y = i % (2 * NODES);
        og_characteristics found;
        setting.run[0] = fixed_run(0, point[x]);
        setting.run[1] = fixed_run(1, point[y]);
        find(&setting, OG_TIES_RANDOM, false, &found);
        sum += weight[x] * weight[y] * 2 * point[y] * found.mean; /* Beta(2, 1) has density 2 t */
        og_characteristics_clear(&found);
    }
    og_characteristics_question question = question_of(&setting, OG_TIES_RANDOM, false);
    ck_assert_int_eq(og_policy_value(setting.arms, setting.ranks, OG_TIES_RANDOM,
                                     &question.settings, &value, NULL),
                     OG_OK);
    ck_assert_msg(fabs(sum - value.value) <= 1e-13, "%.17g, not %.17g", sum, value.value);
    setting_clear(&setting);
}

/* ---- tails ---- */

OG_TEST(tails_are_those_of_the_oracle)
{
    static const char *const words[] = {"1,1",      "3,5@0.3",    "0.5,0.5", "2.5,1.5@0.7",
                                        "40,2@0.9", "0.01,3@0.4", "300,200", "30,28"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_group group;
        double below, above;
        OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, threshold = MPQ_NEW, truth = MPQ_NEW, one = MPQ_NEW;
        ck_assert_int_eq(og_group_parse(words[i], &group, NULL), OG_OK);
        ck_assert_int_eq(og_beta_tails(&group, &below, &above), OG_OK);
        og_fraction_get_mpq(a, group.a);
        og_fraction_get_mpq(b, group.b);
        og_fraction_get_mpq(threshold, group.threshold);
        oracle_positive(truth, a, b, threshold);
        ck_assert_msg(oracle_within(above, above * 0x1p-52 + ORACLE_H_ERROR, truth), "%s",
                      words[i]);
        mpq_set_ui(one, 1, 1);
        mpq_sub(truth, one, truth);
        ck_assert_msg(oracle_within(below, below * 0x1p-52 + ORACLE_H_ERROR, truth), "%s",
                      words[i]);
    }
}

/* Whole parameters by fractions, others in balls, here of parts whose tails the oracle knows. */
OG_TEST(tails_of_a_mixture_are_the_mean_over_its_parts)
{
    static const char *const words[] = {"1:1,1+3:4,2", "0.2:9,1+0.8:1,9@0.3", "1:0.5,0.5+1:2.5,4",
                                        "5:0.7,3+1:30,28"};
    for (int i = 0; i < 4 * 12; i++) {
        og_group group;
        int32_t s = i / 4 % 3 * 2, f = i / 12 * 3;
        double below, above;
        mpq_t a, b, threshold, one, share, sum, truth;
        mpq_inits(a, b, threshold, one, share, sum, truth, NULL);
        ck_assert_msg(og_group_parse(words[i % 4], &group, NULL) == OG_OK, "%s", words[i % 4]);
        ck_assert_int_eq(og_mixture_tails(&group, s, f, &below, &above), OG_OK);
        og_fraction_get_mpq(threshold, group.threshold);
        for (int32_t k = 0; k < group.part_count; k++) {
            set_sum(a, group.component[k].a, s);
            set_sum(b, group.component[k].b, f);
            oracle_positive(one, a, b, threshold);
            set_share(share, &group.component[k], s, f);
            mpq_add(sum, sum, share);
            mpq_mul(one, one, share);
            mpq_add(truth, truth, one);
        }
        mpq_div(truth, truth, sum);
        ck_assert_msg(oracle_within(above, above * 0x1p-52 + ORACLE_H_ERROR, truth), "%s %d %d",
                      words[i % 4], (int)s, (int)f);
        mpq_set_ui(one, 1, 1);
        mpq_sub(truth, one, truth);
        ck_assert_msg(oracle_within(below, below * 0x1p-52 + ORACLE_H_ERROR, truth), "%s %d %d",
                      words[i % 4], (int)s, (int)f);
        mpq_clears(a, b, threshold, one, share, sum, truth, NULL);
    }
}

/* ---- limits ---- */

static bool stop(void *user, const og_progress *progress)
{
    (void)progress;
    return ++*(int *)user < 1;
}

OG_TEST(limits_end_it_with_a_line)
{
    test_setting setting = {.arms = NULL, .run_count = 4};
    test_problem("4x1,1", 40, &setting.problem);
    setting_init(&setting, "uniform");
    for (int i = 0; i < 4; i++) {
        setting.run[i] = (og_truth_law_run){0, 1, {.fixed = true, .soft = {i + 1, 10}}};
    }
    static const struct {
        uint64_t states, memory;
        const char *says;
    } limit[] = {{100, UINT64_C(1) << 30, "more than 100 states"},
                 {0, 1000, "memory limit"},
                 {0, 1 << 20, "memory limit"},
                 {0, UINT64_C(1) << 30, "stopped"}};
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
        for (int way = 0; way < 4; way++) {
            int exact = way % 2, calls = 0;
            og_message message = {""};
            og_characteristics found = {.instances = -1};
            og_characteristics_question question =
                question_of(&setting, way < 2 ? OG_TIES_RANDOM : OG_TIES_BEST, exact);
            question.settings.states_max = limit[i].states;
            question.settings.memory_bytes = limit[i].memory;
            og_stop watched;
            og_stop_init(&watched, i == 3 ? stop : NULL, &calls);
            question.settings.watch = og_stop_watch;
            question.settings.watch_user = &watched;
            ck_assert_int_eq(og_characteristics_find(&question, &found, &message), OG_STOPPED);
            ck_assert_msg(strstr(message.text, limit[i].says) != NULL, "%s", message.text);
            ck_assert_int_eq(found.instances, -1);
        }
    }
    setting_clear(&setting);
}
