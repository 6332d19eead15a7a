#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_NODE_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "heuristics/index/fast/gittins_strip.h"

/*
 * The finite-horizon Gittins index of one node, from all indices for fewer labels left (private to
 * heuristics/index/). gittins_node.c has the method and the error.
 */

/* Data of an arm for walks over it. */
typedef struct {
    double *plus, *minus; /* [nodes before the last level plus a margin] for a lattice: the
                             probabilities of outcomes 0 and 1; else NULL */
    og_node_range *paid;  /* [budget] the first and the last place of a level with a reward */
    int32_t step, shift;  /* after `step` labels, `shift` of them positive, the call is as near */
    double most;          /* the largest reward */
} og_gittins_walked;

typedef struct {
    og_arena arena;
    og_gittins_known known;
    og_gittins_walked *arm; /* [arm_count] */
    uint8_t **rising; /* [(budget + 1) * arm_count] by left and arm, [budget - left + 1] by level:
                         true if the level's indices rise along it and then fall */
    double node_error;
} og_gittins_tables;

/* Allocates tables for rows of up to `last` labels left. `node_error`: the relative error of one
 * node's sum. */
og_status og_gittins_tables_init(og_gittins_tables *tables, const og_gittins_known *known,
                                 double node_error, int32_t last);
void og_gittins_tables_clear(og_gittins_tables *tables);

/* Updates the tables with the complete rows of `left` labels left; to be called before larger ones.
 */
void og_gittins_tables_look(og_gittins_tables *tables, int threads, int32_t left);

typedef struct og_gittins_space og_gittins_space; /* work space of one thread */
og_gittins_space *og_gittins_space_new(og_arena *arena,
                                       const og_arms *arms); /* NULL: out of memory */

/* To be called before computing the indices of one level of one arm with a number of labels left:
 * those of the node `at` and of any other nodes. `tables` is borrowed. */
void og_gittins_space_enter(const og_gittins_tables *tables, const og_gittins_place *at,
                            og_gittins_space *space);

/* Computes the index. False if doubles do not determine the best rule; then *index is a lower bound
 * greater than 0. */
bool og_gittins_node_index(og_gittins_space *space, uint32_t node, double *index);

#endif
