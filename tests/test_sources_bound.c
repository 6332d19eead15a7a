/*
 * The Lagrangian bound of labels from sources (heuristics/bounds/sources_bound.h): against the
 * optimum, and against its definition at a price, by plain recursion over the chance that an
 * instance is positive and the labels of each source.
 */
#include "dp/arm/arm.h"
#include "heuristics/bounds/sources_bound.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(sources_bound, 60);

static const uint64_t plenty = UINT64_C(1) << 30;

/* ---- random problems ---- */

static og_sources random_sources(random_source *random)
{
    og_sources sources = {.count = 1 + (int32_t)random_below(random, 3)};
    for (int32_t j = 0; j < sources.count; j++) {
        sources.source[j] = (og_label_source){
            og_fraction_make((int64_t)random_below(random, 21), 20),
            1 + (int32_t)random_below(random, 3), (int32_t)random_below(random, 3)};
    }
    return sources;
}

static void random_instances(random_source *random, int32_t budget, og_groups *out, char words[64])
{
    int used = 0, groups = 1 + (int)random_below(random, 3);
    for (int i = 0; i < groups; i++) {
        used += snprintf(words + used, 64 - (size_t)used, "%s%ux%u,%u", i > 0 ? " " : "",
                         1 + random_below(random, 2), 1 + random_below(random, 5),
                         1 + random_below(random, 5));
    }
    test_problem(words, budget, out);
}

static double optimum_of(const og_groups *problem, const og_sources *sources, double *error)
{
    const og_settings settings = question_settings(OG_REDUCE_ALL, 1);
    og_arms *arms = NULL;
    ck_assert_int_eq(og_arms_new_sources(problem, sources, 1, plenty, &arms, NULL), OG_OK);
    const og_result result = question_solve(arms, &settings, "sources");
    og_arms_free(arms);
    *error = result.error_bound;
    return result.value;
}

/* ---- the definition ---- */

static double defined_worth(const og_sources *sources, double price, double positive,
                            double negative, int32_t *asked, int32_t left)
{
    double best = fmax(positive, negative);
    for (int32_t j = 0; j < sources->count; j++) {
        const og_label_source *source = &sources->source[j];
        double right = og_fraction_double(source->accuracy), wrong = 1 - right;
        if (source->price > left || (source->most > 0 && asked[j] == source->most)) {
            continue;
        }
        asked[j]++;
        double bought = -price * source->price * (positive + negative) +
                        defined_worth(sources, price, positive * right, negative * wrong, asked,
                                      left - source->price) +
                        defined_worth(sources, price, positive * wrong, negative * right, asked,
                                      left - source->price);
        asked[j]--;
        best = fmax(best, bought);
    }
    return best;
}

static double defined_bound(const og_groups *problem, const og_sources *sources, double price)
{
    double sum = price * problem->budget;
    for (int32_t g = 0; g < problem->group_count; g++) {
        int32_t asked[OG_SOURCES_MAX] = {0};
        double a = og_fraction_double(og_groups_at(problem, g)->a),
               b = og_fraction_double(og_groups_at(problem, g)->b);
        sum += (double)og_groups_at(problem, g)->count *
               defined_worth(sources, price, a / (a + b), b / (a + b), asked, problem->budget);
    }
    return sum;
}

OG_TEST(the_bound_is_that_of_the_definition_and_no_optimum_is_above_it)
{
    const double rounding = 1e-12; /* of the recursion above */
    uint64_t seed = test_seed(1);
    random_source random = random_start(seed);
    int cases = test_cases(60);
    for (int round = 0; round < cases; round++) {
        og_sources sources = random_sources(&random);
        OWN(og_groups) problem;
        OWN(og_upper_bound) bound;
        char words[64], what[160];
        double error;
        random_instances(&random, (int32_t)random_below(&random, 6), &problem, words);
        snprintf(what, sizeof what, "TEST_SEED=%llu, round %d: %s, T=%d", (unsigned long long)seed,
                 round, words, (int)problem.budget);
        ck_assert_int_eq(og_bound_sources(&problem, &sources, NULL, &bound), OG_OK);
        double optimum = optimum_of(&problem, &sources, &error);
        test_assert_msg(optimum - error <= bound.value, "%s: %.17g below %.17g", what, bound.value,
                        optimum);
        test_assert_msg(bound.converged && bound.price_count == 1, "%s", what);
        double at = defined_bound(&problem, &sources, bound.price[0]);
        test_assert_msg(fabs(at - bound.value) <= 2 * bound.error + rounding,
                        "%s: %.17g +- %g, not %.17g", what, bound.value, bound.error, at);
        for (int i = 0; i <= 50; i++) { /* no price has a lower one */
            double other = defined_bound(&problem, &sources, i / 100.0);
            test_assert_msg(bound.value <= other + 2 * bound.error + rounding,
                            "%s: %.17g, and %.17g at %g", what, bound.value, other, i / 100.0);
        }
    }
}

static double bound_of(const char *words, int32_t budget, const og_sources *sources)
{
    og_groups problem;
    og_upper_bound bound;
    test_problem(words, budget, &problem);
    ck_assert_int_eq(og_bound_sources(&problem, sources, NULL, &bound), OG_OK);
    ck_assert(bound.converged && bound.error <= 1e-9 * bound.value);
    double value = bound.value;
    og_bound_clear(&bound);
    og_groups_clear(&problem);
    return value;
}

/* One source that is never wrong: 1 - the share that is bought, of 1/2 each. */
OG_TEST(large_problems_have_the_bound_that_is_known)
{
    const og_sources never_wrong = {1, {{{1, 1}, 7, 0}}};
    ck_assert_double_eq_tol(bound_of("100000x1,1", 70000, &never_wrong), 55000, 1e-4);
    ck_assert_double_eq_tol(bound_of("10x1,1 1000x1,3", 7, &never_wrong), 755.5, 1e-6);
    ck_assert_double_eq_tol(bound_of("3x1,1", 100000, &never_wrong), 3, 1e-6);
}

/* A limit that is met, or too many of them for a table, never helps. */
OG_TEST(limits_only_lower_the_bound)
{
    og_sources sources = {
        5, {{{3, 5}, 1, 0}, {{2, 3}, 2, 0}, {{7, 10}, 2, 0}, {{4, 5}, 3, 0}, {{5, 8}, 1, 0}}};
    double any = bound_of("40x1,1 20x2,1", 400, &sources);
    for (int32_t most = 30; most > 0; most /= 3) {
        for (int32_t j = 0; j < sources.count; j++) {
            sources.source[j].most = most;
        }
        double limited = bound_of("40x1,1 20x2,1", 400, &sources);
        ck_assert_msg(limited <= any * (1 + 1e-12), "%d: %.17g above %.17g", most, limited, any);
        any = limited;
    }
    ck_assert_double_lt(any, 60);
}

OG_TEST(a_stop_ends_the_search)
{
    const og_sources sources = {1, {{{3, 5}, 1, 0}}};
    OWN(og_groups) problem;
    og_upper_bound bound = {.value = -1};
    og_stop stop;
    test_problem("10x1,1", 20000, &problem);
    og_stop_init(&stop, NULL, NULL);
    og_stop_end(&stop);
    ck_assert_int_eq(og_bound_sources(&problem, &sources, &stop, &bound), OG_STOPPED);
    ck_assert_double_eq(bound.value, -1);
}
