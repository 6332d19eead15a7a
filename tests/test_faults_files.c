/*
 * Like tests/test_faults.c, for code that reads and writes files: after each run a file is
 * unchanged, or new and complete, and there are no other files.
 */
#include <unistd.h>

#include "bench/families/features/file.h"
#include "bench/families/independent/independent.h"
#include "bench/questions/model_file.h"
#include "bench/questions/verify.h"
#include "bench/recorded/labels.h"
#include "bench/recorded/pairs.h"
#include "dp/engine/checkpoint.h"
#include "dp/export/export.h"
#include "dp/product/solve.h"
#include "heuristics/index/table_file.h"
#include "tests/families.h"
#include "tests/fault_walk.h"
#include "tests/support.h"

/* ---- what runs work on; made before anything fails ---- */

static struct {
    og_groups problem; /* with thousands of states */
    og_arms *arms;
    og_groups few; /* with a few */
    og_arms *few_arms;
    og_settings settings;
    uint64_t digest; /* of its value */
    og_memo *memo;   /* that checkpoints are written from */
    test_path label_file;
    char folder[64];
    char model[3][96];   /* .drn; .tra and its companion file */
    char checkpoint[96]; /* or policy: the file that is written */
    char table_file[96];
    char pair_file[96]; /* comparisons, and the scores of their items beside them */
} setting;

static const uint64_t memory_limit = UINT64_C(64) << 20;

static void run_continued_solver(outcome *out);

