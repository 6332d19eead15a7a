/*
 * The approximate posterior of a ranking: known fractions, matched moments, known indices, and long
 * runs of comparisons with tiny parameters.
 */
#include <gsl/gsl_cdf.h>

#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_tiny.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(ranking_belief, 20);

enum { ITEMS_MAX = 40 };

static double above_of(double x, double y)
{
    double above;
    og_ranking_above(&x, &y, 1, &above);
    return above;
}

/* The sum of all parameters; means[k] and the sum of second moments of the Dirichlet. */
static double moments(const double *a, int32_t items, double *means)
{
    double whole = 0, second = 0;
    for (int32_t k = 0; k < items; k++) {
        whole += og_ranking_plain(a[k]);
    }
    for (int32_t k = 0; k < items; k++) {
        means[k] = og_ranking_plain(a[k]) / whole;
        second += means[k] * (og_ranking_plain(a[k]) + 1) / (whole + 1);
    }
    return second;
}

/* After a draw the moments are halfway between those after each of the two has won. */
OG_TEST_LOOP(test_a_draw_is_half_a_win_of_each, 0, 30)
{
    random_source state = random_start(test_seed(7900 + (uint64_t)_i));
    int32_t items = 2 + (int32_t)random_below(&state, 6);
    double a[3][ITEMS_MAX], means[3][ITEMS_MAX], second[3];
    for (int32_t k = 0; k < items; k++) {
        double tiny = _i % 3 == 0 && k == 0 ? 1e-280 : 1; /* its own moments are far below */
        a[0][k] = a[1][k] = a[2][k] = tiny * (1 + random_below(&state, 40)) / 8.;
    }
    ck_assert(og_ranking_draw(a[0], items, 0, 1));
    ck_assert(og_ranking_match(a[1], items, NULL, 0, 1));
    ck_assert(og_ranking_match(a[2], items, NULL, 1, 0));
    for (int32_t k = 0; k < 3; k++) {
        second[k] = moments(a[k], items, means[k]);
    }
    ck_assert_double_eq_tol(second[0], (second[1] + second[2]) / 2, 1e-14);
    for (int32_t k = 0; k < items; k++) {
        ck_assert_double_eq_tol(means[0][k], (means[1][k] + means[2][k]) / 2, 1e-14);
    }
}

OG_TEST_LOOP(test_known_matches, 0, 9)
{
    static const struct {
        int32_t items;
        double a[4], worker[2];
        int32_t winner, loser;
        double after[4], worker_after[2];
    } rows[] = {
        {3, {1, 1, 1}, {0}, 0, 1, {36. / 23, 18. / 23, 27. / 23}, {0}},
        {3, {2, 1, 3}, {0}, 2, 0, {225. / 121, 135. / 121, 450. / 121}, {0}},
        {3, {2, 1, 3}, {0}, 0, 2, {160. / 57, 64. / 57, 160. / 57}, {0}},
        {4, {1, 1, 1, 1}, {0}, 3, 1, {54. / 49, 36. / 49, 54. / 49, 72. / 49}, {0}},
        {2, {5, 2}, {0}, 1, 0, {5, 3}, {0}},
        {3, {1, 1, 1}, {4, 1}, 0, 1, {90. / 71, 60. / 71, 75. / 71}, {4, 1}},
        {3,
         {2, 1, 3},
         {4, 1},
         0,
         2,
         {4325. / 1861, 1903. / 1861, 5190. / 1861},
         {416. / 109, 112. / 109}},
        {3,
         {2, 1, 3},
         {4, 1},
         2,
         0,
         {5300. / 2821, 424. / 403, 9540. / 2821},
         {323. / 77, 76. / 77}},
        {2, {4, 1}, {4, 1}, 1, 0, {39. / 11, 13. / 11}, {39. / 11, 13. / 11}},
    };
    double a[4], worker[2];
    memcpy(a, rows[_i].a, sizeof a);
    memcpy(worker, rows[_i].worker, sizeof worker);
    bool known = worker[0] > 0;
    ck_assert(og_ranking_match(a, rows[_i].items, known ? worker : NULL, rows[_i].winner,
                               rows[_i].loser));
    for (int32_t k = 0; k < rows[_i].items; k++) {
        ck_assert_double_eq_tol(a[k], rows[_i].after[k], 1e-14 * rows[_i].after[k]);
    }
    for (int32_t k = 0; known && k < 2; k++) {
        ck_assert_double_eq_tol(worker[k], rows[_i].worker_after[k],
                                1e-14 * rows[_i].worker_after[k]);
    }
}

