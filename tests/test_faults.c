/*
 * Every allocation and every file operation of this project fails once: the n-th of a run for n =
 * 1, 2, ... until a run has no n-th. Then each fails again together with all later ones. After
 * every failure there is an error status or exit status with a message, or the same result to the
 * last bit. Outputs are unchanged on error, no memory leaks, and no file stays open or half written
 * under its final name.
 *
 * Some libraries are omitted because they end the process when memory is exhausted. This is why
 * limits are enforced by counting in advance (dp/exact/exact.h) and why these libraries get only
 * small tasks: GMP, MPFR, FLINT and Arb (numbers), GLPK (heuristics/bounds/price_master.c: a master
 * problem of some hundred rows; its errors are caught, its memory failures are not), and libgomp
 * (one team, started before the solution). The C library's buffers (stdio, argp, qsort) are omitted
 * too: their failures appear as those of the calls that fail here. Jansson is included: in the
 * program's runs it allocates through the wrapped functions. Functions that read single characters
 * or print formats (getc_unlocked, printf) are not wrapped: tests/test_cli.py covers full disks,
 * and standard output is checked when it is closed. close, munmap, unlink and madvise do not fail
 * here, since no code depends on their results.
 */
#include "bench/families/independent/independent.h"
#include "bench/questions/compare.h"
#include "bench/questions/query.h"
#include "bench/recorded/fit.h"
#include "bench/recorded/labels.h"
#include "dp/exact/exact.h"
#include "dp/product/bandit/bandit.h"
#include "dp/product/blocks/blocks.h"
#include "dp/product/characteristics.h"
#include "dp/product/forecast.h"
#include "dp/product/layers.h"
#include "dp/product/optimum/optimum.h"
#include "dp/product/product.h"
#include "dp/product/solve.h"
#include "dp/product/stationary/stationary.h"
#include "heuristics/bounds/sources_bound.h"
#include "heuristics/bounds/sources_unknown_bound.h"
#include "heuristics/policy.h"
#include "tests/families.h"
#include "tests/fault_walk.h"
#include "tests/support.h"

/* ---- what runs work on; made before anything fails ---- */

static struct {
    og_groups problem;
    og_groups real_problem;  /* real parameters */
    og_groups class_problem; /* several classes */
    og_groups source_problem;
    og_arms *arms;
    og_arms *class_arms;
    og_arms *small_class_arms;
    og_arms *bandit_arms;
    og_settings settings;
    og_ranks *ranks; /* of kg */
    og_labels labels;
} setting;

static const uint64_t memory_limit = UINT64_C(64) << 20;

static void start_world(void)
{
    og_message message = {""};
    og_policy_name policy;
    int32_t budget = 6;
    memset(&setting, 0, sizeof setting);
    test_problem("3x1,1 2,1@0.3 2,2", budget, &setting.problem);
    test_problem("0.5,0.5 1.25,2@0.3", budget, &setting.real_problem);
    test_problem("1,1,1 0.5,1.5,1 1,1", 3, &setting.class_problem);
    test_problem("2x1,1 3,1", 6, &setting.source_problem);
    og_settings_default(&setting.settings);
    setting.settings.threads = 1;
    setting.settings.memory_bytes = memory_limit;
    ck_assert_int_eq(test_arms_new(&setting.problem, 1, memory_limit, &setting.arms, &message),
                     OG_OK);
    ck_assert_int_eq(
        test_arms_new(&setting.class_problem, 1, memory_limit, &setting.class_arms, &message),
        OG_OK);
    setting.small_class_arms = test_arms_in("1,1,1", 1);
    og_groups bandit;
    test_problem("2x1,1 2,1", budget, &bandit);
    bandit.objective = OG_OBJECTIVE_BANDIT;
    ck_assert_int_eq(test_arms_new(&bandit, 1, memory_limit, &setting.bandit_arms, &message),
                     OG_OK);
    og_groups_clear(&bandit);
    ck_assert_int_eq(og_policy_name_parse("kg", &policy, &message), OG_OK);
    ck_assert_int_eq(
        og_policy_name_ranks(&policy, setting.arms, budget, 1, &setting.ranks, &message), OG_OK);
    test_path path = test_source_path("tests/data/sample-labels.tsv");
    ck_assert_int_eq(og_labels_read(path.text, NULL, &setting.labels, &message), OG_OK);
}

