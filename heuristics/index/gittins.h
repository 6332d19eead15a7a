#ifndef OG_HEURISTICS_INDEX_GITTINS_H
#define OG_HEURISTICS_INDEX_GITTINS_H

#include <stdint.h>

#include "heuristics/index/index.h"

/*
 * What the finite-horizon Gittins index in doubles and the one in fractions share (private to
 * heuristics/): the strip of nodes that a rule at some price may go on from.
 */

/* Nodes first .. last of a level; none if first > last. */
typedef struct {
    uint32_t first, last;
} og_node_range;

typedef struct {
    og_node_range *reached; /* [left + 1] children of the level above's open nodes */
    og_node_range *open;    /* [left + 1] those of them that may go on */
} og_strip;

/* Room for a strip with `left` labels left. */
static inline og_strip og_strip_new(og_arena *arena, int32_t left)
{
    size_t levels = (size_t)left + 1;
    return (og_strip){.reached = og_arena_array(arena, levels, sizeof(og_node_range)),
                      .open = og_arena_array(arena, levels, sizeof(og_node_range))};
}

/* In doubles: what the best rule is worth from the nodes of a range on. */
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

static inline og_worth og_worth_from(og_worth of, size_t begin)
{
    return (og_worth){of.net + begin, of.earned + begin, of.labels + begin};
}

/* An index that is not 0 is never stored below this. */
#define OG_GITTINS_FLOOR 0x1p-900

/* The first and the last node that these lead to. */
og_node_range og_gittins_children(const og_arm *arm, og_node_range parents);

/* Where a strip starts; the indices for fewer labels than `left` are stored in `scored`. */
typedef struct {
    const og_index_job *job;
    const og_scored *scored;
    int32_t arm;
    uint32_t node;
    int32_t left;
} og_gittins_place;

/*
 * Expand the strip: level by level the nodes between the first and the last whose index may be
 * above the price >= 0, as far as the proved intervals tell. Returns the number of levels that have
 * open nodes, the root's included: open[0 .. levels - 1] and reached[0 .. levels] are filled.
 */
int32_t og_strip_open(const og_gittins_place *from, double price, og_strip *strip);

/* The index of the arms' roots alone, with all labels left, and what it is off by, which is more
 * than in the table. OG_NO_MEMORY; OG_STOPPED. */
og_status og_gittins_roots(const og_index_job *job, og_scored *scored);

/* As og_strip_open at a root, without the indices for fewer labels: what computed values off by
 * `doubt` at most leave open. OG_NO_MEMORY. */
og_status og_strip_open_root(const og_gittins_place *from, double price, double doubt,
                             og_strip *strip, int32_t *levels);

#endif