/* E x and E x^2 of a mixture of Beta(p + 1, q), with weight f, and Beta(p, q + 1), with weight g.
 */
static void mixture_moments(double p, double q, double f, double g, double moment[2])
{
    double s = p + q + 1;
    moment[0] = (f * (p + 1) + g * p) / s;
    moment[1] = (f * (p + 1) * (p + 2) + g * p * (p + 1)) / (s * (s + 1));
}

/* The sum of both scores and the share of one of them are independent; the comparison depends only
 * on the share. */
OG_TEST_LOOP(test_moments_are_matched, 0, test_cases(50))
{
    random_source state = random_start(test_seed(7300 + (uint64_t)_i));
    int32_t items = 2 + (int32_t)random_below(&state, 6);
    double a[ITEMS_MAX], before[ITEMS_MAX], worker[2], was[2], share[2], other[2], right[2];
    double whole = 0, after = 0, second = 0, matched = 0;
    for (int32_t k = 0; k < items; k++) {
        before[k] = a[k] = (1 + random_below(&state, 40)) / 8.;
        whole += a[k];
    }
    for (int32_t k = 0; k < 2; k++) {
        was[k] = worker[k] = (1 + random_below(&state, 40)) / 8.;
    }
    double chance = og_ranking_chance(a, worker, 1, 0);
    ck_assert_double_eq_tol(chance + og_ranking_chance(a, worker, 0, 1), 1, 1e-15);
    ck_assert(og_ranking_match(a, items, worker, 1, 0));
    double s = before[0] + before[1], r = was[0] / (was[0] + was[1]);
    double up = r * before[1] / s / chance, down = (1 - r) * before[0] / s / chance;
    mixture_moments(before[1], before[0], up, down, share);
    mixture_moments(before[0], before[1], down, up, other);
    mixture_moments(was[0], was[1], up, down, right);
    for (int32_t k = 0; k < items; k++) {
        double *m = k == 1 ? share : other;
        after += a[k];
        second += k > 1 ? before[k] * (before[k] + 1) / (whole * (whole + 1))
                        : m[1] * s * (s + 1) / (whole * (whole + 1));
    }
    for (int32_t k = 0; k < items; k++) {
        double mean = k > 1 ? before[k] / whole : (k == 1 ? share : other)[0] * s / whole;
        ck_assert_double_eq_tol(a[k] / after, mean, 1e-14);
        matched += a[k] * (a[k] + 1) / (after * (after + 1));
    }
    ck_assert_double_eq_tol(matched, second, 1e-13);
    double n = worker[0] + worker[1];
    ck_assert_double_eq_tol(worker[0] / n, right[0], 1e-14);
    ck_assert_double_eq_tol(worker[0] * (worker[0] + 1) / (n * (n + 1)), right[1], 1e-13);
}

OG_TEST(test_known_values)
{
    static const double one[] = {1, 1, 1}, two[] = {2, 1, 3};
    ck_assert(og_ranking_sorted(one, 3) == 0.5);
    ck_assert_double_eq_tol(og_ranking_sorted(two, 3), 37. / 48, 1e-15);
    ck_assert_double_eq_tol(above_of(2, 1), 3. / 4, 1e-15);
    ck_assert_double_eq_tol(above_of(5, 3), 99. / 128, 1e-15);
    ck_assert(above_of(5, 1e-17) == 1 && above_of(5, 1e-300) == 1);
}

