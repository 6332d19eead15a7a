/*
 * Points of integration of a ranking, and the proof of their error: moments that are known, and
 * errors that are large enough to be seen.
 */
#include <float.h>

#include "dp/families/ranking_rule.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(ranking_error, 60);

enum { NODES = OG_RANKING_NODES_MAX, MANY = 64, FACTORS = 8 };

/* sum of weight * x^m is 1 / (A + m) up to m = 2n - 1. */
OG_TEST_LOOP(test_moments, 0, 8)
{
    static const double below[] = {0.1, 0.5, 1, 1, 2, 7.25, 60, 1};
    static const int32_t counts[] = {4, 16, 4, 33, 20, 48, 100, 128};
    double node[NODES], weight[NODES];
    int32_t n = counts[_i];
    ck_assert(og_ranking_nodes(below[_i], n, node, weight) == OG_OK);
    for (int32_t m = 0; m < 2 * n; m++) {
        double sum = 0;
        for (int32_t k = 0; k < n; k++) {
            sum += weight[k] * pow(node[k], m);
        }
        ck_assert_double_eq_tol(sum * (below[_i] + m), 1, (m + n + 8) * DBL_EPSILON);
    }
    for (int32_t k = 1; k < n; k++) {
        ck_assert(node[k - 1] < node[k] && node[k - 1] > 0 && node[k] < 1);
    }
}

/* Of Legendre's three points, which are known. */
OG_TEST(test_known_points)
{
    double node[3], weight[3];
    ck_assert(og_ranking_nodes(1, 3, node, weight) == OG_OK);
    ck_assert_double_eq_tol(node[0], 0.5 - sqrt(0.15), DBL_EPSILON / 2);
    ck_assert_double_eq_tol(node[2], 0.5 + sqrt(0.15), DBL_EPSILON / 2);
    ck_assert(node[1] == 0.5 && weight[0] == 5. / 18 && weight[1] == 4. / 9);
}

/* An integrand in one coordinate. */
typedef struct {
    int32_t wins, labels;
    double part[FACTORS];
    int32_t times[FACTORS];
    double whole, sum;
} integrand;

static double value_at(const integrand *f, double z)
{
    double value = pow(z, f->wins) * pow(1 + f->sum * z, -f->whole);
    for (int32_t i = 0; i < FACTORS; i++) {
        value *= pow(1 + f->part[i] * z, -f->times[i]);
    }
    return value;
}

typedef struct {
    int32_t count;
    double node[NODES], weight[NODES];
} points;

static void make_points(double below, int32_t count, points *out)
{
    out->count = count;
    ck_assert(og_ranking_nodes(below, count, out->node, out->weight) == OG_OK);
}

static double integral_by(const integrand *f, const points *by)
{
    double sum = 0;
    for (int32_t k = 0; k < by->count; k++) {
        sum += by->weight[k] * value_at(f, by->node[k]);
    }
    return sum;
}

/* The worst are among those that are tried: all comparisons alike. */
static integrand draw_integrand(random_source *state, const og_ranking_prior *prior, int32_t labels,
                                int32_t k)
{
    integrand f = {.labels = (int32_t)random_below(state, (uint32_t)labels + 1)};
    bool alike = random_below(state, 2) == 0;
    f.labels = alike ? labels : f.labels;
    f.wins = (int32_t)random_below(state, (uint32_t)f.labels + 1);
    for (int32_t t = 0; t < f.labels; t++) {
        f.times[alike ? 0 : random_below(state, FACTORS)]++;
    }
    for (int32_t i = 0; i < FACTORS; i++) {
        f.part[i] = alike ? 1 : (double)random_below(state, 101) / 100;
    }
    for (int32_t i = 0; i < prior->items; i++) {
        f.whole += prior->item[i];
    }
    f.sum = alike ? 1 : (double)random_below(state, 101) / 100;
    f.sum *= (double)(prior->items - 1 - k) / (k + 1);
    return f;
}

OG_TEST_LOOP(test_errors_are_within_the_bound, 0, test_cases(10))
{
    random_source state = random_start(test_seed(7600 + (uint64_t)_i));
    og_ranking_prior prior = {.items = 2 + (int32_t)random_below(&state, 4)};
    int32_t labels = 1 + (int32_t)random_below(&state, 30);
    int32_t k = (int32_t)random_below(&state, (uint32_t)prior.items - 1);
    double below = 0;
    points few, many;
    for (int32_t i = 0; i < prior.items; i++) {
        prior.item[i] = (1 + (double)random_below(&state, 12)) / 4;
        below += i > k ? prior.item[i] : 0;
    }
    make_points(below, MANY, &many);
    for (double wanted = 1; wanted > 1e-12; wanted /= 100) {
        double error = INFINITY;
        int32_t n = og_ranking_nodes_needed(&prior, labels, k, below, wanted, &error);
        ck_assert(n > 0 && n <= MANY && error <= wanted);
        make_points(below, n, &few);
        for (int32_t trial = 0; trial < 20; trial++) {
            integrand f = draw_integrand(&state, &prior, labels, k);
            double off = integral_by(&f, &few) / integral_by(&f, &many) - 1;
            ck_assert(fabs(off) <= error + (4 * (labels + f.whole) + 2 * MANY) * DBL_EPSILON);
        }
    }
}

/* Priors without an integration rule are refused. */
OG_TEST(test_large_parameters)
{
    const og_ranking_prior prior = {.items = 3, .item = {500, 500, 500}};
    og_ranking_posterior posterior;
    og_message message = {""};
    ck_assert(og_ranking_posterior_init(&posterior, &prior, 3, UINT64_C(1) << 32, NULL, &message) ==
              OG_STOPPED);
    ck_assert(message.text[0] != '\0');
}
