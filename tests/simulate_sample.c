/* Requests for runs: tests/simulate_sample.h. */
#include "tests/simulate_sample.h"

#include "tests/support.h"

void sample_policies(random_sample *of, const char *names)
{
    char copy[SAMPLE_NAMES_BYTES];
    ck_assert_int_lt(snprintf(copy, sizeof copy, "%s", names), SAMPLE_NAMES_BYTES);
    char *rest = copy, *name;
    of->asked.policy_count = 0;
    while ((name = strsep(&rest, ",")) != NULL) {
        og_policy_name *next = &of->policies[of->asked.policy_count++];
        ck_assert_int_eq(og_policy_name_parse(name, next, &of->message), OG_OK);
    }
}

void sample_begin(random_sample *of, const char *policies, int64_t runs)
{
    memset(of, 0, sizeof *of);
    of->ties[0] = OG_TIES_RANDOM;
    of->ties[1] = OG_TIES_FIRST;
    of->source = og_source_independent(&of->problem, &of->truth);
    of->asked =
        (og_asked){.policies = of->policies,
                   .request = {.ties = of->ties,
                               .ties_count = 2,
                               .runs = runs,
                               .seed = test_seed(20),
                               .settings = {.threads = 1, .memory_bytes = UINT64_C(1) << 30}}};
    sample_policies(of, policies);
}

void sample_clear(random_sample *of)
{
    og_simulation_clear(&of->found);
    og_truth_clear(&of->truth);
    og_groups_clear(&of->problem);
}
