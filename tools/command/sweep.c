/*
 * The command sweep: compares policies on every problem of a grid, and stores the results in a
 * database.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/study/study_db.h"
#include "dp/base/world.h"
#include "tools/command/commands.h"
#include "tools/command/open.h"
#include "tools/option/study_options.h"
#include "tools/show/columns.h"
#include "tools/show/memory.h"
#include "tools/show/progress.h"
#include "tools/show/report.h"

/* Prints one field of a line of CSV (RFC 4180). */
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
    csv_field(text != NULL ? text : "");
}

static og_status print_csv(const char *path, og_message *message)
{
    sqlite3_stmt *at = NULL;
    og_study_db *db = NULL;
    OG_TRY(og_study_db_open(path, false, NULL, &db, message));
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
    og_status status = code == SQLITE_DONE
                           ? OG_OK
                           : og_message_set(message, OG_FAILED, "the study cannot be read: %s",
                                            sqlite3_errmsg(og_study_db_handle(db)));
    og_study_db_close(db);
    return status;
}

/* Prints all results as CSV, or their number. */
static int show_results(const command_request *request, og_document *document)
{
    og_message message = {""};
    const og_world *world = request->ask.settings.world;
    if (!request->csv || (og_world_is_shared(world) && world->rank > 0)) {
        return show(document, NULL); /* other ranks may not see the database */
    }
    og_document_free(document);
    og_status status = print_csv(request->file, &message);
    return status == OG_OK ? EXIT_RESULT : complain(status, &message);
}

/* Prints a note on standard error if a limit or a signal left cells incomplete. */
static int report_limits(const command_request *request, const og_asked *asked)
{
    (void)request;
    if (asked->box->report.optimal_status == OG_OK) {
        return EXIT_RESULT;
    }
    if (progress_interrupted()) {
        note("interrupted after %.1f s: %s", progress_seconds(), asked->warning.text);
    } else {
        note("%s", asked->warning.text);
    }
    return EXIT_LIMIT;
}

static int fill_database(command_request *request)
{
    static const question about = {
        .ask = &og_question_sweep, .no_limit = true, .show = show_results, .finish = report_limits};
    size_t count = (size_t)request->study_word_count;
    size_t again = (size_t)request->policy_count;
    const char **words = allocate(2 * count + again + 1, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        words[i] = request->study_words[i].key;
        words[count + i] = request->study_words[i].text;
    }
    for (size_t i = 0; i < again; i++) {
        words[2 * count + i] = request->policies[i].name;
    }
    og_grid *grid = &request->grid;
    grid->database = request->file;
    grid->count = request->study_word_count;
    grid->key = words;
    grid->text = words + count;
    grid->recompute = words + 2 * count;
    grid->recompute_count = request->policy_count;
    grid->cell_seconds_max = request->ask.seconds_max;
    int code = answer_question(request, &about, grid);
    free(words);
    return code;
}

static int run(command_request *request)
{
    bool only_print = request->csv && request->grid.file == NULL && request->grid.merge == NULL &&
                      request->study_word_count == 0;
    if (only_print && og_world_is_shared(request->ask.settings.world)) {
        note("several ranks do not support printing a study; omit mpirun");
        return EXIT_USAGE;
    }
    return only_print ? show_results(request, NULL) : fill_database(request);
}

static og_status read_part(void *options, const og_option_row *row, const char *text,
                           og_message *message)
{
    command_request *request = options;
    long part = 0, parts = 0;
    char end = '\0';
    if (sscanf(text, "%6ld/%6ld%c", &part, &parts, &end) != 2 || part < 1 || part > parts ||
        strspn(text, "0123456789/") != strlen(text)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--%s must be I/N with 1 <= I <= N, such as 1/8, not '%.40s'",
                              row->name, text);
    }
    request->grid.part = (int32_t)part;
    request->grid.parts = (int32_t)parts;
    return OG_OK;
}

