/*
 * Compares all ways to compute the optimum with the definition, at random: any subset of the
 * reductions, doubles and fractions, 1, 2 and 4 threads, large and tiny memory limits, stopped runs
 * that resume from a checkpoint, and killed runs.
 *
 * The value always equals the oracle's within its error bound (fractions: exactly), and a memory
 * limit that is too small is reported. TEST_SEED gives other problems and ways, TEST_SCALE=1000 a
 * night of them.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dp/exact/exact.h"
#include "tests/question.h"
#include "tests/support.h"

enum { SUBSETS = OG_REDUCE_ALL + 1, STATES_BETWEEN = 4096 };

/* A way to the optimum. */
typedef struct {
    unsigned reductions;
    int threads;
    uint64_t memory_bytes;
} way;

/* What has been tried; a kind that never comes up makes the test say nothing. */
static struct {
    int exact, refused, forgetful, stopped, killed;
} met;

static char checkpoint[256];

static void make_folder(void)
{
    char folder[200];
    snprintf(folder, sizeof folder, "%.100s/optgap-test-XXXXXX", test_temporary());
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", folder);
    memset(&met, 0, sizeof met);
}

static void remove_folder(void)
{
    test_remove_beside(checkpoint); /* of a run that was killed while it wrote */
    unlink(checkpoint);
    *strrchr(checkpoint, '/') = '\0';
    ck_assert_int_eq(rmdir(checkpoint), 0);
}

OG_SUITE_WITH(differential, 200, make_folder, remove_folder);

static way random_way(random_source *source)
{
    static const int threads[] = {1, 2, 4};
    return (way){random_below(source, SUBSETS), threads[random_below(source, 3)],
                 QUESTION_MEMORY_BYTES};
}

static og_settings settings_of(const way *taken)
{
    og_settings settings = question_settings(taken->reductions, taken->threads);
    settings.memory_bytes = taken->memory_bytes;
    return settings;
}

static const char *way_format(const question *q, const way *taken, const char *how)
{
    static char text[sizeof q->words + 160];
    snprintf(text, sizeof text, "%s: %s, reductions %u, %d threads, %" PRIu64 " bytes", q->words,
             how, taken->reductions, taken->threads, taken->memory_bytes);
    return text;
}

static void assert_value(const question *q, const way *taken, const char *how,
                         const og_result *result, const mpq_t truth)
{
    double bound = result->error_bound + oracle_error(q->oracle);
    ck_assert_msg(oracle_within(result->value, bound, truth), "%s: %.17g +- %g, exactly %.17g",
                  way_format(q, taken, how), result->value, bound, mpq_get_d(truth));
    ck_assert_msg(bound <= 1e-10 * (fabs(result->value) + result->gain),
                  "%s: a bound of %g says little", way_format(q, taken, how), bound);
}

static void assert_refused(const question *q, const way *taken, og_status status,
                           const og_message *message)
{
    ck_assert_msg(status == OG_NO_MEMORY || status == OG_STOPPED, "%s: status %d: %s",
                  way_format(q, taken, "little memory"), status, message->text);
    ck_assert_msg(strstr(message->text, "memory") != NULL, "%s: '%s'",
                  way_format(q, taken, "little memory"), message->text);
    met.refused++;
}

static void try_doubles(const question *q, const way *taken, const mpq_t truth)
{
    og_settings settings = settings_of(taken);
    og_result result = question_solve(q->arms, &settings, way_format(q, taken, "doubles"));
    assert_value(q, taken, "doubles", &result, truth);
}

/* From what holds nothing to what holds a little more than all. */
static void try_little_memory(const question *q, way taken, random_source *source,
                              const mpq_t truth)
{
    og_settings settings = settings_of(&taken);
    og_result result = question_solve(q->arms, &settings, q->words);
    taken.memory_bytes = 1 + random_next(source) % (result.memory_bytes + result.memory_bytes / 8);
    settings = settings_of(&taken);
    og_message message = {""};
    og_status status = question_try(q->arms, &settings, &result, &message);
    if (status != OG_OK) {
        assert_refused(q, &taken, status, &message);
        return;
    }
    assert_value(q, &taken, "little memory", &result, truth);
    ck_assert_msg(result.memory_bytes <= taken.memory_bytes, "%s: took %" PRIu64 " bytes",
                  way_format(q, &taken, "little memory"), result.memory_bytes);
    met.forgetful += result.forgotten > 0;
}

static void try_fractions(const question *q, const way *taken, const mpq_t truth)
{
    og_settings settings = settings_of(taken);
    og_message message = {""};
    og_exact *exact = NULL;
    mpq_t value;
    if (og_exact_check(q->arms, NULL) != OG_OK) {
        return;
    }
    mpq_init(value);
    og_status status = og_exact_new(q->arms, &settings, &exact, &message);
    if (status == OG_OK) {
        status = og_exact_value(exact, value, NULL, NULL, &message);
    }
    question_ok(status, &message, way_format(q, taken, "fractions"));
    ck_assert_msg(mpq_equal(value, truth), "%s: another fraction",
                  way_format(q, taken, "fractions"));
    met.exact++;
    og_exact_free(exact);
    mpq_clear(value);
}

/* Stops at the limit on states repeatedly; each time a new solver with another number of threads
 * resumes from the file only. */
