/*
 * Runs the suites that are linked into this program.
 *
 *     PROGRAM NAME     one of them; the exit status is 0 where none of its tests failed
 *     PROGRAM --list   their names, one a line
 */
#include "tests/support.h"

static test_suite *suites;

void test_suite_add(test_suite *suite)
{
    suite->next = suites;
    suites = suite;
}

int main(int argc, char **argv)
{
    bool list = argc == 2 && strcmp(argv[1], "--list") == 0;
    for (const test_suite *at = suites; at != NULL; at = at->next) {
        if (list) {
            puts(at->name);
        } else if (argc == 2 && strcmp(argv[1], at->name) == 0) {
            return test_suite_run(at);
        }
    }
    if (!list) {
        fprintf(stderr, "usage: %s NAME, one of those that --list prints\n", argv[0]);
    }
    return list ? EXIT_SUCCESS : 2;
}
