#ifndef OG_HEURISTICS_INDEX_GITTINS_TIES_H
#define OG_HEURISTICS_INDEX_GITTINS_TIES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/product/state.h"
#include "heuristics/index/index.h"

/*
 * Breaks ties with the finite-horizon Gittins index gamma (private to heuristics/): first the
 * largest gamma - R, then the largest gamma. A group for which gamma - R is large is one whose
 * labels only pay later; what pays at once can wait.
 *
 * Equal posteriors and mirror images tie. Other groups are compared by intervals that contain the
 * exact numbers, and if these overlap, in fractions. If an arm is not rational, those within
 * OG_GITTINS_TIE of the largest tie.
 */
#define OG_GITTINS_TIE 1e-12

typedef struct og_gittins_ties og_gittins_ties;

/* Computes the table of the index, with the cost of gittins-fh. Borrows arms, twins and stop.
 * OG_NO_MEMORY; OG_STOPPED. */
og_status og_gittins_ties_new(const og_arms *arms, const og_twins *twins, int threads,
                              og_stop *stop, og_gittins_ties **out);
void og_gittins_ties_free(og_gittins_ties *ties); /* NULL is fine */

/* Reduces the groups with top[i] to those that still tie. OG_NO_MEMORY. One thread at a time. */
og_status og_gittins_ties_break(og_gittins_ties *ties, const og_state *state, bool *top);

#endif
