/*
 * Simulated policies that no index describes: those that look at the whole state, whose exact
 * values are known, and those that draw or go by an instance's history, against their definitions.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "bench/random.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "dp/product/solve.h"
#include "heuristics/policy.h"
#include "tests/support.h"

OG_SUITE(simulate_state, 120);

enum { POLICIES_MAX = 8 };

typedef struct {
    og_groups problem;
    og_policy_name policies[POLICIES_MAX];
    int32_t policy_count;
    og_source source;
    og_simulation found;
} random_sample;

static const og_ties both_ties[] = {OG_TIES_RANDOM, OG_TIES_FIRST};

/* `names` with blanks between. */
static void sample_init(random_sample *sample, const char *words, int32_t budget, const char *names)
{
    char copy[256];
    char *rest = copy;
    *sample = (random_sample){.policy_count = 0};
    test_problem(words, budget, &sample->problem);
    strcpy(copy, names);
    for (char *name; (name = strsep(&rest, " ")) != NULL;) {
        ck_assert_int_eq(
            og_policy_name_parse(name, &sample->policies[sample->policy_count++], NULL), OG_OK);
    }
}

static og_asked asked_of(random_sample *sample, int64_t runs, int threads)
{
    sample->source = og_source_independent(&sample->problem, NULL);
    return (og_asked){
        .policies = sample->policies,
        .policy_count = sample->policy_count,
        .request = {.ties = both_ties,
                    .ties_count = 2,
                    .runs = runs,
                    .seed = 5,
                    .settings = {.threads = threads, .memory_bytes = UINT64_C(1) << 30}}};
}

static void play(random_sample *sample, int64_t runs, int threads)
{
    og_message message = {""};
    og_asked asked = asked_of(sample, runs, threads);
    ck_assert_msg(og_simulate_run(&asked, &sample->source, &sample->found, &message) == OG_OK, "%s",
                  message.text);
}

static void sample_clear(random_sample *sample)
{
    og_simulation_clear(&sample->found);
    og_groups_clear(&sample->problem);
}

static void assert_near(const char *what, og_estimate found, double expected)
{
    double allowed = 4 * found.standard_error + 1e-12;
    ck_assert_msg(fabs(found.mean - expected) <= allowed, "%s: %.17g +- %.3g, expected %.17g", what,
                  found.mean, found.standard_error, expected);
}

static double exact_value(const random_sample *sample, const og_simulate_row *row)
{
    og_arms *arms = NULL;
    og_ranks *ranks = NULL;
    og_settings settings;
    og_result exact;
    og_settings_default(&settings);
    settings.threads = 1;
    ck_assert_int_eq(test_arms_new(&sample->problem, 1, UINT64_C(1) << 30, &arms, NULL), OG_OK);
    ck_assert_int_eq(
        og_policy_name_ranks(&sample->policies[row->policy], arms, arms->budget, 1, &ranks, NULL),
        OG_OK);
    ck_assert_int_eq(og_policy_value(arms, ranks, row->ties, &settings, &exact, NULL), OG_OK);
    og_ranks_free(ranks);
    og_arms_free(arms);
    return exact.value;
}

OG_TEST(means_are_the_exact_values_of_policies_that_are_asked)
{
    static const char *const problems[] = {"3x1,1", "2x1,1 2,1@0.3 1,2", "4x1,1@0.4"};
    for (int i = 0; i < 3; i++) {
        random_sample sample;
        sample_init(&sample, problems[i], 7, "lookahead:2 nlu rollout:uniform rollout:kg");
        play(&sample, test_cases(20000), 2);
        for (int32_t r = 0; r < sample.found.row_count; r++) {
            const og_simulate_row *row = &sample.found.rows[r];
            double exact = exact_value(&sample, row);
            assert_near(sample.policies[row->policy].name, row->metric[OG_EXPECTED], exact);
            assert_near(sample.policies[row->policy].name, row->metric[OG_CORRECT], exact);
        }
        sample_clear(&sample);
    }
}

