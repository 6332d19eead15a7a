#ifndef OG_HEURISTICS_BOUNDS_FLUID_H
#define OG_HEURISTICS_BOUNDS_FLUID_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * The fluid value of states (private to heuristics/): F(S, r) is the value of the linear programme
 * in which at most one label is bought at each of the next r stages in expectation, without the
 * calls of S. By duality it is the bound og_bound_lagrangian_vector for the problem that begins at
 * S with budget r, less these calls:
 *
 *   F(S, r) = min over prices p >= 0 of  sum over instances of f_p(x) + sum_l p_l,
 *
 * with f of priced_arm.h. It is at least the optimal gain, and equal to it for one instance; F(S,
 * 1) is the largest R; F(S, 0) = 0; F never falls with r.
 *
 * Method: cutting planes (price_search.h), which are kept for all states. A plane belongs to a plan
 * for one instance: what it earns, and its labels by stage. Counted from the end, a plan that buys
 * nothing before it has k labels left is one for every r >= k, so the planes of a node serve all
 * numbers of labels left. Values are remembered by state.
 *
 * Error: |value - F| <= OG_FLUID_ERROR. The search ends when the upper and the lower bound are
 * within OG_FLUID_GAP, both from arithmetic that does not depend on GLPK's correctness; the proved
 * rounding of both must be within the rest. Otherwise OG_FAILED.
 */
#define OG_FLUID_GAP 1e-11
#define OG_FLUID_ERROR 5e-11

typedef struct og_fluid og_fluid;

/* Equal instances: the global node of their posterior, and their number. */
typedef struct {
    uint32_t node;
    int64_t copies;
} og_fluid_place;

/*
 * Borrows arms, and `stop` (NULL: never). memory_bytes limits the values and, approximately, the
 * planes that are kept. OG_NO_MEMORY.
 */
og_status og_fluid_new(const og_arms *arms, uint64_t memory_bytes, og_stop *stop, og_fluid **out);
void og_fluid_free(og_fluid *fluid); /* NULL is fine */

/*
 * place[count]: different nodes that can be labelled with `left` labels left, in ascending order.
 * OG_STOPPED, OG_NO_MEMORY or OG_FAILED: not solved to OG_FLUID_GAP. The bits may depend on earlier
 * questions, within the error.
 *
 * Between the first question and og_fluid_leave, all calls must come from one thread, which must
 * not begin or end other users of GLPK meanwhile, except such that begin and end there.
 */
og_status og_fluid_value(og_fluid *fluid, const og_fluid_place *place, int32_t count, int32_t left,
                         double *value);
void og_fluid_leave(og_fluid *fluid);

#endif
