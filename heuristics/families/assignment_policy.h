#ifndef OG_HEURISTICS_FAMILIES_ASSIGNMENT_POLICY_H
#define OG_HEURISTICS_FAMILIES_ASSIGNMENT_POLICY_H

#include "dp/engine/strategy.h"
#include "dp/families/assignment_model.h"
#include "heuristics/policy.h"

/*
 * Policies that assign workers to tasks and decide by the table of labels alone. kg-exact looks one
 * label ahead by the exact posterior, of all tasks, and leaves the calls to it; naive asks any free
 * cell and calls by the majority of a task's labels, an equal one being a coin.
 *
 * Borrows the start. OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY. For any number
 * of threads.
 */
og_status og_assignment_strategy(const og_policy_name *named, const og_assignment_start *start,
                                 og_strategy *out, og_message *message);
bool og_assignment_strategy_known(const char *name);

/* Indices of kg-exact tie relative to the largest: they are sums of positive numbers. */
#define OG_ASSIGNMENT_TIE 1e-11

#endif
