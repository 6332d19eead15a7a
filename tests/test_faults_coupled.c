/*
 * Allocations that fail, one after the other, in problems that are no product of arms: labels that
 * take time, workers of unknown reliability and features, as families, and simulated.
 */
#include "bench/families/features/features.h"
#include "bench/families/independent/independent.h"
#include "bench/questions/query.h"
#include "bench/questions/second_player.h"
#include "bench/questions/tree.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "tests/families.h"
#include "tests/fault_walk.h"
#include "tests/question.h"
#include "tests/support.h"

enum { ACTS = 8, WORDS_BYTES = 200 };

static struct {
    og_groups problem;
    og_settings settings;
} setting;

static void digest_found(outcome *out, const og_value_found *found)
{
    if (out->status == OG_OK) {
        digest_result(out, &found->result);
        digest_double(out, found->called_value);
    }
}

static void value_optimum(outcome *out, const og_family *family, const void *problem)
{
    const og_value_asked asked = {.by = NULL};
    og_solution solution = {.self = NULL};
    og_value_found found = {.value = NULL};
    og_act_open open[ACTS];
    double call, error, q[ACTS], q_error[ACTS];
    int32_t count = og_family_acts(family, problem, open, ACTS);
    out->status = og_family_prior(family, problem, &call, &error, NULL, &out->message);
    if (out->status == OG_OK) {
        out->status =
            og_family_solve(family, problem, &asked, &setting.settings, &solution, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = solution.value(solution.self, &found, &out->message);
        digest_found(out, &found);
    }
    if (out->status == OG_OK) {
        PAINT(q);
        out->status = solution.q(solution.self, open, count, q, q_error, &out->message);
        CHECK_PAINT(out, q);
    }
    if (out->status == OG_OK) {
        digest(out, q, (size_t)count * sizeof *q);
    }
    og_solution_free(&solution);
}

static void value_policy(outcome *out, const og_family *family, const void *problem,
                         const char *name, og_ties ties)
{
    og_value_found found = {.value = NULL};
    bool pick = false;
    if (out->status == OG_OK) {
        out->status = family_value(family, problem, name, ties, &setting.settings, &pick, &found,
                                   &out->message);
        digest_found(out, &found);
    }
}

static void query_by(outcome *out, const og_family *family, void *problem, const char *name,
                     bool exact)
{
    og_policy_name policy;
    og_query_result result;
    const og_asked asked = {.family = family,
                            .problem = problem,
                            .policies = &policy,
                            .policy_count = 1,
                            .request = {.exact = exact, .settings = setting.settings}};
    if (out->status == OG_OK) {
        out->status = og_policy_name_parse(name, &policy, &out->message);
    }
    if (out->status == OG_OK) {
        PAINT(result);
        out->status = og_query_run(&asked, &result, &out->message);
        CHECK_PAINT(out, result);
    }
    if (out->status == OG_OK) {
        digest(out, result.lost, (size_t)result.count * sizeof *result.lost);
        digest(out, result.pick, (size_t)result.count * sizeof *result.pick);
        og_query_clear(&result);
    }
}

static void find_bound(outcome *out, const og_family *family, const void *problem, int which)
{
    og_upper_bound bound = {.value = INFINITY};
    if (out->status == OG_OK && family->model.bound != NULL) {
        out->status = family->model.bound(
            problem, &(og_bound_use){.which = which, .settings = &setting.settings}, &bound, NULL,
            &out->message);
    }
    if (out->status == OG_OK && isfinite(bound.value)) { /* else there was no memory for it */
        og_bound_clear(&bound);
    }
}

static void grow_tree(outcome *out, const og_family *family, void *problem)
{
    og_tree tree;
    if (out->status != OG_OK) {
        return;
    }
    og_asked asked = og_asked_about(family, problem, &setting.settings);
    asked.request.tree_states_max = 10000;
    PAINT(tree);
    out->status = og_tree_grow(&asked, &tree, &out->message);
    CHECK_PAINT(out, tree);
    if (out->status == OG_OK) {
        for (int32_t i = 0; i < tree.state_count; i++) {
            digest_double(out, tree.state[i].value);
        }
        og_tree_clear(&tree);
    }
}

static void play(outcome *out, const og_family *family, const void *problem)
{
    og_play game;
    char text[64];
    if (out->status != OG_OK) {
        return;
    }
    out->status = og_play_begin(family, problem, &setting.settings, NULL, 3, &game, &out->message);
    while (out->status == OG_OK && !game.over) {
        out->status = og_play_waits(&game) ? og_play_wait(&game, text, sizeof text, &out->message)
                                           : og_play_do(&game, 0, text, sizeof text, &out->message);
        digest(out, text, strlen(text));
    }
    if (out->status == OG_OK) {
        digest_double(out, game.cost);
    }
    og_play_clear(&game);
}

/* Of a policy, or of the optimum: policy NULL. */
static void value_in_fractions(outcome *out, const og_family *family, const void *problem,
                               const char *policy, og_ties ties)
{
    og_policy_name name;
    const og_policy_use use = {.whole_budget = 3, .threads = 1, .memory_bytes = UINT64_C(1) << 30};
    og_strategy by = {.self = NULL};
    og_value_asked asked = {.reductions = OG_REDUCE_ALL, .fractions = true, .ties = ties};
    og_solution solution = {.self = NULL};
    mpq_t value, gain;
    if (out->status != OG_OK) {
        return;
    }
    mpq_inits(value, gain, NULL);
    og_value_found found = {.value = value, .gain = gain};
    if (policy != NULL) {
        out->status = og_policy_name_parse(policy, &name, &out->message);
        OG_THEN(out->status, og_family_strategy(family, problem, &name, &use, &by, &out->message));
        asked.by = &by;
    }
    OG_THEN(out->status,
            og_family_solve(family, problem, &asked, &setting.settings, &solution, &out->message));
    OG_THEN(out->status, solution.value(solution.self, &found, &out->message));
    if (out->status == OG_OK) {
        digest_double(out, mpq_get_d(value));
    }
    og_solution_free(&solution);
    og_strategy_free(&by);
    mpq_clears(value, gain, NULL);
}

/* Rows that could not be simulated say so. */
static void simulate_runs(outcome *out, const og_source *source, const char *name, int64_t runs)
{
    og_policy_name policy;
    og_ties ties = OG_TIES_RANDOM;
    og_simulation found;
    og_source from = *source;
    og_asked asked = {.policies = &policy,
                      .policy_count = 1,
                      .request = {.ties = &ties,
                                  .ties_count = 1,
                                  .runs = runs,
                                  .seed = 1,
                                  .counts = true,
                                  .settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 30}}};
    from.first_depth = 1;
    PAINT(found);
    out->status = og_policy_name_parse(name, &policy, &out->message);
    if (out->status == OG_OK) {
        out->status = og_simulate_run(&asked, &from, &found, &out->message);
        CHECK_PAINT(out, found);
    }
    if (out->status == OG_OK) {
        digest_double(out, found.rows[0].metric[OG_EXPECTED].mean);
        og_simulation_clear(&found);
    }
}