static void end_world(void)
{
    og_labels_clear(&setting.labels);
    og_ranks_free(setting.ranks);
    og_arms_free(setting.arms);
    og_arms_free(setting.class_arms);
    og_arms_free(setting.small_class_arms);
    og_arms_free(setting.bandit_arms);
    og_groups_clear(&setting.problem);
    og_groups_clear(&setting.real_problem);
    og_groups_clear(&setting.class_problem);
    og_groups_clear(&setting.source_problem);
}

/* ---- runs ---- */

/* The groups; where they are may change. */
static bool same_groups(const og_groups *x, const og_groups *y, int64_t size_of_x)
{
    return x->budget == y->budget && x->objective == y->objective &&
           x->group_count == y->group_count && x->kind_count == y->kind_count &&
           x->added == y->added && size_of_x == og_groups_size(y);
}

static void run_problem(outcome *out)
{
    static const char *const words[] = {"1,1", "2x3,1", "2,2@0.3", "4,4", "5,1", "1,6", "7,7"};
    og_groups problem;
    og_groups_init(&problem, 5);
    for (size_t i = 0; out->status == OG_OK && i < sizeof words / sizeof *words; i++) {
        og_group group;
        og_groups before = problem;
        int64_t size = og_groups_size(&problem);
        out->status = og_group_parse(words[i], &group, &out->message);
        if (out->status == OG_OK) {
            out->status = og_groups_add(&problem, &group, &out->message);
        }
        out->touched = out->status != OG_OK && !same_groups(&before, &problem, size);
    }
    int64_t size = og_groups_size(&problem);
    digest(out, &size, sizeof size);
    og_groups_clear(&problem);
}

static void make_arms(outcome *out, const og_groups *problem)
{
    og_arms *arms;
    PAINT(arms);
    out->status = test_arms_new(problem, 1, memory_limit, &arms, &out->message);
    CHECK_PAINT(out, arms);
    if (out->status == OG_OK) {
        digest_double(out, og_arms_prior_value(arms, NULL));
        for (int32_t a = 0; a < arms->arm_count; a++) {
            const og_arm *arm = arms->arm[a];
            double gain[2 * 28]; /* no fewer than 3 * 10 */
            double error;
            uint32_t labelled = arm->level[arm->depth];
            uint32_t outcomes = (uint32_t)arm->outcome_count * labelled;
            digest(out, arm->reward, labelled * sizeof *arm->reward);
            digest(out, arm->probability, outcomes * sizeof *arm->probability);
            if (out->status == OG_OK) {
                out->status = og_arm_gains(arm, NULL, gain, &error);
                digest(out, gain, out->status == OG_OK ? outcomes * sizeof *gain : 0);
            }
        }
        og_arms_free(arms);
    }
}

static void run_arms(outcome *out)
{
    make_arms(out, &setting.problem);
}

static void run_real_arms(outcome *out)
{
    make_arms(out, &setting.real_problem);
}

static void run_class_arms(outcome *out)
{
    make_arms(out, &setting.class_problem);
}

/* Arms of several actions, and the same questions as of others. */
static void run_sources(outcome *out)
{
    og_sources sources = {2, {{{4, 5}, 1, 2}, {{1, 1}, 2, 0}}};
    og_arms *arms;
    PAINT(arms);
    out->status = og_arms_new_sources(&setting.source_problem, &sources, 1, memory_limit, &arms,
                                      &out->message);
    CHECK_PAINT(out, arms);
    if (out->status != OG_OK) {
        return;
    }
    og_solver *solver = NULL;
    og_exact *exact = NULL;
    og_state state = {0};
    og_result result;
    double q;
    out->status = og_state_first(arms, &state);
    OG_THEN(out->status, og_solver_new(arms, &setting.settings, &solver, &out->message));
    OG_THEN(out->status, og_solver_value(solver, &result, &out->message));
    OG_THEN(out->status, og_solver_q_of_action(solver, &state, 1, 1, &q, &out->message));
    OG_THEN(out->status, og_exact_new(arms, &setting.settings, &exact, &out->message));
    OG_THEN(out->status, og_exact_value(exact, NULL, NULL, &result, &out->message));
    if (out->status == OG_OK) {
        digest_double(out, q);
        digest_result(out, &result);
    }
    og_upper_bound bound = {.value = 0};
    OG_THEN(out->status, og_bound_sources(&setting.source_problem, &sources, NULL, &bound));
    digest_double(out, bound.value);
    og_bound_clear(&bound);
    const og_crowd_sources unknown = {sources, {{1, 1}}};
    OG_THEN(out->status,
            og_bound_sources_unknown(&setting.source_problem, &unknown, 2, NULL, &bound));
    digest_double(out, bound.value);
    og_exact_free(exact);
    og_solver_free(solver);
    free((void *)state.group);
    og_arms_free(arms);
}

