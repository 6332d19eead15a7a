/* Gauss's rule for a Beta, compared with the moments of the Beta: B(a+i, b+j) / B(a, b) in
 * fractions. */
#include "dp/prior/beta_rule.h"

#include <float.h>

#include "dp/base/rational.h"
#include "tests/support.h"

OG_SUITE(beta_rule, 60);

enum { POINTS_MAX = 129 };

typedef struct {
    double point[POINTS_MAX], rest[POINTS_MAX], weight[POINTS_MAX];
    int32_t count;
} rule;

static og_fraction read_number(const char *text)
{
    og_fraction value;
    ck_assert_int_eq(og_fraction_parse(text, strlen(text), &value), OG_OK);
    return value;
}

static rule *rule_of(const char *a, const char *b, int32_t count)
{
    rule *made = calloc(1, sizeof *made);
    ck_assert_ptr_nonnull(made);
    made->count = count;
    ck_assert_int_eq(og_beta_rule(read_number(a), read_number(b), count, made->point, made->rest,
                                  made->weight, NULL),
                     OG_OK);
    return made;
}

/* out *= (x + 0) ... (x + count - 1) */
static void multiply_rising(mpq_t out, const mpq_t x, int32_t count)
{
    mpq_t factor, one;
    mpq_inits(factor, one, NULL);
    mpq_set(factor, x);
    mpq_set_ui(one, 1, 1);
    for (int32_t k = 0; k < count; k++) {
        mpq_mul(out, out, factor);
        mpq_add(factor, factor, one);
    }
    mpq_clears(factor, one, NULL);
}

/* The expectation of x^i (1-x)^j. */
static double moment(const char *a, const char *b, int32_t i, int32_t j)
{
    mpq_t x, y, over, under;
    mpq_inits(x, y, over, under, NULL);
    og_fraction_get_mpq(x, read_number(a));
    og_fraction_get_mpq(y, read_number(b));
    mpq_set_ui(over, 1, 1);
    mpq_set_ui(under, 1, 1);
    multiply_rising(over, x, i);
    multiply_rising(over, y, j);
    mpq_add(x, x, y);
    multiply_rising(under, x, i + j);
    mpq_div(over, over, under);
    double value = og_nearest(over);
    mpq_clears(x, y, over, under, NULL);
    return value;
}

/* Of a term, i + j + 1 numbers and i + j products were rounded; then come the sum and `known`. */
static void check_moment(const rule *r, const char *a, const char *b, int32_t i, int32_t j)
{
    const double unit = 0x1p-53 * (1 + 0x1p-9);
    double sum = 0, known = moment(a, b, i, j), error = (2 * (i + j) + r->count + 1) * unit;
    for (int32_t k = 0; k < r->count; k++) {
        double term = r->weight[k];
        for (int32_t n = 0; n < i + j; n++) {
            term *= n < i ? r->point[k] : r->rest[k];
        }
        sum += term;
    }
    ck_assert_msg(known < DBL_MIN || fabs(sum - known) <= error * known,
                  "beta:%s,%s with %d points, i %d, j %d: %.17g, right %.17g", a, b, r->count, i, j,
                  sum, known);
}

static void check_rule(const char *a, const char *b, int32_t count)
{
    rule *r = rule_of(a, b, count);
    const int32_t degree = 2 * count - 1;
    for (int32_t k = 0; k < count; k++) {
        ck_assert(r->weight[k] > 0 && r->point[k] > 0 && r->rest[k] > 0);
        ck_assert(k == 0 || r->point[k] > r->point[k - 1] || r->rest[k] < r->rest[k - 1]);
    }
    check_moment(r, a, b, 0, 0);
    check_moment(r, a, b, 1, 0);
    check_moment(r, a, b, degree, 0);
    check_moment(r, a, b, 0, degree);
    check_moment(r, a, b, count, degree - count);
    free(r);
}

static const char *const sizes[] = {"1e-9", "1e-3", "0.5",   "1",     "20",  "87",
                                    "143",  "152",  "151.5", "12345", "1e6", "1e12"};
enum { SIZES = sizeof sizes / sizeof *sizes };

OG_TEST_LOOP(rules_have_the_moments_of_their_beta, 0, SIZES)
{
    static const int32_t counts[] = {1, 2, 3, 12};
    for (size_t k = (size_t)_i % 2; k < SIZES; k += 2) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            check_rule(sizes[_i], sizes[k], counts[c]);
        }
    }
}

OG_TEST(the_largest_rules_too)
{
    check_rule("1e-3", "1e6", POINTS_MAX);
    check_rule("85", "87", test_is_short() ? 30 : POINTS_MAX);
}
