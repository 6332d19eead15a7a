#ifndef OG_DP_FAMILIES_DELAYED_BATCH_H
#define OG_DP_FAMILIES_DELAYED_BATCH_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/solution.h"
#include "dp/families/delayed.h"

/*
 * Labels in batches: B labels are ordered at once, and none of them is seen before all have
 * arrived. The budget is ordered in batches of B, the last with the rest; an instance may get
 * several labels of a batch. With B = 1 this is labelling one by one, with B the budget it is a
 * fixed design.
 *
 * A batch is ordered label by label, without events: the state is the multiset of (node, labels
 * under way) of all instances and the m labels still to order. In gain form every label counts when
 * it is ordered, as in dp/families/delayed.h:
 *
 *   within a batch:  G_m(S) = max over z of  D(z) + G_{m-1}(S with one more under way at z),
 *   after it, for one x after the other:
 *                    G_m(S) = sum over k of p_k G_m(S, one label of x under way seen as k),
 *   D(x, 0) = R(x),  D(x, w) = sum_k p_k(x) D(next_k(x), w - 1),  G_0 = 0.
 *
 * The order in which labels are seen makes no difference, and after the last batch none need be
 * seen.
 *
 * A policy is an index of each instance alone, as in dp/families/delayed.h, with the labels left
 * when the batch begins. Its batch is filled in rounds: no instance gets a second label of the
 * batch before all have one, and within a round those of the largest index come first.
 *
 * Reductions (OG_REDUCE_* of dp/product/solve.h), each exact. SORT: a multiset. MERGE, for the
 * optimum: (x, w) with m to order can see m + w labels at most, so x is represented by its class in
 * layer m + w of dp/product/layers.h, which ordering a label for it does not change. Instances that
 * can gain nothing are dropped, since their labels could be ordered for another instance and be
 * ignored. CAP, for the optimum: of equal instances with nothing under way at most m can ever get a
 * label. FORCE and BOUND have no effect here.
 *
 * A policy's data and acts are as in dp/families/delayed.h, with labels under way in place of
 * workers at work. `left` is the number of labels left when the batch begins, and each state is an
 * arrival unless a label is being seen.
 *
 * Errors are proved: a path has at most one order and one label seen for each label; every sum has
 * positive terms. Borrows the arms; og_model_free frees the rest. OG_STOPPED with a message if a
 * state cannot be written as a key, OG_NO_MEMORY if the tables exceed memory_bytes, OG_BAD_INPUT
 * unless 1 <= batch, or for a policy that is not an index.
 */
og_status og_batch_model(const og_arms *arms, int32_t batch, const og_question *question,
                         uint64_t memory_bytes, og_model *out, og_message *message);

#endif
