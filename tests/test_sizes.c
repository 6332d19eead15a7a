/*
 * The largest and the smallest: up to OG_COUNT_MAX instances, OG_BUDGET_MAX labels, limits of no
 * bytes. What can be handled is, with the value that theory gives, in the states and the memory of
 * a small problem; the rest is refused with a reason, without asking for memory first.
 */
#include "dp/exact/exact.h"
#include "dp/product/blocks/types.h"
#include "dp/product/forecast.h"
#include "dp/product/layers.h"
#include "dp/product/price.h"
#include "dp/product/solve.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/policy.h"
#include "tests/question.h"
#include "tests/support.h"

OG_SUITE(sizes, 60);

static const uint64_t plenty = UINT64_C(1) << 28;
static const uint64_t tiny[] = {0, 1, 1000};

enum { TINY_COUNT = sizeof tiny / sizeof *tiny, LABELS = 20 };

/* ---- without much memory ---- */

/* The largest address space so far; sanitizers map a lot of it before anything begins. */
static uint64_t peak_bytes(void)
{
    char line[256];
    unsigned long long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmPeak: %llu", &kilobytes) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return (uint64_t)kilobytes * 1024;
}

static void check_memory(uint64_t before)
{
    ck_assert_uint_lt(peak_bytes() - before, 4 * plenty);
}

/* ---- what the tests work on ---- */

static og_arms *arms_for(const char *words, int32_t budget)
{
    og_groups problem;
    og_arms *arms;
    og_message message = {""};
    test_problem(words, budget, &problem);
    og_status status = test_arms_new(&problem, 1, plenty, &arms, &message);
    ck_assert_msg(status == OG_OK, "%s", message.text);
    og_groups_clear(&problem);
    return arms;
}

static og_settings settings_for(uint64_t memory_bytes)
{
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    settings.memory_bytes = memory_bytes;
    return settings;
}

static og_result optimum_of(const og_arms *arms)
{
    const og_settings settings = settings_for(plenty);
    return question_solve(arms, &settings, "arms");
}

#define MOST "1000000000x1,1"
static const char most_words[] = MOST;

/* ---- many instances ---- */

OG_TEST(a_thousand_million_instances_gain_what_as_many_as_labels_do)
{
    uint64_t before = peak_bytes();
    og_arms *many = arms_for(most_words, LABELS);
    og_arms *few = arms_for("20x1,1", LABELS);
    og_result most = optimum_of(many);
    og_result least = optimum_of(few);
    ck_assert_double_eq(most.gain, least.gain);
    ck_assert_uint_eq(most.states, least.states);
    ck_assert_double_le(fabs(most.value - (5e8 + least.gain)), most.error_bound);
    ck_assert_uint_le(most.memory_bytes, plenty);
    og_arms_free(few);
    og_arms_free(many);
    check_memory(before);
}

OG_TEST(q_and_policies_are_valued_for_a_thousand_million_instances)
{
    static const char *const names[] = {"kg", "opt-kg", "gittins-fh"};
    og_message message = {""};
    og_settings settings = settings_for(plenty);
    uint64_t before = peak_bytes();
    og_arms *arms = arms_for("500000000x1,1 500000000x2,1", LABELS / 2);
    og_result optimum = optimum_of(arms);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        og_policy_name policy;
        OWN(og_ranks) *ranks = NULL;
        ck_assert_int_eq(og_policy_name_parse(names[i], &policy, &message), OG_OK);
        ck_assert_int_eq(og_policy_name_ranks(&policy, arms, arms->budget, 1, &ranks, &message),
                         OG_OK);
        for (int ties = 0; ties < OG_TIES_COUNT; ties++) {
            og_result result;
            og_status status =
                og_policy_value(arms, ranks, (og_ties)ties, &settings, &result, &message);
            ck_assert_msg(status == OG_OK, "%s, ties %s: %s", names[i], og_ties_name((og_ties)ties),
                          message.text);
            ck_assert_double_ge(result.gain, 0);
            ck_assert_double_le(result.gain,
                                optimum.gain + result.error_bound + optimum.error_bound);
        }
    }
    og_arms_free(arms);
    check_memory(before);
}

