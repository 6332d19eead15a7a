#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_STRIP_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_STRIP_H

#include <stddef.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "heuristics/indices.h"

/*
 * The strip of nodes at which a rule at some price may continue (private to heuristics/index/): a
 * walk over it takes the place of one over all nodes that can be reached. Here are also what all
 * fast ways to a Gittins index share.
 */

/* Nodes first .. last of a level; none if first > last. */
typedef struct {
    uint32_t first, last;
} og_node_range;

typedef struct {
    og_node_range *reached; /* [left + 1] children of the level above's open nodes */
    og_node_range *open;    /* [left + 1] those that may continue */
} og_strip;

/* Allocates a strip with `left` labels left. */
static inline og_strip og_strip_new(og_arena *arena, int32_t left)
{
    size_t levels = (size_t)left + 1;
    return (og_strip){.reached = og_arena_array(arena, levels, sizeof(og_node_range)),
                      .open = og_arena_array(arena, levels, sizeof(og_node_range))};
}

/* In doubles: the value of the best rule from the nodes of a range on. */
typedef struct {
    double *net;    /* E[sum of (R - z)] if that is positive, else 0: stop */
    double *earned; /* E[sum of R] */
    double *labels; /* E[number of labels] */
} og_worth;

static inline og_worth og_worth_new(og_arena *arena, size_t width)
{
    return (og_worth){.net = og_arena_array(arena, width, sizeof(double)),
                      .earned = og_arena_array(arena, width, sizeof(double)),
                      .labels = og_arena_array(arena, width, sizeof(double))};
}

static inline og_worth og_worth_from(og_worth worth, size_t begin)
{
    return (og_worth){worth.net + begin, worth.earned + begin, worth.labels + begin};
}

/* An index that is not 0 is never stored below this. */
#define OG_GITTINS_FLOOR 0x1p-900

/* The range from the first to the last child of these nodes. */
og_node_range og_gittins_children(const og_arm *arm, og_node_range parents);

/* The largest number of nodes of a level of an arm. */
size_t og_gittins_width(const og_arms *arms);

/* Finite-horizon indices in a table that is being filled by labels left. All borrowed. */
typedef struct {
    const og_arms *arms;
    const og_index *index;    /* by left */
    const double *left_error; /* [budget + 1] |stored - exact| is at most this times the index */
    double absolute;          /* plus this */
} og_gittins_known;

/* A node, and the number of labels left for which its index is wanted; `known` has all indices for
 * fewer labels. */
typedef struct {
    const og_gittins_known *known;
    int32_t arm;
    uint32_t node;
    int32_t left;
} og_gittins_place;

/*
 * Expands the strip: for each level, the nodes between the first and the last whose index may be
 * above the price >= 0, according to the proved intervals. Returns the number of levels that have
 * open nodes, including the root's level; fills open[0 .. levels - 1] and reached[0 .. levels].
 */
int32_t og_strip_open(const og_gittins_place *from, double price, og_strip *strip);

#endif
