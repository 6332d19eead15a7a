/*
 * Compares the bound with prevailing charges with its definition: the largest charges of every
 * sequence of labels of every instance, in fractions. With a priced end only the labels before it
 * count, and an instance's final worth is the most that it can earn at these prices.
 */
#include "heuristics/bounds/bound.h"
#include "tests/oracle.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(prevailing, 60);

enum { CHARGES_MOST = 4, PATHS_MOST = 1 << CHARGES_MOST, INSTANCES_MOST = 3 };

/* One instance: its posteriors (s, f), and every sequence of labels with its charges. */
typedef struct {
    mpq_t h[CHARGES_MOST + 1][CHARGES_MOST + 1]; /* with earnings in a priced end */
    mpq_t p[CHARGES_MOST + 1][CHARGES_MOST + 1]; /* of a positive label */
    int paths;
    mpq_t probability[PATHS_MOST];
    mpq_t charge[PATHS_MOST][CHARGES_MOST];
} prior_instance;

static void each_number(prior_instance *instance, void (*what)(mpq_t))
{
    for (int s = 0; s <= CHARGES_MOST; s++) {
        for (int f = 0; f <= CHARGES_MOST; f++) {
            what(instance->h[s][f]);
            what(instance->p[s][f]);
        }
    }
    for (int i = 0; i < PATHS_MOST; i++) {
        what(instance->probability[i]);
        for (int n = 0; n < CHARGES_MOST; n++) {
            what(instance->charge[i][n]);
        }
    }
}

static void init_number(mpq_t x)
{
    mpq_init(x);
}

static void clear_number(mpq_t x)
{
    mpq_clear(x);
}

/* out := p x + (1 - p) y */
static void blend(mpq_t out, const mpq_t p, const mpq_t x, const mpq_t y)
{
    OWN_MPQ part = MPQ_NEW;
    mpq_sub(part, x, y);
    mpq_mul(part, part, p);
    mpq_add(out, y, part);
}

/*
 * Expected reward and number of labels of the stopping rule that is best at price z with m labels
 * left; `must`: it labels at least once.
 */
static void best_rule(prior_instance *instance, int s, int f, int m, const mpq_t z, bool must,
                      mpq_t reward, mpq_t labels)
{
    mpq_set_ui(reward, 0, 1);
    mpq_set_ui(labels, 0, 1);
    if (m == 0) {
        return;
    }
    mpq_t up[2], down[2], net;
    mpq_inits(up[0], up[1], down[0], down[1], net, NULL);
    best_rule(instance, s + 1, f, m - 1, z, false, up[0], up[1]);
    best_rule(instance, s, f + 1, m - 1, z, false, down[0], down[1]);
    mpq_add(up[0], up[0], instance->h[s + 1][f]);
    mpq_add(down[0], down[0], instance->h[s][f + 1]);
    blend(up[0], instance->p[s][f], up[0], down[0]);
    mpq_sub(up[0], up[0], instance->h[s][f]);
    blend(up[1], instance->p[s][f], up[1], down[1]);
    mpq_set_ui(net, 1, 1);
    mpq_add(up[1], up[1], net);
    mpq_mul(net, z, up[1]);
    if (must || mpq_cmp(up[0], net) > 0) {
        mpq_set(reward, up[0]);
        mpq_set(labels, up[1]);
    }
    mpq_clears(up[0], up[1], down[0], down[1], net, NULL);
}

/* The finite-horizon Gittins index: the best ratio, found from below (Dinkelbach). */
static void gittins(prior_instance *instance, int s, int f, int m, mpq_t z)
{
    OWN_MPQ reward = MPQ_NEW, labels = MPQ_NEW;
    mpq_set_si(z, -1, 1);
    for (;;) {
        best_rule(instance, s, f, m, z, true, reward, labels);
        mpq_div(reward, reward, labels);
        if (mpq_cmp(reward, z) <= 0) {
            break;
        }
        mpq_set(z, reward);
    }
}

