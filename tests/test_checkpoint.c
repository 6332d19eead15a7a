/*
 * Checkpoints: a file is read back as written, other files are refused, an existing file is never
 * damaged, and a stopped or killed computation resumes to the same bits.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "dp/engine/checkpoint.h"
#include "dp/product/solve.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

enum { WORDS_MAX = 5, PATH_BYTES = 256, FILE_BYTES_MAX = 1 << 20 };

static const uint64_t plenty = UINT64_C(1) << 30; /* bytes */
static const og_fingerprint ours = {{UINT64_C(0x0123456789abcdef), 42}};

/* A folder of the test's own. */
static char folder[PATH_BYTES];
static char path[PATH_BYTES + 16];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/optgap-test-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/checkpoint", folder);
}

static void remove_folder(void)
{
    chmod(folder, 0700);
    test_remove_beside(path);
    if (unlink(path) != 0) {
        rmdir(path);
    }
    ck_assert_msg(rmdir(folder) == 0, "%s: %s", folder, strerror(errno));
}

OG_SUITE_WITH(checkpoint, 120, make_folder, remove_folder);

/* ---- entries ---- */

static int32_t entry_key(uint32_t entry, uint64_t *key)
{
    int32_t words = 1 + (int32_t)(entry % WORDS_MAX);
    memset(key, 0, (size_t)words * sizeof *key);
    key[0] = 1;
    key[words - 1] = entry + UINT64_C(1);
    return words;
}

static double entry_value(uint32_t entry)
{
    return entry / 7.0; /* 0 too */
}

static og_memo *memo_of(uint64_t limit)
{
    og_memo *memo;
    ck_assert_int_eq(og_memo_new(limit, WORDS_MAX, &memo), OG_OK);
    return memo;
}

static og_memo *memo_filled(uint32_t count)
{
    og_memo *memo = memo_of(plenty);
    og_memo_user user;
    og_memo_join(memo, &user);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key[WORDS_MAX];
        int32_t words = entry_key(i, key);
        og_memo_put(&user, key, words, og_memo_hash(key, words), entry_value(i), i % 256);
    }
    og_memo_leave(&user);
    return memo;
}

static void write_filled(uint32_t count)
{
    og_memo *memo = memo_filled(count);
    og_message message = {""};
    og_status status = og_checkpoint_write(path, &ours, memo, NULL, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    og_memo_free(memo);
}

static og_status read_into(og_memo *memo, og_message *message)
{
    return og_checkpoint_read(path, &ours, memo, WORDS_MAX, message);
}

/* The status of reading the file into an empty memo. */
static og_status read_status(og_message *message)
{
    og_memo *memo = memo_of(plenty);
    message->text[0] = '\0';
    og_status status = read_into(memo, message);
    og_memo_free(memo);
    ck_assert((status == OG_OK) == (message->text[0] == '\0'));
    return status;
}

typedef struct {
    uint64_t count;
    uint64_t sum; /* of the entries' numbers */
} tally;

static void count_entry(void *context, const uint64_t *key, int32_t words, double value,
                        uint32_t cost)
{
    tally *t = context;
    uint32_t entry = (uint32_t)key[words - 1] - 1;
    uint64_t own[WORDS_MAX];
    ck_assert_int_eq(entry_key(entry, own), words);
    ck_assert_mem_eq(own, key, (size_t)words * sizeof *key);
    ck_assert(value == entry_value(entry));
    ck_assert_uint_eq(cost, entry % 256);
    t->count++;
    t->sum += entry;
}

/* ---- bytes of a file ---- */

typedef struct {
    size_t size;
    unsigned char bytes[FILE_BYTES_MAX];
} content;

static void take_content(content *out)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    out->size = fread(out->bytes, 1, sizeof out->bytes, file);
    fclose(file);
    ck_assert_uint_lt(out->size, sizeof out->bytes);
}

