#ifndef OG_HEURISTICS_FAMILIES_DELAYED_POLICY_H
#define OG_HEURISTICS_FAMILIES_DELAYED_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/families/delayed.h"
#include "heuristics/families/delayed_index.h"
#include "heuristics/policy.h"

/*
 * Policies where labels take time. An index policy of the registry goes by the posterior alone, as
 * if nobody were at work, with the workers still to come (the one to be placed included) as labels
 * left. `hu-frazier` has an index of its own (heuristics/families/delayed_index.h); hu-frazier:N,
 * for many workers, is that index where an instance has N labels at most: min(m, N - n) workers
 * still come to one that has had n labels, those on their way included, and its index is 0 from n =
 * N on. A function of the caller's is asked about each instance on its own, and its answers are an
 * index.
 */
struct og_strategy; /* dp/engine/strategy.h */

typedef struct {
    og_ranks *ranks;         /* NULL for hu-frazier */
    og_delayed_index *index; /* NULL for the others */
    og_arms *shorter;        /* the arms of hu-frazier:N; NULL for all others */
    bool rounds;             /* batches: no second label of one before all instances have one */
    int32_t reach;           /* N; U where it is not given */
    const og_arms *arms;     /* borrowed */
    uint64_t tolerance_ties; /* as og_ranks and og_delayed_index say */
} og_delayed_policy;

/* U is the arms' budget; `delay` NULL: labels come in batches (dp/families/delayed_batch.h) and
 * hu-frazier goes by the posterior alone too. OG_BAD_INPUT with a message for a policy that is no
 * index of one instance; OG_NO_MEMORY; as og_policy_name_ranks. */
og_status og_delayed_policy_init(og_delayed_policy *out, const og_policy_name *policy,
                                 const og_arms *arms, const og_delay *delay,
                                 const og_policy_use *use, og_message *message);
void og_delayed_policy_clear(og_delayed_policy *policy); /* a zeroed one is fine */

/* The rank of an instance, larger is served first; `left` >= 1 workers to come. O(log depth +
 * at_work). */
uint32_t og_delayed_policy_rank(const og_delayed_policy *policy, int32_t arm, uint32_t node,
                                int32_t at_work, int32_t left);

/* The policy as the model and questions take it, its ranks as an index; it borrows the policy. For
 * any number of threads. */
struct og_strategy og_delayed_strategy(const og_delayed_policy *policy);

/* The same with a policy of its own, `self`, which its `free` frees; as og_delayed_policy_init. */
og_status og_delayed_strategy_new(const og_policy_name *policy, const og_arms *arms,
                                  const og_delay *delay, const og_policy_use *use,
                                  struct og_strategy *out, og_message *message);

/* Can a rank with `left` workers to come differ from that with one more? */
bool og_delayed_policy_changes(const og_delayed_policy *policy, int32_t left);

#endif
