/*
 * Fitting a Beta prior: the moments against the formula in rationals; the likelihood against the
 * labels' probabilities multiplied one after the other; its maximum against closed forms, against
 * the gradient by GSL's digamma, and against every point of a grid.
 */
#include "bench/recorded/fit.h"

#include <check.h>
#include <float.h>
#include <gmp.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/prior/problem.h"
#include "tests/random_problem.h"
#include "tests/support.h"

/* Labels with ones[i] ones of total[i] on task i; the ones come first. */
static og_labels labels_of(int tasks, const int *ones, const int *total)
{
    og_labels made = {.task_count = (uint32_t)tasks, .worker_count = 1};
    for (int i = 0; i < tasks; i++) {
        made.label_count += total[i];
    }
    made.task = calloc((size_t)made.label_count, sizeof *made.task);
    made.worker = calloc((size_t)made.label_count, sizeof *made.worker);
    made.label = calloc((size_t)made.label_count, sizeof *made.label);
    ck_assert(made.task != NULL && made.worker != NULL && made.label != NULL);
    int64_t row = 0;
    for (int i = 0; i < tasks; i++) {
        for (int label = 0; label < total[i]; label++, row++) {
            made.task[row] = (uint32_t)i;
            made.label[row] = label < ones[i];
        }
    }
    return made;
}

static void assert_fits(og_status (*fit)(const og_labels *, og_fit *, og_message *),
                        const og_labels *labels, og_fit *out)
{
    og_message message = {""};
    og_status status = fit(labels, out, &message);
    ck_assert_msg(status == OG_OK, "status %d: %s", status, message.text);
}

enum { TASKS_MOST = 40 };

typedef struct {
    int tasks;
    int ones[TASKS_MOST];
    int total[TASKS_MOST];
} recorded;

/* Tasks that differ by more than chance, so that both fits exist: their soft labels are spread. */
static recorded random_record(random_source *source)
{
    recorded made = {.tasks = 10 + (int)random_below(source, TASKS_MOST - 9)};
    bool same = random_below(source, 2) == 0;
    int labels = 2 + (int)random_below(source, 12);
    for (int i = 0; i < made.tasks; i++) {
        made.total[i] = same ? labels : 1 + (int)random_below(source, 14);
        uint32_t soft = random_below(source, 1001);
        for (int label = 0; label < made.total[i]; label++) {
            made.ones[i] += random_below(source, 1000) < soft;
        }
    }
    return made;
}

/* ---- moments ---- */

/* m, v and a = m q, b = (1 - m) q, q = m (1 - m) / v - 1, as fractions. */
static void moments_in_rationals(const recorded *record, mpq_t m, mpq_t v, mpq_t a, mpq_t b)
{
    mpq_t x, size;
    mpq_inits(x, size, NULL);
    mpq_set_si(size, record->tasks, 1);
    mpq_set_ui(m, 0, 1);
    mpq_set_ui(v, 0, 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < record->tasks; i++) {
            mpq_set_si(x, record->ones[i], (unsigned long)record->total[i]);
            mpq_canonicalize(x);
            if (pass == 1) {
                mpq_sub(x, x, m);
                mpq_mul(x, x, x);
            }
            mpq_add(pass == 0 ? m : v, pass == 0 ? m : v, x);
        }
        mpq_div(pass == 0 ? m : v, pass == 0 ? m : v, size);
    }
    mpq_set_ui(x, 1, 1);
    mpq_sub(x, x, m); /* 1 - m */
    mpq_mul(a, m, x);
    mpq_div(a, a, v);
    mpq_set_ui(size, 1, 1);
    mpq_sub(size, a, size); /* q */
    mpq_mul(a, m, size);
    mpq_mul(b, x, size);
    mpq_clears(x, size, NULL);
}

/*
 * u = 2^-53. m and v arrive rounded from sums in long double: (1 + e)u, e < 2^-4 for 40 tasks. 1 -
 * m adds m/(1 - m) u' of itself and a rounding, the two products and the quotient one u each, the
 * -1 multiplies by (q + 1)/q. Twice the sum of these.
 */
static double moments_tolerance(double m, double q)
{
    return 2 * (6 + m / (1 - m)) * (q + 1) / q * (DBL_EPSILON / 2) + 4 * DBL_EPSILON;
}

