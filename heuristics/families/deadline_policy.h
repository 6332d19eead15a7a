#ifndef OG_HEURISTICS_FAMILIES_DEADLINE_POLICY_H
#define OG_HEURISTICS_FAMILIES_DEADLINE_POLICY_H

#include <stdint.h>

#include "dp/families/deadline.h"
#include "heuristics/families/deadline_index.h"
#include "heuristics/families/delayed_policy.h"

/*
 * Policies for labels with a deadline (dp/families/deadline.h). None of them turns a worker away.
 * An index policy of the registry depends only on the posterior, as if no label were under way; its
 * labels left are those that can still be requested in time. `hu-frazier` has a separate index
 * (heuristics/families/deadline_index.h). A caller's function is called for each instance
 * separately.
 */
struct og_strategy; /* dp/engine/strategy.h */

typedef struct {
    og_delayed_policy posterior; /* zeroed for hu-frazier */
    og_deadline_index *index;    /* NULL for the others */
    const og_arms *arms;         /* borrowed */
    uint64_t tolerance_ties;     /* as in og_ranks and og_deadline_index */
} og_deadline_policy;

/* The policy as a strategy for the model and for runs; borrows the policy. For any number of
 * threads. */
struct og_strategy og_deadline_strategy(const og_deadline_policy *policy);

/* Creates a strategy that owns its policy; its `free` frees both. T is the arms' budget.
 * OG_BAD_INPUT with a message for a policy that is not an index of one instance; OG_NO_MEMORY;
 * other errors as og_policy_name_ranks. */
og_status og_deadline_strategy_new(const og_policy_name *policy, const og_arms *arms,
                                   const og_deadline *deadline, const og_policy_use *use,
                                   struct og_strategy *out, og_message *message);

#endif
