/*
 * The least point of a convex function, against functions whose least point is known.
 */
#include "heuristics/index/descent.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(descent, 60);

enum { MOST = 500 };

static double unit(random_source *source)
{
    return random_below(source, 1000001) / 1e6;
}

/* |A (x - least)|^2 / 2 for a random A. */
typedef struct {
    int n;
    double *root, *least;
    int evaluations;
} quadratic;

static void bowl_at(void *context, const double *x, double *gradient)
{
    quadratic *bowl = context;
    for (int j = 0; j < bowl->n; j++) {
        gradient[j] = 0;
    }
    for (int i = 0; i < bowl->n; i++) {
        double sum = 0;
        for (int j = 0; j < bowl->n; j++) {
            sum += bowl->root[i * bowl->n + j] * (x[j] - bowl->least[j]);
        }
        for (int j = 0; j < bowl->n; j++) {
            gradient[j] += bowl->root[i * bowl->n + j] * sum;
        }
    }
    bowl->evaluations++;
}

OG_TEST(descend_finds_the_bottom_of_random_bowls)
{
    random_source source = random_start(test_seed(3301));
    for (int round = 0; round < test_cases(40); round++) {
        quadratic bowl = {.n = 1 + (int)random_below(&source, 12)};
        bowl.root = calloc((size_t)bowl.n * (size_t)bowl.n, sizeof *bowl.root);
        bowl.least = calloc((size_t)bowl.n, sizeof *bowl.least);
        double *x = calloc((size_t)bowl.n, sizeof *x), steep;
        for (int i = 0; i < bowl.n; i++) {
            bowl.least[i] = 20 * unit(&source) - 10;
            for (int j = 0; j < bowl.n; j++) {
                bowl.root[i * bowl.n + j] = (i == j) + (unit(&source) - 0.5) / bowl.n;
            }
        }
        ck_assert_int_eq(og_descend(bowl.n, bowl_at, &bowl, 1e-10, MOST, x, &steep), OG_OK);
        ck_assert_msg(steep <= 1e-10 && bowl.evaluations <= 60, "%d variables: slope %g after %d",
                      bowl.n, steep, bowl.evaluations);
        /* The diagonal outweighs the rest of its row by a half: no direction is flatter than 1/4.
         */
        for (int i = 0; i < bowl.n; i++) {
            ck_assert_msg(fabs(x[i] - bowl.least[i]) <= 4 * 1e-10 * sqrt(bowl.n), "round %d",
                          round);
        }
        free(bowl.root);
        free(bowl.least);
        free(x);
    }
}

/* sum of n_i e^-x_i + x_i + 1e-6 x_i^2 / 2: one variable of each of many sizes. */
static const double sizes[] = {1e9, 1e3, 7, 1, 1e-3};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void decline_at(void *context, const double *x, double *gradient)
{
    (void)context;
    for (int i = 0; i < SIZES; i++) {
        double left = sizes[i] * exp(-x[i]);
        gradient[i] = 1 - left + 1e-6 * x[i];
    }
}

OG_TEST(descend_finds_the_least_point_of_exponentials_from_afar)
{
    double x[SIZES] = {5, 5, 5, 5, 5}, steep;
    ck_assert_int_eq(og_descend(SIZES, decline_at, NULL, 1e-11, MOST, x, &steep), OG_OK);
    ck_assert_double_le(steep, 1e-11);
    for (int i = 0; i < SIZES; i++) {
        /* Newton's method on the one equation. */
        double known = log(sizes[i]);
        for (int step = 0; step < 50; step++) {
            known -= (1 - sizes[i] * exp(-known) + 1e-6 * known) / (sizes[i] * exp(-known) + 1e-6);
        }
        ck_assert_msg(fabs(x[i] - known) <= 1e-9, "%g: %.17g, expected %.17g", sizes[i], x[i],
                      known);
    }
}

OG_TEST(descend_ends_where_it_is_told_to)
{
    double root = 1, least = 3, x = 0, steep;
    quadratic bowl = {.n = 1, .root = &root, .least = &least};
    ck_assert_int_eq(og_descend(1, bowl_at, &bowl, 0, 1, &x, &steep), OG_OK);
    ck_assert(bowl.evaluations == 1 && x == 0 && steep == 3);
    ck_assert_int_eq(og_descend(1, bowl_at, &bowl, 5, MOST, &x, &steep), OG_OK);
    ck_assert(bowl.evaluations == 2 && x == 0);
    bowl.n = 0;
    ck_assert_int_eq(og_descend(0, bowl_at, &bowl, 0, MOST, NULL, &steep), OG_OK);
    ck_assert(steep == 0);
}