START_TEST(moments_equal_the_formula_in_rationals)
{
    uint64_t seed = test_seed(31);
    random_source source = random_start(seed);
    mpq_t m, v, a, b;
    mpq_inits(m, v, a, b, NULL);
    for (int round = 0; round < test_cases(200); round++) {
        recorded record = random_record(&source);
        og_labels labels = labels_of(record.tasks, record.ones, record.total);
        og_fit fit;
        assert_fits(og_fit_moments, &labels, &fit);
        moments_in_rationals(&record, m, v, a, b);
        double tolerance =
            moments_tolerance(mpq_get_d(m), mpq_get_d(a) + mpq_get_d(b)); /* relative */
        bool right = fabs(fit.mean - mpq_get_d(m)) <= 2 * DBL_EPSILON * fit.mean &&
                     fabs(fit.variance - mpq_get_d(v)) <= 2 * DBL_EPSILON * fit.variance &&
                     fabs(fit.a - mpq_get_d(a)) <= tolerance * fit.a &&
                     fabs(fit.b - mpq_get_d(b)) <= tolerance * fit.b;
        ck_assert_msg(right, "seed %llu, case %d: %.17g,%.17g is not %.17g,%.17g",
                      (unsigned long long)seed, round, fit.a, fit.b, mpq_get_d(a), mpq_get_d(b));
        ck_assert_int_eq(fit.task_count, record.tasks);
        ck_assert_int_eq(fit.label_count, labels.label_count);
        og_labels_clear(&labels);
    }
    mpq_clears(m, v, a, b, NULL);
}
END_TEST

/* ---- likelihood ---- */

/* The labels as they came: each one's probability given the ones before it on its task. */
static double log_likelihood_label_by_label(const og_labels *labels, double a, double b)
{
    long double *ones = calloc(labels->task_count, sizeof *ones);
    long double *zeros = calloc(labels->task_count, sizeof *zeros);
    ck_assert(ones != NULL && zeros != NULL);
    long double sum = 0;
    for (int64_t row = 0; row < labels->label_count; row++) {
        uint32_t task = labels->task[row];
        long double both = (long double)a + b + ones[task] + zeros[task];
        sum += logl((labels->label[row] ? a + ones[task] : b + zeros[task]) / both);
        (labels->label[row] ? ones : zeros)[task]++;
    }
    free(ones);
    free(zeros);
    return (double)sum;
}

/* Each label puts a rounded a + j (or b + j) under a logarithm: 2^-53; the sum is rounded once, and
 * what is left is long double's. */
static double likelihood_tolerance(const og_labels *labels, double value)
{
    return (double)labels->label_count * DBL_EPSILON + 2 * DBL_EPSILON * fabs(value);
}

static void assert_likelihood(const og_labels *labels, const og_fit *fit)
{
    double literal = log_likelihood_label_by_label(labels, fit->a, fit->b);
    ck_assert_double_eq_tol(fit->log_likelihood, literal, likelihood_tolerance(labels, literal));
}

/* The derivatives of ln L in ln a and ln b by digamma functions, and the sizes of their terms. */
typedef struct {
    double slope[2];
    double size[2];
} slopes;

static slopes slopes_at(const og_labels *labels, double a, double b)
{
    slopes at = {{0}, {0}};
    int64_t *ones = calloc(labels->task_count, sizeof *ones);
    int64_t *total = calloc(labels->task_count, sizeof *total);
    ck_assert(ones != NULL && total != NULL);
    og_labels_count(labels, ones, total);
    for (uint32_t i = 0; i < labels->task_count; i++) {
        double all = gsl_sf_psi(a + b + (double)total[i]) - gsl_sf_psi(a + b);
        double one = gsl_sf_psi(a + (double)ones[i]) - gsl_sf_psi(a);
        double zero = gsl_sf_psi(b + (double)(total[i] - ones[i])) - gsl_sf_psi(b);
        at.slope[0] += a * (one - all);
        at.size[0] += a * (one + all);
        at.slope[1] += b * (zero - all);
        at.size[1] += b * (zero + all);
    }
    free(ones);
    free(total);
    return at;
}

/* fit.h: each derivative is at most this part of its size. Digamma's own error, some 1e-15 of
 * psi(a + b + n), is below 1e-11 of the size for the records here. */
static const double PROMISED = 1.01e-9;

static void assert_stationary(const og_labels *labels, const og_fit *fit)
{
    slopes at = slopes_at(labels, fit->a, fit->b);
    for (int k = 0; k < 2; k++) {
        ck_assert_msg(fabs(at.slope[k]) <= PROMISED * at.size[k],
                      "Beta(%.17g,%.17g): derivative %g of terms %g", fit->a, fit->b, at.slope[k],
                      at.size[k]);
    }
}

