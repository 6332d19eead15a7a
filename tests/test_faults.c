/*
 * Every allocation and every file operation of our own fails once, the n-th of a run for n = 1, 2,
 * ... until a run has no n-th, and then once more with all that come after it failing too. Whatever
 * fails: the status or the exit status says so, with a message, or the result is the same to the
 * last bit; outputs stay untouched on error; nothing is leaked; no file is left open, or half
 * written under its final name.
 *
 * Left out, since these end the process when memory is out, whatever we do, which is why limits are
 * kept by counting beforehand (dp/exact.h) and why only small things are asked of them: GMP, MPFR,
 * FLINT and Arb (numbers), GLPK (heuristics/price_master.c: a master problem of some hundred rows;
 * its errors are caught, its own memory is not), libgomp (one team, started before anything is
 * solved). The C library's own buffers (stdio, argp, qsort) are left out too: their failures show
 * as those of the calls that fail here. Jansson is included: it allocates through us in the
 * program's runs. Prints to standard output are checked where the stream is closed, by which time
 * all of them have come to it. close, munmap, unlink and madvise are not made to fail: nothing
 * depends on what they say.
 */
#include <check.h>
#include <gmp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/compare.h"
#include "bench/fit.h"
#include "bench/labels.h"
#include "bench/query.h"
#include "dp/checkpoint.h"
#include "dp/exact.h"
#include "dp/forecast.h"
#include "dp/solve.h"
#include "heuristics/bound.h"
#include "heuristics/policy.h"
#include "tests/faults.h"
#include "tests/support.h"

int optgap_main(int argc, char **argv); /* main of tools/main.c */

/* ---- what a run works on; made before anything fails ---- */

typedef struct {
    og_problem problem;
    og_arms *arms;
    og_settings settings;
    og_problem real_problem; /* real parameters */
    og_problem long_problem;
    og_arms *long_arms; /* of a problem with thousands of states */
    uint64_t long_digest;
    og_memo *memo;
    og_ranks *ranks;
    og_labels labels;
    test_path label_file;
    char folder[64];
    char checkpoint[96];
} world;

typedef struct {
    og_status status;
    og_message message;
    uint64_t digest; /* of the results, where status is OG_OK */
    bool touched;    /* an output changed although its call failed */
} outcome;

static world setting;

static uint64_t memory_limit(void)
{
    return UINT64_C(64) << 20;
}

static void world_init(const char *words, int32_t budget)
{
    og_message message = {""};
    og_policy policy;
    memset(&setting, 0, sizeof setting);
    test_problem(words, budget, &setting.problem);
    og_settings_default(&setting.settings);
    setting.settings.threads = 1;
    setting.settings.memory_bytes = memory_limit();
    ck_assert_int_eq(og_arms_new(&setting.problem, 1, memory_limit(), &setting.arms, &message),
                     OG_OK);
    ck_assert_int_eq(og_policy_parse("kg", &policy, &message), OG_OK);
    ck_assert_int_eq(og_policy_ranks(&policy, setting.arms, budget, 1, &setting.ranks, &message),
                     OG_OK);
    setting.label_file = test_source_path("tests/data/sample-labels.tsv");
    ck_assert_int_eq(og_labels_read(setting.label_file.text, &setting.labels, &message), OG_OK);
    test_problem("0.5,0.5 1.25,2@0.3", budget, &setting.real_problem);
    test_problem("4x1,1 2x2,1 2x1,3@0.3", 8, &setting.long_problem);
    ck_assert_int_eq(
        og_arms_new(&setting.long_problem, 1, memory_limit(), &setting.long_arms, &message), OG_OK);
    const char *base = getenv("TMPDIR");
    snprintf(setting.folder, sizeof setting.folder, "%.40s/faults-XXXXXX",
             base != NULL ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(setting.folder));
    snprintf(setting.checkpoint, sizeof setting.checkpoint, "%s/checkpoint", setting.folder);
}

static void world_clear(void)
{
    unlink(setting.checkpoint);
    rmdir(setting.folder);
    og_labels_clear(&setting.labels);
    og_ranks_free(setting.ranks);
    og_arms_free(setting.long_arms);
    og_problem_clear(&setting.long_problem);
    og_problem_clear(&setting.real_problem);
    og_memo_free(setting.memo);
    og_arms_free(setting.arms);
    og_problem_clear(&setting.problem);
}

