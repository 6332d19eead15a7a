/* Simulates independent instances whose labels have a price: a policy that stops ends the run. */
#include "bench/simulation/priced.h"

#include <string.h>

#include "bench/simulation/independent.h"

/* ---- policies ---- */

/* Indices that can be compared with the price of a label. */
static og_status check_policy(const og_policy_name *policy, og_message *message)
{
    og_rule_use use;
    bool fits = og_policy_name_rule(policy, &use) || strcmp(policy->name, "gittins-fh") == 0 ||
                strncmp(policy->name, "gittins-fh:", 11) == 0;
    return fits ? OG_OK : og_policy_name_refuse(policy, "--price", "prices", message);
}

og_status og_priced_ranks(const og_policy_name *name, const og_arms *arms, const og_policy_use *use,
                          og_ranks **out, og_message *message)
{
    og_policy_use all = *use;
    int32_t last = arms->arm_count - 1;
    OG_TRY(check_policy(name, message));
    all.roots = false; /* og_ranks_prefer needs every node */
    OG_TRY(og_policy_name_ranks_for(name, arms, &all, out, message));
    if (og_arm_is_standard(arms->arm[last])) {
        og_ranks_prefer(*out, arms, last, strcmp(name->name, "uniform") == 0);
    }
    return OG_OK;
}

static og_status make(const og_instances *all, const og_policy_name *policy, const og_arms *arms,
                      og_strategy *out, og_message *message)
{
    const og_policy_use use = og_instances_policy_use(all, arms, all->use.memory_bytes / 2);
    og_ranks *ranks = NULL;
    OG_TRY(all->ranks != NULL ? og_ranks_copy(arms, all->ranks, &ranks)
                              : og_priced_ranks(policy, arms, &use, &ranks, message));
    return og_index_play_new(all, ranks, out);
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    OG_TRY(check_policy(policy, message));
    return og_instances_strategy(self, policy, out, message);
}

/* ---- opening ---- */

static og_status open_priced(const og_source *source, const og_environment_use *use,
                             og_environments *out, og_message *message)
{
    OG_TRY(og_instances_open(source, use, out, message));
    ((og_instances *)out->self)->make = make;
    out->strategy = make_strategy;
    out->environment = og_instances_environment;
    return OG_OK;
}

og_source og_source_priced(const og_groups *problem, const og_truth *truth,
                           const og_fraction *price)
{
    return (og_source){.open = open_priced, .problem = problem, .truth = truth, .price = price};
}
