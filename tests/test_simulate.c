/*
 * Simulated values against exact ones: whatever is random is drawn from fixed seeds, and an
 * estimate must lie within 4 standard errors of the exact value (plus the stated rounding).
 */
#include <float.h>

#include "tests/random_problem.h"
#include "tests/simulate_sample.h"
#include "tests/support.h"

OG_SUITE(simulate, 120);

static const double sigmas = 4;

static const int64_t usual_runs = 20000;

static void sample_init(random_sample *sample, const char *words, int32_t budget,
                        const char *policies)
{
    sample_begin(sample, policies, usual_runs);
    test_problem(words, budget, &sample->problem);
}

static void sample_truth(random_sample *sample, const char *text)
{
    ck_assert_int_eq(og_truth_parse(text, &sample->truth, &sample->message), OG_OK);
}

static void sample_run(random_sample *sample)
{
    og_status status =
        og_simulate_run(&sample->asked, &sample->source, &sample->found, &sample->message);
    ck_assert_msg(status == OG_OK, "%s", sample->message.text);
}

static const og_simulate_row *row_of(const random_sample *sample, int32_t policy, int32_t rule)
{
    return &sample->found.rows[policy * sample->asked.request.ties_count + rule];
}

static void assert_near(const random_sample *sample, const char *what, og_estimate found,
                        double exact, double error)
{
    char text[512];
    double off = sigmas * found.standard_error + sample->found.rounding + error;
    problem_format(&sample->problem, text, sizeof text);
    ck_assert_msg(fabs(found.mean - exact) <= off, "%s %s seed %llu: %.17g +- %.3g, exact %.17g",
                  text, what, (unsigned long long)sample->asked.request.seed, found.mean,
                  found.standard_error, exact);
}

/* Every row against the engine's value of the same policy. */
static void assert_rows_exact(const random_sample *sample)
{
    OWN(og_arms) *arms = NULL;
    og_settings settings;
    og_settings_default(&settings);
    settings.threads = 1;
    ck_assert_int_eq(test_arms_new(&sample->problem, 1, UINT64_C(1) << 30, &arms, NULL), OG_OK);
    for (int32_t i = 0; i < sample->found.row_count; i++) {
        const og_simulate_row *row = &sample->found.rows[i];
        const og_policy_name *policy = &sample->policies[row->policy];
        OWN(og_ranks) *ranks = NULL;
        og_result exact;
        ck_assert_int_eq(row->status, OG_OK);
        ck_assert_int_eq(og_policy_name_ranks(policy, arms, arms->budget, 1, &ranks, NULL), OG_OK);
        ck_assert_int_eq(og_policy_value(arms, ranks, row->ties, &settings, &exact, NULL), OG_OK);
        assert_near(sample, policy->name, row->metric[OG_EXPECTED], exact.value, exact.error_bound);
        assert_near(sample, policy->name, row->metric[OG_CORRECT], exact.value, exact.error_bound);
    }
}

/* -- value ------------------------------------------------------------------------------------ */

typedef struct {
    const char *words;
    int32_t budget;
    const char *policies;
} exact_case;

static const exact_case exact_cases[] = {
    {"3x1,1", 8, "uniform,kg,opt-kg,pess-kg,cvar-kg:0.5,gittins-fh,gittins-inf"},
    {"5x1,1", 12, "kg,opt-kg,gittins-fh"},
    {"2x1,1 2,1@0.3 0.5,0.5 2x1,2", 6, "uniform,kg,opt-kg,gittins-fh,gittins-inf"},
    {"4x1,1@0.3", 8, "kg,opt-kg,gittins-fh"},
    {"1,1 3x4,1 1,1", 7, "opt-kg,gittins-fh"},
    {"1,1", 9, "opt-kg,gittins-fh"},
    {"2x1,1 3,3", 1, "kg,gittins-fh"},
};

