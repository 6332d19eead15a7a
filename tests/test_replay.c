/*
 * Replays of recorded labels: all labels give the majority vote, first ties can be followed by
 * hand, and nothing but the seed changes a result.
 */
#include "bench/recorded/gold.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "tests/support.h"

OG_SUITE(replay, 120);

enum { TASKS = 4, AT_MAX = 64 };

/* Task 0: 1 1 1, task 1: 0 0, task 2: 1 0, task 3: 0. */
static uint32_t task[] = {0, 0, 0, 1, 1, 2, 2, 3};
static uint32_t worker[] = {0, 1, 2, 0, 1, 0, 1, 0};
static uint8_t label[] = {1, 1, 1, 0, 0, 1, 0, 0};
static const uint8_t gold[TASKS] = {1, 0, 1, 1};

static const og_labels small = {.label_count = 8,
                                .task_count = TASKS,
                                .worker_count = 3,
                                .task = task,
                                .worker = worker,
                                .label = label};

typedef struct {
    og_group prior;
    og_policy_name policy[8];
    int32_t at[AT_MAX];
    og_recorded recorded;
    og_source source;
    og_asked asked;
} test_setting;

static void setting_init(test_setting *setting, const og_labels *labels, const uint8_t *truth,
                         const char *const *names, int32_t budget)
{
    static const og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST};
    memset(setting, 0, sizeof *setting);
    ck_assert_int_eq(og_group_parse("1,1", &setting->prior, NULL), OG_OK);
    int32_t policies = 0;
    for (; names[policies] != NULL; policies++) {
        ck_assert_int_eq(og_policy_name_parse(names[policies], &setting->policy[policies], NULL),
                         OG_OK);
    }
    int32_t points = budget < AT_MAX ? budget + 1 : 1;
    for (int32_t i = 0; i < points; i++) {
        setting->at[i] = points > 1 ? i : budget;
    }
    setting->recorded = (og_recorded){.labels = labels,
                                      .gold = truth,
                                      .prior = &setting->prior,
                                      .at = setting->at,
                                      .at_count = points};
    setting->source = og_source_recorded(&setting->recorded);
    setting->source.rows_may_fail = true;
    setting->asked =
        (og_asked){.policies = setting->policy,
                   .policy_count = policies,
                   .request = {.ties = ties,
                               .ties_count = 2,
                               .runs = 50,
                               .seed = 7,
                               .settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 28}}};
}

