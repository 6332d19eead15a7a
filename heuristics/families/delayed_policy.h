#ifndef OG_HEURISTICS_FAMILIES_DELAYED_POLICY_H
#define OG_HEURISTICS_FAMILIES_DELAYED_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/families/delayed.h"
#include "heuristics/families/delayed_index.h"
#include "heuristics/policy.h"

/*
 * Policies for labels that take time. An index policy of the registry depends only on the
 * posterior, as if no worker were at work; its labels left are the workers still to come, including
 * the one to be placed. `hu-frazier` has a separate index (heuristics/families/delayed_index.h).
 * hu-frazier:N, for many workers, is this index if an instance has at most N labels: after n
 * labels, including those under way, min(m, N - n) workers are still to come, and the index is 0
 * from n = N on. A caller's function is called for each instance separately, and its answers are an
 * index.
 */
struct og_strategy; /* dp/engine/strategy.h */

typedef struct {
    og_ranks *ranks;         /* NULL for hu-frazier */
    og_delayed_index *index; /* NULL for the others */
    og_arms *shorter;        /* the arms of hu-frazier:N; NULL for all others */
    bool rounds;             /* batches: label every instance once before any gets a second label */
    int32_t reach;           /* N; U if N is not given */
    const og_arms *arms;     /* borrowed */
    uint64_t tolerance_ties; /* as in og_ranks and og_delayed_index */
} og_delayed_policy;

/* True for hu-frazier and hu-frazier:N. */
bool og_delayed_policy_is_own(const og_policy_name *policy);

/* U is the arms' budget. `delay` NULL: labels come in batches (og_deadline_batches), each filled in
 * rounds, and hu-frazier also depends only on the posterior. OG_BAD_INPUT with a message for a
 * policy that is not an index of one instance; OG_NO_MEMORY; other errors as og_policy_name_ranks.
 */
og_status og_delayed_policy_init(og_delayed_policy *out, const og_policy_name *policy,
                                 const og_arms *arms, const og_delay *delay,
                                 const og_policy_use *use, og_message *message);
void og_delayed_policy_clear(og_delayed_policy *policy); /* a zeroed one is fine */

/* The rank of an instance with `left` >= 1 workers to come; the largest rank is served first. O(log
 * depth + at_work). */
uint32_t og_delayed_policy_rank(const og_delayed_policy *policy, int32_t arm, uint32_t node,
                                int32_t at_work, int32_t left);

/* The policy as a strategy for the model and questions, with its ranks as an index; borrows the
 * policy. For any number of threads. */
struct og_strategy og_delayed_strategy(const og_delayed_policy *policy);

/* Creates a strategy that owns its policy, `self`; its `free` frees both. Errors as
 * og_delayed_policy_init. */
og_status og_delayed_strategy_new(const og_policy_name *policy, const og_arms *arms,
                                  const og_delay *delay, const og_policy_use *use,
                                  struct og_strategy *out, og_message *message);

/* True if a rank with `left` workers to come can differ from that with one more. */
bool og_delayed_policy_changes(const og_delayed_policy *policy, int32_t left);

#endif