OG_TEST_LOOP(simulate_covers_the_exact_value, 0, sizeof exact_cases / sizeof *exact_cases)
{
    const exact_case *at = &exact_cases[_i];
    random_sample sample;
    sample_init(&sample, at->words, at->budget, at->policies);
    sample.asked.request.runs = test_cases((int)sample.asked.request.runs);
    sample_run(&sample);
    assert_rows_exact(&sample);
    sample_clear(&sample);
}

/* Where ties are all there is, a wrong share of the draw or a wrong order shows most. */
OG_TEST(simulate_agrees_with_the_closed_form_of_uniform)
{
    random_sample sample;
    sample_init(&sample, "50x1,1", 100, "uniform");
    sample.asked.request.ties_count = 1;
    sample_run(&sample);
    assert_rows_exact(&sample);
    sample_clear(&sample);
}

OG_TEST(simulate_is_exact_where_nothing_is_left_to_chance)
{
    random_sample sample;
    sample_init(&sample, "1,1", 1, "kg,gittins-fh");
    sample_run(&sample);
    for (int32_t i = 0; i < sample.found.row_count; i++) {
        ck_assert_double_eq(sample.found.rows[i].metric[OG_EXPECTED].mean, 0.75);
        ck_assert_double_eq(sample.found.rows[i].metric[OG_EXPECTED].standard_error, 0);
    }
    sample_clear(&sample);
    sample_init(&sample, "3x2,1 1,1", 0, "kg,gittins-fh");
    sample_run(&sample);
    ck_assert_double_eq(sample.found.rows[0].metric[OG_EXPECTED].mean, sample.found.call);
    assert_near(&sample, "T=0", sample.found.rows[0].metric[OG_CORRECT], sample.found.call, 0);
    sample_clear(&sample);
}

/* The gains of the first policy, ties random, run by run. */
static void play_runs(const random_sample *sample, int runs, double *gain)
{
    const og_environment_use use = {.threads = 1, .memory_bytes = 1 << 30, .policy_count = 1};
    og_environments all;
    og_environment environment;
    og_strategy by;
    double metric[2];
    ck_assert_int_eq(sample->source.open(&sample->source, &use, &all, NULL), OG_OK);
    ck_assert_int_eq(all.strategy(all.self, sample->policies, &by, NULL), OG_OK);
    ck_assert_int_eq(all.environment(all.self, &environment), OG_OK);
    for (int run = 0; run < runs; run++) {
        environment.begin(environment.self, sample->asked.request.seed, (uint64_t)run, NULL);
        environment.play(environment.self, &by, OG_TIES_RANDOM, metric, NULL);
        gain[run] = metric[OG_EXPECTED];
    }
    by.free(by.self);
    environment.free(environment.self);
    all.free(all.self);
}

/* Blocks and their merging against two passes over all runs. */
OG_TEST(simulate_reports_the_mean_and_spread_of_its_runs)
{
    enum { RUNS = 4001 };
    static double gain[RUNS];
    const double t = 1.9605572; /* Student's 97.5 % point, 4000 degrees of freedom */
    double sum = 0, squares = 0;
    random_sample sample;
    sample_init(&sample, "3x1,1 2,1@0.3", 6, "kg");
    play_runs(&sample, RUNS, gain);
    for (int run = 0; run < RUNS; run++) {
        sum += gain[run];
    }
    for (int run = 0; run < RUNS; run++) {
        squares += (gain[run] - sum / RUNS) * (gain[run] - sum / RUNS);
    }
    sample.asked.request.runs = RUNS;
    sample_run(&sample);
    og_estimate found = sample.found.rows[0].metric[OG_EXPECTED];
    double error = sqrt(squares / (RUNS - 1) / RUNS);
    /* Sums of 4001 numbers of size at most 3: relative errors of at most 4001 u, doubled. */
    ck_assert_double_eq_tol(found.mean - sample.found.call, sum / RUNS, 1e-11);
    ck_assert_double_eq_tol(found.standard_error, error, 1e-11 * error);
    ck_assert_double_eq_tol(found.high - found.mean, t * error, 1e-6 * error + 1e-11);
    ck_assert_double_eq_tol(found.mean - found.low, t * error, 1e-6 * error + 1e-11);
    sample_clear(&sample);
}