/*
 * How far from the maximum (a, b), relatively, derivatives as small as promised can be: the inverse
 * of the second derivatives, from differences of the first, times them. Twice, for the third.
 */
static void assert_maximum_at(const og_labels *labels, const og_fit *fit, double a, double b)
{
    const double h = 1e-4;
    slopes at = slopes_at(labels, a, b);
    slopes x = slopes_at(labels, a * exp(h), b), y = slopes_at(labels, a, b * exp(h));
    double xx = (x.slope[0] - at.slope[0]) / h, xy = (x.slope[1] - at.slope[1]) / h,
           yy = (y.slope[1] - at.slope[1]) / h, determinant = xx * yy - xy * xy;
    ck_assert(xx < 0 && determinant > 0);
    double far = 2 * PROMISED / determinant;
    ck_assert_double_eq_tol(log(fit->a / a), 0,
                            far * (fabs(yy) * at.size[0] + fabs(xy) * at.size[1]));
    ck_assert_double_eq_tol(log(fit->b / b), 0,
                            far * (fabs(xy) * at.size[0] + fabs(xx) * at.size[1]));
}

/* No point of a grid over all that a prior may be does better, nor one close by. */
static void assert_likeliest(const og_labels *labels, const og_fit *fit, uint64_t seed, int round)
{
    double tolerance = 2 * likelihood_tolerance(labels, fit->log_likelihood);
    for (int i = -40; i <= 40; i++) {
        for (int j = -40; j <= 40; j++) {
            double far[] = {exp(0.34 * i), exp(0.34 * j)}; /* 1.2e-6 .. 8e5 */
            double near[] = {fit->a * exp(1e-4 * i), fit->b * exp(1e-4 * j)};
            double best = fmax(log_likelihood_label_by_label(labels, far[0], far[1]),
                               log_likelihood_label_by_label(labels, near[0], near[1]));
            ck_assert_msg(best <= fit->log_likelihood + tolerance,
                          "seed %llu, case %d: ln L %.17g at %.17g,%.17g, but %.17g was found",
                          (unsigned long long)seed, round, fit->log_likelihood, fit->a, fit->b,
                          best);
        }
    }
}

START_TEST(ml_is_the_largest_likelihood)
{
    uint64_t seed = test_seed(32);
    random_source source = random_start(seed);
    int fitted = 0;
    for (int round = 0; round < test_cases(12); round++) {
        recorded record = random_record(&source);
        og_labels labels = labels_of(record.tasks, record.ones, record.total);
        og_fit ml, moments;
        assert_fits(og_fit_moments, &labels, &moments);
        assert_likelihood(&labels, &moments);
        og_message message;
        if (og_fit_ml(&labels, &ml, &message) == OG_OK) {
            assert_likelihood(&labels, &ml);
            assert_stationary(&labels, &ml);
            ck_assert(ml.log_likelihood >= moments.log_likelihood);
            assert_likeliest(&labels, &ml, seed, round);
            fitted++;
        }
        og_labels_clear(&labels);
    }
    /* A few may differ by no more than chance. */
    ck_assert_int_ge(fitted, test_cases(12) * 10 / 12);
}
END_TEST

/*
 * Two labels on each task: the tasks with 0, 1 and 2 ones are three frequencies, and where they are
 * spread more than chance has it a Beta meets them exactly:
 * Pr(one of each) = 2 m (1 - m) (1 - 1/(a + b + 1)).
 */
static og_labels pairs(const int *tasks_with)
{
    int ones[300], total[300], tasks = 0;
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < tasks_with[kind]; i++) {
            ones[tasks] = kind;
            total[tasks++] = 2;
        }
    }
    return labels_of(tasks, ones, total);
}

START_TEST(ml_meets_the_frequencies_of_pairs_exactly)
{
    static const int rows[][3] = {{3, 2, 5},    {1, 1, 1}, {4, 1, 4}, {40, 9, 3},
                                  {90, 40, 30}, {1, 1, 9}, {7, 9, 8}, {2, 7, 9}};
    const int *with = rows[_i];
    og_labels labels = pairs(with);
    double tasks = with[0] + with[1] + with[2], mean = (with[2] + 0.5 * with[1]) / tasks;
    double share = 1 - with[1] / tasks / (2 * mean * (1 - mean)), both = 1 / share - 1;
    og_fit fit;
    assert_fits(og_fit_ml, &labels, &fit);
    assert_stationary(&labels, &fit);
    assert_maximum_at(&labels, &fit, both * mean, both * (1 - mean));
    og_labels_clear(&labels);
}
END_TEST

/* ---- known values ---- */

