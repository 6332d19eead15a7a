#ifndef OG_HEURISTICS_INDEX_GITTINS_INF_NARROW_H
#define OG_HEURISTICS_INDEX_GITTINS_INF_NARROW_H

#include "heuristics/index/fast/gittins_inf_table.h"
#include "heuristics/index/index.h"

/*
 * Computes intervals of the infinite-horizon Gittins indices of all classes of arms with two
 * outcomes: as narrow as og_inf_index would give them where others overlap, else only as narrow as
 * their order requires. The stored value and radius cover the interval. `tables`: [arm_count] with
 * rows. `relative`: the rounding error of a rule's sums. `spaces`: [threads]. OG_NO_MEMORY;
 * OG_STOPPED.
 */
og_status og_inf_narrow(const og_index_job *job, const og_inf_table *tables, double relative,
                        const og_worth *spaces, og_scored *out);

#endif
