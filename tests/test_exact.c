/*
 * Fractions from end to end: known ones, and what the oracle says where doubles cannot tell; what
 * the doubles say is within their proved error. Random problems are those of
 * tests/test_differential.c and the conformance suite.
 */
#include "dp/exact/exact.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(exact, 60);

enum { GROUPS_MOST = 32 };

static og_exact *exact_of(const question *q, unsigned reductions)
{
    og_settings settings = question_settings(reductions, 1);
    og_message message = {""};
    og_exact *exact = NULL;
    question_ok(og_exact_new(q->arms, &settings, &exact, &message), &message, q->words);
    return exact;
}

/* Value and gain, which must fit together. */
static og_result exact_value(const question *q, unsigned reductions, mpq_t value)
{
    og_exact *exact = exact_of(q, reductions);
    og_message message = {""};
    og_result result;
    OWN_MPQ gain = MPQ_NEW, call = MPQ_NEW;
    question_ok(og_exact_value(exact, value, gain, &result, &message), &message, q->words);
    ck_assert(og_arms_exact_call(q->arms, call));
    mpq_add(call, call, gain);
    ck_assert_msg(mpq_equal(call, value), "%s: value and gain do not fit", q->words);
    ck_assert_msg(oracle_within(result.value, result.error_bound, value) &&
                      oracle_within(result.gain, result.error_bound, gain),
                  "%s: %.17g is not the fraction rounded", q->words, result.value);
    og_exact_free(exact);
    return result;
}

static void assert_equal(const question *q, const char *what, const mpq_t got, const mpq_t expected)
{
    if (!mpq_equal(got, expected)) {
        char *text[2] = {mpq_get_str(NULL, 10, got), mpq_get_str(NULL, 10, expected)};
        ck_abort_msg("%s: %s is %s, expected %s", q->words, what, text[0], text[1]);
    }
}

static void exact_policy(const question *q, const og_ranks *ranks, og_ties ties,
                         unsigned reductions, mpq_t value)
{
    og_settings settings = question_settings(reductions, 1);
    og_message message = {""};
    og_result result;
    question_ok(og_exact_policy_value(&(og_ranks_play){q->arms, ranks, ties}, &settings, value,
                                      NULL, &result, &message),
                &message, q->words);
    ck_assert_msg(oracle_within(result.value, result.error_bound, value), "%s", q->words);
}

/* ---- known fractions ---- */

/* What a row of the known values is about, in fractions; false: not what this file is about. */
static bool value_of_row(const golden_row *row, const question *q, mpq_t value)
{
    char name[64];
    og_ties ties;
    const char *slash = strchr(row->quantity, '/');
    if (strcmp(row->quantity, "optimal") == 0 || strcmp(row->quantity, "gain") == 0) {
        OWN_MPQ call = MPQ_NEW;
        exact_value(q, OG_REDUCE_ALL, value);
        ck_assert(og_arms_exact_call(q->arms, call));
        if (strcmp(row->quantity, "gain") == 0) {
            mpq_sub(value, value, call);
        }
    } else if (strncmp(row->quantity, "q/", 2) == 0) {
        mpq_t all[GROUPS_MOST];
        og_message message = {""};
        og_exact *exact = exact_of(q, OG_REDUCE_ALL);
        for (int g = 0; g < GROUPS_MOST; g++) {
            mpq_init(all[g]);
        }
        question_ok(og_exact_q(exact, all, &message), &message, q->words);
        mpq_set(value, all[atoi(slash + 1)]);
        for (int g = 0; g < GROUPS_MOST; g++) {
            mpq_clear(all[g]);
        }
        og_exact_free(exact);
    } else if (slash != NULL && og_ties_parse(slash + 1, &ties) == OG_OK) {
        snprintf(name, sizeof name, "%.*s", (int)(slash - row->quantity), row->quantity);
        og_ranks *ranks = question_named_ranks(q->arms, name, q->words);
        exact_policy(q, ranks, ties, OG_REDUCE_ALL, value);
        og_ranks_free(ranks);
    } else {
        return false;
    }
    return true;
}

