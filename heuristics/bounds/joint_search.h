#ifndef OG_HEURISTICS_BOUNDS_JOINT_SEARCH_H
#define OG_HEURISTICS_BOUNDS_JOINT_SEARCH_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/bound.h"

/*
 * By how much the last labels, played together, can earn more than a price for each instance that
 * takes part and a charge for the labels that all of them want:
 *
 *   sup over multisets S of kinds of   G(S) - sum over S of w - U(S),
 *
 * G(S) the most that `labels` labels can gain on the instances of S, U(S) the sum over points of
 * width * E min(charged, N), N the number of labels that the instances of S want at that point, a
 * sum of independent numbers. What is wanted of it stands in joint_end.c.
 *
 * The first `types` kinds can be in S; all others are what these become within `labels` labels. A
 * kind that is worth nothing any more is none.
 */
enum { OG_JOINT_ITEMS = 22, OG_JOINT_NONE = UINT16_MAX };

typedef struct {
    double reward;             /* what a label is expected to gain, >= 0 */
    double worth;              /* w >= 0 */
    const double *probability; /* [outcomes] */
    const uint16_t *next;      /* [outcomes] kinds, or OG_JOINT_NONE */
    const double *alone;       /* [labels + 1] the most that so many labels gain on it alone */
} og_joint_kind;

typedef struct {
    int32_t labels;  /* 1 .. OG_BOUND_JOINT_LABELS_MAX */
    int32_t charged; /* 0 .. labels */
    int32_t outcomes;
    int32_t types; /* in the order in which S is put together */
    int32_t kinds;
    const og_joint_kind *kind; /* [kinds] */
    int32_t points;
    const double *width; /* [points] */
    const double *law; /* [points * types * charged] chance that 0, 1, .. charged - 1 are wanted */
} og_joint;

typedef struct {
    double most;       /* the supremum is not above this, but for rounding */
    double found;      /* nor below this: one S has it */
    int64_t expanded;  /* multisets that were looked into */
    int64_t work;      /* labels that were weighed, in all */
    int32_t items_max; /* instances of the largest S that was valued */
} og_joint_found;

/*
 * Best first, until `most` is within `near` of `found`, work_max labels were weighed, or `stop`
 * says so: `most` holds whenever it ends, and is INFINITY where it ends at once. Uses memory_bytes
 * at most; with less the same labels are weighed again. One thread. OG_NO_MEMORY.
 */
og_status og_joint_search(const og_joint *joint, double near, int64_t work_max,
                          uint64_t memory_bytes, og_stop *stop, og_joint_found *out);

#endif