static void give_bytes(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static bool is_file(const char *name)
{
    struct stat what;
    return stat(name, &what) == 0;
}

/* ---- file ---- */

OG_TEST_LOOP(what_is_read_is_what_was_written, 0, 4)
{
    static const uint32_t counts[] = {0, 1, 20, 5000};
    uint32_t count = counts[_i];
    write_filled(count);
    ck_assert_int_eq(test_files_beside(path), 0);
    og_memo *memo = memo_of(plenty);
    og_message message = {""};
    ck_assert_msg(read_into(memo, &message) == OG_OK, "%s", message.text);
    tally t = {0, 0};
    og_memo_each(memo, NULL, count_entry, &t);
    ck_assert_uint_eq(t.count, count);
    ck_assert_uint_eq(t.sum, (uint64_t)count * (count - UINT64_C(1)) / 2);
    og_memo_free(memo);
}

OG_TEST(a_small_memo_takes_what_it_can_of_a_large_file)
{
    write_filled(20000);
    const uint64_t limit = 200000;
    og_memo *memo = memo_of(limit);
    og_message message = {""};
    ck_assert_msg(read_into(memo, &message) == OG_OK, "%s", message.text);
    og_memo_info info;
    og_memo_get_info(memo, &info);
    ck_assert_uint_le(info.bytes_max, limit);
    ck_assert_uint_gt(info.entries, 1000);
    ck_assert_uint_lt(info.entries, 20000);
    og_memo_free(memo);
}

OG_TEST(a_missing_file_counts_as_empty)
{
    og_memo *memo = memo_of(plenty);
    og_message message = {""};
    ck_assert_int_eq(read_into(memo, &message), OG_OK);
    og_memo_info info;
    og_memo_get_info(memo, &info);
    ck_assert_uint_eq(info.entries, 0);
    og_memo_free(memo);
}

OG_TEST(writing_replaces_the_file_that_is_there)
{
    write_filled(100);
    write_filled(3);
    og_memo *memo = memo_of(plenty);
    og_message message = {""};
    ck_assert_int_eq(read_into(memo, &message), OG_OK);
    og_memo_info info;
    og_memo_get_info(memo, &info);
    ck_assert_uint_eq(info.entries, 3);
    og_memo_free(memo);
}

/* ---- damage ---- */

enum { SMALL_COUNT = 12 };

OG_TEST(a_file_cut_anywhere_is_refused)
{
    static content whole;
    og_message message;
    write_filled(SMALL_COUNT);
    take_content(&whole);
    for (size_t size = 0; size < whole.size; size++) {
        give_bytes(whole.bytes, size);
        og_status status = read_status(&message);
        ck_assert_msg(status == OG_BAD_INPUT, "%zu bytes of %zu", size, whole.size);
    }
    give_bytes(whole.bytes, whole.size);
    ck_assert_int_eq(read_status(&message), OG_OK);
}

OG_TEST(a_file_with_any_bit_flipped_is_refused)
{
    static content whole;
    og_message message;
    write_filled(SMALL_COUNT);
    take_content(&whole);
    for (size_t bit = 0; bit < whole.size * 8; bit++) {
        whole.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        give_bytes(whole.bytes, whole.size);
        og_status status = read_status(&message);
        ck_assert_msg(status == OG_BAD_INPUT, "bit %zu of byte %zu of %zu", bit % 8, bit / 8,
                      whole.size);
        whole.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

OG_TEST(a_file_with_any_byte_changed_is_refused)
{
    static content whole;
    og_message message;
    random_source random = random_start(test_seed(20261123));
    write_filled(SMALL_COUNT);
    take_content(&whole);
    for (size_t i = 0; i < whole.size; i++) {
        unsigned char change = (unsigned char)(1 + random_below(&random, 255));
        whole.bytes[i] ^= change;
        give_bytes(whole.bytes, whole.size);
        ck_assert_msg(read_status(&message) != OG_OK, "byte %zu, change %d", i, change);
        whole.bytes[i] ^= change;
    }
}

OG_TEST(junk_at_the_end_is_refused)
{
    static content whole;
    og_message message;
    write_filled(SMALL_COUNT);
    take_content(&whole);
    whole.bytes[whole.size] = 0;
    give_bytes(whole.bytes, whole.size + 1);
    ck_assert_int_eq(read_status(&message), OG_BAD_INPUT);
    memcpy(whole.bytes + whole.size, whole.bytes, whole.size);
    give_bytes(whole.bytes, 2 * whole.size);
    ck_assert_int_eq(read_status(&message), OG_BAD_INPUT);
}

OG_TEST(a_file_of_something_else_is_refused)
{
    og_message message;
    give_bytes("task\tworker\tlabel\n1\t1\t1\n2\t2\t0\n1\t1\t1\n2\t2\t0\n", 41);
    ck_assert_int_eq(read_status(&message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "not a checkpoint"));
    give_bytes("", 0);
    ck_assert_int_eq(read_status(&message), OG_BAD_INPUT);
}

/* ---- form: files with the right checksum, made by hand ---- */

/* Writes the header, then `words` and the checksum. Magic and version come from a written file, so
 * that they are not repeated here. */
static void give_form(uint64_t version_change, uint64_t fingerprint_change, const uint64_t *words,
                      size_t count)
{
    static content whole;
    uint64_t out[64];
    write_filled(0);
    take_content(&whole);
    memcpy(out, whole.bytes, 4 * sizeof *out);
    out[1] += version_change;
    out[3] ^= fingerprint_change;
    memcpy(out + 4, words, count * sizeof *out);
    out[4 + count] = XXH3_64bits(out, (4 + count) * sizeof *out);
    give_bytes(out, (5 + count) * sizeof *out);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

OG_TEST(only_entries_that_can_be_are_read)
{
    const struct {
        og_status status;
        size_t count;
        uint64_t words[10];
    } forms[] = {
        {OG_OK, 2, {0, 0}},
        {OG_OK, 5, {1, 7, bits_of(1.5), 0, 1}},
        {OG_OK, 6, {2 | UINT64_C(255) << 16, 7, 1, bits_of(0), 0, 1}},
        {OG_BAD_INPUT, 2, {0, 1}},                                /* fewer than told */
        {OG_BAD_INPUT, 5, {1, 7, bits_of(1.5), 0, 0}},            /* more than told */
        {OG_BAD_INPUT, 2, {UINT64_C(1) << 16, 0}},                /* an end with a cost */
        {OG_BAD_INPUT, 5, {1 | UINT64_C(256) << 16, 7, 0, 0, 1}}, /* too dear */
        {OG_BAD_INPUT, 5, {1, 0, bits_of(1.5), 0, 1}},            /* no first word */
        {OG_BAD_INPUT, 6, {2, 7, 0, bits_of(1.5), 0, 1}},         /* no last word */
        {OG_BAD_INPUT, 5, {1, 7, bits_of((double)NAN), 0, 1}},
        {OG_BAD_INPUT, 5, {1, 7, bits_of((double)INFINITY), 0, 1}},
        {OG_BAD_INPUT, 5, {1, 7, bits_of(-1), 0, 1}},
        {OG_BAD_INPUT, 10, {WORDS_MAX + 1, 1, 1, 1, 1, 1, 1, 0, 0, 1}}, /* too long */
        {OG_BAD_INPUT, 5, {0xffff, 7, bits_of(1.5), 0, 1}},
    };
    og_message message;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        give_form(0, 0, forms[i].words, forms[i].count);
        ck_assert_msg(read_status(&message) == forms[i].status, "form %zu: %s", i, message.text);
    }
}

OG_TEST(another_version_and_another_problem_are_told_apart)
{
    const uint64_t empty[] = {0, 0};
    og_message message;
    give_form(1, 0, empty, 2);
    ck_assert_int_eq(read_status(&message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "another version"));
    give_form(0, 1, empty, 2);
    ck_assert_int_eq(read_status(&message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "another problem"));
}

/* ---- places ---- */

/* Gives up the administrator's right to write everywhere by changing to another user. */
static void become_ordinary(void)
{
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(folder, 65534, 65534), 0);
        ck_assert_int_eq(setegid(65534), 0);
        ck_assert_int_eq(seteuid(65534), 0);
    }
}

static void become_oneself(void)
{
    if (getuid() == 0) {
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_int_eq(setegid(0), 0);
    }
}

static void assert_write_fails(uint32_t count)
{
    og_message message = {""};
    og_memo *memo = memo_filled(count);
    ck_assert_int_eq(og_checkpoint_write(path, &ours, memo, NULL, &message), OG_FAILED);
    ck_assert_msg(strstr(message.text, path) != NULL, "%s", message.text);
    ck_assert_int_eq(test_files_beside(path), 0);
    og_memo_free(memo);
}

OG_TEST(an_unwritable_folder_leaves_the_file_as_it_was)
{
    static content before;
    static content after;
    become_ordinary();
    write_filled(SMALL_COUNT);
    take_content(&before);
    ck_assert_int_eq(chmod(folder, 0500), 0);
    assert_write_fails(100);
    take_content(&after);
    become_oneself();
    ck_assert_uint_eq(after.size, before.size);
    ck_assert_mem_eq(after.bytes, before.bytes, before.size);
}

OG_TEST(a_full_disk_leaves_the_file_as_it_was)
{
    static content before;
    static content after;
    write_filled(SMALL_COUNT);
    take_content(&before);
    struct rlimit usual;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &usual), 0);
    struct rlimit small = {10000, usual.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_write_fails(5000);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &usual), 0);
    take_content(&after);
    ck_assert_uint_eq(after.size, before.size);
    ck_assert_mem_eq(after.bytes, before.bytes, before.size);
}