static void read_file(const test_path *path, og_labels *out)
{
    og_message message = {""};
    og_status status = og_labels_read(path->text, out, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
}

/* [spec section 1; Hu and Frazier 7.2], to the digits given */
START_TEST(fit_gives_the_known_priors_of_rte)
{
    test_path path = test_shared_data_path("rte/labels.tsv");
    if (path.text[0] == '\0') {
        puts("SKIPPED fit_gives_the_known_priors_of_rte: no rte/labels.tsv (set OPTGAP_SHARED)");
        return;
    }
    og_labels labels;
    og_fit fit;
    read_file(&path, &labels);
    assert_fits(og_fit_moments, &labels, &fit);
    ck_assert_double_eq_tol(fit.a, 1.2323648844, 0.5e-10);
    ck_assert_double_eq_tol(fit.b, 0.9197676359, 0.5e-10);
    assert_likelihood(&labels, &fit);
    assert_fits(og_fit_ml, &labels, &fit);
    ck_assert_double_eq_tol(fit.a, 1.88659, 0.5e-5);
    ck_assert_double_eq_tol(fit.b, 1.37383, 0.5e-5);
    assert_likelihood(&labels, &fit);
    assert_stationary(&labels, &fit);
    og_labels_clear(&labels);
}
END_TEST

/* Computed apart: the moments in fractions, the maximum by mpmath's findroot at 30 digits. */
START_TEST(fit_gives_the_known_priors_of_the_sample)
{
    test_path path = test_source_path("tests/data/sample-labels.tsv");
    og_labels labels;
    og_fit fit;
    read_file(&path, &labels);
    assert_fits(og_fit_moments, &labels, &fit);
    ck_assert_double_eq_tol(fit.mean, 83.0 / 160, DBL_EPSILON);
    ck_assert_double_eq_tol(fit.variance, 2411.0 / 25600, DBL_EPSILON);
    double tolerance = moments_tolerance(83.0 / 160, 31840.0 / 19288);
    ck_assert_double_eq_tol(fit.a, 16517.0 / 19288, tolerance);
    ck_assert_double_eq_tol(fit.b, 15323.0 / 19288, tolerance);
    assert_fits(og_fit_ml, &labels, &fit);
    assert_maximum_at(&labels, &fit, 1.25598715531755157824, 1.18151957347872806901);
    og_labels_clear(&labels);
}
END_TEST

/* What is printed goes back in as an INSTANCE. */
START_TEST(fit_is_a_prior_that_the_program_accepts)
{
    random_source source = random_start(test_seed(33));
    for (int round = 0; round < 50; round++) {
        recorded record = random_record(&source);
        og_labels labels = labels_of(record.tasks, record.ones, record.total);
        og_fit fit;
        assert_fits(og_fit_moments, &labels, &fit);
        char word[64];
        og_group group;
        snprintf(word, sizeof word, "10x%.12g,%.12g", fit.a, fit.b);
        ck_assert_msg(og_group_parse(word, &group, NULL) == OG_OK, "%s", word);
        og_labels_clear(&labels);
    }
}
END_TEST

/* ---- what cannot be fitted ---- */

/* Refused with these words and with something to do instead; the output untouched. */
static void assert_refused(og_status (*fit)(const og_labels *, og_fit *, og_message *),
                           const og_labels *labels, const char *words)
{
    og_fit out, before;
    memset(&out, 0x5A, sizeof out);
    memset(&before, 0x5A, sizeof before);
    og_message message = {""};
    og_status status = fit(labels, &out, &message);
    ck_assert_msg(status == OG_BAD_INPUT, "status %d, expected: %s", status, words);
    ck_assert_msg(strstr(message.text, words) != NULL, "\"%s\" does not say \"%s\"", message.text,
                  words);
    ck_assert_msg(strstr(message.text, "prior of your own") != NULL, "\"%s\" leaves one stranded",
                  message.text);
    ck_assert_int_eq(memcmp(&out, &before, sizeof out), 0);
}

static const struct {
    recorded record;
    const char *words;
} hopeless[] = {
    {{1, {3}, {5}}, "one task only"},
    {{1, {1}, {1}}, "one task only"},
    {{3, {2, 1, 4}, {2, 1, 4}}, "every label is 1"},
    {{2, {0, 0}, {3, 4}}, "every label is 0"},
    {{2, {2, 0}, {2, 5}}, "every task is unanimous"},
    {{4, {1, 0, 1, 1}, {1, 1, 1, 1}}, "none has two labels"},
    {{3, {1, 2, 5}, {2, 4, 10}}, "the variance is 0"},
    {{2, {1, 1}, {3, 3}}, "the variance is 0"},
    {{2, {1, 3}, {3, 9}}, "the same fraction of ones, 0.3333"},
};

START_TEST(both_methods_refuse_labels_that_say_nothing)
{
    const recorded *record = &hopeless[_i].record;
    og_labels labels = labels_of(record->tasks, record->ones, record->total);
    assert_refused(og_fit_moments, &labels, hopeless[_i].words);
    assert_refused(og_fit_ml, &labels, hopeless[_i].words);
    og_labels_clear(&labels);
}
END_TEST

START_TEST(moments_refuse_a_prior_out_of_range)
{
    /* v = 2^-2 / 4e6 and less: a + b beyond 4e6 */
    const int close[] = {1000, 1001}, even[] = {2000, 2000};
    og_labels labels = labels_of(2, close, even);
    assert_refused(og_fit_moments, &labels, "almost all the same");
    og_labels_clear(&labels);

    /* one task of 10000 is not unanimous: q is about 4e-7 */
    enum { TASKS = 10000 };
    int *ones = calloc(TASKS, sizeof *ones), *total = calloc(TASKS, sizeof *total);
    ck_assert(ones != NULL && total != NULL);
    for (int i = 0; i < TASKS; i++) {
        ones[i] = i % 2;
        total[i] = 1;
    }
    total[1] = 1000;
    labels = labels_of(TASKS, ones, total);
    assert_refused(og_fit_moments, &labels, "almost all 0 or 1");
    og_labels_clear(&labels);
    free(ones);
    free(total);
}
END_TEST

/* Pairs as spread as chance has them (1,2,1), or less: the likelihood has its supremum at infinity.
 */
START_TEST(ml_refuses_tasks_that_differ_by_chance_alone)
{
    static const int rows[][3] = {{1, 2, 1}, {4, 4, 1}, {2, 5, 2}, {1, 9, 1}, {25, 50, 25}};
    og_labels labels = pairs(rows[_i]);
    assert_refused(og_fit_ml, &labels, "no more than chance");
    og_fit fit;
    assert_fits(og_fit_moments, &labels, &fit); /* as the message says, this one exists */
    og_labels_clear(&labels);
}
END_TEST

/* Pairs again, one split task among all: a + b is about 1/(2 m (1 - m) tasks). */
START_TEST(ml_refuses_a_prior_below_the_range)
{
    enum { TASKS = 800000 };
    int *ones = calloc(TASKS, sizeof *ones), *total = calloc(TASKS, sizeof *total);
    ck_assert(ones != NULL && total != NULL);
    for (int i = 0; i < TASKS; i++) {
        ones[i] = i % 2 * 2;
        total[i] = 2;
    }
    ones[0] = 1; /* m = 1/2: a + b = 2.5e-6 */
    og_labels labels = labels_of(TASKS, ones, total);
    og_fit fit;
    assert_fits(og_fit_ml, &labels, &fit);
    ck_assert_double_eq_tol(fit.a, 1.25e-6, 1e-11); /* 1/(a + b) is 399999 + O(1) */
    og_labels_clear(&labels);
    for (int i = 1; i < TASKS; i += 2) {
        ones[i] = i % 8 == 1 ? 2 : 0; /* m = 1/8: a + b = 5.7e-6, a = 7e-7 */
    }
    labels = labels_of(TASKS, ones, total);
    assert_refused(og_fit_ml, &labels, "almost every task is unanimous");
    og_labels_clear(&labels);
    free(ones);
    free(total);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit");
    TCase *value = test_group(suite, "value", 60), *contract = test_group(suite, "contract", 60);
    tcase_add_test(value, moments_equal_the_formula_in_rationals);
    tcase_add_test(value, ml_is_the_largest_likelihood);
    tcase_add_loop_test(value, ml_meets_the_frequencies_of_pairs_exactly, 0, 8);
    tcase_add_test(value, fit_gives_the_known_priors_of_rte);
    tcase_add_test(value, fit_gives_the_known_priors_of_the_sample);
    tcase_add_test(value, fit_is_a_prior_that_the_program_accepts);
    tcase_add_loop_test(contract, both_methods_refuse_labels_that_say_nothing, 0,
                        sizeof hopeless / sizeof *hopeless);
    tcase_add_test(contract, moments_refuse_a_prior_out_of_range);
    tcase_add_loop_test(contract, ml_refuses_tasks_that_differ_by_chance_alone, 0, 5);
    tcase_add_test(contract, ml_refuses_a_prior_below_the_range);
    return test_run(suite);
}
