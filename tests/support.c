#include "tests/support.h"

#include <glob.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dp/prior/worker.h"

static void give_up(const char *what, const char *which)
{
    fprintf(stderr, "tests: %s: %s\n", what, which);
    abort();
}

static uint64_t number_in(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') {
        return otherwise;
    }
    char *end;
    uint64_t value = strtoull(text, &end, 0);
    if (*end != '\0') {
        give_up("not a whole number in the environment", name);
    }
    return value;
}

/* ---- what Check does not see: tests that did not run, or that ended their process ---- */

static atomic_int *ended; /* the tests that came to their end, of all processes */
static bool inside;       /* a test of this process */

static void enter_test(void)
{
    inside = true;
}

static void leave_test(void)
{
    inside = false;
    atomic_fetch_add(ended, 1);
}

static void leave_process(int status, void *unused)
{
    (void)unused;
    if (inside && status == EXIT_SUCCESS) {
        fputs("tests: a test ended its process, with status 0\n", stderr);
        _exit(EXIT_FAILURE);
    }
}

static int share_count(void)
{
    ended = mmap(NULL, sizeof *ended, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return ended == MAP_FAILED || on_exit(leave_process, NULL) != 0;
}

/* Runs the suite, which has so many tests; 0: some. */
static int run_all(Suite *suite, int wanted)
{
    if (share_count() != 0) {
        give_up("cannot count tests", "memory");
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner), run = srunner_ntests_run(runner);
    srunner_free(runner);
    if (run == 0 || (wanted > 0 && run != wanted) || atomic_load(ended) < run - failed) {
        fprintf(stderr, "tests: %d ran, of %d that are listed; %d came to their end\n", run, wanted,
                atomic_load(ended));
        return EXIT_FAILURE;
    }
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int test_run(Suite *suite)
{
    return run_all(suite, 0);
}

void test_entry_add(test_suite *suite, test_entry *entry)
{
    test_entry **at = &suite->first;
    while (*at != NULL && (*at)->line < entry->line) {
        at = &(*at)->next;
    }
    entry->next = *at;
    *at = entry;
}

static double scale(void)
{
    const char *text = getenv("TEST_SCALE");
    if (text == NULL || *text == '\0') {
        return 1;
    }
    char *end;
    double value = strtod(text, &end);
    if (*end != '\0' || !(value >= 0.1 && value <= 1e6)) {
        give_up("not a number from 0.1 to 1000000 in the environment", "TEST_SCALE");
    }
    return value;
}

TCase *test_group(Suite *suite, const char *name, int seconds)
{
    TCase *group = tcase_create(name);
    tcase_set_timeout(group, test_seconds(seconds));
    tcase_add_checked_fixture(group, enter_test, leave_test);
    suite_add_tcase(suite, group);
    return group;
}

int test_suite_run(const test_suite *suite)
{
    if (suite->run != NULL) {
        return suite->run();
    }
    Suite *all = suite_create(suite->name);
    const char *only = getenv("CK_RUN_CASE");
    int wanted = 0;
    for (const test_entry *at = suite->first; at != NULL; at = at->next) {
        TCase *alone = test_group(all, at->test->name, suite->seconds);
        if (suite->before != NULL) {
            tcase_add_checked_fixture(alone, suite->before, suite->after);
        }
        tcase_add_loop_test(alone, at->test, at->from, at->to);
        bool chosen = only == NULL || strcmp(only, at->test->name) == 0;
        wanted += chosen ? at->to - at->from : 0;
    }
    return run_all(all, wanted);
}

int test_cases(int usual)
{
    return (int)fmin(fmax(round(usual * scale()), 1), INT_MAX);
}

int test_seconds(int usual)
{
    return (int)fmin(usual * fmax(scale(), 1), INT_MAX);
}

bool test_is_long(void)
{
    return scale() > 1;
}

bool test_is_short(void)
{
    return scale() < 1;
}

bool test_is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer);
#else
    return false;
#endif
}

bool test_is_alone(void)
{
    const char *fork = getenv("CK_FORK");
    return fork == NULL || strcmp(fork, "no") != 0;
}

uint64_t test_seed(uint64_t default_seed)
{
    return number_in("TEST_SEED", default_seed);
}

static test_path joined(const char *folder, const char *between, const char *below)
{
    test_path path;
    int length = snprintf(path.text, sizeof path.text, "%s%s%s", folder, between, below);
    if (length < 0 || (size_t)length >= sizeof path.text) {
        give_up("path too long", below);
    }
    return path;
}

static const char *source_folder(void)
{
    const char *folder = getenv("OG_SOURCE_DIR");
    return folder != NULL && *folder != '\0' ? folder : ".";
}

test_path test_source_path(const char *below)
{
    return joined(source_folder(), "/", below);
}

test_path test_shared_data_path(const char *below)
{
    const char *shared = getenv("OPTGAP_SHARED");
    test_path path = shared != NULL && *shared != '\0'
                         ? joined(shared, "/data/", below)
                         : joined(source_folder(), "/../shared/data/", below);
    if (access(path.text, R_OK) != 0) {
        path.text[0] = '\0';
    }
    return path;
}

static void list_beside(const char *path, glob_t *found)
{
    char pattern[TEST_PATH_BYTES];
    snprintf(pattern, sizeof pattern, "%s[.-]*", path);
    memset(found, 0, sizeof *found);
    int failed = glob(pattern, 0, NULL, found);
    if (failed != 0 && failed != GLOB_NOMATCH) {
        give_up("cannot be listed", pattern);
    }
}

