/* The runner of the suites: a test that did not run, or that ended its process, is not passed. */
#include "tests/support.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

OG_SUITE(support, 10);

START_TEST(passes)
{
    ck_assert_int_eq(_i, _i);
}

START_TEST(fails)
{
    ck_assert_int_eq(_i, _i + 1);
}

START_TEST(exits)
{
    exit(EXIT_SUCCESS);
}

START_TEST(ends_at_once)
{
    _exit(EXIT_SUCCESS);
}

/* The exit status of a suite of `first` and, unless it is NULL, `second`. */
static int status_of(const TTest *first, const TTest *second, const char *fork_mode,
                     const char *only)
{
    test_entry other = {second, 2, 0, 1, NULL};
    test_entry entry = {first, 1, 0, 3, second != NULL ? &other : NULL};
    const test_suite suite = {.name = "inner", .seconds = 10, .first = &entry};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        setenv("CK_FORK", fork_mode, 1);
        only != NULL ? setenv("CK_RUN_CASE", only, 1) : unsetenv("CK_RUN_CASE");
        _exit(test_suite_run(&suite));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

OG_TEST_LOOP(only_tests_that_came_to_their_end_are_passed, 0, 2)
{
    const char *fork_mode = _i == 0 ? "yes" : "no";
    ck_assert_int_eq(status_of(passes, NULL, fork_mode, NULL), EXIT_SUCCESS);
    ck_assert_int_eq(status_of(passes, passes, fork_mode, NULL), EXIT_SUCCESS);
    ck_assert_int_eq(status_of(passes, fails, fork_mode, NULL), EXIT_FAILURE);
    ck_assert_int_eq(status_of(passes, exits, fork_mode, NULL), EXIT_FAILURE);
    ck_assert_int_eq(status_of(exits, passes, fork_mode, NULL), EXIT_FAILURE);
    ck_assert_int_eq(status_of(passes, exits, fork_mode, "passes"), EXIT_SUCCESS);
    ck_assert_int_eq(status_of(passes, passes, fork_mode, "none"), EXIT_FAILURE);
    ck_assert_int_eq(status_of(passes, ends_at_once, "yes", NULL), EXIT_FAILURE);
}
