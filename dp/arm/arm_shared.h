#ifndef OG_DP_ARM_ARM_SHARED_H
#define OG_DP_ARM_ARM_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/prior/dirichlet.h"

/*
 * Data that arms of several classes share (private to dp/). Their numbers are integrals whose
 * factors depend on one parameter each (dp/prior/dirichlet_rule.h). If all priors of a problem
 * differ class by class by whole numbers, as posteriors of one prior do, each is a posterior of the
 * prior with the least parameters. One og_dirichlet of that prior has the factors of all. Every
 * number is rounded to nearest, so its bits are those that a separate og_dirichlet would give.
 */
typedef struct {
    int32_t arms, classes, depth;
    bool related; /* so far */
    og_fraction first[OG_CLASSES_MAX];
    int64_t least[OG_CLASSES_MAX]; /* at most 0: distance below `first` */
    int64_t most;                  /* largest sum of a prior's distances to `first` */
    uint64_t alone;                /* bytes of a separate og_dirichlet for each arm, in all */
} og_shared_plan;

/* A plan without arms; then adds the plain prior and the number of nodes of each. */
void og_shared_plan_init(int32_t depth, og_shared_plan *plan);
void og_shared_plan_add(og_shared_plan *plan, const og_group *plain, uint64_t nodes);

/* True if sharing is worth it: there are some small arms, and the shared data are at most as large
 * as separate ones, all together. Then *bytes is the most that they hold, and alpha[classes] with
 * *depth labels are their parameters. */
bool og_shared_plan_pays(const og_shared_plan *plan, og_fraction *alpha, int32_t *depth,
                         uint64_t *bytes);

/* The bytes of the arms, each with a separate og_dirichlet, minus the bytes that sharing saves. */
uint64_t og_shared_plan_bytes(const og_shared_plan *plan, uint64_t bytes);

typedef struct og_arm_shared og_arm_shared;

/* *out is NULL if the plan does not pay. The caller holds it once; it is freed when nothing holds
 * it any more. */
og_status og_arm_shared_new(const og_shared_plan *plan, og_arm_shared **out);
og_arm_shared *og_arm_shared_hold(og_arm_shared *shared); /* NULL is fine, as for all of these */
void og_arm_shared_release(og_arm_shared *shared);
uint64_t og_arm_shared_bytes(const og_arm_shared *shared); /* at most */

/*
 * For the posteriors of these alpha: the og_dirichlet that computes them, and the number of labels
 * of each class before them, base[classes]. The caller has it alone until og_arm_shared_give;
 * without `shared` it is a new one for `depth` labels. OG_NO_MEMORY.
 */
og_status og_arm_shared_take(og_arm_shared *shared, int32_t classes, const og_fraction *alpha,
                             int32_t depth, og_dirichlet **out, int32_t *base);
void og_arm_shared_give(og_arm_shared *shared, og_dirichlet *taken);

#endif
