#ifndef OG_HEURISTICS_FAMILIES_RANKING_INDEX_H
#define OG_HEURISTICS_FAMILIES_RANKING_INDEX_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/act.h"

/*
 * rise[count] of these acts {i, j, worker}, as og_ranking_rise has them, to 1e-12: worker[2 * w]
 * and the next are mu and nu of worker w, NULL: all of them are always right. From some items on
 * what a comparison changes is told apart from what it only scales: all other parameters change by
 * one factor, of which sums over pairs are smooth functions. O(items) an act then, or less where
 * there are many. NAN as og_ranking_rise. OG_NO_MEMORY.
 */
og_status og_ranking_rises(const double *a, int32_t items, const double *worker,
                           const og_open *open, int32_t count, double *rise);

#endif