static void solve_with(outcome *out, const og_settings *settings)
{
    og_solver *solver;
    og_result result;
    PAINT(solver);
    PAINT(result);
    out->status = og_solver_new(setting.arms, settings, &solver, &out->message);
    CHECK_PAINT(out, solver);
    if (out->status != OG_OK) {
        return;
    }
    out->status = og_solver_value(solver, &result, &out->message);
    if (out->status == OG_OK) {
        digest_result(out, &result);
    } else if (out->status != OG_STOPPED) {
        CHECK_PAINT(out, result);
    }
    if (out->status == OG_OK) {
        double q[3];
        double error[3];
        PAINT(q);
        PAINT(error);
        out->status = og_solver_q(solver, q, error, &out->message);
        CHECK_PAINT(out, q);
        CHECK_PAINT(out, error);
        digest(out, q, sizeof q);
        digest(out, error, sizeof error);
    }
    og_solver_free(solver);
}

static void run_solver(outcome *out)
{
    solve_with(out, &setting.settings);
}

/* Without the reductions there are states enough for the memory to grow. */
static void run_growing_solver(outcome *out)
{
    og_settings settings = setting.settings;
    settings.reductions = OG_REDUCE_SORT;
    solve_with(out, &settings);
}

/* By one engine after the other, the value and Q. */
static void run_optimum(outcome *out)
{
    for (int engine = 0; out->status == OG_OK && engine < OG_ENGINE_COUNT; engine++) {
        og_settings settings = setting.settings;
        og_optimum *optimum;
        og_result result;
        double q[3], error[3];
        PAINT(optimum);
        PAINT(result);
        PAINT(q);
        settings.engine = (og_engine)engine;
        out->status = og_optimum_new(setting.arms, &settings, &optimum, &out->message);
        CHECK_PAINT(out, optimum);
        if (out->status != OG_OK) {
            return;
        }
        out->status = og_optimum_value(optimum, &result, &out->message);
        CHECK_PAINT(out, result);
        digest_result(out, &result);
        if (out->status == OG_OK) {
            out->status = og_optimum_q(optimum, q, error, &out->message);
            CHECK_PAINT(out, q);
            digest(out, q, sizeof q);
        }
        og_optimum_free(optimum);
    }
}

static void run_ordered_solver(outcome *out)
{
    og_settings settings = setting.settings;
    settings.reductions = 0;
    solve_with(out, &settings);
}

static void sweep_blocks(outcome *out, const og_arms *arms)
{
    og_blocks *blocks;
    og_blocks_size size;
    og_result result;
    PAINT(blocks);
    PAINT(size);
    PAINT(result);
    out->status = og_blocks_count(arms, INFINITY, &setting.settings, &size, &out->message);
    CHECK_PAINT(out, size);
    if (out->status == OG_OK) {
        digest_double(out, size.states);
        out->status = og_blocks_new(arms, OG_BLOCKS_ALL | OG_BLOCKS_Q, &setting.settings, NULL,
                                    &blocks, &out->message);
        CHECK_PAINT(out, blocks);
    }
    if (out->status != OG_OK) {
        return;
    }
    out->status = og_blocks_solve(blocks, &result, &out->message);
    CHECK_PAINT(out, result);
    digest_result(out, &result);
    og_blocks_free(blocks);
}