static void simulate(outcome *out, const og_source *source, const char *name)
{
    simulate_runs(out, source, name, 10);
}

/* ---- problems in words ---- */

enum {
    OPTIMUM = 1,
    POLICY = 2,
    QUERY = 4,
    BOUND = 8,
    TREE = 16,
    PLAY = 32,
    EACH = OPTIMUM | POLICY | QUERY | BOUND | TREE | PLAY,
    FRACTIONS = 64,
    POLICY_FRACTIONS = 128,
    QUERY_FRACTIONS = 256,
};

typedef struct {
    const char *family, *words, *policy;
    og_ties ties;
    unsigned parts;
    int bound;             /* which */
    const char *played[4]; /* policies of runs; NULL: none */
    int64_t runs;
} request;

static void ask_parts(outcome *out, const og_family *family, void *problem, const request *asked)
{
    if ((asked->parts & FRACTIONS) != 0) {
        value_in_fractions(out, family, problem, NULL, asked->ties);
    }
    if ((asked->parts & POLICY_FRACTIONS) != 0) {
        value_in_fractions(out, family, problem, asked->policy, asked->ties);
    }
    if ((asked->parts & QUERY_FRACTIONS) != 0) {
        query_by(out, family, problem, asked->policy, true);
    }
    if (out->status == OG_OK && (asked->parts & OPTIMUM) != 0) {
        value_optimum(out, family, problem);
    }
    if ((asked->parts & POLICY) != 0) {
        value_policy(out, family, problem, asked->policy, asked->ties);
    }
    if ((asked->parts & QUERY) != 0) {
        query_by(out, family, problem, asked->policy, false);
    }
    if ((asked->parts & BOUND) != 0) {
        find_bound(out, family, problem, asked->bound);
    }
    if ((asked->parts & TREE) != 0) {
        grow_tree(out, family, problem);
    }
    if ((asked->parts & PLAY) != 0) {
        play(out, family, problem);
    }
    for (int i = 0; i < 4 && asked->played[i] != NULL && out->status == OG_OK; i++) {
        og_source source = og_family_source(family, problem, NULL);
        simulate_runs(out, &source, asked->played[i], asked->runs);
    }
}