/* Values of keys are checked later, when the study is built. */
static const og_option_row options[] = {
    OG_OPTION_TABLE(for_rows),
    STUDY_OPTION("prior", "PRIOR", .repeats = true, .topic = OG_TOPIC_PROBLEM, .basic = true,
                 .brief = "an INSTANCE without COUNT; may be repeated",
                 .help = "an INSTANCE without COUNT, such as 1,1 or 2,1@0.3. Options of a problem "
                         "type may follow: '1,1 --workers-prior=4,1', or '0.9 0.7 0.6 "
                         "--problem=labelers --explore=1.5,1'. May be repeated"),
    STUDY_OPTION("instances", "NUMBERS", .repeats = true, .topic = OG_TOPIC_PROBLEM, .basic = true,
                 .brief = "numbers of instances: 2,3,5 or 10:50:10",
                 .help = "numbers of instances: 2,3,5 or 10:50:10 (from, to, step)"),
    STUDY_OPTION("budget", "NUMBERS", .repeats = true, .topic = OG_TOPIC_PROBLEM, .basic = true,
                 .brief = "numbers of labels: 12 or 1:40",
                 .help = "numbers of labels, written like --instances: 1:40", .letter = 'T'),
    STUDY_OPTION("policies", "NAME,...", .repeats = true, .topic = OG_TOPIC_POLICIES, .basic = true,
                 .brief = "policies, or all",
                 .help = "policies to evaluate, separated by commas. all: every policy without a "
                         "required parameter and, without --runs, with an exact value (default: "
                         "uniform,kg,opt-kg,gittins-fh,gittins-inf)"),
    STUDY_OPTION("policy", "NAME", .repeats = true, .topic = OG_TOPIC_POLICIES, .basic = true,
                 .brief = "one policy; may be repeated", .help = "one policy; may be repeated"),
    STUDY_OPTION("ties", "RULE,...", .repeats = true, .topic = OG_TOPIC_POLICIES, .basic = true,
                 .brief = "tie-breaking: random, first, best or worst",
                 .help = "tie-breaking: random, first, best or worst; with --runs random or first "
                         "(default: random)",
                 .choices = TIES_CHOICES),
    STUDY_OPTION(
        "max-policy-states", "N", .was = "policy-states", .topic = OG_TOPIC_LIMITS,
        .brief = "state limit for each policy (default: 20000000)",
        .help =
            "limit of states for the exact value of one policy. 0: no limit (default: 20000000)"),
    STUDY_OPTION("runs", "N", .topic = OG_TOPIC_QUESTIONS, .basic = true,
                 .brief = "simulate N runs instead of exact values",
                 .help = "simulate each policy N times and compute bounds, instead of exact values "
                         "and optima (default: 0, exact)"),
    STUDY_OPTION("seed", "N", .topic = OG_TOPIC_QUESTIONS, .brief = "seed of the runs (default: 1)",
                 .help = "seed of the random numbers (default: 1)"),
    STUDY_OPTION(
        "truth", "TRUTH", .topic = OG_TOPIC_TRUTH, .basic = true,
        .brief = "evaluate policies under these soft labels",
        .help =
            "evaluate policies under these soft labels, while they assume PRIOR: prior, beta:A,B, "
            "or list:X,X,... with one soft label per instance, which also counts the labels of "
            "each. Without --runs also grid:FROM:TO:STEP, the same soft label for all instances, "
            "or grid:FROM:TO:STEP,X,... with one entry per instance (default: prior)"),
    STUDY_OPTION("assume", "A,B", .repeats = true, .was = "believe", .topic = OG_TOPIC_TRUTH,
                 .basic = true, .brief = "evaluate policies that assume the prior Beta(A,B)",
                 .help = "evaluate policies that assume the prior Beta(A,B), while labels follow "
                         "PRIOR. 1:4,0.5:4:0.5 is a grid of such priors. May be repeated"),
    STUDY_OPTION("max-index-time", "SECONDS", .was = "index-time", .topic = OG_TOPIC_LIMITS,
                 .brief = "time limit for computing an index (default: 60)",
                 .help = "time limit for computing an index, in seconds; a policy that needs more "
                         "is omitted (default: 60)"),
    OG_OPTION(PATH, "study", "FILE", command_request, grid.file, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "read these options from lines 'prior = 1,1'",
              .help = "read the options above from lines such as 'prior = 1,1'. The command line "
                      "takes precedence"),
    OG_OPTION_TABLE(thread_rows),
    OG_OPTION(SECONDS, "time-limit", "SECONDS", command_request, ask.seconds_max,
              .topic = OG_TOPIC_LIMITS, .basic = true,
              .brief = "time limit for each cell (default: none)",
              .help = "time limit for each cell, in seconds; the results proved so far are stored "
                      "(default: no limit)",
              .example = "60"),
    OG_OPTION(CUSTOM, "part", "I/N", command_request, grid.part, .read = read_part,
              .example = "1/8", .topic = OG_TOPIC_FILES, .basic = true,
              .brief = "compute only part I of N, such as 1/8",
              .help = "compute only part I of N parts that take about the same time: for several "
                      "machines, each with its own database"),
    OG_OPTION(PATH, "merge", "FILE", command_request, grid.merge, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "add the results of the study FILE",
              .help = "add the results of the study FILE to STUDY.db, and compute nothing"),
    OG_OPTION(SWITCH, "retry", NULL, command_request, grid.retry, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "compute cells again that reached a limit",
              .help = "compute cells again that reached a limit"),
    OG_OPTION(POLICY, "recompute", "NAME", command_request, policies, .topic = OG_TOPIC_FILES,
              .basic = true, .brief = "compute the results of a changed policy again",
              .help = "compute the values of this policy again, because its program has changed. "
                      "May be repeated",
              .count = offsetof(command_request, policy_count), .repeats = true),
    OG_OPTION(SWITCH, "csv", NULL, command_request, csv, .topic = OG_TOPIC_OUTPUT, .basic = true,
              .brief = "print all results as comma-separated values",
              .help = "print all results of the database; without a grid nothing is computed"),
    OG_OPTION_TABLE(quiet_rows),
    OG_OPTION_LAST,
};

