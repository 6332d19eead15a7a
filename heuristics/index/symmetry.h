#ifndef OG_HEURISTICS_INDEX_SYMMETRY_H
#define OG_HEURISTICS_INDEX_SYMMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Twins: nodes that are the same process according to their posteriors, without any arithmetic
 * (private to heuristics/). All nodes with the posterior Beta(A, B) at threshold d, and its mirror
 * image Beta(B, A) at 1 - d, are one class, for every number of labels left. So are mirror images
 * among the nodes of one mixture, and all permutations of the parameters of a Dirichlet. Their
 * indices are equal in exact arithmetic, so one is computed and copied to the others, and only ties
 * between different classes need rationals.
 *
 * Classes are numbered by the level of their first member, so that the classes that can occur with
 * `left` labels left are 0 .. count_before_level[budget - left + 1] - 1. Nodes of the last level
 * cannot be labelled and have no class.
 */
typedef struct {
    og_arena arena;
    uint32_t class_count;
    uint32_t *class_of;   /* [global nodes]; OG_TWIN_NONE on the last level */
    uint32_t *first_node; /* [class_count] the member of the lowest level, a node of its arm */
    int32_t *first_arm;   /* [class_count] the arm of first_node */
    uint32_t *count_before_level; /* [budget + 1] classes whose first member is on a lower level */
} og_twins;

#define OG_TWIN_NONE UINT32_MAX

/* Which nodes are twins: all of those above; only those on the same level, for an index that
 * depends on the instance's labels too; none, for an index that may differ between twins. */
typedef enum { OG_TWINS_ALL, OG_TWINS_OF_A_LEVEL, OG_TWINS_APART } og_twins_kind;

/* Takes O(n log n) for n nodes. OG_STOPPED: the stop was raised; NULL: there is none. */
og_status og_twins_new(const og_arms *arms, og_twins_kind kind, og_stop *stop, og_twins **out);

/* The same for only the arms' roots: other nodes have no class, and class_of is not defined for
 * them.
 */
og_status og_twins_new_roots(const og_arms *arms, og_twins_kind kind, og_twins **out);
void og_twins_free(og_twins *twins);

/* The number of classes with a member on levels 0 .. budget - left; left >= 1. */
static inline uint32_t og_twins_with_left(const og_twins *twins, int32_t budget, int32_t left)
{
    return twins->count_before_level[budget - left + 1];
}

/* The class that an outcome of a class leads to, OG_TWIN_NONE on the last level. */
static inline uint32_t og_twins_next(const og_twins *twins, const og_arms *arms, uint32_t class,
                                     int32_t outcome)
{
    int32_t number = twins->first_arm[class];
    const og_arm *arm = arms->arm[number];
    size_t first = twins->first_node[class] * (size_t)arm->outcome_count;
    return twins->class_of[arms->node_offset[number] + arm->next[first + (size_t)outcome]];
}

#endif
