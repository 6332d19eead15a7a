#ifndef OG_DP_PRODUCT_STATIONARY_STATIONARY_H
#define OG_DP_PRODUCT_STATIONARY_STATIONARY_H

#include <stdbool.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/product/policy.h"

/*
 * The value of an index policy whose ranks do not depend on the labels left, computed without
 * states: any number of instances takes as long as a few convolutions.
 *
 * Such a policy spends its labels in stages, the largest rank first. In the stage of rank r every
 * instance whose rank is r, or rises above it by its label, is labelled until its rank is below r.
 * The posterior at which an instance waits after a stage, and its number of labels until then,
 * depend only on its own labels. So instances are independent at the end of each stage, with or
 * without a budget. The budget T only decides which labels still count: those with fewer than T
 * before them. Hence
 *
 *   gain = sum over instances i, stages r, n of
 *            E[reward of i's label after n others of its own, if that falls into stage r]
 *            * P(labels that all others have had before it < T - n).
 *
 * The labels of the others are a sum of independent numbers. Instances that go before i in stage r
 * count with their labels up to stage r; those that go after i count with their labels before stage
 * r. The order in a stage depends on the tie rule:
 *
 *   OG_TIES_FIRST   an instance makes all its visits of a stage (path.h) before the next one's turn
 *                   comes, in the order of the groups; copies of a group are summed in a power sum
 *                   (law.h).
 *   OG_TIES_RANDOM  the same power sum for one arm whose instances make one visit each: the order
 *                   of these is random, and an instance's future labels are independent of its
 *                   place in the order of groups. Else the integral of stage_time.h.
 *
 * The first stages, which end before the budget except with a probability of 1e-22, are treated as
 * one; stages that begin before the end of the budget with a probability of at most 1e-22 are
 * omitted. Both are included in the error.
 *
 * Cost: the nodes of an arm for each rank at which the budget can end, times the visits. Each of
 * these stages also takes some 6 log2(K) products of distributions of O(T^2), and thousands of
 * products if ties are random and there are several visits.
 */

/* True if these ranks and ties are supported. Settings may rule it out: reductions switched off,
 * another engine. */
bool og_stationary_can(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                       const og_settings *settings);

/*
 * The value, if og_stationary_can is true. result->states is the number of stages. OG_STOPPED with
 * a message if memory or the watch ends it, or if more than work_max multiplications would be
 * needed, which sets *too_many; OG_NO_MEMORY. The same bits for every number of threads.
 */
og_status og_stationary_value(const og_ranks_play *play, const og_settings *settings,
                              double work_max, bool *too_many, og_result *result,
                              og_message *message);

#endif