/* Wilson's interval, as its definition has it: where the bound of the share's own spread meets it.
 */
OG_TEST_LOOP(shares_have_wilsons_interval, 0, 2)
{
    const int64_t runs = _i == 0 ? 2 : 40;
    const double t = _i == 0 ? 12.706204736432095 : 2.0226909200367604;
    random_sample sample;
    sample_init(&sample, "2x1,1", 2, "kg");
    sample.asked.request.ties_count = 1;
    sample.asked.request.runs = runs;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sample.asked.request.seed = seed;
        sample_run(&sample);
        og_estimate found = sample.found.rows[0].metric[OG_CORRECT];
        double share = found.mean / 2, error = found.standard_error / 2;
        double known = error > 0 ? share * (1 - share) / (error * error) : (double)runs;
        const double ends[] = {found.low / 2, found.high / 2};
        ck_assert(ends[0] >= 0 && ends[1] <= 1 && ends[1] - ends[0] > 0.05);
        for (int k = 0; k < 2; k++) {
            double off = share - ends[k], spread = ends[k] * (1 - ends[k]) / known;
            ck_assert_double_eq_tol(off * off, t * t * spread, 1e-6);
        }
        og_simulation_clear(&sample.found);
    }
    sample_clear(&sample);
}

/* -- truth ------------------------------------------------------------------------------------ */

/* One instance, soft label x, T labels, uniform prior: correct if the majority is right, and a
 * tie is called positive. */
static double majority_is_right(int labels, double soft)
{
    double right = 0;
    for (int s = 0; s <= labels; s++) {
        double log_chance = lgamma(labels + 1) - lgamma(s + 1) - lgamma(labels - s + 1);
        double chance = exp(log_chance) * pow(soft, s) * pow(1 - soft, labels - s);
        right += (2 * s >= labels) == (soft >= 0.5) ? chance : 0;
    }
    return right;
}

OG_TEST(truth_list_decides_labels_and_what_is_correct)
{
    static const double soft[] = {0, 0.3, 0.5, 0.55, 1};
    static const char *const words[] = {"list:0", "list:0.3", "list:0.5", "list:.55", "list:1"};
    for (size_t i = 0; i < sizeof soft / sizeof *soft; i++) {
        random_sample sample;
        sample_init(&sample, "1,1", 4, "opt-kg");
        sample_truth(&sample, words[i]);
        sample_run(&sample);
        assert_near(&sample, words[i], sample.found.rows[0].metric[OG_CORRECT],
                    majority_is_right(4, soft[i]), 1e-14);
        sample_clear(&sample);
    }
}

/* The list follows the instances in the order given, whatever arms and groups they belong to. */
OG_TEST(truth_list_follows_the_order_of_instances)
{
    random_sample sample;
    sample_init(&sample, "1,1 2x2,1 1,1", 0, "opt-kg");
    sample_truth(&sample, "list:0,0.9,0.2,0.5");
    sample_run(&sample);
    /* All are called positive; the second and the fourth are. */
    ck_assert_double_eq(sample.found.rows[0].metric[OG_CORRECT].mean, 2);
    ck_assert_double_eq(sample.found.rows[0].metric[OG_CORRECT].standard_error, 0);
    sample_clear(&sample);
}

/* A soft label that spells the threshold is positive, though neither is a double. */
OG_TEST(truth_on_the_threshold_is_positive)
{
    random_sample sample;
    sample_init(&sample, "4,1@0.3", 0, "opt-kg");
    sample_truth(&sample, "list:3e-1");
    sample_run(&sample);
    ck_assert_double_eq(sample.found.rows[0].metric[OG_CORRECT].mean, 1);
    sample_clear(&sample);
}