/* With Beta(1,1) only the first label of an instance pays before it has had many: 1/4, and the
 * second pays nothing. So the gain is T/4 to within T^2/K. */
OG_TEST(uniform_spreads_labels_over_a_thousand_million_instances)
{
    og_ranks *ranks;
    og_result result;
    og_message message = {""};
    og_settings settings = settings_for(plenty);
    uint64_t before = peak_bytes();
    og_arms *arms = arms_for(most_words, LABELS);
    ck_assert_int_eq(og_ranks_new_uniform(arms, &ranks), OG_OK);
    ck_assert_int_eq(og_policy_value(arms, ranks, OG_TIES_RANDOM, &settings, &result, &message),
                     OG_OK);
    ck_assert_double_le(fabs(result.gain - LABELS / 4.0),
                        result.error_bound + LABELS * (double)LABELS / 1e9);
    og_ranks_free(ranks);
    og_arms_free(arms);
    check_memory(before);
}

OG_TEST(bounds_hold_for_a_thousand_million_instances)
{
    og_status (*const makers[])(const og_arms *, int, og_stop *, og_upper_bound *) = {
        og_bound_lagrangian_scalar, og_bound_lagrangian_vector, og_bound_prevailing_charge,
        og_bound_priced_end};
    uint64_t before = peak_bytes();
    og_arms *arms = arms_for(most_words, LABELS);
    og_result optimum = optimum_of(arms);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        OWN(og_upper_bound) bound;
        ck_assert_int_eq(makers[i](arms, 1, NULL, &bound), OG_OK);
        ck_assert_double_ge(bound.value, optimum.value - optimum.error_bound);
        /* Each of T labels is worth 1/4 at most, in the relaxed problem as well. */
        ck_assert_double_le(bound.value, 5e8 + LABELS / 4.0 + 2 * bound.error + 1e-6 * 5e8);
    }
    og_arms_free(arms);
    check_memory(before);
}

OG_TEST(forecasts_stay_numbers)
{
    static const int32_t budgets[] = {0, 1, 10, 100, 200};
    og_message message = {""};
    og_settings settings = settings_for(plenty);
    uint64_t before = peak_bytes();
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        og_forecast forecast;
        OWN(og_arms) *arms = arms_for(most_words, budgets[i]);
        og_status status = og_forecast_make(arms, &settings, &forecast, &message);
        ck_assert_msg(status == OG_OK, "%s", message.text);
        ck_assert(forecast.states >= 0 && forecast.memory_bytes >= 0);
        ck_assert_uint_le(forecast.table_bytes, plenty);
    }
    check_memory(before);
}

OG_TEST(too_many_instances_in_order_are_refused)
{
    og_solver *solver = NULL;
    og_message message = {""};
    og_settings settings = settings_for(plenty);
    settings.reductions = 0;
    uint64_t before = peak_bytes();
    og_arms *arms = arms_for(most_words, LABELS);
    ck_assert_int_eq(og_solver_new(arms, &settings, &solver, &message), OG_STOPPED);
    ck_assert_ptr_null(solver);
    ck_assert_str_ne(message.text, "");
    og_arms_free(arms);
    check_memory(before);
}

/* ---- counts ---- */

OG_TEST(counts_are_checked_before_they_are_added)
{
    static const int64_t counts[] = {INT64_MIN, -1, 0, OG_COUNT_MAX + 1, INT64_MAX - 1, INT64_MAX};
    og_message message = {""};
    OWN(og_groups) problem;
    og_group group;
    ck_assert_int_eq(og_group_parse(most_words, &group, &message), OG_OK);
    og_groups_init(&problem, 5);
    ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_OK);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        group.count = counts[i];
        message.text[0] = '\0';
        ck_assert_int_eq(og_group_check(&group, 5, &message), OG_BAD_INPUT);
        ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_BAD_INPUT);
        ck_assert_str_ne(message.text, "");
    }
    group.count = 1;
    ck_assert_int_eq(og_groups_add(&problem, &group, &message), OG_BAD_INPUT);
    ck_assert_int_eq(og_groups_size(&problem), OG_COUNT_MAX);
    ck_assert_int_eq(problem.group_count, 1);
}

