/* Simulates independent instances whose labels have a price: a policy that stops ends the run. */
#include "bench/simulation/priced.h"

#include "bench/simulation/independent.h"
#include "heuristics/prices.h"

/* ---- policies ---- */

static og_status make(const og_instances *all, const og_policy_name *policy, const og_arms *arms,
                      og_strategy *out, og_message *message)
{
    og_policy_use use = og_instances_policy_use(all, arms, all->use.memory_bytes / 2);
    const bool stops = og_policy_name_ignores_price(policy);
    og_ranks *ranks = NULL;
    use.price = og_fraction_double(all->price_most);
    use.with_standard = arms;
    OG_TRY(all->ranks != NULL ? og_ranks_copy(stops ? &all->alone : arms, all->ranks, &ranks)
           : stops            ? og_priced_ranks_alone(policy, &all->alone, &use, &ranks, message)
                              : og_priced_ranks(policy, arms, &use, &ranks, message));
    return og_index_play_new(all, ranks, out);
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    OG_TRY(og_priced_check(policy, message));
    return og_instances_strategy(self, policy, out, message);
}

/* ---- opening ---- */

static og_status open_priced(const og_source *source, const og_environment_use *use,
                             og_environments *out, og_message *message)
{
    OG_TRY(og_instances_open(source, use, out, message));
    og_instances *all = out->self;
    all->make = make;
    all->alone = og_arms_without_standard(all->arms);
    out->strategy = make_strategy;
    out->environment = og_instances_environment;
    return OG_OK;
}

og_source og_source_priced(const og_groups *problem, const og_truth *truth,
                           const og_fraction *price)
{
    return (og_source){.open = open_priced, .problem = problem, .truth = truth, .price = price};
}
