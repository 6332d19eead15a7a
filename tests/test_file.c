/*
 * Files in practical situations: a written file is complete or missing, never replaces another file
 * by mistake, and is at the target of its name; only regular files are read; one process at a time
 * has a lock.
 */
#include "dp/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dp/base/input.h"
#include "tests/support.h"

static char folder[200];

/* A name in the test's folder; the last eight stay valid. */
static const char *at(const char *name)
{
    static char texts[8][300];
    static int next;
    char *text = texts[next++ % 8];
    snprintf(text, sizeof texts[0], "%s/%s", folder, name);
    return text;
}

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%.100s/optgap-test-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mkdir(at("sub"), 0700), 0);
}

static void remove_folder(void)
{
    char words[250];
    snprintf(words, sizeof words, "rm -rf %s", folder);
    ck_assert_int_eq(system(words), 0);
}

OG_SUITE_WITH(file, 300, make_folder, remove_folder);

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(found, text);
}

static og_status write_as(const char *path, const char *what, const char *text, og_message *message)
{
    og_atomic_file file;
    og_status status = og_atomic_file_begin(path, what, &file, message);
    if (status == OG_OK) {
        og_atomic_file_write(&file, text, strlen(text));
        status = og_atomic_file_end(&file, what, message);
    }
    return status;
}

static void write_well(const char *path, const char *text)
{
    og_message message = {""};
    og_status status = write_as(path, "report", text, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    ck_assert_int_eq(test_files_beside(path), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat kind;
    ck_assert_int_eq(stat(path, &kind), 0);
    return kind.st_mode & 07777;
}

/* ---- writing ---- */

OG_TEST(a_users_own_files_beside_stay)
{
    static const char *const names[] = {"a.part", "a.optgap-1.part~", "a~", "a.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        put(at(names[i]), "mine");
    }
    og_message message = {""};
    ck_assert_int_eq(write_as(at("a"), "report", "new", &message), OG_OK);
    ck_assert_int_eq(write_as(at("a"), "report", "newer", &message), OG_OK);
    assert_holds(at("a"), "newer");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_holds(at(names[i]), "mine");
    }
}

OG_TEST(permissions_are_kept)
{
    static const mode_t modes[] = {0600, 0644, 0444, 0777, 0};
    mode_t usual = umask(027);
    write_well(at("new"), "x");
    ck_assert_uint_eq(mode_of(at("new")), 0640);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        ck_assert_int_eq(chmod(at("new"), modes[i]), 0);
        write_well(at("new"), "y");
        ck_assert_uint_eq(mode_of(at("new")), modes[i]);
    }
    umask(usual);
}

OG_TEST(links_are_followed_and_stay)
{
    put(at("sub/old"), "old");
    ck_assert_int_eq(symlink("sub/old", at("relative")), 0);
    ck_assert_int_eq(symlink(at("sub/none"), at("dangling")), 0);
    ck_assert_int_eq(symlink("relative", at("twice")), 0);
    ck_assert_int_eq(symlink("circle", at("circle")), 0);
    write_well(at("twice"), "1");
    assert_holds(at("sub/old"), "1");
    write_well(at("dangling"), "2");
    assert_holds(at("sub/none"), "2");
    static const char *const links[] = {"relative", "dangling", "twice"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        struct stat kind;
        ck_assert_int_eq(lstat(at(links[i]), &kind), 0);
        ck_assert(S_ISLNK(kind.st_mode));
    }
    og_message message = {""};
    ck_assert_int_eq(write_as(at("circle"), "report", "3", &message), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(message.text, "could not be written: "));
}

