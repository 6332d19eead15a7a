/*
 * The check that ends every comparison: results that contradict each other are a failure, never a
 * table; and when the optimum gives up. What comes out of real problems is tested through the
 * program (test_cli.py).
 */
#include "bench/questions/compare.h"
#include "tests/support.h"

OG_SUITE(compare, 60);

enum { SCALAR, VECTOR, PREVAILING }; /* og_bounds_of_arms */

/* Ten instances, no labels worth 5, optimum 8 +- 0.01, one policy at 7.5 +- 0.01, bounds 8.5, 8.2,
 * 8.3. */
typedef struct {
    og_comparison comparison;
    og_compare_row row;
    og_message message;
} random_sample;

static void sample_init(random_sample *sample)
{
    memset(sample, 0, sizeof *sample);
    sample->row.result = (og_result){.value = 7.5, .gain = 2.5, .error_bound = 0.01};
    sample->comparison = (og_comparison){.call = 5,
                                         .optimal = {.value = 8, .gain = 3, .error_bound = 0.01},
                                         .row_count = 1,
                                         .rows = &sample->row,
                                         .bounds = {.count = 3,
                                                    .tried = {true, true, true},
                                                    .bound = {[SCALAR] = {.value = 8.5},
                                                              [VECTOR] = {.value = 8.2},
                                                              [PREVAILING] = {.value = 8.3}}}};
    for (int i = 0; i < sample->comparison.bounds.count; i++) {
        sample->comparison.bounds.name[i] = og_bounds_of_arms[i];
    }
}

static og_status conclude(random_sample *sample)
{
    sample->comparison.rows = &sample->row;
    return og_comparison_conclude(&sample->comparison, &sample->message);
}

OG_TEST(conclude_fills_gaps_of_value_and_of_gain)
{
    random_sample sample;
    sample_init(&sample);
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq(sample.row.gap, 0.5);
    ck_assert_double_eq(sample.row.gap_error, 0.02);
    ck_assert_double_eq(sample.row.gap_percent, 6.25);
    ck_assert_double_eq_tol(sample.row.gain_lost_percent, 100 / 6.0, 1e-13);
    ck_assert_double_eq(sample.comparison.lower, 8 - 0.01);
    ck_assert_double_eq(sample.comparison.upper, 8 + 0.01);
    ck_assert_int_eq(sample.comparison.lower_row, -1);
}

OG_TEST(conclude_brackets_an_optimum_that_is_not_proved)
{
    random_sample sample;
    sample_init(&sample);
    sample.comparison.optimal_status = OG_STOPPED;
    sample.comparison.optimal = (og_result){.states = 7};
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq(sample.comparison.lower, 7.5 - 0.01);
    ck_assert_int_eq(sample.comparison.lower_row, 0);
    ck_assert_double_eq(sample.comparison.upper, 8.2);
    ck_assert_double_eq(sample.row.gap_most, 8.2 - (7.5 - 0.01));
    ck_assert_double_eq(sample.row.gap_most_percent, 100 * sample.row.gap_most / 8.2);
    ck_assert_double_eq(sample.row.gain_lost_most_percent, 100 * sample.row.gap_most / (8.2 - 5));
}

OG_TEST(conclude_takes_the_smallest_of_the_bounds_there_was_time_for)
{
    random_sample sample;
    sample_init(&sample);
    sample.comparison.optimal_status = OG_STOPPED;
    sample.comparison.bounds.bound[PREVAILING].value = 8.1;
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq(sample.comparison.upper, 8.1);
    sample.comparison.bounds.bound[VECTOR].value =
        sample.comparison.bounds.bound[PREVAILING].value = INFINITY;
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq(sample.comparison.upper, 8.5);
}

OG_TEST(conclude_takes_no_labels_as_the_least_where_no_policy_is_valued)
{
    random_sample sample;
    sample_init(&sample);
    sample.comparison.optimal_status = OG_STOPPED;
    sample.row.status = OG_STOPPED;
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq(sample.comparison.lower, 5);
    ck_assert_int_eq(sample.comparison.lower_row, -1);
}

OG_TEST(conclude_accepts_a_policy_above_the_optimum_within_their_errors)
{
    random_sample sample;
    sample_init(&sample);
    sample.row.result.value = 8.015;
    sample.row.result.gain = 3.015;
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq(sample.row.gap, 0);
    ck_assert_double_eq(sample.row.gap_percent, 0);
    ck_assert_double_eq(sample.row.gain_lost_percent, 0);
}

OG_TEST(conclude_fails_on_a_policy_above_the_optimum)
{
    random_sample sample;
    sample_init(&sample);
    sample.row.result.value = 8.025;
    sample.row.result.gain = 3.025;
    ck_assert_int_eq(conclude(&sample), OG_FAILED);
    ck_assert_ptr_nonnull(strstr(sample.message.text, "above the optimum"));
}

OG_TEST(conclude_fails_on_an_optimum_above_a_bound)
{
    random_sample sample;
    sample_init(&sample);
    sample.comparison.bounds.bound[VECTOR].value = 7.98;
    ck_assert_int_eq(conclude(&sample), OG_FAILED);
    sample.comparison.bounds.bound[VECTOR].value = 7.995; /* within the error of the optimum */
    ck_assert_int_eq(conclude(&sample), OG_OK);
    sample.comparison.bounds.bound[PREVAILING].value = 7.98;
    ck_assert_int_eq(conclude(&sample), OG_FAILED);
}

OG_TEST(conclude_fails_on_a_policy_above_a_bound_without_the_optimum)
{
    random_sample sample;
    sample_init(&sample);
    sample.comparison.optimal_status = OG_STOPPED;
    sample.comparison.bounds.bound[SCALAR].value = 7.4;
    ck_assert_int_eq(conclude(&sample), OG_FAILED);
}

