/*
 * Allocations that fail, one after the other, in problems that are no product of arms: labels that
 * take time, workers of unknown reliability and features, as families, and simulated.
 */
#include "bench/families/assignment.h"
#include "bench/families/deadline.h"
#include "bench/families/delayed.h"
#include "bench/families/features.h"
#include "bench/families/independent.h"
#include "bench/families/labelers.h"
#include "bench/families/ranking.h"
#include "bench/families/sources.h"
#include "bench/families/workers.h"
#include "bench/questions/query.h"
#include "bench/questions/second_player.h"
#include "bench/questions/tree.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "heuristics/bounds/deadline_bound.h"
#include "tests/families.h"
#include "tests/fault_walk.h"
#include "tests/support.h"

enum { ACTS = 8 };

static struct {
    og_groups problem;
    og_workers_options workers, coins; /* one coin each; two */
    og_delayed_options delayed;
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
    const og_question question = {.by = NULL};
    og_solution solution = {.self = NULL};
    og_value_found found = {.value = NULL};
    og_act_open open[ACTS];
    double call, error, q[ACTS], q_error[ACTS];
    int32_t count = family->acts(problem, open, ACTS);
    out->status = family->prior(problem, &call, &error, NULL, &out->message);
    if (out->status == OG_OK) {
        out->status =
            family->solve(problem, &question, &setting.settings, &solution, &out->message);
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

static void query(outcome *out, const og_family *family, void *problem, const char *name)
{
    query_by(out, family, problem, name, false);
}

static void bound_scalar(outcome *out, const og_family *family, const void *problem)
{
    og_upper_bound bound = {.value = INFINITY};
    if (out->status == OG_OK && family->bound != NULL) {
        out->status =
            family->bound(problem, &(og_bound_use){.which = 0, .settings = &setting.settings},
                          &bound, NULL, &out->message);
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
    out->status = og_play_begin(family, problem, &setting.settings, 3, &game, &out->message);
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

static void run_opened(outcome *out, const og_family *family, void *problem, const char *policy,
                       og_ties ties)
{
    if (out->status == OG_OK) {
        value_optimum(out, family, problem);
        value_policy(out, family, problem, policy, ties);
        query(out, family, problem, policy);
        bound_scalar(out, family, problem);
        grow_tree(out, family, problem);
        play(out, family, problem);
        family->close(problem);
    }
}

static void run(outcome *out, const og_family *family, const og_groups *instances,
                const void *options, const char *policy, og_ties ties)
{
    void *problem;
    PAINT(problem);
    out->status =
        family_open(family, instances, options, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    run_opened(out, family, problem, policy, ties);
}

static void *open_ranking(outcome *out, const char *const *words, int32_t word_count,
                          const char *history, const og_ranking_options *options)
{
    const og_problem_text given = {.history = history,
                                   .options = options,
                                   .words = words,
                                   .word_count = word_count,
                                   .budget = word_count + 1,
                                   .left = -1};
    void *problem;
    PAINT(problem);
    out->status = og_family_ranking.open(&given, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    return problem;
}

static void run_ranking_of(outcome *out, int32_t word_count, const char *history,
                           const og_ranking_options *options)
{
    static const char *const words[] = {"2x1", "2"};
    void *problem = open_ranking(out, words, word_count, history, options);
    run_opened(out, &og_family_ranking, problem, "akg", OG_TIES_WORST);
}

static void run_ranking(outcome *out)
{
    run_ranking_of(out, 2, "1>3", NULL);
}

static void run_ranking_by_workers(outcome *out)
{
    run_ranking_of(out, 1, "1>2@2", &(og_ranking_options){.workers = setting.workers.workers});
}

static void run_labelers(outcome *out, const char *policy, const char *unknown, const char *history)
{
    static const char *const words[] = {"0.9", "0.7", "0.6"};
    const og_labelers_options options = {.explore = {1, 1},
                                         .contexts = 1,
                                         .unknown = unknown,
                                         .cost = {{1, 50}},
                                         .cost_count = 1,
                                         .price = {0, 1}};
    const og_problem_text given = {.options = &options,
                                   .history = history,
                                   .words = words,
                                   .word_count = 3,
                                   .budget = 3,
                                   .left = -1};
    const og_family *family = &og_family_labelers;
    void *problem;
    PAINT(problem);
    out->status = family->open(&given, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    run_opened(out, family, problem, policy, OG_TIES_RANDOM);
}

static void run_labelers_known(outcome *out)
{
    run_labelers(out, "ls-ol", NULL, NULL);
}

static void run_labelers_unknown(outcome *out)
{
    run_labelers(out, "greedy", "orders", "110");
}

static void run_labelers_beta(outcome *out)
{
    run_labelers(out, "bayes-vote", "beta:4,1", NULL);
}

/* Of a policy, or of the optimum: policy NULL. */
static void value_in_fractions(outcome *out, const og_family *family, const void *problem,
                               const char *policy, og_ties ties)
{
    og_policy_name name;
    const og_policy_use use = {.whole_budget = 3, .threads = 1, .memory_bytes = UINT64_C(1) << 30};
    og_strategy by = {.self = NULL};
    og_question question = {.reductions = OG_REDUCE_ALL, .fractions = true, .ties = ties};
    og_solution solution = {.self = NULL};
    mpq_t value, gain;
    if (out->status != OG_OK) {
        return;
    }
    mpq_inits(value, gain, NULL);
    og_value_found found = {.value = value, .gain = gain};
    if (policy != NULL) {
        out->status = og_policy_name_parse(policy, &name, &out->message);
        OG_THEN(out->status, family->strategy(problem, &name, &use, &by, &out->message));
        question.by = &by;
    }
    OG_THEN(out->status,
            family->solve(problem, &question, &setting.settings, &solution, &out->message));
    OG_THEN(out->status, solution.value(solution.self, &found, &out->message));
    if (out->status == OG_OK) {
        digest_double(out, mpq_get_d(value));
    }
    og_solution_free(&solution);
    og_strategy_free(&by);
    mpq_clears(value, gain, NULL);
}

static void run_assignment(outcome *out, const char *policy, const og_assignment_options *options,
                           const char *history)
{
    static const char *const words[] = {"1", "2"};
    const og_problem_text given = {.options = options,
                                   .history = history,
                                   .words = words,
                                   .word_count = 2,
                                   .budget = 3,
                                   .left = -1};
    const og_family *family = &og_family_assignment;
    void *problem;
    PAINT(problem);
    out->status = family->open(&given, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    if (out->status == OG_OK) {
        value_in_fractions(out, family, problem, NULL, OG_TIES_RANDOM);
        query_by(out, family, problem, "naive", true);
        if (out->status == OG_OK) {
            og_upper_bound bound = {.value = INFINITY};
            out->status =
                family->bound(problem, &(og_bound_use){.which = 1, .settings = &setting.settings},
                              &bound, NULL, &out->message);
            og_bound_clear(&bound);
        }
        if (out->status != OG_OK) {
            family->close(problem);
        }
    }
    run_opened(out, family, problem, policy, OG_TIES_RANDOM);
}

static void run_assignment_known(outcome *out)
{
    const og_assignment_options options = {.accuracies = "0.9,0.6;0.6,0.9", .leaves = 10000};
    run_assignment(out, "bbta", &options, NULL);
}

static void run_assignment_unknown(outcome *out)
{
    const og_assignment_options options = {.workers = setting.workers.workers, .leaves = 10000};
    run_assignment(out, "naive", &options, "1@1+");
}

static void run_delayed_by_posterior(outcome *out)
{
    run(out, &og_family_delayed, &setting.problem, &setting.delayed, "opt-kg", OG_TIES_RANDOM);
}

static void run_delayed_by_work(outcome *out)
{
    run(out, &og_family_delayed, &setting.problem, &setting.delayed, "hu-frazier:2",
        OG_TIES_RANDOM);
}

static void run_batches(outcome *out)
{
    const og_batch_options options = {2};
    run(out, &og_family_batch, &setting.problem, &options, "opt-kg", OG_TIES_RANDOM);
}

static void run_workers_by_state(outcome *out)
{
    run(out, &og_family_workers, &setting.problem, &setting.workers, "kg", OG_TIES_RANDOM);
}

static void run_workers_exactly(outcome *out)
{
    const og_family *family = &og_family_workers;
    void *problem = NULL;
    out->status = family_open(family, &setting.problem, &setting.coins, &setting.settings, &problem,
                              &out->message);
    query_by(out, family, problem, "opt-kg", true);
    family->close(problem);
}

/* The second of its values asks the memory of the first. */
static void run_workers_guided(outcome *out)
{
    run(out, &og_family_workers, &setting.problem, &setting.workers, "kg", OG_TIES_WORST);
}

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
    run(out, &og_family_features, &instances, &options, "kg", ties);
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

static og_groups source_problem(void)
{
    static og_group groups[] = {{.count = 2, .a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}},
                                {.count = 1, .a = {1, 1}, .b = {2, 1}, .threshold = {1, 2}}};
    return (og_groups){.groups = groups, .group_count = 2, .budget = 3};
}

/* By the engine, and in fractions. */
static void run_sources(outcome *out, const og_sources_options *given, const char *policy,
                        og_ties ties)
{
    const og_groups instances = source_problem();
    const og_family *family = &og_family_sources;
    void *problem;
    PAINT(problem);
    out->status =
        family_open(family, &instances, given, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    if (out->status == OG_OK) {
        value_in_fractions(out, family, problem, NULL, ties);
        value_in_fractions(out, family, problem, policy, ties);
        query_by(out, family, problem, policy, true);
        if (out->status == OG_OK) {
            value_optimum(out, family, problem);
        }
        value_policy(out, family, problem, policy, ties);
        query(out, family, problem, policy);
        bound_scalar(out, family, problem);
        family->close(problem);
    }
}

static const og_sources_options known_sources = {{{2, {{{4, 5}, 1, 2}, {{9, 10}, 2, 0}}}, {{0, 0}}},
                                                 {"a", "b"}};

static void run_sources_first(outcome *out)
{
    run_sources(out, &known_sources, "kg", OG_TIES_FIRST);
}

static void run_sources_worst(outcome *out)
{
    run_sources(out, &known_sources, "cheapest", OG_TIES_WORST);
}

static void run_sources_unknown(outcome *out)
{
    static const og_sources_options options = {
        {{2, {{{2, 1}, 1, 2}, {{9, 10}, 2, 0}}}, {{1, 1}, {0, 0}}}, {"a", "b"}};
    run_sources(out, &options, "kg", OG_TIES_RANDOM);
}

/* By the engine, and in fractions. */
static void run_deadline(outcome *out)
{
    const og_deadline_options options = {{3, {1, 2}, 2, {1, 1}, .turn_away = true}};
    const og_groups instances = source_problem();
    const og_family *family = &og_family_deadline;
    void *problem;
    PAINT(problem);
    out->status =
        family_open(family, &instances, &options, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    if (out->status == OG_OK) {
        value_in_fractions(out, family, problem, NULL, OG_TIES_BEST);
        value_in_fractions(out, family, problem, "opt-kg", OG_TIES_RANDOM);
        if (out->status == OG_OK) {
            value_optimum(out, family, problem);
        }
        value_policy(out, family, problem, "hu-frazier", OG_TIES_FIRST);
        query(out, family, problem, "hu-frazier");
        bound_scalar(out, family, problem);
        family->close(problem);
    }
}

static void run_deadline_bound(outcome *out)
{
    static const og_deadline deadline = {
        4, {1, 2}, 2, {1, 2}, .late = true, .at_once = 2, .another = {{1, 2}}};
    og_groups instances = source_problem();
    og_arms *arms;
    og_upper_bound bound;
    instances.budget = og_deadline_labels(&deadline, instances.budget);
    PAINT(bound);
    out->status = og_arms_new(&instances, 1, UINT64_C(1) << 28, &arms, &out->message);
    if (out->status != OG_OK) {
        return;
    }
    out->status =
        og_bound_deadline_vector(arms, &deadline, UINT64_C(1) << 28, NULL, &bound, &out->message);
    CHECK_PAINT(out, bound);
    if (out->status == OG_OK) {
        digest_double(out, bound.value);
        og_bound_clear(&bound);
    }
    og_arms_free(arms);
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

static void run_deadline_simulation(outcome *out)
{
    static const og_deadline deadline = {
        4, {1, 2}, 2, {1, 2}, .late = true, .at_once = 2, .another = {{1, 2}}};
    og_groups instances = source_problem();
    instances.budget = og_deadline_labels(&deadline, instances.budget);
    og_source source = og_source_deadline(&instances, NULL, &deadline);
    simulate(out, &source, "hu-frazier");
}

static void run_simulation(outcome *out)
{
    og_source source = og_source_delayed(&setting.problem, NULL, &setting.delayed.delay);
    simulate(out, &source, "hu-frazier");
}

static void run_independent_simulation(outcome *out)
{
    static const char *const names[] = {"kg", "thompson", "nlu"};
    og_source source = og_source_independent(&setting.problem, NULL);
    for (int i = 0; i < 3 && (i == 0 || out->status == OG_OK); i++) {
        simulate(out, &source, names[i]);
    }
}

/* Two runs of each of these policies. */
static void play_ranking(outcome *out, const char *items, const og_ranking_options *options,
                         const char *const *names)
{
    void *problem = open_ranking(out, &items, 1, NULL, options);
    if (out->status != OG_OK) {
        return;
    }
    og_source source = og_family_ranking.source(problem, NULL);
    for (int i = 0; names[i] != NULL && out->status == OG_OK; i++) {
        simulate_runs(out, &source, names[i], 2);
    }
    og_family_ranking.close(problem);
}

static void run_ranking_played(outcome *out)
{
    play_ranking(
        out, "6x1", NULL,
        (const char *const[]){"akg:2", "akg-printed", "rc+uniform", "adaptive-polling", NULL});
}

static void run_ranking_played_and_known(outcome *out)
{
    play_ranking(out, "3x1", NULL, (const char *const[]){"kg-exact", "uniform", "akg", NULL});
}

/* So many that their indices are taken together. */
static void run_ranking_of_many(outcome *out)
{
    play_ranking(out, "17x1", NULL, (const char *const[]){"akg", NULL});
}

static void run_ranking_played_by_workers(outcome *out)
{
    play_ranking(out, "6x1", &(og_ranking_options){.workers = setting.workers.workers},
                 (const char *const[]){"crowd-bt", "akg", NULL});
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
    char text[64];
    int32_t act;
    out->status = og_policy_name_parse("opt-kg", &policy, &out->message);
    if (out->status == OG_OK) {
        out->status = og_play_begin(family, problem, &setting.settings, 3, &person, &out->message);
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
            out->status = og_second_player_move(&other, &act, text, sizeof text, &out->message);
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
    out->status = og_family_independent.open(&given, &setting.settings, &problem, &out->message);
    if (out->status == OG_OK) {
        play_against(out, problem);
    }
    og_family_independent.close(problem);
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
    const og_group *prior = &setting.problem.groups[0];
    const og_recorded recorded = {&labels, gold, prior, at, 1, OG_FINAL_HALF, {0, 1}};
    og_source source = og_source_recorded(&recorded);
    simulate(out, &source, "gittins-fh");
    if (out->status == OG_OK) {
        simulate(out, &source, "nlu");
    }
}

static const scene scenes[] = {
    {"delayed by the posterior", run_delayed_by_posterior, true, NULL, NULL},
    {"delayed by work in progress", run_delayed_by_work, true, NULL, NULL},
    {"batches", run_batches, true, NULL, NULL},
    {"with a deadline", run_deadline, true, NULL, NULL},
    {"with a deadline, bound", run_deadline_bound, true, NULL, NULL},
    {"delayed, simulated", run_simulation, true, NULL, NULL},
    {"with a deadline, simulated", run_deadline_simulation, true, NULL, NULL},
    {"independent, simulated", run_independent_simulation, true, NULL, NULL},
    {"independent, by hand and against a policy", run_play_against, true, NULL, NULL},
    {"recorded, simulated", run_replay, true, NULL, NULL},
    {"workers", run_workers_by_state, true, NULL, NULL},
    {"workers, one value after the other", run_workers_guided, true, NULL, NULL},
    {"workers with two coins, in fractions", run_workers_exactly, true, NULL, NULL},
    {"sources, ties first", run_sources_first, true, NULL, NULL},
    {"sources, ties worst", run_sources_worst, true, NULL, NULL},
    {"sources of unknown accuracy", run_sources_unknown, true, NULL, NULL},
    {"features, ties best", run_features_at_best, true, NULL, NULL},
    {"features, ties at random", run_features_at_random, true, NULL, NULL},
    {"ranking", run_ranking, true, NULL, NULL},
    {"ranking by workers", run_ranking_by_workers, true, NULL, NULL},
    {"ranking, played", run_ranking_played, true, NULL, NULL},
    {"ranking, played and known", run_ranking_played_and_known, true, NULL, NULL},
    {"ranking of many, played", run_ranking_of_many, true, NULL, NULL},
    {"ranking by workers, played", run_ranking_played_by_workers, true, NULL, NULL},
    {"comparisons, played", run_comparisons, true, NULL, NULL},
    {"labelers of known accuracy", run_labelers_known, true, NULL, NULL},
    {"labelers in some order", run_labelers_unknown, true, NULL, NULL},
    {"labelers, a Beta each", run_labelers_beta, true, NULL, NULL},
    {"assignment, known accuracies", run_assignment_known, true, NULL, NULL},
    {"assignment, a Beta each", run_assignment_unknown, true, NULL, NULL},
};

/* In the process of each test: what OpenMP knows does not survive a fork under the thread
 * sanitizer. */
static void start_world(void)
{
    test_problem("2x1,1", 3, &setting.problem);
    test_problem("2x4,1", 0, &setting.workers.workers);
    test_workers("3,1/1,2 0.5*4,1+0.5*1,1", &setting.coins.workers);
    setting.delayed = (og_delayed_options){{.arrival_rate = {1, 10}, .service_rate = {2, 5}},
                                           setting.problem.budget};
    og_settings_default(&setting.settings);
    setting.settings.threads = 1;
    setting.settings.memory_bytes = UINT64_C(1) << 30;
}

static void end_world(void)
{
    og_groups_clear(&setting.problem);
    og_groups_clear(&setting.workers.workers);
    og_groups_clear(&setting.coins.workers);
}

OG_SUITE_RUN(faults_coupled)
{
    return fault_suite("faults_coupled", scenes, sizeof scenes / sizeof *scenes, start_world,
                       end_world);
}