OG_TEST(counts_that_no_integer_holds_are_refused)
{
    static const char *const words[] = {"9223372036854775807x1,1",
                                        "9223372036854775808x1,1",
                                        "18446744073709551617x1,1",
                                        "1000000001x1,1",
                                        "0x1,1",
                                        "340282366920938463463374607431768211457x1,1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        og_message message = {""};
        og_group group;
        ck_assert_int_eq(og_group_parse(words[i], &group, &message), OG_BAD_INPUT);
        ck_assert_str_ne(message.text, "");
    }
}

/* ---- many labels ---- */

OG_TEST(budgets_out_of_range_are_refused)
{
    static const int32_t budgets[] = {INT32_MIN, -1, OG_BUDGET_MAX + 1, INT32_MAX};
    og_message message = {""};
    og_group group;
    og_arm *arm = NULL;
    ck_assert_int_eq(og_group_parse("1,1", &group, &message), OG_OK);
    uint64_t before = peak_bytes();
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        ck_assert_int_eq(og_arm_new(&group, budgets[i], plenty, &arm, &message), OG_BAD_INPUT);
    }
    ck_assert_ptr_null(arm);
    check_memory(before);
}

OG_TEST(a_million_labels_are_refused_with_a_reason)
{
    static const uint64_t limits[] = {0, 1, 1000, UINT64_C(1) << 40, UINT64_MAX};
    OWN(og_groups) problem;
    og_arms *arms = NULL;
    test_problem(most_words, OG_BUDGET_MAX, &problem);
    uint64_t before = peak_bytes();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        og_message message = {""};
        ck_assert_int_eq(test_arms_new(&problem, 1, limits[i], &arms, &message), OG_NO_MEMORY);
        ck_assert_ptr_null(arms);
        ck_assert_str_ne(message.text, "");
    }
    check_memory(before);
}

/* Nodes are numbered by 32 bits; 92681 * 92682 / 2 of them are just below, one level more is not.
 */
OG_TEST(bytes_of_arms_grow_with_the_budget_and_do_not_wrap)
{
    og_message message = {""};
    og_group group;
    og_arm *arm = NULL;
    uint64_t last = 0;
    for (int32_t depth = 0; depth <= OG_BUDGET_MAX; depth += 1 + depth / 7) {
        uint64_t bytes = og_arm_beta_bytes(depth);
        ck_assert_uint_gt(bytes, last);
        ck_assert_uint_ge(bytes, 8 * ((uint64_t)depth + 1) * ((uint64_t)depth + 2) / 2);
        last = bytes;
    }
    ck_assert_int_eq(og_group_parse("1,1", &group, &message), OG_OK);
    uint64_t before = peak_bytes();
    ck_assert_int_eq(og_arm_new(&group, 92700, UINT64_MAX, &arm, &message), OG_NO_MEMORY);
    ck_assert_ptr_null(arm);
    check_memory(before);
}

OG_TEST(no_label_leaves_what_there_is)
{
    OWN(og_arms) *arms = arms_for(most_words, 0);
    og_result result = optimum_of(arms);
    ck_assert_double_eq(result.gain, 0);
    ck_assert_double_eq(result.value, 5e8);
}

/* ---- no memory ---- */