/* The row holds a rounded value. */
static void assert_near(const question *q, const golden_row *row, const mpq_t value)
{
    OWN_MPQ apart = MPQ_NEW, allowed = MPQ_NEW;
    mpq_sub(apart, value, row->value);
    mpq_abs(apart, apart);
    mpq_set_d(allowed, row->tolerance);
    ck_assert_msg(mpq_cmp(apart, allowed) <= 0, "%s: %s is %.17g", q->words, row->quantity,
                  mpq_get_d(value));
}

OG_TEST(exact_gives_the_known_fractions)
{
    OWN(golden_rows) known;
    mpq_t value;
    int equal = 0, within = 0;
    golden_read(&known);
    mpq_init(value);
    for (size_t i = 0; i < known.count; i++) {
        const golden_row *row = &known.row[i];
        bool policy = strchr(row->quantity, '/') != NULL;
        int32_t longest = test_is_short() ? 35 : 99;
        if (!test_is_long() && row->budget > (policy ? 12 : longest)) {
            continue; /* seconds */
        }
        OWN(question) q = question_of(row->problem, row->budget);
        if (!q.arms->arm[0]->rational || !value_of_row(row, &q, value)) {
            continue;
        }
        if (row->tolerance == 0) {
            assert_equal(&q, row->quantity, value, row->value);
            equal++;
        } else {
            assert_near(&q, row, value);
            within++;
        }
    }
    ck_assert_int_ge(equal, 300);
    ck_assert_int_ge(within, 3);
    mpq_clear(value);
}

/* ---- near ties ---- */

/* All, all in fractions, none, each alone, all but one. */
static const unsigned steps[] = {
    OG_REDUCE_ALL,
    OG_REDUCE_ALL & ~OG_REDUCE_BOUND,
    0,
    OG_REDUCE_BOUND,
    OG_REDUCE_SORT,
    OG_REDUCE_MERGE,
    OG_REDUCE_SORT | OG_REDUCE_CAP,
    OG_REDUCE_SORT | OG_REDUCE_FORCE,
    OG_REDUCE_ALL & ~OG_REDUCE_SORT,
    OG_REDUCE_ALL & ~OG_REDUCE_MERGE,
    OG_REDUCE_ALL & ~OG_REDUCE_CAP,
    OG_REDUCE_ALL & ~OG_REDUCE_FORCE,
};
enum { STEPS = sizeof steps / sizeof *steps };

static void assert_q(const question *q, oracle_arms *oracle, unsigned reductions)
{
    mpq_t got[GROUPS_MOST], expected;
    double doubles[GROUPS_MOST], error[GROUPS_MOST];
    og_message message = {""};
    og_settings settings = question_settings(reductions, 1);
    OWN(og_exact) *exact = exact_of(q, reductions);
    OWN(og_solver) *solver = NULL;
    mpq_init(expected);
    for (int g = 0; g < q->problem.group_count; g++) {
        mpq_init(got[g]);
    }
    question_ok(og_exact_q(exact, got, &message), &message, q->words);
    question_ok(og_solver_new(q->arms, &settings, &solver, &message), &message, q->words);
    question_ok(og_solver_q(solver, doubles, error, &message), &message, q->words);
    for (int g = 0; g < q->problem.group_count; g++) {
        oracle_q(oracle, g, expected);
        assert_equal(q, "Q", got[g], expected);
        ck_assert_msg(oracle_within(doubles[g], error[g], got[g]), "%s: Q of group %d is %.17g",
                      q->words, g, doubles[g]);
        mpq_clear(got[g]);
    }
    mpq_clear(expected);
}

/* |double - exact| <= its bound, and the bound is small. */
static void assert_double(const question *q, unsigned reductions, const mpq_t value)
{
    og_settings settings = question_settings(reductions, 1);
    og_result result = question_solve(q->arms, &settings, q->words);
    ck_assert_msg(oracle_within(result.value, result.error_bound, value),
                  "%s: %.17g is not within %g of %.17g", q->words, result.value, result.error_bound,
                  mpq_get_d(value));
    /* The loss without labels is rounded too. */
    ck_assert_msg(result.error_bound <= 1e-10 * (fabs(result.value) + result.gain) + 1e-200,
                  "%s: a bound of %g", q->words, result.error_bound);
}