const command command_sweep = {
    .name = "sweep",
    .summary = "compare policies on a grid of problems, into a database",
    .word = OG_OPTION(OUTPUT, NULL, "STUDY.db", command_request, file, .what = "study",
                      .required = "no STUDY.db is given: the database for the results",
                      .example = "instances are given by --prior and --instances"),
    .usage = "[OPTION...] STUDY.db\n"
             "       optgap sweep FILE.jsonl --for NAME=VALUES... COMMAND [OPTION...]",
    .brief = "Compare policies on every problem of a grid: each prior with each number of\n"
             "instances and of labels. The results go to an SQLite database.",
    .example = "  optgap sweep few.jsonl --quiet --for K=2,3 --for T=1:6 compare -T %T %Kx1,1\n"
               "  optgap sweep study.db --prior 1,1 --instances 2,3,5 --budget 1:12\n"
               "  optgap sweep study.db --csv >study.csv",
    .notes = "With --for it asks COMMAND (compare, solve, bound, query, simulate, index, tree)\n"
             "with every combination of values, and appends each answer to FILE.jsonl.\n"
             "PRIOR is an INSTANCE without COUNT (optgap help instances); options can follow:\n"
             "'1,1 --workers-prior=4,1'. After an interruption the same command continues.",
    .about = "Compares policies on every problem of a grid (each prior with each number of "
             "instances and of labels), and stores the results in an SQLite database.",
    .details =
        "With --for, any question of one problem is asked for every combination of values. A name "
        "stands for its value as %NAME or %{NAME}, and %% is a percent sign. Each answer is a line "
        "of the file: what was asked, and the JSON document. What has a line is not asked again, "
        "however its options are written, so that after an interruption the same command "
        "continues; delete a line to ask it anew. --threads, --memory, --time-limit (of each cell) "
        "and --quiet can be changed in between. If a limit ended a cell, its line says so as "
        "\"stopped\", and --retry asks it again.\n"
        "\n"
        "  optgap sweep hf.jsonl --quiet --for K=10,20 --for T=1.2K simulate -T %T --runs 9 %Kx1,1\n"
        "\n"
        "Without --for it fills a database. Examples:\n"
        "\n"
        "  optgap sweep study.db --prior 1,1 --instances 2,3,5 --budget 1:12\n"
        "  optgap sweep study.db --prior 1,1 --instances 2,3,5 --budget 1:12 --retry\n"
        "  optgap sweep big.db --prior 1,1 --instances 30 --budget 60 --runs 200\n"
        "  optgap sweep wrong.db --prior 1,1 --instances 3 -T 6 --assume 1:4,1:4\n"
        "  optgap sweep power.db --prior 1,1 --instances 3 -T 6 --truth grid:0:1:0.1\n"
        "  optgap sweep study.db --csv >study.csv\n"
        "  optgap sweep part-3.db --prior 1,1 --instances 2,3 --budget 1:12 --part 3/8\n"
        "  for part in part-*.db; do optgap sweep study.db --merge $part; done\n"
        "\n"
        "A cell is one problem with all its policies; it is stored when it is finished. After an "
        "interruption the same command continues with the missing cells. A larger grid or another "
        "policy adds to the database. A cell that reached a limit is stored as a proved bracket; "
        "--retry computes it again.\n"
        "\n"
        "With --assume, and with --truth without --runs, each assumed prior or truth is a separate "
        "cell, named in the column truth. The column correct is the expected number of correct "
        "calls under the true distribution; 'optimal' is the policy that is optimal under the "
        "assumed prior.\n"
        "\n"
        "The parts of a grid (--part) can run on several machines and are then merged. With MPI, "
        "mpirun -n N distributes the cells to N - 1 processes. --merge reports an error if two "
        "values of a cell differ by more than both proved errors.\n"
        "\n"
        "Your own policy is identified by the contents of its files: FILE, FILE.so, and those "
        "words of CMD that are files. If one has changed, the same command computes its values "
        "again. If a program reads further files, use --recompute NAME.\n"
        "\n"
        "The database has a table of cells, a table of policies and a view 'result' with gaps, "
        "described in bench/study/study_db.h; --csv prints the view. 'optgap plot' draws from it.\n"
        "\n"
        "Exit status: 0 all cells are complete; 1 the database cannot be written (results stored "
        "earlier remain); 2 bad input, or a database of another version, which is not changed; 3 a "
        "limit was reached in some cells, or Ctrl-C.",
    .options = options,
    .ranks = true,
    .run = run,
};