OG_TEST(one_label_ahead_plays_the_runs_of_kg)
{
    random_sample sample;
    sample_init(&sample, "4x1,1 2x2,1 1,1@0.3", 12, "kg lookahead:1");
    play(&sample, test_cases(2000), 2);
    for (int ties = 0; ties < 2; ties++) {
        const og_simulate_row *kg = &sample.found.rows[ties];
        const og_simulate_row *one = &sample.found.rows[2 + ties];
        ck_assert_double_eq(kg->metric[OG_EXPECTED].mean, one->metric[OG_EXPECTED].mean);
        ck_assert_double_eq(kg->metric[OG_CORRECT].mean, one->metric[OG_CORRECT].mean);
    }
    sample_clear(&sample);
}

OG_TEST(threads_do_not_change_a_bit)
{
    static const char names[] = "thompson ucb1-tuned nlu lookahead:3 rollout:opt-kg";
    random_sample one, many;
    sample_init(&one, "5x1,1 2,1@0.3", 10, names);
    sample_init(&many, "5x1,1 2,1@0.3", 10, names);
    play(&one, test_cases(1000), 1);
    play(&many, test_cases(1000), 3);
    for (int32_t r = 0; r < one.found.row_count; r++) {
        const og_simulate_row *x = &one.found.rows[r];
        const og_simulate_row *y = &many.found.rows[r];
        ck_assert_double_eq(x->metric[OG_EXPECTED].mean, y->metric[OG_EXPECTED].mean);
        ck_assert_double_eq(x->metric[OG_EXPECTED].standard_error,
                            y->metric[OG_EXPECTED].standard_error);
        ck_assert_double_eq(x->metric[OG_CORRECT].mean, y->metric[OG_CORRECT].mean);
    }
    sample_clear(&one);
    sample_clear(&many);
}

/* P(theta >= d) and derived numbers, from the definitions. */
static double call_value(double a, double b, double d)
{
    double positive = gsl_cdf_beta_Q(d, a, b);
    return fmax(positive, 1 - positive);
}

typedef struct {
    double a, b, d;
} instance;

static void gains(instance x, double gain[2])
{
    double now = call_value(x.a, x.b, x.d);
    gain[0] = call_value(x.a + 1, x.b, x.d) - now;
    gain[1] = call_value(x.a, x.b + 1, x.d) - now;
}

static double mean_gain(instance x)
{
    double gain[2];
    gains(x, gain);
    return (x.a * gain[0] + x.b * gain[1]) / (x.a + x.b);
}

/* The chance that thompson labels x before y: the integral over t of x of the chance that the index
 * of y, which rises in its t, is below. */
static double chance_of_first(instance x, instance y)
{
    enum { STEPS = 200000 };
    double of_x[2], of_y[2], sum = 0;
    gains(x, of_x);
    gains(y, of_y);
    ck_assert_double_gt(of_y[0], of_y[1]);
    for (int i = 0; i < STEPS; i++) {
        double t = (i + 0.5) / STEPS;
        double index = t * of_x[0] + (1 - t) * of_x[1];
        double below = (index - of_y[1]) / (of_y[0] - of_y[1]);
        double chance = below <= 0 ? 0 : below >= 1 ? 1 : gsl_cdf_beta_P(below, y.a, y.b);
        sum += gsl_ran_beta_pdf(t, x.a, x.b) * chance / STEPS;
    }
    return sum;
}

OG_TEST(thompson_labels_as_often_as_its_definition_says)
{
    const instance x = {1, 1, 0.3}, y = {2, 3, 0.3};
    random_sample sample;
    sample_init(&sample, "1,1@0.3 2,3@0.3", 1, "thompson");
    play(&sample, test_cases(200000), 2);
    double first = chance_of_first(x, y);
    ck_assert(first > 0.2 && first < 0.8); /* else nothing is tested */
    double expected = call_value(x.a, x.b, x.d) + call_value(y.a, y.b, y.d) + first * mean_gain(x) +
                      (1 - first) * mean_gain(y);
    for (int ties = 0; ties < 2; ties++) {
        assert_near("thompson", sample.found.rows[ties].metric[OG_EXPECTED], expected);
    }
    sample_clear(&sample);
}

/* One run of ucb1-tuned from its definition, with ties to the first; the labels are those of the
 * run. */