OG_TEST(truth_beta_equal_to_the_prior_changes_nothing)
{
    random_sample prior, beta;
    sample_init(&prior, "4x4,1", 9, "kg,opt-kg");
    sample_init(&beta, "4x4,1", 9, "kg,opt-kg");
    sample_truth(&beta, "beta:4,1");
    sample_run(&prior);
    sample_run(&beta);
    for (int32_t i = 0; i < prior.found.row_count; i++) {
        ck_assert_double_eq(prior.found.rows[i].metric[OG_EXPECTED].mean,
                            beta.found.rows[i].metric[OG_EXPECTED].mean);
        ck_assert_double_eq(prior.found.rows[i].metric[OG_CORRECT].mean,
                            beta.found.rows[i].metric[OG_CORRECT].mean);
    }
    sample_clear(&prior);
    sample_clear(&beta);
}

/* One instance, a uniform prior, truth Beta(4,1), one label z: after z = 1 it is called positive,
 * else negative. E[correct] = E[theta; theta >= 1/2] + E[1 - theta; theta < 1/2]. */
OG_TEST(truth_beta_other_than_the_prior_is_what_happens)
{
    random_sample sample;
    sample_init(&sample, "1,1", 1, "opt-kg");
    sample_truth(&sample, "beta:4,1");
    sample_run(&sample);
    double positive = 4 / 5.0 * (1 - pow(0.5, 5));
    double negative = pow(0.5, 4) - 4 / 5.0 * pow(0.5, 5);
    assert_near(&sample, "beta:4,1", sample.found.rows[0].metric[OG_CORRECT], positive + negative,
                1e-15);
    ck_assert_double_eq(sample.found.rows[0].metric[OG_EXPECTED].mean, 0.75);
    sample_clear(&sample);
}

/* -- threads and common random numbers -------------------------------------------------------- */

static void assert_same_rows(const og_simulate_row *x, const og_simulate_row *y)
{
    ck_assert_mem_eq(x->metric, y->metric, 2 * sizeof *x->metric);
}

OG_TEST(simulate_gives_the_same_bits_on_any_number_of_threads)
{
    random_sample one;
    sample_init(&one, "6x1,1 2,1@0.3 3x0.5,0.5", 20, "uniform,opt-kg,gittins-fh");
    one.asked.request.runs = 3001;
    sample_run(&one);
    for (int threads = 2; threads <= 4; threads++) {
        random_sample many;
        sample_init(&many, "6x1,1 2,1@0.3 3x0.5,0.5", 20, "uniform,opt-kg,gittins-fh");
        many.asked.request.runs = 3001;
        many.asked.request.settings.threads = threads;
        sample_run(&many);
        for (int32_t i = 0; i < one.found.row_count; i++) {
            const og_simulate_row *x = &one.found.rows[i], *y = &many.found.rows[i];
            assert_same_rows(x, y);
            ck_assert_mem_eq(x->difference, y->difference, 2 * sizeof *x->difference);
        }
        sample_clear(&many);
    }
    sample_clear(&one);
}

OG_TEST(identical_policies_get_identical_results)
{
    random_sample sample;
    sample_init(&sample, "5x1,1 2,1@0.3", 12,
                "opt-kg,cvar-kg:0,kg,cvar-kg:1,gittins-fh,hu-frazier");
    sample.asked.request.runs = 1000;
    sample_run(&sample);
    for (int32_t policy = 0; policy < 6; policy += 2) {
        for (int32_t rule = 0; rule < 2; rule++) {
            assert_same_rows(row_of(&sample, policy, rule), row_of(&sample, policy + 1, rule));
        }
    }
    const og_simulate_row *twin = row_of(&sample, 1, 0);
    ck_assert_double_eq(twin->difference[OG_EXPECTED].mean, 0);
    ck_assert_double_eq(twin->difference[OG_EXPECTED].standard_error, 0);
    sample_clear(&sample);
}

/* A row does not depend on its company; differences are those of the means, known better. */
OG_TEST(common_random_numbers_sharpen_differences)
{
    random_sample both, alone;
    sample_init(&both, "5x1,1", 12, "opt-kg,kg");
    sample_init(&alone, "5x1,1", 12, "kg");
    sample_run(&both);
    sample_run(&alone);
    const og_simulate_row *first = row_of(&both, 0, 0), *second = row_of(&both, 1, 0);
    assert_same_rows(second, row_of(&alone, 0, 0));
    double difference = second->metric[OG_CORRECT].mean - first->metric[OG_CORRECT].mean;
    ck_assert_double_eq_tol(second->difference[OG_CORRECT].mean, difference,
                            4 * both.found.rounding);
    ck_assert_double_lt(
        second->difference[OG_CORRECT].standard_error,
        hypot(second->metric[OG_CORRECT].standard_error, first->metric[OG_CORRECT].standard_error));
    sample_clear(&both);
    sample_clear(&alone);
}

