/*
 * The mean of the largest of independent soft labels: closed forms, sums over the parts of a
 * mixture, and the two ways against each other.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

#include "dp/prior/largest.h"
#include "tests/support.h"

OG_SUITE(largest, 60);

static double mean_of(const char *words, double *error)
{
    og_groups laws;
    double mean;
    test_problem(words, 0, &laws);
    *error = og_largest_mean(&laws, &mean);
    og_groups_clear(&laws);
    return mean;
}

static void check_exactly(const char *words, const char *expected)
{
    OWN(og_groups) laws;
    OWN_MPQ found = MPQ_NEW, truth = MPQ_NEW;
    mpq_set_str(truth, expected, 10);
    test_problem(words, 0, &laws);
    ck_assert_msg(og_largest_exact(&laws, found), "%s", words);
    ck_assert_msg(mpq_equal(found, truth), "%s", words);
}

/* Of n uniform ones n / (n + 1); Beta(2, 1) is the larger of two uniform ones. */
OG_TEST(fractions_of_known_cases)
{
    check_exactly("1,1", "1/2");
    check_exactly("3,5", "3/8");
    check_exactly("9x1,1", "9/10");
    check_exactly("2,1 3,1 1,1", "6/7");
    check_exactly("2x1:1,1+3:2,1", "371/480");
}

OG_TEST(others_are_near_closed_forms)
{
    double error;
    for (int n = 1; n <= 40; n += 13) { /* n of Beta(c, 1) are one Beta(n c, 1) */
        char words[32];
        snprintf(words, sizeof words, "%dx2.5,1", n);
        double found = mean_of(words, &error), truth = 2.5 * n / (2.5 * n + 1);
        ck_assert_msg(error < 1e-15 && fabs(found - truth) <= error + 2e-16, "%s: %.17g", words,
                      found);
    }
    double found = mean_of("2x0.5,0.5", &error); /* arcsine law: 1/2 + 2 / pi^2 */
    ck_assert(error < 1e-15 && fabs(found - 0.5 - 2 / (M_PI * M_PI)) <= error + 1e-15);
}

typedef struct {
    double a[3], b[3];
} three_numbers;

static double beside(double x, void *user)
{
    const three_numbers *three = user;
    double all = 1;
    for (int i = 0; i < 3; i++) {
        all *= gsl_cdf_beta_P(x, three->a[i], three->b[i]);
    }
    return 1 - all;
}

OG_TEST(others_are_those_of_another_integrator)
{
    const three_numbers cases[] = {{{1.5, 0.3, 2}, {2.5, 0.7, 1}},
                                   {{30.5, 7.25, 0.1}, {30, 3, 4}},
                                   {{1.5, 374.5, 100.5}, {300.5, 374.5, 200.5}}};
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[128];
        double error, truth, doubt;
        three_numbers three = cases[i];
        gsl_function f = {beside, &three};
        snprintf(words, sizeof words, "%g,%g %g,%g %g,%g", three.a[0], three.b[0], three.a[1],
                 three.b[1], three.a[2], three.b[2]);
        gsl_integration_qags(&f, 0, 1, 1e-12, 1e-12, 1000, space, &truth, &doubt);
        double found = mean_of(words, &error);
        ck_assert_msg(error < 1e-15 && fabs(found - truth) <= error + doubt + 1e-13,
                      "%s: %.17g, not %.17g", words, found, truth);
    }
    gsl_integration_workspace_free(space);
}

/* A weight of the same parts once more, and a number that is nearly whole. */
OG_TEST(whole_parameters_are_the_limit_of_others)
{
    static const char *const words[][2] = {{"2x2,3 1,4", "2,3 2.000000000001,3 1,4"},
                                           {"2x1:1,1+3:5,2", "2x1:1,1.000000000001+3:5,2"}};
    for (int i = 0; i < 2; i++) {
        double error[2];
        double whole = mean_of(words[i][0], &error[0]), near = mean_of(words[i][1], &error[1]);
        ck_assert_msg(error[0] < 1e-15 && error[1] < 1e-15 && fabs(whole - near) < 1e-12,
                      "%s: %.17g, %.17g", words[i][0], whole, near);
    }
}

OG_TEST(large_ones_have_no_fraction)
{
    og_groups laws;
    double error;
    OWN_MPQ found = MPQ_NEW;
    test_problem("1000x3,2", 0, &laws);
    ck_assert(!og_largest_exact(&laws, found));
    og_groups_clear(&laws);
    ck_assert(mean_of("1000x3,2", &error) > mean_of("500x3,2", &error) && error < 1e-15);
}

OG_TEST(what_takes_too_long_is_not_known)
{
    double error, mean = mean_of("2x10000.5,3", &error);
    ck_assert(isnan(mean) && isnan(error));
}