/* By another program, and where both parameters are equal. */
OG_TEST(test_chances_of_pairs)
{
    random_source state = random_start(test_seed(7500));
    for (int32_t k = 0; k < 4000; k++) {
        double size = ldexp(1, (int)random_below(&state, 14) - 6);
        double x = size * (1 + random_below(&state, 1000)) / 1000;
        double y = k % 2 == 0 ? size * (1 + random_below(&state, 1000)) / 1000
                              : x * (1 + (double)random_below(&state, 100) / 100 / sqrt(size + 1));
        double known = gsl_cdf_beta_P(0.5, y, x), above = above_of(x, y);
        test_assert_msg(fabs(above - known) <= 2e-12, "%.17g %.17g: %.17g and %.17g", x, y, above,
                        known);
        test_assert_msg(above_of(x, x) == 0.5, "%.17g twice", x);
    }
    ck_assert(above_of(1e15, 1e15) == 0.5 && above_of(1e300, 1e-300) == 1);
    /* By quadrature with 30 digits. */
    ck_assert_double_eq_tol(above_of(67633.152000000002, 67767.65609431795), 0.35735689652290643,
                            1e-13);
    ck_assert_double_eq_tol(above_of(199000, 200050.5), 0.04815982721005683, 1e-13);
    ck_assert_double_eq_tol(above_of(499750, 500250), 0.30853746171166913, 1e-13);
    ck_assert_double_eq_tol(above_of(499750.5, 500250.5), 0.30853746171166913, 1e-6);
}

/* Known to twelve digits. */
OG_TEST_LOOP(test_known_rises, 0, 3)
{
    static const struct {
        double a[3], rise[3]; /* of pairs 12, 13, 23 */
    } rows[] = {
        {{1, 1, 1}, {0.159045366394, 0.159045366394, 0.159045366394}},
        {{2, 1, 3}, {-0.00105227049657, -0.000365967075447, -0.000840185047551}},
        {{36. / 23, 18. / 23, 27. / 23}, {0.0219313797511, 0.0319170967446, 0.0430489733928}},
    };
    const double *a = rows[_i].a;
    double now = og_ranking_sorted(a, 3), after[3], coin[2] = {2, 2}, good[2] = {4, 1};
    for (int32_t i = 0, p = 0; i < 3; i++) {
        for (int32_t j = i + 1; j < 3; j++, p++) {
            double rise = og_ranking_rise(&(og_ranking_match_up){a, 3, NULL, i, j}, now, after);
            ck_assert_double_eq_tol(rise, rows[_i].rise[p], 1e-12);
            ck_assert(og_ranking_rise(&(og_ranking_match_up){a, 3, coin, i, j}, now, after) == 0);
            rise = og_ranking_rise(&(og_ranking_match_up){a, 3, good, i, j}, now, after);
            ck_assert_msg((rise < 0) == (_i == 1), "of a good worker: %g", rise);
        }
    }
}

/* The sum of the parameters never falls where workers are always right. */
OG_TEST_LOOP(test_long_runs, 0, test_cases(20))
{
    random_source state = random_start(test_seed(7400 + (uint64_t)_i));
    enum { WORKERS = 200, STEPS = 2500 };
    int32_t items = 2 + (int32_t)random_below(&state, 14), least_at = 0;
    bool workers = _i % 2 == 1;
    double a[ITEMS_MAX], worker[WORKERS][2], least = 1, whole = items;
    for (int32_t k = 0; k < items; k++) {
        a[k] = 1;
    }
    for (int32_t w = 0; w < WORKERS; w++) {
        worker[w][0] = 4, worker[w][1] = 1;
    }
    for (int32_t t = 0; t < STEPS; t++) { /* the higher number wins, nine times of ten */
        int32_t i = (int32_t)random_below(&state, (uint32_t)items);
        int32_t j = (int32_t)random_below(&state, (uint32_t)items - 1);
        double *who = workers ? worker[random_below(&state, WORKERS)] : NULL;
        double sum = 0;
        j += j >= i;
        bool right = random_below(&state, 10) > 0;
        if (!og_ranking_match(a, items, who, (i > j) == right ? i : j, (i > j) == right ? j : i)) {
            test_assert_msg(least < 1e-250,
                            "refused after %d comparisons of %d items, the least %g", t, items,
                            least); /* below all doubles */
            return;
        }
        for (int32_t k = 0; k < items; k++) {
            sum += a[k];
            least_at = a[k] < least ? k : least_at;
            least = fmin(least, a[k]);
        }
        test_assert_msg(workers || sum >= whole * (1 - 1e-14), "the sum falls from %g to %g", whole,
                        sum);
        whole = sum;
    }
    test_assert_msg(!workers || items < 6 || least < 1e-16, "%d items: nothing is tiny: %g", items,
                    least);
    test_assert_msg(items < 6 || least_at < items / 2, "%d items: the least is number %d", items,
                    least_at);
}

