#ifndef OG_DP_PRODUCT_STATIONARY_PATH_H
#define OG_DP_PRODUCT_STATIONARY_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * One instance alone under a stationary index (private to dp/product/stationary/): the
 * distributions of its labels from stage to stage. At the end of the stage of rank r it waits at
 * the first posterior whose rank is below r, which depends only on its own labels.
 *
 * Within a stage an instance whose posterior has exactly this rank makes visits: a visit is its
 * next label and all that follow until its rank is no longer larger than r. If the rank is r again,
 * the instance waits for another visit; if it is smaller, the stage is over for this instance.
 *
 * Invariant between stages: `wait` holds all probability, at posteriors of smaller ranks than those
 * of all stages so far, or of as many labels as the budget.
 */
typedef struct {
    double *mass;     /* [node_count]: probability of being there */
    uint32_t *rounds; /* [node_count]: upper bound of the roundings in it */
    uint32_t *node;   /* [count]: nodes where it is not 0 */
    uint32_t count;
} og_path_places;

typedef struct {
    og_arena arena;
    const og_arm *arm;    /* borrowed */
    const uint32_t *rank; /* borrowed; of the nodes of levels 0 .. budget - 1 */
    int32_t budget;
    int32_t *level;            /* [node_count]: labels */
    og_path_places wait, next; /* for a later stage; for the next visit of this one */
    double *now;               /* [node_count]: the current visit; 0 between visits */
    uint32_t *now_rounds;      /* [node_count] */
    uint32_t *low, *high;      /* [budget + 1]: nodes of a level outside which `now` is 0 */
    int32_t visits;            /* upper bound for the current stage */
    int32_t visits_room;       /* rows of the next two arrays */
    double *gain; /* [visits * (budget + 1)]: mean reward of the label after n others in visit m */
    double *law;  /* [(visits + 1) * (budget + 1)]: labels after m visits, or after fewer if there
                   * are no more; row 0: before the stage */
    uint32_t rounds; /* most roundings in any number of a row so far, without those of the arm's
                      * numbers */
} og_path;

/* Largest number of separate visits of one stage. */
enum { OG_PATH_VISITS_MAX = 256 };

/* Starts at node 0, before any stage. Borrows arm and ranks. OG_NO_MEMORY. */
og_status og_path_new(const og_arm *arm, const uint32_t *rank, int32_t budget, og_path **out);
void og_path_free(og_path *path); /* NULL is fine */

/* Bytes of a path. */
uint64_t og_path_bytes(const og_arm *arm, int32_t budget);

/* The largest rank at which it waits; false if there is none, because the budget is certainly used
 * up. */
bool og_path_rank(const og_path *path, uint32_t *rank);

/*
 * Plays the stage of rank r, after the larger ranks. `apart`: keeps the visits separate; else they
 * are one visit with all labels that ranks of r or more allow, whether or not stages were skipped.
 * OG_STOPPED without a message for more visits than OG_PATH_VISITS_MAX; OG_NO_MEMORY; the path is
 * unusable then. O(nodes) a visit.
 */
og_status og_path_play(og_path *path, uint32_t rank, bool apart);

/* Rows of the current stage. */
static inline const double *og_path_law(const og_path *path, int32_t visits)
{
    return path->law + (size_t)visits * ((size_t)path->budget + 1);
}
static inline const double *og_path_gain(const og_path *path, int32_t visit)
{
    return path->gain + (size_t)(visit - 1) * ((size_t)path->budget + 1);
}

#endif
