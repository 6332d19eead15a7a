#ifndef OG_HEURISTICS_INDEX_GITTINS_INF_NARROW_H
#define OG_HEURISTICS_INDEX_GITTINS_INF_NARROW_H

#include "heuristics/index/fast/gittins_inf_table.h"
#include "heuristics/index/index.h"

/*
 * Computes the infinite-horizon Gittins indices of all classes of arms with two outcomes; if only
 * their order matters, as narrowly as `relative` allows only where intervals overlap. The stored
 * value and radius cover the interval. `tables`: [arm_count] with rows. `relative`: the rounding
 * error of a rule's sums. OG_NO_MEMORY, OG_FAILED, OG_STOPPED.
 */
og_status og_inf_narrow(const og_index_job *job, const og_inf_table *tables, double relative,
                        bool ordered, og_scored *out);

#endif
