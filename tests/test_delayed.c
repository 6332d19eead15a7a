/*
 * Labels that take time: known fractions, policies that look at work in progress against the
 * definition in rationals (tests/oracle_delayed.h), the bound and the index against the recursion
 * of one instance.
 */
#include "dp/engine/strategy.h"
#include "dp/families/delayed.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/families/delayed_policy.h"
#include "tests/oracle.h"
#include "tests/oracle_delayed.h"
#include "tests/question.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(delayed, 300);

static const uint64_t plenty = UINT64_C(1) << 30;
static const og_policy_use alone = {.threads = 1, .memory_bytes = UINT64_C(1) << 30};
static const og_delay usual = {.arrival_rate = {1, 10}, .service_rate = {2, 5}};

/* A problem, its arms, and both rates. */
typedef struct {
    og_groups problem;
    char words[256];
    og_arms *arms;
    og_delay delay;
    mpq_t arrival, service;
} random_sample;

static void sample_finish(random_sample *sample, const og_delay *delay)
{
    og_message message;
    char words[160];
    problem_format(&sample->problem, words, sizeof words);
    snprintf(sample->words, sizeof sample->words, "%s rates %lld/%lld %lld/%lld", words,
             (long long)delay->arrival_rate.num, (long long)delay->arrival_rate.den,
             (long long)delay->service_rate.num, (long long)delay->service_rate.den);
    sample->delay = *delay;
    mpq_inits(sample->arrival, sample->service, NULL);
    og_fraction_get_mpq(sample->arrival, delay->arrival_rate);
    og_fraction_get_mpq(sample->service, delay->service_rate);
    ck_assert_int_eq(test_arms_new(&sample->problem, 1, plenty, &sample->arms, &message), OG_OK);
}

static void sample_init(random_sample *sample, const char *words, int32_t workers)
{
    test_problem(words, workers, &sample->problem);
    sample_finish(sample, &usual);
}

static void sample_random(random_sample *sample, random_source *random, const random_limits *limits)
{
    static const int64_t numerators[] = {1, 1, 2, 7, 40};
    og_delay delay = {.arrival_rate = og_fraction_make(numerators[random_below(random, 5)], 10)};
    delay.service_rate = og_fraction_make(numerators[random_below(random, 5)], 10);
    random_problem(random, limits, &sample->problem);
    sample_finish(sample, &delay);
}

static void sample_clear(random_sample *sample)
{
    og_arms_free(sample->arms);
    og_groups_clear(&sample->problem);
    mpq_clears(sample->arrival, sample->service, NULL);
}

static og_status solve(const random_sample *sample, const og_strategy *by, og_ties ties,
                       unsigned reductions, int threads, og_solution *out, og_message *message)
{
    const og_settings settings = question_settings(reductions, threads);
    const og_value_asked asked = {.by = by, .ties = ties, .reductions = reductions};
    og_model model;
    og_status status =
        og_delayed_model(sample->arms, &sample->delay, &asked, plenty, &model, message);
    return status == OG_OK ? og_solution_by_engine(&model, &asked, &settings, out, message)
                           : status;
}

static og_result value_with(const random_sample *sample, const og_delayed_policy *policy,
                            og_ties ties, unsigned reductions, int threads)
{
    og_solution solution;
    og_value_found found;
    og_message message = {""};
    og_strategy by;
    if (policy != NULL) {
        by = og_delayed_strategy(policy);
    }
    ck_assert_msg(solve(sample, policy != NULL ? &by : NULL, ties, reductions, threads, &solution,
                        &message) == OG_OK,
                  "%s: %s", sample->words, message.text);
    ck_assert_int_eq(solution.value(solution.self, &found, &message), OG_OK);
    ck_assert(isnan(found.called_value));
    og_solution_free(&solution);
    return found.result;
}

static og_result optimum(const random_sample *sample)
{
    return value_with(sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1);
}