/* ---- digests and untouched outputs ---- */

static void digest(outcome *out, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        out->digest = (out->digest ^ byte[i]) * UINT64_C(0x100000001b3);
    }
}

static void digest_double(outcome *out, double value)
{
    digest(out, &value, sizeof value);
}

static void digest_result(outcome *out, const og_result *result)
{
    digest_double(out, result->value);
    digest_double(out, result->gain);
    digest_double(out, result->error_bound);
}

enum { PATTERN = 0x5a };

static void paint(void *object, size_t size)
{
    memset(object, PATTERN, size);
}

/* Is an output that was painted as it should be after `status`? */
static void check_paint(outcome *out, og_status status, const void *object, size_t size)
{
    const unsigned char *byte = object;
    for (size_t i = 0; status != OG_OK && i < size; i++) {
        out->touched = out->touched || byte[i] != PATTERN;
    }
}

#define PAINT(object) paint(&(object), sizeof(object))
#define CHECK_PAINT(out, object) check_paint(out, (out)->status, &(object), sizeof(object))

/* ---- runs ---- */

static void run_problem(outcome *out)
{
    static const char *const words[] = {"1,1", "2x3,1", "2,2@0.3", "4,4", "5,1", "1,6", "7,7"};
    og_problem problem;
    og_problem_init(&problem, 5);
    for (size_t i = 0; out->status == OG_OK && i < sizeof words / sizeof *words; i++) {
        og_group group;
        og_problem before = problem;
        out->status = og_group_parse(words[i], &group, &out->message);
        if (out->status == OG_OK) {
            out->status = og_problem_add(&problem, &group, &out->message);
        }
        out->touched = out->status != OG_OK && memcmp(&before, &problem, sizeof problem) != 0;
    }
    int64_t size = og_problem_size(&problem);
    digest(out, &size, sizeof size);
    og_problem_clear(&problem);
}