OG_TEST(conclude_fails_on_what_is_no_number)
{
    random_sample sample;
    sample_init(&sample);
    sample.comparison.optimal.value = sample.comparison.optimal.gain = NAN;
    ck_assert_int_eq(conclude(&sample), OG_FAILED);
    sample_init(&sample);
    sample.row.result.value = sample.row.result.gain = NAN;
    ck_assert_int_eq(conclude(&sample), OG_FAILED);
}

OG_TEST(conclude_calls_no_gain_no_loss)
{
    random_sample sample;
    sample_init(&sample);
    sample.comparison.optimal = (og_result){.value = 5};
    sample.row.result = (og_result){.value = 5};
    sample.comparison.bounds.bound[SCALAR].value = sample.comparison.bounds.bound[VECTOR].value =
        sample.comparison.bounds.bound[PREVAILING].value = 5;
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq(sample.row.gain_lost_percent, 0);
    ck_assert_double_eq(sample.row.gain_lost_most_percent, 0);
}

/* With prices: a policy may lose more than there is to gain, and where there is nothing. */
OG_TEST(conclude_tells_losses_beyond_the_gain)
{
    random_sample sample;
    sample_init(&sample);
    sample.row.result.value = 2;
    sample.row.result.gain = -3;
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert_double_eq_tol(sample.row.gain_lost_percent, 200, 1e-12);
    ck_assert_double_ge(sample.row.gain_lost_most_percent, 200);
    ck_assert_double_le(sample.row.gain_lost_most_percent, 201);
    sample.comparison.optimal_status = OG_STOPPED; /* it may be anything from 5 to 8.2 */
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert(isnan(sample.row.gain_lost_most_percent));
    sample_init(&sample);
    sample.comparison.optimal = (og_result){.value = 5};
    sample.row.result = (og_result){.value = 2, .gain = -3};
    ck_assert_int_eq(conclude(&sample), OG_OK);
    ck_assert(isnan(sample.row.gain_lost_percent) && isnan(sample.row.gain_lost_most_percent));
}

/* ---- how long the optimum may take ---- */

typedef struct {
    uint64_t states, forgotten; /* when its watch is asked */
    uint64_t states_max;        /* out: as it was given */
} watched_problem;

static void watched_sizes(const void *problem, og_problem_size *out)
{
    (void)problem;
    *out = (og_problem_size){.budget = 400, .left = 400, .decisions = 3};
}

static og_status watched_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                               og_message *message)
{
    (void)problem, (void)exact, (void)message;
    *value = 1;
    *error = 0;
    return OG_OK;
}

static og_status watched_value(void *self, og_value_found *out, og_message *message)
{
    (void)self, (void)message;
    out->result = (og_result){.value = 2, .gain = 1};
    return OG_OK;
}

static void watched_free(void *self)
{
    (void)self;
}

static og_status watched_solve(const void *problem, const og_value_asked *question,
                               const og_settings *settings, og_solution *out, og_message *message)
{
    watched_problem *watched = (watched_problem *)problem;
    const og_progress progress = {.states = watched->states, .forgotten = watched->forgotten};
    (void)question;
    watched->states_max = settings->states_max;
    if (!settings->watch(settings->watch_user, &progress)) {
        return og_message_set(message, OG_STOPPED, "stopped");
    }
    *out = (og_solution){.self = watched, .value = watched_value, .free = watched_free};
    return OG_OK;
}

OG_TEST(compare_gives_up_only_what_memory_made_it_forget)
{
    static const char *const no_bounds[] = {NULL};
    const og_family family = {.name = "watched",
                              .model = {.bounds = no_bounds,
                                        .sizes = watched_sizes,
                                        .prior = watched_prior,
                                        .solve = watched_solve}};
    static const struct {
        uint64_t states, forgotten, asked;
        double seconds;
        og_limit limit;
    } row[] = {
        {UINT64_C(1) << 50, 0, OG_STATES_USUAL, 0, OG_LIMIT_NONE},
        {5000000, 1, OG_STATES_USUAL, 0, OG_LIMIT_NONE}, /* 400 labels: a quarter of 20 million */
        {5000001, 1, OG_STATES_USUAL, 0, OG_LIMIT_STATES},
        {5000001, 1, OG_STATES_USUAL, 1000, OG_LIMIT_NONE},
        {5000001, 1, 0, 0, OG_LIMIT_NONE},
        {5000001, 1, 77, 0, OG_LIMIT_NONE}, /* which the solution itself heeds */
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        watched_problem problem = {.states = row[i].states, .forgotten = row[i].forgotten};
        const og_asked asked = {
            .family = &family,
            .problem = &problem,
            .request = {.settings = {.threads = 1, .memory_bytes = 1 << 20},
                        .policy_states_max = OG_STATES_USUAL,
                        .optimum_states_max = row[i].asked,
                        .seconds_max = row[i].seconds},
        };
        OWN(og_comparison) found;
        og_message message;
        ck_assert_int_eq(og_compare_run(&asked, NULL, &found, &message), OG_OK);
        ck_assert_int_eq(found.optimal_limit, row[i].limit);
        bool stopped = row[i].limit != OG_LIMIT_NONE;
        ck_assert_int_eq(found.optimal_status, stopped ? OG_STOPPED : OG_OK);
        ck_assert_int_eq(strstr(found.optimal_message.text, "memory of 1.0 MB") != NULL, stopped);
        ck_assert_uint_eq(problem.states_max, row[i].asked == 77 ? 77 : 0);
    }
}
