/*
 * Beliefs of a ranking with parameters below the range of doubles: one comparison at a time against
 * the literal moments in MPFR, from the same state.
 */
#include <mpfr.h>

#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_tiny.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(ranking_tiny, 60);

/* 1 - Q and Q - sum of squares lose as many bits as the smallest parameter has zeros, twice at
 * most. */
enum { ITEMS_MAX = 6, SMALLEST = 2500, BITS = 16384 };

static const mpfr_rnd_t near = MPFR_RNDN;

static void clear_all(mpfr_t *numbers, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        mpfr_clear(numbers[k]);
    }
}

static void init_all(mpfr_t *numbers, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        mpfr_init2(numbers[k], BITS);
        mpfr_set_zero(numbers[k], 1);
    }
}

/* Converts a stored number to its parameter. */
static void read_parameter(double told, mpfr_t out)
{
    mpfr_set_d(out, told, near);
    if (told < 0) {
        mpfr_exp2(out, out, near);
    }
}

/* E p and E p^2 of (1 - w) Beta(x, y) + w Beta(x + 1, y), s = x + y. */
static void moments(const mpfr_t x, const mpfr_t s, const mpfr_t w, mpfr_t first, mpfr_t second)
{
    mpfr_t own[4];
    init_all(own, 4);
    mpfr_add_ui(own[0], s, 1, near);
    mpfr_add(first, x, w, near);
    mpfr_div(first, first, own[0], near);
    mpfr_mul_ui(own[1], w, 2, near); /* (1 - w) x (x + 1) + w (x + 1) (x + 2) = (x + 1) (x + 2 w) */
    mpfr_add(own[1], own[1], x, near);
    mpfr_add_ui(own[2], x, 1, near);
    mpfr_mul(own[1], own[1], own[2], near);
    mpfr_add_ui(own[3], s, 2, near);
    mpfr_mul(own[3], own[3], own[0], near);
    mpfr_div(second, own[1], own[3], near);
    clear_all(own, 4);
}

/* The Dirichlet with the means and the sum of second moments of the exact belief; returns its size.
 */
static double literal(const double *a, int32_t items, const double *worker, int32_t winner,
                      int32_t loser, mpfr_t *out)
{
    mpfr_t was[ITEMS_MAX], own[8];
    init_all(was, items);
    init_all(own, 8);
    for (int32_t k = 0; k < items; k++) {
        read_parameter(a[k], was[k]);
        mpfr_add(own[0], own[0], was[k], near); /* the whole */
    }
    mpfr_t *s = &own[1], *up = &own[2], *down = &own[3], *q = &own[4], *squares = &own[5];
    mpfr_add(*s, was[winner], was[loser], near);
    mpfr_set_ui(*up, 1, near);
    if (worker != NULL) {
        mpfr_mul_d(*up, was[winner], worker[0], near);
        mpfr_mul_d(*down, was[loser], worker[1], near);
        mpfr_add(*down, *down, *up, near);
        mpfr_div(*up, *up, *down, near);
    }
    mpfr_ui_sub(*down, 1, *up, near);
    for (int32_t k = 0; k < items; k++) { /* out: E theta_k; q: the sum of E theta_k^2 */
        if (k == winner || k == loser) {
            moments(was[k], *s, k == winner ? *up : *down, out[k], own[6]);
            mpfr_mul(out[k], out[k], *s, near);
            mpfr_mul(own[6], own[6], *s, near);
            mpfr_add_ui(own[7], *s, 1, near);
        } else {
            mpfr_set(out[k], was[k], near);
            mpfr_set(own[6], was[k], near);
            mpfr_add_ui(own[7], was[k], 1, near);
        }
        mpfr_mul(own[6], own[6], own[7], near);
        mpfr_add_ui(own[7], own[0], 1, near);
        mpfr_mul(own[7], own[7], own[0], near);
        mpfr_div(own[6], own[6], own[7], near);
        mpfr_add(*q, *q, own[6], near);
        mpfr_div(out[k], out[k], own[0], near);
        mpfr_sqr(own[7], out[k], near);
        mpfr_add(*squares, *squares, own[7], near);
    }
    mpfr_sub(own[6], *q, *squares, near);
    mpfr_ui_sub(own[7], 1, *q, near);
    mpfr_div(own[7], own[7], own[6], near); /* (1 - Q) / (Q - sum of squared means) */
    for (int32_t k = 0; k < items; k++) {
        mpfr_mul(out[k], out[k], own[7], near);
    }
    double size = mpfr_get_d(own[7], near);
    clear_all(was, items);
    clear_all(own, 8);
    return size;
}

/*
 * Each stored parameter is within three errors: that of some thirty operations on positive numbers,
 * that of the size minus 1, and that of a logarithm's last digit.
 */