OG_TEST(a_folder_is_no_checkpoint)
{
    og_message message;
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(read_status(&message), OG_BAD_INPUT);
    assert_write_fails(3);
    ck_assert(is_file(path));
}

OG_TEST(an_unreadable_file_is_said_to_be_so)
{
    og_message message;
    become_ordinary();
    write_filled(3);
    ck_assert_int_eq(chmod(path, 0), 0);
    og_status status = read_status(&message);
    become_oneself();
    ck_assert_int_eq(status, OG_FAILED);
    ck_assert_ptr_nonnull(strstr(message.text, "could not be read"));
}

/* Linux: nothing is mapped where /proc/self/mem begins, so that it opens and its reads fail. */
OG_TEST(a_read_that_fails_is_no_damage)
{
    og_message message = {""};
    og_memo *memo = memo_of(plenty);
    ck_assert_int_eq(og_checkpoint_read("/proc/self/mem", &ours, memo, WORDS_MAX, &message),
                     OG_FAILED);
    ck_assert_ptr_nonnull(strstr(message.text, "could not be read: Input/output error"));
    og_memo_free(memo);
}

OG_TEST(a_folder_that_is_not_there_is_said_to_be_so)
{
    char missing[sizeof path];
    snprintf(missing, sizeof missing, "%s/no/file", folder);
    og_message message = {""};
    og_memo *memo = memo_filled(3);
    ck_assert_int_eq(og_checkpoint_write(missing, &ours, memo, NULL, &message), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(message.text, missing));
    og_memo_free(memo);
}

