#ifndef OG_HEURISTICS_FAMILIES_RANKING_INDEX_H
#define OG_HEURISTICS_FAMILIES_RANKING_INDEX_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/engine/act.h"

/*
 * Fills rise[count] for these acts {i, j, worker}, as og_ranking_rise, to 1e-12. worker[2 * w] and
 * the next entry are mu and nu of worker w; NULL: all workers are always right. With many items it
 * uses that a comparison multiplies all other parameters by one factor, and that sums over pairs
 * are smooth functions of this factor. It then takes O(items) for each act, or less if there are
 * many acts. NAN as og_ranking_rise. OG_NO_MEMORY; OG_STOPPED if
 * the stop ends it.
 */
og_status og_ranking_rises(const double *a, int32_t items, const double *worker,
                           const og_act_open *open, int32_t count, og_stop *stop, double *rise);

#endif