/*
 * Thresholds so close that rewards which differ have the same doubles, and sums of probabilities
 * do: what the doubles call one class, a tie or a forced label is none.
 */
OG_TEST(exact_tells_apart_what_doubles_cannot)
{
    static const char *const words[] = {
        "1,1@0.3 1,1@0.300000000000000001",
        "1,1@0.300000000000000001 1,1@0.3",
        "2x1,1@0.3 2x1,1@0.300000000000000001 1x1,1@0.299999999999999999",
        "2x1,1@0.4 1,1@0.400000000000000001",
        "2,1@0.4 2,1@0.400000000000000001 1,2@0.6 1,2@0.599999999999999999",
        "3,2@0.499999999999999999 3,2@0.5 2,3@0.500000000000000001 1,1",
        "1,1@0.299999999999999999 2x1,1@0.700000000000000002 1,1@0.7",
    };
    int differ = 0;
    OWN_MPQ value = MPQ_NEW, expected = MPQ_NEW;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        for (int32_t budget = 1; budget <= 6; budget++) {
            OWN(question) q = question_of(words[i], budget);
            q.oracle = oracle_new(&q.problem);
            const og_arm *first = q.arms->arm[0], *second = q.arms->arm[1];
            differ += first->reward[0] == second->reward[0];
            oracle_optimum(q.oracle, expected);
            for (int step = 0; step < STEPS; step++) {
                exact_value(&q, steps[step], value);
                assert_equal(&q, "the optimum", value, expected);
            }
            assert_q(&q, q.oracle, OG_REDUCE_ALL);
        }
    }
    ck_assert_int_ge(differ, 18); /* the doubles were indeed the same */
}

/* ---- sizes at which doubles have long sums ---- */

static const struct {
    const char *words;
    int32_t budget;
    bool alone;   /* fractions can do without doubles in little time */
    bool seconds; /* of time it takes: not for short tests */
} long_ones[] = {
    {"10x1,1", 30, true, false},
    {"50x1,1", 60, true, false},
    {"50x1,1", 75, false, false},
    {"50x1,1", 90, false, true},
    {"100x1,1", 100, true, false},
    {"90x1,1 10x2,1", 100, false, false},
    {"1,1", 100, true, false},
    {"2x1,1@0.3", 60, true, false},
    {"2,1 1,3@0.4", 100, false, true},
    {"20x1,1@0.3", 30, false, false},
    {"80x2,2 20x5,3@0.4", 100, false, false},
    {"3x4,1", 40, true, false},
};

OG_TEST_LOOP(double_error_bound_holds_and_is_useful_for_long_sums, 0,
             test_is_sanitized() ? 0 : (int)(sizeof long_ones / sizeof *long_ones))
{
    if (test_is_short() && long_ones[_i].seconds) {
        return;
    }
    OWN(question) q = question_of(long_ones[_i].words, long_ones[_i].budget);
    OWN_MPQ value = MPQ_NEW, by_fractions = MPQ_NEW;
    exact_value(&q, OG_REDUCE_ALL, value);
    assert_double(&q, OG_REDUCE_ALL, value);
    if (long_ones[_i].alone) {
        exact_value(&q, OG_REDUCE_ALL & ~OG_REDUCE_BOUND, by_fractions);
        assert_equal(&q, "the optimum without doubles", by_fractions, value);
    }
    OWN(og_ranks) *ranks = question_named_ranks(q.arms, "uniform", q.words);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_result result;
    exact_policy(&q, ranks, OG_TIES_RANDOM, OG_REDUCE_ALL, value);
    question_ok(og_policy_value(q.arms, ranks, OG_TIES_RANDOM, &settings, &result, &message),
                &message, q.words);
    ck_assert_msg(oracle_within(result.value, result.error_bound, value) &&
                      result.error_bound <= 1e-10 * result.value + 1e-200,
                  "%s: uniform is %.17g +- %g", q.words, result.value, result.error_bound);
}

