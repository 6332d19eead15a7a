/* sweep: policies on every problem of a grid, into a database. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "bench/study/study_db.h"
#include "bench/study/sweep.h"
#include "bench/words.h"
#include "commit.h"
#include "config.h"
#include "tools/command/commands.h"
#include "tools/option/study_options.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

enum { STAGE_BYTES = 160, TIME_BYTES = 32 };

static bool is_interrupted(void *user)
{
    (void)user;
    return progress_interrupted();
}

/* "40 s", "3 min", "2.5 h". */
static void time_format(double seconds, char text[TIME_BYTES])
{
    if (seconds < 90) {
        snprintf(text, TIME_BYTES, "%.0f s", ceil(seconds));
    } else if (seconds < 90 * 60) {
        snprintf(text, TIME_BYTES, "%.0f min", seconds / 60);
    } else {
        snprintf(text, TIME_BYTES, "%.1f h", seconds / 3600);
    }
}

static void show_progress(void *user, const og_sweep_progress *progress)
{
    (void)user;
    char words[STAGE_BYTES];
    char left[TIME_BYTES];
    char guess[2 * TIME_BYTES] = "";
    if (isfinite(progress->seconds_left)) {
        time_format(progress->seconds_left, left);
        snprintf(guess, sizeof guess, ", about %s left", left);
    }
    if (progress->alone != NULL) {
        snprintf(words, sizeof words,
                 "%" PRId64 " of %" PRId64 " cells%s; alone: %" PRId64 "x%.40s, %" PRId64 " labels",
                 progress->done, progress->cells, guess, progress->instances, progress->alone,
                 progress->budget);
    } else {
        snprintf(words, sizeof words, "%" PRId64 " of %" PRId64 " cells%s", progress->done,
                 progress->cells, guess);
    }
    show_stage(words);
}

static bool show_wait(void *user, double seconds)
{
    char words[STAGE_BYTES];
    (void)user;
    snprintf(words, sizeof words, "waiting for another process that uses the database, %.0f s",
             seconds);
    show_stage(words);
    return !progress_interrupted();
}

/* One field of a line of CSV (RFC 4180). */
static void print_field(sqlite3_stmt *at, int column)
{
    switch (sqlite3_column_type(at, column)) {
    case SQLITE_NULL:
        return;
    case SQLITE_FLOAT:
        fputs(og_words_exact(sqlite3_column_double(at, column)).text, stdout);
        return;
    default:
        break;
    }
    const char *text = (const char *)sqlite3_column_text(at, column);
    if (text == NULL || text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text != NULL ? text : "", stdout);
        return;
    }
    putchar('"');
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, stdout);
    }
    putchar('"');
}

static og_status print_csv(og_study_db *db, og_message *message)
{
    sqlite3_stmt *at = NULL;
    int code = sqlite3_prepare_v2(og_study_db_handle(db),
                                  "SELECT * FROM result ORDER BY prior, instances, budget, runs,"
                                  " truth, seed, policy, ties",
                                  -1, &at, NULL);
    int columns = sqlite3_column_count(at);
    for (int i = 0; i < columns; i++) {
        printf("%s%s", i > 0 ? "," : "", sqlite3_column_name(at, i));
    }
    puts("");
    while (code == SQLITE_OK && (code = sqlite3_step(at)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            fputs(i > 0 ? "," : "", stdout);
            print_field(at, i);
        }
        puts("");
        code = SQLITE_OK;
    }
    sqlite3_finalize(at);
    return code == SQLITE_DONE ? OG_OK
                               : og_message_set(message, OG_FAILED, "the study cannot be read: %s",
                                                sqlite3_errmsg(og_study_db_handle(db)));
}

static void print_summary(const command_request *request, const og_sweep_result *done)
{
    og_document *document = og_document_new();
    og_show_field(document, "Study", "%s", request->file);
    og_show_field(document, "Cells", "%" PRId64, done->cells);
    og_show_field(document, "Stored before", "%" PRId64, done->found);
    og_show_field(document, "Computed now", "%" PRId64, done->finished);
    og_show_field(document, "With a limit", "%" PRId64, done->limited);
    show_part(document);
}

/* The study: the command line's keys, then the file's where the command line says nothing, then the
 * defaults. */
static og_status read_study(const command_request *request, og_study *study, og_message *message)
{
    og_status status = read_study_words(request, study, message);
    if (status == OG_OK && request->study_file != NULL) {
        status = og_study_read(request->study_file, study, message);
    }
    return status == OG_OK ? og_study_complete(study, message) : status;
}

/* The same as words, for the database. */
static og_status make_command(const command_request *request, const og_study *study, char **text)
{
    char *words = NULL;
    og_status status = og_study_words(study, &words);
    if (status == OG_OK && asprintf(text, "optgap sweep %s %s", request->file, words) < 0) {
        *text = NULL;
        status = OG_NO_MEMORY;
    }
    free(words);
    return status;
}

static og_status fill(const command_request *request, const og_study *study, og_study_db *db,
                      og_sweep_result *done, og_message *message)
{
    og_sweep_request wanted = {.study = study,
                               .db = db,
                               .program = OG_VERSION,
                               .commit = OG_COMMIT,
                               .threads = request->settings.threads,
                               .memory_bytes = request->settings.memory_bytes,
                               .cell_seconds_max = request->time_limit_seconds,
                               .retry = request->retry,
                               .interrupted = is_interrupted,
                               .progress = show_progress};
    char *words = NULL;
    og_status status = make_command(request, study, &words);
    if (status == OG_OK) {
        wanted.command = words;
        status = og_sweep_run(&wanted, done, message);
    }
    show_stage(NULL);
    free(words);
    return status;
}