/* ---- the solver ---- */

static og_settings settings_of(int threads, const char *checkpoint)
{
    og_settings settings = question_settings(OG_REDUCE_ALL, threads);
    settings.checkpoint = checkpoint;
    settings.reductions &= ~(unsigned)OG_REDUCE_TWO; /* it would leave too few states */
    return settings;
}

static og_status solve(const og_arms *arms, const og_settings *settings, og_result *result,
                       og_message *message)
{
    og_solver *solver = NULL;
    og_message own = {""};
    og_status status = og_solver_new(arms, settings, &solver, message != NULL ? message : &own);
    if (status == OG_OK) {
        status = og_solver_value(solver, result, message);
    }
    og_solver_free(solver);
    return status;
}

static double value_of(const og_arms *arms)
{
    og_settings settings = settings_of(1, NULL);
    og_result result;
    ck_assert_int_eq(solve(arms, &settings, &result, NULL), OG_OK);
    return result.value;
}

/* But not while tables are built, which takes a slow machine long enough to ask. */
static bool stop_at_once(void *user, const og_progress *progress)
{
    (void)user;
    return progress->states == 0;
}

OG_TEST_LOOP(a_run_stopped_by_its_watch_is_continued, 0, 2)
{
    OWN(og_arms) *arms = test_arms_in("10x1,1", test_is_short() ? 36 : 38);
    og_settings settings = settings_of(1 + _i, path);
    og_result stopped;
    og_result whole;
    og_message message = {""};
    settings.watch = stop_at_once;
    og_stop stop;
    og_stop_take(&stop, &settings);
    ck_assert_int_eq(solve(arms, &settings, &stopped, &message), OG_STOPPED);
    ck_assert(is_file(path));
    settings.watch = NULL;
    ck_assert_int_eq(solve(arms, &settings, &whole, &message), OG_OK);
    settings.checkpoint = NULL;
    og_result anew;
    ck_assert_int_eq(solve(arms, &settings, &anew, NULL), OG_OK);
    ck_assert(whole.value == anew.value);
    ck_assert_uint_gt(stopped.expanded, 100); /* how many there are depends on the machine */
    ck_assert_msg(whole.expanded + stopped.states / 2 < anew.expanded, "%llu after %llu, %llu anew",
                  (unsigned long long)whole.expanded, (unsigned long long)stopped.states,
                  (unsigned long long)anew.expanded);
}