OG_TEST(tables_are_refused_where_the_limit_is_nothing)
{
    og_message message = {""};
    OWN(og_groups) problem;
    og_arms *none = NULL;
    og_layers *layers = NULL;
    og_prices *prices = NULL;
    og_classes *classes = NULL;
    test_problem("5x1,1", LABELS, &problem);
    OWN(og_arms) *arms = arms_for("5x1,1", LABELS);
    OWN(og_layers) *whole = NULL;
    ck_assert_int_eq(og_layers_new(arms, &(og_layers_use){.merge = true, .memory_bytes = plenty},
                                   &whole, &message),
                     OG_OK);
    for (int i = 0; i < TINY_COUNT; i++) {
        ck_assert_int_eq(test_arms_new(&problem, 1, tiny[i], &none, &message), OG_NO_MEMORY);
        ck_assert_int_eq(og_layers_new(arms,
                                       &(og_layers_use){.merge = true, .memory_bytes = tiny[i]},
                                       &layers, &message),
                         OG_STOPPED);
        ck_assert_int_eq(og_classes_new(arms,
                                        &(og_layers_use){.merge = true, .memory_bytes = tiny[i]},
                                        &classes, &message),
                         OG_STOPPED);
        ck_assert_int_eq(og_prices_new(whole, 5, 0, tiny[i], NULL, &prices), OG_STOPPED);
    }
    ck_assert(none == NULL && layers == NULL && classes == NULL && prices == NULL);
}

static bool says_stop(void *user, const og_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return false;
}

/* As if the last look had been long ago. */
static og_stop *stop_now(og_stop *stop, int *looks)
{
    og_stop_init(stop, says_stop, looks);
    stop->looked = stop->looked - 1;
    return stop;
}

/* Whoever watches is asked while tables are built, before there is a state. */
OG_TEST(every_table_ends_when_the_watch_says_so)
{
    og_message message = {""};
    og_layers *whole, *layers = NULL;
    og_prices *prices = NULL;
    og_exact_names *names = NULL;
    og_block_summaries *summaries = NULL;
    og_stop stop;
    int looks = 0;
    double price;
    OWN(og_arms) *arms = arms_for("5x1,1", LABELS);
    ck_assert_int_eq(og_layers_new(arms, &(og_layers_use){.merge = true, .memory_bytes = plenty},
                                   &whole, &message),
                     OG_OK);
    ck_assert_int_eq(og_layers_new(arms,
                                   &(og_layers_use){.merge = true,
                                                    .memory_bytes = plenty,
                                                    .stop = stop_now(&stop, &looks)},
                                   &layers, &message),
                     OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "stopped while its tables were built"));
    ck_assert_int_eq(og_prices_new(whole, 5, 0, plenty, stop_now(&stop, &looks), &prices),
                     OG_STOPPED);
    ck_assert_int_eq(og_prices_favourite(whole, arms, stop_now(&stop, &looks), &price), OG_STOPPED);
    message.text[0] = '\0';
    ck_assert_int_eq(og_exact_names_new(arms, plenty, stop_now(&stop, &looks), &names, &message),
                     OG_STOPPED);
    ck_assert_ptr_nonnull(strstr(message.text, "stopped while its tables were built"));
    ck_assert_int_eq(og_block_summaries_new(
                         arms,
                         &(og_layers_use){.memory_bytes = plenty, .stop = stop_now(&stop, &looks)},
                         NULL, false, &summaries),
                     OG_STOPPED);
    ck_assert_int_eq(looks, 5);
    ck_assert(layers == NULL && prices == NULL && names == NULL && summaries == NULL);
    og_layers_free(whole);
}

/* A limit of 0 in the settings asks for the default. */
OG_TEST(solvers_are_refused_where_the_limit_is_nothing)
{
    OWN(og_arms) *arms = arms_for("5x1,1", LABELS);
    for (int i = 1; i < TINY_COUNT; i++) {
        og_settings settings = settings_for(tiny[i]);
        og_solver *solver = NULL;
        og_exact *exact = NULL;
        og_forecast forecast;
        og_message message = {""};
        ck_assert_int_eq(og_solver_new(arms, &settings, &solver, &message), OG_STOPPED);
        ck_assert_str_ne(message.text, "");
        message.text[0] = '\0';
        ck_assert_int_eq(og_exact_new(arms, &settings, &exact, &message), OG_STOPPED);
        ck_assert_str_ne(message.text, "");
        message.text[0] = '\0';
        ck_assert_int_ne(og_forecast_make(arms, &settings, &forecast, &message), OG_OK);
        ck_assert_str_ne(message.text, "");
        ck_assert(solver == NULL && exact == NULL);
    }
}

/* ---- tables ---- */