static void start_world(void)
{
    og_message message = {""};
    outcome whole = {.status = OG_OK};
    memset(&setting, 0, sizeof setting);
    test_problem("4x1,1 2x2,1 2x1,3@0.3", 8, &setting.problem);
    ck_assert_int_eq(test_arms_new(&setting.problem, 1, memory_limit, &setting.arms, &message),
                     OG_OK);
    test_problem("2x1,1 2,1@0.3", 4, &setting.few);
    ck_assert_int_eq(test_arms_new(&setting.few, 1, memory_limit, &setting.few_arms, &message),
                     OG_OK);
    og_settings_default(&setting.settings);
    setting.settings.threads = 1;
    setting.settings.memory_bytes = memory_limit;
    setting.label_file = test_source_path("tests/data/sample-labels.tsv");
    snprintf(setting.folder, sizeof setting.folder, "%.40s/faults-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(setting.folder));
    snprintf(setting.checkpoint, sizeof setting.checkpoint, "%s/checkpoint", setting.folder);
    for (int i = 0; i < 3; i++) {
        static const char *const suffix[] = {"drn", "tra", "lab"};
        snprintf(setting.model[i], sizeof setting.model[i], "%s/model.%s", setting.folder,
                 suffix[i]);
    }
    snprintf(setting.table_file, sizeof setting.table_file, "%s/table", setting.folder);
    FILE *table = fopen(setting.table_file, "w");
    ck_assert_ptr_nonnull(table);
    for (int i = 1; i <= 100; i++) { /* more rows than the reader's first room */
        fprintf(table, "%d\t1\t0.%d\n", i, i);
    }
    ck_assert_int_eq(fclose(table), 0);
    snprintf(setting.pair_file, sizeof setting.pair_file, "%s/pairs", setting.folder);
    FILE *pairs = fopen(setting.pair_file, "w");
    ck_assert_ptr_nonnull(pairs);
    fprintf(pairs, "worker\tleft\tright\tlabel\titem\tscore\n");
    for (int i = 0; i < 100; i++) {
        fprintf(pairs, "%d\titem%d\titem0\titem0\titem%d\t%d\n", i % 7, i, i, 9 * i % 100);
    }
    ck_assert_int_eq(fclose(pairs), 0);
    run_continued_solver(&whole);
    ck_assert_int_eq(whole.status, OG_OK);
    setting.digest = whole.digest;
}

static void no_model(void)
{
    for (int i = 0; i < 3; i++) {
        unlink(setting.model[i]);
    }
    char rewards[sizeof setting.folder + 16];
    snprintf(rewards, sizeof rewards, "%s/model.srew", setting.folder);
    unlink(rewards);
}

static void end_world(void)
{
    no_model();
    unlink(setting.checkpoint);
    unlink(setting.table_file);
    unlink(setting.pair_file);
    rmdir(setting.folder);
    og_memo_free(setting.memo);
    og_arms_free(setting.few_arms);
    og_groups_clear(&setting.few);
    og_arms_free(setting.arms);
    og_groups_clear(&setting.problem);
}

/* ---- labels ---- */

static void run_labels(outcome *out)
{
    og_labels labels;
    PAINT(labels);
    out->status = og_labels_read(setting.label_file.text, NULL, &labels, &out->message);
    CHECK_PAINT(out, labels);
    if (out->status == OG_OK) {
        digest(out, labels.label, (size_t)labels.label_count);
        digest(out, labels.task, (size_t)labels.label_count * sizeof *labels.task);
        og_labels_clear(&labels);
    }
}

/* ---- comparisons ---- */

static void run_pairs(outcome *out)
{
    og_pairs pairs;
    PAINT(pairs);
    const og_pairs_files files = {setting.pair_file, setting.pair_file, NULL};
    out->status = og_pairs_read(&files, &setting.settings, &pairs, &out->message);
    CHECK_PAINT(out, pairs);
    if (out->status == OG_OK) {
        for (int64_t k = 0; k < pairs.count; k++) {
            const og_pair *pair = &pairs.pair[k];
            uint32_t numbers[] = {pair->item[0], pair->item[1], pair->worker, pair->first};
            digest(out, numbers, sizeof numbers);
        }
        digest(out, pairs.score, pairs.item_count * sizeof *pairs.score);
        og_pairs_clear(&pairs);
    }
}

/* ---- features ---- */

static void run_feature_table(outcome *out)
{
    test_path path = test_source_path("tests/data/features.tsv");
    og_feature_table features;
    PAINT(features);
    out->status = og_feature_table_read(path.text, &features, &out->message);
    CHECK_PAINT(out, features);
    if (out->status == OG_OK) {
        digest(out, features.row, (size_t)features.instance_count * sizeof *features.row);
        og_feature_table_clear(&features);
    }
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

static const char *new_or(const outcome *out, uint64_t before)
{
    outcome check = {.status = OG_OK};
    uint64_t entries;
    read_entries(&check, &entries);
    if (test_files_beside(setting.checkpoint) > 0) {
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

/* A stopped solver writes its states, or reports that it cannot. */
static void run_stopped_solver(outcome *out)
{
    og_settings settings = setting.settings;
    og_solver *solver;
    og_result result;
    settings.reductions = OG_REDUCE_SORT;
    settings.checkpoint = setting.checkpoint;
    settings.states_max = 1;
    out->status = og_solver_new(setting.arms, &settings, &solver, &out->message);
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
    out->status = og_solver_new(setting.arms, &settings, &solver, &out->message);
    if (out->status == OG_OK) {
        out->status = og_solver_value(solver, &result, &out->message);
        digest_result(out, &result);
        og_solver_free(solver);
    }
}

static const char *whole_or_none(const outcome *out)
{
    outcome check = {.status = OG_OK};
    if (test_files_beside(setting.checkpoint) > 0) {
        return "half a file is left";
    }
    if (out->status == OG_OK && access(setting.checkpoint, F_OK) != 0) {
        return "no file was written";
    }
    run_continued_solver(&check);
    if (check.status != OG_OK) {
        return "the file is not whole";
    }
    return check.digest == setting.digest ? NULL : "the file changes the value";
}

static void stopped_checkpoint(void)
{
    outcome out = {.status = OG_OK};
    no_checkpoint();
    run_stopped_solver(&out);
    ck_assert_int_eq(out.status, OG_OK);
}

/* ---- exported policies ---- */

static void export(outcome *out, bool all)
{
    og_settings settings = setting.settings;
    og_solver *solver;
    og_result result;
    og_export_info info;
    og_export_request request = {.path = setting.checkpoint, .all = all};
    PAINT(info);
    out->status = og_solver_new(setting.few_arms, &settings, &solver, &out->message);
    if (out->status == OG_OK) {
        out->status = og_export_policy(solver, &request, &result, &info, &out->message);
        CHECK_PAINT(out, info);
        digest(out, &info.states, sizeof info.states);
        og_solver_free(solver);
    }
}

static void run_export(outcome *out)
{
    export(out, false);
}

static void run_export_all(outcome *out)
{
    export(out, true);
}

static void run_verify(outcome *out)
{
    const og_settings settings = {.threads = 1, .memory_bytes = memory_limit};
    og_verification found;
    PAINT(found);
    out->status = og_verify_path(setting.checkpoint, &settings, &found, &out->message);
    CHECK_PAINT(out, found);
    if (out->status == OG_OK) {
        digest_double(out, found.value);
        digest_double(out, found.error_bound);
        digest(out, &found.optimal, sizeof found.optimal);
    }
}

static void exported(void)
{
    outcome out = {.status = OG_OK};
    run_export(&out);
    ck_assert_msg(out.status == OG_OK, "%s", out.message.text);
}

/* The file is complete if the export succeeded, and otherwise unchanged: here with all actions, or
 * missing. */
static const char *policy_or(const outcome *out, bool before)
{
    outcome check = {.status = OG_OK};
    if (test_files_beside(setting.checkpoint) > 0) {
        return "half a file is left";
    }
    if (out->status != OG_OK && !before) {
        return access(setting.checkpoint, F_OK) == 0 ? "a file is left" : NULL;
    }
    run_verify(&check);
    return check.status == OG_OK ? NULL : "the file is not whole";
}

static const char *policy_or_none(const outcome *out)
{
    return policy_or(out, false);
}

static const char *policy_or_old(const outcome *out)
{
    return policy_or(out, true);
}

/* ---- models ---- */

static void write_model(outcome *out, const char *path, bool exact)
{
    const og_family *family = &og_family_independent;
    og_model_file_info info;
    void *problem = NULL;
    out->status =
        family_open(family, &setting.few, NULL, &setting.settings, &problem, &out->message);
    if (out->status == OG_OK) {
        og_asked asked = og_asked_about(family, problem, &setting.settings);
        asked.request.exact = exact;
        asked.request.export_model = path;
        PAINT(info);
        out->status = og_model_file_write(&asked, &info, &out->message);
        CHECK_PAINT(out, info);
        digest(out, &info.bytes, sizeof info.bytes);
        og_family_close(family, problem);
    }
}

static void run_model(outcome *out)
{
    write_model(out, setting.model[0], false);
}

static void run_three_files(outcome *out)
{
    write_model(out, setting.model[1], true);
}

static const char *model_or_none(const outcome *out)
{
    bool there = access(setting.model[0], F_OK) == 0 || access(setting.model[1], F_OK) == 0;
    if (test_files_beside(setting.model[0]) + test_files_beside(setting.model[1]) > 0) {
        return "half a file is left";
    }
    return there == (out->status == OG_OK) ? NULL : "the file and the status disagree";
}

/* ---- index tables ---- */

static void run_index_table(outcome *out)
{
    og_table *table;
    PAINT(table);
    out->status = og_table_read(setting.table_file, OG_TIE_TOLERANCE, NULL, &table, &out->message);
    CHECK_PAINT(out, table);
    if (out->status == OG_OK) {
        digest(out, &table->row_count, sizeof table->row_count);
        digest_double(out, table->row[table->row_count - 1].index);
        og_table_free(table);
    }
}

static const fault_scene scenes[] = {
    SCENE("export", .run = run_export, .before = no_checkpoint, .after = policy_or_none),
    SCENE("export over a file", .run = run_export, .before = exported, .after = policy_or_old),
    SCENE("export of all", .run = run_export_all, .before = no_checkpoint, .after = policy_or_none),
    SCENE("verify", .run = run_verify, .before = exported),
    SCENE("model", .run = run_model, .before = no_model, .after = model_or_none),
    SCENE("model in three files", .run = run_three_files, .before = no_model,
          .after = model_or_none),
    SCENE("index table", .run = run_index_table),
    SCENE("labels", .run = run_labels),
    SCENE("comparisons", .run = run_pairs),
    SCENE("features", .run = run_feature_table),
    SCENE("first checkpoint", .run = run_checkpoint_write, .before = no_checkpoint,
          .after = new_or_none),
    SCENE("next checkpoint", .run = run_checkpoint_write, .before = old_checkpoint,
          .after = new_or_old),
    SCENE("checkpoint read", .run = run_checkpoint_read, .before = old_checkpoint),
    SCENE("stopped solver", .run = run_stopped_solver, .before = no_checkpoint,
          .after = whole_or_none),
    SCENE("continued solver", .run = run_continued_solver, .before = stopped_checkpoint),
};

OG_SUITE_RUN(faults_files)
{
    return fault_suite("faults_files", scenes, sizeof scenes / sizeof *scenes, start_world,
                       end_world);
}
