#ifndef OG_TESTS_SUPPORT_H
#define OG_TESTS_SUPPORT_H

#include <check.h>
#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/arm/arm.h"
#include "dp/base/limit.h"
#include "dp/prior/problem.h"
#include "tests/fractions.h"
#include "tests/own.h"

/*
 * What the test programs share: the C library's headers that most of them need, environment, data
 * files, known values.
 * These are tools for tests: what cannot be had aborts with a line on stderr.
 */

/*
 * All suites of a program are linked once, and `PROGRAM NAME` runs one (tests/suites.c). A file has
 * OG_SUITE(NAME, SECONDS) above its tests: each of OG_TEST and OG_TEST_LOOP, in front of a body,
 * adds itself, and may take so long, times TEST_SCALE. CK_RUN_CASE=TEST runs that one alone.
 */
typedef struct test_suite {
    const char *name;
    int seconds;
    int (*run)(void); /* NULL: the tests in the order of their lines, as below */
    void (*before)(void);
    void (*after)(void);
    struct test_entry *first;
    struct test_suite *next;
} test_suite;

typedef struct test_entry {
    const TTest *test;
    int line, from, to; /* the test's _i is from .. to - 1 */
    struct test_entry *next;
} test_entry;

/* og_arms_new without a stop. */
static inline og_status test_arms_new(const og_groups *problem, int threads, uint64_t memory_bytes,
                                      og_arms **out, og_message *message)
{
    const og_settings settings = {.threads = threads, .memory_bytes = memory_bytes};
    return og_arms_new(problem, &settings, out, message);
}

void test_suite_add(test_suite *suite);
void test_entry_add(test_suite *suite, test_entry *entry);

/* Runs that suite; returns its exit status: a failure also if not all of its tests ran, or one of
 * them ended its process. */
int test_suite_run(const test_suite *suite);

/* Runs the suite, which has at least one test, and frees it; returns as above. CK_ENV sets how much
 * is printed. */
int test_run(Suite *suite);

/* A group of tests of the suite; each may take `seconds` times TEST_SCALE. */
TCase *test_group(Suite *suite, const char *name, int seconds);

#define OG_SUITE(name_, seconds_) OG_SUITE_WITH(name_, seconds_, NULL, NULL)

/* These two run before and after each test, in its process. */
#define OG_SUITE_WITH(name_, seconds_, before_, after_)                                            \
    OG_SUITE_ADD(name_, seconds_, NULL, before_, after_)

/* A suite that makes itself: in front of the body of a function that returns what test_run does. */
#define OG_SUITE_RUN(name_)                                                                        \
    static int run_suite(void);                                                                    \
    OG_SUITE_ADD(name_, 0, run_suite, NULL, NULL);                                                 \
    static int run_suite(void)

