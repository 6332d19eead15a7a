/* Requests for runs: tests/simulate_sample.h. */
#include "tests/simulate_sample.h"

#include "tests/support.h"

void sample_policies(random_sample *sample, const char *names)
{
    char copy[SAMPLE_NAMES_BYTES];
    ck_assert_int_lt(snprintf(copy, sizeof copy, "%s", names), SAMPLE_NAMES_BYTES);
    char *rest = copy, *name;
    sample->asked.policy_count = 0;
    while ((name = strsep(&rest, ",")) != NULL) {
        og_policy_name *next = &sample->policies[sample->asked.policy_count++];
        ck_assert_int_eq(og_policy_name_parse(name, next, &sample->message), OG_OK);
    }
}

void sample_begin(random_sample *sample, const char *policies, int64_t runs)
{
    memset(sample, 0, sizeof *sample);
    sample->ties[0] = OG_TIES_RANDOM;
    sample->ties[1] = OG_TIES_FIRST;
    sample->source = og_source_independent(&sample->problem, &sample->truth);
    sample->asked =
        (og_asked){.policies = sample->policies,
                   .request = {.ties = sample->ties,
                               .ties_count = 2,
                               .runs = runs,
                               .seed = test_seed(20),
                               .settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 30}}};
    sample_policies(sample, policies);
}

void sample_clear(random_sample *sample)
{
    og_simulation_clear(&sample->found);
    og_truth_clear(&sample->truth);
    og_groups_clear(&sample->problem);
}