/* A link that lies where the draft would be leads nowhere. */
OG_TEST(a_draft_follows_no_link_and_takes_no_file_of_another)
{
    put(at("victim"), "precious");
    ck_assert_int_eq(symlink(at("victim"), at("a.optgap-1.part")), 0);
    ck_assert_int_eq(mkfifo(at("a.optgap-2.part"), 0600), 0);
    og_message message = {""};
    ck_assert_int_eq(write_as(at("a"), "report", "new", &message), OG_OK);
    assert_holds(at("a"), "new");
    assert_holds(at("victim"), "precious");
    ck_assert_int_eq(test_files_beside(at("a")), 2);
}

OG_TEST(drafts_of_the_living_stay_and_those_of_the_dead_go)
{
    og_message message = {""};
    og_atomic_file file;
    ck_assert_int_eq(og_atomic_file_begin(at("a"), "report", &file, &message), OG_OK);
    og_atomic_file_write(&file, "first", 5);
    ck_assert_int_eq(write_as(at("a"), "report", "second", &message), OG_OK);
    assert_holds(at("a"), "second");
    ck_assert_int_eq(test_files_beside(at("a")), 1);
    ck_assert_int_eq(og_atomic_file_end(&file, "report", &message), OG_OK);
    assert_holds(at("a"), "first");
    pid_t child = fork();
    if (child == 0) {
        og_atomic_file_begin(at("a"), "report", &file, &message);
        _exit(0); /* as if it were killed */
    }
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(test_files_beside(at("a")), 1);
    write_well(at("a"), "third");
    assert_holds(at("a"), "third");
}