static void assert_matches(const double *a, int32_t items, const double *worker, int32_t winner,
                           int32_t loser, const double *after)
{
    mpfr_t right[ITEMS_MAX], found, apart;
    init_all(right, items);
    mpfr_inits2(BITS, found, apart, (mpfr_ptr)NULL);
    double size = literal(a, items, worker, winner, loser, right);
    for (int32_t k = 0; k < items; k++) {
        read_parameter(after[k], found);
        mpfr_sub(apart, found, right[k], near);
        mpfr_div(apart, apart, right[k], near);
        double error = fabs(mpfr_get_d(apart, near)), logarithm = after[k] < 0 ? -after[k] : 0;
        double allowed = 0x1p-52 * (60 * (1 + 1 / size) + logarithm);
        ck_assert_msg(error <= allowed, "item %d of %d: %a after %a, %g apart, allowed %g", (int)k,
                      (int)items, after[k], a[k], error, allowed);
    }
    mpfr_clears(found, apart, (mpfr_ptr)NULL);
    clear_all(right, items);
}

static double any_parameter(random_source *state, bool tiny)
{
    double plain = (1 + (double)random_below(state, 40)) / 8;
    double logarithm = -(double)random_below(state, 4 * SMALLEST) / 4;
    return !tiny ? plain : logarithm < -1021 ? logarithm : exp2(logarithm);
}

OG_TEST_LOOP(one_comparison_has_the_literal_moments, 0, test_cases(200))
{
    random_source state = random_start(test_seed(9100 + (uint64_t)_i));
    int32_t items = 3 + (int32_t)random_below(&state, ITEMS_MAX - 2);
    int32_t winner = (int32_t)random_below(&state, (uint64_t)items);
    int32_t loser = (winner + 1 + (int32_t)random_below(&state, (uint64_t)items - 1)) % items;
    int32_t plain = (int32_t)random_below(&state, (uint64_t)items); /* or nothing has a size */
    double a[ITEMS_MAX], after[ITEMS_MAX], favoured[2] = {1, 0};
    double own[2] = {(1 + (double)random_below(&state, 40)) / 8,
                     (1 + (double)random_below(&state, 40)) / 8};
    const double *worker = _i % 2 == 0 ? NULL : own;
    for (int32_t k = 0; k < items; k++) {
        a[k] = any_parameter(&state, k != plain && _i % 5 != 0 && random_below(&state, 3) > 0);
    }
    memcpy(after, a, sizeof after);
    ck_assert(og_ranking_match_tiny(after, items, worker, winner, loser, favoured));
    assert_matches(a, items, worker, winner, loser, after);
    memcpy(after, a, sizeof after);
    double copy[2] = {own[0], own[1]};
    if (og_ranking_match(after, items, worker != NULL ? copy : NULL, winner, loser)) {
        assert_matches(a, items, worker, winner, loser, after);
    } else {
        ck_assert_ptr_nonnull(worker); /* whose own numbers have left the doubles */
    }
}

/* As `distance` asks in the end: the two smallest again and again, far below the doubles. */
OG_TEST(the_smallest_shrink_as_they_should)
{
    double a[] = {0x1p-20, 1, 0x1p-21, 1, 2}, before[5];
    for (int32_t step = 0; step < 120; step++) {
        int32_t least = 0, next = 1;
        for (int32_t k = 1; k < 5; k++) {
            if (a[k] < a[least]) {
                next = least;
                least = k;
            } else if (k != least && (next == least || a[k] < a[next])) {
                next = k;
            }
        }
        memcpy(before, a, sizeof before);
        ck_assert(og_ranking_match(a, 5, NULL, next, least));
        assert_matches(before, 5, NULL, next, least, a);
    }
    ck_assert_double_lt(fmin(fmin(a[0], a[1]), fmin(a[2], fmin(a[3], a[4]))), 0);
}

OG_TEST(a_share_is_that_of_the_parameters)
{
    random_source state = random_start(test_seed(9200));
    mpfr_t own[2];
    init_all(own, 2);
    for (int32_t k = 0; k < test_cases(200); k++) {
        double x = any_parameter(&state, k % 3 != 0), y = any_parameter(&state, k % 2 != 0);
        read_parameter(x, own[0]);
        read_parameter(y, own[1]);
        mpfr_add(own[1], own[1], own[0], near);
        mpfr_div(own[0], own[0], own[1], near);
        double right = mpfr_get_d(own[0], near), share = og_ranking_share(x, y);
        test_assert_msg(fabs(share - right) <= 0x1p-50 * right + 0x1p-1070, "%a %a: %a, not %a", x,
                        y, share, right);
    }
    clear_all(own, 2);
}
