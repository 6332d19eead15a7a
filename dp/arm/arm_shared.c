/* One og_dirichlet for arms of related priors, which use it one at a time. */
#include "dp/arm/arm_shared.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/fraction.h"
#include "dp/base/parallel.h"

struct og_arm_shared {
    og_lock lock;    /* its holder evaluates posteriors */
    og_lock counter; /* of `holders` */
    int32_t holders, classes;
    og_fraction alpha[OG_CLASSES_MAX];
    uint64_t bytes;
    og_dirichlet *dirichlet;
};

/* Fewer arms, or larger ones, spend their time on the sums, not on the factors. */
enum { ARMS_LEAST = 8, NODES_MOST = 1000 };

void og_shared_plan_init(int32_t depth, og_shared_plan *plan)
{
    *plan = (og_shared_plan){.depth = depth, .related = true};
}

void og_shared_plan_add(og_shared_plan *plan, const og_group *plain, uint64_t nodes)
{
    int64_t sum = 0;
    if (plan->arms == 0 && plain->kind == OG_PRIOR_DIRICHLET) {
        plan->classes = plain->part_count;
        memcpy(plan->first, plain->alpha, (size_t)plan->classes * sizeof *plan->first);
    }
    plan->related = plan->related && plain->kind == OG_PRIOR_DIRICHLET &&
                    plain->part_count == plan->classes && nodes <= NODES_MOST;
    for (int32_t c = 0; plan->related && c < plan->classes; c++) {
        int32_t distance = 0;
        plan->related = og_fraction_distance(plain->alpha[c], plan->first[c], &distance);
        plan->least[c] = distance < plan->least[c] ? distance : plan->least[c];
        sum += distance;
    }
    if (plan->related) {
        plan->most = sum > plan->most ? sum : plan->most;
        plan->alone += og_dirichlet_bytes(plain->part_count, plain->alpha, plan->depth);
    }
    plan->arms++;
}

bool og_shared_plan_pays(const og_shared_plan *plan, og_fraction *alpha, int32_t *depth,
                         uint64_t *bytes)
{
    int64_t labels = plan->most + plan->depth;
    if (!plan->related || plan->arms < ARMS_LEAST) {
        return false;
    }
    for (int32_t c = 0; c < plan->classes; c++) {
        alpha[c] = og_fraction_plus(plan->first[c], (int32_t)plan->least[c]);
        labels -= plan->least[c];
    }
    if (labels > OG_BUDGET_MAX) {
        return false;
    }
    *depth = (int32_t)labels;
    *bytes = og_dirichlet_bytes(plan->classes, alpha, *depth);
    return *bytes <= plan->alone;
}

uint64_t og_shared_plan_bytes(const og_shared_plan *plan, uint64_t bytes)
{
    og_fraction alpha[OG_CLASSES_MAX];
    int32_t depth;
    uint64_t shared;
    bool pays = og_shared_plan_pays(plan, alpha, &depth, &shared);
    return pays && bytes != UINT64_MAX ? bytes - plan->alone + shared : bytes;
}

og_status og_arm_shared_new(const og_shared_plan *plan, og_arm_shared **out)
{
    og_fraction alpha[OG_CLASSES_MAX] = {{0, 1}};
    int32_t depth;
    uint64_t bytes;
    *out = NULL;
    if (!og_shared_plan_pays(plan, alpha, &depth, &bytes)) {
        return OG_OK;
    }
    og_arm_shared *shared = calloc(1, sizeof *shared);
    OG_TRY(OG_ALLOCATED(shared));
    og_status status = og_dirichlet_new(plan->classes, alpha, depth, &shared->dirichlet);
    if (status != OG_OK) {
        free(shared);
        return status;
    }
    shared->holders = 1;
    shared->bytes = bytes;
    memcpy(shared->alpha, alpha, sizeof shared->alpha);
    og_lock_init(&shared->lock);
    og_lock_init(&shared->counter);
    *out = shared;
    return OG_OK;
}

og_arm_shared *og_arm_shared_hold(og_arm_shared *shared)
{
    if (shared != NULL) {
        og_lock_take(&shared->counter);
        shared->holders++;
        og_lock_release(&shared->counter);
    }
    return shared;
}

void og_arm_shared_release(og_arm_shared *shared)
{
    if (shared == NULL) {
        return;
    }
    og_lock_take(&shared->counter);
    bool last = --shared->holders == 0;
    og_lock_release(&shared->counter);
    if (last) {
        og_dirichlet_free(shared->dirichlet);
        og_lock_clear(&shared->lock);
        og_lock_clear(&shared->counter);
        free(shared);
    }
}

uint64_t og_arm_shared_bytes(const og_arm_shared *shared)
{
    return shared == NULL ? 0 : shared->bytes;
}

og_status og_arm_shared_take(og_arm_shared *shared, int32_t classes, const og_fraction *alpha,
                             int32_t depth, og_dirichlet **out, int32_t *base)
{
    for (int32_t c = 0; c < classes; c++) {
        base[c] = 0;
        bool fits = shared == NULL || og_fraction_distance(alpha[c], shared->alpha[c], &base[c]);
        assert(fits);
        (void)fits;
    }
    if (shared == NULL) {
        return og_dirichlet_new(classes, alpha, depth, out);
    }
    og_lock_take(&shared->lock);
    *out = shared->dirichlet;
    return OG_OK;
}

void og_arm_shared_give(og_arm_shared *shared, og_dirichlet *taken)
{
    if (shared == NULL) {
        og_dirichlet_free(taken);
    } else {
        og_lock_release(&shared->lock);
    }
}
