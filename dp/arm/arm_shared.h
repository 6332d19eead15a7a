#ifndef OG_DP_ARM_ARM_SHARED_H
#define OG_DP_ARM_ARM_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/prior/dirichlet.h"

/*
 * What arms of several classes have in common (private to dp/). Their numbers are integrals whose
 * factors depend on one parameter each (dp/prior/dirichlet_rule.h). Where all priors of a problem
 * differ class by class by whole numbers, as posteriors of one prior do, each is the posterior of
 * the prior with the least parameters, and one og_dirichlet of that has the factors of all. Every
 * number is rounded to nearest, so that its bits are those of an og_dirichlet of its own.
 */
typedef struct {
    int32_t arms, classes, depth;
    bool related; /* so far */
    og_fraction first[OG_CLASSES_MAX];
    int64_t least[OG_CLASSES_MAX]; /* below `first`, 0 or less */
    int64_t most;                  /* of the sum of a prior's distances to `first` */
    uint64_t alone;                /* bytes of each arm's own og_dirichlet, all together */
} og_shared_plan;

/* A plan of no arms; then add the plain prior and the nodes of each. */
void og_shared_plan_init(int32_t depth, og_shared_plan *plan);
void og_shared_plan_add(og_shared_plan *plan, const og_group *plain, uint64_t nodes);

/* Is sharing worth it: are there some small arms, and is what they share no more than what they
 * hold alone, all together? Then *bytes is what it holds at most, and alpha[classes] the parameters
 * it is for, with *depth labels. */
bool og_shared_plan_pays(const og_shared_plan *plan, og_fraction *alpha, int32_t *depth,
                         uint64_t *bytes);

/* The bytes of the arms, each with an og_dirichlet of its own, less what sharing saves. */
uint64_t og_shared_plan_bytes(const og_shared_plan *plan, uint64_t bytes);

typedef struct og_arm_shared og_arm_shared;

/* *out is NULL where the plan does not pay. Held once; freed when nobody holds it any more. */
og_status og_arm_shared_new(const og_shared_plan *plan, og_arm_shared **out);
og_arm_shared *og_arm_shared_hold(og_arm_shared *shared); /* NULL is fine, as for all of these */
void og_arm_shared_release(og_arm_shared *shared);
uint64_t og_arm_shared_bytes(const og_arm_shared *shared); /* at most */

/*
 * For the posteriors of these alpha: the og_dirichlet that values them, and how many labels of each
 * class lie before them, base[classes]. It is the caller's alone until og_arm_shared_give; without
 * `shared` a new one for `depth` labels. OG_NO_MEMORY.
 */
og_status og_arm_shared_take(og_arm_shared *shared, int32_t classes, const og_fraction *alpha,
                             int32_t depth, og_dirichlet **out, int32_t *base);
void og_arm_shared_give(og_arm_shared *shared, og_dirichlet *taken);

#endif