/* The paths of `budget` labels by their bits: bit n is label n + 1. */
static void list_paths(prior_instance *instance, int budget)
{
    OWN_MPQ one_minus = MPQ_NEW;
    instance->paths = 1 << budget;
    for (int i = 0; i < instance->paths; i++) {
        mpq_set_ui(instance->probability[i], 1, 1);
        for (int n = 0, s = 0; n < budget; n++) {
            gittins(instance, s, n - s, budget - n, instance->charge[i][n]);
            if (mpq_sgn(instance->charge[i][n]) < 0) {
                mpq_set_ui(instance->charge[i][n], 0, 1);
            }
            if (n > 0 && mpq_cmp(instance->charge[i][n], instance->charge[i][n - 1]) > 0) {
                mpq_set(instance->charge[i][n], instance->charge[i][n - 1]);
            }
            mpq_set_ui(one_minus, 1, 1);
            mpq_sub(one_minus, one_minus, instance->p[s][n - s]);
            bool positive = i >> n & 1;
            mpq_mul(instance->probability[i], instance->probability[i],
                    positive ? instance->p[s][n - s] : one_minus);
            s += positive;
        }
    }
}

/* What the last labels and the posterior after them are worth from (s, f) on, `stages` of them left
 * at the prices there; every one can be left out. */
static void worth_at_end(const prior_instance *instance, int s, int f, const double *price,
                         int stages, mpq_t worth)
{
    mpq_t up, down, cost;
    if (stages == 0) {
        mpq_set(worth, instance->h[s][f]);
        return;
    }
    mpq_inits(up, down, cost, NULL);
    worth_at_end(instance, s, f, price + 1, stages - 1, worth);
    worth_at_end(instance, s + 1, f, price + 1, stages - 1, up);
    worth_at_end(instance, s, f + 1, price + 1, stages - 1, down);
    blend(up, instance->p[s][f], up, down);
    mpq_set_d(cost, price[0]);
    mpq_sub(up, up, cost);
    if (mpq_cmp(up, worth) > 0) {
        mpq_set(worth, up);
    }
    mpq_clears(up, down, cost, NULL);
}

static void add_end(prior_instance *instance, int budget, const double *price, int stages)
{
    /* The worth at a level depends only on later levels, which have not changed yet. */
    for (int n = 0; n <= budget - stages; n++) {
        for (int s = 0; s <= n; s++) {
            OWN_MPQ worth = MPQ_NEW;
            worth_at_end(instance, s, n - s, price, stages, worth);
            mpq_set(instance->h[s][n - s], worth);
        }
    }
}

static void instance_init(prior_instance *instance, const og_group *prior, int budget,
                          const double *price, int stages)
{
    mpq_t a, b, d, other;
    each_number(instance, init_number);
    mpq_inits(a, b, d, other, NULL);
    og_fraction_get_mpq(d, prior->threshold);
    for (int n = 0; n <= budget; n++) {
        for (int s = 0; s <= n; s++) {
            int f = n - s;
            og_fraction_get_mpq(a, og_fraction_make(prior->a.num + s * prior->a.den, prior->a.den));
            og_fraction_get_mpq(b, og_fraction_make(prior->b.num + f * prior->b.den, prior->b.den));
            mpq_add(other, a, b);
            mpq_div(instance->p[s][f], a, other);
            oracle_positive(instance->h[s][f], a, b, d);
            mpq_set_ui(other, 1, 1);
            mpq_sub(other, other, instance->h[s][f]);
            if (mpq_cmp(other, instance->h[s][f]) > 0) {
                mpq_set(instance->h[s][f], other);
            }
        }
    }
    add_end(instance, budget, price, stages);
    list_paths(instance, budget - stages);
    mpq_clears(a, b, d, other, NULL);
}

static int falling(const void *x, const void *y)
{
    return mpq_cmp(**(mpq_t *const *)y, **(mpq_t *const *)x);
}

/* Adds to `sum` the `budget` largest of all charges, times `probability`, over all paths of the
 * instances from `at` on; `all` holds the charges of those before. */
