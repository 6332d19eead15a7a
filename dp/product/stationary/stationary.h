#ifndef OG_DP_PRODUCT_STATIONARY_STATIONARY_H
#define OG_DP_PRODUCT_STATIONARY_STATIONARY_H

#include <stdbool.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/product/policy.h"

/*
 * The value of an index policy whose ranks do not depend on the labels left, without a state: any
 * number of instances takes as long as a few convolutions.
 *
 * Such a policy spends its labels in stages, the largest rank first. In the stage of rank r every
 * instance whose rank is r, or rises above it by its label, is labelled until its rank is below r.
 * Where an instance waits after a stage, and how many labels it has had by then, depends on its own
 * labels alone. So instances are independent at the end of each stage, with or without a budget;
 * the budget T only says which labels still count: those that have fewer than T before them. Hence
 *
 *   gain = sum over instances i, stages r, n of
 *            E[reward of i's label after n others of its own, if that falls into stage r]
 *            * P(labels that all others have had before it < T - n),
 *
 * and the labels of the others are a sum of independent numbers: those of stage r and before for
 * instances that go before i in stage r, those of the stages before it for those that go after. It
 * remains which go before i:
 *
 *   OG_TIES_FIRST   an instance pays all its visits of a stage (path.h) before the next one's turn
 *                   comes, in the order of the groups; copies of a group are summed in a power sum
 *                   (law.h).
 *   OG_TIES_RANDOM  the same power sum for one arm whose instances pay one visit each, since the
 *                   order of these is random, and what an instance will do says nothing of its
 *                   place in the order of groups; else the integral of clock.h.
 *
 * The first stages, which the budget outlasts for all but a chance of 1e-22, are one; those that it
 * outlasts with a chance of at most 1e-22 are left out. Both are in the error.
 *
 * Cost: the nodes of an arm for each rank at which the budget can end, times the visits; and for
 * each of these stages some 6 log2(K) products of laws of O(T^2), thousands where ties are random
 * and visits are several.
 */

/* Are these ranks and ties of the kind? Settings may say no: reductions switched off, another
 * engine asked for. */
bool og_stationary_can(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                       const og_settings *settings);

/*
 * The value, for what og_stationary_can says yes to. result->states is the number of stages.
 * OG_STOPPED with a message where memory or the watch ends it, or where more than work_max
 * multiplications would be needed, which sets *too_many; OG_NO_MEMORY. The same bits for every
 * number of threads.
 */
og_status og_stationary_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                              const og_settings *settings, double work_max, bool *too_many,
                              og_result *result, og_message *message);

#endif