static void sweep_policies(outcome *out)
{
    for (int ties = 0; out->status == OG_OK && ties < OG_TIES_COUNT; ties++) {
        og_blocks *blocks;
        og_result result;
        PAINT(blocks);
        PAINT(result);
        out->status =
            og_blocks_new_policy(&(og_ranks_play){setting.arms, setting.ranks, (og_ties)ties},
                                 OG_BLOCKS_ALL, &setting.settings, NULL, &blocks, &out->message);
        CHECK_PAINT(out, blocks);
        if (out->status == OG_OK) {
            out->status = og_blocks_solve(blocks, &result, &out->message);
            CHECK_PAINT(out, result);
            digest_result(out, &result);
            og_blocks_free(blocks);
        }
    }
}

/* A policy that ignores the labels left, evaluated with stages. */
static void run_stages(outcome *out)
{
    og_settings settings = setting.settings;
    for (int ties = 0; out->status == OG_OK && ties <= OG_TIES_FIRST; ties++) {
        og_result result;
        bool too_many;
        out->status =
            og_stationary_value(&(og_ranks_play){setting.arms, setting.ranks, (og_ties)ties},
                                &settings, 0x1p60, &too_many, &result, &out->message);
        digest_result(out, &result);
    }
}

static void run_blocks(outcome *out)
{
    sweep_blocks(out, setting.arms);
    if (out->status == OG_OK) {
        sweep_policies(out);
    }
    if (out->status == OG_OK) {
        sweep_blocks(out, setting.class_arms);
    }
}

static void run_bandit(outcome *out)
{
    og_bandit *bandit;
    og_result result;
    PAINT(bandit);
    PAINT(result);
    out->status =
        og_bandit_new(setting.bandit_arms, &setting.settings, NULL, &bandit, &out->message);
    CHECK_PAINT(out, bandit);
    if (out->status == OG_OK) {
        out->status = og_bandit_solve(bandit, &result, &out->message);
        CHECK_PAINT(out, result);
        digest_result(out, &result);
        og_bandit_free(bandit);
    }
}

/* Counts the least memory in advance, with fewer classes than nodes. */
static void run_tight_tables(outcome *out)
{
    uint64_t memory = UINT64_MAX;
    for (int i = 0; i < 2 && out->status == OG_OK; i++) {
        og_layers *layers;
        PAINT(layers);
        out->status =
            og_layers_new(setting.arms, &(og_layers_use){.merge = true, .memory_bytes = memory},
                          &layers, &out->message);
        CHECK_PAINT(out, layers);
        if (out->status == OG_OK) {
            memory = layers->bytes;
            digest(out, &memory, sizeof memory);
            og_layers_free(layers);
        }
    }
}

/* Two threads make frames and tables at once; which call is the n-th differs from run to run. */
static void run_threads(outcome *out)
{
    og_settings settings = setting.settings;
    settings.threads = 2;
    settings.reductions = OG_REDUCE_SORT | OG_REDUCE_CAP;
    solve_with(out, &settings);
}

static void run_policies(outcome *out)
{
    for (int ties = 0; out->status == OG_OK && ties < OG_TIES_COUNT; ties++) {
        og_result result;
        PAINT(result);
        out->status = og_policy_value(setting.arms, setting.ranks, (og_ties)ties, &setting.settings,
                                      &result, &out->message);
        CHECK_PAINT(out, result);
        digest_result(out, &result);
    }
}

static void run_uniform(outcome *out)
{
    og_ranks *ranks;
    og_result result;
    PAINT(ranks);
    PAINT(result);
    out->status = og_ranks_new_uniform(setting.arms, &ranks);
    CHECK_PAINT(out, ranks);
    if (out->status == OG_OK) {
        out->status = og_policy_value(setting.arms, ranks, OG_TIES_RANDOM, &setting.settings,
                                      &result, &out->message);
        CHECK_PAINT(out, result);
        digest_result(out, &result);
        og_ranks_free(ranks);
    }
}