/* Parameters that are too large for a double are refused; those that are too small are stored as
 * logarithms. */
OG_TEST(test_beliefs_out_of_range)
{
    double a[] = {3e-308, 1, 1}, after[3];
    ck_assert(isfinite(
        og_ranking_rise(&(og_ranking_match_up){a, 3, (double[]){4, 1}, 0, 1}, 0.5, after)));
    ck_assert(og_ranking_match(a, 3, (double[]){4, 1}, 1, 0));
    ck_assert(a[0] < -1022 && a[0] > -1030 && a[1] > 0 && a[2] > 0);
    double large[] = {1e308, 1e308, 1};
    ck_assert(!og_ranking_match(large, 3, NULL, 1, 0));
}

/* The chance that Beta(p, q), p >= q, has less than 1/2, term by term. */
static double literal_less(double p, double q)
{
    int sign;
    long double s = (long double)p + q;
    long double density = lgammal_r(s, &sign) - lgammal_r((long double)p + 1, &sign);
    long double term = expl(density - lgammal_r(q, &sign) - s * logl(2)), sum = 0;
    for (int32_t n = 0; term > 0 && (n < 4 * (p + 30) || term > 1e-20L * sum); n++) {
        sum += term;
        term *= (s + n) / (2 * (p + 1 + n));
    }
    return (double)sum;
}

/* From tiny to large parameters, far apart, nearly equal and equal; alone and among others. */
OG_TEST_LOOP(test_chances_are_their_series, 0, test_cases(50))
{
    enum { MANY = 19 };
    random_source random = random_start(test_seed(4100 + (uint64_t)_i));
    double x[MANY], y[MANY], above[MANY];
    for (int32_t k = 0; k < MANY; k++) {
        double near = ldexp(random_below(&random, 1000), -8 - (int)random_below(&random, 40));
        x[k] = exp((double)random_below(&random, 370000) / 10000 - 30);
        y[k] = k % 3 == 0 ? exp((double)random_below(&random, 370000) / 10000 - 30)
                          : x[k] * (k % 3 == 1 ? 1 + near : 1 / (1 + near));
        y[k] = k == 4 ? x[k] : y[k];
    }
    for (int32_t count = 0; count <= MANY; count++) {
        memset(above, 0, sizeof above);
        og_ranking_above(x, y, count, above);
        for (int32_t k = 0; k < count; k++) {
            double less = literal_less(fmax(x[k], y[k]), fmin(x[k], y[k]));
            double known = x[k] > y[k] ? 1 - less : less;
            double off = fabs(above[k] - known);
            test_assert_msg(off <= 1e-12 * known || (known < 1e-270 && above[k] == 0),
                            "%.17g against %.17g: %.17g and %.17g", x[k], y[k], above[k], known);
            test_assert_msg(above[k] == above_of(x[k], y[k]), "%.17g against %.17g alone", x[k],
                            y[k]);
        }
    }
}

/* Chances near the smallest doubles, which sums of ever smaller terms do not leave by themselves.
 */
OG_TEST(test_chances_of_the_smallest_doubles)
{
    for (double p = 880; p < 1120; p += 2.5) {
        for (double q = 0.5; q < 8; q += 0.75) {
            double less = above_of(q, p), more = above_of(p, q);
            ck_assert(less >= 0 && less < 1e-200 && more == 1);
        }
    }
}