static void try_stops(const question *q, way taken, random_source *source, const mpq_t truth)
{
    enum { STOPS_MOST = 50 };
    og_status status = OG_STOPPED;
    og_result result = {0};
    unlink(checkpoint);
    for (int stops = 0; status == OG_STOPPED; stops++) {
        taken.threads = random_way(source).threads;
        og_settings settings = settings_of(&taken);
        og_message message = {""};
        settings.checkpoint = checkpoint;
        settings.states_max = stops < STOPS_MOST ? 1 + random_below(source, 4 * STATES_BETWEEN) : 0;
        status = question_try(q->arms, &settings, &result, &message);
        if (status != OG_STOPPED) {
            question_ok(status, &message, way_format(q, &taken, "stopped"));
        } else {
            met.stopped++;
        }
    }
    assert_value(q, &taken, "stopped and continued", &result, truth);
}

static void sleep_microseconds(uint32_t microseconds)
{
    struct timespec time = {0, (long)microseconds * 1000};
    nanosleep(&time, NULL);
}

/* Killed at any moment, perhaps while it writes, and then gone on with. On one thread until then:
 * libgomp's threads do not survive the fork. */
static void try_kill(const question *q, way taken, random_source *source, const mpq_t truth)
{
    int status;
    taken.threads = 1;
    og_settings settings = settings_of(&taken);
    settings.checkpoint = checkpoint;
    settings.checkpoint_seconds = 1e-9;
    unlink(checkpoint);
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        og_result unused;
        question_try(q->arms, &settings, &unused, NULL);
        _exit(0);
    }
    /* Before it has saved anything, or soon after: a busy machine may be slow to begin. */
    bool ended = false;
    uint32_t pause = random_below(source, 20000);
    if (random_below(source, 4) > 0) {
        for (pause /= 20; !ended && access(checkpoint, F_OK) != 0; sleep_microseconds(100)) {
            ended = waitpid(child, &status, WNOHANG) == child;
        }
    }
    if (!ended) {
        sleep_microseconds(pause);
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
    }
    met.killed += WIFSIGNALED(status) && access(checkpoint, F_OK) == 0;
    taken.threads = random_way(source).threads;
    settings.threads = taken.threads;
    og_result result = question_solve(q->arms, &settings, way_format(q, &taken, "killed"));
    assert_value(q, &taken, "killed and continued", &result, truth);
}

/* Every subset: the smallest problems, against the definition taken literally. */
OG_TEST(every_subset_of_reductions_gives_the_literal_value)
{
    uint64_t seed = test_seed(51);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 3, .budget = 4};
    OWN_MPQ truth = MPQ_NEW;
    for (int round = 0; round < test_cases(100); round++) {
        limits.mixtures = round % 2 == 0;
        limits.bandit = round % 3 == 0;
        limits.payoffs = round % 3 == 1;
        limits.worths = round % 3 == 2;
        OWN(question) q = question_random(&source, &limits, seed, round);
        oracle_optimum_literally(q.oracle, truth);
        for (unsigned reductions = 0; reductions < SUBSETS; reductions++) {
            way taken = {reductions, 1, QUESTION_MEMORY_BYTES};
            try_doubles(&q, &taken, truth);
            try_fractions(&q, &taken, truth);
        }
    }
    ck_assert_int_gt(met.exact, 0);
}

/* Few instances and many labels, many ties, many copies that mostly cannot be labelled. */
static const random_limits shapes[] = {
    {.instances = 4, .budget = 7},
    {.instances = 3, .budget = 9, .integers = true},
    {.instances = 5, .budget = 7, .integers = true, .halves = true},
    {.instances = 12, .budget = 4},
    {.instances = 4, .budget = 6, .mixtures = true},
    {.instances = 4, .budget = 7, .bandit = true},
    {.instances = 4, .budget = 7, .payoffs = true},
    {.instances = 4, .budget = 6, .mixtures = true, .payoffs = true},
    {.instances = 4, .budget = 7, .worths = true},
    {.instances = 4, .budget = 6, .mixtures = true, .worths = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

OG_TEST_LOOP(any_way_gives_the_oracles_value, 0, SHAPES)
{
    uint64_t seed = test_seed(351 + (uint64_t)_i);
    random_source source = random_start(seed);
    OWN_MPQ truth = MPQ_NEW;
    for (int round = 0; round < test_cases(60); round++) {
        OWN(question) q = question_random(&source, &shapes[_i], seed, round);
        oracle_optimum(q.oracle, truth);
        for (int ways = 0; ways < 4; ways++) {
            way taken = random_way(&source);
            try_doubles(&q, &taken, truth);
            try_fractions(&q, &taken, truth);
            try_little_memory(&q, taken, &source, truth);
        }
    }
    ck_assert(test_is_short() || (met.exact > 0 && met.refused > 0 && met.forgetful > 0));
}

/* A solver looks at its limits every so many states, so these are larger. */
static void random_large(random_source *source, uint64_t seed, int round, question *out)
{
    static const random_limits limits = {.instances = 7, .budget = 8};
    for (;;) {
        *out = question_random(source, &limits, seed, round);
        if (out->problem.group_count >= 3 && out->problem.budget >= 6) {
            return;
        }
        question_free(out);
    }
}

OG_TEST(stopped_and_killed_runs_go_on_to_the_oracles_value)
{
    uint64_t seed = test_seed(361);
    random_source source = random_start(seed);
    OWN_MPQ truth = MPQ_NEW;
    for (int round = 0; round < test_cases(12); round++) {
        question q;
        random_large(&source, seed, round, &q);
        oracle_optimum(q.oracle, truth);
        for (int ways = 0; ways < 4; ways++) {
            way taken = random_way(&source);
            /* With all of them at once nothing of this size takes long. */
            taken.reductions &= ways % 2 == 0 ? OG_REDUCE_SORT | OG_REDUCE_CAP : OG_REDUCE_ALL;
            try_stops(&q, taken, &source, truth);
            try_kill(&q, taken, &source, truth);
        }
        question_free(&q);
    }
    ck_assert(test_is_short() || (met.stopped > 0 && met.killed > 0));
}