static void make_ranks(outcome *out, const og_arms *arms, const char *const *names)
{
    for (size_t i = 0; out->status == OG_OK && names[i] != NULL; i++) {
        og_policy_name policy;
        og_ranks *ranks;
        PAINT(ranks);
        out->status = og_policy_name_parse(names[i], &policy, &out->message);
        if (out->status != OG_OK) {
            return;
        }
        out->status = og_policy_name_ranks(&policy, arms, arms->budget, 1, &ranks, &out->message);
        CHECK_PAINT(out, ranks);
        if (out->status != OG_OK) {
            return;
        }
        digest(out, og_ranks_of(ranks, 0, 1),
               arms->arm[0]->level[arms->budget - 1] * sizeof(uint32_t));
        og_ranks_free(ranks);
    }
}

/* Policies that look at the whole state, with the solvers inside them. */
static void run_whole_state(outcome *out)
{
    static const char *const names[] = {
        "lookahead:2", "nlu",       "rollout:kg", "rollout:lookahead:2",
        "dual:2",      "midway:kg", "lp-update"};
    for (size_t i = 0; out->status == OG_OK && i < sizeof names / sizeof *names; i++) {
        og_policy_name policy;
        og_ranks *ranks = NULL;
        og_result result;
        og_policy_use use = {
            .whole_budget = setting.arms->budget, .threads = 1, .memory_bytes = memory_limit};
        PAINT(result);
        out->status = og_policy_name_parse(names[i], &policy, &out->message);
        if (out->status == OG_OK) {
            out->status =
                og_policy_name_ranks_for(&policy, setting.arms, &use, &ranks, &out->message);
        }
        if (out->status == OG_OK) {
            out->status = og_policy_value(setting.arms, ranks, OG_TIES_RANDOM, &setting.settings,
                                          &result, &out->message);
            if (out->status !=
                OG_STOPPED) { /* as a solver inside may say; then sizes stand there */
                CHECK_PAINT(out, result);
            }
        }
        if (out->status == OG_OK) {
            digest_result(out, &result);
        }
        og_ranks_free(ranks);
    }
}

static const char *const ended[] = {"uniform",     "kg",         "opt-kg", "pess-kg",
                                    "cvar-kg:0.5", "gittins-fh", NULL};
static const char *const endless[] = {"gittins-inf:0.1", NULL};

static void run_ranks(outcome *out)
{
    make_ranks(out, setting.arms, ended);
    make_ranks(out, setting.arms, endless);
}

static void run_class_ranks(outcome *out)
{
    make_ranks(out, setting.class_arms, ended);
}

/* The index without a horizon looks far ahead, which takes long for classes. */
static void run_infinite_class_ranks(outcome *out)
{
    make_ranks(out, setting.small_class_arms, endless);
}

static void run_index(outcome *out)
{
    og_policy_name policy;
    og_index *index;
    PAINT(index);
    out->status = og_policy_name_parse("gittins-fh", &policy, &out->message);
    if (out->status == OG_OK) {
        out->status = og_policy_name_index(
            &policy, setting.arms,
            &(og_policy_use){.whole_budget = setting.arms->budget, .threads = 1}, &index,
            &out->message);
        CHECK_PAINT(out, index);
    }
    if (out->status == OG_OK) {
        digest(out, og_index_of(index, 0, 1), setting.arms->arm[0]->level[5] * sizeof(double));
        og_index_free(index);
    }
}

/* Prices, fractions, an index, chances, and ranks by both. */
static void run_lagrangian(outcome *out)
{
    og_policy_name policy;
    og_ranks *ranks;
    PAINT(ranks);
    out->status = og_policy_name_parse("lagrangian", &policy, &out->message);
    if (out->status == OG_OK) {
        out->status = og_policy_name_ranks(&policy, setting.arms, setting.arms->budget, 1, &ranks,
                                           &out->message);
        CHECK_PAINT(out, ranks);
    }
    if (out->status == OG_OK) {
        digest(out, og_ranks_of(ranks, 0, 1), setting.arms->arm[0]->level[5] * sizeof(uint32_t));
        og_ranks_free(ranks);
    }
}

static void run_forecast(outcome *out)
{
    og_forecast forecast;
    PAINT(forecast);
    out->status = og_forecast_make(setting.arms, &setting.settings, &forecast, &out->message);
    CHECK_PAINT(out, forecast);
    digest(out, &forecast, sizeof forecast);
}

