#ifndef OG_HEURISTICS_BOUNDS_JOINT_SEARCH_H
#define OG_HEURISTICS_BOUNDS_JOINT_SEARCH_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/bound.h"

/*
 * The largest excess of the last labels' joint gain over a payment for each instance that takes
 * part and a charge for the labels that these instances want:
 *
 *   sup over multisets S of kinds of   G(S) - sum over S of w - U(S),
 *
 * where G(S) is the largest gain of `labels` labels on the instances of S, U(S) the sum over points
 * of width * E min(charged, N), and N the number of labels that the instances of S want at that
 * point, a sum of independent numbers. joint_end.c explains its use.
 *
 * The first `types` kinds can be in S; the other kinds are those that they become within `labels`
 * labels. OG_JOINT_NONE stands for kinds that can gain nothing more.
 */
enum { OG_JOINT_ITEMS = 22, OG_JOINT_NONE = UINT16_MAX };

typedef struct {
    double reward;             /* expected gain of a label, >= 0 */
    double worth;              /* w >= 0 */
    const double *probability; /* [outcomes] */
    const uint16_t *next;      /* [outcomes] kinds, or OG_JOINT_NONE */
    const double *alone;       /* [labels + 1] largest gain of this number of labels on it alone */
} og_joint_kind;

typedef struct {
    int32_t labels;  /* 1 .. OG_BOUND_JOINT_LABELS_MAX */
    int32_t charged; /* 0 .. labels */
    int32_t outcomes;
    int32_t types; /* in the order in which S is built */
    int32_t kinds;
    const og_joint_kind *kind; /* [kinds] */
    int32_t points;
    const double *width; /* [points] */
    const double *law;   /* [points * types * charged] probability that 0, 1, .. charged - 1 labels
                            are wanted */
} og_joint;

typedef struct {
    double most;       /* the supremum is at most this, up to rounding */
    double found;      /* and at least this, the excess of some S */
    int64_t expanded;  /* expanded multisets */
    int64_t work;      /* evaluated labels, in all */
    int32_t items_max; /* size of the largest evaluated S */
} og_joint_found;

/*
 * Searches best first until `most` is within `near` of `found`, work_max labels were evaluated, or
 * `stop` is set. `most` is valid whenever it ends, and INFINITY if it ends at once. Uses at most
 * memory_bytes; with less memory, labels are evaluated repeatedly. One thread. OG_NO_MEMORY.
 */
og_status og_joint_search(const og_joint *joint, double near, int64_t work_max,
                          uint64_t memory_bytes, og_stop *stop, og_joint_found *out);

#endif