static void policy_init(const random_sample *sample, const char *name, og_delayed_policy *out)
{
    og_policy_name policy;
    og_message message;
    ck_assert_int_eq(og_policy_name_parse(name, &policy, &message), OG_OK);
    ck_assert_msg(og_delayed_policy_init(out, &policy, sample->arms, &sample->delay, &alone,
                                         &message) == OG_OK,
                  "%s: %s", sample->words, message.text);
}

static void assert_value(const random_sample *sample, const og_result *found, const mpq_t exact,
                         const char *what)
{
    ck_assert_msg(oracle_within(found->value, found->error_bound + ORACLE_H_ERROR, exact),
                  "%s: %s is %.17g, not %.17g, error bound %g", sample->words, what, found->value,
                  mpq_get_d(exact), found->error_bound);
    ck_assert_msg(found->error_bound < 1e-11, "%s: %g", sample->words, found->error_bound);
}

/* ---- values ---- */

typedef struct {
    const char *problem;
    int32_t workers;
    const char *value;
} known_value;

static const known_value known_values[] = {
    {"2x1,1", 3, "3/2"},
    {"2x1,1", 5, "2239512151/1396278000"},
    {"3x1,1", 4, "9/4"},
    {"3x1,1", 6, "2179299411517/925732314000"},
    {"2,1 1,1", 4, "2026751/1263600"},
    {"10x1,1", 12, "121/16"},
    {"1,1", 0, "1/2"},
    {"3x1,1", 1, "7/4"},
};

enum { KNOWN_VALUES = sizeof known_values / sizeof *known_values };

OG_TEST_LOOP(optimum_has_the_known_values, 0, KNOWN_VALUES)
{
    const known_value *known = &known_values[_i];
    random_sample sample;
    OWN_MPQ exact = MPQ_NEW;
    mpq_set_str(exact, known->value, 10);
    mpq_canonicalize(exact);
    sample_init(&sample, known->problem, known->workers);
    og_result found = optimum(&sample);
    assert_value(&sample, &found, exact, "the optimum");
    sample_clear(&sample);
}

/* hu-frazier's index from the program; the test below checks its value. */
static void own_index(mpq_t out, int group, int s, int f, int at_work, int left, const void *data)
{
    const og_delayed_policy *policy = data;
    const og_arms *arms = policy->arms;
    int32_t arm = arms->arm_of_group[group];
    uint32_t node = arms->arm[arm]->level[s + f] + (uint32_t)s;
    mpq_set_ui(out, og_delayed_policy_rank(policy, arm, node, at_work, left), 1);
}

OG_TEST(policies_that_look_at_work_in_progress_agree_with_the_definition)
{
    static const char *const names[] = {"hu-frazier", "hu-frazier:2"};
    random_source random = random_start(test_seed(64));
    const random_limits small = {.instances = 3, .budget = 4};
    OWN_MPQ exact = MPQ_NEW;
    for (int i = 0; i < test_cases(40); i++) {
        random_sample sample;
        sample_random(&sample, &random, &small);
        og_delayed_policy policy;
        policy_init(&sample, names[i % 2], &policy);
        oracle_delayed *truth = oracle_delayed_new(&sample.problem, sample.arrival, sample.service);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            oracle_delayed_value(truth, own_index, &policy, (og_ties)ties, exact);
            og_result found = value_with(&sample, &policy, (og_ties)ties, OG_REDUCE_ALL, 1);
            assert_value(&sample, &found, exact, names[i % 2]);
        }
        oracle_delayed_free(truth);
        og_delayed_policy_clear(&policy);
        sample_clear(&sample);
    }
}

/* ---- bounds ---- */