static void add_largest(prior_instance *instance, int count, int budget, int at, mpq_t *all[],
                        const mpq_t probability, mpq_t sum)
{
    OWN_MPQ part = MPQ_NEW;
    if (at == count) {
        mpq_t *sorted[INSTANCES_MOST * CHARGES_MOST];
        memcpy(sorted, all, (size_t)(count * budget) * sizeof *all);
        qsort(sorted, (size_t)(count * budget), sizeof *sorted, falling);
        for (int i = 0; i < budget; i++) {
            mpq_mul(part, probability, *sorted[i]);
            mpq_add(sum, sum, part);
        }
    }
    ck_assert(at == count || at < INSTANCES_MOST);
    for (int i = 0; at < count && i < instance[at].paths; i++) {
        for (int n = 0; n < budget; n++) {
            all[at * budget + n] = &instance[at].charge[i][n];
        }
        mpq_mul(part, probability, instance[at].probability[i]);
        add_largest(instance, count, budget, at + 1, all, part, sum);
    }
}

static void charges_literally(const og_groups *problem, const double *price, int stages,
                              mpq_t value)
{
    prior_instance *list = calloc(INSTANCES_MOST, sizeof *list);
    mpq_t *all[INSTANCES_MOST * CHARGES_MOST];
    int count = 0;
    OWN_MPQ one = MPQ_NEW;
    mpq_set_ui(value, 0, 1);
    for (int i = 0; i < problem->group_count; i++) {
        for (int64_t copy = 0; copy < og_groups_at(problem, i)->count; copy++) {
            instance_init(&list[count], og_groups_at(problem, i), problem->budget, price, stages);
            mpq_add(value, value, list[count++].h[0][0]);
        }
    }
    for (int l = 0; l < stages; l++) {
        mpq_set_d(one, price[l]);
        mpq_add(value, value, one);
    }
    mpq_set_ui(one, 1, 1);
    add_largest(list, count, problem->budget - stages, 0, all, one, value);
    for (int i = 0; i < count; i++) {
        each_number(&list[i], clear_number);
    }
    free(list);
}

static void compare_literally(uint64_t seed, const og_groups *problem, const double *price,
                              int stages, const og_upper_bound *bound)
{
    char text[512];
    OWN_MPQ literal = MPQ_NEW;
    charges_literally(problem, price, stages, literal);
    problem_format(problem, text, sizeof text);
    ck_assert_msg(oracle_within(bound->value - bound->error, bound->error, literal),
                  "seed %llu: %s: an end of %d: %.17g with the error %g, literally %.17g",
                  (unsigned long long)seed, text, stages, bound->value, bound->error,
                  mpq_get_d(literal));
}