/* Many at once: each write is whole, and nothing is left. */
OG_TEST(processes_write_one_file_whole)
{
    enum { WRITERS = 4, TIMES = 50, BYTES = 20000 };
    static char text[BYTES + 1];
    for (int i = 0; i < WRITERS; i++) {
        if (fork() == 0) {
            og_message message;
            bool good = true;
            memset(text, 'a' + i, BYTES);
            for (int t = 0; good && t < TIMES; t++) {
                good = write_as(at("a"), "report", text, &message) == OG_OK;
            }
            _exit(good ? 0 : 1);
        }
    }
    int status;
    while (wait(&status) > 0) {
        ck_assert_int_eq(status, 0);
    }
    FILE *file = fopen(at("a"), "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(text, 1, BYTES + 1, file), BYTES);
    fclose(file);
    ck_assert(strspn(text, (char[]){text[0], '\0'}) == BYTES);
    ck_assert_int_eq(test_files_beside(at("a")), 0);
}

OG_TEST(what_is_no_file_is_not_replaced)
{
    static const char *const others[] = {"sub", "fifo", "null"};
    ck_assert_int_eq(mkfifo(at("fifo"), 0600), 0);
    ck_assert_int_eq(symlink("/dev/null", at("null")), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        og_message message = {""};
        ck_assert_int_eq(write_as(at(others[i]), "report", "x", &message), OG_FAILED);
        ck_assert_ptr_nonnull(strstr(message.text, "could not be written: "));
    }
    struct stat kind;
    ck_assert_int_eq(stat("/dev/null", &kind), 0);
    ck_assert(S_ISCHR(kind.st_mode));
}

OG_TEST(a_kind_that_would_be_lost_is_refused)
{
    static const struct {
        const char *kind, *begins;
    } kinds[] = {{"study", "SQLite format 3\n"},
                 {"policy", "optgap-policy\t1\n"},
                 {"checkpoint", "khCPaGgo...."},
                 {"checkpoint", "ogGaPChk...."}};
    static const char *const written[] = {"study", "policy", "checkpoint", "report"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (size_t j = 0; j < sizeof written / sizeof *written; j++) {
            og_message message = {""};
            bool same = strcmp(kinds[i].kind, written[j]) == 0;
            put(at("a"), kinds[i].begins);
            og_status status = write_as(at("a"), written[j], "new", &message);
            ck_assert_int_eq(status, same ? OG_OK : OG_BAD_INPUT);
            assert_holds(at("a"), same ? "new" : kinds[i].begins);
        }
    }
    put(at("a"), "SQLite");
    write_well(at("a"), "new");
}

OG_TEST(two_names_of_one_file_are_known)
{
    put(at("a"), "x");
    ck_assert_int_eq(link(at("a"), at("hard")), 0);
    ck_assert_int_eq(symlink("a", at("soft")), 0);
    ck_assert_int_eq(symlink("none", at("dangling")), 0);
    static const struct {
        const char *one, *other;
        bool same;
    } pairs[] = {
        {"a", "a", true},
        {"a", "hard", true},
        {"a", "soft", true},
        {"a", "sub/../a", true},
        {"a", "b", false},
        {"none", "none", true},
        {"none", "dangling", true},
        {"none", "./sub/../none", true},
        {"none", "sub/none", false},
        {"none", "a", false},
        {"dangling", "soft", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ck_assert_msg(og_file_same(at(pairs[i].one), at(pairs[i].other)) == pairs[i].same, "%s %s",
                      pairs[i].one, pairs[i].other);
        ck_assert(og_file_same(at(pairs[i].other), at(pairs[i].one)) == pairs[i].same);
    }
}

/* ---- reading ---- */

static og_status open_status(const char *path, const char **reason)
{
    FILE *file = NULL;
    og_status status = og_file_open(path, &file, reason);
    if (status == OG_OK) {
        fclose(file);
    }
    return status;
}

OG_TEST(what_is_no_file_is_not_read)
{
    const char *reason = "";
    put(at("a"), "x");
    ck_assert_int_eq(mkfifo(at("fifo"), 0600), 0);
    ck_assert_int_eq(symlink("a", at("soft")), 0);
    static const struct {
        const char *path, *said;
        og_status status;
    } paths[] = {
        {"a", "", OG_OK},
        {"soft", "", OG_OK},
        {"fifo", "it is a named pipe, not a file", OG_BAD_INPUT},
        {"sub", "Is a directory", OG_BAD_INPUT},
        {"none", "No such file or directory", OG_BAD_INPUT},
        {"a/b", "Not a directory", OG_BAD_INPUT},
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ck_assert_int_eq(open_status(at(paths[i].path), &reason), paths[i].status);
        ck_assert(paths[i].status == OG_OK || strcmp(reason, paths[i].said) == 0);
    }
    ck_assert_int_eq(open_status("/dev/null", &reason), OG_OK);
    ck_assert_int_eq(open_status("/dev/zero", &reason), OG_BAD_INPUT);
    ck_assert_int_eq(open_status("/dev/full", &reason), OG_BAD_INPUT);
    ck_assert_str_eq(reason, "it is a device, not a file");
}

/* An open pipe is waited for. */
OG_TEST(an_open_pipe_is_read_to_its_end)
{
    int ends[2];
    char path[64], text[8] = "";
    const char *reason = "";
    FILE *file = NULL;
    ck_assert_int_eq(pipe(ends), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        usleep(100000);
        _exit(write(ends[1], "late", 4) == 4 ? 0 : 1);
    }
    close(ends[1]);
    ck_assert_int_eq(og_file_open(path, &file, &reason), OG_OK);
    ck_assert_uint_eq(fread(text, 1, sizeof text, file), 4);
    ck_assert_str_eq(text, "late");
    fclose(file);
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

/* ---- locks ---- */

static og_status lock_status(const char *path)
{
    og_file_lock lock;
    og_message message = {""};
    og_status status = og_file_lock_take(path, "checkpoint", &lock, &message);
    ck_assert(status == OG_OK || message.text[0] != '\0');
    og_file_lock_release(&lock);
    return status;
}

OG_TEST(one_at_a_time_has_a_lock)
{
    og_message message = {""};
    og_file_lock lock = {.path = NULL};
    og_file_lock_release(&lock);
    ck_assert_int_eq(symlink("a", at("soft")), 0);
    ck_assert_int_eq(og_file_lock_take(at("a"), "checkpoint", &lock, &message), OG_OK);
    ck_assert_int_eq(lock_status(at("a")), OG_FAILED);
    ck_assert_int_eq(lock_status(at("soft")), OG_FAILED);
    ck_assert_int_eq(lock_status(at("b")), OG_OK);
    og_file_lock_release(&lock);
    ck_assert_int_eq(test_files_beside(at("a")), 0);
    ck_assert_int_eq(lock_status(at("soft")), OG_OK);
    ck_assert_int_eq(lock_status(at("none/a")), OG_FAILED);
    pid_t child = fork();
    if (child == 0) {
        _exit(og_file_lock_take(at("a"), "checkpoint", &lock, &message) == OG_OK ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(test_files_beside(at("a")), 1); /* it locks nothing */
    ck_assert_int_eq(lock_status(at("a")), OG_OK);
    ck_assert_int_eq(test_files_beside(at("a")), 0);
}

/* A counter that only the holder of the lock may change. */
OG_TEST(a_lock_holds_among_many)
{
    enum { PROCESSES = 4, TIMES = 200 };
    put(at("count"), "0");
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0) {
            for (int done = 0; done < TIMES;) {
                og_file_lock lock;
                if (og_file_lock_take(at("a"), "checkpoint", &lock, NULL) == OG_OK) {
                    int count = 0;
                    FILE *file = fopen(at("count"), "r+");
                    if (file == NULL || fscanf(file, "%d", &count) != 1) {
                        _exit(1);
                    }
                    rewind(file);
                    fprintf(file, "%d", count + 1);
                    fclose(file);
                    done++;
                    og_file_lock_release(&lock);
                }
            }
            _exit(0);
        }
    }
    int status;
    while (wait(&status) > 0) {
        ck_assert_int_eq(status, 0);
    }
    assert_holds(at("count"), "800");
}

static struct {
    char path[32];
    og_stop stop;
    _Atomic int64_t bytes;
} shared_pipe;

static void *read_until_stopped(void *unused)
{
    og_input input;
    const char *reason = "";
    char text[16];
    size_t got = 1;
    og_status status = og_input_open(&input, shared_pipe.path, &shared_pipe.stop, &reason);
    while (status == OG_OK && got > 0) {
        status = og_input_read(&input, text, sizeof text, &got, &reason);
        atomic_fetch_add(&shared_pipe.bytes, status == OG_OK ? (int64_t)got : 0);
    }
    og_input_close(&input);
    return status == OG_STOPPED ? unused : (void *)reason;
}

/* Of those that see data in a pipe one gets it; the others wait on, and see that the work ends. */
OG_TEST(readers_of_one_pipe_all_stop)
{
    enum { READERS = 3, BYTES = 20000 };
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    snprintf(shared_pipe.path, sizeof shared_pipe.path, "/proc/self/fd/%d", ends[0]);
    pthread_t reader[READERS];
    og_stop_init(&shared_pipe.stop, NULL, NULL);
    for (int i = 0; i < READERS; i++) {
        ck_assert_int_eq(pthread_create(&reader[i], NULL, read_until_stopped, NULL), 0);
    }
    for (int64_t n = 2; n <= BYTES; n += 2) { /* the first two tell whether it is gzip */
        ck_assert_int_eq(write(ends[1], "xx", 2), 2);
        while (atomic_load(&shared_pipe.bytes) < n) {
            sched_yield();
        }
    }
    og_stop_end(&shared_pipe.stop);
    for (int i = 0; i < READERS; i++) {
        struct timespec until;
        void *wrong;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 100;
        ck_assert_msg(pthread_timedjoin_np(reader[i], &wrong, &until) == 0, "one waits on");
        ck_assert_msg(wrong == NULL, "%s", (const char *)wrong);
    }
    ck_assert_int_eq(atomic_load(&shared_pipe.bytes), BYTES);
    close(ends[0]);
    close(ends[1]);
}