OG_TEST(bound_is_the_recursion_of_one_instance_at_its_prices)
{
    random_source random = random_start(test_seed(66));
    const random_limits limits = {.instances = 3, .budget = 5};
    mpq_t exact, part, one, prices[ORACLE_DELAYED_WORKERS];
    mpq_inits(exact, part, one, NULL);
    for (int l = 0; l < ORACLE_DELAYED_WORKERS; l++) {
        mpq_init(prices[l]);
    }
    for (int i = 0; i < test_cases(40); i++) {
        random_sample sample;
        double price[ORACLE_DELAYED_WORKERS], value, error;
        sample_random(&sample, &random, &limits);
        mpq_set_si(exact, 0, 1);
        for (int32_t l = 0; l < sample.problem.budget; l++) {
            price[l] = (double)random_below(&random, 64) / 512;
            mpq_set_d(prices[l], price[l]);
            mpq_add(exact, exact, prices[l]);
        }
        oracle_delayed *truth = oracle_delayed_new(&sample.problem, sample.arrival, sample.service);
        for (int32_t g = 0; g < sample.problem.group_count; g++) {
            oracle_delayed_priced(truth, g, prices, 0, 0, 0, 0, part);
            mpq_set_si(one, (long)og_groups_at(&sample.problem, g)->count, 1);
            mpq_mul(part, part, one);
            mpq_add(exact, exact, part);
        }
        ck_assert_int_eq(og_bound_delayed_evaluate(sample.arms, &sample.delay, plenty, price,
                                                   sample.problem.budget, 1, &value, &error),
                         OG_OK);
        ck_assert_msg(oracle_within(value - error, error + ORACLE_H_ERROR, exact),
                      "%s: %.17g, not %.17g", sample.words, value, mpq_get_d(exact));
        ck_assert_double_lt(error, 1e-12);
        oracle_delayed_free(truth);
        sample_clear(&sample);
    }
    for (int l = 0; l < ORACLE_DELAYED_WORKERS; l++) {
        mpq_clear(prices[l]);
    }
    mpq_clears(exact, part, one, NULL);
}

OG_TEST(bound_has_the_known_value)
{
    random_sample sample;
    const double price = 3.0 / 64;
    double value, error;
    sample_init(&sample, "10x1,1", 12);
    ck_assert_int_eq(
        og_bound_delayed_evaluate(sample.arms, &sample.delay, plenty, &price, 1, 1, &value, &error),
        OG_OK);
    ck_assert_double_le(fabs(value - error - 243.0 / 32), error);
    sample_clear(&sample);
}

OG_TEST(bounds_are_above_the_optimum_and_in_order)
{
    random_source random = random_start(test_seed(67));
    const random_limits limits = {.instances = 4, .budget = 7};
    int tighter = 0;
    for (int i = 0; i < test_cases(30); i++) {
        random_sample sample;
        og_upper_bound scalar, vector;
        sample_random(&sample, &random, &limits);
        og_result found = optimum(&sample);
        ck_assert_int_eq(
            og_bound_delayed_scalar(sample.arms, &sample.delay, plenty, 1, NULL, &scalar), OG_OK);
        ck_assert_int_eq(
            og_bound_delayed_vector(sample.arms, &sample.delay, plenty, 1, NULL, &vector), OG_OK);
        double lower = found.value - found.error_bound;
        ck_assert_msg(vector.value >= lower && scalar.value >= lower, "%s", sample.words);
        ck_assert_msg(vector.value <= scalar.value + scalar.error, "%s", sample.words);
        ck_assert(scalar.converged && vector.converged);
        tighter += vector.value < scalar.value - 1e-6;
        og_bound_clear(&scalar);
        og_bound_clear(&vector);
        sample_clear(&sample);
    }
    ck_assert_int_gt(tighter, test_cases(3));
}

/* ---- the index ---- */

/* Buying minus waiting for one instance of group 0 with `left` workers to come. */
static double advantage(const random_sample *sample, const oracle_delayed *truth, double price,
                        int s, int f, int at_work, int left)
{
    mpq_t prices[ORACLE_DELAYED_WORKERS], take, wait;
    mpq_inits(take, wait, NULL);
    for (int l = 0; l < ORACLE_DELAYED_WORKERS; l++) {
        mpq_init(prices[l]);
        mpq_set_d(prices[l], price);
    }
    int used = sample->problem.budget - left;
    oracle_delayed_priced(truth, 0, prices, s, f, at_work + 1, used + 1, take);
    oracle_delayed_priced(truth, 0, prices, s, f, at_work, used + 1, wait);
    mpq_sub(take, take, wait);
    mpq_sub(take, take, prices[0]);
    double found = mpq_get_d(take);
    for (int l = 0; l < ORACLE_DELAYED_WORKERS; l++) {
        mpq_clear(prices[l]);
    }
    mpq_clears(take, wait, NULL);
    return found;
}