#define OG_SUITE_ADD(name_, ...)                                                                   \
    static test_suite this_suite;                                                                  \
    static __attribute__((constructor)) void add_suite(void)                                       \
    {                                                                                              \
        test_suite_add(&this_suite);                                                               \
    }                                                                                              \
    static test_suite this_suite = {#name_, __VA_ARGS__, NULL, NULL}

#define OG_TEST(name_) OG_TEST_LOOP(name_, 0, 1)
#define OG_TEST_LOOP(name_, from_, to_)                                                            \
    static const TTest *name_; /* which START_TEST sets */                                         \
    static __attribute__((constructor)) void add_##name_(void)                                     \
    {                                                                                              \
        static test_entry entry;                                                                   \
        entry = (test_entry){name_, __LINE__, (int)(from_), (int)(to_), NULL};                     \
        test_entry_add(&this_suite, &entry);                                                       \
    }                                                                                              \
    START_TEST(name_)

/*
 * TEST_SCALE, a number from 0.1 to a million, sets the length of the tests; the default is 1. Above
 * 1 there are more random cases, and also the long known problems. Below 1 there are fewer of both,
 * for tools that make a program fifty times slower.
 */
int test_cases(int usual);   /* `usual` times TEST_SCALE, at least one */
int test_seconds(int usual); /* a time limit for as many cases */
bool test_is_long(void);
bool test_is_short(void);

/* Built with the address sanitizer, under which large problems take ten times as long and run only
 * code that the small ones of their suite run too. */
bool test_is_sanitized(void);

/* Check's own refuses a distance of 0 where the tolerance is 0, as the error of an exact number is.
 */
#undef ck_assert_double_eq_tol
#define ck_assert_double_eq_tol(x, y, tolerance)                                                   \
    do {                                                                                           \
        double x_ = (x), y_ = (y), tolerance_ = (tolerance);                                       \
        ck_assert_msg(fabs(x_ - y_) <= tolerance_,                                                 \
                      "%s == %.17g, %s == %.17g, apart by %g, allowed %g", #x, x_, #y, y_,         \
                      fabs(x_ - y_), tolerance_);                                                  \
    } while (0)

/*
 * ck_assert_msg for loops of many thousand rounds. Check sends a message to the parent for each
 * assertion that holds, and the parent moves all that are left for each that it reads.
 */
#define test_assert_msg(condition, ...)                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)

/* True if CK_FORK is not "no", so that each test has a separate process. */
bool test_is_alone(void);

/* TEST_SEED, or the default. A failing test prints the seed it was run with. */
uint64_t test_seed(uint64_t default_seed);

enum { TEST_PATH_BYTES = 4096 };

typedef struct {
    char text[TEST_PATH_BYTES];
} test_path;

/* A file below the source tree ("tests/data/golden.tsv"): OG_SOURCE_DIR says where that is; the
 * current folder where it is not set. */
test_path test_source_path(const char *below);

/* A file of the data folder outside the tree ("rte/labels.tsv"): below OPTGAP_SHARED/data, or
 * ../shared/data beside the tree. An empty text where the file is not there: skip, and say so. */
test_path test_shared_data_path(const char *below);

/* Where files go that a test makes: TMPDIR, or else a folder in memory where there is one, as
 * whoever saves a file waits for the disk; /tmp otherwise. */
const char *test_temporary(void);

/* How many files are called like this one and more, "FILE.*" or "FILE-*": drafts and locks. */
int test_files_beside(const char *path);
void test_remove_beside(const char *path);

/* The problem that INSTANCE words, one space between them, describe. */
void test_problem(const char *words, int32_t budget, og_groups *out);
void test_workers(const char *words, og_groups *out); /* the words of --workers-prior */

/* The arms of a problem, or of such words; made by one thread within a gigabyte. */
og_arms *test_arms(const og_groups *problem);
og_arms *test_arms_in(const char *words, int32_t budget);

/*
 * A row of tests/data/golden.tsv: known values of problems. What `quantity` may be: "optimal"
 * (V), "gain", "POLICY/TIES", "q/GROUP", "lagrangian_scalar", "lagrangian_vector",
 * "lagrangian_scalar_price", "prevailing_charges". The truth is within `tolerance` of `value`;
 * 0: the value is exact.
 */
typedef struct {
    char problem[64]; /* INSTANCE words */
    int32_t budget;
    char quantity[64];
    mpq_t value;
    double tolerance;
} golden_row;

/* A row of tests/data/index.tsv: the index of Beta(a, b), threshold 1/2. */
typedef struct {
    char policy[64];
    int a;
    int b;
    int left; /* 0: whatever it is (gittins-inf) */
    mpq_t value;
    double tolerance;
} golden_index_row;

typedef struct {
    size_t count;
    golden_row *row;
    size_t index_count;
    golden_index_row *index_row;
} golden_rows;

/* Both files; free with golden_clear. */
void golden_read(golden_rows *out);
void golden_clear(golden_rows *golden);

/* The row of that problem, budget and quantity; aborts if there is none. */
const golden_row *golden_find(const golden_rows *golden, const char *problem, int32_t budget,
                              const char *quantity);

#endif