/* In many small steps, with other numbers of threads and little memory now and then. */
OG_TEST(a_run_in_many_steps_has_the_same_bits)
{
    OWN(og_arms) *arms = test_arms_in("10x1,1", 34);
    og_result result;
    og_status status = OG_STOPPED;
    int steps = 0;
    while (status == OG_STOPPED && steps < 100) {
        og_settings settings = settings_of(1 + steps % 3, path);
        settings.states_max = 15000;
        settings.memory_bytes = steps % 4 == 3 ? 3000000 : plenty;
        og_message message = {""};
        status = solve(arms, &settings, &result, &message);
        ck_assert_msg(status == OG_OK || status == OG_STOPPED, "step %d: %s", steps, message.text);
        steps++;
    }
    ck_assert_int_eq(status, OG_OK);
    ck_assert_int_gt(steps, 1); /* how many there are depends on the machine */
    ck_assert(result.value == value_of(arms));
}

OG_TEST(the_checkpoint_of_another_problem_is_refused)
{
    static const struct {
        const char *words;
        int32_t budget;
    } others[] = {{"10x1,1", 33}, {"11x1,1", 32},    {"10x1,1@0.4", 32},
                  {"10x2,1", 32}, {"9x1,1 2,2", 32}, {"10x1,1", 31}};
    OWN(og_arms) *arms = test_arms_in("10x1,1", 32);
    og_settings settings = settings_of(1, path);
    settings.states_max = 1;
    og_result result;
    og_message message = {""};
    ck_assert_int_eq(solve(arms, &settings, &result, &message), OG_STOPPED);
    static content before;
    static content after;
    take_content(&before);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        OWN(og_arms) *other = test_arms_in(others[i].words, others[i].budget);
        message.text[0] = '\0';
        ck_assert_int_eq(solve(other, &settings, &result, &message), OG_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(message.text, "another problem"));
    }
    settings.reductions = OG_REDUCE_SORT | OG_REDUCE_MERGE;
    ck_assert_int_eq(solve(arms, &settings, &result, &message), OG_BAD_INPUT);
    take_content(&after);
    ck_assert_uint_eq(after.size, before.size);
    ck_assert_mem_eq(after.bytes, before.bytes, before.size);
}

OG_TEST(a_checkpoint_that_cannot_be_written_does_not_spoil_the_value)
{
    char missing[sizeof path];
    snprintf(missing, sizeof missing, "%s/no/file", folder);
    OWN(og_arms) *arms = test_arms_in("10x1,1", 32);
    og_settings settings = settings_of(2, missing);
    settings.checkpoint_seconds = 1e-9;
    og_result result;
    og_message message = {""};
    ck_assert_int_eq(solve(arms, &settings, &result, &message), OG_OK);
    ck_assert_ptr_nonnull(strstr(message.text, missing));
    ck_assert(result.value == value_of(arms));
}

/* ---- killed ---- */

/* Solve and exit with 0 if the value has these bits. */
static pid_t begin_child(const og_arms *arms, double expected)
{
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        /* Threads that libgomp keeps from tests before do not come along into the child. */
        og_settings settings = settings_of(test_is_alone() ? 2 : 1, path);
        settings.checkpoint_seconds = 1e-9;
        og_result result;
        og_status status = solve(arms, &settings, &result, NULL);
        _exit(status == OG_OK && result.value == expected ? 0 : 1);
    }
    return child;
}

static void sleep_milliseconds(uint32_t milliseconds)
{
    struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}

OG_TEST(a_run_killed_at_any_moment_is_continued)
{
    const int kills = test_cases(10);
    random_source random = random_start(test_seed(20261124));
    OWN(og_arms) *arms = test_arms_in("10x1,1", 36);
    double expected = value_of(arms);
    int killed = 0;
    int saved = 0;
    for (int i = 0; i < kills; i++) {
        pid_t child = begin_child(arms, expected);
        int status;
        bool ended = false;
        /* Every other one has saved something, however slow the machine is. */
        while (i % 2 == 1 && !ended && !is_file(path)) {
            sleep_milliseconds(1);
            ended = waitpid(child, &status, WNOHANG) == child;
        }
        if (!ended) {
            sleep_milliseconds(5 + random_below(&random, i % 2 == 1 ? 50 : 300));
            kill(child, SIGKILL);
            ck_assert_int_eq(waitpid(child, &status, 0), child);
        }
        ck_assert_msg(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "another value");
        killed += WIFSIGNALED(status);
        saved += is_file(path);
        og_settings settings = settings_of(1, path);
        og_solver *solver = NULL;
        og_message message = {""};
        ck_assert_msg(og_solver_new(arms, &settings, &solver, &message) == OG_OK, "%s",
                      message.text);
        og_solver_free(solver);
        if (WIFEXITED(status)) {
            unlink(path); /* done: from the start */
        }
    }
    ck_assert(test_is_short() || (killed > 0 && saved > 0));
    pid_t child = begin_child(arms, expected);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