enum { PRICES_ABOVE = 24 };

/* At the index buying is no worse than waiting, at larger prices it is. */
static void assert_is_index(const random_sample *sample, const oracle_delayed *truth,
                            const og_delayed_index *index, int s, int f, int at_work, int left)
{
    uint32_t node = sample->arms->arm[0]->level[s + f] + (uint32_t)s;
    double found = og_delayed_index_at(index, 0, node, at_work, left);
    double at = advantage(sample, truth, found, s, f, at_work, left);
    ck_assert_msg(at >= -1e-12, "%s: (%d,%d) %d at work %d left: %.17g, %g there", sample->words, s,
                  f, at_work, left, found, at);
    for (int i = 0; i <= PRICES_ABOVE; i++) {
        double price = i == 0 ? found + 1e-9 : found + (0.5 - found) * i / PRICES_ABOVE;
        double above = advantage(sample, truth, price, s, f, at_work, left);
        ck_assert_msg(above < 0, "%s: (%d,%d) %d at work %d left: %.17g, but %g at %g",
                      sample->words, s, f, at_work, left, found, above, price);
    }
}

OG_TEST(index_is_the_largest_price_at_which_buying_is_no_worse)
{
    static const char *const words[] = {"1,1", "2,1", "1,2@0.3", "0.5,0.7"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        random_sample sample;
        og_delayed_index *index;
        og_message message;
        sample_init(&sample, words[i], 4);
        oracle_delayed *truth = oracle_delayed_new(&sample.problem, sample.arrival, sample.service);
        ck_assert_int_eq(og_delayed_index_new(sample.arms, &sample.delay, &alone, &index, &message),
                         OG_OK);
        for (int left = 1; left <= 4; left++) {
            for (int used = 0; used <= 4 - left; used++) {
                for (int at_work = 0; at_work <= used; at_work++) {
                    for (int s = 0; s <= used - at_work; s++) {
                        assert_is_index(&sample, truth, index, s, used - at_work - s, at_work,
                                        left);
                    }
                }
            }
        }
        og_delayed_index_free(index);
        oracle_delayed_free(truth);
        sample_clear(&sample);
    }
}

/* The figures of the literature are rounded down to multiples of 1/4000. */
OG_TEST(index_has_the_known_values)
{
    random_sample sample;
    og_delayed_index *index;
    og_message message;
    sample_init(&sample, "2x1,1", 5);
    ck_assert_int_eq(og_delayed_index_new(sample.arms, &sample.delay, &alone, &index, &message),
                     OG_OK);
    ck_assert_double_eq(floor(4000 * og_delayed_index_at(index, 0, 0, 1, 3)), 4000 * 0.04525);
    ck_assert_double_eq(floor(4000 * og_delayed_index_at(index, 0, 2, 1, 3)), 4000 * 0.0205);
    ck_assert_double_le(fabs(og_delayed_index_at(index, 0, 0, 1, 3) - 6075.0 / 133984), 1e-12);
    ck_assert_double_le(fabs(og_delayed_index_at(index, 0, 2, 1, 3) - 123325.0 / 5984576), 1e-12);
    /* A lone label is worth its own gain. */
    ck_assert_double_eq(og_delayed_index_at(index, 0, 0, 0, 5), 0.25);
    /* Mirror images. */
    for (int at_work = 0; at_work < 3; at_work++) {
        ck_assert_uint_eq(og_delayed_index_rank(index, 0, 1, at_work, 2),
                          og_delayed_index_rank(index, 0, 2, at_work, 2));
    }
    og_delayed_index_free(index);
    sample_clear(&sample);
}

/* ---- instances with fewer labels than workers ---- */

/* A copy of one arm for instances of each of these numbers of labels. */
typedef struct {
    random_sample from;
    og_arm *arm[3];
    int32_t number[3];
    og_arms arms;
    og_delay delay;
    double rho, mu;
} limited_delayed;