/* What is not as asked, on standard error. */
static int report_limits(const og_sweep_result *done)
{
    int64_t stored = done->found + done->finished;
    if (done->interrupted) {
        note("interrupted after %.1f s: %" PRId64 " of %" PRId64
             " cells are stored; the same command goes on",
             progress_seconds(), stored, done->cells);
        return EXIT_LIMIT;
    }
    if (done->limited > 0) {
        note("a limit was reached in %" PRId64 " of %" PRId64
             " cells, which hold what is proved; --retry computes them again, with more "
             "--time-limit, --memory or --policy-states",
             done->limited, done->cells);
        return EXIT_LIMIT;
    }
    return EXIT_RESULT;
}

static int run(command_request *request)
{
    og_message message = {""};
    og_study study = {0};
    og_study_db *db = NULL;
    og_sweep_result done = {0};
    bool only_print = request->csv && request->study_file == NULL && request->study_word_count == 0;
    og_status status = only_print ? OG_OK : read_study(request, &study, &message);
    if (status == OG_OK) {
        progress_catch_signals();
        const og_study_wait wait = {.call = show_wait};
        status = og_study_db_open(request->file, !only_print, &wait, &db, &message);
    }
    if (status == OG_OK && !only_print) {
        status = fill(request, &study, db, &done, &message);
    }
    if (status == OG_OK && request->csv) {
        status = print_csv(db, &message);
    } else if (status == OG_OK) {
        print_summary(request, &done);
    }
    og_study_db_close(db);
    og_study_clear(&study);
    return status == OG_OK ? report_limits(&done) : complain(status, &message);
}

/* What is wrong with a value of the study is found when it is put together. */
static const og_option_row options[] = {
    STUDY_OPTION(
        "prior", "PRIOR",
        .help = "an INSTANCE without COUNT, such as 1,1 or 2,1@0.3; may be given several times"),
    STUDY_OPTION("instances", "NUMBERS",
                 .help = "how many instances: 2,3,5 or 10:50:10 (from, to, step)"),
    STUDY_OPTION("budget", "NUMBERS", .help = "labels to give, in the same way: 1:40",
                 .letter = 'T'),
    STUDY_OPTION("policies", "NAME[,NAME...]",
                 .help = "several policies, or 'all': every one that needs no parameter (default: "
                         "uniform,kg,opt-kg,gittins-fh,gittins-inf)"),
    STUDY_OPTION("policy", "NAME", .help = "a policy; may be given several times"),
    STUDY_OPTION("ties", "RULE[,RULE...]",
                 .help =
                     "random, first, best, worst; with --runs random or first (default: random)",
                 .choices = TIES_CHOICES),
    STUDY_OPTION(
        "policy-states", "N",
        .help = "most states that valuing one policy may take; 0: any number (default: 20000000)"),
    STUDY_OPTION("runs", "N",
                 .help = "simulate each policy N times and compute bounds, instead of exact "
                         "values and optima (default: 0, exact)"),
    STUDY_OPTION("seed", "N", .help = "of the runs (default: 1)"),
    STUDY_OPTION("truth", "TRUTH",
                 .help = "of the runs: prior; beta:A,B; list:X,X,... one soft label for each "
                         "instance, which also counts the labels each one gets (default: prior)"),
    STUDY_OPTION(
        "index-time", "SECONDS",
        .help = "a policy whose index would take longer than that is not played (default: 60)"),
    OG_OPTION(PATH, "study", "FILE", command_request, study_file,
              .help = "read the options above from lines 'prior = 1,1'; those on the command line "
                      "count more"),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION(SECONDS, "time-limit", "SECONDS", command_request, time_limit_seconds,
              .help = "for each cell; what is proved by then is stored (default: no limit)",
              .example = "60"),
    OG_OPTION(SWITCH, "retry", NULL, command_request, retry,
              .help = "compute again what a limit ended"),
    OG_OPTION(SWITCH, "csv", NULL, command_request, csv,
              .help = "print all results of the database; without a grid nothing is computed"),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_sweep = {
    .name = "sweep",
    .summary = "a study over a grid of problems, resumable, into a database",
    .word = OG_OPTION(OUTPUT, NULL, "STUDY.db", command_request, file, .what = "study",
                      .required = "no STUDY.db is given: the database for the results",
                      .example = "instances are given by --prior and --instances",
                      .once = "sweep takes one database"),
    .about = "Compares policies on every problem of a grid, each prior with each number of "
             "instances and of labels, and keeps the results in an SQLite database.",
    .details =
        "Examples:\n"
        "\n"
        "  optgap sweep study.db --prior 1,1 --instances 2,3,5 --budget 1:12\n"
        "  optgap sweep study.db --prior 1,1 --instances 2,3,5 --budget 1:12 --retry\n"
        "  optgap sweep big.db --prior 1,1 --instances 50 --budget 90 --runs 200\n"
        "  optgap sweep study.db --csv >study.csv\n"
        "\n"
        "One problem with all its policies is a cell, and is stored when it is finished. "
        "Whatever ends a sweep, the same command goes on with what is missing; a larger grid or "
        "one more policy adds to the database. Small cells run side by side, those that need "
        "more than their share of the memory alone, at the end. A cell that reached a limit "
        "is stored as the bracket that is proved, and computed again only with --retry.\n"
        "\n"
        "The database has one table for cells, one for policies and a view 'result' with gaps: "
        "bench/study/study_db.h describes them, and --csv prints the view. 'optgap plot' draws "
        "from "
        "it.\n"
        "\n"
        "Exit status: 0 all cells are complete; 1 the database cannot be written (the disk is "
        "full: what was stored stays); 2 bad input, or a database of another version, which is "
        "left as it is; 3 a limit was reached in some cells, or Ctrl-C.",
    .options = options,
    .lists_policies = true,
    .run = run,
};
