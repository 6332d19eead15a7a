/*
 * Like tests/test_faults.c, for the program: a child process calls its main, and the n-th call
 * fails. It ends with an error status, one line on standard error and nothing on standard output,
 * or with the whole output.
 */
#include <jansson.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault_walk.h"
#include "tests/faults.h"
#include "tests/support.h"

int optgap_main(int argc, char **argv); /* main of tools/main.c */

static struct {
    test_path label_file;
    char worth[sizeof(test_path) + 8];
    char folder[64];
    char checkpoint[96];
} setting;

static void start_world(void)
{
    setting.label_file = test_source_path("tests/data/sample-labels.tsv");
    snprintf(setting.worth, sizeof setting.worth, "table:%s",
             test_source_path("tools/examples/worth.tsv").text);
    snprintf(setting.folder, sizeof setting.folder, "%.40s/faults-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(setting.folder));
    snprintf(setting.checkpoint, sizeof setting.checkpoint, "%s/checkpoint", setting.folder);
}

static void end_world(void)
{
    unlink(setting.checkpoint);
    rmdir(setting.folder);
}

typedef struct {
    const char
        *words;   /* of the command line; %L: a file of labels, %V: a payoff, %C: to be written */
    bool bracket; /* prints its proved bracket also when it stops */
} command_line;

/* A policy that memory is too little to value is played instead: two runs say so as well as the
 * thousands that are usual. */
static const command_line lines[] = {
    {"solve -T 4 --threads 1 2x1,1 2,1@0.3", false},
    {"solve -T 4 --threads 1 --json 2x1,1 2,1@0.3", false},
    {"solve -T 4 --threads 1 --csv 2x1,1 2,1@0.3", false},
    {"bound -T 4 --threads 1 --latex 2x1,1 2,1", false},
    {"solve -T 5 --threads 1 --checkpoint %C 2x1,1 2,1@0.3", false},
    {"solve -T 20 --dry-run 5x1,1", false},
    {"compare --runs 2 -T 3 --threads 1 --policies uniform,kg --ties random,worst 2x1,1 2,1", true},
    {"compare --runs 2 -T 3 --threads 1 --policies opt-kg --json 2x1,1 2,1", true},
    {"query -T 4 --threads 1 --policies kg 2x1,1 2,1@0.3", false},
    {"query -T 4 --threads 1 --policies kg --json 2x1,1 2,1@0.3", false},
    /* longer than the buffer of a stream: output that is printed in parts is incomplete if one part
       fails */
    {"query -T 1 --threads 1 --policies kg --json 1,2 2,2 3,2 4,2 5,2 6,2 7,2 8,2 9,2 1,3 2,3 3,3 "
     "4,3 "
     "5,3 6,3 7,3 8,3 9,3 1,4 2,4",
     false},
    {"compare --runs 2 -T 4 --threads 1 --policies uniform,kg --ties random,worst,first "
     "--explain 1,2 2,1 1,1",
     true},
    {"compare --runs 2 -T 2 --threads 1 --policies kg --ties random,first --truth list:.2,.7,1 "
     "2x1,1 2,1",
     true},
    {"compare --runs 2 -T 1 --threads 1 --policies kg --truth beta:2,1 --json 1,1", true},
    {"compare --runs 2 -T 1 --threads 1 --policies kg --believe 2,1 1,1 1,2", true},
    {"bound -T 4 --threads 1 2x1,1 2,1", false},
    {"bound -T 4 --threads 1 --json 2x1,1 2,1", false},
    {"tree -T 1 --threads 1 --arithmetic exact 1,1", false},
    {"tree -T 1 --threads 1 --workers-prior 2,1 1,1", false},
    {"compare --runs 2 -T 2 --threads 1 --policies opt-kg-exact --ties worst --explain "
     "--workers-prior 2,1 1,1 2,1",
     true},
    {"find uniform --threads 1 --instances 2 -T 1 --parameter 2 --checkpoint %C", true},
    {"find kg --threads 1 --instances 1 -T 1 --parameter 1 --against uniform --json", true},
    {"compare --runs 2 -T 2 --threads 1 --policies kg --payoff %V 1,1 1,1=brier", true},
    {"index -T 4 --policy opt-kg 1,1", false},
    {"fit --quiet %L", false},
    {"fit %L", false},
    {"fit --method ml --json %L", false},
    {"next --labels %L -T 6 --batch 3 --threads 1", false},
    {"next --labels %L -T 6 --batch 3 --threads 1 --json", false},
    {"next --labels %L -T 6 --policy gittins-fh --prior 1,1 --threads 1 -o %C", false},
    {"next --labels %L --final --threads 1 --quiet", false},
    {"next --labels %L -T 6 --batch 5 --per-batch 2 --max-per-task 9 --workers-free %L --prior 1,1 "
     "--threads 1 --csv",
     false},
    {"next --labels %L --closed %L -T 6 --prior 1,1 --threads 1", false},
    {"next --labels %L --final --workers-prior 4,1 --prior 1,1 --threads 1", false},
    {"--help", false},
    {"solve --help", false},
};

enum { LINE_COUNT = sizeof lines / sizeof *lines, TEXT_BYTES = 1 << 16, WORDS_MAX = 32 };

typedef struct {
    int status; /* status of the process from waitpid */
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
        } else if (strcmp(next, "%V") == 0) {
            next = setting.worth;
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
    stdout = fdopen(STDOUT_FILENO, "w"); /* nothing was written to it, as a program finds it */
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
    unlink(setting.checkpoint);
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
    ck_assert_msg(test_files_beside(setting.checkpoint) == 0, "%s: half a file is left", where);
    bool last = strcmp(report->call, "fclose") == 0 || strcmp(report->call, "fflush") == 0;
    /* If all calls fail, standard output fails as well; it is closed after the messages about a
     * result. */
    int told_most = on || last ? 2 : 1;
    ck_assert_msg(told <= told_most && (told == 0 || strncmp(got->err, "optgap: ", 8) == 0),
                  "%s: said \"%s\"", where, got->err);
    if (got->returned) {
        ck_assert_msg(report->blocks == 0, "%s: %" PRId64 " blocks leaked, one from 0x%" PRIx64,
                      where, report->blocks, report->block_by);
        ck_assert_msg(report->files == 0, "%s: %" PRId64 " files left open", where, report->files);
    }
    bool less =
        strstr(got->out, "not valued") != NULL || strstr(got->out, "Not explained: ") != NULL ||
        strstr(got->out, "Not followed: ") != NULL || strstr(got->out, "\"truth\": null") != NULL ||
        strstr(got->out, "simulated runs") != NULL ||
        strstr(got->out, "\"simulated\": true") != NULL;
    if (code == 0 && line->bracket && less) {
        return; /* a policy that did not fit, with a message */
    }
    if (code == 0) {
        ck_assert_msg(count_lines(got->out) == count_lines(expected->out),
                      "%s: exit 0 and another output: %.1000s", where, got->out);
        return;
    }
    bool unwritten = on && strstr(got->err, "the result could not be written") != NULL;
    bool printing = (last || unwritten) && got->out[0] != '\0';
    bool unopened = code == 2 && strcmp(report->call, "fopen") == 0; /* a file that is not there */
    ck_assert_msg(code == 1 || code == 3 || unopened, "%s: exit status %d: %s", where, code,
                  got->err);
    ck_assert_msg(told >= 1, "%s: exit status %d without a word", where, code);
    ck_assert_msg(got->out[0] == '\0' || printing || (code == 3 && line->bracket),
                  "%s: exit status %d and printed %.1000s", where, code, got->out);
}

/* The library's walks fail each call. Here each is a process, which takes milliseconds: all of them
 * in the long check alone, and else, with a quarter of the random cases, the first and last twenty
 * and twenty between. */
static int64_t next_call(int64_t n, int64_t calls, bool on)
{
    const int64_t each = test_cases(80);
    bool between = n > each && n < calls - each;
    int64_t stride = fault_stride(n, calls, on), some = (calls - 2 * each) / each + 1;
    return n + (between && !test_is_long() && stride < some ? some : stride);
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
    for (int64_t n = 1; n <= calls; n = next_call(n, calls, on)) {
        run_program(line, n, on, got);
        check_program(line, n, on, expected, got);
        failed += WEXITSTATUS(got->status) != 0;
    }
    ck_assert_msg(failed > 0, "%s: no call matters", line->words);
    munmap(expected, 2 * sizeof *expected);
}

OG_SUITE_WITH(faults_program, 300, start_world, end_world);

OG_TEST_LOOP(the_program_survives_each_call, 0, LINE_COUNT)
{
    walk_program(&lines[_i], false);
}

OG_TEST_LOOP(the_program_survives_all_calls_from_one_on, 0, LINE_COUNT)
{
    walk_program(&lines[_i], true);
}