static const int32_t limits_of_labels[] = {1, 3, 2};
static const int64_t sizes_of_groups[] = {2, 3, 1};

static void limited_init(limited_delayed *limited, const char *words, int32_t workers)
{
    sample_init(&limited->from, words, 3);
    limited->delay = usual;
    limited->delay.most = limits_of_labels;
    limited->rho = og_fraction_double(usual.arrival_rate);
    limited->mu = og_fraction_double(usual.service_rate);
    for (int32_t k = 0; k < 3; k++) {
        limited->arm[k] = limited->from.arms->arm[0];
        limited->number[k] = k;
    }
    limited->arms = (og_arms){.budget = workers,
                              .arm_count = 3,
                              .arm = limited->arm,
                              .group_count = 3,
                              .arm_of_group = limited->number,
                              .group_size = (int64_t *)sizes_of_groups};
}

/* D, from its definition. */
static double gain_of(const og_arm *arm, uint32_t node, int w)
{
    double sum = w == 0 ? arm->reward[node] : 0;
    for (uint32_t k = 0; w > 0 && k < 2; k++) {
        sum += arm->probability[2 * node + k] * gain_of(arm, arm->next[2 * node + k], w - 1);
    }
    return sum;
}

static double worth_of(const limited_delayed *limited, int32_t most, double price, uint32_t node,
                       int w, int m);

/* A worker for this instance, with m to come after that, less waiting. */
static double worth_of_taking(const limited_delayed *limited, int32_t most, double price,
                              uint32_t node, int w, int m)
{
    const og_arm *arm = limited->arm[0];
    return og_arm_level(arm, node) + w == most
               ? -INFINITY
               : gain_of(arm, node, w) - price + worth_of(limited, most, price, node, w + 1, m);
}

/* v(x, w, m) of heuristics/bounds/priced_delayed.h, literally. */
static double worth_of(const limited_delayed *limited, int32_t most, double price, uint32_t node,
                       int w, int m)
{
    const og_arm *arm = limited->arm[0];
    if (m == 0) {
        return 0;
    }
    double sum = limited->rho * fmax(worth_of(limited, most, price, node, w, m - 1),
                                     worth_of_taking(limited, most, price, node, w, m - 1));
    for (uint32_t k = 0; w > 0 && k < 2; k++) {
        sum += limited->mu * w * arm->probability[2 * node + k] *
               worth_of(limited, most, price, arm->next[2 * node + k], w - 1, m);
    }
    return sum / (limited->rho + limited->mu * w);
}

static void check_limited_index(const limited_delayed *limited, const og_delayed_index *index,
                                int32_t k, uint32_t node, int w, int left)
{
    int32_t most = limits_of_labels[k];
    double found = og_delayed_index_at(index, k, node, w, left);
    bool open = og_arm_level(limited->arm[0], node) + w < most;
    ck_assert(open || found == 0);
    for (int i = 0; open && i < 6; i++) {
        double price = i == 0 ? found : found + (i == 1 ? 1e-9 : 0.06 * i);
        double more = worth_of_taking(limited, most, price, node, w, left - 1) -
                      worth_of(limited, most, price, node, w, left - 1);
        ck_assert_msg(i == 0 ? more >= -1e-12 : more < 0,
                      "%d labels, node %u, %d at work, %d left: %.17g, %g at %g", most, node, w,
                      left, found, more, price);
    }
}

OG_TEST(index_knows_how_many_labels_there_are)
{
    static const char *const words[] = {"1,1", "1.5,1", "2,1@0.3", "2,1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const int workers = i < 3 ? 5 : 2; /* also fewer workers than labels */
        limited_delayed limited;
        og_delayed_index *index;
        og_message message;
        limited_init(&limited, words[i], workers);
        ck_assert_int_eq(
            og_delayed_index_new(&limited.arms, &limited.delay, &alone, &index, &message), OG_OK);
        for (int32_t k = 0; k < 3; k++) {
            for (int left = 1; left <= workers; left++) {
                for (uint32_t node = 0; node < limited.arm[0]->node_count; node++) {
                    int had = og_arm_level(limited.arm[0], node);
                    for (int w = 0; had + w <= limits_of_labels[k] && had + w <= workers - left;
                         w++) {
                        check_limited_index(&limited, index, k, node, w, left);
                    }
                }
            }
        }
        og_delayed_index_free(index);
        sample_clear(&limited.from);
    }
}