static double ucb_run(const og_groups *problem, uint64_t seed, uint64_t run)
{
    enum { COUNT = 5 };
    og_truth truth = {.kind = OG_TRUTH_PRIOR};
    instance at[COUNT];
    double soft[COUNT] = {0}, seen[COUNT][32], total = 0;
    int labels[COUNT] = {0};
    int count = 0;
    for (int g = 0; g < problem->group_count; g++) {
        const og_group *group = og_groups_at(problem, g);
        for (int64_t copy = 0; copy < group->count; copy++, count++) {
            at[count] = (instance){og_fraction_double(group->a), og_fraction_double(group->b),
                                   og_fraction_double(group->threshold)};
            soft[count] = og_truth_draw(&truth, group, seed, run, (uint32_t)count);
        }
    }
    for (int n = 0; n < problem->budget; n++) {
        int best = 0;
        double most = -INFINITY;
        for (int i = 0; i < count; i++) {
            double mean = 0, variance = 0, index = INFINITY;
            for (int j = 0; j < labels[i]; j++) {
                mean += seen[i][j] / labels[i];
            }
            for (int j = 0; j < labels[i]; j++) {
                variance += pow(seen[i][j] - mean, 2) / labels[i];
            }
            if (labels[i] > 0) {
                index = mean + sqrt(log(n) / labels[i] *
                                    fmin(0.25, variance + sqrt(2 * log(n) / labels[i])));
            }
            if (index > most + 1e-10) {
                best = i;
                most = index;
            }
        }
        uint64_t bits = og_draw(seed, OG_DRAW_LABEL, run, (uint32_t)best, (uint32_t)labels[best]);
        bool label = og_draw_unit(bits) < soft[best];
        double gain[2];
        gains(at[best], gain);
        seen[best][labels[best]++] = gain[label ? 0 : 1];
        at[best].a += label;
        at[best].b += !label;
    }
    for (int i = 0; i < count; i++) {
        total += call_value(at[i].a, at[i].b, at[i].d);
    }
    return total;
}

OG_TEST(ucb1_tuned_plays_as_its_definition_says)
{
    enum { RUNS = 200 };
    random_sample sample;
    double sum = 0;
    sample_init(&sample, "2x1,1 2,1@0.3 1,3@0.3", 25, "ucb1-tuned");
    play(&sample, RUNS, 2);
    for (int run = 0; run < RUNS; run++) {
        sum += ucb_run(&sample.problem, 5, (uint64_t)run);
    }
    ck_assert_double_eq_tol(sample.found.rows[1].metric[OG_EXPECTED].mean, sum / RUNS, 1e-9);
    sample_clear(&sample);
}

OG_TEST(what_is_only_simulated_says_so)
{
    random_sample sample;
    og_arms *arms = NULL;
    sample_init(&sample, "2x1,1", 3, "thompson ucb1-tuned");
    ck_assert_int_eq(test_arms_new(&sample.problem, 1, UINT64_C(1) << 30, &arms, NULL), OG_OK);
    for (int i = 0; i < 2; i++) {
        og_ranks *ranks = NULL;
        og_index *index = NULL;
        og_policy_name policy;
        char nested[64];
        og_message message = {""};
        ck_assert_int_eq(og_policy_name_ranks(&sample.policies[i], arms, 3, 1, &ranks, &message),
                         OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, "can only be simulated") != NULL, "%s", message.text);
        ck_assert_int_eq(og_policy_name_index(&sample.policies[i], arms,
                                              &(og_policy_use){.whole_budget = 3, .threads = 1},
                                              &index, &message),
                         OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, "can only be simulated") != NULL, "%s", message.text);
        snprintf(nested, sizeof nested, "rollout:%s", sample.policies[i].name);
        ck_assert_int_eq(og_policy_name_parse(nested, &policy, &message), OG_BAD_INPUT);
        ck_assert_msg(strstr(message.text, "only simulated") != NULL, "%s", message.text);
    }
    og_arms_free(arms);
    sample_clear(&sample);
}

OG_TEST(a_policy_that_fails_ends_the_simulation_with_its_message)
{
    random_sample sample;
    og_message message = {""};
    sample_init(&sample, "2x1,1", 3, "kg command:false");
    og_asked asked = asked_of(&sample, 100, 2);
    ck_assert_int_eq(og_simulate_run(&asked, &sample.source, &sample.found, &message), OG_FAILED);
    ck_assert_msg(strstr(message.text, "command:false") != NULL, "%s", message.text);
    sample_clear(&sample);
}