static void follow_truth(outcome *out, og_ties ties, bool exact)
{
    const og_truth_law_run run[] = {{0, 2, {.fixed = true, .soft = {1, 5}}},
                                    {0, 1, {.fixed = true, .soft = {3, 4}}},
                                    {1, 1, {.a = {2, 1}, .b = {3, 1}}},
                                    {2, 1, {.fixed = true, .soft = {1, 2}}}};
    const og_characteristics_question question = {.arms = setting.arms,
                                                  .ranks = setting.ranks,
                                                  .ties = ties,
                                                  .run = run,
                                                  .run_count = 4,
                                                  .exact = exact,
                                                  .settings = setting.settings};
    og_characteristics found;
    PAINT(found);
    out->status = og_characteristics_find(&question, &found, &out->message);
    CHECK_PAINT(out, found);
    if (out->status == OG_OK) {
        digest_double(out, found.mean);
        digest(out, found.law, (size_t)(found.instances + 1) * sizeof *found.law);
        digest(out, found.wrong, (size_t)found.slot_count * sizeof *found.wrong);
        digest(out, found.labels, (size_t)found.slot_count * sizeof *found.labels);
        og_characteristics_clear(&found);
    }
}

static void run_truth(outcome *out)
{
    follow_truth(out, OG_TIES_RANDOM, false);
}

static void run_exact_truth(outcome *out)
{
    follow_truth(out, OG_TIES_FIRST, true);
}

static void run_best_ties_truth(outcome *out)
{
    follow_truth(out, OG_TIES_BEST, false);
}

static void run_exact_worst_ties_truth(outcome *out)
{
    follow_truth(out, OG_TIES_WORST, true);
}

/* A comparison may hold rows that were not valued: then their statuses must say so. */
static void run_compare(outcome *out)
{
    og_policy_name policies[2];
    og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_WORST};
    og_comparison comparison;
    PAINT(comparison);
    og_asked asked = {
        .policies = policies,
        .policy_count = 2,
        .request = {.settings = setting.settings, .ties = ties, .ties_count = 2},
    };
    out->status = og_policy_name_parse("opt-kg", &policies[0], &out->message);
    if (out->status == OG_OK) {
        out->status = og_policy_name_parse("uniform", &policies[1], &out->message);
    }
    if (out->status != OG_OK) {
        return;
    }
    out->status = compare_independent(&setting.problem, &asked, &comparison, &out->message);
    CHECK_PAINT(out, comparison);
    if (out->status != OG_OK) {
        return;
    }
    digest_double(out, comparison.bounds.bound[0].value);
    out->status = comparison.optimal_status;
    out->message = comparison.optimal_message;
    for (int32_t i = 0; i < comparison.row_count; i++) {
        const og_compare_row *row = &comparison.rows[i];
        if (out->status == OG_OK) {
            out->status = row->status;
            out->message = row->message;
        }
        digest_result(out, &row->result);
    }
    digest_double(out, comparison.lower);
    digest_double(out, comparison.upper);
    og_comparison_clear(&comparison);
}

static void run_query(outcome *out)
{
    const og_family *family = &og_family_independent;
    og_policy_name policies[1];
    og_query_result result;
    void *problem;
    PAINT(problem);
    out->status =
        family_open(family, &setting.problem, NULL, &setting.settings, &problem, &out->message);
    CHECK_PAINT(out, problem);
    if (out->status != OG_OK) {
        return;
    }
    og_asked asked = og_asked_about(family, problem, &setting.settings);
    asked.policies = policies;
    asked.policy_count = 1;
    out->status = og_policy_name_parse("opt-kg", &policies[0], &out->message);
    for (int exact = 0; exact < 2 && out->status == OG_OK; exact++) {
        asked.request.exact = exact == 1;
        PAINT(result);
        out->status = og_query_run(&asked, &result, &out->message);
        CHECK_PAINT(out, result);
        if (out->status == OG_OK) {
            digest(out, result.q, (size_t)result.count * sizeof *result.q);
            digest(out, result.pick, (size_t)result.count * sizeof *result.pick);
            og_query_clear(&result);
        }
    }
    og_family_close(family, problem);
}

