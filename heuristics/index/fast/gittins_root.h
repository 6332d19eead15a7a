#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_ROOT_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_ROOT_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "heuristics/index/fast/gittins_strip.h"

/*
 * The finite-horizon Gittins index of an arm's root alone, without the indices of other nodes
 * (private to heuristics/index/). gittins_root.c has the method and the error.
 */

/* The index with `budget` labels left. OG_NO_MEMORY; OG_STOPPED. */
og_status og_gittins_root_index(const og_arm *arm, int32_t budget, og_stop *stop, double *index);

/* Relative bound on its |stored - exact|; `node_error`: of one node's sum. */
double og_gittins_root_error(double node_error, int32_t budget);

/* Like og_strip_open at a root with `left` labels left, without the indices for fewer labels: the
 * open nodes according to computed values with errors of at most `doubt`. OG_NO_MEMORY. */
og_status og_strip_open_root(const og_arm *arm, int32_t left, double price, double doubt,
                             og_strip *strip, int32_t *levels);

#endif
