#ifndef OG_DP_ARM_ARM_AFTER_H
#define OG_DP_ARM_ARM_AFTER_H

#include "dp/arm/arm.h"

/*
 * The arm of an instance that begins at a node of another arm, which it borrows: for problems that
 * begin at a later state. Rewards, probabilities and gains are those of the node and its followers,
 * with the same bits. The posterior is the prior of the new arm, except that a mixture keeps the
 * weights of the old one and a table its root, so that og_arm_prior is not to be used with them.
 *
 * `call` is the value of a call at the node, with a relative error of at most call_error. The arm
 * must have one action of cost 1 at each node, and depth more levels below the node. O(depth^2)
 * time and memory for labels of two outcomes. OG_NO_MEMORY.
 */
og_status og_arm_new_after(const og_arm *arm, uint32_t node, int32_t depth, double call,
                           double call_error, og_arm **out);

#endif
