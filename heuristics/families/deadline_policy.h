#ifndef OG_HEURISTICS_FAMILIES_DEADLINE_POLICY_H
#define OG_HEURISTICS_FAMILIES_DEADLINE_POLICY_H

#include <stdint.h>

#include "dp/families/deadline.h"
#include "heuristics/families/deadline_index.h"
#include "heuristics/families/delayed_policy.h"

/*
 * Policies where labels have a deadline (dp/families/deadline.h). None of them sends a worker away.
 * An index policy of the registry goes by the posterior alone, as if no label were under way, with
 * the labels that can still be asked for in time as labels left. `hu-frazier` has an index of its
 * own (heuristics/families/deadline_index.h). A function of the caller's is asked about each
 * instance on its own.
 */
struct og_strategy; /* dp/engine/strategy.h */

typedef struct {
    og_delayed_policy posterior; /* zeros for hu-frazier */
    og_deadline_index *index;    /* NULL for the others */
    const og_arms *arms;         /* borrowed */
    uint64_t tolerance_ties;     /* as og_ranks and og_deadline_index say */
} og_deadline_policy;

/* T is the arms' budget. OG_BAD_INPUT with a message for a policy that is no index of one instance;
 * OG_NO_MEMORY; as og_policy_name_ranks. */
og_status og_deadline_policy_init(og_deadline_policy *out, const og_policy_name *policy,
                                  const og_arms *arms, const og_deadline *deadline,
                                  const og_policy_use *use, og_message *message);
void og_deadline_policy_clear(og_deadline_policy *policy); /* a zeroed one is fine */

/* The policy as the model and runs take it; it borrows the policy. For any number of threads. */
struct og_strategy og_deadline_strategy(const og_deadline_policy *policy);

/* The same with a policy of its own, which its `free` frees; as og_deadline_policy_init. */
og_status og_deadline_strategy_new(const og_policy_name *policy, const og_arms *arms,
                                   const og_deadline *deadline, const og_policy_use *use,
                                   struct og_strategy *out, og_message *message);

#endif