static void run_fit(outcome *out)
{
    og_fit fit;
    PAINT(fit);
    out->status = og_fit_prior(&setting.labels, OG_FIT_MOMENTS, &fit, &out->message);
    CHECK_PAINT(out, fit);
    digest(out, &fit, sizeof fit);
    if (out->status == OG_OK) {
        PAINT(fit);
        out->status = og_fit_prior(&setting.labels, OG_FIT_ML, &fit, &out->message);
        CHECK_PAINT(out, fit);
        digest(out, &fit, sizeof fit);
    }
}

static void digest_rational(outcome *out, const mpq_t value)
{
    digest_double(out, mpq_get_d(value));
}

static void run_exact(outcome *out)
{
    og_exact *exact;
    og_result result;
    mpq_t value;
    mpq_t q[3];
    PAINT(exact);
    PAINT(result);
    mpq_inits(value, q[0], q[1], q[2], NULL);
    out->status = og_exact_new(setting.arms, &setting.settings, &exact, &out->message);
    CHECK_PAINT(out, exact);
    if (out->status == OG_OK) {
        out->status = og_exact_value(exact, value, NULL, &result, &out->message);
        CHECK_PAINT(out, result);
        if (out->status == OG_OK) {
            out->status = og_exact_q(exact, q, &out->message);
        }
        og_exact_free(exact);
    }
    digest_rational(out, value);
    for (int g = 0; g < 3; g++) {
        digest_rational(out, q[g]);
        out->touched = out->touched || (out->status != OG_OK && mpq_sgn(q[g]) != 0);
    }
    mpq_clears(value, q[0], q[1], q[2], NULL);
}

static void run_exact_policies(outcome *out)
{
    OWN_MPQ value = MPQ_NEW;
    for (int ties = 0; out->status == OG_OK && ties < OG_TIES_COUNT; ties++) {
        og_result result;
        PAINT(result);
        out->status =
            og_exact_policy_value(&(og_ranks_play){setting.arms, setting.ranks, (og_ties)ties},
                                  &setting.settings, value, NULL, &result, &out->message);
        CHECK_PAINT(out, result);
        digest_rational(out, value);
    }
}

static const fault_scene scenes[] = {
    SCENE("problem", .run = run_problem),
    SCENE("arms", .run = run_arms),
    SCENE("real arms", .run = run_real_arms),
    SCENE("class arms", .run = run_class_arms),
    SCENE("sources", .run = run_sources),
    SCENE("solver", .run = run_solver),
    SCENE("growing solver", .run = run_growing_solver),
    SCENE("optimum", .run = run_optimum),
    SCENE("stages", .run = run_stages),
    SCENE("ordered solver", .run = run_ordered_solver),
    SCENE("blocks", .run = run_blocks),
    SCENE("bandit", .run = run_bandit),
    SCENE("tight tables", .run = run_tight_tables),
    SCENE("policies", .run = run_policies),
    SCENE("exact", .run = run_exact),
    SCENE("exact policies", .run = run_exact_policies),
    SCENE("uniform", .run = run_uniform),
    SCENE("ranks", .run = run_ranks),
    SCENE("class ranks", .run = run_class_ranks),
    SCENE("class ranks, no horizon", .run = run_infinite_class_ranks),
    SCENE("whole state", .run = run_whole_state),
    SCENE("index", .run = run_index),
    SCENE("lagrangian", .run = run_lagrangian),
    SCENE("forecast", .run = run_forecast),
    SCENE("truth", .run = run_truth),
    SCENE("exact truth", .run = run_exact_truth),
    SCENE("truth, ties best", .run = run_best_ties_truth),
    SCENE("exact truth, ties worst", .run = run_exact_worst_ties_truth),
    SCENE("compare", .run = run_compare),
    SCENE("query", .run = run_query),
    SCENE("fit", .run = run_fit),
    {.name = "threads", .run = run_threads},
};

OG_SUITE_RUN(faults)
{
    return fault_suite("faults", scenes, sizeof scenes / sizeof *scenes, start_world, end_world);
}
