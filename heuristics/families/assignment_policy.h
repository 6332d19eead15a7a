#ifndef OG_HEURISTICS_FAMILIES_ASSIGNMENT_POLICY_H
#define OG_HEURISTICS_FAMILIES_ASSIGNMENT_POLICY_H

#include "dp/engine/strategy.h"
#include "dp/families/assignment_model.h"
#include "heuristics/policy.h"

/*
 * Policies that assign workers to tasks and depend only on the table of labels. kg-exact and the
 * other exact rules of one label use the exact posterior of all tasks, which also makes the calls.
 * naive asks any free cell and calls each task by the majority of its labels, with a coin for ties.
 *
 * Borrows the start. OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY. For any number
 * of threads.
 */
og_status og_assignment_strategy(const og_policy_name *named, const og_assignment_start *start,
                                 og_strategy *out, og_message *message);
bool og_assignment_strategy_known(const og_policy_name *named);

/* Indices of kg-exact within this part of the largest tie; they are sums of positive numbers. */
#define OG_ASSIGNMENT_TIE 1e-11

#endif