static void replay(const test_setting *setting, og_simulation *out)
{
    og_message message = {""};
    og_status status = og_simulate_run(&setting->asked, &setting->source, out, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
}

OG_TEST(all_labels_are_the_majority_vote)
{
    static const char *const names[] = {"uniform", "kg", "opt-kg", "gittins-fh", NULL};
    /* right, right, a tie, wrong; without labels every call is a tie */
    static const double expected[] = {2.5 / 4, 3.0 / 4};
    static const double before[] = {2.0 / 4, 3.0 / 4};
    for (int rule = 0; rule < 2; rule++) {
        test_setting setting;
        OWN(og_simulation) found;
        setting_init(&setting, &small, gold, names, 8);
        setting.recorded.final_ties = rule == 0 ? OG_FINAL_HALF : OG_FINAL_POSITIVE;
        replay(&setting, &found);
        ck_assert_int_eq(found.row_count, 8);
        ck_assert_double_eq(found.all_labels, expected[rule]);
        for (int32_t i = 0; i < found.row_count; i++) {
            ck_assert_int_eq(found.rows[i].status, OG_OK);
            ck_assert_double_eq(found.rows[i].metric[0].mean, before[rule]);
            ck_assert_double_eq(found.rows[i].metric[8].mean, expected[rule]);
            ck_assert_double_eq(found.rows[i].metric[8].standard_error, 0);
        }
    }
}

/*
 * kg with ties first: fresh tasks first, in order (R = 1/4 against 0 for those seen once). Tasks 0,
 * 1 and 3 have labels of one kind, so only task 2's order is random: accuracy after 1, 2, 4 labels
 * is known, after 3 it is that of either label of task 2.
 */
OG_TEST(first_ties_can_be_followed)
{
    static const char *const names[] = {"kg", NULL};
    test_setting setting;
    OWN(og_simulation) found;
    setting_init(&setting, &small, gold, names, 8);
    setting.asked.request.runs = 2000;
    replay(&setting, &found);
    const og_simulate_row *row = &found.rows[1];
    ck_assert_int_eq(row->ties, OG_TIES_FIRST);
    ck_assert_double_eq(row->metric[1].mean, 2.5 / 4);
    ck_assert_double_eq(row->metric[2].mean, 3.0 / 4);
    double third = row->metric[3].mean; /* 3.5/4 or 2.5/4, each with 1/2 */
    ck_assert_double_le(fabs(third - 3.0 / 4), 4 * row->metric[3].standard_error);
    ck_assert_double_gt(row->metric[3].standard_error, 0);
}

OG_TEST(threads_change_nothing_and_seeds_do)
{
    static const char *const names[] = {"uniform", "opt-kg", NULL};
    test_setting setting;
    OWN(og_simulation) one;
    OWN(og_simulation) many;
    OWN(og_simulation) other;
    setting_init(&setting, &small, gold, names, 5);
    replay(&setting, &one);
    setting.asked.request.settings.threads = 4;
    replay(&setting, &many);
    setting.asked.request.seed = 8;
    replay(&setting, &other);
    bool differs = false;
    for (int32_t i = 0; i < one.row_count; i++) {
        for (int32_t j = 0; j < one.metric_count / 2; j++) {
            ck_assert_double_eq(one.rows[i].metric[j].mean, many.rows[i].metric[j].mean);
            differs = differs || one.rows[i].metric[j].mean != other.rows[i].metric[j].mean;
        }
    }
    ck_assert(differs);
}

OG_TEST(what_cannot_be_replayed_is_said)
{
    static const char *const names[] = {"kg", NULL};
    static const og_ties best[] = {OG_TIES_BEST}, first[] = {OG_TIES_FIRST};
    test_setting setting;
    og_simulation found;
    og_message message = {""};
    setting_init(&setting, &small, gold, names, 8);
    setting.at[8] = 9;
    ck_assert_int_eq(og_simulate_run(&setting.asked, &setting.source, &found, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "more than the 8 recorded labels"));
    setting.at[8] = 8;
    setting.asked.request.ties = best;
    setting.asked.request.ties_count = 1;
    ck_assert_int_eq(og_simulate_run(&setting.asked, &setting.source, &found, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "not 'best'"));
    setting.asked.request.ties = first;
    ck_assert_int_eq(og_group_parse("1:1,1+1:2,1", &setting.prior, NULL), OG_OK);
    ck_assert_int_eq(og_simulate_run(&setting.asked, &setting.source, &found, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "Beta"));
}

/* One label ahead is kg, whatever a task has left; all of them is the rollout of itself. */
OG_TEST(policies_that_value_states_look_past_labels_that_run_out)
{
    static const char *const names[] = {
        "kg",     "lookahead:1",        "lookahead:8", "rollout:lookahead:8",
        "dual:2", "midway:lookahead:2", "lp-update",   NULL};
    test_setting setting;
    og_simulation found;
    setting_init(&setting, &small, gold, names, 8);
    replay(&setting, &found);
    for (int row = 0; row < found.row_count; row++) {
        ck_assert_msg(found.rows[row].status == OG_OK, "%s", found.rows[row].message.text);
    }
    for (int pair = 0; pair < 4; pair++) {
        int row = pair / 2 * 4 + pair % 2;
        for (int32_t i = 0; i < setting.recorded.at_count; i++) {
            ck_assert_double_eq(found.rows[row].metric[i].mean, found.rows[2 + row].metric[i].mean);
        }
    }
    og_simulation_clear(&found);
    setting_init(&setting, &small, gold, names, 3); /* the longest list */
    replay(&setting, &found);
    ck_assert_int_eq(found.rows[2].status, OG_OK);
    og_simulation_clear(&found);
}

/* ---- who gave an answer ---- */

/* Counts, for each worker, the answers that were positive and those that were not. */
typedef struct {
    int32_t said[3][2];
} seen_answers;

static og_status begin_seen(void *self, void *scratch, void *belief, og_message *message)
{
    (void)self, (void)scratch, (void)message;
    memset(belief, 0, sizeof(seen_answers));
    return OG_OK;
}

/* Two branches: a separate coin without effect. */
static double learn_seen(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                         int32_t branch, void *after)
{
    seen_answers *seen = after;
    memcpy(after, view->belief, sizeof *seen);
    seen->said[act.part[1]][answer]++;
    *(int *)self |= 1 << branch;
    return 0.5;
}

static og_status choose_seen(void *self, const og_strategy_view *view, double *answer,
                             og_answer *kind, og_message *message)
{
    const seen_answers *seen = view->belief;
    const og_state *at = view->state;
    int32_t heard = 0;
    (void)self, (void)message;
    for (int i = 0; i < 6; i++) {
        heard += seen->said[i / 2][i % 2];
    }
    ck_assert_int_eq(heard, at->budget - at->left);
    if (at->left == 1) { /* all but one are heard: workers 0, 1, 2 gave 4, 3, 1 labels */
        ck_assert_int_ge(seen->said[0][0], 1);
        ck_assert_int_le(seen->said[0][0], 2); /* of tasks 0 and 2 */
        ck_assert_int_le(seen->said[1][1], 2); /* of tasks 1 and 2 */
        ck_assert_int_eq(seen->said[2][1], 0);
    }
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = 0;
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

OG_TEST(answers_come_with_their_workers)
{
    static const char *const names[] = {"kg", NULL};
    const og_environment_use use = {
        .threads = 1, .memory_bytes = UINT64_C(1) << 28, .policy_count = 1};
    int branches = 0;
    const og_strategy by = {.self = &branches,
                            .belief_bytes = sizeof(seen_answers),
                            .begin = begin_seen,
                            .learn = learn_seen,
                            .choose = choose_seen};
    test_setting setting;
    og_environments all;
    og_environment on;
    double metric[2 * AT_MAX];
    setting_init(&setting, &small, gold, names, 8);
    ck_assert_int_eq(setting.source.open(&setting.source, &use, &all, NULL), OG_OK);
    ck_assert_int_eq(all.environment(all.self, &on), OG_OK);
    for (uint64_t run = 0; run < 50; run++) {
        on.begin(on.self, 3, run, NULL);
        ck_assert_int_eq(og_environment_loop(&on, &by, OG_TIES_RANDOM, 3, run, metric, NULL),
                         OG_OK);
        ck_assert_double_eq(metric[8], 2.5 / 4);
    }
    ck_assert_int_eq(branches, 3); /* both were met */
    on.free(on.self);
    all.free(all.self);
}

/* Whoever uses all of RTE's labels ends at the majority vote. */
OG_TEST(the_recorded_labels_of_rte)
{
    static const char *const names[] = {"uniform", "opt-kg", "gittins-fh", NULL};
    test_path labels_path = test_shared_data_path("rte/labels.tsv");
    test_path gold_path = test_shared_data_path("rte/gold.tsv");
    if (labels_path.text[0] == '\0' || gold_path.text[0] == '\0') {
        puts("SKIPPED: rte is not there");
        return;
    }
    og_labels labels;
    og_message message = {""};
    ck_assert_int_eq(og_labels_read(labels_path.text, NULL, &labels, &message), OG_OK);
    uint8_t *truth = calloc(labels.task_count, 1);
    ck_assert_ptr_nonnull(truth);
    ck_assert_msg(
        og_gold_read(gold_path.text, &labels, NULL, truth, &(og_gold_count){0}, &message) == OG_OK,
        "%s", message.text);
    for (int rule = 0; rule < 2; rule++) {
        test_setting setting;
        OWN(og_simulation) found;
        setting_init(&setting, &labels, truth, names, 8000);
        setting.asked.request.runs = 2;
        setting.recorded.final_ties = rule == 0 ? OG_FINAL_HALF : OG_FINAL_POSITIVE;
        replay(&setting, &found);
        double expected = rule == 0 ? 0.896875 : 0.875;
        ck_assert_double_eq(found.all_labels, expected);
        for (int32_t i = 0; i < found.row_count; i++) {
            ck_assert_double_eq_tol(found.rows[i].metric[0].mean, expected, 1e-12);
        }
    }
    free(truth);
    og_labels_clear(&labels);
}