static void make_arms(outcome *out, const og_problem *problem)
{
    og_arms *arms;
    PAINT(arms);
    out->status = og_arms_new(problem, 1, memory_limit(), &arms, &out->message);
    CHECK_PAINT(out, arms);
    if (out->status == OG_OK) {
        digest_double(out, og_arms_call(arms, NULL));
        for (int32_t a = 0; a < arms->arm_count; a++) {
            const og_arm *arm = arms->arm[a];
            double gain[2 * 28];
            double error;
            uint32_t labelled = arm->level[arm->depth];
            digest(out, arm->reward, labelled * sizeof *arm->reward);
            digest(out, arm->probability, 2 * labelled * sizeof *arm->probability);
            if (out->status == OG_OK) {
                out->status = og_arm_gains(arm, gain, &error);
                digest(out, gain, out->status == OG_OK ? 2 * labelled * sizeof *gain : 0);
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

static void run_ordered_solver(outcome *out)
{
    og_settings settings = setting.settings;
    settings.reductions = 0;
    solve_with(out, &settings);
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

static void run_ranks(outcome *out)
{
    static const char *const names[] = {
        "uniform", "kg", "opt-kg", "pess-kg", "cvar-kg:0.5", "gittins-fh", "gittins-inf:0.1",
    };
    for (size_t i = 0; out->status == OG_OK && i < sizeof names / sizeof *names; i++) {
        og_policy policy;
        og_ranks *ranks;
        PAINT(ranks);
        out->status = og_policy_parse(names[i], &policy, &out->message);
        if (out->status != OG_OK) {
            return;
        }
        out->status =
            og_policy_ranks(&policy, setting.arms, setting.arms->budget, 1, &ranks, &out->message);
        CHECK_PAINT(out, ranks);
        if (out->status != OG_OK) {
            return;
        }
        digest(out, og_ranks_of(ranks, 0, 1), setting.arms->arm[0]->level[5] * sizeof(uint32_t));
        og_ranks_free(ranks);
    }
}

static void run_index(outcome *out)
{
    og_policy policy;
    og_index *index;
    PAINT(index);
    out->status = og_policy_parse("gittins-fh", &policy, &out->message);
    if (out->status == OG_OK) {
        out->status =
            og_policy_index(&policy, setting.arms, setting.arms->budget, 1, &index, &out->message);
        CHECK_PAINT(out, index);
    }
    if (out->status == OG_OK) {
        digest(out, og_index_of(index, 0, 1), setting.arms->arm[0]->level[5] * sizeof(double));
        og_index_free(index);
    }
}

static void take_bound(outcome *out, og_status (*make)(const og_arms *, int, og_bound *))
{
    if (out->status == OG_OK) {
        og_bound bound;
        PAINT(bound);
        out->status = make(setting.arms, 1, &bound);
        CHECK_PAINT(out, bound);
        if (out->status == OG_OK) {
            digest_double(out, bound.value);
            og_bound_clear(&bound);
        }
    }
}

static void run_bounds(outcome *out)
{
    double price = 0.01;
    double value;
    double error;
    PAINT(value);
    out->status = og_bound_evaluate(setting.arms, &price, 1, 1, &value, &error);
    CHECK_PAINT(out, value);
    digest_double(out, value);
    take_bound(out, og_bound_lagrangian_scalar);
    take_bound(out, og_bound_prevailing_charge);
}

static void run_vector_bound(outcome *out)
{
    take_bound(out, og_bound_lagrangian_vector);
}

static void run_forecast(outcome *out)
{
    og_forecast forecast;
    PAINT(forecast);
    out->status = og_forecast_make(setting.arms, &setting.settings, &forecast, &out->message);
    CHECK_PAINT(out, forecast);
    digest(out, &forecast, sizeof forecast);
}

/* A comparison may hold rows that were not valued: then their statuses must say so. */
static void run_compare(outcome *out)
{
    og_policy policies[2];
    og_ties ties[] = {OG_TIES_RANDOM, OG_TIES_WORST};
    og_comparison comparison;
    PAINT(comparison);
    og_compare_request request = {.problem = &setting.problem,
                                  .policies = policies,
                                  .policy_count = 2,
                                  .ties = ties,
                                  .ties_count = 2,
                                  .settings = setting.settings};
    out->status = og_policy_parse("opt-kg", &policies[0], &out->message);
    if (out->status == OG_OK) {
        out->status = og_policy_parse("uniform", &policies[1], &out->message);
    }
    if (out->status != OG_OK) {
        return;
    }
    out->status = og_compare(&request, &comparison, &out->message);
    CHECK_PAINT(out, comparison);
    if (out->status != OG_OK) {
        return;
    }
    digest_double(out, comparison.scalar.value);
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
    og_policy policies[1];
    og_query_result result;
    PAINT(result);
    og_query_request request = {.problem = &setting.problem,
                                .whole_budget = setting.problem.budget,
                                .policies = policies,
                                .policy_count = 1,
                                .settings = setting.settings};
    out->status = og_policy_parse("opt-kg", &policies[0], &out->message);
    if (out->status == OG_OK) {
        out->status = og_query(&request, &result, &out->message);
        CHECK_PAINT(out, result);
    }
    if (out->status == OG_OK) {
        digest(out, result.q, (size_t)result.group_count * sizeof *result.q);
        digest(out, result.pick, (size_t)result.group_count * sizeof *result.pick);
        og_query_clear(&result);
    }
}

static void run_fit(outcome *out)
{
    og_fit fit;
    PAINT(fit);
    out->status = og_fit_moments(&setting.labels, &fit, &out->message);
    CHECK_PAINT(out, fit);
    digest(out, &fit, sizeof fit);
    if (out->status == OG_OK) {
        PAINT(fit);
        out->status = og_fit_ml(&setting.labels, &fit, &out->message);
        CHECK_PAINT(out, fit);
        digest(out, &fit, sizeof fit);
    }
}

static void run_labels(outcome *out)
{
    og_labels labels;
    PAINT(labels);
    out->status = og_labels_read(setting.label_file.text, &labels, &out->message);
    CHECK_PAINT(out, labels);
    if (out->status == OG_OK) {
        digest(out, labels.label, (size_t)labels.label_count);
        digest(out, labels.task, (size_t)labels.label_count * sizeof *labels.task);
        og_labels_clear(&labels);
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
    mpq_t value;
    mpq_init(value);
    for (int ties = 0; out->status == OG_OK && ties < OG_TIES_COUNT; ties++) {
        og_result result;
        PAINT(result);
        out->status = og_exact_policy_value(setting.arms, setting.ranks, (og_ties)ties,
                                            &setting.settings, value, NULL, &result, &out->message);
        CHECK_PAINT(out, result);
        digest_rational(out, value);
    }
    mpq_clear(value);
}

/* ---- checkpoints ---- */

enum { OLD_ENTRIES = 5, NEW_ENTRIES = 30, KEY_WORDS = 3 };

static const og_fingerprint fingerprint = {{1, 2}};

static void make_key(int number, uint64_t key[KEY_WORDS])
{
    memset(key, 0, KEY_WORDS * sizeof *key);
    key[0] = (uint64_t)number + 1;
    key[KEY_WORDS - 1] = 7;
}

/* The memo that a checkpoint is written from. */
static void hold_entries(int entries)
{
    og_memo_user user;
    og_memo_free(setting.memo);
    ck_assert_int_eq(og_memo_new(UINT64_C(1) << 20, KEY_WORDS, &setting.memo), OG_OK);
    og_memo_join(setting.memo, &user);
    for (int i = 0; i < entries; i++) {
        uint64_t key[KEY_WORDS];
        make_key(i, key);
        og_memo_put(&user, key, KEY_WORDS, og_memo_hash(key, KEY_WORDS), i, 1);
    }
    og_memo_leave(&user);
}

/* How many entries the file gives; a memo that cannot grow forgets some, but none may be another.
 */
static void read_entries(outcome *out, uint64_t *entries)
{
    og_memo *memo;
    og_memo_user user;
    *entries = 0;
    out->status = og_memo_new(UINT64_C(1) << 20, KEY_WORDS, &memo);
    if (out->status != OG_OK) {
        return;
    }
    out->status =
        og_checkpoint_read(setting.checkpoint, &fingerprint, memo, KEY_WORDS, &out->message);
    og_memo_join(memo, &user);
    for (int i = 0; out->status == OG_OK && i < NEW_ENTRIES; i++) {
        uint64_t key[KEY_WORDS];
        double value = i;
        make_key(i, key);
        *entries += og_memo_get(&user, key, KEY_WORDS, og_memo_hash(key, KEY_WORDS), &value);
        out->touched = out->touched || value != i;
    }
    og_memo_leave(&user);
    og_memo_free(memo);
}

static void run_checkpoint_write(outcome *out)
{
    out->status =
        og_checkpoint_write(setting.checkpoint, &fingerprint, setting.memo, NULL, &out->message);
}

static void run_checkpoint_read(outcome *out)
{
    uint64_t entries;
    read_entries(out, &entries);
    out->touched = out->touched || entries > OLD_ENTRIES;
}

static void no_checkpoint(void)
{
    unlink(setting.checkpoint);
    hold_entries(NEW_ENTRIES);
}

static void old_checkpoint(void)
{
    outcome out = {.status = OG_OK};
    hold_entries(OLD_ENTRIES);
    run_checkpoint_write(&out);
    ck_assert_msg(out.status == OG_OK, "%s", out.message.text);
    hold_entries(NEW_ENTRIES);
}

static bool part_is_left(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s.part", setting.checkpoint);
    return access(path, F_OK) == 0;
}

static const char *new_or(const outcome *out, uint64_t before)
{
    outcome check = {.status = OG_OK};
    uint64_t entries;
    read_entries(&check, &entries);
    if (part_is_left()) {
        return "half a file is left";
    }
    if (check.status != OG_OK) {
        return "the file is not whole";
    }
    return entries == (out->status == OG_OK ? NEW_ENTRIES : before) ? NULL : "another file";
}

static const char *new_or_none(const outcome *out)
{
    return new_or(out, 0);
}

static const char *new_or_old(const outcome *out)
{
    return new_or(out, OLD_ENTRIES);
}

/* A solver that is stopped writes what it has, and says so if it cannot. */
static void run_stopped_solver(outcome *out)
{
    og_settings settings = setting.settings;
    og_solver *solver;
    og_result result;
    settings.reductions = OG_REDUCE_SORT;
    settings.checkpoint = setting.checkpoint;
    settings.states_max = 1;
    out->status = og_solver_new(setting.long_arms, &settings, &solver, &out->message);
    if (out->status == OG_OK) {
        og_status status = og_solver_value(solver, &result, &out->message);
        og_solver_free(solver);
        if (status != OG_STOPPED) {
            out->status = status;
        } else if (strstr(out->message.text, "could not be written") != NULL) {
            out->status = OG_FAILED;
        } else if (strstr(out->message.text, "out of memory") != NULL) {
            out->status = OG_NO_MEMORY;
        }
    }
}

/* One that continues has the value of one that was never stopped. */
static void run_continued_solver(outcome *out)
{
    og_settings settings = setting.settings;
    og_solver *solver;
    og_result result;
    settings.reductions = OG_REDUCE_SORT;
    settings.checkpoint = setting.checkpoint;
    out->status = og_solver_new(setting.long_arms, &settings, &solver, &out->message);
    if (out->status == OG_OK) {
        out->status = og_solver_value(solver, &result, &out->message);
        digest_result(out, &result);
        og_solver_free(solver);
    }
}

static const char *whole_or_none(const outcome *out)
{
    outcome check = {.status = OG_OK};
    if (part_is_left()) {
        return "half a file is left";
    }
    if (out->status == OG_OK && access(setting.checkpoint, F_OK) != 0) {
        return "no file was written";
    }
    run_continued_solver(&check);
    if (check.status != OG_OK) {
        return "the file is not whole";
    }
    return check.digest == setting.long_digest ? NULL : "the file changes the value";
}

static void stopped_checkpoint(void)
{
    outcome out = {.status = OG_OK};
    no_checkpoint();
    run_stopped_solver(&out);
    ck_assert_int_eq(out.status, OG_OK);
}

/* ---- the walk ---- */

typedef struct {
    const char *name;
    void (*run)(outcome *out);
    unsigned kinds;
    bool in_turn; /* the n-th call is always the same */
    void (*before)(void);
    const char *(*after)(const outcome *out); /* what is wrong; NULL: nothing */
} scene;

static const scene scenes[] = {
    {"problem", run_problem, FAULTS_ALL, true, NULL, NULL},
    {"arms", run_arms, FAULTS_ALL, true, NULL, NULL},
    {"real arms", run_real_arms, FAULTS_ALL, true, NULL, NULL},
    {"solver", run_solver, FAULTS_ALL, true, NULL, NULL},
    {"growing solver", run_growing_solver, FAULTS_ALL, true, NULL, NULL},
    {"ordered solver", run_ordered_solver, FAULTS_ALL, true, NULL, NULL},
    {"policies", run_policies, FAULTS_ALL, true, NULL, NULL},
    {"exact", run_exact, FAULTS_ALL, true, NULL, NULL},
    {"exact policies", run_exact_policies, FAULTS_ALL, true, NULL, NULL},
    {"uniform", run_uniform, FAULTS_ALL, true, NULL, NULL},
    {"ranks", run_ranks, FAULTS_ALL, true, NULL, NULL},
    {"index", run_index, FAULTS_ALL, true, NULL, NULL},
    {"bounds", run_bounds, FAULTS_ALL, true, NULL, NULL},
    {"vector bound", run_vector_bound, FAULTS_ALL, true, NULL, NULL},
    {"forecast", run_forecast, FAULTS_ALL, true, NULL, NULL},
    {"compare", run_compare, FAULTS_ALL, true, NULL, NULL},
    {"query", run_query, FAULTS_ALL, true, NULL, NULL},
    {"fit", run_fit, FAULTS_ALL, true, NULL, NULL},
    {"labels", run_labels, FAULTS_ALL, true, NULL, NULL},
    {"threads", run_threads, FAULTS_ALL, false, NULL, NULL},
    {"first checkpoint", run_checkpoint_write, FAULTS_ALL, true, no_checkpoint, new_or_none},
    {"next checkpoint", run_checkpoint_write, FAULTS_ALL, true, old_checkpoint, new_or_old},
    {"checkpoint read", run_checkpoint_read, FAULTS_ALL, true, old_checkpoint, NULL},
    {"stopped solver", run_stopped_solver, FAULTS_ALL, true, no_checkpoint, whole_or_none},
    {"continued solver", run_continued_solver, FAULTS_ALL, true, stopped_checkpoint, NULL},
};

enum { SCENE_COUNT = sizeof scenes / sizeof *scenes };

static outcome perform(const scene *of, int64_t first, bool on, faults_report *report)
{
    outcome out = {.status = OG_OK};
    if (of->before != NULL) {
        of->before();
    }
    faults_begin(of->kinds, first, on);
    of->run(&out);
    faults_end(report);
    return out;
}

static void start_world(void)
{
    outcome whole = {.status = OG_OK};
    world_init("3x1,1 2,1@0.3 2,2", 6);
    run_continued_solver(&whole);
    ck_assert_int_eq(whole.status, OG_OK);
    setting.long_digest = whole.digest;
}

static const char *describe(const scene *of, int64_t n, bool on, const faults_report *report)
{
    static char text[256];
    snprintf(text, sizeof text, "%s, call %" PRId64 "%s (%s at 0x%" PRIx64 ")", of->name, n,
             on ? " and all after it" : "", report->call, report->caller);
    return text;
}

static bool one_line(const char *text)
{
    return strnlen(text, OG_MESSAGE_BYTES) < OG_MESSAGE_BYTES && strchr(text, '\n') == NULL;
}

static void check_outcome(const scene *of, int64_t n, bool on, const outcome *expected,
                          const outcome *got, const faults_report *report)
{
    const char *where = describe(of, n, on, report);
    ck_assert_msg(report->blocks == 0, "%s: %" PRId64 " blocks leaked, one from 0x%" PRIx64, where,
                  report->blocks, report->block_by);
    ck_assert_msg(report->files == 0, "%s: %" PRId64 " files left open", where, report->files);
    ck_assert_msg(!got->touched, "%s: an output was touched", where);
    const char *wrong = of->after != NULL ? of->after(got) : NULL;
    ck_assert_msg(wrong == NULL, "%s: %s (status %d: %s)", where, wrong, got->status,
                  got->message.text);
    ck_assert_msg(one_line(got->message.text), "%s: message \"%s\"", where, got->message.text);
    if (got->status == OG_OK) {
        ck_assert_msg(got->digest == expected->digest, "%s: another result", where);
        return;
    }
    ck_assert_msg(report->failed, "%s: status %d without a fault: %s", where, got->status,
                  got->message.text);
    /* og_memo_new has one word for beyond the limit and for what cannot be had. */
    bool memory = got->status == OG_NO_MEMORY || got->status == OG_STOPPED;
    bool is_file = strchr("fo", report->call[0]) != NULL || strcmp(report->call, "rename") == 0;
    bool file = got->status == OG_FAILED || got->status == OG_BAD_INPUT;
    ck_assert_msg(memory || (file && (is_file || on)), "%s: status %d: %s", where, got->status,
                  got->message.text);
    ck_assert_msg(got->status == OG_NO_MEMORY || got->message.text[0] != '\0',
                  "%s: status %d without a message", where, got->status);
}

/*
 * Every call; of a run with thousands, which writes entry after entry, those near its beginning and
 * its end and some of those between.
 */
static int64_t stride(int64_t n, int64_t calls, bool on)
{
    enum { LONG = 3000, EACH = 100, SOME = 100 };
    int64_t each = calls < LONG ? calls : (int64_t)EACH * test_scale();
    int64_t between = n > each && n < calls - each ? (calls - 2 * each) / SOME + 1 : 1;
    return on ? 7 * between : between;
}

static void walk(const scene *of, bool on)
{
    faults_report report;
    outcome expected = perform(of, 0, false, &report);
    ck_assert_msg(expected.status == OG_OK, "%s: %s", of->name, expected.message.text);
    check_outcome(of, 0, false, &expected, &expected, &report);
    int64_t calls = report.calls;
    ck_assert_msg(calls > 0, "%s: nothing can fail", of->name);
    int64_t failed = 0;
    for (int64_t n = 1; n <= calls; n += stride(n, calls, on)) {
        outcome got = perform(of, n, on, &report);
        check_outcome(of, n, on, &expected, &got, &report);
        failed += got.status != OG_OK;
        ck_assert_msg(report.failed || !of->in_turn, "%s: no call %" PRId64, of->name, n);
    }
    ck_assert_msg(failed > 0, "%s: no call matters", of->name);
}

START_TEST(each_call_may_fail)
{
    walk(&scenes[_i], false);
}
END_TEST

START_TEST(all_calls_from_one_on_may_fail)
{
    walk(&scenes[_i], true);
}
END_TEST

/* ---- the program ---- */

typedef struct {
    const char *words; /* of the command line; %L: the file of labels, %C: a checkpoint */
    bool bracket;      /* prints what it has proved also when it stops */
} command_line;

static const command_line lines[] = {
    {"solve -T 4 --threads 1 2x1,1 2,1@0.3", false},
    {"solve -T 4 --threads 1 --json 2x1,1 2,1@0.3", false},
    {"solve -T 5 --threads 1 --checkpoint %C 2x1,1 2,1@0.3", false},
    {"solve -T 20 --dry-run 5x1,1", false},
    {"compare -T 3 --threads 1 --policies uniform,kg --ties random,worst 2x1,1 2,1", true},
    {"compare -T 3 --threads 1 --policies opt-kg --json 2x1,1 2,1", true},
    {"query -T 4 --threads 1 --policies kg 2x1,1 2,1@0.3", false},
    {"query -T 4 --threads 1 --policies kg --json 2x1,1 2,1@0.3", false},
    {"bound -T 4 --threads 1 2x1,1 2,1", false},
    {"bound -T 4 --threads 1 --json 2x1,1 2,1", false},
    {"index -T 4 --policy opt-kg 1,1", false},
    {"fit %L", false},
    {"fit --method ml --json %L", false},
    {"--help", false},
    {"solve --help", false},
};

enum { LINE_COUNT = sizeof lines / sizeof *lines, TEXT_BYTES = 1 << 16, WORDS_MAX = 24 };

typedef struct {
    int status; /* of the process, as waitpid tells it */
    char out[TEXT_BYTES];
    char err[TEXT_BYTES];
    faults_report report;
    bool returned; /* from main, so that leaks can be told */
} program_run;

static int split_words(const command_line *line, char *copy, size_t size, char *word[WORDS_MAX])
{
    int count = 0;
    snprintf(copy, size, "optgap %s", line->words);
    for (char *rest = copy; rest != NULL && count < WORDS_MAX - 1;) {
        char *next = strsep(&rest, " ");
        if (strcmp(next, "%L") == 0) {
            next = setting.label_file.text;
        } else if (strcmp(next, "%C") == 0) {
            next = setting.checkpoint;
        }
        word[count++] = next;
    }
    word[count] = NULL;
    return count;
}

static void in_child(const command_line *line, int64_t first, bool on, int out, int err,
                     program_run *run)
{
    char copy[512];
    char *word[WORDS_MAX];
    int count = split_words(line, copy, sizeof copy, word);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    json_set_alloc_funcs(malloc, free);
    faults_begin(FAULTS_ALL, first, on);
    int code = optgap_main(count, word);
    faults_end(&run->report);
    run->returned = true;
    _exit(code);
}

static void take_text(int file, char text[TEXT_BYTES])
{
    ssize_t length = pread(file, text, TEXT_BYTES - 1, 0);
    ck_assert_msg(length >= 0 && length < TEXT_BYTES - 1, "too much was printed");
    text[length] = '\0';
    close(file);
}

static void run_program(const command_line *line, int64_t first, bool on, program_run *run)
{
    faults_report nothing;
    int out = memfd_create("out", 0);
    int err = memfd_create("err", 0);
    memset(run, 0, sizeof *run);
    no_checkpoint();
    faults_begin(FAULTS_ALL, 0, false); /* makes what both processes share */
    faults_end(&nothing);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        in_child(line, first, on, out, err, run);
    }
    ck_assert_int_eq(waitpid(child, &run->status, 0), child);
    if (!run->returned) {
        faults_end(&run->report); /* what the child had counted when it ended */
    }
    take_text(out, run->out);
    take_text(err, run->err);
}

static int count_lines(const char *text)
{
    int count = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        count++;
    }
    return count;
}

static void check_program(const command_line *line, int64_t n, bool on, const program_run *expected,
                          const program_run *got)
{
    const faults_report *report = &got->report;
    char where[256];
    snprintf(where, sizeof where, "%s, call %" PRId64 "%s (%s at 0x%" PRIx64 ")", line->words, n,
             on ? " and all after it" : "", report->call, report->caller);
    ck_assert_msg(WIFEXITED(got->status), "%s: signal %d, %s", where, WTERMSIG(got->status),
                  got->err);
    int code = WEXITSTATUS(got->status);
    int told = count_lines(got->err);
    ck_assert_msg(!part_is_left(), "%s: half a file is left", where);
    int told_most = on ? 2 : 1; /* with all failing, standard output fails as well */
    ck_assert_msg(told <= told_most && (told == 0 || strncmp(got->err, "optgap: ", 8) == 0),
                  "%s: said \"%s\"", where, got->err);
    if (got->returned) {
        ck_assert_msg(report->blocks == 0, "%s: %" PRId64 " blocks leaked, one from 0x%" PRIx64,
                      where, report->blocks, report->block_by);
        ck_assert_msg(report->files == 0, "%s: %" PRId64 " files left open", where, report->files);
    }
    if (code == 0 && line->bracket && strstr(got->out, "not valued") != NULL) {
        return; /* a policy that did not fit, and says so */
    }
    if (code == 0) {
        ck_assert_msg(count_lines(got->out) == count_lines(expected->out),
                      "%s: exit 0 and another output: %s", where, got->out);
        return;
    }
    bool printing = strcmp(report->call, "fclose") == 0 && got->out[0] != '\0';
    bool unopened = code == 2 && strcmp(report->call, "fopen") == 0; /* a file that is not there */
    ck_assert_msg(code == 1 || code == 3 || unopened, "%s: exit status %d: %s", where, code,
                  got->err);
    ck_assert_msg(told >= 1, "%s: exit status %d without a word", where, code);
    ck_assert_msg(got->out[0] == '\0' || printing || (code == 3 && line->bracket),
                  "%s: exit status %d and printed %s", where, code, got->out);
}

static void walk_program(const command_line *line, bool on)
{
    program_run *expected =
        mmap(NULL, 2 * sizeof *expected, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(expected != MAP_FAILED);
    program_run *got = expected + 1;
    run_program(line, 0, false, expected);
    ck_assert_msg(WIFEXITED(expected->status) && WEXITSTATUS(expected->status) == 0, "%s: %s",
                  line->words, expected->err);
    check_program(line, 0, false, expected, expected);
    int64_t calls = expected->report.calls;
    int64_t failed = 0;
    for (int64_t n = 1; n <= calls; n += stride(n, calls, on)) {
        run_program(line, n, on, got);
        check_program(line, n, on, expected, got);
        failed += WEXITSTATUS(got->status) != 0;
    }
    ck_assert_msg(failed > 0, "%s: no call matters", line->words);
    munmap(expected, 2 * sizeof *expected);
}

START_TEST(the_program_survives_each_call)
{
    walk_program(&lines[_i], false);
}
END_TEST

START_TEST(the_program_survives_all_calls_from_one_on)
{
    walk_program(&lines[_i], true);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *program = tcase_create("program"); /* first: it forks, which threads do not outlive */
    TCase *library = tcase_create("library");
    TCase *cases[] = {program, library};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tcase_set_timeout(cases[i], 300);
        tcase_add_checked_fixture(cases[i], start_world, world_clear);
        suite_add_tcase(suite, cases[i]);
    }
    tcase_add_loop_test(program, the_program_survives_each_call, 0, LINE_COUNT);
    tcase_add_loop_test(program, the_program_survives_all_calls_from_one_on, 0, LINE_COUNT);
    tcase_add_loop_test(library, each_call_may_fail, 0, SCENE_COUNT);
    tcase_add_loop_test(library, all_calls_from_one_on_may_fail, 0, SCENE_COUNT);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