const char *test_temporary(void)
{
    const char *where = getenv("TMPDIR");
    return where != NULL ? where : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

int test_files_beside(const char *path)
{
    glob_t found;
    list_beside(path, &found);
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

void test_remove_beside(const char *path)
{
    glob_t found;
    list_beside(path, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        unlink(found.gl_pathv[i]);
    }
    globfree(&found);
}

static void read_groups(const char *words, int32_t budget,
                        og_status (*parse)(const char *, og_group *, og_message *), og_groups *out)
{
    char copy[1024];
    if ((size_t)snprintf(copy, sizeof copy, "%s", words) >= sizeof copy) {
        give_up("too many instances", words);
    }
    og_groups_init(out, budget);
    char *rest = copy, *word;
    while ((word = strsep(&rest, " ")) != NULL) {
        og_group group;
        og_message message;
        if (parse(word, &group, &message) != OG_OK ||
            og_groups_add(out, &group, &message) != OG_OK) {
            give_up("not a problem", message.text);
        }
    }
}

void test_problem(const char *words, int32_t budget, og_groups *out)
{
    read_groups(words, budget, og_group_parse, out);
}

void test_workers(const char *words, og_groups *out)
{
    read_groups(words, 0, og_worker_parse, out);
}

og_arms *test_arms(const og_groups *problem)
{
    og_arms *arms;
    og_message message = {""};
    if (test_arms_new(problem, 1, UINT64_C(1) << 30, &arms, &message) != OG_OK) {
        give_up("arms", message.text);
    }
    return arms;
}

og_arms *test_arms_in(const char *words, int32_t budget)
{
    og_groups problem;
    test_problem(words, budget, &problem);
    og_arms *arms = test_arms(&problem);
    og_groups_clear(&problem);
    return arms;
}

/* A fraction "-3/16", or a decimal "8.25", exactly. */
static void set_number(mpq_t out, const char *text)
{
    const char *point = strchr(text, '.');
    char digits[64];
    if ((size_t)snprintf(digits, sizeof digits, "%s", text) >= sizeof digits) {
        give_up("number too long", text);
    }
    if (point != NULL) {
        memmove(digits + (point - text), digits + (point - text) + 1, strlen(point));
    }
    if (mpq_set_str(out, digits, 10) != 0 || mpz_sgn(mpq_denref(out)) == 0) {
        give_up("not a number", text);
    }
    if (point != NULL) {
        mpz_ui_pow_ui(mpq_denref(out), 10, strlen(point + 1));
    }
    mpq_canonicalize(out);
}

static double double_in(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0') {
        give_up("not a number", text);
    }
    return value;
}

static int int_in(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > OG_BUDGET_MAX) {
        give_up("not a number", text);
    }
    return (int)value;
}

enum { FIELDS_MOST = 6 };

/* Split a line of exactly `count` fields at its tabs. */
static void split(char *line, int count, char *field[FIELDS_MOST])
{
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < count; i++) {
        field[i] = strsep(&rest, "\t");
        if (field[i] == NULL || strlen(field[i]) >= sizeof((golden_row *)NULL)->problem) {
            give_up("a known value is not in the file's format", line);
        }
    }
    if (rest != NULL) {
        give_up("a known value has too many fields", line);
    }
}

/* Call `take` with the fields of every line but the first. */
static void each_line(const char *below, int count, golden_rows *out,
                      void (*take)(golden_rows *out, char *field[FIELDS_MOST]))
{
    test_path path = test_source_path(below);
    FILE *file = fopen(path.text, "r");
    if (file == NULL) {
        give_up("cannot open (is OG_SOURCE_DIR set?)", path.text);
    }
    char line[1024];
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        char *field[FIELDS_MOST];
        split(line, count, field);
        if (number > 1) {
            take(out, field);
        }
    }
    fclose(file);
}

static void *one_more(void *array, size_t count, size_t size)
{
    void *grown = realloc(array, (count + 1) * size);
    if (grown == NULL) {
        give_up("out of memory", "known values");
    }
    return grown;
}

static void take_row(golden_rows *out, char *field[FIELDS_MOST])
{
    out->row = one_more(out->row, out->count, sizeof *out->row);
    golden_row *row = &out->row[out->count++];
    strcpy(row->problem, field[0]); /* split checked the lengths */
    row->budget = int_in(field[1]);
    strcpy(row->quantity, field[2]);
    mpq_init(row->value);
    set_number(row->value, field[3]);
    row->tolerance = double_in(field[4]);
}

static void take_index_row(golden_rows *out, char *field[FIELDS_MOST])
{
    out->index_row = one_more(out->index_row, out->index_count, sizeof *out->index_row);
    golden_index_row *row = &out->index_row[out->index_count++];
    strcpy(row->policy, field[0]);
    row->a = int_in(field[1]);
    row->b = int_in(field[2]);
    row->left = int_in(field[3]);
    mpq_init(row->value);
    set_number(row->value, field[4]);
    row->tolerance = double_in(field[5]);
}

void golden_read(golden_rows *out)
{
    *out = (golden_rows){0};
    each_line("tests/data/golden.tsv", 5, out, take_row);
    each_line("tests/data/index.tsv", 6, out, take_index_row);
}

void golden_clear(golden_rows *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        mpq_clear(golden->row[i].value);
    }
    for (size_t i = 0; i < golden->index_count; i++) {
        mpq_clear(golden->index_row[i].value);
    }
    free(golden->row);
    free(golden->index_row);
}

const golden_row *golden_find(const golden_rows *golden, const char *problem, int32_t budget,
                              const char *quantity)
{
    for (size_t i = 0; i < golden->count; i++) {
        if (golden->row[i].budget == budget && strcmp(golden->row[i].problem, problem) == 0 &&
            strcmp(golden->row[i].quantity, quantity) == 0) {
            return &golden->row[i];
        }
    }
    give_up("no known value", quantity);
    return NULL;
}