static void ask_words(outcome *out, const void *with)
{
    const request *asked = with;
    char words[WORDS_BYTES];
    og_problem *given = NULL;
    og_problem_text text;
    void *problem;
    snprintf(words, sizeof words, "%s", asked->words);
    PAINT(problem);
    out->status = question_open(asked->family, words, &setting.settings, &given, &text, &problem,
                                &out->message);
    CHECK_PAINT(out, problem);
    if (out->status == OG_OK) {
        ask_parts(out, given->family, problem, asked);
        og_family_close(given->family, problem);
    }
    og_problem_free(given);
}

/* ---- others ---- */

static void run_features(outcome *out, int32_t count, double *row, double mean, og_ties ties)
{
    static int32_t none[ACTS];
    double sd = 1;
    const og_features_options options = {.table = {.instance_count = count,
                                                   .feature_count = 1,
                                                   .row = row,
                                                   .positive = none,
                                                   .negative = none},
                                         .mean = &mean,
                                         .sd = &sd,
                                         .mean_count = 1,
                                         .sd_count = 1};
    const og_groups instances = {.budget = 2};
    const og_family *family = &og_family_features;
    void *problem;
    PAINT(problem);
    out->status =
        family_open(family, &instances, &options, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    if (out->status == OG_OK) {
        ask_parts(out, family, problem, &(request){.policy = "kg", .ties = ties, .parts = EACH});
        og_family_close(family, problem);
    }
}

static void run_features_at_best(outcome *out)
{
    double row[] = {1, -2};
    run_features(out, 2, row, 0.5, OG_TIES_BEST);
}

static void run_features_at_random(outcome *out)
{
    double row[] = {1, 2, -1};
    run_features(out, 3, row, 0, OG_TIES_RANDOM);
}

static void run_comparisons(outcome *out)
{
    og_pair pair[] = {{{0, 1}, 0, true, false},
                      {{0, 1}, 1, false, false},
                      {{1, 2}, 0, true, false},
                      {{0, 2}, 1, true, false}};
    double score[] = {3, 1, 2};
    const og_pairs pairs = {
        .pair = pair, .count = 4, .item_count = 3, .worker_count = 2, .score = score};
    const int32_t at[] = {1, 3};
    for (int crowd = 0; crowd < 2 && out->status == OG_OK; crowd++) {
        const og_recorded_pairs recorded = {&pairs, {1, {crowd * 4, crowd}}, at, 2};
        og_source source = og_source_recorded_pairs(&recorded);
        simulate_runs(out, &source, crowd == 1 ? "crowd-bt" : "distance", 2);
    }
}

/* A person who always labels what comes first, and takes it back once. */
static void play_against(outcome *out, const void *problem)
{
    static const og_family *const family = &og_family_independent;
    og_play person = {.family = NULL};
    og_second_player other = {.by = {.self = NULL}};
    og_policy_name policy;
    char act[64], text[64];
    out->status = og_policy_name_parse("opt-kg", &policy, &out->message);
    if (out->status == OG_OK) {
        out->status =
            og_play_begin(family, problem, &setting.settings, NULL, 3, &person, &out->message);
    }
    if (out->status == OG_OK) {
        out->status = og_second_player_begin(family, problem, &setting.settings, &policy, 3, &other,
                                             &out->message);
    }
    for (int i = 0; out->status == OG_OK && !person.over; i++) {
        out->status = og_play_do(&person, 0, text, sizeof text, &out->message);
        if (out->status == OG_OK && i == 0) {
            out->status = og_play_undo(&person, &out->message);
        } else if (out->status == OG_OK) {
            out->status = og_second_player_move(&other, act, text, sizeof text, &out->message);
        }
    }
    for (int32_t i = 0; out->status == OG_OK && i < og_second_player_instances(&other); i++) {
        og_revealed truth;
        og_second_player_reveal(&other, &person, i, &truth);
        digest_double(out, truth.soft + truth.right[0] + truth.right[1]);
    }
    og_play_clear(&person);
    og_second_player_clear(&other);
}

static void run_play_against(outcome *out)
{
    const og_problem_text given = {
        .instances = &setting.problem, .budget = setting.problem.budget, .left = -1};
    void *problem = NULL;
    out->status =
        og_family_independent.model.open(&given, &setting.settings, &problem, &out->message);
    if (out->status == OG_OK) {
        play_against(out, problem);
    }
    og_family_close(&og_family_independent, problem);
}

static void run_replay(outcome *out)
{
    uint32_t task[] = {0, 0, 1}, worker[] = {0, 1, 0};
    uint8_t label[] = {1, 0, 1}, gold[] = {1, 0};
    const og_labels labels = {.label_count = 3,
                              .task_count = 2,
                              .worker_count = 2,
                              .task = task,
                              .worker = worker,
                              .label = label};
    const int32_t at[] = {2};
    const og_group *prior = og_groups_at(&setting.problem, 0);
    const og_recorded recorded = {&labels, gold, prior, at, 1, OG_FINAL_HALF, {0, 1}};
    og_source source = og_source_recorded(&recorded);
    simulate(out, &source, "gittins-fh");
    if (out->status == OG_OK) {
        simulate(out, &source, "nlu");
    }
}

#define WORDS(name_, ...) SCENE(name_, .run_with = ask_words, .with = &(const request){__VA_ARGS__})
#define DELAYED "--arrivals 3 --arrival-rate 0.1 --service-rate 0.4 2x1,1"
#define DEADLINE "-T 3 --deadline 3 --arrival 0.5 --service 2 --turn-away 2x1,1 1,2"
#define LATE "-T 3 --deadline 4 --arrival 0.5,0.5 --service 2,0.5 --late-labels 2x1,1 1,2"
#define SOURCES "-T 3 --source a:1:0.8:2 --source b:2:0.9 2x1,1 1,2"
#define ASSIGNED "-T 3 1 2 --max-histories 10000 "
#define LABELERS "-T 3 0.9 0.7 0.6 --cost 0.02 --cost-weight 0"
#define RATIONAL (FRACTIONS | POLICY_FRACTIONS | QUERY_FRACTIONS)

static const fault_scene scenes[] = {
    WORDS("delayed by the posterior", "delayed", DELAYED, "opt-kg", .parts = EACH),
    WORDS("delayed by work in progress", "delayed", DELAYED, "hu-frazier:2", .parts = EACH),
    WORDS("batches", "batch", "-T 3 --batch 2 2x1,1", "opt-kg", .parts = EACH),
    WORDS("with a deadline", "deadline", DEADLINE, "hu-frazier", .ties = OG_TIES_FIRST,
          .parts = OPTIMUM | POLICY | QUERY | BOUND),
    WORDS("with a deadline, in fractions", "deadline", DEADLINE, "opt-kg",
          .parts = FRACTIONS | POLICY_FRACTIONS),
    WORDS("with a deadline, bound", "deadline", LATE, .parts = BOUND, .bound = 1),
    WORDS("delayed, simulated", "delayed", DELAYED, .played = {"hu-frazier"}, .runs = 10),
    WORDS("with a deadline, simulated", "deadline", LATE, .played = {"hu-frazier"}, .runs = 10),
    WORDS("independent, simulated", "independent", "-T 3 2x1,1",
          .played = {"kg", "thompson", "nlu"}, .runs = 10),
    SCENE("independent, by hand and against a policy", .run = run_play_against),
    SCENE("recorded, simulated", .run = run_replay),
    WORDS("workers", "workers", "-T 3 --workers-prior 2x4,1 2x1,1", "kg", .parts = EACH),
    /* The second of its values asks the memory of the first. */
    WORDS("workers, one value after the other", "workers", "-T 3 --workers-prior 2x4,1 2x1,1", "kg",
          .ties = OG_TIES_WORST, .parts = EACH),
    WORDS("workers with two coins, in fractions", "workers",
          "-T 3 --workers-prior 3,1/1,2 --workers-prior 0.5*4,1+0.5*1,1 2x1,1", "opt-kg",
          .parts = QUERY_FRACTIONS),
    WORDS("sources, ties first", "sources", SOURCES, "kg", .ties = OG_TIES_FIRST,
          .parts = RATIONAL | OPTIMUM | POLICY | QUERY | BOUND),
    WORDS("sources, ties worst", "sources", SOURCES, "cheapest", .ties = OG_TIES_WORST,
          .parts = RATIONAL | OPTIMUM | POLICY | QUERY | BOUND),
    WORDS("sources of unknown accuracy", "sources",
          "-T 3 --source a:1:2,1:2 --source b:2:0.9 2x1,1 1,2", "kg",
          .parts = RATIONAL | OPTIMUM | POLICY | QUERY | BOUND),
    SCENE("features, ties best", .run = run_features_at_best),
    SCENE("features, ties at random", .run = run_features_at_random),
    WORDS("ranking", "ranking", "-T 3 2x1 2 --history 1>3", "akg", .ties = OG_TIES_WORST,
          .parts = EACH),
    WORDS("ranking by workers", "ranking", "-T 2 2x1 --workers-prior 2x4,1 --history 1>2@2", "akg",
          .ties = OG_TIES_WORST, .parts = EACH),
    WORDS("ranking, played", "ranking", "-T 2 6x1",
          .played = {"akg:2", "akg-printed", "rc+uniform", "adaptive-polling"}, .runs = 2),
    WORDS("ranking, played and known", "ranking", "-T 2 3x1",
          .played = {"kg-exact", "uniform", "akg"}, .runs = 2),
    /* So many that their indices are taken together. */
    WORDS("ranking of many, played", "ranking", "-T 2 17x1", .played = {"akg"}, .runs = 2),
    WORDS("ranking by workers, played", "ranking", "-T 2 6x1 --workers-prior 2x4,1",
          .played = {"crowd-bt", "akg"}, .runs = 2),
    SCENE("comparisons, played", .run = run_comparisons),
    WORDS("labelers of known accuracy", "labelers", LABELERS, "ls-ol", .parts = EACH),
    WORDS("labelers in some order", "labelers", LABELERS " --accuracy-prior orders --history 110",
          "greedy", .parts = EACH),
    WORDS("labelers, a Beta each", "labelers", LABELERS " --accuracy-prior beta:4,1", "bayes-vote",
          .parts = EACH),
    WORDS("assignment, known accuracies", "assignment", ASSIGNED "--accuracies 0.9,0.6;0.6,0.9",
          "bbta", .parts = EACH),
    WORDS("assignment, a Beta each", "assignment", ASSIGNED "--workers-prior 2x4,1 --history 1@1+",
          "naive", .parts = EACH),
    WORDS("assignment, in fractions", "assignment", ASSIGNED "--accuracies 0.9,0.6;0.6,0.9",
          "naive", .parts = FRACTIONS | QUERY_FRACTIONS | BOUND, .bound = 1),
    WORDS("assignment, a Beta each, in fractions", "assignment",
          ASSIGNED "--workers-prior 2x4,1 --history 1@1+", "naive",
          .parts = FRACTIONS | QUERY_FRACTIONS | BOUND, .bound = 1),
};

/* In the process of each test: what OpenMP knows does not survive a fork under the thread
 * sanitizer. */
static void start_world(void)
{
    test_problem("2x1,1", 3, &setting.problem);
    og_settings_default(&setting.settings);
    setting.settings.threads = 1;
    setting.settings.memory_bytes = UINT64_C(1) << 30;
}

static void end_world(void)
{
    og_groups_clear(&setting.problem);
}

OG_SUITE_RUN(faults_coupled)
{
    return fault_suite("faults_coupled", scenes, sizeof scenes / sizeof *scenes, start_world,
                       end_world);
}
