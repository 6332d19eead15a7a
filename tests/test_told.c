/*
 * Labels that are told of as a history, and the same labels as they come in a run: every policy
 * then knows the same, and asks the same.
 */
#include "bench/environment.h"
#include "bench/families/ranking/ranking.h"
#include "bench/families/workers/workers.h"
#include "bench/truth.h"
#include "dp/engine/strategy.h"
#include "heuristics/policy.h"
#include "tests/support.h"

OG_SUITE(told, 20);

enum { ACTS = 64, LABELS = 6, HISTORY = 200, CASES = 4 };

static const uint64_t plenty = UINT64_C(1) << 28;
static const og_settings settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 28};
static const og_policy_use use = {
    .whole_budget = LABELS, .threads = 1, .memory_bytes = UINT64_C(1) << 28, .picks_only = true};

/* ---- rankings, as runs ask ---- */

static const struct {
    const char *word, *workers;
} rankings[CASES] = {{"7x1", NULL}, {"3x1", NULL}, {"7x1", "2x4,1"}, {"3x1", "2x3,2"}};

static void *open_ranking(int32_t k, const char *history, og_ranking_options *options)
{
    og_message message = {""};
    og_group workers;
    void *problem = NULL;
    memset(options, 0, sizeof *options);
    if (rankings[k].workers != NULL) {
        ck_assert(og_group_parse(rankings[k].workers, &workers, &message) == OG_OK);
        ck_assert(og_groups_add(&options->workers, &workers, &message) == OG_OK);
    }
    const og_problem_text given = {.options = options,
                                   .words = &rankings[k].word,
                                   .word_count = 1,
                                   .budget = LABELS,
                                   .left = -1,
                                   .history = history};
    og_status status = og_family_ranking.model.open(&given, &settings, &problem, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return problem;
}

/* What `query` says of the state after this history; false: the policy is refused. */
static bool query(int32_t k, const char *history, const og_policy_name *policy,
                  const og_act_open *open, int32_t count, bool *pick)
{
    og_ranking_options options;
    og_strategy by = {.self = NULL};
    og_solution solution = {.self = NULL};
    const og_value_asked question = {.by = &by, .ties = OG_TIES_RANDOM};
    og_message message = {""};
    void *problem = open_ranking(k, history, &options);
    bool made =
        og_family_strategy(&og_family_ranking, problem, policy, &use, &by, &message) == OG_OK;
    if (made) {
        og_status status =
            og_family_solve(&og_family_ranking, problem, &question, &settings, &solution, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
        status = solution.picks(solution.self, open, count, pick, NULL, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
    }
    og_solution_free(&solution);
    og_strategy_free(&by);
    og_family_close(&og_family_ranking, problem);
    og_groups_clear(&options.workers);
    return made;
}

typedef struct {
    og_environment at;
    og_strategy by;
    uint64_t belief[ACTS * 4], after[ACTS * 4];
    void *scratch;
    char history[HISTORY];
} run;

static void hear(run *r, bool crowd)
{
    og_act act;
    int32_t answer;
    while (r->at.hear(r->at.self, &act, &answer)) {
        char word[40] = "";
        snprintf(word, sizeof word, crowd ? " %d>%d@%d" : " %d>%d", act.part[1 - answer] + 1,
                 act.part[answer] + 1, act.part[2] + 1);
        strcat(r->history, word);
        if (r->by.learn != NULL) {
            const og_strategy_view view = {
                .scratch = r->scratch, .state = r->at.state(r->at.self), .belief = r->belief};
            double chance = r->by.learn(r->by.self, &view, act, answer, 0, r->after);
            ck_assert(chance == 1);
            memcpy(r->belief, r->after, r->by.belief_bytes);
        }
    }
}

static void follow(int32_t k, const og_policy_name *policy, run *r)
{
    og_act_open open[ACTS];
    double answer[ACTS + 1];
    bool pick[ACTS], tied[ACTS];
    uint32_t number;
    og_answer kind;
    int32_t apart, count;
    og_message message = {""};
    r->at.begin(r->at.self, 5, 1, NULL);
    ck_assert(og_strategy_begin(&r->by, r->scratch, r->belief, &message) == OG_OK);
    hear(r, rankings[k].workers != NULL);
    while ((count = r->at.open(r->at.self, open, &number)) > 0) {
        ck_assert_int_le(count, ACTS);
        const og_strategy_view view = {r->scratch, r->at.state(r->at.self), r->belief, open, count};
        answer[count] = -INFINITY;
        og_status status = r->by.choose(r->by.self, &view, answer, &kind, &message);
        OG_THEN(status, og_strategy_weigh(&r->by, kind, OG_TIES_RANDOM, open, count, answer, &apart,
                                          &message));
        ck_assert_msg(status == OG_OK, "%s: %s", policy->name, message.text);
        bool made = query(k, r->history, policy, open, count, pick);
        for (int32_t i = 0; i < count; i++) {
            tied[i] = answer[i] > 0;
            ck_assert_msg(!made || pick[i] == tied[i],
                          "%s, %s after%s: a run says %d of pair %u, %u, query %d", policy->name,
                          rankings[k].word, r->history, tied[i], open[i].act.part[0] + 1,
                          open[i].act.part[1] + 1, pick[i]);
        }
        r->at.step(r->at.self, tied, 0);
        hear(r, rankings[k].workers != NULL);
    }
}

static void play(int32_t k, const char *name)
{
    og_ranking_options options;
    og_truth truth = {0};
    og_message message = {""};
    og_environments all;
    og_policy_name policy;
    run *r = calloc(1, sizeof *r);
    void *problem = open_ranking(k, NULL, &options);
    ck_assert(og_truth_parse("prior", &truth, &message) == OG_OK);
    const og_source source = og_family_source(&og_family_ranking, problem, &truth);
    const og_environment_use by = {.threads = 1, .memory_bytes = plenty, .policy_count = 1};
    ck_assert(og_policy_name_parse(name, &policy, &message) == OG_OK);
    ck_assert(source.open(&source, &by, &all, &message) == OG_OK);
    if (all.strategy(all.self, &policy, &r->by, &message) == OG_OK) {
        ck_assert_uint_le(r->by.belief_bytes, sizeof r->belief);
        r->scratch = malloc(r->by.scratch_bytes + 1);
        ck_assert(all.environment(all.self, &r->at) == OG_OK);
        follow(k, &policy, r);
        r->at.free(r->at.self);
        free(r->scratch);
    }
    og_strategy_free(&r->by);
    all.free(all.self);
    og_truth_clear(&truth);
    og_family_close(&og_family_ranking, problem);
    og_groups_clear(&options.workers);
    free(r);
}

/* Every policy there is, and by two at a time where it takes a number. */
OG_TEST_LOOP(test_query_asks_what_a_run_asks, 0, CASES)
{
    const og_policy_row *row;
    for (size_t i = 0; (row = og_policy_row_at(i)) != NULL; i++) {
        bool ranks = row->objective != NULL && strcmp(row->objective, "ranking") == 0;
        if (ranks || (row->objective == NULL && row->parameter[0] == '\0')) {
            play(_i, row->name);
        }
        if (ranks && row->form == OG_PARAMETER_COUNT) {
            char name[40];
            snprintf(name, sizeof name, "%s:2", row->name);
            play(_i, name);
        }
    }
}

/* ---- workers of unknown reliability, who have no runs: label by label ---- */

static void *open_workers(const char *history, og_workers_options *options)
{
    static const char *const words[] = {"1,1", "2,1"};
    og_message message = {""};
    og_group workers;
    void *problem = NULL;
    memset(options, 0, sizeof *options);
    ck_assert(og_group_parse("2x4,1", &workers, &message) == OG_OK);
    ck_assert(og_groups_add(&options->workers, &workers, &message) == OG_OK);
    const og_problem_text given = {.options = options,
                                   .words = words,
                                   .word_count = 2,
                                   .budget = LABELS,
                                   .left = -1,
                                   .history = history};
    og_status status = og_family_workers.model.open(&given, &settings, &problem, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    return problem;
}

OG_TEST(test_workers_beliefs_are_those_of_their_labels)
{
    const og_policy_row *row;
    og_workers_options options[2];
    int32_t believing = 0;
    void *fresh = open_workers(NULL, &options[0]);
    void *told = open_workers("1@1+ 2@1- 1@2+", &options[1]);
    const og_act act[] = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}};
    for (size_t i = 0; (row = og_policy_row_at(i)) != NULL; i++) {
        og_strategy by[2] = {{.self = NULL}, {.self = NULL}};
        og_policy_name policy;
        og_message message = {""};
        uint64_t belief[3][ACTS] = {{0}};
        bool made =
            row->parameter[0] == '\0' &&
            og_policy_name_parse(row->name, &policy, &message) == OG_OK &&
            og_family_strategy(&og_family_workers, fresh, &policy, &use, &by[0], &message) == OG_OK;
        if (made && by[0].belief_bytes > 0) {
            ck_assert(og_family_strategy(&og_family_workers, told, &policy, &use, &by[1],
                                         &message) == OG_OK);
            ck_assert(og_strategy_begin(&by[0], NULL, belief[0], &message) == OG_OK);
            ck_assert(og_strategy_begin(&by[1], NULL, belief[1], &message) == OG_OK);
            for (int32_t k = 0; k < 3; k++) {
                by[0].learn(by[0].self, &(og_strategy_view){.belief = belief[0]}, act[k], k != 1, 0,
                            belief[2]);
                memcpy(belief[0], belief[2], by[0].belief_bytes);
            }
            ck_assert_mem_eq(belief[0], belief[1], by[0].belief_bytes);
            believing++;
        }
        og_strategy_free(&by[0]);
        og_strategy_free(&by[1]);
    }
    ck_assert_int_ge(believing, 3);
    og_family_close(&og_family_workers, fresh);
    og_family_close(&og_family_workers, told);
    for (int32_t k = 0; k < 2; k++) {
        og_groups_clear(&options[k].workers);
    }
}