/* ---- contract ---- */

OG_TEST(exact_refuses_arms_that_are_not_rational)
{
    OWN(question) q = question_of("1,1 2x0.5,1@0.3", 3);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_exact *exact = NULL;
    ck_assert_int_eq(og_exact_check(q.arms, &message), OG_BAD_INPUT);
    message.text[0] = '\0';
    ck_assert_int_eq(og_exact_new(q.arms, &settings, &exact, &message), OG_BAD_INPUT);
    ck_assert_ptr_null(exact);
    ck_assert_ptr_nonnull(strstr(message.text, "0.5,1@0.3"));
    ck_assert_ptr_nonnull(strstr(message.text, "--arithmetic double"));
    OWN(og_ranks) *ranks = question_named_ranks(q.arms, "kg", q.words);
    OWN_MPQ value = MPQ_NEW;
    ck_assert_int_eq(og_exact_policy_value(&(og_ranks_play){q.arms, ranks, OG_TIES_RANDOM},
                                           &settings, value, NULL, NULL, &message),
                     OG_BAD_INPUT);
}

OG_TEST(exact_refuses_a_checkpoint)
{
    OWN(question) q = question_of("2x1,1", 3);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    og_exact *exact = NULL;
    settings.checkpoint = "nowhere";
    ck_assert_int_eq(og_exact_new(q.arms, &settings, &exact, &message), OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "checkpoint"));
}

OG_TEST(exact_q_refuses_a_problem_without_labels)
{
    OWN(question) q = question_of("2x1,1", 0);
    OWN(og_exact) *exact = exact_of(&q, OG_REDUCE_ALL);
    og_message message = {""};
    OWN_MPQ value = MPQ_NEW;
    ck_assert_int_eq(og_exact_q(exact, &value, &message), OG_BAD_INPUT);
    question_ok(og_exact_value(exact, value, NULL, NULL, &message), &message, q.words);
    ck_assert(mpq_cmp_ui(value, 1, 1) == 0);
}

/* Whatever the limit: the right fraction, or a reason and nothing written. */
OG_TEST(exact_keeps_to_its_memory_or_stops)
{
    OWN(question) q = question_of("10x1,1", 22);
    OWN_MPQ expected = MPQ_NEW, value = MPQ_NEW;
    exact_value(&q, OG_REDUCE_ALL, expected);
    int stopped = 0, solved = 0;
    for (uint64_t limit = 1000; limit < (1 << 23); limit += limit / 4) {
        og_settings settings =
            question_settings(limit % 3 == 0 ? OG_REDUCE_ALL & ~OG_REDUCE_BOUND : OG_REDUCE_ALL, 1);
        og_message message = {""};
        OWN(og_exact) *exact = NULL;
        og_result result = {.seconds = 0};
        settings.memory_bytes = limit;
        mpq_set_si(value, -1, 1);
        og_status status = og_exact_new(q.arms, &settings, &exact, &message);
        if (status == OG_OK) {
            status = og_exact_value(exact, value, NULL, &result, &message);
        }
        if (status == OG_OK) {
            assert_equal(&q, "the optimum", value, expected);
            ck_assert_uint_le(result.memory_bytes, limit);
            solved++;
        } else {
            ck_assert_msg(status == OG_STOPPED, "%" PRIu64 " bytes: status %d: %s", limit, status,
                          message.text);
            ck_assert_str_ne(message.text, "");
            ck_assert(mpq_cmp_si(value, -1, 1) == 0);
            stopped++;
        }
    }
    ck_assert_int_ge(stopped, 5);
    ck_assert_int_ge(solved, 5);
}

/* But not while tables are built, which takes a slow machine long enough to ask. */
static bool say_no(void *user, const og_progress *progress)
{
    *(double *)user = progress->settled;
    return progress->states == 0;
}

