/* Simulated labels that take time: where they take none, and rates that are refused. */
#include "bench/families/delayed/delayed.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"
#include "tests/families.h"
#include "tests/support.h"

OG_SUITE(simulate_delayed, 120);

static const uint64_t plenty = UINT64_C(1) << 30;

static const char *const names[] = {"uniform",    "kg",         "opt-kg",
                                    "gittins-fh", "hu-frazier", "hu-frazier:2"};
enum { NAMES = sizeof names / sizeof *names };

typedef struct {
    og_groups problem;
    og_policy_name policies[NAMES];
    og_ties ties[2];
    og_truth truth;
    og_delay delay;
    og_source source;
    og_asked asked;
    og_simulation found;
} random_sample;

static void sample_init(random_sample *sample, const char *words, int32_t workers, og_delay delay)
{
    og_message message;
    memset(sample, 0, sizeof *sample);
    test_problem(words, workers, &sample->problem);
    for (int i = 0; i < NAMES; i++) {
        ck_assert_int_eq(og_policy_name_parse(names[i], &sample->policies[i], &message), OG_OK);
    }
    sample->ties[0] = OG_TIES_RANDOM;
    sample->ties[1] = OG_TIES_FIRST;
    sample->delay = delay;
    sample->source = og_source_delayed(&sample->problem, &sample->truth, &sample->delay);
    sample->asked = (og_asked){.policies = sample->policies,
                               .policy_count = NAMES,
                               .request = {.ties = sample->ties,
                                           .ties_count = 2,
                                           .runs = 20000,
                                           .seed = test_seed(21),
                                           .settings = {.threads = 1, .memory_bytes = plenty}}};
}

static void sample_run(random_sample *sample)
{
    og_message message;
    og_simulation_clear(&sample->found);
    ck_assert_msg(og_simulate_run(&sample->asked, &sample->source, &sample->found, &message) ==
                      OG_OK,
                  "%s", message.text);
}

static void sample_clear(random_sample *sample)
{
    og_simulation_clear(&sample->found);
    og_groups_clear(&sample->problem);
}

/* Where every label is in before the next worker comes, a run is that of labels at once. */
OG_TEST(fast_labels_give_the_runs_of_labels_at_once)
{
    random_sample sample;
    sample_init(&sample, "5x1,1 2,1", 9,
                (og_delay){.arrival_rate = {1, 1000000}, .service_rate = {1000000, 1}});
    sample.asked.request.runs = 200;
    sample.asked.policy_count = 4;
    sample_run(&sample);
    double slow[8];
    for (int32_t i = 0; i < sample.found.row_count; i++) {
        slow[i] = sample.found.rows[i].metric[OG_CORRECT].mean;
    }
    sample.source = og_source_independent(&sample.problem, &sample.truth);
    sample.asked.request.ties = &sample.ties[1]; /* random ties number their instances otherwise */
    sample.asked.request.ties_count = 1;
    sample_run(&sample);
    for (int32_t i = 0; i < sample.found.row_count; i++) {
        ck_assert_double_eq(slow[2 * i + 1], sample.found.rows[i].metric[OG_CORRECT].mean);
    }
    sample_clear(&sample);
}

OG_TEST(simulate_refuses_rates_that_are_none)
{
    random_sample sample;
    og_message message = {""};
    sample_init(&sample, "2x1,1", 3, (og_delay){.arrival_rate = {1, 1}, .service_rate = {0, 1}});
    ck_assert_int_eq(og_simulate_run(&sample.asked, &sample.source, &sample.found, &message),
                     OG_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(message.text, "service rate"));
    sample_clear(&sample);
}
