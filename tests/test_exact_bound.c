/*
 * Lagrangian bounds in fractions: known ones, above the oracle's optimum, and where the doubles'
 * bounds say.
 */
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bound.h"
#include "tests/oracle.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(exact_bound, 60);

enum { MEMORY_BYTES = 1 << 30 };

static const random_limits shapes[] = {
    {.instances = 5, .budget = 6, .integers = true},
    {.instances = 3, .budget = 9, .integers = true},
    {.instances = 4, .budget = 7, .integers = true, .halves = true},
    {.instances = 16, .budget = 4, .integers = true},
    {.instances = 4, .budget = 6, .integers = true, .mixtures = true},
    {.instances = 4, .budget = 7, .mixtures = true, .bandit = true},
    {.instances = 4, .budget = 6, .integers = true, .mixtures = true, .payoffs = true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* A problem with all that is asked about it. */
typedef struct {
    og_groups problem;
    og_arms *arms;
    char words[512]; /* as the program takes it, with what finds it again */
} question;

static void assert_ok(og_status status, const og_message *message, const char *words)
{
    ck_assert_msg(status == OG_OK, "%s: status %d: %s", words, status, message->text);
}

static void ask(question *q)
{
    og_message message = {""};
    assert_ok(test_arms_new(&q->problem, 1, MEMORY_BYTES, &q->arms, &message), &message, q->words);
}

static question question_of(const char *words, int32_t budget)
{
    question q;
    test_problem(words, budget, &q.problem);
    snprintf(q.words, sizeof q.words, "-T %d %s", budget, words);
    ask(&q);
    return q;
}

static question random_question(random_source *source, const random_limits *limits, uint64_t seed,
                                int round)
{
    question q;
    char words[400];
    random_problem(source, limits, &q.problem);
    problem_format(&q.problem, words, sizeof words);
    snprintf(q.words, sizeof q.words, "%s (TEST_SEED=%" PRIu64 ", case %d)", words, seed, round);
    ask(&q);
    return q;
}

static void done_with(question *q)
{
    og_arms_free(q->arms);
    og_groups_clear(&q->problem);
}

static void assert_equal(const question *q, const char *what, const mpq_t got, const mpq_t expected)
{
    if (!mpq_equal(got, expected)) {
        char *text[2] = {mpq_get_str(NULL, 10, got), mpq_get_str(NULL, 10, expected)};
        ck_abort_msg("%s: %s is %s, expected %s", q->words, what, text[0], text[1]);
    }
}

static void assert_price(double price, const char *expected)
{
    OWN_MPQ got = MPQ_NEW, fraction = MPQ_NEW;
    og_exact_bound_price(price, got);
    ck_assert_int_eq(mpq_set_str(fraction, expected, 10), 0);
    ck_assert_msg(mpq_equal(got, fraction), "%.17g is not taken for %s", price, expected);
}

OG_TEST(bound_price_is_the_simplest_fraction_nearby)
{
    assert_price(0, "0");
    assert_price(1, "1");
    assert_price(7, "7");
    assert_price(5.0 / 112, "5/112");
    assert_price(nextafter(63.0 / 1664, 1), "63/1664");
    assert_price(nextafter(3.0 / 64, 0), "3/64");
}

static void fill_prices(const og_upper_bound *bound, bool simple, mpq_t *price)
{
    for (int32_t l = 0; l < bound->price_count; l++) {
        mpq_init(price[l]);
        if (simple) {
            og_exact_bound_price(bound->price[l], price[l]);
        } else {
            mpq_set_d(price[l], bound->price[l]);
        }
    }
}

static void bound_at(const question *q, const og_upper_bound *bound, bool simple, mpq_t out)
{
    mpq_t price[128];
    og_message message = {""};
    ck_assert_int_le(bound->price_count, 128);
    fill_prices(bound, simple, price);
    assert_ok(og_exact_bound_evaluate(q->arms, price, bound->price_count, MEMORY_BYTES, NULL, out,
                                      &message),
              &message, q->words);
    for (int32_t l = 0; l < bound->price_count; l++) {
        mpq_clear(price[l]);
    }
}

OG_TEST(exact_bounds_give_the_known_fractions)
{
    OWN(golden_rows) known;
    int checked = 0;
    OWN_MPQ value = MPQ_NEW;
    golden_read(&known);
    for (size_t i = 0; i < known.count; i++) {
        const golden_row *row = &known.row[i];
        if (strcmp(row->quantity, "lagrangian_scalar") != 0) {
            continue;
        }
        question q = question_of(row->problem, row->budget);
        og_upper_bound bound;
        ck_assert_int_eq(og_bound_lagrangian_scalar(q.arms, 1, NULL, &bound), OG_OK);
        bound_at(&q, &bound, true, value);
        assert_equal(&q, row->quantity, value, row->value);
        og_bound_clear(&bound);
        done_with(&q);
        checked++;
    }
    ck_assert_int_ge(checked, 4);
}

/* At the very prices of the doubles the fraction lies in the interval they prove; at the simple
 * ones it is still a bound on the optimum. */
static void assert_bound(const question *q, const og_upper_bound *bound, const mpq_t optimum)
{
    OWN_MPQ value = MPQ_NEW;
    bound_at(q, bound, false, value);
    ck_assert_msg(oracle_within(bound->value - bound->error, bound->error * (1 + 1e-9), value),
                  "%s: the bound %.17g with the error %g is %.17g exactly", q->words, bound->value,
                  bound->error, mpq_get_d(value));
    ck_assert_msg(mpq_cmp(value, optimum) >= 0, "%s: the bound is below the optimum", q->words);
    bound_at(q, bound, true, value);
    ck_assert_msg(mpq_cmp(value, optimum) >= 0, "%s: the bound is below the optimum", q->words);
}

OG_TEST(exact_bound_lies_above_the_optimum_and_where_the_doubles_say)
{
    uint64_t seed = test_seed(171);
    random_source source = random_start(seed);
    OWN_MPQ optimum = MPQ_NEW;
    for (int round = 0; round < test_cases(200); round++) {
        question q = random_question(&source, &shapes[round % SHAPES], seed, round);
        oracle_arms *oracle = oracle_new(&q.problem);
        oracle_optimum(oracle, optimum);
        oracle_free(oracle);
        og_upper_bound bound;
        ck_assert_int_eq(og_bound_lagrangian_scalar(q.arms, 1, NULL, &bound), OG_OK);
        assert_bound(&q, &bound, optimum);
        og_bound_clear(&bound);
        if (q.problem.budget > 0) {
            ck_assert_int_eq(og_bound_lagrangian_vector(q.arms, 1, NULL, &bound), OG_OK);
            assert_bound(&q, &bound, optimum);
            og_bound_clear(&bound);
        }
        done_with(&q);
    }
}

OG_TEST(exact_bound_refuses_wrong_prices)
{
    question q = question_of("2x1,1", 3);
    question real = question_of("2x0.5,1", 3);
    og_message message = {""};
    mpq_t price[3], value;
    mpq_inits(price[0], price[1], price[2], value, NULL);
    mpq_set_si(value, -7, 1);
    ck_assert_int_eq(og_exact_bound_evaluate(q.arms, price, 2, MEMORY_BYTES, NULL, value, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "one for each label"));
    mpq_set_si(price[1], -1, 3);
    ck_assert_int_eq(og_exact_bound_evaluate(q.arms, price, 3, MEMORY_BYTES, NULL, value, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "price 2 is negative"));
    ck_assert_int_eq(
        og_exact_bound_evaluate(real.arms, price, 1, MEMORY_BYTES, NULL, value, &message),
        OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "0.5,1"));
    ck_assert_int_eq(og_exact_bound_evaluate(q.arms, price, 1, 10, NULL, value, &message),
                     OG_STOPPED);
    ck_assert(mpq_cmp_si(value, -7, 1) == 0);
    mpq_clears(price[0], price[1], price[2], value, NULL);
    done_with(&q);
    done_with(&real);
}

/* Says stop when it is asked for the second time; asked whenever it can be. */
typedef struct {
    og_stop stop;
    int looks;
} second_look;

static bool stop_at_the_second(void *user, const og_progress *progress)
{
    second_look *at = user;
    (void)progress;
    at->stop.looked = at->stop.called = -INFINITY;
    return ++at->looks < 2;
}

OG_TEST(exact_bound_is_stopped_at_a_look_and_leaves_nothing)
{
    question q = question_of("2x1,1 2,1", 24);
    for (int32_t count = 1; count <= 24; count += 23) {
        og_message message = {""};
        second_look at = {.looks = 0};
        mpq_t price[24], value;
        mpq_init(value);
        mpq_set_si(value, -7, 1);
        for (int32_t l = 0; l < count; l++) {
            mpq_init(price[l]);
            mpq_set_ui(price[l], 1, 100 + (unsigned long)l);
        }
        og_stop_init(&at.stop, stop_at_the_second, &at);
        at.stop.looked = -INFINITY;
        ck_assert_int_eq(
            og_exact_bound_evaluate(q.arms, price, count, MEMORY_BYTES, &at.stop, value, &message),
            OG_STOPPED);
        ck_assert_str_ne(message.text, "");
        ck_assert_int_eq(at.looks, 2);
        ck_assert(mpq_cmp_si(value, -7, 1) == 0);
        for (int32_t l = 0; l < count; l++) {
            mpq_clear(price[l]);
        }
        mpq_clear(value);
    }
    done_with(&q);
}