OG_TEST(another_seed_gives_another_estimate)
{
    random_sample sample;
    sample_init(&sample, "5x1,1", 12, "kg");
    sample.asked.request.runs = 100;
    sample_run(&sample);
    double before = sample.found.rows[0].metric[OG_EXPECTED].mean;
    og_simulation_clear(&sample.found);
    sample.asked.request.seed++;
    sample_run(&sample);
    ck_assert_double_ne(sample.found.rows[0].metric[OG_EXPECTED].mean, before);
    sample_clear(&sample);
}

/* -- contract --------------------------------------------------------------------------------- */

static void assert_refused(random_sample *sample, og_status expected, const char *word)
{
    sample->found.row_count = -7;
    og_status status =
        og_simulate_run(&sample->asked, &sample->source, &sample->found, &sample->message);
    ck_assert_int_eq(status, expected);
    ck_assert_msg(strstr(sample->message.text, word) != NULL, "%s", sample->message.text);
    ck_assert_int_eq(sample->found.row_count, -7);
    memset(&sample->found, 0, sizeof sample->found);
}

OG_TEST(simulate_refuses_bad_input_and_keeps_the_output)
{
    random_sample sample;
    sample_init(&sample, "3x1,1", 8, "kg");
    sample.asked.request.runs = 1;
    assert_refused(&sample, OG_BAD_INPUT, "--runs must be from 2");
    sample.asked.request.runs = OG_RUNS_MAX + 1;
    assert_refused(&sample, OG_BAD_INPUT, "--runs must be from 2");
    sample.asked.request.runs = 2;
    sample.ties[1] = OG_TIES_BEST;
    assert_refused(&sample, OG_BAD_INPUT, "not 'best'");
    sample.ties[1] = OG_TIES_FIRST;
    sample_truth(&sample, "list:0.5,0.5");
    assert_refused(&sample, OG_BAD_INPUT, "2 soft labels, but there are 3 instances");
    og_truth_clear(&sample.truth);
    sample.asked.request.settings.memory_bytes = 1000;
    assert_refused(&sample, OG_NO_MEMORY, "the limit is 1000 B");
    sample_clear(&sample);
}

OG_TEST(simulate_refuses_an_index_that_takes_too_long_and_plays_the_others)
{
    random_sample sample;
    sample_init(&sample, "3x1,1", 1000, "gittins-fh,opt-kg");
    sample.asked.request.runs = 64;
    sample.asked.request.index_seconds_max = 30;
    sample.asked.request.settings.memory_bytes = UINT64_C(1)
                                                 << 32; /* so that only time is a limit */
    sample_run(&sample);
    ck_assert_int_eq(row_of(&sample, 0, 0)->status, OG_STOPPED);
    ck_assert_ptr_nonnull(
        strstr(row_of(&sample, 0, 0)->message.text, "1000 labels is forecast to take"));
    ck_assert_int_eq(row_of(&sample, 1, 0)->status, OG_OK);
    ck_assert_int_eq(sample.found.first_row, 2);
    ck_assert_double_eq(row_of(&sample, 1, 0)->difference[OG_EXPECTED].mean, 0);
    og_simulation_clear(&sample.found);
    sample.asked.policy_count = 1;
    assert_refused(&sample, OG_STOPPED, "gittins-fh: its index");
    sample_clear(&sample);
}