/* Of the arms, for the policy, in fractions where there are names; the memory they hold. */
static og_status make_tables(const og_arms *arms, const og_ranks *ranks, og_exact_names *names,
                             uint64_t memory, uint64_t *bytes, og_message *message)
{
    og_layers *layers = NULL;
    const og_layers_use use = {
        .ranks = ranks, .merge = true, .names = names, .memory_bytes = memory};
    og_status status = og_layers_new(arms, &use, &layers, message);
    if (status == OG_OK) {
        *bytes = layers->bytes;
    }
    og_layers_free(layers);
    return status;
}

/* Whether the message of a refusal says that nothing was built. */
static bool is_at_once(const og_message *message)
{
    return strstr(message->text, "or more") != NULL;
}

typedef struct {
    int refused, at_once;
} refusals;

/* What takes so many bytes is made where there are as many and refused where there are fewer. */
static void check_limits(const question *q, const og_ranks *ranks, og_exact_names *names,
                         refusals *met)
{
    og_message message = {""};
    uint64_t bytes = 0, again = 0;
    question_ok(make_tables(q->arms, ranks, names, UINT64_MAX, &bytes, &message), &message,
                q->words);
    question_ok(make_tables(q->arms, ranks, names, bytes, &again, &message), &message, q->words);
    ck_assert_msg(again == bytes, "%s: %" PRIu64 " bytes, then %" PRIu64, q->words, bytes, again);
    for (int part = 1; part < 10 && q->problem.budget > 0; part++) {
        og_status status =
            make_tables(q->arms, ranks, names, bytes * (uint64_t)part / 10, &again, &message);
        ck_assert_msg(status == OG_STOPPED, "%s: status %d with %d tenths of the memory", q->words,
                      status, part);
        met->refused++;
        met->at_once += is_at_once(&message);
    }
}

OG_TEST(tables_are_refused_exactly_where_they_do_not_fit)
{
    uint64_t seed = test_seed(8101);
    random_source source = random_start(seed);
    refusals optimum = {0}, exact = {0}, policy = {0};
    for (int round = 0; round < test_cases(60); round++) {
        random_limits limits = {.instances = 4, .budget = 24, .integers = round % 2 == 0};
        limits.mixtures = round % 3 == 0;
        limits.bandit = round % 5 == 0;
        OWN(question) q = question_random(&source, &limits, seed, round);
        og_message message = {""};
        og_policy_name named;
        OWN(og_ranks) *ranks = NULL;
        check_limits(&q, NULL, NULL, &optimum);
        ck_assert_int_eq(og_policy_name_parse("kg", &named, &message), OG_OK);
        ck_assert_int_eq(og_policy_name_ranks(&named, q.arms, q.arms->budget, 1, &ranks, &message),
                         OG_OK);
        check_limits(&q, ranks, NULL, &policy);
        if (og_exact_check(q.arms, &message) == OG_OK) {
            og_exact_names *names = NULL;
            ck_assert_int_eq(og_exact_names_new(q.arms, plenty, NULL, &names, &message), OG_OK);
            check_limits(&q, NULL, names, &exact);
            check_limits(&q, ranks, names, &policy);
            og_exact_names_free(names);
        }
    }
    /* A layer of no class takes a few bytes too, which are not foreseen. */
    ck_assert_int_gt(3 * optimum.at_once, optimum.refused);
    ck_assert_int_gt(3 * exact.at_once, exact.refused);
    ck_assert_int_gt(policy.at_once, 0);
}

OG_TEST(tables_too_large_are_refused_before_they_are_built)
{
    static const char *const words[] = {MOST, "3x0.5,0.7@0.3", "0.3:1,1+0.7:4,2 2,2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        OWN(og_arms) *arms = arms_for(words[i], 1000);
        og_message message = {""};
        uint64_t bytes;
        uint64_t before = peak_bytes();
        ck_assert_int_eq(make_tables(arms, NULL, NULL, plenty, &bytes, &message), OG_STOPPED);
        ck_assert_msg(is_at_once(&message), "%s: %s", words[i], message.text);
        check_memory(before);
    }
}
