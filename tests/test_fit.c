/*
 * Fitting a prior: the moments and the paper's formula against themselves in rationals; the
 * likelihood against the labels' probabilities multiplied one after the other; its maximum against
 * closed forms, against the gradient by GSL's digamma, and against every point of a grid; the
 * standard errors against differences of the gradient; all methods but the paper's against the
 * priors that tasks were drawn from.
 */
#include "bench/recorded/fit.h"

#include <float.h>
#include <gsl/gsl_sf_psi.h>

#include "dp/prior/problem.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(fit, 60);

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

static void assert_fits(og_fit_method method, const og_labels *labels, og_fit *out)
{
    og_message message = {""};
    og_status status = og_fit_prior(labels, method, out, &message);
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

/* ---- the paper's formula ---- */

/* m, v and a = m q, b = (1 - m) q, q = m (1 - m) / v - 1, as fractions. */
static void moments_in_rationals(const recorded *record, mpq_t m, mpq_t v, mpq_t a, mpq_t b)
{
    OWN_MPQ x = MPQ_NEW, size = MPQ_NEW;
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

OG_TEST(paper_equals_the_formula_in_rationals)
{
    uint64_t seed = test_seed(31);
    random_source source = random_start(seed);
    OWN_MPQ m = MPQ_NEW, v = MPQ_NEW, a = MPQ_NEW, b = MPQ_NEW;
    for (int round = 0; round < test_cases(200); round++) {
        recorded record = random_record(&source);
        og_labels labels = labels_of(record.tasks, record.ones, record.total);
        og_fit fit;
        assert_fits(OG_FIT_PAPER, &labels, &fit);
        moments_in_rationals(&record, m, v, a, b);
        double tolerance =
            moments_tolerance(mpq_get_d(m), mpq_get_d(a) + mpq_get_d(b)); /* relative */
        bool right = fabs(fit.mean[0] - mpq_get_d(m)) <= 2 * DBL_EPSILON * fit.mean[0] &&
                     fabs(fit.variance - mpq_get_d(v)) <= 2 * DBL_EPSILON * fit.variance &&
                     fabs(fit.parameter[0] - mpq_get_d(a)) <= tolerance * fit.parameter[0] &&
                     fabs(fit.parameter[1] - mpq_get_d(b)) <= tolerance * fit.parameter[1];
        ck_assert_msg(right, "seed %llu, case %d: %.17g,%.17g is not %.17g,%.17g",
                      (unsigned long long)seed, round, fit.parameter[0], fit.parameter[1],
                      mpq_get_d(a), mpq_get_d(b));
        ck_assert_int_eq(fit.task_count, record.tasks);
        ck_assert_int_eq(fit.label_count, labels.label_count);
        og_labels_clear(&labels);
    }
}

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

/* Each label adds the logarithm of a rounded a + j (or b + j): 2^-53; the sum is rounded once, and
 * the rest has the error of long doubles. */
static double likelihood_tolerance(const og_labels *labels, double value)
{
    return (double)labels->label_count * DBL_EPSILON + 2 * DBL_EPSILON * fabs(value);
}

static void assert_likelihood(const og_labels *labels, const og_fit *fit)
{
    double literal = log_likelihood_label_by_label(labels, fit->parameter[0], fit->parameter[1]);
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
    for (int64_t i = 0; i < labels->label_count; i++) {
        ones[labels->task[i]] += labels->label[i];
        total[labels->task[i]]++;
    }
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
    slopes at = slopes_at(labels, fit->parameter[0], fit->parameter[1]);
    for (int k = 0; k < 2; k++) {
        ck_assert_msg(fabs(at.slope[k]) <= PROMISED * at.size[k],
                      "Beta(%.17g,%.17g): derivative %g of terms %g", fit->parameter[0],
                      fit->parameter[1], at.slope[k], at.size[k]);
    }
}

/*
 * The standard errors from the inverse of the second derivatives in a and b, from differences of
 * the gradient: g_a(a + h) - g_a(a - h) over 2h, off by h^2 times the third derivative, here with
 * h = 1e-4 a some 1e-8 of it.
 */
static void assert_standard_errors(const og_labels *labels, const og_fit *fit)
{
    double at[2] = {fit->parameter[0], fit->parameter[1]}, second[2][2];
    for (int k = 0; k < 2; k++) {
        double h = 1e-4 * at[k];
        slopes more = slopes_at(labels, at[0] + (k == 0 ? h : 0), at[1] + (k == 1 ? h : 0));
        slopes less = slopes_at(labels, at[0] - (k == 0 ? h : 0), at[1] - (k == 1 ? h : 0));
        for (int l = 0; l < 2; l++) {
            double up = at[l] + (k == l ? h : 0), down = at[l] - (k == l ? h : 0);
            second[k][l] = (more.slope[l] / up - less.slope[l] / down) / (2 * h);
        }
    }
    double determinant = second[0][0] * second[1][1] - second[0][1] * second[1][0];
    for (int k = 0; k < 2; k++) {
        double error = sqrt(-second[1 - k][1 - k] / determinant);
        ck_assert_double_eq_tol(fit->standard_error[k] / error, 1, 1e-4);
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
    ck_assert_double_eq_tol(log(fit->parameter[0] / a), 0,
                            far * (fabs(yy) * at.size[0] + fabs(xy) * at.size[1]));
    ck_assert_double_eq_tol(log(fit->parameter[1] / b), 0,
                            far * (fabs(xy) * at.size[0] + fabs(xx) * at.size[1]));
}

/* No point of a grid over all that a prior may be does better, nor one close by. */
static void assert_likeliest(const og_labels *labels, const og_fit *fit, uint64_t seed, int round)
{
    double tolerance = 2 * likelihood_tolerance(labels, fit->log_likelihood);
    for (int i = -40; i <= 40; i++) {
        for (int j = -40; j <= 40; j++) {
            double far[] = {exp(0.34 * i), exp(0.34 * j)}; /* 1.2e-6 .. 8e5 */
            double near[] = {fit->parameter[0] * exp(1e-4 * i), fit->parameter[1] * exp(1e-4 * j)};
            double best = fmax(log_likelihood_label_by_label(labels, far[0], far[1]),
                               log_likelihood_label_by_label(labels, near[0], near[1]));
            ck_assert_msg(best <= fit->log_likelihood + tolerance,
                          "seed %llu, case %d: ln L %.17g at %.17g,%.17g, but %.17g was found",
                          (unsigned long long)seed, round, fit->log_likelihood, fit->parameter[0],
                          fit->parameter[1], best);
        }
    }
}

OG_TEST(ml_is_the_largest_likelihood)
{
    uint64_t seed = test_seed(32);
    random_source source = random_start(seed);
    int fitted = 0;
    for (int round = 0; round < test_cases(12); round++) {
        recorded record = random_record(&source);
        og_labels labels = labels_of(record.tasks, record.ones, record.total);
        og_fit ml, paper;
        assert_fits(OG_FIT_PAPER, &labels, &paper);
        assert_likelihood(&labels, &paper);
        og_message message;
        if (og_fit_prior(&labels, OG_FIT_ML, &ml, &message) == OG_OK) {
            assert_likelihood(&labels, &ml);
            assert_stationary(&labels, &ml);
            assert_standard_errors(&labels, &ml);
            ck_assert(ml.log_likelihood >= paper.log_likelihood);
            assert_likeliest(&labels, &ml, seed, round);
            fitted++;
        }
        og_labels_clear(&labels);
    }
    /* A few may differ by no more than chance. */
    ck_assert_int_ge(fitted, test_cases(12) * 10 / 12);
}

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

OG_TEST_LOOP(ml_meets_the_frequencies_of_pairs_exactly, 0, 8)
{
    static const int rows[][3] = {{3, 2, 5},    {1, 1, 1}, {4, 1, 4}, {40, 9, 3},
                                  {90, 40, 30}, {1, 1, 9}, {7, 9, 8}, {2, 7, 9}};
    const int *with = rows[_i];
    og_labels labels = pairs(with);
    double tasks = with[0] + with[1] + with[2], mean = (with[2] + 0.5 * with[1]) / tasks;
    double share = 1 - with[1] / tasks / (2 * mean * (1 - mean)), both = 1 / share - 1;
    og_fit fit;
    assert_fits(OG_FIT_ML, &labels, &fit);
    assert_stationary(&labels, &fit);
    assert_maximum_at(&labels, &fit, both * mean, both * (1 - mean));
    og_labels_clear(&labels);
}

/* ---- the moments ---- */

/*
 * Computed by hand. Two labels each on tasks with 0, 1, 2 ones, three of each: S = 2 (3/4 + 3/4) =
 * 3 without the factor 2 of both classes, G = 1/4. The sums of 1 - n/w and of (n - 1)(1 - n/w) are
 * both 9 - 1 = 8. So rho = (3 - 2) / 2 = 1/2, and a + b = 1. Then tasks with 4 of 4, 0 of 4, 1 of 2
 * and 1 of 2: p = 1/2, S = 2, sum of 1 - n/w = 4 - 1 = 3, of (n - 1) of it 2 * 3 * 2/3 + 2 * 5/6 =
 * 17/3: rho = (2 - 3/4) / (17/12) = 15/17, a + b = 2/15.
 */
OG_TEST(moments_are_those_of_small_tables)
{
    static const struct {
        int tasks, ones[9], total[9];
        double each;
    } table[] = {
        {9, {0, 0, 0, 1, 1, 1, 2, 2, 2}, {2, 2, 2, 2, 2, 2, 2, 2, 2}, 0.5},
        {4, {4, 0, 1, 1}, {4, 4, 2, 2}, 1.0 / 15},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        og_labels labels = labels_of(table[i].tasks, table[i].ones, table[i].total);
        og_fit fit;
        assert_fits(OG_FIT_MOMENTS, &labels, &fit);
        for (int k = 0; k < 2; k++) {
            ck_assert_double_eq_tol(fit.parameter[k], table[i].each, 4 * DBL_EPSILON);
            ck_assert(isnan(fit.standard_error[k]));
        }
        og_labels_clear(&labels);
    }
}

/* ---- priors that are known ---- */

/* The order statistic of uniform numbers: Beta(a, b) of whole a and b is the a-th smallest of a + b
 * - 1. */
static double draw_beta(random_source *source, int a, int b)
{
    double drawn[16];
    for (int i = 0; i < a + b - 1; i++) {
        double next = random_below(source, 1 << 30) / (double)(1 << 30);
        int at = i;
        for (; at > 0 && drawn[at - 1] > next; at--) {
            drawn[at] = drawn[at - 1];
        }
        drawn[at] = next;
    }
    return drawn[a - 1];
}

/* Within five standard errors of maximum likelihood; the paper's formula is not. */
OG_TEST_LOOP(fits_find_the_prior_that_tasks_were_drawn_from, 0, 6)
{
    static const struct {
        int a, b, labels;
    } row[] = {{2, 2, 2}, {2, 2, 5}, {1, 1, 2}, {1, 1, 5}, {3, 1, 2}, {2, 5, 5}};
    enum { TASKS = 30000 };
    int *ones = calloc(TASKS, sizeof *ones), *total = calloc(TASKS, sizeof *total);
    ck_assert(ones != NULL && total != NULL);
    random_source source = random_start(test_seed(34 + (uint64_t)_i));
    for (int i = 0; i < TASKS; i++) {
        double soft = draw_beta(&source, row[_i].a, row[_i].b);
        total[i] = row[_i].labels;
        for (int label = 0; label < total[i]; label++) {
            ones[i] += random_below(&source, 1 << 30) < soft * (1 << 30);
        }
    }
    og_labels labels = labels_of(TASKS, ones, total);
    og_fit fit[3];
    for (int method = OG_FIT_MOMENTS; method <= OG_FIT_PAPER; method++) {
        assert_fits((og_fit_method)method, &labels, &fit[method]);
    }
    const double truth[] = {row[_i].a, row[_i].b};
    for (int k = 0; k < 2; k++) {
        double error = fit[OG_FIT_ML].standard_error[k];
        ck_assert(error > 0 && error < 0.1 * truth[k]);
        ck_assert_double_eq_tol(fit[OG_FIT_ML].parameter[k], truth[k], 5 * error);
        /* with equal numbers of labels as good as the likelihood, nearly */
        ck_assert_double_eq_tol(fit[OG_FIT_MOMENTS].parameter[k], truth[k], 8 * error);
        ck_assert_double_lt(fit[OG_FIT_PAPER].parameter[k], truth[k] - 20 * error);
    }
    assert_standard_errors(&labels, &fit[OG_FIT_ML]);
    og_labels_clear(&labels);
    free(ones);
    free(total);
}

/* ln L of classes, by lgamma. */
static double class_likelihood(const int *count, int tasks, int classes, const double *alpha)
{
    double sum = 0, all = 0;
    for (int k = 0; k < classes; k++) {
        all += alpha[k];
    }
    for (int i = 0; i < tasks; i++) {
        int total = 0;
        for (int k = 0; k < classes; k++) {
            sum += lgamma(alpha[k] + count[i * classes + k]) - lgamma(alpha[k]);
            total += count[i * classes + k];
        }
        sum += lgamma(all) - lgamma(all + total);
    }
    return sum;
}

/* Three classes: no point of a grid around is likelier. */
OG_TEST(ml_of_classes_is_the_largest_likelihood)
{
    enum { TASKS = 60, CLASSES = 3, LABELS = 7 };
    random_source source = random_start(test_seed(41));
    og_labels labels = {.task_count = TASKS, .class_count = CLASSES};
    labels.task = calloc(TASKS * LABELS, sizeof *labels.task);
    labels.label = calloc(TASKS * LABELS, 1);
    ck_assert(labels.task != NULL && labels.label != NULL);
    int count[TASKS * CLASSES] = {0};
    for (int i = 0; i < TASKS; i++) {
        uint32_t most = random_below(&source, CLASSES);
        for (int n = 0; n < LABELS; n++) {
            uint32_t label = random_below(&source, 3) == 0 ? random_below(&source, CLASSES) : most;
            labels.task[labels.label_count] = (uint32_t)i;
            labels.label[labels.label_count++] = (uint8_t)label;
            count[i * CLASSES + (int)label]++;
        }
    }
    og_fit fit;
    assert_fits(OG_FIT_ML, &labels, &fit);
    ck_assert_int_eq(fit.class_count, CLASSES);
    double best = class_likelihood(count, TASKS, CLASSES, fit.parameter);
    ck_assert_double_eq_tol(best, fit.log_likelihood, 1e-9);
    for (int at = 0; at < 11 * 11 * 11; at++) {
        double alpha[CLASSES];
        int digit[] = {at % 11 - 5, at / 11 % 11 - 5, at / 121 - 5};
        for (int k = 0; k < CLASSES; k++) {
            alpha[k] = fit.parameter[k] * exp(0.02 * digit[k]);
        }
        ck_assert(class_likelihood(count, TASKS, CLASSES, alpha) <= best + 1e-10);
    }
    for (int method = OG_FIT_MOMENTS; method <= OG_FIT_PAPER; method += 2) {
        og_fit other;
        assert_fits((og_fit_method)method, &labels, &other);
        for (int k = 0; k < CLASSES; k++) {
            ck_assert(other.parameter[k] > 0.3 * fit.parameter[k] &&
                      other.parameter[k] < 3 * fit.parameter[k]);
        }
    }
    og_labels_clear(&labels);
}

/* ---- known values ---- */

static void read_file(const test_path *path, og_labels *out)
{
    og_message message = {""};
    og_status status = og_labels_read(path->text, NULL, out, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
}

/* [spec section 1; Hu and Frazier 7.2], to the digits given */
OG_TEST(fit_gives_the_known_priors_of_rte)
{
    test_path path = test_shared_data_path("rte/labels.tsv");
    if (path.text[0] == '\0') {
        puts("SKIPPED fit_gives_the_known_priors_of_rte: no rte/labels.tsv (set OPTGAP_SHARED)");
        return;
    }
    og_labels labels;
    og_fit fit;
    read_file(&path, &labels);
    assert_fits(OG_FIT_PAPER, &labels, &fit);
    ck_assert_double_eq_tol(fit.parameter[0], 1.2323648844, 0.5e-10);
    ck_assert_double_eq_tol(fit.parameter[1], 0.9197676359, 0.5e-10);
    assert_likelihood(&labels, &fit);
    assert_fits(OG_FIT_ML, &labels, &fit);
    ck_assert_double_eq_tol(fit.parameter[0], 1.88659, 0.5e-5);
    ck_assert_double_eq_tol(fit.parameter[1], 1.37383, 0.5e-5);
    assert_likelihood(&labels, &fit);
    assert_stationary(&labels, &fit);
    og_labels_clear(&labels);
}

/* Computed apart: the moments in fractions, the maximum by mpmath's findroot at 30 digits. */
OG_TEST(fit_gives_the_known_priors_of_the_sample)
{
    test_path path = test_source_path("tests/data/sample-labels.tsv");
    og_labels labels;
    og_fit fit;
    read_file(&path, &labels);
    assert_fits(OG_FIT_PAPER, &labels, &fit);
    ck_assert_double_eq_tol(fit.mean[0], 83.0 / 160, DBL_EPSILON);
    ck_assert_double_eq_tol(fit.variance, 2411.0 / 25600, DBL_EPSILON);
    double tolerance = moments_tolerance(83.0 / 160, 31840.0 / 19288);
    ck_assert_double_eq_tol(fit.parameter[0], 16517.0 / 19288, tolerance);
    ck_assert_double_eq_tol(fit.parameter[1], 15323.0 / 19288, tolerance);
    assert_fits(OG_FIT_ML, &labels, &fit);
    assert_maximum_at(&labels, &fit, 1.25598715531755157824, 1.18151957347872806901);
    og_labels_clear(&labels);
}

/* The printed prior is a valid INSTANCE. */
OG_TEST(fit_is_a_prior_that_the_program_accepts)
{
    random_source source = random_start(test_seed(33));
    for (int round = 0; round < 50; round++) {
        recorded record = random_record(&source);
        og_labels labels = labels_of(record.tasks, record.ones, record.total);
        og_fit fit;
        assert_fits(OG_FIT_PAPER, &labels, &fit);
        char word[64];
        og_group group;
        snprintf(word, sizeof word, "10x%.12g,%.12g", fit.parameter[0], fit.parameter[1]);
        ck_assert_msg(og_group_parse(word, &group, NULL) == OG_OK, "%s", word);
        og_labels_clear(&labels);
    }
}

/* ---- what cannot be fitted ---- */

/* Refused with these words and with something to do instead; the output untouched. */
static void assert_refused(og_fit_method method, const og_labels *labels, const char *words)
{
    og_fit out, before;
    memset(&out, 0x5A, sizeof out);
    memset(&before, 0x5A, sizeof before);
    og_message message = {""};
    og_status status = og_fit_prior(labels, method, &out, &message);
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
    {{1, {3}, {5}}, "only one task"},
    {{1, {1}, {1}}, "only one task"},
    {{3, {2, 1, 4}, {2, 1, 4}}, "every label is '1'"},
    {{2, {0, 0}, {3, 4}}, "every label is '0'"},
    {{2, {2, 0}, {2, 5}}, "every task is unanimous"},
    {{4, {1, 0, 1, 1}, {1, 1, 1, 1}}, "none has two labels"},
    {{3, {1, 2, 5}, {2, 4, 10}}, "no prior has variance 0"},
    {{2, {1, 1}, {3, 3}}, "no prior has variance 0"},
    {{2, {1, 3}, {3, 9}}, "the same fraction of ones, 0.3333"},
};

OG_TEST_LOOP(all_methods_refuse_labels_that_say_nothing, 0, sizeof hopeless / sizeof *hopeless)
{
    const recorded *record = &hopeless[_i].record;
    og_labels labels = labels_of(record->tasks, record->ones, record->total);
    for (int method = OG_FIT_MOMENTS; method <= OG_FIT_PAPER; method++) {
        assert_refused((og_fit_method)method, &labels, hopeless[_i].words);
    }
    og_labels_clear(&labels);
}

OG_TEST(paper_refuses_a_prior_out_of_range)
{
    /* v = 2^-2 / 4e6 and less: a + b beyond 4e6 */
    const int close[] = {1000, 1001}, even[] = {2000, 2000};
    og_labels labels = labels_of(2, close, even);
    assert_refused(OG_FIT_PAPER, &labels, "almost all the same");
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
    assert_refused(OG_FIT_PAPER, &labels, "almost all 0 or 1");
    og_labels_clear(&labels);
    free(ones);
    free(total);
}

/* Pairs as spread as chance has them (1,2,1), or less: the likelihood has its supremum at infinity.
 */
OG_TEST_LOOP(fits_refuse_tasks_that_differ_by_chance_alone, 0, 5)
{
    static const int rows[][3] = {{1, 2, 1}, {4, 4, 1}, {2, 5, 2}, {1, 9, 1}, {25, 50, 25}};
    og_labels labels = pairs(rows[_i]);
    assert_refused(OG_FIT_ML, &labels, "no more than chance");
    if (_i == 2 ||
        _i == 3) { /* the moments count the tasks less one, so that rho is above 0 else */
        assert_refused(OG_FIT_MOMENTS, &labels, "no more than chance");
    }
    og_labels_clear(&labels);
}

/* Pairs again, one split task among all: a + b is about 1/(2 m (1 - m) tasks). */
OG_TEST(ml_refuses_a_prior_below_the_range)
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
    assert_fits(OG_FIT_ML, &labels, &fit);
    ck_assert_double_eq_tol(fit.parameter[0], 1.25e-6, 1e-11); /* 1/(a + b) is 399999 + O(1) */
    og_labels_clear(&labels);
    for (int i = 1; i < TASKS; i += 2) {
        ones[i] = i % 8 == 1 ? 2 : 0; /* m = 1/8: a + b = 5.7e-6, a = 7e-7 */
    }
    labels = labels_of(TASKS, ones, total);
    assert_refused(OG_FIT_ML, &labels, "almost every task is unanimous");
    og_labels_clear(&labels);
    free(ones);
    free(total);
}