OG_TEST(simulate_refuses_an_index_that_does_not_fit)
{
    random_sample sample;
    sample_init(&sample, "3x1,1", 1000, "gittins-fh,opt-kg");
    sample.asked.request.runs = 64;
    sample.asked.request.settings.memory_bytes = UINT64_C(1) << 29;
    sample_run(&sample);
    ck_assert_int_eq(row_of(&sample, 0, 0)->status, OG_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(row_of(&sample, 0, 0)->message.text, "takes 1.9 GB"));
    sample_clear(&sample);
}

/* An og_stop.stage that ends the stop after the first runs. */
static void end_after_runs(void *stop, const char *name, double share)
{
    if (strcmp(name, "runs") == 0 && share > 0) {
        og_stop_end(stop);
    }
}

OG_TEST(simulate_ends_with_the_runs_done_when_interrupted)
{
    random_sample whole, part;
    og_stop stop;
    sample_init(&part, "3x1,1", 8, "kg");
    part.asked.request.runs = 1000000;
    part.asked.request.settings = og_stop_settings(&part.asked.request.settings, &stop);
    og_stop_init(&stop, NULL, &stop);
    stop.stage = end_after_runs;
    sample_run(&part);
    ck_assert_int_eq(part.found.limit, OG_LIMIT_INTERRUPT);
    ck_assert_int_eq(part.found.runs, 2); /* the first wave */
    sample_init(&whole, "3x1,1", 8, "kg");
    whole.asked.request.runs = part.found.runs;
    sample_run(&whole);
    ck_assert_int_eq(whole.found.limit, OG_LIMIT_NONE);
    assert_same_rows(&whole.found.rows[0], &part.found.rows[0]);
    sample_clear(&whole);
    sample_clear(&part);
}

/* -- labels ----------------------------------------------------------------------------------- */

/* opt-kg, ties first: whatever the first label says, the fresh instance is more promising. */
OG_TEST(labels_are_counted_where_they_went)
{
    static const double each_once[] = {1, 1}, first_twice[] = {2, 0};
    random_sample sample;
    sample_init(&sample, "2x1,1", 2, "opt-kg,uniform");
    sample.asked.request.runs = 100;
    sample.asked.request.counts = true;
    sample_run(&sample);
    ck_assert_mem_eq(row_of(&sample, 0, 0)->labels, each_once, sizeof each_once);
    ck_assert_mem_eq(row_of(&sample, 0, 1)->labels, each_once, sizeof each_once);
    ck_assert_mem_eq(row_of(&sample, 1, 1)->labels, first_twice, sizeof first_twice);
    /* Uniform, ties random: binomial, 200 draws of one half. */
    double to_first = 100 * row_of(&sample, 1, 0)->labels[0];
    ck_assert_double_le(fabs(to_first - 100), sigmas * sqrt(50));
    sample_clear(&sample);
}

OG_TEST(labels_add_up_to_the_budget_on_any_number_of_threads)
{
    enum { INSTANCES = 8, BUDGET = 20, RUNS = 3001 };
    random_sample one;
    sample_init(&one, "6x1,1 2,1@0.3 0.5,0.5", BUDGET, "uniform,opt-kg,gittins-fh");
    one.asked.request.runs = RUNS;
    one.asked.request.counts = true;
    sample_run(&one);
    for (int threads = 1; threads <= 3; threads++) {
        random_sample many;
        sample_init(&many, "6x1,1 2,1@0.3 0.5,0.5", BUDGET, "uniform,opt-kg,gittins-fh");
        many.asked.request.runs = RUNS;
        many.asked.request.settings.threads = threads;
        many.asked.request.counts = true;
        sample_run(&many);
        for (int32_t i = 0; i < one.found.row_count; i++) {
            const double *labels = many.found.rows[i].labels;
            double sum = 0;
            for (int k = 0; k < INSTANCES; k++) {
                sum += labels[k];
            }
            ck_assert_mem_eq(labels, one.found.rows[i].labels, INSTANCES * sizeof *labels);
            /* Each mean, at most BUDGET, is rounded once and each of the sums once. */
            ck_assert_double_le(fabs(sum - BUDGET), 2 * INSTANCES * BUDGET * DBL_EPSILON);
        }
        sample_clear(&many);
    }
    sample_clear(&one);
}