OG_TEST(exact_stops_when_told_and_goes_on_when_asked_again)
{
    OWN(question) q = question_of("10x1,1", 36);
    og_settings settings = question_settings(OG_REDUCE_ALL & ~OG_REDUCE_BOUND, 1);
    og_message message = {""};
    og_exact *exact = NULL;
    og_result result = {.value = -1};
    double settled = -1;
    OWN_MPQ value = MPQ_NEW;
    mpq_set_si(value, -1, 1);
    settings.watch = say_no;
    settings.watch_user = &settled;
    og_stop stop;
    og_stop_take(&stop, &settings);
    question_ok(og_exact_new(q.arms, &settings, &exact, &message), &message, q.words);
    ck_assert_int_eq(og_exact_value(exact, value, NULL, &result, &message), OG_STOPPED);
    ck_assert(mpq_cmp_si(value, -1, 1) == 0 && result.value == 0);
    ck_assert_uint_gt(result.states, 0);
    ck_assert_ptr_nonnull(strstr(message.text, "stopped"));
    ck_assert(settled >= 0 && settled <= 1);
    uint64_t before = result.states;
    og_exact_value(exact, value, NULL, &result, &message);
    ck_assert_uint_gt(result.states, before);
    og_exact_free(exact);
    settings.watch = NULL;
    settings.states_max = 1000;
    question_ok(og_exact_new(q.arms, &settings, &exact, &message), &message, q.words);
    ck_assert_int_eq(og_exact_value(exact, value, NULL, NULL, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "limit on states"));
    og_exact_free(exact);
}

/* The doubles obey the same limits as the fractions. */
OG_TEST(exact_stops_while_the_doubles_lead)
{
    OWN(question) q = question_of("50x1,1", 90);
    og_settings settings = question_settings(OG_REDUCE_ALL & ~OG_REDUCE_TWO, 1);
    og_message message = {""};
    og_exact *exact = NULL;
    og_result result = {.value = -1};
    settings.states_max = 20000;
    question_ok(og_exact_new(q.arms, &settings, &exact, &message), &message, q.words);
    ck_assert_int_eq(og_exact_value(exact, NULL, NULL, &result, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "limit on states"));
    ck_assert(result.states == 0 && result.value == 0);
    og_exact_free(exact);
    settings.states_max = 0;
    settings.stop_when_full = true;
    settings.memory_bytes = 24 << 20;
    question_ok(og_exact_new(q.arms, &settings, &exact, &message), &message, q.words);
    ck_assert_int_eq(og_exact_value(exact, NULL, NULL, &result, &message), OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "memory limit"));
    ck_assert_uint_le(result.memory_bytes, settings.memory_bytes);
    og_exact_free(exact);
}

/* A memory of doubles that forgets costs time, not truth. */
OG_TEST(exact_is_right_when_the_doubles_are_forgotten)
{
    OWN(question) q = question_of("10x1,1", 30);
    og_settings settings = question_settings(OG_REDUCE_ALL & ~OG_REDUCE_TWO, 1);
    og_message message = {""};
    OWN(og_exact) *exact = NULL;
    og_result result;
    OWN_MPQ value = MPQ_NEW, expected = MPQ_NEW;
    uint64_t expanded = exact_value(&q, OG_REDUCE_ALL & ~OG_REDUCE_TWO, expected).expanded;
    settings.memory_bytes = 1300000;
    question_ok(og_exact_new(q.arms, &settings, &exact, &message), &message, q.words);
    question_ok(og_exact_value(exact, value, NULL, &result, &message), &message, q.words);
    assert_equal(&q, "the optimum", value, expected);
    ck_assert_uint_gt(result.expanded, expanded); /* some were computed twice */
}

OG_TEST(exact_is_the_same_on_several_threads)
{
    OWN(question) q = question_of("50x1,1", 75);
    og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_message message = {""};
    OWN(og_exact) *exact = NULL;
    OWN_MPQ one = MPQ_NEW, more = MPQ_NEW;
    exact_value(&q, OG_REDUCE_ALL, one);
    settings.threads = 3;
    question_ok(og_exact_new(q.arms, &settings, &exact, &message), &message, q.words);
    question_ok(og_exact_value(exact, more, NULL, NULL, &message), &message, q.words);
    assert_equal(&q, "the optimum", more, one);
}
