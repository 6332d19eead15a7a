#ifndef OG_HEURISTICS_INDEX_GITTINS_H
#define OG_HEURISTICS_INDEX_GITTINS_H

#include <stdint.h>

#include "heuristics/index/index.h"

/*
 * Shared code of the finite-horizon Gittins index in doubles and in fractions (private to
 * heuristics/): the strip of nodes at which a rule at some price may continue.
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

/* The start of a strip; the indices for fewer labels than `left` are stored in `scored`. */
typedef struct {
    const og_index_job *job;
    const og_scored *scored;
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

/* Computes the index of only the arms' roots, with all labels left. Its error bound is larger than
 * in the table. OG_NO_MEMORY; OG_STOPPED. */
og_status og_gittins_roots(const og_index_job *job, og_scored *scored);

/* Like og_strip_open at a root, without the indices for fewer labels: the open nodes according to
 * computed values with errors of at most `doubt`. OG_NO_MEMORY. */
og_status og_strip_open_root(const og_gittins_place *from, double price, double doubt,
                             og_strip *strip, int32_t *levels);

#endif