OG_TEST(prevailing_charge_equals_the_largest_charges_of_all_histories)
{
    uint64_t seed = test_seed(20266);
    random_source source = random_start(seed);
    random_limits limits = {.instances = INSTANCES_MOST, .budget = CHARGES_MOST};
    for (int round = 0; round < test_cases(100); round++) {
        OWN(og_groups) problem;
        og_upper_bound bound;
        /* The last ones are exact: the fractions of the others are 1e-35 off at most. */
        limits.integers = round >= 40;
        random_problem(&source, &limits, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        ck_assert_int_eq(og_bound_prevailing_charge(arms, 1, NULL, &bound), OG_OK);
        compare_literally(seed, &problem, NULL, 0, &bound);
    }
}

OG_TEST(priced_end_equals_its_definition_and_bounds_the_optimum)
{
    uint64_t seed = test_seed(20267);
    random_source source = random_start(seed);
    random_limits limits = {.instances = INSTANCES_MOST, .budget = CHARGES_MOST};
    for (int round = 0; round < test_cases(150); round++) {
        OWN(og_groups) problem;
        og_upper_bound bound, best;
        limits.integers = round >= 50;
        random_problem(&source, &limits, &problem);
        OWN(og_arms) *arms = test_arms(&problem);
        double price[CHARGES_MOST];
        int stages = 1 + (int)random_below(&source, CHARGES_MOST - 1);
        for (int l = 0; l < stages; l++) {
            price[l] = (double)random_below(&source, 17) / 64; /* often at a tie, or 0 */
        }
        og_status status = og_bound_priced_end_at(arms, price, stages, 1, NULL, &bound);
        ck_assert_int_eq(status, stages < problem.budget ? OG_OK : OG_BAD_INPUT);
        ck_assert_int_eq(og_bound_priced_end(arms, 1, NULL, &best), OG_OK);
        og_settings plain = question_settings(OG_REDUCE_ALL, 1);
        og_result optimum = question_solve(arms, &plain, "priced end");
        ck_assert(best.value >= optimum.value - optimum.error_bound);
        if (status == OG_OK) {
            ck_assert(bound.value >= optimum.value - optimum.error_bound);
            ck_assert_int_eq(bound.price_count, stages);
            compare_literally(seed, &problem, price, stages, &bound);
            og_bound_clear(&bound);
        }
        og_bound_clear(&best);
    }
}

/* Stopped at once: the gaps that are left are no error of a value that another bound has. */
OG_TEST(a_stopped_bound_has_the_error_of_its_value)
{
    static og_status (*const bounds[])(const og_arms *, int, og_stop *, og_upper_bound *) = {
        og_bound_lagrangian_scalar, og_bound_lagrangian_vector, og_bound_prevailing_charge,
        og_bound_priced_end};
    uint64_t seed = test_seed(20268);
    random_source source = random_start(seed);
    random_limits limits = {.instances = 5, .budget = 9};
    int open = 0;
    for (int round = 0; round < test_cases(150); round++) {
        OWN(og_groups) problem;
        og_upper_bound bound[4];
        char text[512];
        random_problem(&source, &limits, &problem);
        problem_format(&problem, text, sizeof text);
        OWN(og_arms) *arms = test_arms(&problem);
        og_settings plain = question_settings(OG_REDUCE_ALL, 1);
        og_result optimum = question_solve(arms, &plain, "stopped bounds");
        for (int i = 0; i < 4; i++) {
            og_stop stop;
            og_stop_init(&stop, NULL, NULL);
            og_stop_end(&stop);
            ck_assert_int_eq(bounds[i](arms, 1, round % 2 != 0 ? &stop : NULL, &bound[i]), OG_OK);
            const og_upper_bound *at = &bound[i];
            double least = 1e-6 * fabs(at->value);
            bool another = i > 1 && at->value == bound[i - 2].value;
            open += !at->converged;
            ck_assert_msg(at->value >= optimum.value - optimum.error_bound && at->error >= 0 &&
                              (at->error <= least || !(at->converged || another)),
                          "seed %llu: %s: bound %d: %.17g with the error %g, the optimum %.17g",
                          (unsigned long long)seed, text, i, at->value, at->error, optimum.value);
        }
        for (int i = 0; i < 4; i++) {
            og_bound_clear(&bound[i]);
        }
    }
    ck_assert_int_gt(open, 0);
}

/* Sizes at which the steps are too many to take each. */
static const struct {
    const char *words;
    int32_t budget;
} large[] = {{"20x1,1 3x2,1@0.4", 300}, {"50x1,1", 400}};

OG_TEST_LOOP(prevailing_charge_stands_below_the_scalar_bound_at_large_sizes, 0,
             test_is_sanitized() ? 0 : (int)(sizeof large / sizeof large[0]))
{
    og_upper_bound charges, scalar, vector, end;
    OWN(question) q = question_of(large[_i].words, large[_i].budget);
    ck_assert_int_eq(og_bound_prevailing_charge(q.arms, 2, NULL, &charges), OG_OK);
    ck_assert_int_eq(og_bound_lagrangian_scalar(q.arms, 2, NULL, &scalar), OG_OK);
    ck_assert(charges.converged && charges.error <= 1e-6 * charges.value);
    ck_assert(charges.value < scalar.value - 2 * scalar.error);
    ck_assert_int_eq(charges.price_count, 0);
    ck_assert_ptr_null(charges.price);
    ck_assert_int_eq(og_bound_lagrangian_vector(q.arms, 2, NULL, &vector), OG_OK);
    ck_assert_int_eq(og_bound_priced_end(q.arms, 2, NULL, &end), OG_OK);
    ck_assert(end.value < fmin(charges.value, vector.value) && end.price_count >= 1);
    ck_assert(memcmp(end.price, vector.price + (vector.price_count - end.price_count),
                     (size_t)end.price_count * sizeof *end.price) == 0);
    og_bound_clear(&vector);
    og_bound_clear(&end);
    og_bound_clear(&scalar);
    og_bound_clear(&charges);
}
