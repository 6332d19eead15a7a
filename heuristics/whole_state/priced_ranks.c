/* Ranks of policies for labels that have a price: by comparing indices with the standard arm's. */
#include <string.h>

#include "heuristics/prices.h"

og_status og_priced_check(const og_policy_name *policy, og_message *message)
{
    og_rule_use use;
    bool fits = og_policy_name_ignores_price(policy) || og_policy_name_rule(policy, &use) ||
                og_policy_name_gains_by_label(policy);
    return fits ? OG_OK : og_policy_name_refuse(policy, "--price", "prices", message);
}

og_status og_priced_ranks(const og_policy_name *name, const og_arms *arms, const og_policy_use *use,
                          og_ranks **out, og_message *message)
{
    og_policy_use all = *use;
    int32_t last = arms->arm_count - 1;
    OG_TRY(og_policy_name_ignores_price(name)
               ? og_policy_name_refuse(name, "--price", "prices", message)
               : og_priced_check(name, message));
    all.roots = false; /* og_ranks_prefer needs every node */
    OG_TRY(og_policy_name_ranks_for(name, arms, &all, out, message));
    if (og_arm_is_standard(arms->arm[last])) {
        og_ranks_prefer(*out, arms, last, strcmp(name->name, "uniform") == 0);
    }
    return OG_OK;
}

/* The ranks of all arms but the last, which is the standard one: 0 if they are not above its own.
 */
static og_status without_standard(const og_ranks *all, const og_arms *arms, og_ranks **out)
{
    const int32_t rows = all->by_left ? arms->budget : 1;
    OG_TRY(og_ranks_new(arms, all->by_left, out));
    (*out)->stops = true;
    (*out)->tolerance_ties = all->tolerance_ties;
    for (int32_t left = 1; left <= rows && arms->budget > 0; left++) {
        int32_t levels = all->by_left ? arms->budget - left + 1 : arms->budget;
        uint32_t limit = og_ranks_of(all, arms->arm_count, left)[0];
        for (int32_t a = 0; a < arms->arm_count; a++) {
            const uint32_t *from = og_ranks_of(all, a, left);
            uint32_t *to = (*out)->rank[all->by_left ? (int64_t)left * arms->arm_count + a : a];
            for (uint32_t node = 0; node < arms->arm[a]->level[levels]; node++) {
                to[node] = from[node] > limit ? from[node] - limit : 0;
            }
        }
    }
    return OG_OK;
}

og_status og_priced_ranks_alone(const og_policy_name *name, const og_arms *arms,
                                const og_policy_use *use, og_ranks **out, og_message *message)
{
    og_policy_use own = *use;
    og_ranks *all = NULL;
    if (og_policy_name_ignores_price(name)) {
        return og_policy_name_ranks_for(name, arms, use, out, message);
    }
    own.with_standard = NULL;
    OG_TRY(og_priced_ranks(name, use->with_standard, &own, &all, message));
    og_status status = without_standard(all, arms, out);
    og_ranks_free(all);
    return status;
}