/* The bound at a price, literally, with this share of the instances. */
static double literal_bound(const limited_delayed *limited, double price, double share)
{
    double sum = price * limited->arms.budget;
    for (int32_t k = 0; k < 3; k++) {
        double alone_worth =
            worth_of(limited, limits_of_labels[k], price, 0, 0, limited->arms.budget);
        sum += share * (double)sizes_of_groups[k] * (limited->arm[0]->call + alone_worth);
    }
    return sum;
}

OG_TEST(bound_knows_how_many_labels_there_are)
{
    for (int64_t drawn = 3; drawn <= 6; drawn += 3) {
        limited_delayed limited;
        og_upper_bound found;
        limited_init(&limited, "1.26,0.96", 6);
        ck_assert_int_eq(
            og_bound_delayed_drawn(&limited.arms, &limited.delay, drawn, plenty, 1, NULL, &found),
            OG_OK);
        double price = found.price[0], share = (double)drawn / 6;
        ck_assert(found.converged);
        ck_assert_double_le(
            fabs(literal_bound(&limited, price, share) - (found.value - found.error)),
            found.error + 1e-14);
        for (double other = 0; other < 0.3; other += 0.02) {
            ck_assert_double_ge(literal_bound(&limited, other, share),
                                found.value - 2 * found.error);
        }
        og_bound_clear(&found);
        sample_clear(&limited.from);
    }
}

/* ---- contract ---- */

OG_TEST(init_refuses_rates_that_are_none)
{
    static const og_delay wrong[] = {{.arrival_rate = {0, 1}, .service_rate = {1, 1}},
                                     {.arrival_rate = {1, 1}, .service_rate = {0, 1}},
                                     {.arrival_rate = {-1, 10}, .service_rate = {1, 1}},
                                     {.arrival_rate = {1, 1}, .service_rate = {10000000, 1}}};
    random_sample sample;
    sample_init(&sample, "2x1,1", 3);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        og_solution solution;
        og_message message = {""};
        sample.delay = wrong[i];
        ck_assert_int_eq(solve(&sample, NULL, OG_TIES_BEST, OG_REDUCE_ALL, 1, &solution, &message),
                         OG_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(message.text, "rate must lie between"));
    }
    sample_clear(&sample);
}

OG_TEST(init_refuses_what_does_not_fit)
{
    random_sample sample;
    og_model model;
    og_message message = {""};
    sample_init(&sample, "5000x1,1", 3);
    og_value_asked asked = {.reductions = OG_REDUCE_MERGE};
    ck_assert_int_eq(og_delayed_model(sample.arms, &sample.delay, &asked, plenty, &model, &message),
                     OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "5000 different instances"));
    asked.reductions = OG_REDUCE_ALL;
    ck_assert_int_eq(og_delayed_model(sample.arms, &sample.delay, &asked, 1000, &model, &message),
                     OG_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(message.text, "memory limit"));
    sample_clear(&sample);
}

static og_status answer_weights(void *self, const og_strategy_view *view, double *answer,
                                og_answer *kind, og_message *message)
{
    (void)self, (void)message;
    for (int32_t i = 0; i < view->count; i++) {
        answer[i] = 1;
    }
    *kind = OG_ANSWER_WEIGHTS;
    return OG_OK;
}

OG_TEST(model_refuses_a_policy_that_is_no_index)
{
    random_sample sample;
    og_solution solution;
    og_message message = {""};
    const og_strategy by = {.choose = answer_weights};
    sample_init(&sample, "2x1,1", 3);
    ck_assert_int_eq(solve(&sample, &by, OG_TIES_RANDOM, OG_REDUCE_ALL, 1, &solution, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "only index policies"));
    sample_clear(&sample);
}
