#ifndef OG_HEURISTICS_INDEX_GITTINS_NODE_H
#define OG_HEURISTICS_INDEX_GITTINS_NODE_H

#include <stdint.h>

#include "heuristics/index/gittins.h"

/*
 * The finite-horizon Gittins index of one node, all indices for fewer labels left being known
 * (private to heuristics/). gittins_node.c says how, and what it is off by.
 */

/* Of an arm: what walks over it need. */
typedef struct {
    double *plus, *minus; /* [nodes below the last level and some] of a lattice: the probabilities
                             of outcomes 0 and 1; else NULL */
    og_node_range *paid;  /* [budget] the first and the last place of a level with a reward */
    int32_t step, shift;  /* after `step` labels, `shift` of them positive, the call is as near */
    double most;          /* no reward is larger */
} og_gittins_walked;

typedef struct {
    og_arena arena;
    const og_index_job *job;
    const og_scored *scored;
    og_gittins_walked *arm; /* [arm_count] */
    uint8_t **rising; /* [(budget + 1) * arm_count] by left and arm, [budget - left + 1] by level:
                         do the level's indices rise along it and then fall? */
    double node_error;
} og_gittins_tables;

/* For rows of up to `last` labels left. */
og_status og_gittins_tables_init(og_gittins_tables *tables, const og_index_job *job,
                                 const og_scored *scored, int32_t last);
void og_gittins_tables_clear(og_gittins_tables *tables);

/* Look at the rows of so many labels left, which are complete: to be done before larger ones. */
void og_gittins_tables_look(og_gittins_tables *tables, int threads, int32_t left);

/* What |stored - exact| is at most a part of, with so many labels left. */
double og_gittins_error(const og_arms *arms, int32_t left);

typedef struct og_gittins_space og_gittins_space; /* scratch of one thread */
og_gittins_space *og_gittins_space_new(og_arena *arena, const og_arms *arms); /* NULL: no memory */

/* To be called before the indices of nodes of one level of one arm, with so many labels left: that
 * of the node `at` and any others. `tables` is borrowed. */
void og_gittins_space_enter(const og_gittins_tables *tables, const og_gittins_place *at,
                            og_gittins_space *space);
double og_gittins_node_index(og_gittins_space *space, uint32_t node);

#endif
